from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.chats.text import clean, one_line, with_whole_marks, without_marks

ANY = st.text(st.characters())


@given(ANY)
def test_what_was_cleaned_can_be_stored_everywhere(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode("utf-8")
    assert "\x00" not in cleaned
    assert "\r" not in cleaned
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\x00")))
def test_whole_text_is_not_touched(text: str) -> None:
    assert clean(text) == text


def test_what_is_mended() -> None:
    assert clean("a\r\nb\rc\nd") == "a\nb\nc\nd"
    assert clean("\ud83dx\x00y\udc00") == "\ufffdxy\ufffd"


@given(ANY, st.integers(1, 200))
def test_one_line_is_one_short_line(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_one_line_shows_that_it_was_cut() -> None:
    assert one_line("  a \n\t b  ") == "a b"
    assert one_line("word " * 100, 12) == "word word w…"


def test_one_line_of_a_megabyte_is_quick() -> None:
    started = time.perf_counter()
    one_line("x\n" * 500_000)
    assert time.perf_counter() - started < 0.05


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("*A small smile…", "A small smile…"),
        ("He *nods*, **twice**.", "He nods, twice."),
        ("她*微笑*着", "她微笑着"),
        ("the end of it.* She left", "the end of it. She left"),
        ("2 * 3 is 2*3", "2 * 3 is 2*3"),
        ("* an item", "* an item"),
    ],
)
def test_marks_of_emphasis_are_taken_out_of_labels(text: str, plain: str) -> None:
    assert without_marks(text) == plain


@pytest.mark.parametrize(
    ("piece", "whole"),
    [
        ("*She smiles and", "*She smiles and*"),
        ("turns away.* Bye.", "*turns away.* Bye."),
        ("turns.* Bye. **Now", "*turns.* Bye. **Now**"),
        ("*She* nods. 2 * 3.", "*She* nods. 2 * 3."),
        ("her smile.*\n\nThen *she", "*her smile.*\n\nThen *she*"),
        ("", ""),
    ],
)
def test_a_piece_gets_the_marks_that_were_cut_off(piece: str, whole: str) -> None:
    assert with_whole_marks(piece) == whole
