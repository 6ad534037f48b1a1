"""The characters: as pictures side by side, or as rows with a line about each."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QHelpEvent, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolTip,
    QWidget,
)

from memdesk.ui.icons import draw_icon
from memdesk.ui.models.gallery import GalleryModel
from memdesk.ui.models.people import Role
from memdesk.ui.pictures import Pictures
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar
from memdesk.ui.widgets.people_list import ROW, PeopleList, RowDelegate, paint_ground

FACE: Final = 60
TILE: Final = QSize(74, 92)
"""The least that a picture with its name takes."""
MARGIN: Final = 8
STAR: Final = 14


class _TileDelegate(QStyledItemDelegate):
    """Paints a picture with the name below it."""

    def __init__(self, view: GalleryView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return self._view.tile()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        theme = current_theme()
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, option, rect.adjusted(1, 1, -1, -1))
        face = QRectF(rect.center().x() - FACE / 2 + 0.5, rect.top() + 7, FACE, FACE)
        paint_avatar(painter, face, index.data(Role.FACE), index.data(Role.IMAGE), 9, theme.font("strong"))
        if index.data(Role.FAVOURITE):
            _paint_star(painter, QRectF(face.right() - STAR - 3, face.top() + 3, STAR, STAR))
        font = theme.font("small")
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        words = rect.adjusted(4, FACE + 10, -4, -3)
        shown = metrics.elidedText(index.data(), Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, shown)
        painter.restore()


class _RowDelegate(RowDelegate):
    """Paints a row, with a star at its end for a favourite."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.data(Role.FAVOURITE):
            face = QRectF(option.rect.left() + 18, option.rect.top() + (ROW - 30) / 2, 30, 30)
            _paint_star(painter, QRectF(face.right() - 9, face.top() - 4, 13, 13))


def _paint_star(painter: QPainter, rect: QRectF) -> None:
    theme = current_theme()
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.color("surface"))
    painter.drawEllipse(rect.adjusted(-2, -2, 2, 2))
    draw_icon(painter, "star-full", rect, theme.hex("accent"))
    painter.restore()


class GalleryView(PeopleList):
    """A calm list of characters; `set_grid` chooses between pictures and rows."""

    def __init__(
        self, model: GalleryModel, pictures: Pictures, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(model, name, parent, calm=True)
        self._grid = False
        self._rows_delegate = _RowDelegate(self)
        self._tiles_delegate = _TileDelegate(self)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(0)
        self._settle.timeout.connect(self._measure)
        pictures.arrived.connect(self.viewport().update)
        self.set_grid(False)

    @property
    def grid(self) -> bool:
        """Whether pictures stand side by side."""
        return self._grid

    def set_grid(self, grid: bool) -> None:
        """Show pictures side by side, or rows; what is marked stays marked."""
        self._grid = grid
        self.setViewMode(QListView.ViewMode.IconMode if grid else QListView.ViewMode.ListMode)
        self.setMovement(QListView.Movement.Static)
        self.setFlow(QListView.Flow.LeftToRight if grid else QListView.Flow.TopToBottom)
        self.setWrapping(grid)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self.setDragEnabled(False)
        self.setAcceptDrops(False)
        self.setSelectionRectVisible(False)
        self.setSpacing(0)
        self.setViewportMargins(MARGIN if grid else 0, 0, 0, 0)
        self.setItemDelegate(self._tiles_delegate if grid else self._rows_delegate)
        self._measure()
        current = self.currentIndex()
        if current.isValid():
            self.scrollTo(current, QAbstractItemView.ScrollHint.EnsureVisible)

    def tile(self) -> QSize:
        """Return how large a picture with its name is, so that a line is filled."""
        # As Qt lays them out: it keeps the scroll bar's room free whether there is one or not.
        extent = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent, None, self)
        room = self.maximumViewportSize().width() - extent - 1
        columns = max(1, room // TILE.width())
        return QSize(max(TILE.width(), room // columns), TILE.height())

    def _measure(self) -> None:
        self.setGridSize(self.tile() if self._grid else QSize())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._grid and self.gridSize() != self.tile():
            # Not now: a new grid may bring or take the scroll bar, and with it another resize.
            self._settle.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._grid and event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.arm()
        super().keyPressEvent(event)

    def viewportEvent(self, event: object) -> bool:
        """Tell a name that is cut when the mouse rests on it, as plain text."""
        if isinstance(event, QHelpEvent) and event.type() == QHelpEvent.Type.ToolTip:
            index = self.indexAt(event.pos())
            text = str(index.data(Qt.ItemDataRole.AccessibleTextRole) or "") if index.isValid() else ""
            # Qt reads a tool tip as markup where it looks like it; a card's name can look like anything.
            QToolTip.showText(event.globalPos(), QtText.convertFromPlainText(text) if text else "", self)
            return True
        return super().viewportEvent(event)  # type: ignore[arg-type]
