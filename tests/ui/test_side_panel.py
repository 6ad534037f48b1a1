"""The right side: a panel becomes a window of its own, and comes back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QListView, QTabBar, QToolButton, QWidget

from memdesk.ui.panels.side_panel import _Window
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

TABS = ["Memories", "Summary", "Prompt", "Search"]
CTRL = Qt.KeyboardModifier.ControlModifier


def outside(_window: OpenDesk) -> list[QWidget]:
    return [w for w in QApplication.topLevelWidgets() if isinstance(w, _Window) and w.isVisible()]


def tabs(window: OpenDesk) -> list[str]:
    bar = window.find(QTabBar, "Panels")
    return [bar.tabText(place) for place in range(bar.count())]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_panel_goes_out_and_comes_back_into_its_place(desk: Desk) -> None:
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    window.wait(lambda: window.rows("Memories"))
    window.press("Open panel in its own window")
    (own,) = outside(window)
    assert own.windowTitle() == "Memories — memdesk"
    assert window.find(QListView, "Memories").window() is own
    assert tabs(window) == TABS[1:]
    window.key(Qt.Key.Key_1, CTRL, on=window.window)
    assert tabs(window) == TABS[1:]
    own.close()
    window.wait(lambda: tabs(window) == TABS)
    assert window.find(QListView, "Memories").window() is window.window


def test_all_panels_can_be_out_at_once(desk: Desk) -> None:
    window = desk.open()
    for _ in TABS:
        window.press("Open panel in its own window")
    assert len(outside(window)) == len(TABS)
    assert tabs(window) == []
    assert not window.find(QToolButton, "Open panel in its own window").isEnabled()
    for own in outside(window):
        own.close()
    window.wait(lambda: tabs(window) == TABS)
    assert window.find(QToolButton, "Open panel in its own window").isEnabled()


def test_a_panel_that_is_out_is_out_again_after_a_restart(desk: Desk) -> None:
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    window.press("Open panel in its own window")
    desk.close(window)
    assert outside(window) == []
    window = desk.open()
    window.wait(lambda: len(outside(window)) == 1)
    window.wait(lambda: window.rows("Memories"))
    # The screen of a test is small: the window came back narrow, with its side folded away.
    window.press("Show or hide panels")
    assert tabs(window) == TABS[1:]
    outside(window)[0].close()
    window.wait(lambda: tabs(window) == TABS)


def test_a_click_on_a_memory_scrolls_the_chat_to_its_source(desk: Desk) -> None:
    desk.prepare(*[f"Line number {number} of the long chat, with words in it." for number in range(1, 151)])
    window = desk.open()
    window.wait(lambda: len(window.rows("Memories")) == 150)
    view = window.find(QListView, "Memories")
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum())
    window.rest(50)
    model, role = view.model(), Qt.ItemDataRole.AccessibleTextRole
    spoken = [model.index(row, 0).data(role) for row in range(model.rowCount())]
    row = next(row for row, words in enumerate(spoken) if "number 3 of" in words)
    window.click_row(view, row)
    window.wait(lambda: "Line number 3 of the long chat, with words in it." in window.shown())
    widget = window.message(3)
    window.wait(lambda: not widget.visibleRegion().isEmpty())
    assert window.window.chat.view.current_id == widget.message.id
