"""All memories of a chat at once, from their tab: rebuilt, cleared, cut anew, seen as of a message."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QToolButton,
)

from memdesk.chats.changes import Change, ChangeKind
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.session import Session
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import sync
from tests.ui.panels.helpers import labels, made, opened, texts
from tests.ui.panels.test_memory_acts import choose, dialog, press


@pytest.fixture
def panel(session: Session, qtbot: Any) -> MemoriesPanel:
    shown = MemoriesPanel(session)
    qtbot.addWidget(shown)
    shown.resize(392, 640)
    shown.show()
    return shown


@pytest.fixture
def chat_id(panel: MemoriesPanel, workspace: Workspace, qtbot: Any) -> int:
    made_id = made(workspace)
    sync(workspace)
    opened(panel, qtbot, made_id, 4)
    return made_id


def told(panel: MemoriesPanel, qtbot: Any, act: Any) -> str:
    with qtbot.waitSignal(panel.upkeep.told) as news:
        act()
    return str(news.args[0])


def test_a_rebuild_says_what_it_did_and_can_be_taken_back(
    panel: MemoriesPanel, session: Session, workspace: Workspace, qtbot: Any, find: Any, chat_id: int
) -> None:
    workspace.memories.forget([panel.cards()[0].id])
    qtbot.waitUntil(lambda: len(panel.cards()) == 3)
    words = told(panel, qtbot, lambda: press(find, panel, "Rebuild memories", QToolButton))
    assert words == "Memories rebuilt: 1 made anew, 3 as they were."
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    session.undo()
    qtbot.waitUntil(lambda: len(panel.cards()) == 3)
    assert workspace.messages.count(chat_id) == 4


def test_clearing_asks_first_and_leaves_the_messages(
    panel: MemoriesPanel, session: Session, workspace: Workspace, qtbot: Any, find: Any, chat_id: int
) -> None:
    workspace.memories.add_note(chat_id, "The key is in the tin.")
    qtbot.waitUntil(lambda: len(panel.cards()) == 5)
    press(find, panel, "Clear memories", QToolButton)
    box = dialog(qtbot, "Clear Memories")
    assert isinstance(box, QMessageBox)
    assert box.text() == "Clear all 5 memories of this chat?"
    assert "messages of the chat are not deleted" in box.informativeText()
    assert "1 of them are frozen" in box.informativeText()
    assert box.defaultButton().text() == "Cancel"
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert len(panel.cards()) == 5
    press(find, panel, "Clear memories", QToolButton)
    (clear,) = [b for b in dialog(qtbot, "Clear Memories").findChildren(QPushButton) if b.text() == "Clear"]
    told(panel, qtbot, clear.click)
    qtbot.waitUntil(lambda: not panel.cards())
    assert workspace.messages.count(chat_id) == 4
    session.undo()
    qtbot.waitUntil(lambda: len(panel.cards()) == 5)


def test_the_slider_shows_what_was_known_at_a_message(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any, chat_id: int
) -> None:
    seen: list[int] = []
    panel.lookedAt.connect(seen.append)
    press(find, panel, "Known at a message", QToolButton)
    slider = find(panel, QSlider, "Known at message")
    qtbot.waitUntil(lambda: slider.maximum() == 5 and slider.value() == 5)
    assert "4 of 4 memories are known for the next reply." in labels(panel)
    find(panel, QSpinBox, "Message number").setValue(3)
    qtbot.waitUntil(lambda: len(texts(panel)) == 2)
    assert slider.value() == 3
    assert "2 of 4 memories are known at message 3." in labels(panel)
    third = workspace.messages.ids(chat_id)[2]
    with qtbot.waitSignal(panel.jumpRequested, check_params_cb=lambda message: message == third):
        press(find, panel, "Go to this message", QToolButton)
    slider.setValue(1)
    qtbot.waitUntil(lambda: texts(panel) == [])
    press(find, panel, "Known at a message", QToolButton)
    qtbot.waitUntil(lambda: len(texts(panel)) == 4)
    assert seen == [5, 3, 1, 0]


def test_another_grain_is_chosen_with_its_own_number_of_memories(
    panel: MemoriesPanel, session: Session, workspace: Workspace, qtbot: Any, find: Any, chat_id: int
) -> None:
    press(find, panel, "Recall settings", QToolButton)
    box = dialog(qtbot, "Recall settings")
    find(box, QComboBox, "A memory is made of").setCurrentIndex(1)
    assert find(box, QSpinBox, "Memories sent at most").value() == 8
    assert not find(box, QSpinBox, "Length of a memory").isEnabled()
    assert any("made anew in the background" in label for label in labels_of(box))
    find(box, QSpinBox, "Newest messages that are always sent").setValue(7)
    told(panel, qtbot, lambda: press(find, box, "Save", QPushButton))
    stored = workspace.chats.get(chat_id).settings["recall"]
    assert stored == {"grain": "exchanges", "protect": 7}
    assert workspace.memories.settings(chat_id).top_k == 8
    workspace.sync.chunk_stale(CancelToken())
    workspace.bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
    # Four messages are no exchange yet.
    qtbot.waitUntil(lambda: not panel.cards())
    session.undo()
    qtbot.waitUntil(lambda: workspace.memories.settings(chat_id).grain == "messages")


def labels_of(widget: Any) -> list[str]:
    from PySide6.QtWidgets import QLabel

    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_memory_is_split_at_the_cursor_and_merged_again(
    panel: MemoriesPanel, session: Session, qtbot: Any, find: Any, chat_id: int
) -> None:
    before = texts(panel)
    place = next(row for row, text in enumerate(before) if "dead lamp" in text)
    choose(panel, place, "Split in two…")
    box = dialog(qtbot, "Split memory")
    split = find(box, QPushButton, "Split")
    text = find(box, QPlainTextEdit, "Text of the memory")
    cursor = text.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    text.setTextCursor(cursor)
    assert not split.isEnabled()
    cursor.setPosition(before[place].index('"The year'))
    text.setTextCursor(cursor)
    assert find(box, QPlainTextEdit, "Second memory").toPlainText() == 'Mara: "The year it failed."'
    split.click()
    qtbot.waitUntil(lambda: len(panel.cards()) == 5)
    parts = [row for row, card in enumerate(panel.cards()) if card.first == 2]
    assert all(panel.cards()[row].chunk.edited for row in parts)
    first = next(row for row in parts if "dead lamp" in texts(panel)[row])
    choose(panel, first, "Merge with the next in the chat")
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert sorted(texts(panel)) == sorted(before)
    session.undo()
    qtbot.waitUntil(lambda: len(panel.cards()) == 5)
    assert chat_id
