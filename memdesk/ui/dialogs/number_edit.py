"""A whole number to type, or to step through with Up and Down."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget


class NumberEdit(QLineEdit):
    """A line that takes numbers from 0 to `most`; the wheel leaves it alone, and blank stands for 0."""

    changed = Signal(int)

    def __init__(self, most: int, parent: QWidget | None = None, *, step: int = 1) -> None:
        super().__init__(parent)
        self._most, self._step = most, step
        self.setValidator(QIntValidator(0, most, self))
        self.setMaxLength(len(str(most)))
        self.textChanged.connect(lambda _: self.changed.emit(self.value()))

    def value(self) -> int:
        """Return the number."""
        text = self.text().strip()
        return min(self._most, int(text)) if text.isascii() and text.isdigit() else 0

    def set_value(self, value: int) -> None:
        """Show a number; one that is out of range becomes the nearest in it."""
        self.setText(str(min(self._most, max(0, value))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: self._step, Qt.Key.Key_Down: -self._step}
        if event.key() in steps:
            self.set_value(self.value() + steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)
