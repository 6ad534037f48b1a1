"""Macros: {{user}}, {{char}} and their kin, replaced when a prompt or a greeting is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_MACRO = re.compile(r"\{\{\s*([a-z_]+)\s*\}\}|<(user|bot|char)>", re.IGNORECASE)
_OLD_NAMES = {"bot": "char"}


def expand(text: str, values: Mapping[str, str]) -> str:
    """Replace the macros that `values` names (lower case); unknown ones stay as they are.

    One pass only: a value that holds a macro itself is not expanded again.
    """

    def replace(match: re.Match[str]) -> str:
        name = (match.group(1) or match.group(2)).lower()
        return values.get(_OLD_NAMES.get(name, name), match.group(0))

    return _MACRO.sub(replace, text)


def expander(user: str, char: str, **more: str) -> Callable[[str], str]:
    """Return a function that expands {{user}}, {{char}} and the given others."""
    values = {"user": user, "char": char, **more}
    return lambda text: expand(text, values)
