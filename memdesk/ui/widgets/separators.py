"""A line across the page with words in the middle: where the context begins, where a day begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.message_head import local_time

if TYPE_CHECKING:
    from memdesk.chats.model import Message


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

    def paintEvent(self, _event: QPaintEvent) -> None:
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


class SeparatorLines:
    """The lines on the page of a chat; widgets are used again from layout to layout."""

    def __init__(self, page: QWidget) -> None:
        self._page = page
        self._lines: list[Separator] = []
        self._used = 0
        self._day: QDate | None = None
        self.context_start: int | None = None
        self.days = False

    def begin(self) -> None:
        """Begin a layout from the top."""
        self._used = 0
        self._day = None

    def place_before(self, message: Message, left: int, top: int, width: int) -> bool:
        """Put a line above a message where one belongs; tell whether there is one."""
        words = self._words(message)
        if words is None:
            return False
        if self._used == len(self._lines):
            self._lines.append(Separator("", strong=True, parent=self._page))
        line = self._lines[self._used]
        self._used += 1
        if line.text() != words:
            line.setText(words)
        line.setGeometry(left, top, width, Separator.HEIGHT)
        line.show()
        return True

    def finish(self) -> list[Separator]:
        """End a layout; return the lines in use."""
        for line in self._lines[self._used :]:
            line.hide()
        return self._lines[: self._used]

    def _words(self, message: Message) -> str | None:
        before = message.number - 1
        day = local_time(message.created_at).date() if self.days else None
        new_day, self._day = day != self._day, day
        if message.number == self.context_start and before > 0:
            if before == 1:
                return QCoreApplication.translate(
                    "SeparatorLines", "context begins here · 1 older message is not sent word by word"
                )
            words = QCoreApplication.translate(
                "SeparatorLines", "context begins here · {count} older messages are not sent word by word"
            )
            return words.format(count=QLocale().toString(before))
        return QLocale().toString(day, QLocale.FormatType.LongFormat) if day is not None and new_day else None
