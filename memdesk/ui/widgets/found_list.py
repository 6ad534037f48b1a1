"""The list of what a search over all chats found, with the words marked.

Signals: chosen(FoundRow) when a row is clicked or Enter is pressed on it.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from memdesk.chats.finding import in_utf16
from memdesk.finder import Hit
from memdesk.ui.models.found import FoundModel, FoundRole, FoundRow, Kind
from memdesk.ui.theme import current_theme

_PAD, _HEAD, _LINES = 16, 34, 2


class _Delegate(QStyledItemDelegate):
    """Paints headings, hits of two lines, and the rows that bring more."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: FoundRow = index.data(FoundRole.ROW)
        if row.kind is not Kind.HIT:
            return QSize(120, _HEAD)
        theme = current_theme()
        small = QFontMetrics(theme.font("small")).lineSpacing()
        line = QFontMetrics(theme.font("ui")).lineSpacing()
        return QSize(120, small + _LINES * line + 18)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = current_theme()
        row: FoundRow = index.data(FoundRole.ROW)
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state = option.state
        if row.kind is not Kind.CHAT:
            selected = state & QStyle.StateFlag.State_Selected
            hovered = state & QStyle.StateFlag.State_MouseOver
            ground = theme.color("accent_soft" if selected else "sunken")
            painter.setBrush(ground if selected or hovered else Qt.BrushStyle.NoBrush)
            focused = state & QStyle.StateFlag.State_HasFocus
            painter.setPen(theme.color("accent") if focused else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(rect.adjusted(6, 1, -6, -1), theme.radius("card"), theme.radius("card"))
        inside = rect.adjusted(_PAD, 0, -_PAD, 0)
        match row.kind:
            case Kind.CHAT:
                self._line(painter, inside.adjusted(0, 6, 0, 0), row.title, row.aside, "strong", "text")
            case Kind.MORE:
                self._line(painter, inside, row.title, "", "ui", "accent")
            case Kind.HIT if row.hit is not None:
                small = QFontMetrics(theme.font("small")).lineSpacing()
                head = QRect(inside.left(), inside.top() + 6, inside.width(), small)
                self._line(painter, head, row.title, row.aside, "small", "text_soft")
                self._snippet(painter, inside.adjusted(0, 6 + small + 2, 0, -4), row.hit)
        painter.restore()

    @staticmethod
    def _line(painter: QPainter, rect: QRect, words: str, aside: str, font: str, color: str) -> None:
        theme = current_theme()
        small = QFontMetrics(theme.font("small"))
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignAbsolute
        room = rect.width() - (small.horizontalAdvance(aside) + 10 if aside else 0)
        painter.setFont(theme.font(font))  # type: ignore[arg-type]
        painter.setPen(theme.color(color))
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, max(20, room))
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignLeft, shown)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text_soft"))
        painter.drawText(rect, middle | Qt.AlignmentFlag.AlignRight, aside)

    @staticmethod
    def _snippet(painter: QPainter, rect: QRect, hit: Hit) -> None:
        theme = current_theme()
        layout = QTextLayout(hit.snippet, theme.font("ui"))
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        look = QTextCharFormat()
        look.setBackground(theme.color("wait_soft"))
        look.setForeground(theme.color("wait"))
        ranges = []
        for start, end in in_utf16(hit.snippet, list(hit.marks)):
            piece = QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start, end - start, look
            ranges.append(piece)
        layout.setFormats(ranges)
        layout.beginLayout()
        top = 0.0
        for _ in range(_LINES):
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(rect.width())
            line.setPosition(QPointF(0, top))
            top += line.height()
        layout.endLayout()
        painter.setPen(theme.color("text"))
        layout.draw(painter, QPointF(rect.left(), rect.top()))


class FoundList(QListView):
    """The list."""

    chosen = Signal(object)

    def __init__(self, model: FoundModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName(self.tr("Messages found"))
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.clicked.connect(lambda index: self.chosen.emit(index.data(FoundRole.ROW)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            self.chosen.emit(index.data(FoundRole.ROW))
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
