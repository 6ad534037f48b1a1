"""Names from right to left beside names from left to right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.ui.bidi import isolated


@pytest.mark.parametrize("name", ["", "Mira", "程远", "Ада", "12:30", "🐉"])
def test_what_runs_from_left_to_right_stays_as_it_is(name: str) -> None:
    assert isolated(name) == name


@pytest.mark.parametrize("name", ["ليلى", "שלום Mira", "١٢", "Mira \u202eevil", "a\u2069b"])
def test_everything_else_is_kept_apart(name: str) -> None:
    shown = isolated(name)
    assert shown[0] == "\u2068"
    assert shown[-1] == "\u2069"
    assert "\u202e" not in shown


@given(st.text())
def test_no_name_can_end_its_isolation(name: str) -> None:
    shown = isolated(name)
    inside = shown[1:-1] if shown.startswith("\u2068") else shown
    assert not set(inside) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
    assert isolated(isolated(name)) == isolated(name)
