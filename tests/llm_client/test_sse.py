from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memdesk.llm.sse import EventParser, SurrogateJoiner


def _cut(whole: Any, cuts: list[int]) -> list[Any]:
    points = sorted({0, len(whole), *(min(cut, len(whole)) for cut in cuts)})
    return [whole[a:b] for a, b in pairwise(points)]


def _events(pieces: list[bytes]) -> list[str]:
    parser = EventParser()
    return [event for piece in pieces for event in parser.feed(piece)] + parser.finish()


CUTS = st.lists(st.integers(0, 80), max_size=20)


@given(
    lines=st.lists(
        st.sampled_from(
            ["data: 1", "data:{}", "data: 猫🦊", "", "", ":x", "event: y", "data", "data: [DONE]", "x: y"]
        )
    ),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    cuts=CUTS,
)
def test_events_do_not_depend_on_the_cut(lines: list[str], ending: str, cuts: list[int]) -> None:
    body = ending.join(lines).encode()
    assert _events(_cut(body, cuts)) == _events([body])
    assert _events([body]) == _events([ending.join(lines).replace(ending, "\n").encode()])


@given(body=st.binary(max_size=80), cuts=CUTS)
def test_any_bytes_are_read_without_failing(body: bytes, cuts: list[int]) -> None:
    assert _events(_cut(body, cuts)) == _events([body])


def test_events_as_the_standard_has_them() -> None:
    assert _events([b"data: a\ndata: b\n\ndata:  c\n\n\n:data: no\n\ndata\n\nid: 1\n\ndata: d"]) == [
        "a\nb",
        " c",
        "",
        "d",
    ]


def test_a_line_end_may_be_cut_in_two() -> None:
    assert _events([b"data: a\r", b"\ndata: b\r", b"\n\r\n"]) == ["a\nb"]


def test_complete_events_without_an_empty_line_between() -> None:
    assert _events([b'data: {"a":1}\ndata: {"a":\ndata: 2}\n\n']) == ['{"a":1}', '{"a":\n2}']


@given(text=st.text(max_size=40), cuts=CUTS)
def test_split_surrogates_come_together(text: str, cuts: list[int]) -> None:
    units = text.encode("utf-16-le", "surrogatepass")
    halves = "".join(chr(units[i] | units[i + 1] << 8) for i in range(0, len(units), 2))
    joiner = SurrogateJoiner()
    assert "".join([joiner.feed(piece) for piece in _cut(halves, cuts)]) + joiner.finish() == text


@given(text=st.text(st.sampled_from("\ud83e\udd8aa猫"), max_size=20), cuts=CUTS)
def test_lone_surrogates_become_readable(text: str, cuts: list[int]) -> None:
    joiner = SurrogateJoiner()
    result = "".join([joiner.feed(piece) for piece in _cut(text, cuts)]) + joiner.finish()
    result.encode()
    whole = SurrogateJoiner()
    assert result == whole.feed(text) + whole.finish()
