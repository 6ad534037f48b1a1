"""Servers that lie, stop, never stop, or send half a character: the chat stays whole."""

from __future__ import annotations

import json
import threading

import pytest

from memdesk.chats.model import Message, SwipeState
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.support.workspaces import Desk, talk


def turn(
    workspace: Workspace, chat_id: int, text: str = "Go on.", cancel: CancelToken | None = None
) -> Message:
    message = workspace.conversation.send(chat_id, text, lambda _event: None, cancel or CancelToken())
    assert message is not None
    return message


def assert_whole(workspace: Workspace, chat_id: int, server: FakeLLM) -> None:
    """Nothing is half-written, and the next turn works."""
    assert not workspace.conversation.writing(chat_id)
    for message in workspace.messages.page(chat_id, 1, 100):
        assert message.swipe.state is not SwipeState.STREAMING
        message.text.encode("utf-8")
    server.fault = None
    server.reply = "All is well."
    reply = turn(workspace, chat_id, "Are you well?")
    assert (reply.text, reply.swipe.state, reply.swipe.error) == ("All is well.", SwipeState.DONE, "")
    workspace.sync.chunk_stale(CancelToken())


FAULTS = {
    "401": (Fault(status=401), ""),
    "403": (Fault(status=403), ""),
    "404": (Fault(status=404), ""),
    "429": (Fault(status=429, retry_after=7), ""),
    "500": (Fault(status=500), ""),
    "503 with a web page": (Fault(status=503, body="<html>" + "x" * 100_000), ""),
    "web page": (Fault(html=True), ""),
    "wrong type": (Fault(content_type="image/png", raw=b"\x89PNG"), ""),
    "cut": (Fault(cut_after=2), "one two"),
    "too short a length": (Fault(content_length=10), ""),
    "half a character": (Fault(stop_mid_character=True), "one two three"),
    "nonsense in the middle": (Fault(malformed_after=2), "one two"),
    "error in the middle": (Fault(error_event_after=2), "one two"),
    "context too small": (Fault(context_limit=1), ""),
    "nothing at all": (Fault(raw=b""), ""),
    "null": (Fault(raw=b"data: null\n\n"), ""),
    "deep": (Fault(raw=b"data: " + b"[" * 100_000 + b"\n\n"), ""),
    "bytes": (Fault(raw=bytes(range(256)) * 50), ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_came_is_kept_and_what_failed_is_said(desk: Desk, server: FakeLLM, name: str) -> None:
    fault, kept = FAULTS[name]
    desk.connect(server.profile(timeout_seconds=3.0))
    server.reply = Deltas(["one ", "two ", "three"])
    server.fault = fault
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        reply = turn(workspace, chat.id)
        assert reply.swipe.state is SwipeState.FAILED
        assert len(reply.swipe.error) > 20
        assert "Traceback" not in reply.swipe.error
        assert reply.text == kept
        assert workspace.messages.page(chat.id, 2, 1)[0].text == "Go on."
        assert workspace.receipts.get(reply.swipe.id) is not None
        assert_whole(workspace, chat.id, server)


@pytest.mark.parametrize(
    "fault",
    [Fault(chunk_bytes=1), Fault(no_usage=True), Fault(no_done=True), Fault(content_length=10_000_000)],
)
def test_what_is_odd_but_whole_is_taken(desk: Desk, server: FakeLLM, fault: Fault) -> None:
    desk.connect(server.profile())
    server.reply = "“Ça va?” 她笑了。👩‍👩‍👧 ok"
    server.fault = fault
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        reply = turn(workspace, chat.id)
        assert (reply.text, reply.swipe.state) == (server.reply, SwipeState.DONE)


@pytest.mark.parametrize("fault", [Fault(silent=True), Fault(stall_after=1), Fault(pings=True)])
def test_a_server_that_falls_silent_ends_in_time(desk: Desk, server: FakeLLM, fault: Fault) -> None:
    desk.connect(server.profile(timeout_seconds=0.7))
    server.reply = Deltas(["one ", "two "])
    server.fault = fault
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        reply = turn(workspace, chat.id)
        assert reply.swipe.state is SwipeState.FAILED
        assert reply.text == ("one" if fault.stall_after else "")
        assert_whole(workspace, chat.id, server)


def test_a_server_that_never_ends_can_be_stopped(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    server.reply = Deltas(["on and on "])
    server.fault = Fault(endless=True, delta_delay=0.001)
    cancel = CancelToken()
    timer = threading.Timer(1.0, cancel.cancel)
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        timer.start()
        reply = turn(workspace, chat.id, cancel=cancel)
        timer.join()
        assert reply.swipe.state is SwipeState.STOPPED
        assert reply.text.startswith("on and on on and on")
        assert_whole(workspace, chat.id, server)


def test_a_server_that_never_ends_ends_by_itself(desk: Desk, server: FakeLLM) -> None:
    """A reply has a largest size; what came until then is kept."""
    desk.connect(server.profile())
    server.reply = Deltas(["on and on " * 5000])
    server.fault = Fault(endless=True)
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        reply = turn(workspace, chat.id)
        assert reply.swipe.state is SwipeState.FAILED
        assert "on and on" in reply.text
        assert_whole(workspace, chat.id, server)


def event(**changes: object) -> bytes:
    body = {"choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": None}], **changes}
    return b"data: " + json.dumps(body).encode() + b"\n\n"


@pytest.mark.parametrize(
    "raw",
    [
        event(model="m\ud800\u0000\n" + "x" * 5000),
        event(choices=[{"index": 0, "delta": {"content": "a\ud800\u0000b"}, "finish_reason": "st\udfffop"}]),
        event(usage={"prompt_tokens": -5, "completion_tokens": 10**30, "total_tokens": "many"}),
        event(choices=[{"index": 0, "delta": {"reasoning_content": "\ud800"}, "finish_reason": None}])
        + event(),
        event(choices=[{"index": 0, "delta": {"content": "\ud83d"}}])
        + event(choices=[{"index": 0, "delta": {"content": "\ude00"}}]),
    ],
    ids=["model name", "half text", "usage", "reasoning", "a pair in two halves"],
)
def test_strange_values_in_an_event_do_not_break_the_chat(desk: Desk, server: FakeLLM, raw: bytes) -> None:
    desk.connect(server.profile())
    server.fault = Fault(raw=raw + b"data: [DONE]\n\n")
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        turn(workspace, chat.id)
        assert_whole(workspace, chat.id, server)


def test_an_error_text_with_half_characters_is_kept(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    server.fault = Fault(status=400, body={"error": {"message": "bad \ud800\u0000 thing", "type": "x"}})
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        reply = turn(workspace, chat.id)
        assert reply.swipe.state is SwipeState.FAILED
        assert_whole(workspace, chat.id, server)


def test_a_damaged_file_of_keys_is_a_failed_reply(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    chat = desk.talk("Hello.")
    (desk.folder / "keys.json").write_bytes(b"\xff{")
    outcome = desk.run("send", str(chat), "Go on.")
    assert outcome.code == 1
    assert "keys.json" in outcome.err
    assert outcome.err.count("\n") == 1
    (desk.folder / "keys.json").unlink()
    assert desk.json("send", str(chat), "Go on.")["state"] == "done"


def test_a_lying_usage_does_not_shrink_the_context(desk: Desk, server: FakeLLM) -> None:
    """A server that reports absurd counts cannot make prompts impossible."""
    desk.connect(server.profile())
    usage = {"prompt_tokens": 10**9, "completion_tokens": 1, "total_tokens": 10**9}
    server.fault = Fault(raw=event() + event(choices=[], usage=usage) + b"data: [DONE]\n\n")
    with desk.open() as workspace:
        chat = talk(workspace, *("A line of some length that fills the prompt. " * 5 for _ in range(30)))
        for _ in range(10):
            turn(workspace, chat.id)
        assert_whole(workspace, chat.id, server)
        assert workspace.conversation.preview(chat.id, "Hello?").sent("history") >= 20


def test_nothing_listens(desk: Desk) -> None:
    with FakeLLM() as gone:
        profile = gone.profile()
    desk.connect(profile)
    chat = desk.talk("Hello.")
    outcome = desk.run("send", str(chat), "Anybody there?")
    assert outcome.code == 1
    assert outcome.err.startswith("memdesk: ")
    assert desk.json("chats")[0]["messages"] == 3
