"""Splitting one memory in two: put the cursor where it shall end, and see both parts before they are made."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QDialog, QWidget

from memdesk.memory.recall.shapes import halves
from memdesk.ui.dialogs.pieces import Field, TextBox, column, fit, push_button, row


class MemorySplitter(QDialog):
    """Shows a memory; the cursor says where it is split. Ctrl+Enter splits."""

    chosen = Signal(int)
    """The place, in characters from the beginning"""

    def __init__(self, text: str, speakers: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._memory = text
        self._speakers = speakers
        self.setWindowTitle(self.tr("Split memory"))
        self._text = TextBox(6, self)
        self._text.setPlainText(text)
        self._text.setReadOnly(True)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        hint = self.tr("Click where the second memory shall begin, or go there with the arrow keys.")
        self._field = Field(self.tr("Text of the memory"), self._text, hint)
        self._first, self._second = TextBox(3, self), TextBox(3, self)
        for box in (self._first, self._second):
            box.setReadOnly(True)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        self._split = push_button(self.tr("Split"), "primary", self)
        self._split.setDefault(True)
        self._split.clicked.connect(self._accept)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._split)
        layout = column(
            self._field,
            Field(self.tr("First memory"), self._first),
            Field(self.tr("Second memory"), self._second),
            parent=self,
        )
        layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        self._text.cursorPositionChanged.connect(self._show)
        self._show()
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        fit(self, 540, 460)

    def place(self) -> int:
        """Return where the cursor stands, in characters."""
        # Qt counts halves of characters beyond the first 65,536.
        units = self._text.textCursor().position() * 2
        return len(self._memory.encode("utf-16-le", "surrogatepass")[:units].decode("utf-16-le", "ignore"))

    def _show(self) -> None:
        parts = halves(self._memory, self.place(), self._speakers)
        first, second = parts or (self._memory, "")
        self._first.setPlainText(first)
        self._second.setPlainText(second)
        # Where the first one ends is what matters.
        self._first.moveCursor(QTextCursor.MoveOperation.End)
        self._split.setEnabled(parts is not None)

    def _accept(self) -> None:
        if self._split.isEnabled():
            self.chosen.emit(self.place())
            self.accept()
