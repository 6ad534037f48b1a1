"""Thoughts are told from the reply, whatever the tags and however the text is cut."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.llm.thoughts import Said, SaidWasThought, Thought, ThoughtSplitter, split_thoughts


def split(pieces: list[str]) -> tuple[str, str]:
    splitter = ThoughtSplitter()
    said = thoughts = ""
    found = [part for text in pieces for part in splitter.feed(text)] + splitter.finish()
    for piece in found:
        if isinstance(piece, SaidWasThought):
            said, thoughts = "", thoughts + said
        else:
            assert piece.text
            said += piece.text if isinstance(piece, Said) else ""
            thoughts += piece.text if isinstance(piece, Thought) else ""
    return said, thoughts


@pytest.mark.parametrize(
    ("text", "said", "thoughts"),
    [
        ("<think>a</think>b", "b", "a"),
        ("  <thinking>a</think></thinking>\n\n b", "b", "a</think>"),
        ("<Reasoning>a</REASONING>\nb", "b", "a"),
        ("Hello. <think>hm</think> There.", "Hello. There.", "hm"),
        ("Hello.\n\n<think>hm</think>\n\nThere.", "Hello.\n\nThere.", "hm"),
        ("Hello<think>hm</think>\n\nThere.", "Hello\n\nThere.", "hm"),
        ("<think>a</think>b<think>c</think>d", "bd", "a\n\nc"),
        ("<think>never ends </thi", "", "never ends </thi"),
        ("said <think>never ends", "said ", "never ends"),
        ("<think></think>b", "b", ""),
        ("<think>\n\n</think>\n\nb", "b", "\n\n"),
        ("first I think\n</think>\n\nb", "b", "first I think\n"),
        ("</think>b", "b", ""),
        ("<think>a</think>b </think> c", "b </think> c", "a"),
        ("write `<think>` before", "write `<think>` before", ""),
        (" \n<thi", " \n<thi", ""),
        (" \n hello", " \n hello", ""),
        ("a < b <b>bold</b> <thinker>", "a < b <b>bold</b> <thinker>", ""),
        ("   ", "   ", ""),
        ("", "", ""),
    ],
)
def test_thoughts_are_told_from_the_reply(text: str, said: str, thoughts: str) -> None:
    assert split([text]) == (said, thoughts)
    assert split(list(text)) == (said, thoughts)
    assert split_thoughts(text) == (said, thoughts)


TAGS = ("<think>", "</think>", "<thinking>", "</Thinking>", "<reasoning>", "</reasoning>")
PARTS = st.lists(
    st.sampled_from((*TAGS, "<", "</", "<th", "ink>", "`", "q", "猫", "İ", " ", "\n")), max_size=14
)


@given(parts=PARTS, cuts=st.lists(st.integers(0, 80), max_size=20))
def test_the_result_does_not_depend_on_the_cut(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    points = sorted({0, len(text), *(min(cut, len(text)) for cut in cuts)})
    pieces = [text[a:b] for a, b in pairwise(points)]
    assert split(pieces) == split([text])
    assert split(list(text)) == split([text])


@given(parts=PARTS)
def test_no_word_is_lost(parts: list[str]) -> None:
    said, thoughts = split(["".join(parts)])
    wanted = sum(part in {"q", "猫"} for part in parts)
    assert sum(text.count(sign) for text in (said, thoughts) for sign in "q猫") == wanted


def test_a_long_reply_is_read_in_time() -> None:
    started = time.perf_counter()
    splitter = ThoughtSplitter()
    for _ in range(50_000):
        splitter.feed("word <")
    splitter.feed("<think>")
    for _ in range(50_000):
        splitter.feed("more </")
    assert splitter.finish()
    assert time.perf_counter() - started < 5
