"""The whole chat at a glance: what the model still has of every message.

strip = MemoryStrip(); strip.setStates(states)     one byte (`State`) per message, oldest first
strip.setVisibleRange(first, last)                 the numbers on the screen, outlined
strip.jumpRequested                                signal: number (from 1) of the message clicked
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from memdesk.ui.theme import Theme, current_theme

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARGIN = 4

SOFT = 0.45
"""Share of the accent in what is in the context; recalled messages stand out in full."""

VEIL = 0.72
"""How much of what was not known yet is covered."""


class State(enum.IntEnum):
    """What the model still has of a message; where several share a pixel, the highest shows."""

    NOTHING = 0
    VECTORIZED = 1
    """Only in the memory: can be recalled."""
    SUMMARIZED = 2
    IN_CONTEXT = 3
    """Sent word by word."""
    RECALLED = 4
    """Recalled for the selected reply."""


def _color(theme: Theme, state: State) -> int:
    return {
        State.NOTHING: theme.color("sunken"),
        State.VECTORIZED: theme.color("line_strong"),
        State.SUMMARIZED: theme.context_color("summary"),
        State.IN_CONTEXT: _mixed(theme.color("accent"), theme.color("sunken")),
        State.RECALLED: theme.context_color("memory"),
    }[state].rgb()


def _mixed(color: QColor, ground: QColor) -> QColor:
    """Return a colour softened by its ground: a short chat is in the context from top to bottom."""
    red, green, blue = (
        round(SOFT * part + (1 - SOFT) * other)
        for part, other in (
            (color.red(), ground.red()),
            (color.green(), ground.green()),
            (color.blue(), ground.blue()),
        )
    )
    return QColor(red, green, blue)


class MemoryStrip(QWidget):
    """A thin column beside the chat's scroll bar, oldest message on top."""

    jumpRequested = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._states = np.zeros(0, dtype=np.uint8)
        self._cells: tuple[int, bool, QImage] | None = None
        self._visible = (0, 0)
        self._focused = 0
        self._marker = 0
        width = current_theme().size("strip") + 2 * _MARGIN
        self.setFixedWidth(width)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(self.tr("Memory strip"))
        self._describe()

    def setStates(self, states: bytes | bytearray | Sequence[int]) -> None:
        """Show one `State` per message; unknown values count as NOTHING."""
        array = np.frombuffer(bytes(states), dtype=np.uint8)
        self._states = np.where(array > max(State), 0, array).astype(np.uint8)
        self._cells = None
        self._describe()
        self.update()

    def setVisibleRange(self, first: int, last: int) -> None:
        """Outline the messages on the screen, by number; 0, 0 for none."""
        if (first, last) != self._visible:
            self._visible = (first, last)
            self.update()

    def setMarker(self, number: int) -> None:
        """Mark the message at which the memory is looked at; what comes after it is veiled. 0 for none."""
        if number != self._marker:
            self._marker = number
            self._describe()
            self.update()

    def marker(self) -> int:
        """Return the message that is marked, 0 for none."""
        return self._marker

    def state_name(self, state: State) -> str:
        """Return what a state means, in the language of the window."""
        return {
            State.NOTHING: self.tr("not remembered"),
            State.VECTORIZED: self.tr("in the memory, can be recalled"),
            State.SUMMARIZED: self.tr("summarised"),
            State.IN_CONTEXT: self.tr("in the context, sent as it is"),
            State.RECALLED: self.tr("recalled for this reply"),
        }[state]

    def color_name(self, state: State) -> str:
        """Return the colour of a state, in the language of the window; both looks have the same hues."""
        return {
            State.NOTHING: self.tr("pale"),
            State.VECTORIZED: self.tr("grey"),
            State.SUMMARIZED: self.tr("green"),
            State.IN_CONTEXT: self.tr("light violet"),
            State.RECALLED: self.tr("violet"),
        }[state]

    def _words(self, number: int) -> str:
        """Return what a place on the strip is, and what each colour on it says; "" for no message."""
        if not number:
            return ""
        state = self.state_name(State(int(self._states[number - 1])))
        shown = self.locale().toString(number)
        lines = [self.tr("Message #{number}: {state}").format(number=shown, state=state), ""]
        lines += [
            self.tr("{colour}: {state}").format(colour=self.color_name(each), state=self.state_name(each))
            for each in State
            if each is not State.SUMMARIZED or State.SUMMARIZED in self._states
        ]
        lines.append(self.tr("The frame is what the window shows. Click to go there."))
        return "\n".join(lines)

    def _describe(self) -> None:
        counts = np.bincount(self._states, minlength=len(State))
        parts = [f"{self.state_name(state)}: {counts[state]}" for state in State if counts[state]]
        if self._marker:
            shown = self.locale().toString(self._marker)
            parts.append(self.tr("the memory is shown as of message #{0}").format(shown))
        self.setAccessibleDescription(", ".join(parts))

    def _number_at(self, y: float) -> int:
        room = max(1, self.height())
        count = len(self._states)
        return min(count, max(1, int(y * count / room) + 1)) if count else 0

    def _image(self, rows: int) -> QImage:
        theme = current_theme()
        if self._cells is not None and self._cells[0] == rows and self._cells[1] == theme.dark:
            return self._cells[2]
        count = len(self._states)
        if count > rows:
            starts = (np.arange(rows) * count) // rows
            column = np.maximum.reduceat(self._states, starts)
        else:
            column = self._states[(np.arange(rows) * count) // rows]
        palette = np.array([_color(theme, state) for state in State], dtype=np.uint32)
        pixels = np.ascontiguousarray(palette[column])
        image = QImage(pixels.tobytes(), 1, rows, 4, QImage.Format.Format_RGB32).copy()
        self._cells = (rows, theme.dark, image)
        return image

    def sizeHint(self) -> QSize:
        return QSize(self.width(), 200)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._number_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self._words(number), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        number = self._number_at(event.position().y())
        if number and event.button() == Qt.MouseButton.LeftButton:
            self.jumpRequested.emit(number)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        count = len(self._states)
        here = self._visible[0] or count
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -20, Qt.Key.Key_PageDown: 20}
        key = Qt.Key(event.key())
        target = {Qt.Key.Key_Home: 1, Qt.Key.Key_End: count}.get(key, here + steps.get(key, 0))
        if not count or (key not in steps and key not in (Qt.Key.Key_Home, Qt.Key.Key_End)):
            super().keyPressEvent(event)
            return
        self.jumpRequested.emit(min(count, max(1, target)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(_MARGIN, 0, self.width() - 2 * _MARGIN, self.height())
        path = QPainterPath()
        path.addRoundedRect(bar, bar.width() / 2, bar.width() / 2)
        painter.setClipPath(path)
        painter.fillRect(bar, theme.color("sunken"))
        count = len(self._states)
        if count:
            rows = max(1, round(self.height() * self.devicePixelRatioF()))
            painter.drawImage(bar, self._image(rows))
        if count and 0 < self._marker <= count:
            top = (self._marker - 1) * self.height() / count
            veil = theme.color("window")
            veil.setAlphaF(VEIL)
            painter.fillRect(QRectF(bar.left(), top, bar.width(), self.height() - top), veil)
            painter.fillRect(QRectF(0, max(0.0, top - 1), self.width(), 2), theme.color("accent"))
        painter.setClipping(False)
        first, last = self._visible
        if count and first and (first > 1 or last < count):
            top = (first - 1) * self.height() / count
            height = max(6.0, (last - first + 1) * self.height() / count)
            top = min(top, self.height() - height)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("line_strong"), 1))
            painter.drawRoundedRect(QRectF(1.5, top + 0.5, self.width() - 3, height - 1), 3, 3)
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()
