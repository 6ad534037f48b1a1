"""Lists whose rows have two lines: what it is, and a soft line about it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from memdesk.ui.icons import draw_icon
from memdesk.ui.theme import current_theme
from memdesk.ui.theme.theme import FontRole

DATA = Qt.ItemDataRole.UserRole
_UNDER = Qt.ItemDataRole.UserRole + 1
_CHOSEN = Qt.ItemDataRole.UserRole + 2
ROW_HEIGHT = 48


class RowList(QListWidget):
    """A list of two-line rows; `DATA` is whatever belongs to a row."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setItemDelegate(_Rows(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)

    def add(self, title: str, under: str, data: object) -> QListWidgetItem:
        """Add a row at the end."""
        item = QListWidgetItem(self)
        item.setData(DATA, data)
        item.setSizeHint(QSize(120, ROW_HEIGHT))
        write_row(item, title, under)
        return item

    def all_items(self) -> list[QListWidgetItem]:
        """Return all rows."""
        return [self.item(place) for place in range(self.count())]


def write_row(item: QListWidgetItem, title: str, under: str, chosen: str = "") -> None:
    """Write a row; `chosen` is what its check mark means, "" for none."""
    item.setText(" ".join(title.split()))
    item.setData(_UNDER, " ".join(under.split()))
    item.setData(_CHOSEN, bool(chosen))
    words = ", ".join(part for part in (title, under, chosen) if part)
    item.setData(Qt.ItemDataRole.AccessibleTextRole, words)


class _Rows(QStyledItemDelegate):
    """Two lines, and a check mark at the one that is in use."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = current_theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect.adjusted(0, 1, 0, -1)
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft"))
            painter.drawRoundedRect(rect, theme.radius("card"), theme.radius("card"))
        room = rect.adjusted(10, 5, -10, -5)
        if index.data(_CHOSEN):
            mark = QRect(room.right() - 15, room.top() + 1, 16, 16)
            draw_icon(painter, "check", mark.toRectF(), theme.hex("ok"))
            name_room = room.adjusted(0, 0, -22, 0)
        else:
            name_room = room
        half = room.height() // 2
        name = QRect(room.left(), room.top(), name_room.width(), half)
        under = QRect(room.left(), room.top() + half, room.width(), half)
        _line(painter, name, index.data(Qt.ItemDataRole.DisplayRole), "strong", "text")
        _line(painter, under, index.data(_UNDER), "small", "text_soft")
        painter.restore()


def _line(painter: QPainter, rect: QRect, text: str, font: FontRole, color: str) -> None:
    theme = current_theme()
    painter.setFont(theme.font(font))
    painter.setPen(theme.color(color))
    words = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, words)
