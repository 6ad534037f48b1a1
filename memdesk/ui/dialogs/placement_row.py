"""Where a text stands in the prompt, as three controls in a line."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSpinBox, QWidget

from memdesk.chats.model import Role
from memdesk.prompt.injections import MAX_DEPTH
from memdesk.prompt.parts import Placement, Where
from memdesk.ui.dialogs.pieces import ChoiceBox, Field, row

WHERES: tuple[Where, ...] = ("before_prompt", "after_prompt", "in_chat", "after_chat")


class CountBox(QSpinBox):
    """A number that the wheel changes only where it has the focus."""

    def __init__(self, least: int, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRange(least, most)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class PlacementRow(QWidget):
    """Place, depth and role; what does not count at a place is switched off."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._where = ChoiceBox(self)
        for where, words in (
            ("before_prompt", self.tr("Before the main prompt")),
            ("after_prompt", self.tr("After the main prompt")),
            ("in_chat", self.tr("In the chat")),
            ("after_chat", self.tr("After the chat")),
        ):
            self._where.addItem(words, where)
        self._depth = CountBox(0, MAX_DEPTH, self)
        self._depth.setToolTip(self.tr("How many messages come after it: 0 is the end of the chat."))
        self._role = ChoiceBox(self)
        for role, words in (
            ("system", self.tr("System")),
            ("user", self.tr("User")),
            ("assistant", self.tr("Character")),
        ):
            self._role.addItem(words, role)
        self._role.setToolTip(self.tr("In whose name the model reads it."))
        fields = [
            Field(self.tr("Place"), self._where),
            Field(self.tr("Depth"), self._depth),
            Field(self.tr("Said by"), self._role),
        ]
        layout = row(*fields, spacing=12)
        layout.setStretch(0, 2)
        layout.setStretch(1, 1)
        layout.setStretch(2, 1)
        layout.setContentsMargins(0, 0, 0, 0)
        self.setLayout(layout)
        self._where.currentIndexChanged.connect(self._changed)
        self._role.currentIndexChanged.connect(self._changed)
        self._depth.valueChanged.connect(self._changed)
        self._changed()

    def placement(self) -> Placement:
        """Return the place that is chosen."""
        where = next(item for item in WHERES if item == self._where.value())
        roles: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
        return Placement(where, self._depth.value(), roles[self._role.value()])

    def show_placement(self, placement: Placement) -> None:
        """Show a place."""
        self.blockSignals(True)
        self._where.set_value(placement.where)
        self._depth.setValue(placement.depth)
        self._role.set_value(placement.role)
        self.blockSignals(False)
        self._changed()

    def _changed(self) -> None:
        where = self._where.value()
        self._depth.setEnabled(where == "in_chat")
        self._role.setEnabled(where in {"in_chat", "after_chat"})
        self.edited.emit()
