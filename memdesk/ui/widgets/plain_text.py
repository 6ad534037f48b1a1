"""A plain text edit that takes any text: words without end, and spaces that must not break."""

from __future__ import annotations

import re

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit

_ENDLESS_WORD = re.compile(r"\S{10000}")
"""Qt breaks a line at words in quadratic time: a word of a megabyte would freeze the window for minutes."""

_LINE_ENDS = {0x2029: "\n", 0x2028: "\n"}


class PlainTextEdit(QPlainTextEdit):
    """A `QPlainTextEdit` for text from anywhere. Read it with `text`, not with `toPlainText`."""

    def setPlainText(self, text: str) -> None:
        """Write a text anew, however long its words are."""
        self._choose_wrapping(text)
        super().setPlainText(text)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self._choose_wrapping(source.text())
        super().insertFromMimeData(source)

    def _choose_wrapping(self, text: str) -> None:
        if _ENDLESS_WORD.search(text):
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)

    def text(self) -> str:
        """Return what is written, with its no-break spaces, which `toPlainText` would lose."""
        return self.document().toRawText().translate(_LINE_ENDS)
