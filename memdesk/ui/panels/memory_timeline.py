"""What is known at a message: a slider over the chat, and what a reply standing there would have to go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSlider, QSpinBox, QWidget

from memdesk.ui.dialogs.pieces import column, plain_label, tool_button

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memdesk.memory.timeline import Known
    from memdesk.ui.session import Session

PAGE_STEP = 10
"""Messages that a click beside the handle goes."""


class MemoryTimeline(QWidget):
    """Chooses a message; the list above shows only what is known there."""

    moved = Signal(int)
    """The number of the message, 0 when the timeline is put away"""
    jumpRequested = Signal(int)
    """A message id"""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: int | None = None
        self._ids: list[int] = []
        self._known: list[Known] = []
        self._turn = 0
        self._slider = QSlider(Qt.Orientation.Horizontal, self)
        self._slider.setAccessibleName(self.tr("Known at message"))
        self._slider.setMinimumHeight(28)
        self._slider.setPageStep(PAGE_STEP)
        self._slider.setToolTip(self.tr("The memory as a reply that stands at this message would find it."))
        self._number = QSpinBox(self)
        self._number.setAccessibleName(self.tr("Message number"))
        self._number.setMinimumHeight(28)
        self._number.setMinimumWidth(72)
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._number.setKeyboardTracking(False)
        self._slider.valueChanged.connect(self._slid)
        self._number.valueChanged.connect(self._slider.setValue)
        self._jump = tool_button("jump", self.tr("Go to this message"), self)
        self._jump.clicked.connect(self._go)
        self._words = plain_label("", "small", parent=self)
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        line.addWidget(self._slider, 1)
        line.addWidget(self._number)
        line.addWidget(self._jump)
        layout = column(parent=self, spacing=2)
        layout.addLayout(line)
        layout.addWidget(self._words)

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────

    def set_chat(self, chat_id: int | None) -> None:
        """Turn to another chat; it is read when the timeline is shown."""
        self._chat, self._ids, self._known = chat_id, [], []
        self._turn += 1

    def number(self) -> int:
        """Return the message that is chosen, 0 for none."""
        return self._slider.value() if self._ids or self._known else 0

    def since(self) -> Mapping[int, int]:
        """Return since which message each memory is known, by chunk id."""
        return {item.id: item.since for item in self._known if item.layer == "recall"}

    def read(self) -> None:
        """Read anew what is known and since when."""
        self._turn += 1
        turn, chat_id, workspace = self._turn, self._chat, self._session.workspace
        if chat_id is None:
            return

        def look() -> tuple[list[int], list[Known]]:
            known = [item for timeline in workspace.timelines for item in timeline.known(chat_id)]
            return workspace.messages.ids(chat_id), known

        def done(found: tuple[list[int], list[Known]]) -> None:
            if turn == self._turn:
                self._show(*found)

        self._session.background.read(look, done, owner=self)

    # ── showing ──────────────────────────────────────────────────────────────────────────────────────

    def _show(self, ids: list[int], known: list[Known]) -> None:
        at_end = not self._ids or self._slider.value() == self._slider.maximum()
        self._ids, self._known = ids, known
        # The place after the last message is that of the next reply.
        last = len(ids) + 1
        blockers = [QSignalBlocker(self._slider), QSignalBlocker(self._number)]
        self._slider.setRange(1, last)
        self._number.setRange(1, last)
        if at_end:
            self._slider.setValue(last)
        self._number.setValue(self._slider.value())
        del blockers
        self._say()
        self.moved.emit(self._slider.value())

    def _slid(self, value: int) -> None:
        with QSignalBlocker(self._number):
            self._number.setValue(value)
        self._say()
        self.moved.emit(value)

    def _say(self) -> None:
        value, number = self._slider.value(), self.locale().toString
        there = [item for item in self._known if item.since <= value]
        usable = sum(item.usable for item in there)
        next_one = value > len(self._ids)
        where = self.tr("for the next reply") if next_one else self.tr("at message {0}").format(number(value))
        words = self.tr("{0} of {1} memories are known {2}.").format(
            number(len(there)), number(len(self._known)), where
        )
        if usable < len(there):
            words += " " + self.tr("{0} of them are off.").format(number(len(there) - usable))
        self._words.setText(words)
        self._jump.setEnabled(not next_one)

    def _go(self) -> None:
        place = self._slider.value() - 1
        if 0 <= place < len(self._ids):
            self.jumpRequested.emit(self._ids[place])
