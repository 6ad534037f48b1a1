"""The chat in the window: stopping, versions, editing, deleting, and what is shown when a model fails."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton

from memdesk.chats.model import SwipeState
from memdesk.prompt.budget import PromptTooLarge
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.ui.widgets.message_body import MessageBody
from memdesk.ui.widgets.message_widget import MessageWidget
from memdesk.ui.widgets.state_line import StateLine
from tests.support.fake_llm import FakeLLM, Fault
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
LINES = ("Hello.", "Good day.", "How are you?", "Well, thank you.")


@pytest.fixture
def open_desk(desk: Desk, server: FakeLLM) -> OpenDesk:
    """A chat of four messages, and a server that answers."""
    desk.connect(server.profile())
    desk.prepare(*LINES)
    return desk.open()


def edit(window: OpenDesk, number: int) -> QPlainTextEdit:
    """Open the editor of a message with the keyboard."""
    window.message(number).setFocus()
    window.key(Qt.Key.Key_F2)
    window.wait(lambda: window.has(QPlainTextEdit, "Message text"))
    return window.find(QPlainTextEdit, "Message text")  # type: ignore[no-any-return]


def state_words(window: OpenDesk, number: int) -> str:
    (line,) = [s for s in window.message(number).findChildren(StateLine) if s.isVisible()]
    return " ".join(label.text() for label in line.findChildren(QLabel))


# ── sending and stopping ─────────────────────────────────────────────────────────────────────────────


def test_enter_sends_and_shift_enter_breaks_the_line(open_desk: OpenDesk, server: FakeLLM) -> None:
    server.reply = "I hear you."
    open_desk.send("One\ntwo 魔王 🐉")
    open_desk.wait(lambda: open_desk.shown()[4:] == ["One\ntwo 魔王 🐉", "I hear you."])
    assert open_desk.words.toPlainText() == ""
    assert server.chat_requests[-1].last_user_text == "One\ntwo 魔王 🐉"
    assert open_desk.texts()[4:] == ["One\ntwo 魔王 🐉", "I hear you."]


@pytest.mark.parametrize("blank", ["", "   ", "\n\n"])
def test_a_blank_message_is_not_sent(open_desk: OpenDesk, server: FakeLLM, blank: str) -> None:
    open_desk.send(blank)
    open_desk.rest()
    assert len(open_desk.stored()) == 4
    assert not server.chat_requests


def test_the_composer_keeps_the_words_until_they_are_stored_and_those_typed_since(
    open_desk: OpenDesk, server: FakeLLM
) -> None:
    server.fault = Fault(first_byte_delay=0.3)
    open_desk.send("First words")
    assert open_desk.words.toPlainText() == "First words"
    open_desk.type(" and more")
    open_desk.wait(lambda: len(open_desk.shown()) > 4)
    assert open_desk.shown()[4] == "First words"
    assert open_desk.words.toPlainText() == " and more"
    open_desk.wait_idle()
    assert open_desk.words.toPlainText() == " and more"


@pytest.mark.parametrize("way", ["escape", "button", "escape on a message"])
def test_stopping_keeps_what_has_come(open_desk: OpenDesk, server: FakeLLM, way: str) -> None:
    server.reply = "word " * 400
    server.fault = Fault(delta_delay=0.01)
    open_desk.send("Talk.")
    open_desk.wait(lambda: len(open_desk.shown()) == 6 and len(open_desk.shown()[-1]) > 20)
    if way == "button":
        open_desk.press("Stop")
    elif way == "escape":
        open_desk.key(Qt.Key.Key_Escape, on=open_desk.words)
    else:
        open_desk.message(2).setFocus()
        open_desk.key(Qt.Key.Key_Escape)
    open_desk.wait_idle()
    reply = open_desk.stored()[-1]
    assert reply.swipe.state is SwipeState.STOPPED
    assert reply.text.startswith("word word")
    assert len(reply.text) < 1500
    open_desk.wait(lambda: open_desk.shown()[-1] == reply.text)
    assert "Stopped here" in state_words(open_desk, 6)
    assert open_desk.has(QLabel, "Version 1 of 1")
    open_desk.wait(lambda: server.disconnects == 1)


def test_a_reply_stopped_before_its_first_word_leaves_nothing_behind(
    open_desk: OpenDesk, server: FakeLLM
) -> None:
    server.fault = Fault(silent=True)
    open_desk.send("Talk.")
    server.wait_for(lambda: server.chat_requests)
    open_desk.wait(lambda: len(open_desk.shown()) == 6)
    open_desk.key(Qt.Key.Key_Escape, on=open_desk.words)
    open_desk.wait_idle()
    open_desk.wait(lambda: open_desk.shown() == [*LINES, "Talk."])
    assert open_desk.texts() == [*LINES, "Talk."]


def test_two_quick_sends_make_one_message(open_desk: OpenDesk, server: FakeLLM) -> None:
    open_desk.type("Once")
    open_desk.key(Qt.Key.Key_Return, on=open_desk.words)
    open_desk.key(Qt.Key.Key_Return, on=open_desk.words)
    open_desk.wait(lambda: len(open_desk.shown()) == 6)
    open_desk.wait_idle()
    open_desk.rest()
    assert open_desk.texts()[4:] == ["Once", "You said: Once"]
    assert len(server.chat_requests) == 1


def test_a_message_that_cannot_be_stored_stays_in_the_composer(
    open_desk: OpenDesk, server: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> list[int]:
        raise StoreError("disk_full", "The disk is full.", open_desk.workspace.data_dir / "memdesk.db")

    with monkeypatch.context() as patch:
        patch.setattr(MessageStore, "add", full)
        open_desk.send("Do not lose me")
        open_desk.wait(lambda: [label for label in open_desk.all(QLabel) if "disk is full" in label.text()])
        open_desk.wait_idle()
    assert open_desk.words.toPlainText() == "Do not lose me"
    assert not server.chat_requests
    open_desk.key(Qt.Key.Key_Return, on=open_desk.words)
    open_desk.wait(lambda: open_desk.texts()[4:] == ["Do not lose me", "You said: Do not lose me"])


# ── versions ─────────────────────────────────────────────────────────────────────────────────────────


def test_regenerating_makes_a_second_version_and_the_arrows_go_between_them(
    open_desk: OpenDesk, server: FakeLLM, desk: Desk
) -> None:
    window = open_desk
    server.reply = ["The first.", "The second.", "The third."]
    window.say("Tell me.")
    window.wait(lambda: window.shown()[-1] == "The first.")
    window.press("Regenerate", window.message(6))
    window.wait(lambda: window.has(QLabel, "Version 2 of 2"))
    window.wait(lambda: window.shown()[-1] == "The second.")
    assert len(window.stored()) == 6
    window.press("Previous version", window.message(6))
    window.wait(lambda: window.has(QLabel, "Version 1 of 2"))
    window.wait(lambda: window.shown()[-1] == "The first.")
    desk.close(window)

    window = desk.open()
    window.wait(lambda: window.has(QLabel, "Version 1 of 2"))
    assert window.shown()[-1] == "The first."
    window.words.setFocus()
    window.key(Qt.Key.Key_Right)
    window.wait(lambda: window.shown()[-1] == "The second.")
    window.key(Qt.Key.Key_Right)
    window.wait(lambda: window.has(QLabel, "Version 3 of 3"))
    window.wait(lambda: window.shown()[-1] == "The third.")
    assert [swipe.text for swipe in window.workspace.messages.swipes(window.stored()[-1].id)] == [
        "The first.",
        "The second.",
        "The third.",
    ]
    window.key(Qt.Key.Key_Left)
    window.wait(lambda: window.has(QLabel, "Version 2 of 3"))


def test_two_quick_regenerations_make_one_version(open_desk: OpenDesk, server: FakeLLM) -> None:
    server.fault = Fault(first_byte_delay=0.2)
    open_desk.key(Qt.Key.Key_R, CTRL)
    open_desk.key(Qt.Key.Key_R, CTRL)
    open_desk.wait(lambda: open_desk.has(QLabel, "Version 2 of 2"))
    open_desk.wait_idle()
    open_desk.rest()
    assert len(open_desk.workspace.messages.swipes(open_desk.stored()[-1].id)) == 2
    assert len(server.chat_requests) == 1
    assert not open_desk.toast


def test_regenerating_shows_only_what_came_before(open_desk: OpenDesk, server: FakeLLM) -> None:
    open_desk.key(Qt.Key.Key_R, CTRL)
    open_desk.wait(lambda: open_desk.has(QLabel, "Version 2 of 2"))
    open_desk.wait_idle()
    sent = [message["content"] for message in server.chat_requests[-1].messages]
    assert sent[-1] == "How are you?"
    assert "Well, thank you." not in "".join(sent)


def test_a_word_without_an_answer_gets_one_by_regenerating(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.", "Anybody?")
    window = desk.open()
    window.key(Qt.Key.Key_R, CTRL)
    window.wait(lambda: window.shown()[3:] == ["You said: Anybody?"])


# ── editing ──────────────────────────────────────────────────────────────────────────────────────────


def test_editing_in_place_is_saved_by_ctrl_enter(open_desk: OpenDesk) -> None:
    editor = edit(open_desk, 2)
    assert editor.toPlainText() == "Good day."
    editor.selectAll()
    open_desk.key(Qt.Key.Key_G, on=editor)
    open_desk.key(Qt.Key.Key_O, on=editor)
    open_desk.key(Qt.Key.Key_Return, CTRL, on=editor)
    open_desk.wait(lambda: open_desk.shown()[1] == "go")
    open_desk.wait(lambda: open_desk.texts()[1] == "go")
    assert not open_desk.has(QPlainTextEdit, "Message text")
    # On disk a moment before the window knows how to take it back.
    open_desk.wait(open_desk.window._undo_action.isEnabled)
    open_desk.key(Qt.Key.Key_Z, CTRL)
    open_desk.wait(lambda: open_desk.texts()[1] == "Good day.")
    open_desk.wait(lambda: open_desk.shown()[1] == "Good day.")


def test_escape_leaves_the_editor_and_the_text_as_it_was(open_desk: OpenDesk) -> None:
    editor = edit(open_desk, 2)
    open_desk.key(Qt.Key.Key_X, on=editor)
    assert editor.toPlainText() != "Good day."
    open_desk.key(Qt.Key.Key_Escape, on=editor)
    open_desk.wait(lambda: not open_desk.has(QPlainTextEdit, "Message text"))
    open_desk.rest()
    assert open_desk.shown() == list(LINES)
    assert open_desk.texts() == list(LINES)


def test_up_in_an_empty_composer_edits_the_last_message(open_desk: OpenDesk) -> None:
    open_desk.words.setFocus()
    open_desk.key(Qt.Key.Key_Up)
    open_desk.wait(lambda: open_desk.has(QPlainTextEdit, "Message text"))
    assert open_desk.find(QPlainTextEdit, "Message text").toPlainText() == LINES[-1]


def test_editing_one_version_leaves_the_others(open_desk: OpenDesk, server: FakeLLM) -> None:
    server.reply = "Another answer."
    open_desk.key(Qt.Key.Key_R, CTRL)
    open_desk.wait(lambda: open_desk.has(QLabel, "Version 2 of 2"))
    open_desk.wait_idle()
    editor = edit(open_desk, 4)
    editor.setPlainText("Edited.")
    open_desk.key(Qt.Key.Key_Return, CTRL, on=editor)
    open_desk.wait(lambda: open_desk.texts()[3] == "Edited.")
    swipes = open_desk.workspace.messages.swipes(open_desk.stored()[3].id)
    assert [swipe.text for swipe in swipes] == ["Well, thank you.", "Edited."]


# ── deleting ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("way", ["ctrl+z", "toast"])
@pytest.mark.parametrize("number", [1, 2, 4])
def test_a_deleted_message_comes_back_to_its_place(open_desk: OpenDesk, way: str, number: int) -> None:
    left = [line for place, line in enumerate(LINES, 1) if place != number]
    open_desk.message(number).setFocus()
    open_desk.key(Qt.Key.Key_Delete)
    open_desk.wait(lambda: open_desk.shown() == left)
    open_desk.wait(lambda: LINES[number - 1] in open_desk.toast)
    assert open_desk.texts() == left
    if way == "toast":
        open_desk.press("Undo")
    else:
        open_desk.key(Qt.Key.Key_Z, CTRL)
    open_desk.wait(lambda: open_desk.shown() == list(LINES))
    assert open_desk.texts() == list(LINES)
    assert sorted(widget.message.number for widget in open_desk.all(MessageWidget)) == [1, 2, 3, 4]


def test_deletions_are_taken_back_one_after_the_other(open_desk: OpenDesk) -> None:
    for number in (3, 1):
        open_desk.message(number).setFocus()
        open_desk.key(Qt.Key.Key_Delete)
        open_desk.wait(lambda: LINES[number - 1] not in open_desk.shown())  # noqa: B023
        open_desk.wait(lambda: LINES[number - 1] in open_desk.toast)  # noqa: B023
    assert open_desk.shown() == [LINES[1], LINES[3]]
    open_desk.key(Qt.Key.Key_Z, CTRL)
    open_desk.wait(lambda: open_desk.shown() == [LINES[0], LINES[1], LINES[3]])
    open_desk.key(Qt.Key.Key_Z, CTRL)
    open_desk.wait(lambda: open_desk.shown() == list(LINES))


def test_two_quick_deletions_take_one_message(open_desk: OpenDesk) -> None:
    button = open_desk.message(4)
    button.setFocus()
    open_desk.key(Qt.Key.Key_Delete, on=button)
    open_desk.key(Qt.Key.Key_Delete, on=button)
    open_desk.wait(lambda: len(open_desk.texts()) == 3)
    open_desk.rest(300)
    assert open_desk.shown() == list(LINES[:3])
    assert open_desk.toast.startswith("Moved to the trash")
    open_desk.key(Qt.Key.Key_Z, CTRL)
    open_desk.wait(lambda: open_desk.shown() == list(LINES))


def test_the_toast_takes_back_what_it_names(open_desk: OpenDesk) -> None:
    open_desk.message(1).setFocus()
    open_desk.key(Qt.Key.Key_Delete)
    open_desk.wait(lambda: LINES[0] in open_desk.toast)
    editor = edit(open_desk, 1)
    editor.setPlainText("Changed since.")
    open_desk.key(Qt.Key.Key_Return, CTRL, on=editor)
    open_desk.wait(lambda: open_desk.texts()[0] == "Changed since.")
    open_desk.rest()
    assert LINES[0] in open_desk.toast
    open_desk.press("Undo")
    open_desk.wait(lambda: open_desk.shown() == [LINES[0], "Changed since.", *LINES[2:]])


def test_a_chat_without_messages_takes_its_first(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    desk.prepare()
    window = desk.open()
    assert window.has(QLabel, "Nothing has been said here yet. Write the first line below.") or any(
        "Nothing has been said" in label.text() for label in window.all(QLabel)
    )
    window.say("Hello?")
    window.wait(lambda: window.shown() == ["Hello?", "You said: Hello?"])


def test_a_message_of_a_megabyte_is_kept_whole(open_desk: OpenDesk, server: FakeLLM) -> None:
    server.reply = "Long."
    server.fault = None
    text = "Long words 长 🐉 " * 70_000
    open_desk.words.insertPlainText(text)
    open_desk.key(Qt.Key.Key_Return, on=open_desk.words)
    open_desk.wait(lambda: len(open_desk.texts()) == 6)
    assert open_desk.texts()[4].strip() == text.strip()
    open_desk.wait_idle()
    assert "does not fit" in open_desk.stored()[-1].swipe.error
    open_desk.wait(lambda: "does not fit" in state_words(open_desk, 6))


# ── a model that fails ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("fault", "words", "kept"),
    [
        (Fault(status=401), "key", ""),
        (Fault(status=500), "failed", ""),
        (Fault(html=True), "failed", ""),
        (Fault(cut_after=3), "failed", "You said:"),
        (Fault(malformed_after=3), "failed", "You said:"),
    ],
    ids=["401", "500", "web page", "cut", "malformed"],
)
def test_a_failure_stands_where_the_reply_would_be_and_retry_mends_it(
    open_desk: OpenDesk, server: FakeLLM, fault: Fault, words: str, kept: str
) -> None:
    server.faults.extend([fault])
    server.fault = fault
    open_desk.say("Are you there?")
    open_desk.wait(lambda: words in state_words(open_desk, 6).lower())
    reply = open_desk.stored()[-1]
    assert reply.swipe.state is SwipeState.FAILED
    assert reply.text.startswith(kept)
    assert open_desk.texts()[4] == "Are you there?"
    server.fault = None
    server.faults.clear()
    open_desk.press("Retry", open_desk.message(6))
    open_desk.wait(lambda: open_desk.shown()[-1] == "You said: Are you there?")
    open_desk.wait(lambda: not open_desk.all(StateLine))
    assert open_desk.stored()[-1].swipe.state is SwipeState.DONE
    assert open_desk.stored()[-1].swipe_count == (2 if kept else 1)


def test_nothing_listens(desk: Desk) -> None:
    with FakeLLM() as gone:
        profile = gone.profile(timeout_seconds=3.0)
    desk.connect(profile)
    desk.prepare(*LINES)
    window = desk.open()
    window.say("Hello?")
    window.wait(lambda: "failed" in state_words(window, 6))
    assert window.texts()[4] == "Hello?"
    assert window.has(QPushButton, "Retry")
    assert not window.has(MessageBody, "")


def test_the_next_message_takes_the_place_of_a_reply_that_failed(
    open_desk: OpenDesk, server: FakeLLM
) -> None:
    server.fault = Fault(status=401)
    open_desk.say("One")
    open_desk.wait(lambda: "failed" in state_words(open_desk, 6))
    server.fault = None
    open_desk.say("Two")
    open_desk.wait(lambda: open_desk.shown() == [*LINES, "One", "Two", "You said: Two"])
    assert open_desk.texts() == [*LINES, "One", "Two", "You said: Two"]


def test_another_persona_name_is_seen_at_once(open_desk: OpenDesk) -> None:
    open_desk.wait(lambda: open_desk.words.placeholderText() == "Write as Alex…")
    open_desk.workspace.library.set_default_persona("Kim", "")
    open_desk.wait(lambda: open_desk.words.placeholderText() == "Write as Kim…")


@pytest.mark.parametrize("way", ["ctrl+z", "toast"])
def test_deleting_and_taking_back_keep_the_keyboard_and_the_place(
    desk: Desk, server: FakeLLM, way: str
) -> None:
    desk.connect(server.profile())
    desk.prepare(*[f"Line {number}." for number in range(1, 121)])
    window = desk.open()
    view = window.window.chat.view
    view.jumpTo(30)
    window.wait(lambda: any(w.message.number == 30 for w in window.all(MessageWidget)))
    window.rest()
    gone = window.message(30).message.id
    window.message(30).setFocus()
    window.key(Qt.Key.Key_Delete)
    window.wait(lambda: view.widget_for(gone) is None)
    after = window.message(30)
    assert after.body.toPlainText() == "Line 31."
    assert after.hasFocus()
    place = after.y() - view.verticalScrollBar().value()
    window.wait(lambda: "Line 30." in window.toast)
    if way == "toast":
        window.press("Undo")
    else:
        window.key(Qt.Key.Key_Z, CTRL)
    window.wait(lambda: view.widget_for(gone) is not None)
    back = view.widget_for(gone)
    assert back is not None
    window.wait(back.hasFocus)
    assert view.current_id == gone
    assert back.message.number == 30
    top = back.y() - view.verticalScrollBar().value()
    assert abs(top - place) <= 100
    assert 0 <= top < view.viewport().height()
    assert window.message(31) is after


def test_writing_goes_on_while_a_message_comes_back(open_desk: OpenDesk) -> None:
    open_desk.message(2).setFocus()
    open_desk.key(Qt.Key.Key_Delete)
    open_desk.wait(lambda: LINES[1] in open_desk.toast)
    open_desk.words.setFocus()
    open_desk.key(Qt.Key.Key_Z, CTRL)
    open_desk.wait(lambda: open_desk.shown() == list(LINES))
    open_desk.rest()
    assert open_desk.words.hasFocus()


def test_a_prompt_that_does_not_fit_is_said_before_it_is_sent(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_asked: object) -> None:
        raise PromptTooLarge(9000, 512, [("Main prompt", 8000)])

    composer = open_desk.window.chat.composer
    open_desk.wait(lambda: composer._prompt.text().startswith("next prompt"))
    monkeypatch.setattr(open_desk.workspace.conversation, "preview", refuse)
    composer.setText("a long line")
    open_desk.wait(lambda: composer._prompt.text() == "does not fit")
    assert composer._prompt.toolTip().startswith(
        "About 9,000 tokens must be sent, and there is room for 512."
    )


def test_what_the_server_said_is_folded_below_a_plain_sentence(open_desk: OpenDesk, server: FakeLLM) -> None:
    server.fault = Fault(status=500)
    open_desk.say("Are you there?")
    open_desk.wait(lambda: open_desk.all(StateLine))
    (line,) = open_desk.all(StateLine)
    first, detail = (label for label in line.findChildren(QLabel))
    assert "500" in first.text()
    assert "The server says" not in first.text()
    assert detail.text()
    assert not detail.isVisible()
    height = line.height()
    open_desk.press("Details", line)
    open_desk.wait(detail.isVisible)
    open_desk.wait(lambda: line.height() > height)
    assert detail.geometry().bottom() <= line.height()
    open_desk.press("Details", line)
    open_desk.wait(lambda: line.height() == height)
