from __future__ import annotations

import json
import re
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.assets import asset
from memdesk.llm.client import ChatRequest, Finished, TextDelta
from memdesk.llm.demo import DemoClient, compose, fitting_pieces, language_of
from memdesk.work.cancel import CancelToken

MEMORIES = (
    "Mira: *nods* “I like apples.”\nSam: The lighthouse key lies under the third stone. It is cold.",
    "守塔人把灯塔的钥匙藏在第三块石头下面。他很老。",
)


def ask(said: str, *recalled: str, character: str = "Mira", user: str = "Sam") -> ChatRequest:
    messages = [{"role": "user", "content": said}]
    return ChatRequest(messages, character=character, user=user, recalled=recalled, last_user_text=said)


def say(request: ChatRequest) -> str:
    events = list(DemoClient(delay=0).stream(request, CancelToken()))
    assert events[-1] == Finished("stop", None, "demo")
    texts = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(texts) == len(events) - 1 > 5
    assert all(texts)
    return "".join(texts)


def test_the_same_request_gets_the_same_reply_and_others_differ() -> None:
    assert say(ask("Hello")) == say(ask("Hello"))
    assert len({say(ask(f"Hello {number}")) for number in range(30)}) > 15


@pytest.mark.parametrize(
    ("said", "language", "own", "foreign"),
    [
        ("Where is the lighthouse key?", "en", r"[a-z]{4}", r"[\u4e00-\u9fff]"),
        ("灯塔的钥匙在哪里？", "zh-Hans", r"[\u4e00-\u9fff]{4}", r"[個這們來說對時過會還後為「」『』]"),
        ("燈塔的鑰匙在哪裡？", "zh-Hant", r"「.*」", r"[个这们来说对时过会还后为“”]"),
    ],
)
def test_it_answers_in_the_language_it_was_asked_in(said: str, language: str, own: str, foreign: str) -> None:
    assert language_of(said) == language
    for number in range(12):
        reply = say(ask(said, character=f"Mira{number}"))
        assert re.search(own, reply)
        assert not re.search(foreign, reply.replace(said.strip("？"), ""))


def test_it_quotes_the_memory_that_fits() -> None:
    assert "The lighthouse key lies under the third stone" in say(
        ask("Where is the lighthouse key?", *MEMORIES)
    )
    assert "守塔人把灯塔的钥匙藏在第三块石头下面" in say(ask("灯塔的钥匙呢？", *MEMORIES))
    assert fitting_pieces(MEMORIES, "灯塔的钥匙呢？")[0] == "守塔人把灯塔的钥匙藏在第三块石头下面"
    assert fitting_pieces(("*smiles*",), "hm") == ["smiles"]
    assert fitting_pieces(("same", "same"), "") == ["same"]
    assert fitting_pieces(("", "…", "x" * 500), "") == ["x" * 119 + "…"]


def test_without_memories_it_says_so_in_character() -> None:
    templates = json.loads(asset("prompts", "demo.json").read_text(encoding="utf-8"))
    for language, said in (("en", "Hello"), ("zh-Hans", "你们好吗"), ("zh-Hant", "你們好嗎")):
        starts = [text.split("{said}")[-1] for text in templates[language]["nothing"]]
        assert any(start in say(ask(said)) for start in starts)


def test_a_line_without_words_follows_the_line_before() -> None:
    messages = [{"role": "user", "content": "你們來了嗎"}, {"role": "assistant", "content": "Yes"}]
    messages.append({"role": "user", "content": "…"})
    assert "「" in compose(ChatRequest(messages))
    assert "“" in compose(ChatRequest([]))


def test_the_templates_are_complete() -> None:
    templates = json.loads(asset("prompts", "demo.json").read_text(encoding="utf-8"))
    assert not set(templates["traditional"]) & set(templates["simplified"])
    slots = {"openings": 6, "first": 5, "second": 4, "nothing": 4, "closings": 6}
    for language in ("en", "zh-Hans", "zh-Hant"):
        for slot, count in slots.items():
            texts = templates[language][slot]
            assert len(set(texts)) == len(texts) >= count
            for text in texts:
                assert set(re.findall(r"{(\w+)}", text)) <= {"character", "user", "said", "memory"}
                assert ("{memory}" in text) == (slot in ("first", "second"))
                assert text.count("*") % 2 == 0


@given(
    st.text(max_size=40),
    st.lists(st.text(max_size=60), max_size=4),
    st.text(max_size=20),
    st.text(max_size=20),
)
def test_any_request_gets_a_reply(said: str, recalled: list[str], character: str, user: str) -> None:
    request = ask(said, *recalled, character=character, user=user)
    reply = compose(request)
    assert 10 < len(reply) < 800
    assert "\n" not in reply
    client = DemoClient(delay=0)
    pieces = [e.text for e in client.stream(request, CancelToken()) if isinstance(e, TextDelta)]
    assert "".join(pieces) == reply


def test_it_stops_at_once() -> None:
    cancel = CancelToken()
    client = DemoClient(delay=30)
    threading.Timer(0.1, cancel.cancel).start()
    begin = time.monotonic()
    assert list(client.stream(ask("Hello"), cancel)) == [Finished("stopped", None, "demo")]
    assert time.monotonic() - begin < 0.3
    client.close()
    assert list(client.stream(ask("Hello"), CancelToken())) == [Finished("stopped", None, "demo")]


def test_a_short_sentence_is_quoted_with_the_answer_behind_it() -> None:
    memory = 'Mira: "My birthday." *She says it like a disease.* "Fifteenth of March. No cake."'
    assert fitting_pieces([memory], "When is your birthday?") == ["My birthday. Fifteenth of March"]


def test_the_letters_that_tell_the_script_are_of_one_script() -> None:
    """A character of both would answer “你的生日是哪天？” in the other script."""
    both = "哪只斗里面台后系谷"
    for character in both:
        assert language_of(f"你好{character}") == "zh-Hans"
    assert language_of("你的生日是哪天？") == "zh-Hans"
