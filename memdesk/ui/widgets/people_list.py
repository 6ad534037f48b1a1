"""A list of chats or characters: avatar, title, a soft line, headings between groups."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from memdesk.ui.icons import icon
from memdesk.ui.keymap import current_keymap
from memdesk.ui.models.people import PeopleModel, Role
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar

ROW, HEADING, AVATAR = 46, 26, 30
INDENT, DEEPEST, FOLD = 14, 5, 12
"""Pixels that a branch stands in, the depth that is shown, and the size of the mark that folds."""

_MOVES = {
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
}


def paint_ground(painter: QPainter, option: QStyleOptionViewItem, rect: QRect) -> None:
    """Paint what tells a row that is chosen, under the mouse, or reached by the keyboard."""
    theme = current_theme()
    state = option.state
    if state & QStyle.StateFlag.State_Selected:
        painter.setBrush(theme.color("accent_soft"))
    elif state & QStyle.StateFlag.State_MouseOver:
        painter.setBrush(theme.color("sunken"))
    else:
        painter.setBrush(Qt.BrushStyle.NoBrush)
    focused = state & QStyle.StateFlag.State_HasFocus
    painter.setPen(theme.color("accent") if focused else Qt.PenStyle.NoPen)
    painter.drawRoundedRect(rect, theme.radius("card"), theme.radius("card"))


class RowDelegate(QStyledItemDelegate):
    """Paints one row; the heading of a group is part of its first row."""

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, ROW + (HEADING if index.data(Role.GROUP) else 0))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = current_theme()
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if heading := index.data(Role.GROUP):
            painter.setFont(theme.font("small"))
            painter.setPen(theme.color("text_soft"))
            place = QRect(rect.left() + 18, rect.top(), rect.width() - 36, HEADING)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, heading)
            rect.setTop(rect.top() + HEADING)
        paint_ground(painter, option, rect.adjusted(8, 1, -8, -1))
        left = rect.left() + 18 + INDENT * min(index.data(Role.DEPTH), DEEPEST)
        if state := index.data(Role.FOLD):
            mark = icon("chevron-down" if state == "open" else "right")
            mark.paint(painter, left - FOLD - 1, rect.top() + (ROW - FOLD) // 2, FOLD, FOLD)
        face = QRectF(left, rect.top() + (ROW - AVATAR) / 2, AVATAR, AVATAR)
        paint_avatar(painter, face, index.data(Role.FACE), index.data(Role.IMAGE), 7, theme.font("strong"))
        self._words(
            painter, QRect(left + AVATAR + 9, rect.top(), rect.right() - left - AVATAR - 27, ROW), index
        )
        painter.restore()

    @staticmethod
    def _words(painter: QPainter, rect: QRect, index: QModelIndex | QPersistentModelIndex) -> None:
        theme = current_theme()
        small = QFontMetrics(theme.font("small"))
        strong = QFontMetrics(theme.font("strong"))
        when, line = index.data(Role.WHEN) or "", index.data(Role.LINE) or ""
        width = rect.width() - (small.horizontalAdvance(when) + 8 if when else 0)
        half = rect.height() // 2
        upper = QRect(rect.left(), rect.top() + 5, rect.width(), half - 4) if line else rect
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        # Absolute: a title from right to left stands beside its picture, too.
        middle |= Qt.AlignmentFlag.AlignAbsolute
        painter.setFont(theme.font("strong"))
        painter.setPen(theme.color("text"))
        title = strong.elidedText(index.data(), Qt.TextElideMode.ElideRight, width)
        painter.drawText(upper, middle | Qt.AlignmentFlag.AlignLeft, title)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text_soft"))
        painter.drawText(upper, middle | Qt.AlignmentFlag.AlignRight, when)
        if line:
            lower = QRect(rect.left(), rect.top() + half, rect.width(), half - 4)
            shown = small.elidedText(line, Qt.TextElideMode.ElideRight, rect.width())
            painter.drawText(lower, middle | Qt.AlignmentFlag.AlignLeft, shown)


class PeopleList(QListView):
    """The list; `chosen` tells an id when a row is clicked or Enter is pressed on it.

    With `calm`, a click only marks a row, and a double click or Enter chooses it. Del deletes only a row that
    the person went to with mouse or keys since the list has the keyboard: it may have come here by itself.
    """

    chosen = Signal(int)
    marked = Signal(int)
    """id of the row that is marked, 0 for none; only of a calm list"""
    deleteRequested = Signal(int)
    menuRequested = Signal(int, object)
    """id, global position"""

    def __init__(
        self, model: PeopleModel, name: str, parent: QWidget | None = None, *, calm: bool = False
    ) -> None:
        super().__init__(parent)
        self._calm = calm
        self._armed = False
        self._pressed_fold = False
        self._selected: int | None = None
        self.setModel(model)
        self.setItemDelegate(RowDelegate(self))
        self.setAccessibleName(name)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        choose = self.doubleClicked if calm else self.clicked
        choose.connect(lambda index: self.chosen.emit(index.data(Role.ID)))
        self.customContextMenuRequested.connect(self._ask_menu)
        model.modelReset.connect(self._select_again)

    def select(self, item_id: int | None) -> None:
        """Mark a row; it stays marked while rows come and go."""
        model = self.model()
        if item_id is not None and item_id != self._selected and isinstance(model, PeopleModel):
            model.unfold_to(item_id)
        self._selected = item_id
        self._select_again()

    def current_id(self) -> int | None:
        """Return the id of the row the keyboard is on."""
        index = self.currentIndex()
        return int(index.data(Role.ID)) if index.isValid() else None

    def _select_again(self) -> None:
        model = self.model()
        assert isinstance(model, PeopleModel)  # noqa: S101 — set in the constructor
        row = model.row_of(self._selected) if self._selected is not None else -1
        if row >= 0:
            self.setCurrentIndex(model.index(row))
        else:
            self.clearSelection()
        if self._calm:
            self.marked.emit(self._selected if row >= 0 and self._selected is not None else 0)

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Follow the keyboard in a calm list."""
        super().currentChanged(current, previous)
        if self._calm and current.isValid():
            self._selected = current.data(Role.ID)
            self.marked.emit(self._selected)

    def _folds(self, place: QPoint) -> bool:
        """Fold or show what stands below a row when its mark is clicked; return whether it was."""
        index = self.indexAt(place)
        state = index.data(Role.FOLD) if index.isValid() else ""
        left = 18 + INDENT * min(index.data(Role.DEPTH) or 0, DEEPEST)
        if not state or not left - FOLD - 8 <= place.x() - self.visualRect(index).left() < left:
            return False
        self._fold(index.data(Role.ID), folded=state == "open")
        return True

    def _fold(self, item_id: int, *, folded: bool) -> None:
        model = self.model()
        assert isinstance(model, PeopleModel)  # noqa: S101 — set in the constructor
        model.fold(item_id, folded=folded)
        row = model.row_of(item_id)
        if row >= 0:
            self.setCurrentIndex(model.index(row))

    def _ask_menu(self, place: object) -> None:
        index = self.indexAt(place) if place else self.currentIndex()  # type: ignore[arg-type]
        if index.isValid():
            self.menuRequested.emit(index.data(Role.ID), self.viewport().mapToGlobal(place))  # type: ignore[call-overload]

    def arm(self) -> None:
        """Note that the person went to a row: Del may delete it."""
        self._armed = True

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Forget that a row was gone to, unless only the window comes back."""
        reason = event.reason()
        if reason not in (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason):
            self._armed = reason == Qt.FocusReason.MouseFocusReason
        super().focusInEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._armed = True
        if event.button() == Qt.MouseButton.LeftButton and self._folds(event.position().toPoint()):
            self._pressed_fold = True
            return
        self._pressed_fold = False
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._pressed_fold:
            super().mouseReleaseEvent(event)
        self._pressed_fold = False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current_id()
        state = self.currentIndex().data(Role.FOLD) if current is not None else ""
        if current is not None and (
            (event.key() == Qt.Key.Key_Left and state == "open")
            or (event.key() == Qt.Key.Key_Right and state == "folded")
        ):
            self._fold(current, folded=state == "open")
        elif current is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(current)
        elif current_keymap().matches(event, "list.delete"):
            if current is not None and self._armed:
                self.deleteRequested.emit(current)
        else:
            self._armed = self._armed or event.key() in _MOVES
            super().keyPressEvent(event)
