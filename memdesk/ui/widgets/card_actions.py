"""What can be done to the memory under the pointer or under the focus: a strip of buttons on its card."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from memdesk.ui.icons import icon
from memdesk.ui.models.memories import Card
from memdesk.ui.widgets.once import OnceToolButton

RAISED = 8
"""Pixels by which the strip stands above the card's upper edge, so that it hides little of it."""


class CardActions(QFrame):
    """Stands on one card at a time; says what was pressed, the list knows for whom."""

    pressed = Signal(str, object)
    """A deed (`edit`, `freeze`, `pin`, `switch`, `forget`, `more`) and the `Card` that it stands on"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._card: Card | None = None
        self.setProperty("panel", "card")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 2, 2, 2)
        row.setSpacing(0)
        self._buttons: dict[str, QToolButton] = {}
        for deed in ("edit", "freeze", "pin", "switch", "forget", "more"):
            button = OnceToolButton(self)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setMinimumSize(28, 28)
            button.clicked.connect(lambda _checked, deed=deed: self._press(deed))
            row.addWidget(button)
            self._buttons[deed] = button
        self._say("edit", "edit", self.tr("Edit memory"), "F2")
        self._say("forget", "trash", self.tr("Forget memory"), "Del")
        self._say("more", "more", self.tr("More"), "")
        self.hide()

    def card(self) -> Card | None:
        """Return the card that the strip stands on."""
        return self._card

    def place(self, card: Card, rect: QRect) -> None:
        """Stand on a card whose place in the parent is `rect`."""
        if card != self._card:
            self._card = card
            chunk = card.chunk
            frozen = self.tr("Unfreeze memory") if chunk.frozen else self.tr("Freeze memory")
            self._say("freeze", "sun" if chunk.frozen else "snow", frozen, "F")
            pinned = self.tr("Unpin memory") if chunk.pinned else self.tr("Pin memory")
            self._say("pin", "pin", pinned, "P")
            switch = self.tr("Turn memory off") if chunk.enabled else self.tr("Turn memory on")
            self._say("switch", "eye-off" if chunk.enabled else "eye", switch, "O")
            self.adjustSize()
        self.move(rect.right() - self.width() - 4, max(0, rect.top() - RAISED))
        self.show()
        self.raise_()

    def _say(self, deed: str, icon_name: str, words: str, key: str) -> None:
        button = self._buttons[deed]
        button.setIcon(icon(icon_name))
        button.setAccessibleName(words)
        button.setToolTip(f"{words} ({key})" if key else words)

    def _press(self, deed: str) -> None:
        if self._card is not None:
            self.pressed.emit(deed, self._card)

    def event(self, event: QEvent) -> bool:
        """Keep what happens here from the list below: a click beside a button opens nothing."""
        kinds = (
            QEvent.Type.MouseButtonPress,
            QEvent.Type.MouseButtonRelease,
            QEvent.Type.MouseButtonDblClick,
        )
        return True if event.type() in kinds else super().event(event)
