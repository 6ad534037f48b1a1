"""Where the reader is on the page of a chat: what is under the eyes, and what has the keyboard.

column(width, widest)                     left edge and width of the messages in a view of `width` pixels
anchor(widgets, top, height)              the message that must not move on the screen, and its distance
reveal(area, widget)                      scroll no further than it takes to see a message
pass_focus(widgets, going, area)          let a neighbour take the keyboard from what goes away
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea

from memdesk.ui.widgets.message_widget import PAD_X, MessageWidget

SPACING = 8
"""Pixels between two messages."""


def column(width: int, widest: int) -> tuple[int, int]:
    """Return left edge and width of the messages; text and avatar together are at most `widest` wide."""
    inner = min(widest, max(160, width - (68 if width > 520 else 24)))
    return max(0, (width - inner) // 2) - PAD_X, inner + 2 * PAD_X


def anchor(widgets: Sequence[MessageWidget], top: int, height: int) -> tuple[MessageWidget, int] | None:
    """Return a message in the upper half of the view, best one that begins there, and its place in it."""
    found = None
    for widget in widgets:
        if widget.isHidden() or widget.y() + widget.height() <= top:
            continue
        if found is not None and widget.y() > top + height // 2:
            break
        found = (widget, widget.y() - top)
        if widget.y() >= top:
            break
    return found


def reveal(area: QScrollArea, widget: MessageWidget) -> None:
    """Scroll no further than it takes to see a message, its beginning first."""
    top, bottom = widget.y(), widget.y() + widget.height()
    bar, height = area.verticalScrollBar(), area.viewport().height()
    if top < bar.value():
        bar.setValue(top - SPACING)
    elif bottom > bar.value() + height:
        bar.setValue(min(top - SPACING, bottom - height + SPACING))


def pass_focus(widgets: Sequence[MessageWidget], going: Sequence[MessageWidget], area: QScrollArea) -> bool:
    """Give the keyboard to the next message, else the one before, else the page; return whether it was there.

    Qt would look for another place anywhere in the window.
    """
    focus = QApplication.focusWidget()
    if focus is None or not any(widget is focus or widget.isAncestorOf(focus) for widget in going):
        return False
    places = [at for at, widget in enumerate(widgets) if widget in going]
    near = [*widgets[places[-1] + 1 :], *reversed(widgets[: places[0]])]
    (near[0] if near else area).setFocus(Qt.FocusReason.OtherFocusReason)
    return True
