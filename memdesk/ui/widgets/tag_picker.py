"""Tags to choose from, ten thousand if need be: a field to search and a list to tick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from memdesk.ui.icons import draw_icon
from memdesk.ui.models.gallery import folded
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.people_list import paint_ground

SIZE: Final = QSize(248, 320)
ROW: Final = 30
COUNT: Final = Qt.ItemDataRole.UserRole + 1


class _Tags(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._all: list[tuple[str, int, str]] = []
        self._rows: list[tuple[str, int, str]] = []
        self._needle = ""
        self.chosen: dict[str, str] = {}
        """As compared → as written"""

    def set_tags(self, counts: Sequence[tuple[str, int]], chosen: Sequence[str]) -> None:
        self.chosen = {folded(tag): tag for tag in chosen}
        here = [(tag, count, folded(tag)) for tag, count in counts]
        known = {key for _tag, _count, key in here}
        # A tag that nobody has any more can still be taken off.
        gone = [(tag, 0, key) for key, tag in self.chosen.items() if key not in known]
        self._all = sorted([*gone, *here], key=lambda row: row[2] not in self.chosen)
        self.search(self._needle)

    def search(self, needle: str) -> None:
        self._needle = needle
        wanted = folded(needle)
        self.beginResetModel()
        self._rows = [row for row in self._all if wanted in row[2]]
        self.endResetModel()

    def toggle(self, row: int) -> None:
        tag, _count, key = self._rows[row]
        if self.chosen.pop(key, None) is None:
            self.chosen[key] = tag
        self.dataChanged.emit(self.index(row), self.index(row))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | Qt.CheckState | None:
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        tag, count, key = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return tag
        if role == Qt.ItemDataRole.CheckStateRole:
            return Qt.CheckState.Checked if key in self.chosen else Qt.CheckState.Unchecked
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{tag}, {count}"
        return count if role == COUNT else None


class _Delegate(QStyledItemDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(100, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = current_theme()
        chosen = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        option.state &= ~QStyle.StateFlag.State_Selected
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option, rect.adjusted(1, 1, -1, -1))
        if chosen:
            place = QRectF(rect.left() + 8, rect.center().y() - 7.5, 16, 16)
            draw_icon(painter, "check", place, theme.hex("accent"))
        painter.setFont(theme.font("ui"))
        count = str(index.data(COUNT))
        metrics = QFontMetrics(theme.font("ui"))
        words = rect.adjusted(32, 0, -14 - metrics.horizontalAdvance(count), 0)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.setPen(theme.color("text"))
        shown = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, middle | Qt.AlignmentFlag.AlignLeft, shown)
        painter.setPen(theme.color("text_soft"))
        painter.drawText(rect.adjusted(0, 0, -8, 0), middle | Qt.AlignmentFlag.AlignRight, count)
        painter.restore()


class _List(QListView):
    """A list in which Enter and Space choose, as a click does."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        if event.key() in keys and self.currentIndex().isValid():
            self.clicked.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _Search(QLineEdit):
    """Hands the keys that move and choose to the list below."""

    def __init__(self, view: QListView, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp)
        enters = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() in moves:
            self._view.keyPressEvent(event)
        elif event.key() in enters:
            current = self._view.currentIndex()
            self._view.clicked.emit(current if current.isValid() else self._view.model().index(0, 0))
        else:
            super().keyPressEvent(event)


class TagPicker(QFrame):
    """A popup over the gallery; every tick counts at once."""

    chosen = Signal(list)
    """The tags that are ticked, as written"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("panel", "card")
        self.setAccessibleName(self.tr("Tags"))
        self._model = _Tags(self)
        self._list = _List(self)
        self._list.setModel(self._model)
        self._list.setItemDelegate(_Delegate(self._list))
        self._list.setUniformItemSizes(True)
        self._list.setAccessibleName(self.tr("Tags to choose from"))
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setMouseTracking(True)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(self._toggle)
        self._search = _Search(self._list, self)
        self._search.setPlaceholderText(self.tr("Find a tag"))
        self._search.setAccessibleName(self.tr("Find a tag"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._find)
        self._nothing = QLabel(self.tr("No such tag."), self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setProperty("tone", "soft")
        self._nothing.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.setSpacing(6)
        layout.addWidget(self._search)
        layout.addWidget(self._nothing)
        layout.addWidget(self._list, 1)
        self.resize(SIZE)

    def open(self, counts: Sequence[tuple[str, int]], chosen: Sequence[str], place: QPoint) -> None:
        """Show the tags at a place of the screen, the ticked ones first."""
        self._search.clear()
        self._model.set_tags(counts, chosen)
        self._find("")
        room = self.screen().availableGeometry()
        x = min(max(place.x(), room.left()), room.right() - self.width())
        y = min(max(place.y(), room.top()), room.bottom() - self.height())
        self.move(x, y)
        self.show()
        self._search.setFocus(Qt.FocusReason.PopupFocusReason)

    def _find(self, needle: str) -> None:
        self._model.search(needle)
        self._nothing.setVisible(self._model.rowCount() == 0)

    def _toggle(self, index: QModelIndex) -> None:
        if index.isValid():
            self._model.toggle(index.row())
            self.chosen.emit(list(self._model.chosen.values()))
