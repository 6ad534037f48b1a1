"""Variables of macros: what is known when a prompt is made, and what it would change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

Scope = Literal["chat", "global"]
Changes = dict[str, dict[str, str]]
"""New values by scope and name."""

MAX_CHARS: Final = 10_000
"""Longest value that is kept; the rest is cut off, or a value could double itself every turn."""

MAX_COUNT: Final = 1_000
"""Variables per scope; further names are not taken."""

MAX_NAME: Final = 200

_NUMBER: Final = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,10})?")


class Variables:
    """Values as they were, and changes on top of them that nobody has kept yet."""

    def __init__(
        self, chat: Mapping[str, str] | None = None, everywhere: Mapping[str, str] | None = None
    ) -> None:
        self._known: dict[Scope, Mapping[str, str]] = {"chat": chat or {}, "global": everywhere or {}}
        self._changes: dict[Scope, dict[str, str]] = {"chat": {}, "global": {}}

    @property
    def changes(self) -> Changes:
        """What was set so far, without scopes in which nothing was."""
        return {scope: dict(values) for scope, values in self._changes.items() if values}

    def get(self, scope: Scope, name: str) -> str:
        """Return a value, "" where there is none."""
        name = name.strip()
        return self._changes[scope].get(name, self._known[scope].get(name, ""))

    def set(self, scope: Scope, name: str, value: str) -> None:
        """Change a value; what is too long is cut, and beyond `MAX_COUNT` nothing new is taken."""
        name = name.strip()
        known, changed = self._known[scope], self._changes[scope]
        new = name not in known and name not in changed
        full = len(known) + sum(other not in known for other in changed) >= MAX_COUNT
        if not name or len(name) > MAX_NAME or (new and full):
            return
        changed[name] = value[:MAX_CHARS]

    def add(self, scope: Scope, name: str, value: str) -> str:
        """Add to a value: numbers are added up, anything else is put behind; returns the new value."""
        present = self.get(scope, name)
        first, second = _number(present or "0"), _number(value)
        self.set(
            scope,
            name,
            _plain(first + second) if first is not None and second is not None else present + value,
        )
        return self.get(scope, name)


def _number(text: str) -> float | None:
    text = text.strip()
    return float(text) if _NUMBER.fullmatch(text) and text.isascii() else None


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() else f"{number:.10f}".rstrip("0")
