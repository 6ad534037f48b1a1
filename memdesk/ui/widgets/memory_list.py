"""The list of memories: a list view that lays out only what is seen.

`QListView` asks a delegate for the size of every row at every change (0.3 s at 10,000). Here rows that were
never seen have a guessed height; rows that come into view are measured, and what is read stays where it is.
So everything about geometry is ours and calls `QAbstractItemView` past `QListView`, which is still the base
because only a list view tells screen readers about its rows.
"""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QHoverEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QToolTip, QWidget

from memdesk.ui.keymap import current_keymap
from memdesk.ui.models.memories import Card, MemoryModel
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.card_actions import CardActions
from memdesk.ui.widgets.memory_card import GAP, CardPainter

Index = QModelIndex | QPersistentModelIndex

_KEYED_DEEDS = ("edit", "freeze", "pin", "switch", "forget")


class MemoryList(QListView):
    """Cards below each other. A click or Enter opens one; what else can be done stands on the card.

    Keys: F2 edits, F freezes, P pins, O switches off, Del forgets, Ctrl+C copies. Several can be selected.
    """

    opened = Signal(object)
    """The `Card` that was clicked or entered."""
    deedRequested = Signal(str, list)
    """What is to be done (`edit`, `freeze`, `pin`, `switch`, `forget`, `copy`), and the cards to do it to"""
    chosen = Signal(int)
    """How many cards are selected"""
    menuRequested = Signal(object, QPoint)
    """A `Card`, and where on the screen its menu belongs."""

    def __init__(self, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = model
        self._painter = CardPainter(model)
        self._heights = np.zeros(0, np.int64)
        self._tops = np.zeros(1, np.int64)
        self._measured = np.zeros(0, bool)
        self._measured_of: list[Card] | None = None
        self._units = self._breaks = np.zeros(0, np.int64)
        self._settling = False
        self._kept: tuple[int, int] | None = None
        self._current_id: int | None = None
        self._current_row = -1
        self._selected_ids: frozenset[int] = frozenset()
        self._hovered = -1
        self.setModel(model)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A scroll bar that comes and goes would change the width, and with it every height.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setFrameShape(QAbstractItemView.Shape.NoFrame)
        self.setMouseTracking(True)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._actions = CardActions(self.viewport())
        self._actions.pressed.connect(self._press)
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen.emit(len(self.selectedCards())))
        self.selectionModel().currentChanged.connect(lambda *_: self._place_actions())
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._focus_moved)
        model.modelAboutToBeReset.connect(self._keep)
        model.modelReset.connect(self._restore)
        current_theme().changed.connect(self._retheme)

    # ── geometry ─────────────────────────────────────────────────────────────────────────────────────

    def _count(self) -> int:
        return len(self._heights)

    def _card_width(self) -> int:
        return max(80, self.viewport().width() - 2)

    def _relayout(self) -> None:
        """Take the heights that are known, and guess the others."""
        cards = self._cards.cards()
        width = self._card_width()
        count = len(cards)
        if cards is not self._measured_of:
            self._units = np.fromiter((card.units for card in cards), np.int64, count)
            self._breaks = np.fromiter((card.breaks for card in cards), np.int64, count)
            self._measured_of = cards
        extras = np.zeros(count, np.int64)
        for chunk_id in self._cards.part_ids():
            row = self._cards.row_of(chunk_id)
            if row is not None:
                extras[row] = self._painter.reply_height(cards[row])
        self._heights = self._painter.guess(self._units, self._breaks, extras, width)
        self._measured = np.zeros(count, bool)
        # Few cards of many were ever seen: ask for those, not for all.
        for chunk_id in self._painter.measured():
            row = self._cards.row_of(chunk_id)
            known = None if row is None else self._painter.known_height(cards[row], width)
            if row is not None and known is not None:
                self._heights[row] = known
                self._measured[row] = True
        self._sum()

    def _sum(self) -> None:
        self._tops = np.concatenate((np.zeros(1, np.int64), np.cumsum(self._heights)))
        self._set_range()

    def _set_range(self) -> None:
        bar = self.verticalScrollBar()
        page = self.viewport().height()
        self._settling, was = True, self._settling
        bar.setPageStep(page)
        bar.setSingleStep(48)
        bar.setRange(0, max(0, int(self._tops[-1]) - GAP - page))
        self._settling = was

    def _row_at(self, y: int) -> int:
        """Return the row at a distance from the top of the content, kept within the rows."""
        row = int(np.searchsorted(self._tops, y, side="right")) - 1
        return min(max(row, 0), self._count() - 1)

    def _seen(self) -> range:
        if not self._count():
            return range(0)
        top = self.verticalOffset()
        return range(self._row_at(top), self._row_at(top + self.viewport().height()) + 1)

    def _settle(self) -> None:
        """Measure the rows in view; those that were seen before stay where they are."""
        if self._settling or not self._count():
            return
        self._settling = True
        bar = self.verticalScrollBar()
        for _ in range(20):
            fresh = [row for row in self._seen() if not self._measured[row]]
            if not fresh:
                break
            known = [row for row in self._seen() if self._measured[row]]
            hold = known[0] if known else fresh[0]
            offset = int(self._tops[hold]) - bar.value()
            at_end = bar.value() > 0 and bar.value() == bar.maximum()
            width = self._card_width()
            for row in fresh:
                self._heights[row] = self._painter.height(self._cards.card(row), width)
                self._measured[row] = True
            self._sum()
            bar.setValue(bar.maximum() if at_end else int(self._tops[hold]) - offset)
        self._settling = False

    def _anchor(self) -> tuple[int, int] | None:
        """Return (chunk id, distance from the upper edge) of the first row in view; None at the very top."""
        if not self._count() or not self.verticalOffset():
            return None
        row = self._seen()[0]
        return self._cards.card(row).id, int(self._tops[row]) - self.verticalOffset()

    def _hold(self, anchor: tuple[int, int] | None) -> None:
        row = self._cards.row_of(anchor[0]) if anchor else None
        self._set_range()
        if anchor and row is not None:
            self.verticalScrollBar().setValue(int(self._tops[row]) - anchor[1])
        self._settle()
        self._place_actions()
        self.viewport().update()

    def _refresh(self) -> None:
        anchor = self._anchor()
        self._relayout()
        self._hold(anchor)

    # ── the model ────────────────────────────────────────────────────────────────────────────────────

    def _keep(self) -> None:
        self._kept = self._anchor()
        current = self.currentIndex()
        self._current_id = self._cards.card(current.row()).id if current.isValid() else None
        self._current_row = current.row()
        self._selected_ids = frozenset(card.id for card in self.selectedCards())
        self._hovered = -1

    def _restore(self) -> None:
        row = None if self._current_id is None else self._cards.row_of(self._current_id)
        self._relayout()
        flag = QItemSelectionModel.SelectionFlag
        if row is not None:
            self.selectionModel().setCurrentIndex(self._cards.index(row), flag.NoUpdate)
        elif self._current_row >= 0 and self._count() and self.hasFocus():
            # Who forgets one card after the other goes on with the next one.
            next_row = min(self._current_row, self._count() - 1)
            self.selectionModel().setCurrentIndex(self._cards.index(next_row), flag.ClearAndSelect)
        for chunk_id in self._selected_ids:
            row = self._cards.row_of(chunk_id)
            if row is not None:
                self.selectionModel().select(self._cards.index(row), flag.Select)
        self._hold(self._kept)
        self.chosen.emit(len(self.selectedCards()))

    def reset(self) -> None:
        QAbstractItemView.reset(self)
        self._tops = np.zeros(1, np.int64)
        self._heights = np.zeros(0, np.int64)

    def dataChanged(self, top: Index, bottom: Index, roles: Sequence[int] = ()) -> None:
        QAbstractItemView.dataChanged(self, top, bottom, roles)
        self._refresh()

    # ── what an item view must know ──────────────────────────────────────────────────────────────────

    def visualRect(self, index: Index) -> QRect:
        row = index.row()
        if not index.isValid() or row >= self._count():
            return QRect()
        top = int(self._tops[row]) - self.verticalOffset()
        return QRect(0, top, self._card_width(), int(self._heights[row]) - GAP)

    def indexAt(self, point: QPoint) -> QModelIndex:
        if not self._count():
            return QModelIndex()
        index = self._cards.index(self._row_at(point.y() + self.verticalOffset()))
        return index if self.visualRect(index).contains(point) else QModelIndex()

    def scrollTo(
        self, index: Index, hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible
    ) -> None:
        if not index.isValid() or index.row() >= self._count():
            return
        bar = self.verticalScrollBar()
        # A second look: measuring what came into view may have moved the row.
        for _ in range(3):
            rect, page = self.visualRect(index), self.viewport().height()
            if hint == QAbstractItemView.ScrollHint.PositionAtCenter:
                step = rect.top() - max(0, (page - rect.height()) // 2)
            elif rect.top() < 0 or rect.height() > page:
                step = rect.top()
            else:
                step = max(0, rect.bottom() + 1 - page)
            if not step:
                break
            bar.setValue(bar.value() + step)

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, _modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        count = self._count()
        if not count:
            return QModelIndex()
        kind = QAbstractItemView.CursorAction
        current = self.currentIndex()
        if not current.isValid():
            last = action in (kind.MoveEnd, kind.MovePageDown)
            return self._cards.index(count - 1 if last else self._seen()[0])
        row, page = current.row(), self.viewport().height()
        target = {
            kind.MoveUp: row - 1,
            kind.MovePrevious: row - 1,
            kind.MoveDown: row + 1,
            kind.MoveNext: row + 1,
            kind.MoveHome: 0,
            kind.MoveEnd: count - 1,
            kind.MovePageUp: min(row - 1, self._row_at(int(self._tops[row]) - page)),
            kind.MovePageDown: max(row + 1, self._row_at(int(self._tops[row]) + page)),
        }.get(action, row)
        return self._cards.index(min(max(target, 0), count - 1))

    def horizontalOffset(self) -> int:
        return 0

    def verticalOffset(self) -> int:
        return self.verticalScrollBar().value()

    def isIndexHidden(self, _index: Index) -> bool:
        return False

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        if not self._count():
            return
        top = self.verticalOffset()
        first, last = sorted(self._row_at(y + top) for y in (rect.top(), rect.bottom()))
        clicked = self.indexAt(rect.topLeft())
        if first == last and not clicked.isValid():
            # Between two cards, or below the last one.
            return
        both = QItemSelection(self._cards.index(first), self._cards.index(last))
        self.selectionModel().select(both, command)

    def visualRegionForSelection(self, selection: QItemSelection) -> QRegion:
        region = QRegion()
        for index in selection.indexes():
            region += self.visualRect(index)
        return region

    # ── events ───────────────────────────────────────────────────────────────────────────────────────

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        if not self._settling:
            self._settle()
            self._hovered = self._row_under_pointer()
            self._place_actions()
        self.viewport().update()

    def doItemsLayout(self) -> None:
        QAbstractItemView.doItemsLayout(self)

    def updateGeometries(self) -> None:
        QAbstractItemView.updateGeometries(self)
        self._set_range()

    def resizeEvent(self, event: QResizeEvent) -> None:
        anchor = self._anchor()
        QAbstractItemView.resizeEvent(self, event)
        if event.size().width() != event.oldSize().width():
            self._relayout()
        self._hold(anchor)

    def _retheme(self) -> None:
        self._painter.restyle()
        self._refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        focused = self.hasFocus()
        chosen = {index.row() for index in self.selectionModel().selectedRows()}
        for row in self._seen():
            rect = self.visualRect(self._cards.index(row))
            if rect.intersects(event.rect()):
                card = self._cards.card(row)
                self._painter.paint(
                    painter,
                    QRectF(rect),
                    card,
                    selected=row in chosen,
                    hovered=row == self._hovered,
                    focused=focused,
                )
        painter.end()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            card = self._card_at(event.pos())
            words = self._explanation(card) if card is not None else ""
            # As rich text of our own making: errors of a model may hold anything.
            QToolTip.showText(event.globalPos(), _as_rich(words), self)
            return True
        if event.type() == QEvent.Type.HoverLeave:
            self._hover(-1)
        elif event.type() == QEvent.Type.HoverMove and isinstance(event, QHoverEvent):
            self._hover(self.indexAt(event.position().toPoint()).row())
        return super().viewportEvent(event)

    # ── what stands on a card ────────────────────────────────────────────────────────────────────────

    def _row_under_pointer(self) -> int:
        if not self.viewport().underMouse():
            return -1
        return self.indexAt(self.viewport().mapFromGlobal(self.cursor().pos())).row()

    def _hover(self, row: int) -> None:
        # Over the strip itself nothing changes: it stands partly above its card.
        if row != self._hovered and not self._actions.underMouse():
            self._hovered = row
            self._place_actions()
            self.viewport().update()

    def _focus_moved(self, _old: object, now: object) -> None:
        if now is self or self._actions.isVisible():
            self._place_actions()

    def _place_actions(self) -> None:
        """Put the strip on the card under the pointer, else on the one that has the focus."""
        row = self._hovered
        if not 0 <= row < self._count():
            focused = QApplication.focusWidget()
            inside = focused is self or (focused is not None and self._actions.isAncestorOf(focused))
            row = self.currentIndex().row() if inside else -1
        rect = self.visualRect(self._cards.index(row)) if 0 <= row < self._count() else QRect()
        if rect.isNull() or not rect.intersects(self.viewport().rect()):
            self._actions.hide()
        else:
            self._actions.place(self._cards.card(row), rect)

    def _press(self, deed: str, card: Card) -> None:
        if deed == "more":
            self.menuRequested.emit(card, self._actions.mapToGlobal(self._actions.rect().bottomLeft()))
        else:
            self.deedRequested.emit(deed, self.meant(card))

    def selectedCards(self) -> list[Card]:
        """Return the selected cards in their order."""
        rows = sorted(index.row() for index in self.selectionModel().selectedRows())
        return [self._cards.card(row) for row in rows if row < len(self._cards.cards())]

    def meant(self, card: Card) -> list[Card]:
        """Return whom an act on a card is for: all that are selected when it is one of them."""
        chosen = self.selectedCards()
        return chosen if any(item.id == card.id for item in chosen) else [card]

    def _explanation(self, card: Card) -> str:
        badges = [words for words, _ in self._cards.badges(card)]
        return "\n".join([*badges, self._cards.explanation(card)])

    def _card_at(self, point: QPoint) -> Card | None:
        index = self.indexAt(point)
        return self._cards.card(index.row()) if index.isValid() else None

    def currentCard(self) -> Card | None:
        """Return the selected card."""
        index = self.currentIndex()
        return self._cards.card(index.row()) if index.isValid() else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        card = self._card_at(event.position().toPoint())
        plain = (
            event.button() == Qt.MouseButton.LeftButton
            and event.modifiers() == Qt.KeyboardModifier.NoModifier
        )
        if plain and card is not None and self.selectedCards() == [card]:
            self.opened.emit(card)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        card = self.currentCard()
        keys = current_keymap()
        deed = next((deed for deed in _KEYED_DEEDS if keys.matches(event, f"memories.{deed}")), None)
        if event.matches(QKeySequence.StandardKey.Copy):
            deed = "copy"
        if card is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(card)
        elif deed is not None and (meant := self.selectedCards()):
            self.deedRequested.emit(deed, meant)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            card = self.currentCard()
            corner = self.visualRect(self.currentIndex()).topLeft() + QPoint(24, 24)
            place = self.viewport().mapToGlobal(corner)
        else:
            card, place = self._card_at(event.pos()), event.globalPos()
        if card is not None:
            self.menuRequested.emit(card, place)


def _as_rich(words: str) -> str:
    """Return plain words as rich text, so that a tool tip never takes something in them for markup."""
    return html.escape(words).replace("\n", "<br/>")
