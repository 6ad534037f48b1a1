"""A watch over a reply while it is written: it belongs to one speaker and ends where another begins."""

from __future__ import annotations

import re
from collections.abc import Sequence

_LEAD = " \t\u3000*_[>#"
_MARKS = "*_] \t"
_COLONS = ":："
_MOST_LEAD = 12
"""White space and marks before a name; a line with more of them begins with no name."""


class NameGuard:
    """Takes a reply in pieces and gives on what belongs to its speaker.

    At a line that begins with one of the `others`' names and a colon the reply ends, and `cut` is that name.
    """

    def __init__(self, others: Sequence[str]) -> None:
        self._others = {plain: name for name in others if (plain := " ".join(name.split()).casefold())}
        self._line: str | None = ""
        """The beginning of a line that may still turn out to be a name; None within a line."""
        self.cut = ""

    def feed(self, text: str) -> str:
        """Take what has come, and return what can be shown of it by now."""
        if not self._others:
            return text
        shown = []
        for piece in re.split("(?<=\n)", text):
            if self.cut:
                break
            shown.append(self._piece(piece))
        return "".join(shown)

    def end(self) -> str:
        """Return what was held back, at the end of the reply; what comes after begins a line."""
        held, self._line = self._line or "", ""
        return "" if self.cut else held

    def _piece(self, piece: str) -> str:
        """Take a piece that holds a line break at its end or not at all."""
        ends = piece.endswith("\n")
        if self._line is None:
            self._line = "" if ends else None
            return piece
        line = self._line + piece
        if self._may_be_name(line) and not ends:
            self._line = line
            return ""
        self._line = "" if ends else None
        return "" if self.cut else line

    def _may_be_name(self, line: str) -> bool:
        """Return whether a line may still become a name and a colon; sets `cut` when it is one."""
        body = line.lstrip(_LEAD)
        if len(line) - len(body) > _MOST_LEAD:
            return False
        if not body.strip():
            return True
        folded, waiting = body.casefold(), False
        for name, written in self._others.items():
            if name.startswith(folded):
                waiting = True
            elif folded.startswith(name):
                after = folded[len(name) :].lstrip(_MARKS)
                if after and after[0] in _COLONS:
                    self.cut = written
                    return False
                waiting = waiting or not after
        return waiting
