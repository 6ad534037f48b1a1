"""What a person does to messages, in the real window: by menus, keys and clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QListView, QMenu, QPlainTextEdit, QPushButton, QSpinBox, QToolButton

from memdesk.chats.model import SwipeState
from memdesk.conversation.growing import CONTINUE
from memdesk.ui.models.people import Role
from memdesk.ui.panels.message_menu import Entry
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

LINES = ("one", "two", "three", "four", "five", "six")
MENUS = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing|propagateSizeHints)")
CTRL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


def opened(desk: Desk, *lines: str, server: FakeLLM | None = None) -> OpenDesk:
    if server is not None:
        desk.connect(server.profile())
    desk.prepare(*lines)
    return desk.open()


def entries(menu: QMenu) -> list[str]:
    return [action.text() for action in menu.actions() if action.text()]


def choose(desk: OpenDesk, number: int, text: str) -> None:
    """Choose a line of a message's context menu."""
    menu = desk.message(number).menu()
    (action,) = [action for action in menu.actions() if action.text() == text]
    assert action.isEnabled(), text
    action.trigger()
    menu.deleteLater()


def undo(desk: OpenDesk) -> None:
    # The messages may be gone before the window hears how to bring them back.
    desk.wait(lambda: desk.running.session._undo)
    desk.window.activateWindow()
    desk.wait(desk.window.isActiveWindow)
    desk.key(Qt.Key.Key_Z, CTRL, on=desk.window)


def open_menu(desk: OpenDesk, name: str) -> QMenu:
    desk.press(name)
    desk.wait(lambda: desk.all(QMenu))
    return desk.all(QMenu)[0]  # type: ignore[no-any-return]


def test_the_last_reply_goes_on_by_key_and_is_taken_back(desk: Desk, server: FakeLLM) -> None:
    server.reply = Deltas(["and ", "waits."])
    window = opened(desk, "Hello.", "She nods", server=server)
    window.words.setFocus()
    window.key(Qt.Key.Key_Return, ALT)
    window.wait(lambda: window.texts()[-1] == "She nods and waits.")
    window.wait_idle()
    assert window.shown()[-1] == "She nods and waits."
    assert window.message(2).message.swipe_count == 1
    assert CONTINUE.split("{{char}}")[0] in server.requests[-1].messages[-1]["content"]
    undo(window)
    window.wait(lambda: window.texts()[-1] == "She nods")
    window.wait(lambda: window.shown()[-1] == "She nods")


def test_a_failed_continuation_is_tried_again_where_it_stands(desk: Desk, server: FakeLLM) -> None:
    window = opened(desk, "Hello.", "She nods", server=server)
    server.fault = Fault(status=500)
    choose(window, 2, "Continue")
    window.wait(lambda: window.stored()[-1].swipe.state is SwipeState.FAILED)
    window.wait_idle()
    server.fault, server.reply = None, "and waits."
    window.wait(lambda: window.has(QPushButton, "Retry"))
    window.press("Retry", window.message(2))
    window.wait(lambda: window.texts()[-1] == "She nods and waits.")
    assert window.stored()[-1].swipe_count == 1


def test_the_model_writes_my_turn_into_the_composer_and_nothing_is_stored(
    desk: Desk, server: FakeLLM
) -> None:
    server.reply = Deltas(["and ", "wave."])
    window = opened(desk, "Hello.", "She nods", server=server)
    window.type("I smile")
    window.key(Qt.Key.Key_Return, ALT, SHIFT, on=window.words)
    window.wait(lambda: "wave" in window.words.toPlainText())
    assert window.words.toPlainText() == "I smile and wave."
    window.wait_idle()
    assert window.texts() == ["Hello.", "She nods"]
    window.key(Qt.Key.Key_Return, on=window.words)
    window.wait(lambda: len(window.texts()) == 4)
    assert window.texts()[2] == "I smile and wave."
    window.wait_idle()


def test_a_turn_that_is_written_stops_and_stays_with_its_chat(desk: Desk, server: FakeLLM) -> None:
    server.reply = Deltas(["one ", "two ", *("more " for _ in range(200))])
    server.fault = Fault(delta_delay=0.05)
    desk.prepare("There.", title="Other", name="Ben")
    window = opened(desk, "Hello.", "She nods", server=server)
    mine = window.chat_id
    window.window.acts.run("reply.my_turn")
    window.wait(lambda: window.words.toPlainText().startswith("one two"))
    window.open_chat("Other")
    assert window.words.toPlainText() == ""
    window.open_chat("Talk")
    window.wait(lambda: "two more more" in window.words.toPlainText())
    window.press("Stop")
    window.wait_idle()
    kept = window.words.toPlainText()
    assert kept.startswith("one two more")
    assert window.texts(mine) == ["Hello.", "She nods"]
    assert window.window.chat.drafts.text(mine) == kept


def test_hiding_dims_says_so_and_is_taken_back(desk: Desk) -> None:
    window = opened(desk, *LINES)
    choose(window, 2, "Hide from the model")
    window.wait(lambda: "hidden from the model" in window.message(2).meta())
    assert window.message(2).body._dimmed
    assert "hidden from the model" in window.message(2).accessibleDescription()
    assert window.shown()[1] == "two"
    window.message(2).setFocus()
    window.key(Qt.Key.Key_H, CTRL)
    window.wait(lambda: "hidden" not in window.message(2).meta())
    choose(window, 4, "Hide a range…")
    window.find(QSpinBox, "First message").setValue(3)
    window.press("Hide")
    window.wait(lambda: "hidden" in window.message(4).meta())
    assert [m.number for m in window.stored() if m.hidden] == [3, 4]
    undo(window)
    window.wait(lambda: not any(m.hidden for m in window.stored()))


def test_deleting_from_here_and_its_undo(desk: Desk) -> None:
    window = opened(desk, *LINES)
    choose(window, 3, "Delete from here")
    window.wait(lambda: window.shown() == ["one", "two"])
    assert "(+3)" in window.toast
    undo(window)
    window.wait(lambda: window.shown() == list(LINES))
    assert "Delete from here" not in entries(window.message(6).menu())


def test_regenerating_from_here_is_one_act(desk: Desk, server: FakeLLM) -> None:
    server.reply = "anew"
    window = opened(desk, *LINES, server=server)
    choose(window, 2, "Regenerate from here")
    window.wait(lambda: window.texts() == ["one", "anew"])
    window.wait_idle()
    window.wait(lambda: window.shown() == ["one", "anew"])
    undo(window)
    window.wait(lambda: window.texts() == list(LINES))
    window.wait(lambda: window.shown() == list(LINES))


def test_versions_are_deleted_and_chosen_back(desk: Desk, server: FakeLLM) -> None:
    server.reply = ["second", "third"]
    window = opened(desk, "Hello.", "first", server=server)
    window.words.setFocus()
    for text in ("second", "third"):
        window.key(Qt.Key.Key_Right)
        window.wait(lambda text=text: window.texts()[-1] == text)
        window.wait_idle()
    choose(window, 2, "Delete this version")
    window.wait(lambda: window.texts()[-1] == "second")
    window.wait(lambda: window.message(2).message.swipe_count == 2)
    undo(window)
    window.wait(lambda: window.texts()[-1] == "third")
    undo(window)
    window.wait(lambda: window.texts()[-1] == "first")


def test_an_edit_goes_to_the_version_that_was_edited(desk: Desk, server: FakeLLM) -> None:
    server.reply = Deltas(["sec", "ond"])
    window = opened(desk, "Hello.", "first", server=server)
    window.message(2).startEditing()
    editor = window.find(QPlainTextEdit, "Message text")
    editor.setPlainText("first, mended")
    # A new version is written meanwhile, by its key.
    window.window.chat.regenerate_last()
    window.wait(lambda: window.texts()[-1] == "second")
    window.wait_idle()
    window.key(Qt.Key.Key_Return, CTRL, on=editor)
    window.wait(
        lambda: (
            [s.text for s in window.workspace.messages.swipes(window.stored()[-1].id)]
            == ["first, mended", "second"]
        )
    )
    window.wait(lambda: window.shown()[-1] == "second")


def test_the_message_that_is_written_may_be_deleted(desk: Desk, server: FakeLLM) -> None:
    server.reply = Deltas(["word " for _ in range(200)])
    server.fault = Fault(delta_delay=0.05)
    window = opened(desk, "Hello.", "She nods", server=server)
    window.send("Go on.")
    window.wait(lambda: len(window.shown()) == 4 and "word" in window.shown()[3])
    widget = window.message(4)
    widget.signals.deleteRequested.emit(widget.message.id)
    widget.signals.deleteRequested.emit(widget.message.id)
    window.wait(lambda: len(window.texts()) == 3)
    window.wait_idle()
    window.wait(lambda: len(window.shown()) == 3)
    undo(window)
    window.wait(lambda: len(window.texts()) == 4)
    assert window.texts()[3].startswith("word")


@MENUS
def test_a_branch_opens_stands_in_the_tree_and_leads_back(desk: Desk) -> None:
    window = opened(desk, *LINES)
    window.window.chat.acts.branch(window.message(3).message.id)
    window.window.chat.acts.branch(window.message(3).message.id)
    window.wait(lambda: window.window.chat.chat is not None and window.window.chat.chat.title == "Talk #3")
    window.wait_page()
    assert window.shown() == ["one", "two", "three"]
    window.wait(lambda: window.rows("Chats") == ["Talk", "Talk #3"])
    view = window.find(QListView, "Chats")
    model = view.model()
    assert [model.index(row, 0).data(Role.DEPTH) for row in range(2)] == [0, 1]
    assert model.index(0, 0).data(Role.FOLD) == "open"
    place = view.visualRect(model.index(0, 0))
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.left() + 12, place.bottom() - 20)
    )
    window.wait(lambda: window.rows("Chats") == ["Talk"])
    window.key(Qt.Key.Key_Right, on=view)
    window.wait(lambda: window.rows("Chats") == ["Talk", "Talk #3"])
    window.wait(lambda: window.has(QToolButton, "Branches and checkpoints"))
    menu = open_menu(window, "Branches and checkpoints")
    (back,) = [action for action in menu.actions() if action.text().strip() == "Where it branched off"]
    menu.close()
    back.trigger()
    window.wait(lambda: window.window.chat.chat is not None and window.window.chat.chat.title == "Talk")
    window.wait(lambda: window.window.chat.view.current_id == window.message(3).message.id)
    undo(window)
    window.wait(lambda: window.rows("Chats") == ["Talk"])


@MENUS
def test_checkpoints_are_set_shown_reached_and_removed(desk: Desk) -> None:
    window = opened(desk, *LINES)
    choose(window, 2, "Checkpoint here…")
    field = window.find(QLineEdit, "Name")
    QTest.keyClicks(field, "Door & key")
    window.key(Qt.Key.Key_Return, on=field)
    window.wait(lambda: "checkpoint “Door & key”" in window.message(2).meta())
    window.wait(lambda: window.has(QToolButton, "Branches and checkpoints"))

    def act(text: str) -> None:
        menu = open_menu(window, "Branches and checkpoints")
        (mark,) = [action.menu() for action in menu.actions() if action.menu() is not None]
        (wanted,) = [action for action in mark.actions() if action.text() == text]
        wanted.trigger()
        menu.close()
        window.wait(lambda: not window.all(QMenu))

    act("Return here: delete all that follows")
    window.wait(lambda: window.texts() == ["one", "two"])
    act("Go there")
    window.wait(lambda: window.window.chat.view.current_id == window.message(2).message.id)
    act("Remove")
    window.wait(lambda: "checkpoint" not in window.message(2).meta())
    undo(window)
    window.wait(lambda: "checkpoint" in window.message(2).meta())
    undo(window)
    window.wait(lambda: window.texts() == list(LINES))


def test_others_add_to_the_menu_of_messages(desk: Desk) -> None:
    window = opened(desk, *LINES)
    said: list[str] = []
    window.window.chat.message_menu.add(
        25, lambda m: Entry("Say it", lambda: said.append(m.text)) if m.role == "user" else None
    )
    assert "Say it" not in entries(window.message(2).menu())
    choose(window, 3, "Say it")
    assert said == ["three"]
