from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.prompt.macros import expand, expander

FILL = expander("Alex", "Mara", persona="Tall.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{user}} and {{char}}", "Alex and Mara"),
        ("{{ User }} {{CHAR}} {{persona}}", "Alex Mara Tall."),
        ("<USER> <bot> <char> <BOT>", "Alex Mara Mara Mara"),
        ("{{unknown}} {{roll:d6}} {user} <i>", "{{unknown}} {{roll:d6}} {user} <i>"),
        ("{{{user}}}", "{Alex}"),
        ("{{us\ner}}", "{{us\ner}}"),
        ("", ""),
    ],
)
def test_known_macros_are_replaced_and_others_stay(text: str, expected: str) -> None:
    assert FILL(text) == expected


def test_a_value_that_holds_a_macro_is_not_expanded_again() -> None:
    assert expander("{{char}}", "<user>")("{{user}} {{char}}") == "{{char}} <user>"


@given(st.text())
def test_text_without_macros_is_kept(text: str) -> None:
    if "{{" not in text and "<" not in text:
        assert FILL(text) == text


@given(st.text(), st.text(), st.text())
def test_any_name_is_put_in_as_it_is(before: str, name: str, after: str) -> None:
    text = f"{before}{{{{user}}}}{after}"
    if text.count("{{") == 1 and "<" not in text:
        assert expand(text, {"user": name}) == f"{before}{name}{after}"
