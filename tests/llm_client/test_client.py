from __future__ import annotations

import subprocess
import sys
import threading
import time
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.llm.client import ChatRequest, Finished, OpenAIClient, TextDelta, Usage, client_for
from memdesk.llm.demo import DemoClient
from memdesk.llm.keys import KeyStore
from memdesk.llm.profile import DEMO_PROFILE
from memdesk.work.cancel import CancelToken
from tests.llm_client.helpers import fails, hear, request
from tests.support.fake_llm import Deltas, FakeLLM, Fault

if TYPE_CHECKING:
    from pathlib import Path


def test_a_reply_streams_in_pieces_with_usage_and_model(server: FakeLLM) -> None:
    server.reply = "The lighthouse key is under the stone."
    heard = hear(server.profile())
    assert heard.text == "The lighthouse key is under the stone."
    assert len(heard.events) > 5
    assert heard.end == Finished("stop", Usage(2, 7), "fake-model")


def test_only_options_that_are_set_are_sent(server: FakeLLM) -> None:
    hear(server.profile())
    assert set(server.requests[0].body) == {"model", "messages", "stream", "stream_options", "max_tokens"}
    assert server.requests[0].body["max_tokens"] == 512
    profile = server.profile(
        temperature=0.0, top_p=0.9, min_p=0.05, top_k=40, frequency_penalty=0.1, presence_penalty=0.2,
        repetition_penalty=1.1, seed=7, stop=["\nSam:"], extra_body={"top_k": 41, "dry_multiplier": 0.8},
    )  # fmt: skip
    hear(profile, ask=request(max_tokens=9))
    body = server.requests[1].body
    assert body["max_tokens"] == 9
    assert body["temperature"] == 0.0
    assert (body["top_p"], body["min_p"], body["top_k"], body["seed"]) == (0.9, 0.05, 41, 7)
    assert (body["frequency_penalty"], body["presence_penalty"], body["repetition_penalty"]) == (
        0.1,
        0.2,
        1.1,
    )
    assert (body["stop"], body["dry_multiplier"]) == (["\nSam:"], 0.8)


def test_messages_arrive_unchanged(server: FakeLLM) -> None:
    messages = [
        {"role": "system", "content": "Du bist “Mira”. 你是🦊。\u0000\n\n"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "x" * 1_000_000},
    ]
    server.reply = "ok"
    assert hear(server.profile(), ask=ChatRequest(messages=messages)).end.reason == "stop"
    assert server.requests[0].messages == messages


def test_no_model_in_the_profile(server: FakeLLM) -> None:
    assert hear(server.profile(model="")).end.reason == "stop"
    assert server.requests[0].body["model"] == "default"


def test_nothing_from_the_environment_leaves(server: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret-from-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv(
        "OPENAI_CUSTOM_HEADERS", "X-Spy: secret-from-environment\nAuthorization: Bearer secret"
    )
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    assert hear(server.profile()).end.reason == "stop"
    headers = server.requests[0].headers
    assert "secret" not in str(headers)
    allowed = "host accept accept-encoding connection content-length content-type user-agent"
    assert set(headers) == set(allowed.split())
    assert headers["user-agent"] == "memdesk"
    assert hear(server.profile(), " sk-mine\n").end.reason == "stop"
    assert server.requests[1].headers["authorization"] == "Bearer sk-mine"


def test_importing_the_client_loads_neither_openai_nor_http() -> None:
    code = (
        "import sys, memdesk.llm.client, memdesk.llm.discovery, memdesk.llm.demo, memdesk.llm.keys;"
        "print([n for n in ('openai', 'httpx2', 'keyring') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_client_for_gives_the_demo_voice_or_the_server_with_its_key(server: FakeLLM, tmp_path: Path) -> None:
    keys = KeyStore(tmp_path)
    assert isinstance(client_for(DEMO_PROFILE, keys), DemoClient)
    server.api_key = "sk-right"
    profile = server.profile()
    keys.set(profile.id, "sk-right")
    events = list(client_for(profile, keys).stream(request(), CancelToken()))
    assert isinstance(events[-1], Finished)


# --- forms of replies -------------------------------------------------------------------------------------


def test_reasoning_content_is_kept_apart(server: FakeLLM) -> None:
    server.reasoning = "She asks about the key. 想一想。"
    server.reply = "Under the stone."
    heard = hear(server.profile())
    assert (heard.thoughts, heard.text) == ("She asks about the key. 想一想。", "Under the stone.")


def test_the_other_name_of_reasoning(server: FakeLLM) -> None:
    server.fault = Fault(
        raw=b'data: {"choices":[{"delta":{"reasoning":"hm"}}]}\n\n'
        b'data: {"choices":[{"delta":{"content":"yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )
    heard = hear(server.profile())
    assert (heard.thoughts, heard.text) == ("hm", "yes")


@pytest.mark.parametrize("ignore_stream", [False, True])
def test_think_tags_become_reasoning(server: FakeLLM, *, ignore_stream: bool) -> None:
    server.delta_chars = 3
    server.reply = "\n<think>\nShe < I think> so\n</think>\n\nYes. <think>And this.</think> No."
    server.fault = Fault(ignore_stream=ignore_stream)
    heard = hear(server.profile())
    assert heard.thoughts == "\nShe < I think> so\n\n\nAnd this."
    assert heard.text == "Yes. No."


def test_one_json_instead_of_a_stream(server: FakeLLM) -> None:
    server.fault = Fault(ignore_stream=True, finish_reason="length")
    heard = hear(server.profile())
    assert heard.text == "You said: Hello there"
    assert heard.end == Finished("length", Usage(2, 4), "fake-model")


def test_a_server_that_does_not_know_stream_options(server: FakeLLM) -> None:
    server.fault = Fault(reject_stream_options=True)
    client = OpenAIClient(server.profile(), None)
    for _ in range(2):
        events = list(client.stream(request(), CancelToken()))
        assert events[-1] == Finished("stop", None, "fake-model")
    # It is asked wrongly once, not before every reply.
    assert ["stream_options" in r.body for r in server.requests] == [True, False, False]


def test_a_server_that_wants_max_completion_tokens(server: FakeLLM) -> None:
    server.fault = Fault(reject_max_tokens=True)
    assert hear(server.profile()).end.usage == Usage(2, 4)
    assert server.requests[-1].body["max_completion_tokens"] == 512
    assert len(server.requests) == 2


def test_a_refused_request_is_not_repeated_for_ever(server: FakeLLM) -> None:
    server.fault = Fault(status=400, body={"error": {"message": "temperature must be below 2"}})
    heard = fails(server.profile(), "bad_request")
    assert heard.error is not None
    assert "temperature must be below 2" in heard.error.detail
    assert len(server.requests) == 2


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "text/html"])
def test_the_wrong_content_type_around_a_good_reply(server: FakeLLM, kind: str) -> None:
    server.fault = Fault(content_type=kind)
    assert hear(server.profile()).text == "You said: Hello there"


def test_a_stream_without_done_or_without_finish_reason(server: FakeLLM) -> None:
    server.faults.extend([Fault(no_done=True), Fault(no_finish=True)])
    assert hear(server.profile()).end.reason == "stop"
    assert hear(server.profile()).end.reason == "stop"


def test_a_finished_reply_does_not_wait_for_a_server_that_keeps_the_line_open(
    server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdesk.llm.reply.AFTER_END_SECONDS", 0.2)
    server.fault = Fault(hold_open=True)
    begin = time.monotonic()
    heard = hear(server.profile())
    assert heard.text == "You said: Hello there"
    assert heard.end.reason == "stop"
    assert time.monotonic() - begin < 3


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(st.sampled_from('ab \n<>/think猫鳥é🦊👩‍👩‍👧“”『』"\\\u2028'), max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=12),
    bytes_at_once=st.integers(1, 40),
)
def test_any_cut_of_a_reply_gives_the_same_text(
    server: FakeLLM, text: str, cuts: list[int], bytes_at_once: int
) -> None:
    points = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    server.reply = Deltas([text])
    server.fault = Fault(ignore_stream=True)
    whole = hear(server.profile())
    server.reply = Deltas([text[a:b] for a, b in pairwise(points)])
    server.fault = Fault(chunk_bytes=bytes_at_once)
    pieces = hear(server.profile())
    assert (pieces.text, pieces.thoughts) == (whole.text, whole.thoughts)
    assert pieces.end.reason == "stop"
    if "think>" not in text:
        assert pieces.text == text


# --- what goes wrong --------------------------------------------------------------------------------------


def test_nothing_listens(server: FakeLLM) -> None:
    profile = server.profile()
    server.close()
    fails(profile, "refused")
    # The fixture closes it again; that must be harmless.


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "unauthorized"), (402, "forbidden"), (403, "forbidden"), (404, "not_found"), (405, "not_found"),
     (408, "timeout"), (418, "bad_request"), (422, "bad_request"), (500, "server_error"),
     (503, "server_error"), (302, "redirected")],
)  # fmt: skip
def test_statuses_are_told_apart(server: FakeLLM, status: int, code: str) -> None:
    server.fault = Fault(status=status, headers={"Location": server.root} if status == 302 else {})
    heard = fails(server.profile(), code)
    assert heard.error is not None
    assert heard.error.status == status
    assert len(server.requests) <= 2


def test_too_many_requests_says_how_long_to_wait(server: FakeLLM) -> None:
    server.fault = Fault(status=429, retry_after=7)
    heard = fails(server.profile(), "rate_limited")
    assert heard.error is not None
    assert heard.error.retry_after == 7
    assert "Wait 7 s and" in heard.error.message
    assert len(server.requests) == 1


def test_a_missing_model_is_not_a_wrong_path(server: FakeLLM) -> None:
    server.fault = Fault(
        status=404, body={"error": {"message": 'model "llama9" not found, try pulling it first'}}
    )
    heard = fails(server.profile(model="llama9"), "model_missing")
    assert heard.error is not None
    assert "llama9" in heard.error.message


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "This model's maximum context length is 4096 tokens.", "code": None}},
        {"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the "
                   "available context size, try increasing it", "n_prompt_tokens": 9000, "n_ctx": 4096}},
        {"error": "Trying to keep the first 5000 tokens when context the overflows. However …"},
        {"object": "error", "message": "prompt is too long: 9000 tokens > 8192 maximum"},
        {"detail": "Prompt length 9000 is greater than the max sequence length"},
    ],
)  # fmt: skip
def test_a_prompt_too_long_for_the_context_is_recognised(server: FakeLLM, body: dict[str, object]) -> None:
    server.fault = Fault(status=400, body=body)
    fails(server.profile(), "context_too_small")
    assert len(server.requests) == 1


def test_the_fake_servers_own_context_limit(server: FakeLLM) -> None:
    server.fault = Fault(context_limit=1)
    fails(server.profile(), "context_too_small")


def test_keys_are_in_no_message(server: FakeLLM) -> None:
    key = "sk-very-secret-123"
    for status in (400, 401, 404, 429, 500, 302):
        text = f"Incorrect API key provided: {key}. model {key} not found"
        server.fault = Fault(
            status=status, body={"error": {"message": text}}, headers={"Location": f"/{key}"}
        )
        heard = hear(server.profile(), key)
        assert heard.error is not None
        assert key not in f"{heard.error} {heard.error.message} {heard.error.detail} {heard.error!r}"
    server.fault = Fault(raw=f"data: {key}\n\n".encode())
    assert key not in str(fails(server.profile(), "malformed", key).error)
    server.fault = Fault(raw=f"<p>{key}".encode())
    assert key not in str(fails(server.profile(), "not_openai", key).error)
    assert "schlüssel" not in str(fails(server.profile(), "bad_request", "schlüssel").error)


def test_a_web_page(server: FakeLLM) -> None:
    server.fault = Fault(html=True)
    heard = fails(server.profile(), "not_openai")
    assert heard.error is not None
    assert "/v1" in heard.error.message


@pytest.mark.parametrize("body", [b"hello", b'{"hello": "world"}', b"[1, 2]", b'"text"'])
def test_an_answer_of_another_kind(server: FakeLLM, body: bytes) -> None:
    server.fault = Fault(raw=body)
    fails(server.profile(), "not_openai")


@pytest.mark.parametrize("body", [b"", b" \n\n "])
def test_an_empty_answer(server: FakeLLM, body: bytes) -> None:
    server.fault = Fault(raw=body, content_length=len(body))
    fails(server.profile(), "no_reply")


def test_a_reply_cut_in_the_middle_keeps_what_came(server: FakeLLM) -> None:
    server.fault = Fault(cut_after=3)
    heard = fails(server.profile(), "cut")
    assert heard.text == "You said: He"


def test_a_stream_that_ends_politely_in_mid_reply(server: FakeLLM) -> None:
    server.fault = Fault(no_done=True, no_finish=True)
    assert fails(server.profile(), "cut").text == "You said: Hello there"


def test_a_stream_that_ends_with_half_a_character(server: FakeLLM) -> None:
    server.fault = Fault(stop_mid_character=True, chunk_bytes=3)
    assert fails(server.profile(), "cut").text == "You said: Hello there"


def test_malformed_events_keep_what_came(server: FakeLLM) -> None:
    server.fault = Fault(malformed_after=2)
    heard = fails(server.profile(), "malformed")
    assert heard.text == "You said"


def test_an_error_in_mid_stream(server: FakeLLM) -> None:
    server.fault = Fault(error_event_after=2)
    heard = fails(server.profile(), "server_error")
    assert heard.text == "You said"
    assert heard.error is not None
    assert "GPU ran out of memory" in heard.error.detail


@pytest.mark.parametrize("event", [
    b"[]", b"7", b'{"choices":7}', b'{"choices":[7]}', b'{"choices":[{"delta":7}],"usage":[]}',
    b'{"choices":[]}', b'{"choices":[{"delta":{"content":7,"reasoning":[]},"finish_reason":7}],"model":7}',
    b'{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":true}}',
    b'{"choices":[{"index":1,"delta":{"content":"other"}}]}',
])  # fmt: skip
def test_odd_events_never_crash(server: FakeLLM, event: bytes) -> None:
    good = b'data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'
    server.fault = Fault(raw=b"data: " + event + b"\n\n" + good)
    heard = hear(server.profile())
    if heard.error is None:
        assert heard.text == "ok"
        assert heard.end == Finished("stop", None, "fake-model")
    else:
        assert heard.error.code == "malformed"


def test_parts_split_surrogates_and_bad_utf8(server: FakeLLM) -> None:
    server.fault = Fault(
        raw=b"\xef\xbb\xbfid: 1\r\nevent: x\r\n: comment\r\n"
        b'data: {"choices":[{"delta":{"content":"\\ud83e"}}]}\r\n\r\n'
        b'data: {"choices":[{"delta":{"content":"\\udd8a\\ud800"}}]}\n'  # no empty line
        b'data: {"choices":[{"delta":{"content":[{"type":"text","text":"x"}]}}]}\r\r'
        b'data: {"choices":[{"delta":{"content":"\xff\\udc00"}}]}\n\n'
        b"data:[DONE]"
    )
    assert hear(server.profile()).text == "🦊\ufffdx\ufffd\ufffd"


@pytest.mark.parametrize("length", [5, 60])
def test_a_length_that_is_too_short_cuts_the_reply(server: FakeLLM, length: int) -> None:
    server.fault = Fault(content_length=length)
    heard = hear(server.profile())
    assert heard.error is not None
    assert heard.error.code in ("cut", "malformed")


def test_a_length_that_is_too_long(server: FakeLLM) -> None:
    server.fault = Fault(content_length=1_000_000)
    assert hear(server.profile()).text == "You said: Hello there"
    server.fault = Fault(content_length=1_000_000, ignore_stream=True)
    assert hear(server.profile()).text == "You said: Hello there"
    server.fault = Fault(content_length=20, ignore_stream=True)
    fails(server.profile(), "malformed")


# --- time and size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [Fault(silent=True), Fault(pings=True), Fault(stall_after=2)])
def test_silence_ends_after_the_time_limit(server: FakeLLM, fault: Fault) -> None:
    server.fault = fault
    begin = time.monotonic()
    heard = fails(server.profile(timeout_seconds=0.4), "timeout")
    assert 0.3 < time.monotonic() - begin < 3
    assert heard.text == ("You said" if fault.stall_after else "")


def test_slow_is_not_silent(server: FakeLLM) -> None:
    server.fault = Fault(delta_delay=0.1)
    server.reply = "a b c d e f g h i j k l"
    assert hear(server.profile(timeout_seconds=0.5)).text == "a b c d e f g h i j k l"


def test_a_slow_reader_is_not_a_silent_server(server: FakeLLM) -> None:
    client = OpenAIClient(server.profile(timeout_seconds=0.3), None)
    texts = []
    for event in client.stream(request(), CancelToken()):
        if isinstance(event, TextDelta):
            texts.append(event.text)
            if len(texts) == 1:
                time.sleep(0.5)
    assert "".join(texts) == "You said: Hello there"


def test_a_reply_without_end_is_ended(server: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdesk.llm.reply.MAX_REPLY_CHARS", 5_000)
    server.fault = Fault(endless=True)
    server.reply = "猫" * 400
    server.delta_chars = 400
    assert fails(server.profile(), "too_long").text == "猫" * 5_000


def test_a_line_without_end_is_ended(server: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdesk.llm.sse.MAX_LINE_BYTES", 10_000)
    monkeypatch.setattr("memdesk.llm.reply.MAX_JSON_BYTES", 10_000)
    server.fault = Fault(raw=b"data: " + b"x" * 200_000)
    fails(server.profile(), "malformed")
    server.fault = Fault(raw=b'{"x": "' + b"x" * 200_000)
    fails(server.profile(), "too_long")


def test_an_error_page_without_end(server: FakeLLM) -> None:
    server.fault = Fault(status=500, endless=True)
    begin = time.monotonic()
    heard = fails(server.profile(timeout_seconds=60), "server_error")
    assert time.monotonic() - begin < 3
    assert heard.error is not None
    assert len(heard.error.detail) == 500


def test_an_error_page_that_breaks_off(server: FakeLLM) -> None:
    server.fault = Fault(status=503, headers={"Content-Length": "99999"})
    fails(server.profile(), "server_error")


@pytest.mark.parametrize("fault", [
    Fault(silent=True), Fault(stall_after=2), Fault(endless=True, delta_delay=0.01), Fault(pings=True),
    Fault(first_byte_delay=30),
])  # fmt: skip
def test_cancel_ends_the_reply_at_once(server: FakeLLM, fault: Fault) -> None:
    server.fault = fault
    cancel = CancelToken()
    client = OpenAIClient(server.profile(timeout_seconds=60), None)
    events: list[object] = []
    ended: list[float] = []

    def work() -> None:
        events.extend(client.stream(request(), cancel))
        ended.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    server.wait_for(lambda: server.requests)
    time.sleep(0.1)
    begin = time.monotonic()
    cancel.cancel()
    thread.join(5)
    assert ended[0] - begin < 0.2
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "stopped"
    server.wait_for(lambda: server.disconnects == 1)


def test_close_ends_replies_and_refuses_new_ones(server: FakeLLM) -> None:
    server.fault = Fault(stall_after=1)
    client = OpenAIClient(server.profile(timeout_seconds=60), None)
    events = client.stream(request(), CancelToken())
    assert next(events) == TextDelta("You ")
    client.close()
    assert next(events) == Finished("stopped", None, "fake-model")
    assert list(client.stream(request(), CancelToken())) == [Finished("stopped", None, "fake-model")]
    assert len(server.requests) == 1


def test_a_cancelled_token_sends_nothing(server: FakeLLM) -> None:
    cancel = CancelToken()
    cancel.cancel()
    assert hear(server.profile(), cancel=cancel).end.reason == "stopped"
    assert server.requests == []


def test_leaving_the_loop_closes_the_connection(server: FakeLLM) -> None:
    server.fault = Fault(endless=True, delta_delay=0.01)
    for event in OpenAIClient(server.profile(), None).stream(request(), CancelToken()):
        assert isinstance(event, TextDelta)
        break
    server.wait_for(lambda: server.disconnects == 1)


def test_several_replies_at_once(server: FakeLLM) -> None:
    server.fault = Fault(delta_delay=0.005)
    client = OpenAIClient(server.profile(), None)
    texts: dict[int, str] = {}

    def work(number: int) -> None:
        events = client.stream(request(f"number {number}"), CancelToken())
        texts[number] = "".join(event.text for event in events if isinstance(event, TextDelta))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == {number: f"You said: number {number}" for number in range(6)}


def test_nothing_more_comes_after_cancel_even_if_it_has_arrived(server: FakeLLM) -> None:
    deltas = b"".join(
        b'data: {"choices":[{"delta":{"content":"%d "}}]}\n\n' % number for number in range(100)
    )
    server.fault = Fault(raw=deltas + b"data: [DONE]\n\n")
    cancel = CancelToken()
    events = OpenAIClient(server.profile(), None).stream(request(), cancel)
    assert next(events) == TextDelta("0 ")
    cancel.cancel()
    assert list(events) == [Finished("stopped", None, "fake-model")]
