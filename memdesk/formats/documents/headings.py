"""The headings that the present place of a document stands under."""

from __future__ import annotations

from dataclasses import replace

from memdesk.store.document import Block, Place

LONGEST = 200
"""Characters of a heading in a path."""


class Headings:
    """Keeps the path of headings while a document is read."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    @property
    def path(self) -> tuple[str, ...]:
        """The headings, outermost first."""
        return tuple(title for _, title in self._open)

    @property
    def place(self) -> Place:
        """The place below the headings."""
        return Place(headings=self.path)

    def open(self, text: str, level: int, place: Place | None = None) -> Block:
        """Take in a heading of a level from 1; returns its block, which stands below itself."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, text[:LONGEST]))
        return Block(text, "heading", replace(place or Place(), headings=self.path), level)
