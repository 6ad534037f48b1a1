"""A line across the page with words in the middle: where the context begins, where a day begins."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from memdesk.ui.theme import current_theme


class Separator(QWidget):
    """Words between two thin lines; `strong` lines carry meaning, the others only structure."""

    HEIGHT = 24

    def __init__(self, text: str, *, strong: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._strong = strong
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def text(self) -> str:
        """Return the words."""
        return self._text

    def setText(self, text: str) -> None:
        """Show other words."""
        self._text = text
        self.setAccessibleName(text)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, self.HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setFont(theme.font("small"))
        metrics = painter.fontMetrics()
        shown = metrics.elidedText(self._text, Qt.TextElideMode.ElideRight, max(0, self.width() - 80))
        words = metrics.horizontalAdvance(shown)
        middle = self.height() // 2
        side = (self.width() - words) // 2 - 10
        line = theme.color("line_strong" if self._strong else "line")
        painter.fillRect(0, middle, side, 1, line)
        painter.fillRect(self.width() - side, middle, side, 1, line)
        painter.setPen(theme.color("text_soft"))
        painter.drawText(QRectF(self.rect()), Qt.AlignmentFlag.AlignCenter, shown)
        painter.end()
