"""What a person does to memories in their tab: by strip, key, menu and dialog, and back with Undo."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QHoverEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QToolButton,
)

from memdesk.prompt.parts import Part, Reason
from memdesk.prompt.receipt import Receipt
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.card_actions import CardActions
from memdesk.workspace import Workspace
from tests.support.workspaces import sync
from tests.ui.panels.helpers import labels, made, opened, pills, spoken, texts, the_list

SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier


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


def select(panel: MemoriesPanel, row: int) -> None:
    view = the_list(panel)
    view.setFocus()
    view.setCurrentIndex(view.model().index(row, 0))


def key(
    panel: MemoriesPanel, which: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    QTest.keyClick(the_list(panel), which, held)


def hover(panel: MemoriesPanel, row: int) -> CardActions:
    view = the_list(panel)
    place = QPointF(view.visualRect(view.model().index(row, 0)).center())
    event = QHoverEvent(QEvent.Type.HoverMove, place, place, QPointF())
    QApplication.sendEvent(view.viewport(), event)
    strip = view.findChild(CardActions)
    assert strip is not None
    return strip


def press(find: Any, inside: Any, name: str, kind: type = QAbstractButton) -> None:
    QTest.mouseClick(find(inside, kind, name), Qt.MouseButton.LeftButton)


def dialog(qtbot: Any, title: str) -> QDialog:
    def there() -> list[QDialog]:
        windows = QApplication.topLevelWidgets()
        return [w for w in windows if isinstance(w, QDialog) and w.isVisible() and w.windowTitle() == title]

    qtbot.waitUntil(lambda: len(there()) == 1)
    return there()[0]


def choose(panel: MemoriesPanel, row: int, words: str) -> None:
    """Open the menu of a card and choose an entry."""
    view = the_list(panel)
    place = view.visualRect(view.model().index(row, 0)).center()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, view.viewport().mapToGlobal(place))
    QApplication.sendEvent(view.viewport(), event)
    menu = next(menu for menu in panel.findChildren(QMenu) if menu.isVisible())
    next(action for action in menu.actions() if action.text() == words).trigger()
    menu.close()


def says(panel: MemoriesPanel, qtbot: Any, row: int, *badges: str) -> None:
    """Wait until a row tells exactly these marks."""
    every = ("Frozen", "Pinned", "Edited", "Imported", "Off", "Source changed")

    def shown() -> bool:
        words = spoken(panel, row).split(", ")
        return [badge for badge in every if badge in words] == list(badges)

    qtbot.waitUntil(shown)


# ── flags ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_strip_freezes_pins_and_turns_off_the_memory_under_the_pointer(
    panel: MemoriesPanel, session: Session, qtbot: Any, find: Any, chat_id: int
) -> None:
    strip = hover(panel, 1)
    assert strip.isVisible()
    press(find, strip, "Freeze memory")
    says(panel, qtbot, 1, "Frozen")
    press(find, strip, "Pin memory")
    says(panel, qtbot, 1, "Frozen", "Pinned")
    press(find, strip, "Turn memory off")
    says(panel, qtbot, 1, "Frozen", "Pinned", "Off")
    assert pills(panel) == ["4 Vectorized", "1 Frozen", "1 Pinned", "1 Off"]
    press(find, strip, "Unfreeze memory")
    says(panel, qtbot, 1, "Pinned", "Off")
    for _ in range(4):
        session.undo()
    says(panel, qtbot, 1)
    assert all(chunk.enabled for chunk in session.workspace.chunks.page(chat_id, 0))


def test_keys_do_the_same_for_all_selected_memories(
    panel: MemoriesPanel, session: Session, qtbot: Any, chat_id: int, workspace: Workspace
) -> None:
    select(panel, 0)
    key(panel, Qt.Key.Key_Down, SHIFT)
    key(panel, Qt.Key.Key_Down, SHIFT)
    assert "3 selected" in labels(panel)
    key(panel, Qt.Key.Key_F)
    says(panel, qtbot, 2, "Frozen")
    key(panel, Qt.Key.Key_O)
    says(panel, qtbot, 0, "Frozen", "Off")
    # What is selected stays selected while the cards are read anew.
    key(panel, Qt.Key.Key_P)
    says(panel, qtbot, 1, "Frozen", "Pinned", "Off")
    key(panel, Qt.Key.Key_F)
    says(panel, qtbot, 2, "Pinned", "Off")
    says(panel, qtbot, 3)
    session.undo()
    says(panel, qtbot, 2, "Frozen", "Pinned", "Off")
    assert sum(chunk.frozen for chunk in workspace.chunks.page(chat_id, 0)) == 3


@pytest.mark.usefixtures("chat_id")
def test_clicks_select_several_and_only_a_plain_click_jumps(
    panel: MemoriesPanel, qtbot: Any, find: Any
) -> None:
    view = the_list(panel)
    jumps: list[int] = []
    panel.jumpRequested.connect(jumps.append)

    def click(row: int, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        place = view.visualRect(view.model().index(row, 0)).center()
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, held, place)

    click(0)
    assert len(jumps) == 1
    click(2, SHIFT)
    assert [card.id for card in view.selectedCards()] == [card.id for card in panel.cards()[:3]]
    click(1, CONTROL)
    assert "2 selected" in labels(panel)
    assert len(jumps) == 1
    press(find, panel, "Freeze or unfreeze the selected memories")
    says(panel, qtbot, 2, "Frozen")
    says(panel, qtbot, 1)
    press(find, panel, "Select nothing")
    assert not view.selectedCards()
    assert not any(words.endswith("selected") for words in labels(panel))


# ── forgetting ───────────────────────────────────────────────────────────────────────────────────────


def test_del_forgets_and_undo_brings_back(
    panel: MemoriesPanel, session: Session, qtbot: Any, chat_id: int, workspace: Workspace
) -> None:
    before = workspace.chunks.page(chat_id, workspace.sync.space_id)
    offered: list[Any] = []
    panel.deeds.forgotten.connect(offered.append)
    select(panel, 1)
    key(panel, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: len(panel.cards()) == 3)
    assert before[1].text not in texts(panel)
    assert offered[0].label == before[1].text
    session.undo(offered[0])
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert workspace.chunks.page(chat_id, workspace.sync.space_id) == before


def test_forgetting_twice_says_nothing_and_all_can_go(
    panel: MemoriesPanel, session: Session, qtbot: Any, chat_id: int
) -> None:
    told: list[Any] = []
    session.failed.connect(told.append)
    card = panel.cards()[0]
    panel.deeds.do("forget", [card])
    panel.deeds.do("forget", [card])
    qtbot.waitUntil(lambda: len(panel.cards()) == 3)
    the_list(panel).selectAll()
    key(panel, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not panel.cards())
    assert not told
    assert session.workspace.chunks.page(chat_id, 0) == []


# ── text ─────────────────────────────────────────────────────────────────────────────────────────────


def test_f2_edits_shows_what_changed_and_leads_back(
    panel: MemoriesPanel, qtbot: Any, find: Any, chat_id: int, workspace: Workspace
) -> None:
    original = panel.cards()[0].chunk.text
    select(panel, 0)
    key(panel, Qt.Key.Key_F2)
    editor = dialog(qtbot, "Edit memory")
    field = find(editor, QPlainTextEdit, "Text of the memory")
    assert field.toPlainText() == original
    assert not [box for box in editor.findChildren(QPlainTextEdit) if box.isVisible() and box.isReadOnly()]
    field.setPlainText(original.replace("believe", "trust"))
    changes = find(editor, QPlainTextEdit, "Changes from the original")
    assert "believetrust" in changes.toPlainText()
    for mode in ("dark", "light"):
        current_theme().setMode(mode)  # type: ignore[arg-type]
        assert "believetrust" in changes.toPlainText()
    field.setPlainText("  \n ")
    assert not find(editor, QPushButton, "Save").isEnabled()
    field.setPlainText(original.replace("believe", "trust"))
    QTest.keyClick(field, Qt.Key.Key_Return, CONTROL)
    says(panel, qtbot, 0, "Edited")
    assert "trust" in texts(panel)[0]
    assert "3 Vectorized" in pills(panel)
    hover(panel, 0)
    press(find, the_list(panel), "Edit memory")
    editor = dialog(qtbot, "Edit memory")
    press(find, editor, "Back to the original")
    press(find, editor, "Save")
    says(panel, qtbot, 0)
    assert texts(panel)[0] == original
    assert workspace.chunks.page(chat_id, workspace.sync.space_id)[0].has_vector


def test_a_note_is_added_and_taken_back(
    panel: MemoriesPanel, session: Session, qtbot: Any, find: Any, chat_id: int
) -> None:
    press(find, panel, "Add a note")
    editor = dialog(qtbot, "Add a note")
    find(editor, QPlainTextEdit, "Note").setPlainText("Mara fears the sea.")
    press(find, editor, "Add note")
    qtbot.waitUntil(lambda: "Mara fears the sea." in texts(panel))
    assert spoken(panel, 0).startswith("A note, Waiting for vector, today")
    session.undo()
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert chat_id


def test_a_kept_memory_says_that_its_message_changed(
    panel: MemoriesPanel, qtbot: Any, find: Any, chat_id: int, workspace: Workspace
) -> None:
    chunk = panel.cards()[0].chunk
    workspace.memories.freeze([chunk.id], value=True)
    workspace.library.edit_message(chunk.source_messages[0], "Something else.")
    says(panel, qtbot, 0, "Frozen", "Source changed")
    press(find, panel, "1 Source changed")
    qtbot.waitUntil(lambda: texts(panel) == [chunk.text])
    select(panel, 0)
    key(panel, Qt.Key.Key_F2)
    editor = dialog(qtbot, "Edit memory")
    assert any("says something else" in words for words in labels(editor))  # type: ignore[arg-type]
    press(find, editor, "Cancel")
    assert chat_id


# ── the menu ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.usefixtures("chat_id")
def test_the_menu_holds_every_act(panel: MemoriesPanel, qtbot: Any) -> None:
    choose(panel, 1, "Freeze")
    says(panel, qtbot, 1, "Frozen")
    choose(panel, 1, "Unfreeze")
    says(panel, qtbot, 1)
    choose(panel, 1, "Pin")
    choose(panel, 1, "Turn off")
    says(panel, qtbot, 1, "Pinned", "Off")
    choose(panel, 1, "Copy text")
    assert QGuiApplication.clipboard().text() == texts(panel)[1]
    with qtbot.waitSignal(panel.jumpRequested):
        choose(panel, 1, "Jump to source")
    choose(panel, 1, "Forget")
    qtbot.waitUntil(lambda: len(panel.cards()) == 3)


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_memory_tells_how_often_it_was_sent_and_leads_to_the_replies(
    panel: MemoriesPanel, qtbot: Any, chat_id: int, workspace: Workspace
) -> None:
    chunk = panel.cards()[3].chunk
    replies = [workspace.messages.page(chat_id, number, 1)[0] for number in (2, 4)]
    for reply in replies:
        workspace.conversation._stores.memories.note_recalls(reply.swipe.id, [chunk.id])
    panel._session.memoriesChanged.emit(chat_id)
    qtbot.waitUntil(lambda: "recalled 2 times" in spoken(panel, 3))
    view = the_list(panel)
    panel.deeds.menu(view.meant(panel.cards()[3]), panel.mapToGlobal(QPoint(5, 5)))
    menu = next(menu for menu in panel.findChildren(QMenu) if menu.title() == "Sent with replies (2)")
    with qtbot.waitSignal(panel.jumpRequested) as jumped:
        menu.actions()[0].trigger()
    assert jumped.args == [replies[1].id]
    for open_menu in panel.findChildren(QMenu):
        open_menu.close()


# ── try recall ───────────────────────────────────────────────────────────────────────────────────────


def test_trying_recall_ranks_live_and_its_sliders_become_the_chats(
    panel: MemoriesPanel, session: Session, qtbot: Any, find: Any, chat_id: int, workspace: Workspace
) -> None:
    press(find, panel, "Try recall", QToolButton)
    qtbot.waitUntil(lambda: "What would be recalled?" in labels(panel))
    field = find(panel, QLineEdit, "Try recall with")
    QTest.keyClicks(field, "when is your birthday")
    qtbot.waitUntil(lambda: len(panel.cards()) > 0 and "birthday" in texts(panel)[0])
    assert ", in this try: " in spoken(panel, 0)
    assert any(words.endswith(" ms") and "would be sent" in words for words in labels(panel))
    threshold = find(panel, QSlider, "Threshold")
    use = find(panel, QPushButton, "Use for this chat")
    assert threshold.value() == 25
    assert not use.isEnabled()
    threshold.setValue(100)
    qtbot.waitUntil(lambda: "in this try, not sent: below threshold 1.00" in spoken(panel, 0))
    find(panel, QSlider, "Memories sent at most").setValue(7)
    press(find, panel, "Use for this chat")
    qtbot.waitUntil(lambda: not use.isEnabled())
    assert workspace.memories.settings(chat_id).threshold == 1.0
    assert workspace.memories.settings(chat_id).top_k == 7
    session.undo()
    qtbot.waitUntil(lambda: workspace.memories.settings(chat_id).top_k == 3)
    assert not panel.grab().isNull()
    field.clear()
    qtbot.waitUntil(lambda: "What would be recalled?" in labels(panel))
    press(find, panel, "Try recall", QToolButton)
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert "in this try" not in spoken(panel, 0)


def test_the_switch_turns_recall_off_for_the_chat_and_says_so(
    panel: MemoriesPanel, qtbot: Any, find: Any, chat_id: int, workspace: Workspace
) -> None:
    press(find, panel, "Try recall", QToolButton)
    find(panel, QCheckBox, "Enable Memory Recall").click()
    qtbot.waitUntil(lambda: not workspace.memories.settings(chat_id).enabled)
    qtbot.waitUntil(lambda: any("Memory Recall is off" in words for words in labels(panel)))
    # Trying works all the same: one wants to see what one would get.
    QTest.keyClicks(find(panel, QLineEdit, "Try recall with"), "lamp")
    qtbot.waitUntil(lambda: len(panel.cards()) > 0)
    find(panel, QCheckBox, "Enable Memory Recall").click()
    qtbot.waitUntil(lambda: not any("Memory Recall is off" in words for words in labels(panel)))


# ── from a reply ─────────────────────────────────────────────────────────────────────────────────────


def test_a_reply_whose_memories_are_shown_can_be_run_again(
    panel: MemoriesPanel, qtbot: Any, find: Any, chat_id: int
) -> None:
    card = panel.cards()[0]
    part = Part(
        "memory", "#4", card.chunk.text, 9, included=True, reason=Reason("pinned"), source={"chunk": card.id}
    )
    receipt = Receipt(8192, 512, 900, (part,), ())
    name = "Run the reply again"
    panel.setReceipt(receipt, None)
    assert not [
        button for button in panel.findChildren(QPushButton) if button.text() == name and button.isVisible()
    ]
    panel.setReceipt(receipt, (77, 4))
    assert "in reply #4" in spoken(panel, 0)
    with qtbot.waitSignal(panel.rerunRequested) as asked:
        press(find, panel, name)
    assert asked.args == [77]
    panel.setChat(None)
    assert not [
        button for button in panel.findChildren(QPushButton) if button.text() == name and button.isVisible()
    ]
    assert chat_id
