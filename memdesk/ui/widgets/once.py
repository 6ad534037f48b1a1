"""Buttons on which a double click is one click.

Whoever clicks twice in haste wants one new chat, one deleted message, one reply; and where the first click
has put another button in its place, Stop for Send, they do not want that one at all.
"""

from __future__ import annotations

from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QPushButton, QToolButton


class OncePushButton(QPushButton):
    """A push button that takes no second click of a double click."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take the click away: as it comes in, QWidget would press the button again."""
        event.accept()


class OnceToolButton(QToolButton):
    """A tool button that takes no second click of a double click."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take the click away, as above."""
        event.accept()
