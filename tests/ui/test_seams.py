"""Where the pieces of the window meet: keys, tab order, second clicks, and what all chats share."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialog,
    QListWidget,
    QPushButton,
    QRadioButton,
    QToolButton,
    QWidget,
)

from memdesk.chats.model import SwipeState
from memdesk.llm.profile import ConnectionProfile
from memdesk.ui import running
from memdesk.ui.dialogs.choose_members import ChooseMembersDialog
from memdesk.ui.dialogs.personas import PersonasDialog
from memdesk.ui.dialogs.preferences import PreferencesDialog
from memdesk.ui.dialogs.shortcuts import KeyButton
from memdesk.ui.keymap import WINDOW, current_keymap
from memdesk.ui.models.memories import Mark, Sort
from memdesk.ui.widgets.once import OncePushButton, OnceToolButton
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import sync
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


@pytest.fixture(name="open_desk")
def open_desk_fixture(desk: Desk) -> OpenDesk:
    desk.prepare("Hello.", "Good day.")
    return desk.open()


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_two_actions_come_with_the_same_key(open_desk: OpenDesk) -> None:
    keymap = current_keymap()
    known = sorted(keymap._defaults)
    assert {act.id for act in open_desk.window.acts.all()} <= set(known)
    clashes = {
        (act_id, other, key)
        for act_id in known
        for key in keymap.default(act_id)
        for other in keymap.clashes(act_id, key)
        # Other tests of this process may have taught the keymap actions of their own.
        if not act_id.startswith("test.") and not other.startswith("test.")
    }
    assert not clashes


def test_every_key_reaches_its_action_while_one_writes(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts = open_desk.window.acts
    heard: list[str] = []
    for act in acts.all():
        monkeypatch.setattr(act, "run", lambda name=act.id: heard.append(name))
        monkeypatch.setattr(act, "when", None)
        act.action.setEnabled(True)
    words = open_desk.words
    words.setFocus()
    wanted = []
    for act in acts.all():
        for sequence in current_keymap().sequences(act.id):
            wanted.append(act.id)
            QTest.keySequence(words, sequence)
    assert heard == wanted


def test_keys_that_a_widget_looks_at_itself_are_all_listed() -> None:
    keymap = current_keymap()
    inside = {act_id for act_id, scope in keymap._scopes.items() if scope != WINDOW}
    assert all(keymap.default(act_id) for act_id in inside)


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────


def drop(window: OpenDesk, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    window.window.dropEvent(QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, none))


def test_files_of_every_kind_come_in_by_one_door(desk: Desk, tmp_path: Path) -> None:
    chat = desk.prepare("Hello.", "Good day.")
    with desk.workspace() as workspace:
        sync(workspace)
        memories = tmp_path / "no special name.json"
        workspace.memory_files.export(chat.id, memories, "memdesk", with_vectors=False)
        workspace.presets.export("default-zh", tmp_path / "preset.json")
    card = tmp_path / "card.json"
    card.write_text('{"spec": "chara_card_v2", "data": {"name": "Vela", "first_mes": "Hi."}}', "utf-8")
    personas = tmp_path / "p.json"
    personas.write_text('{"personas": {"a.png": "Rook"}, "persona_descriptions": {}}', "utf-8")
    broken = tmp_path / "broken.json"
    broken.write_text("{{{", "utf-8")
    window = desk.open()
    window.open_chat("Talk")
    drop(window, card, tmp_path / "preset.json", memories, broken, personas)
    window.wait(lambda: window.all(QDialog, "") and window.toast)
    told = window.toast
    assert "broken.json" in told
    assert "Character imported: " in told
    assert "Vela" in told
    assert "1 persona" in told
    # What must be looked at first comes one by one.
    (preset,) = [item for item in window.all(QDialog) if item.windowTitle() == "Import preset"]
    assert not [item for item in window.all(QDialog) if item.windowTitle() == "Import memories"]
    window.press("Keep preset", preset)
    window.wait(lambda: [item for item in window.all(QDialog) if item.windowTitle() == "Import memories"])
    (shown,) = [item for item in window.all(QDialog) if item.windowTitle() == "Import memories"]
    shown.reject()
    window.wait(lambda: "Preset kept" in window.toast)
    names = [item.preset.name for item in window.workspace.presets.all()]
    assert names.count("默认") + names.count("默认 2") == 2
    window.window.undo()
    window.wait(lambda: len(window.workspace.presets.all()) == 2)
    window.window.undo()
    window.wait(lambda: [item.name for item in window.workspace.characters.all()] == ["Mara"])
    assert "Rook" not in [item.name for item in window.workspace.personas.all()]


def test_memories_need_a_chat_that_is_open(desk: Desk, tmp_path: Path) -> None:
    chat = desk.prepare("Hello.", "Good day.")
    with desk.workspace() as workspace:
        sync(workspace)
        workspace.memory_files.export(chat.id, tmp_path / "m.json", "memdesk", with_vectors=False)
        workspace.library.delete_chat(chat.id)
    window = desk.open()
    drop(window, tmp_path / "m.json")
    window.wait(lambda: "open the chat" in window.toast)


# ── all chats ────────────────────────────────────────────────────────────────────────────────────────────


def test_what_all_chats_use_can_be_taken_back(open_desk: OpenDesk) -> None:
    session, workspace = open_desk.window._session, open_desk.workspace
    told: list[bool] = []
    session.settingsChanged.connect(lambda: told.append(True))
    session.change_for_all("默认", preset="default-zh")
    open_desk.wait(lambda: workspace.settings.preset == "default-zh" and told)
    session.change_for_all("Note", note=workspace.settings.note.model_copy(update={"text": "Rain."}))
    open_desk.wait(lambda: workspace.settings.note.text == "Rain.")
    told.clear()
    open_desk.window.undo()
    open_desk.wait(lambda: not workspace.settings.note.text and told)
    assert workspace.settings.preset == "default-zh"
    open_desk.window.undo()
    open_desk.wait(lambda: not workspace.settings.preset)


def test_the_foot_names_the_connection_of_the_chat(desk: Desk) -> None:
    one = ConnectionProfile(name="First", base_url="http://127.0.0.1:9/v1", model="a")
    two = ConnectionProfile(name="Second", base_url="http://127.0.0.1:9/v1", model="b")
    chat = desk.prepare("Hello.")
    desk.set(connections=[one, two], connection=one.id)
    window = desk.open()
    window.open_chat("Talk")
    foot = window.window.status._connection
    assert "First" in foot.text()
    presets = window.workspace.presets
    window.window._session.act(lambda: presets.choose(chat.id, {"connection": two.id}))
    window.wait(lambda: "Second" in foot.text())
    assert "of its own" in foot.toolTip()
    window.window.undo()
    window.wait(lambda: "First" in foot.text())


def test_order_and_filter_of_the_memories_outlive_a_restart(desk: Desk) -> None:
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    window.open_chat("Talk")
    panel = window.window.memories
    panel.search_row.order.setCurrentIndex(2)
    panel.pills.choose(mark=Mark.FROZEN)
    desk.close(window)
    again = desk.open()
    panel = again.window.memories
    assert panel.search_row.order.currentData() is Sort.LARGEST
    assert panel.pills.mark is Mark.FROZEN


def test_preferences_lead_to_the_personas(open_desk: OpenDesk) -> None:
    open_desk.window.acts.run("app.preferences")
    open_desk.wait(lambda: open_desk.all(PreferencesDialog))
    open_desk.press("Personas…", open_desk.all(PreferencesDialog)[0])
    open_desk.wait(lambda: open_desk.all(PersonasDialog))
    assert not open_desk.all(PreferencesDialog)


def test_reading_in_for_the_search_is_named(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SHOWN_AFTER_MS", 0)
    finder = open_desk.workspace.finder
    monkeypatch.setattr(finder, "waiting", lambda: 12)
    finder._behind = True
    open_desk.window.status._indexing.look()
    open_desk.wait(lambda: open_desk.has(QWidget, "Reading messages in for the search: 0 of 12"))
    finder._behind = False
    open_desk.window.status._indexing.look()
    open_desk.wait(lambda: not open_desk.has(QWidget, "Reading messages in for the search: 0 of 12"))


# ── a character that is gone ─────────────────────────────────────────────────────────────────────────────


def test_somebody_else_goes_on_where_the_character_is_gone(desk: Desk) -> None:
    chat = desk.prepare("Hello.", "Good day.")
    with desk.workspace() as workspace:
        card = {"spec": "chara_card_v3", "data": {"name": "Vela"}}
        vela = workspace.library.add_character("Vela", card).id
    window = desk.open()
    window.open_chat("Talk")
    button = "Choose another character…"
    assert not window.has(QAbstractButton, button)
    mara = window.workspace.chats.get(chat.id).character_ids[0]
    window.window._session.delete_character(mara)
    window.wait(lambda: window.has(QAbstractButton, button))
    window.workspace.empty_trash()
    window.window._session.charactersChanged.emit()
    window.window.library.reload()
    window.wait(lambda: window.window.chat.chat and not window.window.chat.chat.members)
    window.press(button)
    window.wait(lambda: window.all(ChooseMembersDialog))
    (dialog,) = window.all(ChooseMembersDialog)
    rows = dialog.findChild(QListWidget)
    assert [rows.item(at).text() for at in range(rows.count())] == ["Vela"]
    rows.item(0).setCheckState(Qt.CheckState.Checked)
    window.press("Add", dialog)
    window.wait(lambda: not window.has(QAbstractButton, button))
    assert window.workspace.chats.get(chat.id).character_ids == (vela,)
    assert window.workspace.chats.get(chat.id).kind == "single"
    window.say("And you are?")
    assert window.stored()[-1].name == "Vela"
    window.window.undo()
    window.wait(lambda: window.has(QAbstractButton, button))


# ── two quick clicks ─────────────────────────────────────────────────────────────────────────────────────


def twice(button: QWidget) -> None:
    """Double-click as a window system reports it."""
    left = Qt.MouseButton.LeftButton
    QTest.mouseClick(button, left)
    QTest.mouseDClick(button, left)
    QTest.mouseRelease(button, left)


MAY_REPEAT = ("Previous version", "Next version", "Previous match", "Next match", "Close", "All chats")


def unguarded(window: OpenDesk) -> set[str]:
    """Return the buttons in sight on which a double click counts twice, without those that only show."""
    found = set()
    for button in window.all(QAbstractButton):
        plain = isinstance(button, QPushButton | QToolButton) and not button.isCheckable()
        if not plain or isinstance(button, OncePushButton | OnceToolButton):
            continue
        menu = button.menu() is not None
        name = button.accessibleName() or button.text()
        if (
            not menu
            and name
            and name not in MAY_REPEAT
            and not isinstance(button, KeyButton)
            and not name.startswith("Move")
        ):
            found.add(name)
    return found


def test_two_quick_clicks_are_one_act(desk: Desk, server: FakeLLM) -> None:
    desk.prepare("Hello.", "Good day.", "And?", "Well.")
    desk.connect(server.profile())
    server.reply = "In the tower."
    window = desk.open()
    window.open_chat("Talk")
    window.type("Where is the key?")
    twice(window.find(QAbstractButton, "Send"))
    window.wait_idle()
    window.wait(lambda: len(window.stored()) == 6)
    # A second click on what is Stop by then would have stopped the reply.
    assert [message.text for message in window.stored()][4:] == ["Where is the key?", "In the tower."]
    assert window.stored()[-1].swipe.state is SwipeState.DONE
    widget = window.message(2)
    widget.setActionsPinned(True)
    (button,) = [
        item for item in widget.findChildren(QAbstractButton) if item.accessibleName() == "Delete message"
    ]
    twice(button)
    window.wait(lambda: len(window.stored()) == 5)
    window.rest()
    assert [message.text for message in window.stored()][:3] == ["Hello.", "And?", "Well."]
    window.window.acts.run("app.presets")
    window.wait(lambda: window.has(QAbstractButton, "New preset"))
    window.rest(50)
    twice(window.find(QAbstractButton, "New preset"))
    window.wait(lambda: len(window.workspace.presets.all()) == 3)
    window.rest()
    twice(window.find(QAbstractButton, "Delete preset"))
    window.wait(lambda: len(window.workspace.presets.all()) == 2)
    window.rest()
    assert len(window.workspace.presets.all()) == 2


# ── the keyboard's way ───────────────────────────────────────────────────────────────────────────────────


def takers(root: QWidget) -> set[QWidget]:
    """Return the controls in sight that the Tab key must come to, if they are on."""
    return {
        item
        for item in root.findChildren(QWidget)
        if item.isVisible()
        and item.isEnabled()
        and item.window() is root.window()
        and item.focusProxy() is None
        and item.focusPolicy() & Qt.FocusPolicy.TabFocus
    }


def walk(root: QWidget, most: int = 400) -> list[QWidget]:
    """Press Tab until the focus is where it has been before; returns where it was."""
    seen: list[QWidget] = []
    for _ in range(most):
        focus = QApplication.focusWidget()
        assert focus is not None
        assert focus.window() is root.window(), focus
        if focus in seen:
            return seen
        seen.append(focus)
        QTest.keyClick(focus, Qt.Key.Key_Tab)
    raise AssertionError("Tab never comes round")


def named(widgets: set[QWidget]) -> set[str]:
    return {f"{type(item).__name__} {item.accessibleName() or item.objectName()}" for item in widgets}


def groups_of(widgets: set[QWidget]) -> set[QWidget]:
    """Return them without the radio buttons that stand for their group: arrows go from one to the next."""
    return {item for item in widgets if not isinstance(item, QRadioButton)}


def check_tabs(root: QWidget) -> None:
    stops = walk(root)
    missed = groups_of(takers(root) - set(stops))
    assert not missed, named(missed)
    nameless = {item for item in stops if not item.accessibleName() and not getattr(item, "text", str)()}
    assert not nameless, named(nameless)


def test_tab_comes_to_everything_in_the_window(open_desk: OpenDesk) -> None:
    open_desk.open_chat("Talk")
    open_desk.wait(open_desk.window.memories.cards)
    open_desk.words.setFocus()
    check_tabs(open_desk.window)


DIALOGS = (
    "app.connections",
    "app.presets",
    "app.preferences",
    "app.trash",
    "app.shortcuts",
    "app.macros",
    "app.about",
    "persona.manage",
    "character.new",
    "chat.settings",
    "chat.rename",
    "memory.settings",
    "memory.export",
    "message.hide_range",
    "group.new",
)


def test_tab_comes_to_everything_in_a_dialog_and_no_button_acts_twice(open_desk: OpenDesk) -> None:
    open_desk.open_chat("Talk")
    before = unguarded(open_desk)
    for act in DIALOGS:
        open_desk.window.acts.run(act)
        open_desk.wait(lambda: [item for item in open_desk.all(QDialog) if item.isVisible()])
        (dialog,) = [item for item in open_desk.all(QDialog) if item.isVisible()]
        open_desk.wait(lambda shown=dialog: QApplication.activeWindow() is shown)
        open_desk.wait(QApplication.focusWidget)
        open_desk.rest(80)
        assert unguarded(open_desk) - before == set(), act
        check_tabs(dialog)
        dialog.close()
        open_desk.wait(lambda: not [item for item in open_desk.all(QDialog) if item.isVisible()])
