"""Memories in the whole window: what the tab does reaches the chat, the toast and Ctrl+Z."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView, QPushButton

from tests.support.fake_llm import FakeLLM
from tests.ui.windows import Desk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

LINES = (
    "My birthday is the fifteenth of March.",
    "The lamp failed in the winter of the great storm.",
    "Let us repair it.",
    "We shall see about that.",
)


def test_del_forgets_with_a_toast_and_control_z_brings_back(desk: Desk) -> None:
    desk.prepare(*LINES)
    window = desk.open()
    window.wait(lambda: len(window.rows("Memories")) == 4)
    view = window.find(QListView, "Memories")
    view.setFocus()
    view.setCurrentIndex(view.model().index(0, 0))
    window.key(Qt.Key.Key_Delete, on=view)
    window.wait(lambda: len(window.rows("Memories")) == 3)
    window.wait(lambda: window.toast == "Moved to the trash: Mara: We shall see about that.")
    window.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier, on=view)
    window.wait(lambda: len(window.rows("Memories")) == 4)
    assert desk.query("SELECT count(*) FROM trash") == [(0,)]
    window.key(Qt.Key.Key_Delete, on=view)
    window.wait(lambda: len(window.rows("Memories")) == 3)
    window.press("Undo")
    window.wait(lambda: len(window.rows("Memories")) == 4)


def test_the_reply_whose_memories_are_shown_is_written_again(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    desk.prepare(*LINES)
    window = desk.open()
    window.say("When is my birthday?")
    window.wait(lambda: window.has(QPushButton, "Run the reply again"))
    window.wait(lambda: window.find(QPushButton, "Run the reply again").isEnabled())
    reply = window.stored()[-1]
    window.press("Run the reply again")
    window.wait(lambda: window.stored()[-1].swipe_count == 2)
    window.wait_idle()
    assert window.stored()[-1].id == reply.id
