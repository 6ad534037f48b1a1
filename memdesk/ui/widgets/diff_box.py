"""Two texts written into one: what went is struck out, what came is underlined."""

from __future__ import annotations

import difflib
import re

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QWidget

from memdesk.ui.dialogs.pieces import TextBox
from memdesk.ui.theme import current_theme

COMPARED = 4_000
"""Words (or characters of scripts without spaces) beyond which changes are not marked: it takes too long."""

_WORD = re.compile(r"[A-Za-z0-9\u00c0-\u024f\u0370-\u052f']+|\s+|.", re.DOTALL)


class DiffBox(TextBox):
    """Shows the changes from one text to another."""

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(lines, parent)
        self.setReadOnly(True)
        self._texts = ("", "")
        # Marks hold the colours they were written in.
        current_theme().changed.connect(self._mark_again)

    def _mark_again(self) -> None:
        self.compare(*self._texts)

    def compare(self, before: str, after: str) -> bool:
        """Show what changed from `before` to `after`; False when they are too long to be compared.

        Then it is `after` as it is.
        """
        self._texts = (before, after)
        theme = current_theme()
        gone, come = QTextCharFormat(), QTextCharFormat()
        gone.setForeground(theme.color("bad"))
        gone.setFontStrikeOut(True)
        come.setForeground(theme.color("ok"))
        come.setFontUnderline(True)
        old, new = _WORD.findall(before), _WORD.findall(after)
        if len(old) + len(new) > COMPARED:
            self.setPlainText(after)
            return False
        self.clear()
        cursor = QTextCursor(self.document())
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for kind, from_old, to_old, from_new, to_new in matcher.get_opcodes():
            if kind == "equal":
                cursor.insertText("".join(old[from_old:to_old]), QTextCharFormat())
                continue
            if to_old > from_old:
                cursor.insertText("".join(old[from_old:to_old]), gone)
            if to_new > from_new:
                cursor.insertText("".join(new[from_new:to_new]), come)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        return True
