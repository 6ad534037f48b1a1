"""How full the model's context is, by source; for the status bar.

    bar = ContextBar(); bar.setParts({"memory": 620, "history": 3100, …}, context=8192)
Sources are those of `memdesk.ui.theme.CONTEXT_SOURCES`; tokens are estimates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from memdesk.ui.theme import CONTEXT_SOURCES, current_theme

if TYPE_CHECKING:
    from collections.abc import Mapping

_BAR, _GAP = 8, 10


class ContextBar(QWidget):
    """“Context”, a bar with a colour for each source, and the sum in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._parts: list[tuple[str, int]] = []
        self._context = 0
        self.setFont(current_theme().font("small"))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Context"))
        self.setParts({}, 0)

    def setParts(self, parts: Mapping[str, int], context: int) -> None:
        """Show token counts by source and the size of the context; 0 for an unknown size."""
        self._parts = [(source, parts[source]) for source in CONTEXT_SOURCES if parts.get(source, 0) > 0]
        self._context = max(0, context)
        self.setAccessibleDescription(self.words())
        self.updateGeometry()
        self.update()

    @property
    def used(self) -> int:
        """The estimated tokens of all sources but the room kept for the reply."""
        return sum(tokens for source, tokens in self._parts if source != "reply")

    def source_name(self, source: str) -> str:
        """Return the name of a source in the language of the window."""
        return {
            "instructions": self.tr("Instructions"),
            "character": self.tr("Character"),
            "summary": self.tr("Summaries"),
            "memory": self.tr("Memories"),
            "databank": self.tr("Data Bank"),
            "lore": self.tr("Lore"),
            "history": self.tr("Messages"),
            "reply": self.tr("Kept free for the reply"),
        }[source]

    def words(self) -> str:
        """Return the whole bar in words."""
        number = self.locale().toString
        lines = [f"{self.source_name(source)}: ~{number(tokens)}" for source, tokens in self._parts]
        if self._context:
            total = self.tr("The next prompt takes about {used} of {context} tokens (estimated).")
            lines.insert(0, total.format(used=number(self.used), context=number(self._context)))
        return "\n".join(lines)

    def _total(self) -> str:
        number = self.locale().toString
        return f"{number(self.used)} / {number(self._context)}" if self._context else "–"

    def _places(self) -> tuple[str, str, QRectF]:
        label, total = self.tr("Context"), self._total()
        metrics = self.fontMetrics()
        left = metrics.horizontalAdvance(label) + _GAP
        right = metrics.horizontalAdvance(total) + _GAP
        room = max(40, min(300, self.width() - left - right))
        return label, total, QRectF(left, (self.height() - _BAR) / 2, room, _BAR)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        words = metrics.horizontalAdvance(self.tr("Context")) + metrics.horizontalAdvance(self._total())
        return QSize(words + 2 * _GAP + 300, 24)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.sizeHint().width() - 220, 24)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            # Qt would take text with a "<" for HTML; ours has none, names come from the translations only.
            QToolTip.showText(event.globalPos(), self.words(), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        label, total, bar = self._places()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("text_soft"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(0, 0, bar.left(), self.height()), middle, label)
        painter.drawText(
            QRectF(bar.right() + _GAP, 0, self.width() - bar.right(), self.height()), middle, total
        )
        path = QPainterPath()
        path.addRoundedRect(bar, _BAR / 2, _BAR / 2)
        painter.setClipPath(path)
        painter.fillRect(bar, theme.color("sunken"))
        whole = max(self._context, sum(tokens for _, tokens in self._parts), 1)
        left = bar.left()
        for source, tokens in self._parts:
            width = bar.width() * tokens / whole
            painter.fillRect(QRectF(left, bar.top(), width, bar.height()), theme.context_color(source))
            left += width
        painter.end()
