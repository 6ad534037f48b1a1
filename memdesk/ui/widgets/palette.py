"""The command palette: one field that reaches every action, and chats and characters by name.

    palette = Palette(window)
    palette.open(entries, recent)      entries as they are now, ids of those used last, newest first
    palette.chosen                     signal: the `Entry` that Enter or a click chose
Up and Down move, Page Up and Page Down further, Enter chooses, Esc leaves. It closes when it loses the
keyboard and gives it back to where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import shiboken6
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from memdesk.ui.fuzzy import Folded, fold, score
from memdesk.ui.icons import draw_icon
from memdesk.ui.theme import current_theme

WIDTH, ROW, MOST_ROWS = 560, 34, 11
MOST_SHOWN = 200
"""Rows that are offered; whoever wants one further down types another letter."""

RECENT_BONUS = 12.0
"""What the thing used last is better by; the others get less in turn."""

PAGE = 8


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that can be chosen: an action, a chat, a character."""

    id: str
    """`act:app.trash`, `chat:3`, `character:7`"""
    title: str
    kind: str
    """What it is, in words"""
    icon: str = ""
    keys: str = ""
    words: str = ""
    """What it is found by besides its title"""


class _Entries(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._entries: list[Entry] = []

    def show(self, entries: list[Entry]) -> None:
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    def entry(self, row: int) -> Entry:
        return self._entries[row]

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | None:
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (entry.title, entry.kind, entry.keys)))
        return None


class _Rows(QStyledItemDelegate):
    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        model = index.model()
        assert isinstance(model, _Entries)  # noqa: S101 — this delegate has one model
        entry, theme = model.entry(index.row()), current_theme()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground: QRect = option.rect.adjusted(6, 1, -6, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft"))
            painter.drawRoundedRect(ground, theme.radius("control"), theme.radius("control"))
        room = ground.adjusted(10, 0, -10, 0)
        if entry.icon:
            place = QRectF(room.left(), room.center().y() - 7, 16, 16)
            draw_icon(painter, entry.icon, place, theme.hex("text_soft"))
        room.setLeft(room.left() + 26)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignAbsolute
        aside = "   ".join(filter(None, (entry.kind, entry.keys)))
        small = QFontMetrics(theme.font("small"))
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text_soft"))
        painter.drawText(room, middle | Qt.AlignmentFlag.AlignRight, aside)
        room.setRight(room.right() - small.horizontalAdvance(aside) - 16)
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.color("text"))
        title = painter.fontMetrics().elidedText(entry.title, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, middle | Qt.AlignmentFlag.AlignLeft, title)
        painter.restore()


class _Field(QLineEdit):
    moved = Signal(int)
    chosen = Signal()
    left = Signal()

    _STEPS: ClassVar = {
        Qt.Key.Key_Up: -1,
        Qt.Key.Key_Down: 1,
        Qt.Key.Key_Backtab: -1,
        Qt.Key.Key_Tab: 1,
        Qt.Key.Key_PageUp: -PAGE,
        Qt.Key.Key_PageDown: PAGE,
    }

    def focusNextPrevChild(self, _next: bool) -> bool:
        # Tab moves through the rows: there is nothing else to go to.
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in self._STEPS:
            self.moved.emit(self._STEPS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() not in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
            self.left.emit()


class Palette(QWidget):
    """Stands over the upper part of its window."""

    chosen = Signal(object)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._before: QWidget | None = None
        self._found: list[tuple[Folded, float, Entry]] = []
        self.setAccessibleName(self.tr("Commands"))
        self._field = _Field(self)
        self._field.setPlaceholderText(self.tr("Type a command, a chat or a character"))
        self._field.setAccessibleName(self.tr("Find a command"))
        self._field.textChanged.connect(self._filter)
        self._field.moved.connect(self._move)
        self._field.chosen.connect(self._choose)
        self._field.left.connect(self.leave)
        self._entries = _Entries(self)
        self._list = QListView(self)
        self._list.setModel(self._entries)
        self._list.setItemDelegate(_Rows(self._list))
        self._list.setAccessibleName(self.tr("Commands found"))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setUniformItemSizes(True)
        self._list.setFrameShape(QListView.Shape.NoFrame)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setProperty("panel", "raised")
        self._list.viewport().setAutoFillBackground(False)
        self._list.clicked.connect(lambda index: self._choose_row(index.row()))
        self._nothing = QLabel(self.tr("Nothing is called that."), self)
        self._nothing.setTextFormat(Qt.TextFormat.PlainText)
        self._nothing.setProperty("tone", "soft")
        self._nothing.setContentsMargins(10, 8, 10, 8)
        box = QVBoxLayout(self)
        box.setContentsMargins(10, 10, 10, 8)
        box.setSpacing(6)
        box.addWidget(self._field)
        box.addWidget(self._nothing)
        box.addWidget(self._list, 1)
        self.hide()

    # ── opening and closing ──────────────────────────────────────────────────────────────────────────

    def open(self, entries: Sequence[Entry], recent: Sequence[str]) -> None:
        """Offer things, those used last first."""
        if not self.isVisible():
            self._before = QApplication.focusWidget()
        place = {item: number for number, item in enumerate(recent)}
        bonus = {item: RECENT_BONUS / (number + 1) for item, number in place.items()}
        ordered = sorted(entries, key=lambda entry: place.get(entry.id, len(place)))
        self._found = [
            (fold(f"{entry.title} {entry.words}".strip()), bonus.get(entry.id, 0.0), entry)
            for entry in ordered
        ]
        self._field.clear()
        self._filter("")
        self.show()
        self.raise_()
        self._field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Close, and give the keyboard back to where it was."""
        if not self.isVisible():
            return
        focus = QApplication.focusWidget()
        had = focus is not None and self.isAncestorOf(focus)
        before, self._before = self._before, None
        if had and before is not None and shiboken6.isValid(before) and before.isVisible():
            before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self._found = []

    # ── finding ──────────────────────────────────────────────────────────────────────────────────────

    def _filter(self, text: str) -> None:
        needle = fold(text.strip())
        if needle.text:
            scored = [(score(needle, folded), bonus, entry) for folded, bonus, entry in self._found]
            fitting = [(found + bonus, entry) for found, bonus, entry in scored if found is not None]
            fitting.sort(key=lambda pair: -pair[0])
            shown = [entry for _score, entry in fitting[:MOST_SHOWN]]
        else:
            shown = [entry for _folded, _bonus, entry in self._found[:MOST_SHOWN]]
        self._entries.show(shown)
        self._list.setVisible(bool(shown))
        self._nothing.setVisible(not shown)
        if shown:
            self._select(0)
        self._fit(len(shown))

    def _fit(self, rows: int) -> None:
        width = min(WIDTH, self._window.width() - 40)
        most = max(1, (self._window.height() - 160) // ROW)
        height = min(rows, MOST_ROWS, most) * ROW
        self._list.setFixedHeight(height)
        self.setFixedWidth(width)
        box = self.layout()
        assert box is not None  # noqa: S101 — made in the constructor
        box.activate()
        self.setFixedHeight(self.sizeHint().height())
        self.move(QPoint((self._window.width() - width) // 2, 64))

    def _move(self, step: int) -> None:
        count = self._entries.rowCount()
        if count:
            row = self._list.currentIndex().row() + step
            # One step beyond an end comes to the other; a page stops there.
            self._select(row % count if abs(step) == 1 else max(0, min(row, count - 1)))

    def _select(self, row: int) -> None:
        index = self._entries.index(row)
        self._list.setCurrentIndex(index)
        self._list.scrollTo(index)
        self._field.setAccessibleDescription(index.data(Qt.ItemDataRole.AccessibleTextRole))

    def _choose(self) -> None:
        self._choose_row(self._list.currentIndex().row())

    def _choose_row(self, row: int) -> None:
        if 0 <= row < self._entries.rowCount():
            entry = self._entries.entry(row)
            self.leave()
            self.chosen.emit(entry)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.color("raised"))
        painter.setPen(QPen(theme.color("line_strong"), 1))
        radius = theme.radius("bubble")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()
