from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.conversation.own_name import OwnName


def said(names: tuple[str, ...], *pieces: str) -> str:
    own = OwnName(*names)
    return "".join([*(own.take(piece) for piece in pieces), own.end()])


@pytest.mark.parametrize(
    ("reply", "kept"),
    [
        ("Mara: Hello.", "Hello."),
        ("  MARA:Hello.", "Hello."),
        ("Mara： “Hello.”", "“Hello.”"),
        ("Mara smiles. Mara: x", "Mara smiles. Mara: x"),
        ("Mar", "Mar"),
        ("Mara", "Mara"),
        ("Mara:", ""),
        ("Alex: Mara: no", "Alex: Mara: no"),
        ("Mara:\n\nA letter", "\n\nA letter"),
        ("", ""),
    ],
)
def test_the_own_name_goes_only_from_the_beginning(reply: str, kept: str) -> None:
    assert said(("Mara",), reply) == kept
    assert said(("Mara",), *reply) == kept


def test_a_blank_name_takes_nothing_away() -> None:
    assert said(("", "  "), ": x") == ": x"


def test_a_name_with_a_colon_in_it() -> None:
    assert said(("Unit: 7",), "Unit: 7: Ready.") == "Ready."


@given(st.text(max_size=8), st.lists(st.text(max_size=6), max_size=6))
def test_pieces_do_not_matter(name: str, pieces: list[str]) -> None:
    whole = "".join(pieces)
    assert said((name,), *pieces) == said((name,), whole)
    assert whole.endswith(said((name,), whole))
