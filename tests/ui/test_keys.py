"""Keys: one list of them, each to be changed, and none of them taken while an input method composes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from memdesk.settings import Settings, load_settings
from memdesk.ui.actions import Actions
from memdesk.ui.dialogs.shortcuts import KeyButton, ShortcutsDialog
from memdesk.ui.keymap import current_keymap, keys_of, pressed_key
from memdesk.ui.widgets.composer import Composer
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]

CTRL, SHIFT, NONE = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.NoModifier,
)


@pytest.fixture(autouse=True)
def _own_keys() -> Iterator[None]:
    current_keymap().choose({})
    yield
    current_keymap().choose({})


def press(key: Qt.Key, held: Qt.KeyboardModifier = NONE, text: str = "") -> QKeyEvent:
    return QKeyEvent(QEvent.Type.KeyPress, key.value, held, text)


@pytest.mark.parametrize(
    ("event", "written"),
    [
        (press(Qt.Key.Key_F, CTRL, "\x06"), "Ctrl+F"),
        (press(Qt.Key.Key_Question, SHIFT, "?"), "?"),
        (press(Qt.Key.Key_A, SHIFT, "A"), "Shift+A"),
        (press(Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier, "\r"), "Return"),
        (press(Qt.Key.Key_F2, SHIFT), "Shift+F2"),
        (press(Qt.Key.Key_Control, CTRL), ""),
        (press(Qt.Key.Key_unknown), ""),
    ],
)
def test_a_key_is_written_as_settings_keep_it(event: QKeyEvent, written: str) -> None:
    assert pressed_key(event) == written


def test_broken_keys_in_the_settings_are_passed_over() -> None:
    keymap = current_keymap()
    keymap.choose({"composer.edit_last": ["Ctrl+Up", "no such key at all", ""], "gone.since": ["Ctrl+F9"]})
    assert keymap.keys("composer.edit_last") == ["Ctrl+Up"]
    assert keymap.chosen["gone.since"] == ["Ctrl+F9"]


def test_enter_has_a_setting_of_its_own() -> None:
    settings = Settings(enter_sends=False, keys={"composer.send": ["F7"], "memories.pin": []})
    assert keys_of(settings) == {"composer.send": ["Ctrl+Return"], "memories.pin": []}


def test_keys_clash_where_both_are_heard(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    actions.add("test.find", "Find", lambda: None, category="chat", keys="Ctrl+Alt+F11")
    keymap = current_keymap()
    assert keymap.clashes("memories.pin", "Ctrl+Alt+F11") == ["test.find"]
    assert keymap.clashes("memories.pin", "F2") == ["memories.edit"]
    assert not keymap.suits("test.find", "F")
    assert not keymap.suits("test.find", "Return")
    assert not keymap.suits("test.find", "Shift+A")
    assert keymap.suits("test.find", "F3")
    assert keymap.suits("memories.pin", "X")
    assert not keymap.suits("composer.send", "X")
    keymap.choose({"test.find": ["F3"]})
    assert [key.toString() for key in actions.act("test.find").action.shortcuts()] == ["F3"]
    with pytest.raises(ValueError, match="taken"):
        actions.add("test.find", "Twice", lambda: None, category="chat")


def test_what_cannot_be_done_now_is_not_done(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    actions = Actions(window)
    done: list[str] = []
    possible = False
    actions.add(
        "test.a", "A…", lambda: done.append("a"), category="chat", when=lambda: possible, menus={"m": 10}
    )
    actions.add("test.b", "B", lambda: done.append("b"), category="app", menus={"m": 20})
    menu = actions.menu("m", window)
    assert [action.text() for action in menu.actions()] == ["A…", "", "B"]
    assert not menu.actions()[0].isEnabled()
    menu.aboutToHide.emit()
    actions.run("test.a")
    possible = True
    actions.act("test.a").action.trigger()
    actions.run("test.b")
    assert done == ["a", "b"]
    assert actions.act("test.a").title == "A"


@pytest.fixture(name="open_desk")
def open_desk_fixture(desk: Desk) -> OpenDesk:
    desk.prepare("Hello.", "Good day.")
    return desk.open()


def shortcuts(window: OpenDesk) -> ShortcutsDialog:
    window.words.setFocus()
    window.key(Qt.Key.Key_F1)
    window.wait(lambda: window.all(ShortcutsDialog))
    return window.all(ShortcutsDialog)[0]  # type: ignore[no-any-return]


def key_button(window: OpenDesk, title: str) -> KeyButton:
    (found,) = [item for item in window.all(KeyButton) if item.accessibleName().startswith(f"{title}: ")]
    return found  # type: ignore[no-any-return]


def record(window: OpenDesk, title: str, key: Qt.Key, *held: Qt.KeyboardModifier) -> None:
    button = key_button(window, title)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    window.key(key, *held, on=button)


def test_keys_are_chosen_in_the_window_and_kept(desk: Desk, open_desk: OpenDesk) -> None:
    dialog = shortcuts(open_desk)
    search = open_desk.find(QLineEdit, "Search keys")
    QTest.keyClicks(search, "ctrl+r")
    assert [item.accessibleName() for item in open_desk.all(KeyButton)] == [
        "Regenerate the last reply: Ctrl+R"
    ]
    record(open_desk, "Regenerate the last reply", Qt.Key.Key_F9, CTRL)
    assert open_desk.window.acts.act("reply.regenerate").action.shortcut().toString() == "Ctrl+F9"
    search.clear()
    # A letter alone is refused, and a key that is taken is taken over only when asked to.
    record(open_desk, "Trash", Qt.Key.Key_T)
    assert current_keymap().keys("app.trash") == []
    record(open_desk, "Trash", Qt.Key.Key_F9, CTRL)
    assert current_keymap().keys("app.trash") == []
    open_desk.press("Use it here", dialog)
    assert current_keymap().keys("app.trash") == ["Ctrl+F9"]
    assert current_keymap().keys("reply.regenerate") == []
    record(open_desk, "Send the message", Qt.Key.Key_Return, CTRL)
    path = desk.folder / "settings.toml"
    open_desk.wait(lambda: path.exists() and tomllib.loads(path.read_text())["enter_sends"] is False)
    assert load_settings(path)[0].keys == {"app.trash": ["Ctrl+F9"], "reply.regenerate": []}
    dialog.accept()
    open_desk.wait(lambda: not open_desk.all(ShortcutsDialog))
    desk.close(open_desk)
    current_keymap().choose({})
    again = desk.open()
    assert again.window.acts.act("app.trash").action.shortcut().toString() == "Ctrl+F9"
    again.type("Hello")
    again.key(Qt.Key.Key_Return, on=again.words)
    assert again.words.toPlainText() == "Hello\n"
    dialog = shortcuts(again)
    again.press("Reset all", dialog)
    again.wait(lambda: load_settings(path)[0] == Settings())
    assert current_keymap().keys("reply.regenerate") == ["Ctrl+R"]
    dialog.accept()


def test_a_key_is_taken_away_and_given_back_by_keys_alone(open_desk: OpenDesk) -> None:
    dialog = shortcuts(open_desk)
    button = key_button(open_desk, "Regenerate the last reply")
    button.setFocus()
    open_desk.key(Qt.Key.Key_Delete, on=button)
    assert current_keymap().keys("reply.regenerate") == []
    assert button.text() == "none"
    open_desk.key(Qt.Key.Key_Space, on=button)
    assert button.text() == "Press a key…"
    open_desk.key(Qt.Key.Key_Escape, on=button)
    assert dialog.isVisible()
    open_desk.press("Reset: Regenerate the last reply", dialog)
    assert current_keymap().keys("reply.regenerate") == ["Ctrl+R"]
    open_desk.key(Qt.Key.Key_Escape, on=dialog)
    open_desk.wait(lambda: not open_desk.all(ShortcutsDialog))


def compose(widget: Any, text: str) -> None:
    QApplication.sendEvent(widget, QInputMethodEvent(text, []))


def test_no_key_is_a_shortcut_while_an_input_method_composes(open_desk: OpenDesk) -> None:
    ran: list[str] = []
    acts = open_desk.window.acts
    acts.ran.connect(ran.append)
    current_keymap().choose({"app.about": ["F6"], "view.left": ["F7"]})
    for field in (open_desk.words, open_desk.find(QLineEdit, "Search chats and characters")):
        field.setFocus()
        compose(field, "ni")
        for key in (Qt.Key.Key_F6, Qt.Key.Key_F7, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab):
            open_desk.key(key, on=field)
        assert not ran
        assert field.hasFocus()
        commit = QInputMethodEvent()
        commit.setCommitString("你")
        QApplication.sendEvent(field, commit)
        assert (field.toPlainText() if hasattr(field, "toPlainText") else field.text()) == "你"
        open_desk.key(Qt.Key.Key_F7, on=field)
        assert ran == ["view.left"]
        open_desk.key(Qt.Key.Key_F7, on=field)
        ran.clear()
        field.clear()
    assert len(open_desk.texts()) == 2


def test_keys_of_the_composer_can_be_others(qtbot: QtBot) -> None:
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show()
    box = composer.focusProxy()
    assert box is not None
    current_keymap().choose({"composer.edit_last": ["Ctrl+Up"], "composer.next_version": []})
    with qtbot.assertNotEmitted(composer.editLastRequested), qtbot.assertNotEmitted(composer.swipeRequested):
        qtbot.keyClick(box, Qt.Key.Key_Up)
        qtbot.keyClick(box, Qt.Key.Key_Right)
    composer.setText("something")
    with qtbot.waitSignal(composer.editLastRequested):
        qtbot.keyClick(box, Qt.Key.Key_Up, CTRL)
