"""Finding in a chat and in all chats, as a person does it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QListView

from memdesk.chats.finding import read_query
from memdesk.ui.widgets.message_body import MessageBody
from tests.support.workspaces import WordEmbedder, use_embedder
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(autouse=True)
def _quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


def place(desk: OpenDesk) -> str:
    return str(desk.find(QLabel, "Places found").text())


def look(desk: OpenDesk, words: str, name: str = "Words to find") -> None:
    field = desk.find(QLineEdit, name)
    field.clear()
    if words.isascii():
        QTest.keyClicks(field, words)
    else:
        field.insert(words)


def hits(desk: OpenDesk) -> list[str]:
    return desk.rows("Messages found") if desk.has(QListView, "Messages found") else []


def test_find_in_a_chat_goes_from_place_to_place_far_out_of_sight(desk: Desk) -> None:
    lines = [f"line {number}" for number in range(1, 261)]
    lines[4], lines[129], lines[258] = "a Lantern burns", "the lanterns went out, 魔王来了", "no lantern"
    desk.prepare(*lines)
    window = desk.open()
    window.key(Qt.Key.Key_F, CTRL)
    assert window.find(QLineEdit, "Words to find").hasFocus()
    look(window, "lantern")
    window.wait(lambda: place(window) == "3 of 3")
    window.wait(lambda: window.message(259).body.marked() == ["lantern"])
    window.key(Qt.Key.Key_Return, SHIFT)
    window.wait(lambda: place(window) == "2 of 3")
    window.wait(lambda: 130 in {m.number for m in window.window.chat.model.messages})
    window.wait(lambda: window.message(130).body.marked() == ["lantern"])
    window.press("Previous place")
    window.wait(lambda: 5 in {m.number for m in window.window.chat.model.messages})
    window.wait(lambda: window.message(5).body.marked() == ["Lantern"])
    window.press("Previous place")
    window.wait(lambda: place(window) == "3 of 3")
    look(window, "魔王")
    window.wait(lambda: place(window) == "1 of 1")
    window.wait(lambda: 130 in {m.number for m in window.window.chat.model.messages})
    window.wait(lambda: window.message(130).body.marked() == ["魔王"])
    window.key(Qt.Key.Key_Escape)
    assert not window.has(QLineEdit, "Words to find")
    assert window.message(130).body.marked() == []


def test_find_follows_what_happens_to_the_messages(desk: Desk) -> None:
    desk.prepare("one dragon", "two dragons", "three")
    window = desk.open()
    window.key(Qt.Key.Key_F, CTRL)
    look(window, "dragon")
    window.wait(lambda: place(window) == "2 of 2")
    window.running.session.delete_messages([window.stored()[1].id])
    window.wait(lambda: place(window) == "1 of 1")
    window.running.session.edit_message(window.stored()[1].id, "a third dragon")
    window.wait(lambda: place(window).endswith("of 2"))
    look(window, "unicorn")
    window.wait(lambda: place(window) == "Nothing found")
    look(window, '"?*(')
    window.wait(lambda: not window.window.finding.bar.looking)
    assert place(window) == "Nothing found"


def test_all_chats_are_searched_and_a_hit_opens_its_chat_at_the_message(desk: Desk) -> None:
    desk.prepare(*(f"dragon {n}" if n == 3 else f"line {n}" for n in range(1, 151)), title="Long")
    desk.prepare("a dragon sleeps", "no", title="Short", name="Tom")
    window = desk.open()
    window.open_chat("Short")
    window.key(Qt.Key.Key_F, CTRL, SHIFT)
    look(window, "dragon", "Search all chats")
    window.wait(lambda: len(hits(window)) == 4)
    assert hits(window)[0] == "Short, 1"
    assert hits(window)[3].endswith("dragon 3")
    found = window.find(QListView, "Messages found")
    window.key(Qt.Key.Key_Down, on=window.find(QLineEdit, "Search all chats"))
    assert found.hasFocus()
    window.click_row(found, 3)
    window.wait(lambda: window.window.chat.chat is not None and window.window.chat.chat.title == "Long")
    window.wait(lambda: 3 in {m.number for m in window.window.chat.model.messages})
    window.wait(lambda: window.message(3).body.marked() == ["dragon"])
    assert window.window.chat.view.current_id == window.message(3).message.id


def test_a_chat_deleted_while_its_hits_are_shown(desk: Desk) -> None:
    desk.prepare("a dragon sleeps", title="First")
    gone = desk.prepare("a dragon wakes", title="Second", name="Tom")
    window = desk.open()
    window.open_chat("First")
    window.window.find_everywhere("dragon")
    window.wait(lambda: len(hits(window)) == 4)
    hit = next(hit for group in window.window.search._model.groups for hit in group.hits
               if hit.chat_id == gone.id)  # fmt: skip
    window.window.delete_chat(gone.id)
    window.wait(lambda: len(hits(window)) == 2)
    window.window.go_to_message(gone.id, hit.message_id, read_query("dragon"))
    window.wait(lambda: "not there any more" in window.toast)
    assert window.window.chat.chat is not None
    assert window.window.chat.chat.title == "First"


def test_more_hits_come_when_they_are_asked_for(desk: Desk) -> None:
    desk.prepare(*(f"dragon {number}" for number in range(40)), title="Many")
    window = desk.open()
    window.window.find_everywhere("dragon")
    window.wait(lambda: len(hits(window)) == 7)
    window.click_row(window.find(QListView, "Messages found"), 6)
    window.wait(lambda: len(hits(window)) == 27)
    window.click_row(window.find(QListView, "Messages found"), 26)
    window.wait(lambda: len(hits(window)) == 41)
    assert window.find(QLabel, "Messages found in all chats").text().startswith("40 ")


def test_meaning_is_one_switch(desk: Desk) -> None:
    desk.prepare("the dragon sleeps in its cave", "bread and butter", title="Talk")
    window = desk.open()
    window.wait(lambda: not window.workspace.chunks.without_vector(window.workspace.sync.space_id, None, 9))
    window.window.find_everywhere("sleeps cave dragon")
    window.wait(lambda: len(hits(window)) == 2)
    window.find(QCheckBox, "Search all chats by meaning").click()
    window.wait(lambda: len(hits(window)) >= 2 and " · 0." in hits(window)[1])
    assert hits(window)[1].endswith("the dragon sleeps in its cave")
    window.key(Qt.Key.Key_F, CTRL)
    window.find(QCheckBox, "Find by meaning").click()
    look(window, "bread butter")
    window.wait(lambda: place(window).startswith("1 of"))
    window.wait(lambda: window.window.chat.view.current_id == window.message(2).message.id)


def test_selected_words_are_looked_for_and_esc_gives_the_chat_back(desk: Desk) -> None:
    desk.prepare("the red door", "a red cat")
    window = desk.open()
    body = window.message(1).body
    cursor = body.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(7, cursor.MoveMode.KeepAnchor)
    body.setTextCursor(cursor)
    window.key(Qt.Key.Key_F, CTRL)
    assert window.find(QLineEdit, "Words to find").text() == "red"
    window.wait(lambda: place(window) == "2 of 2")
    window.press("Close the find bar")
    assert QApplication.focusWidget() is window.window.chat.view


def test_marks_stand_right_behind_signs_of_two_units(qtbot: Any) -> None:
    body = MessageBody()
    qtbot.addWidget(body)
    body.setText("😀😀 the *dragon* and 𠮷 a dragon")
    body.setMarks(read_query("dragon"))
    assert body.marked() == ["dragon", "dragon"]
    body.setText("no more")
    assert body.marked() == []
    body.beginStreaming("")
    body.appendDelta("a new *dragon*\n")
    body.endStreaming("a new *dragon*\n")
    assert body.marked() == ["dragon"]
    body.setMarks(read_query(""))
    assert body.marked() == []
