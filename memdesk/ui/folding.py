"""The sides of the window: folded where there is no room, and as the person left them otherwise."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from memdesk.ui.icons import icon

NARROW, VERY_NARROW = 1100, 820
"""Below these widths in pixels the right side, then the left, folds away until it is asked for."""


class Folding(QObject):
    """Folds `left` and `right` of a window; what a person folded by hand stays folded after a restart."""

    changed = Signal()
    """A person folded or unfolded a side"""

    def __init__(self, window: QWidget, left: QWidget, right: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._left = left
        self._right = right
        self._by_hand: set[str] = set()

    def button(self, side: QWidget, name: str, picture: str) -> QToolButton:
        """Return a button that shows a side or folds it away."""
        button = QToolButton(self._window)
        button.setIcon(icon(picture))
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(lambda: self.toggle(side))
        return button

    def toggle(self, side: QWidget) -> None:
        """Show a side or fold it away; a very narrow window has room for one of them."""
        shown = not side.isVisible()
        side.setVisible(shown)
        if self._window.width() >= NARROW:
            (self._by_hand.discard if shown else self._by_hand.add)(self._key(side))
            self.changed.emit()
        if shown and self._window.width() < VERY_NARROW:
            (self._left if side is self._right else self._right).setVisible(False)

    def show(self, side: QWidget) -> None:
        """Make sure that a side is seen."""
        if not side.isVisible():
            self.toggle(side)

    def resized(self, before: int, width: int) -> None:
        """Fold what has no room any more, and show what has room again; widths in pixels, -1 for none."""
        for limit, side in ((NARROW, self._right), (VERY_NARROW, self._left)):
            if width < limit <= before or (before < 0 and width < limit):
                side.setVisible(False)
            elif before < limit <= width:
                side.setVisible(self._key(side) not in self._by_hand)

    def by_hand(self) -> list[str]:
        """Return which sides were folded by hand: `left`, `right`."""
        return sorted(self._by_hand)

    def restore(self, folded: Collection[object]) -> None:
        """Fold what was folded by hand."""
        self._by_hand = {key for key in ("left", "right") if key in folded}
        for side in (self._left, self._right):
            if self._key(side) in self._by_hand:
                side.setVisible(False)

    def _key(self, side: QWidget) -> str:
        return "left" if side is self._left else "right"
