"""Replies that stream while other things happen: chats change places, windows close, chats are deleted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListView

from memdesk.chats.model import SwipeState
from memdesk.prompt.receipt import from_json
from memdesk.ui.panels.library_panel import _Lists
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import talk
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


@pytest.fixture
def two_chats(desk: Desk, server: FakeLLM) -> OpenDesk:
    """Two chats, “First” on the page, and a server that counts slowly."""
    desk.connect(server.profile())
    with desk.workspace() as workspace:
        talk(workspace, "Second hello.", "Second good day.", title="Second", name="Nils")
        talk(workspace, "First hello.", "First good day.", title="First")
    server.reply = " ".join(f"n{number}" for number in range(250))
    server.fault = Fault(delta_delay=0.01)
    window = desk.open()
    window.open_chat("First")
    return window


def begin(window: OpenDesk) -> int:
    """Send, and wait until the reply streams; returns the chat."""
    window.send("Count.")
    window.wait(lambda: len(window.shown()) == 4 and len(window.shown()[-1]) > 10)
    return window.chat_id


def test_a_reply_lands_in_its_own_chat(two_chats: OpenDesk, server: FakeLLM) -> None:
    window = two_chats
    first = begin(window)
    window.open_chat("Second")
    window.wait(lambda: window.shown() == ["Second hello.", "Second good day."])
    window.rest(300)
    assert window.shown() == ["Second hello.", "Second good day."]
    assert window.running.session.replying(first)
    window.open_chat("First")
    window.wait(lambda: len(window.shown()) == 4 and window.shown()[-1].startswith("n0 n1 n2"))
    length = len(window.shown()[-1])
    window.wait(lambda: len(window.shown()[-1]) > length + 50)
    assert window.running.session.replying(first)
    server.fault = None
    window.wait_idle()
    assert window.shown() == ["First hello.", "First good day.", "Count.", server.reply]
    assert window.texts() == window.shown()
    second = next(chat.id for chat in window.workspace.chats.all() if chat.title == "Second")
    assert window.texts(second) == ["Second hello.", "Second good day."]


def test_going_to_and_fro_at_once_loses_nothing_from_the_page(two_chats: OpenDesk, server: FakeLLM) -> None:
    window = two_chats
    server.reply = "Short."
    server.fault = Fault(first_byte_delay=0.4)
    lists = window.find(QListView, "Chats")
    window.send("Count.")
    for _ in range(3):
        for title in ("Second", "First"):
            window.click_row(lists, window.rows("Chats").index(title))
            window.rest(10)
    window.wait_idle()
    whole = ["First hello.", "First good day.", "Count.", "Short."]
    window.wait(lambda: window.texts() == whole)
    window.wait(lambda: window.shown() == whole)


def test_a_chat_that_was_left_at_once_has_everything_when_it_is_opened_again(
    two_chats: OpenDesk, server: FakeLLM
) -> None:
    window = two_chats
    server.fault = None
    server.reply = "Short."
    window.send("Count.")
    first = window.chat_id
    window.open_chat("Second")
    window.wait_idle()
    # The list is read again a moment later; the person is faster.
    window.window.open_chat(first)
    window.wait(lambda: window.shown() == ["First hello.", "First good day.", "Count.", "Short."])


def test_two_chats_are_answered_at_the_same_time(two_chats: OpenDesk, server: FakeLLM) -> None:
    window = two_chats
    first = begin(window)
    window.open_chat("Second")
    window.wait(lambda: len(window.shown()) == 2)
    second = begin(window)
    session = window.running.session
    assert session.replying(first)
    assert session.replying(second)
    window.key(Qt.Key.Key_Escape, on=window.words)
    window.wait(lambda: not session.replying(second))
    assert session.replying(first)
    server.fault = None
    window.wait_idle()
    assert window.stored(first)[-1].text == server.reply
    assert window.stored(second)[-1].swipe.state is SwipeState.STOPPED


def test_closing_the_window_keeps_what_has_come(two_chats: OpenDesk, desk: Desk) -> None:
    first = begin(two_chats)
    desk.close(two_chats)
    with desk.workspace() as workspace:
        reply = workspace.messages.page(first, 1, 10)[-1]
    assert reply.swipe.state in (SwipeState.STOPPED, SwipeState.INTERRUPTED)
    assert reply.text.startswith("n0 n1")
    window = desk.open()
    window.wait(lambda: window.shown()[-1:] == [reply.text])


def test_a_chat_that_is_deleted_while_it_is_answered_ends_quietly_and_comes_back(
    two_chats: OpenDesk, server: FakeLLM
) -> None:
    window = two_chats
    first = begin(window)
    lists = window.find(QListView, "Chats")
    window.click_row(lists, window.rows("Chats").index("First"))
    window.key(Qt.Key.Key_Delete, on=lists)
    window.wait(lambda: window.rows("Chats") == ["Second"])
    window.wait_idle()
    server.wait_for(lambda: server.disconnects == 1)
    assert window.toast == "Moved to the trash: First"
    window.wait(lambda: window.window.chat.chat_id is None)
    assert window.shown() == []
    window.press("Undo")
    window.wait(lambda: "First" in window.rows("Chats"))
    window.open_chat("First")
    window.wait(lambda: len(window.shown()) == 4)
    reply = window.stored(first)[-1]
    assert reply.swipe.state is SwipeState.STOPPED
    assert reply.text.startswith("n0 n1")


def test_a_reply_that_is_deleted_while_it_is_written_stays_deleted(two_chats: OpenDesk) -> None:
    window = two_chats
    begin(window)
    widget = window.message(4)
    widget.setFocus()
    window.key(Qt.Key.Key_Delete, on=widget)
    window.wait(lambda: len(window.texts()) == 3)
    window.key(Qt.Key.Key_Escape, on=window.words)
    window.wait_idle()
    window.wait(lambda: window.shown() == ["First hello.", "First good day.", "Count."])
    assert window.texts() == ["First hello.", "First good day.", "Count."]
    assert not window.toast or window.toast.startswith("Moved to the trash")


def test_a_message_that_is_deleted_while_the_reply_is_written_keeps_the_order(
    two_chats: OpenDesk, server: FakeLLM
) -> None:
    window = two_chats
    begin(window)
    window.message(1).setFocus()
    window.key(Qt.Key.Key_Delete)
    window.wait(lambda: window.shown()[:2] == ["First good day.", "Count."])
    window.wait(lambda: "First hello." in window.toast)
    window.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: window.shown()[:3] == ["First hello.", "First good day.", "Count."])
    length = len(window.shown()[-1])
    window.wait(lambda: len(window.shown()[-1]) > length)
    server.fault = None
    window.wait_idle()
    window.wait(lambda: window.shown() == ["First hello.", "First good day.", "Count.", server.reply])


def test_the_receipt_on_show_is_that_of_the_reply_in_this_chat(two_chats: OpenDesk, server: FakeLLM) -> None:
    window = two_chats
    server.fault = None
    server.reply = "Short."
    window.say("Question one.")
    window.wait(lambda: window.window.prompt.receipt() is not None)
    shown = window.window.prompt.receipt()
    kept = window.workspace.receipts.get(window.stored()[-1].swipe.id)
    assert kept is not None
    assert shown == from_json(kept)
    window.open_chat("Second")
    window.wait(lambda: window.window.prompt.receipt() is None)


def test_what_comes_before_a_long_pause_is_shown(two_chats: OpenDesk, server: FakeLLM) -> None:
    window = two_chats
    server.reply = "one two three four five six seven"
    server.fault = Fault(stall_after=5)
    window.send("Count.")
    server.wait_for(lambda: server.deltas_sent == 5)
    window.rest(1000)
    assert window.running.session.replying(window.chat_id)
    assert window.shown()[-1] == "one two three four f"
    window.key(Qt.Key.Key_Escape, on=window.words)
    window.wait_idle()


def test_a_list_that_is_older_than_the_chat_does_not_close_it(two_chats: OpenDesk) -> None:
    window = two_chats
    library = window.window.library
    before = _Lists(list(library.chats), list(library.characters), {}, [], [])
    window.window.new_chat(library.characters[0].id)
    window.wait(lambda: window.window.chat.chat_id not in (None, *(chat.id for chat in before.chats)))
    opened = window.chat_id
    library._show(before)
    window.rest(200)
    assert window.chat_id == opened
