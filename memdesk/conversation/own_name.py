"""Models that see names before messages begin their own with one: it goes, as the window shows it already."""

from __future__ import annotations

import regex  # type: ignore[import-untyped, unused-ignore]


class OwnName:
    """Takes the speaker's own name off the beginning of a reply, while the reply comes in pieces.

    Only “Name:” at the very beginning goes, with the blanks around it; the name is compared without case.
    A reply that is only the beginning of the name is kept.
    """

    def __init__(self, *names: str) -> None:
        wanted = "|".join(regex.escape(name.strip()) for name in names if name.strip())
        self._pattern = regex.compile(rf"\s*(?:{wanted})[ \t]*[:：][ \t]*", regex.IGNORECASE)
        self._held = ""
        self._decided = not wanted
        self._eat_blanks = False

    def take(self, piece: str) -> str:
        """Take the next piece in; returns what is certainly part of the reply, often all of it."""
        if self._decided:
            return self._after_name(piece)
        self._held += piece
        found = self._pattern.match(self._held, partial=True)
        if found is None:
            return self.end()
        if found.partial:
            return ""
        rest, self._held, self._decided = self._held[found.end() :], "", True
        self._eat_blanks = not rest
        return rest

    def end(self) -> str:
        """Return what was held back when no more comes."""
        held, self._held, self._decided = self._held, "", True
        return held

    def _after_name(self, piece: str) -> str:
        if self._eat_blanks:
            piece = piece.lstrip(" \t")
            self._eat_blanks = not piece
        return piece
