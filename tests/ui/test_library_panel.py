"""The left side: finding, importing, making and deleting characters and chats, with every kind of name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtGui import Qt as QtText
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListView,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QPushButton,
)

from memdesk.ui.dialogs.character_editor import CharacterEditorDialog
from memdesk.ui.dialogs.rename import RenameDialog
from memdesk.ui.dialogs.trash import TrashDialog
from memdesk.ui.models.people import Role
from tests.formats.making import packed, picture, text
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import talk
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

SHIFT, CTRL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier

NAMES = {
    "emoji": "🐉 Dragón 👩‍👩‍👧",
    "line break": "Two\nlines",
    "quotes": "He said \"it's\" <b>bold</b> & 'so'",
    "picture": "<img src='file:///etc/passwd'><b>x</b>",
    "right to left": "שָׁלוֹם \u202eevil",
    "Chinese": "魔王・林小姐",
    "percent": "%1 %n {name} {0}",
    "long": "Aa" * 120,
}


def card(name: Any, **data: Any) -> str:
    body = {"name": name, "first_mes": "Good day.", **data}
    return json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": body}, ensure_ascii=False)


def drop(window: OpenDesk, *paths: Path) -> None:
    """Drag files over the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(400, 300), copy, data, left, none)
    QApplication.sendEvent(window.window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window.window, QDropEvent(QPointF(400, 300), copy, data, left, none))


def test_cards_are_imported_by_dropping_them(desk: Desk, tmp_path: Path) -> None:
    window = desk.open()
    assert any("No chats yet" in label.text() for label in window.all(QLabel))
    (tmp_path / "mara.png").write_bytes(picture(text("ccv3", packed(json.loads(card("Mara"))))))
    drop(window, tmp_path / "mara.png")
    window.wait(lambda: len(window.rows("Chats")) == 1)
    (character,) = window.workspace.characters.all()
    assert character.avatar is not None
    assert window.window.chat.chat is not None
    assert window.window.chat.chat.character_ids == (character.id,)
    window.wait(window.shown)


def test_a_drag_without_files_is_not_welcome(desk: Desk) -> None:
    window = desk.open()
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/card.png")])
    enter = QDragEnterEvent(
        QPoint(4, 3),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    enter.ignore()
    QApplication.sendEvent(window.window, enter)
    assert not enter.isAccepted()


def test_one_broken_file_among_good_ones_is_named_and_the_others_go_in(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(card("One"), "utf-8")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 40)
    (tmp_path / "two.json").write_text(card("Two"), "utf-8")
    (tmp_path / "folder.json").mkdir()
    window = desk.open()
    names = ["one.json", "broken.png", "two.json", "folder.json", "not there.json"]
    drop(window, *[tmp_path / name for name in names])
    window.wait(lambda: sorted(window.rows("Chats")) == ["One", "Two"])
    window.wait(lambda: "broken.png" in window.toast)
    assert "folder.json" in window.toast
    assert "not there.json" in window.toast
    assert "one.json" not in window.toast
    assert {item.name for item in window.workspace.characters.all()} == {"One", "Two"}


def test_equal_names_stand_side_by_side(desk: Desk, tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(card("Mara", description=f"Nr. {number}"), "utf-8")
    window = desk.open()
    drop(window, tmp_path / "1.json", tmp_path / "2.json")
    window.wait(lambda: sorted(window.rows("Chats")) == ["Mara", "Mara 2"])
    window.press("Show characters")
    window.wait(lambda: window.rows("Characters") == ["Mara", "Mara (2)"])
    lines = {item.text("description") for item in window.workspace.characters.all()}
    assert lines == {"Nr. 1", "Nr. 2"}


@pytest.mark.parametrize("kind", list(NAMES))
def test_every_name_is_shown_as_plain_words(desk: Desk, server: FakeLLM, tmp_path: Path, kind: str) -> None:
    desk.connect(server.profile())
    name = NAMES[kind]
    (tmp_path / "card.json").write_text(card(name), "utf-8")
    window = desk.open()
    drop(window, tmp_path / "card.json")
    window.wait(lambda: window.rows("Chats"))
    window.wait(lambda: window.shown() == ["Good day."])
    (shown,) = window.rows("Chats")
    assert shown.startswith(" ".join(name.replace("\u202e", "").split())[:60])
    assert "\n" not in shown
    assert window.title
    window.say("Hello, you.")
    window.wait(lambda: window.shown()[1:] == ["Hello, you.", "You said: Hello, you."])
    for label in window.all(QLabel):
        rich = QtText.mightBeRichText(label.text()) and label.textFormat() != Qt.TextFormat.PlainText
        assert not rich, label.text()
    assert not window.toast or "could not" not in window.toast


def test_a_new_chat_begins_with_the_greetings_as_versions(desk: Desk, tmp_path: Path) -> None:
    greetings = ["Second greeting.", "Third greeting."]
    (tmp_path / "card.json").write_text(card("Mara", alternate_greetings=greetings), "utf-8")
    window = desk.open()
    drop(window, tmp_path / "card.json")
    window.wait(lambda: window.has(QLabel, "Version 1 of 3"))
    window.press("Next version", window.message(1))
    window.wait(lambda: window.shown() == ["Second greeting."])
    window.press("Next version", window.message(1))
    window.wait(lambda: window.has(QLabel, "Version 3 of 3"))
    window.words.setFocus()
    window.key(Qt.Key.Key_Right)
    window.rest()
    assert window.shown() == ["Third greeting."]
    assert window.stored()[0].swipe_count == 3


def test_the_search_field_filters_chats_and_characters(desk: Desk) -> None:
    with desk.workspace() as workspace:
        talk(workspace, "Fish.", title="Harbour", name="Nils")
        talk(workspace, "Cake.", title="魔王的城堡", name="林")
        talk(workspace, "Tea.", title="Garden", name="Mara")
    window = desk.open()
    search = window.find(QLineEdit, "Search chats and characters")
    window.key(Qt.Key.Key_E, CTRL)
    assert search.hasFocus()
    QTest.keyClicks(search, "hARB")
    assert window.rows("Chats") == ["Harbour"]
    search.setText("魔王")
    assert window.rows("Chats") == ["魔王的城堡"]
    search.setText("nothing like it")
    assert window.rows("Chats") == []
    assert any(label.text() == "Nothing is called that." for label in window.all(QLabel))
    window.press("Show characters")
    search.setText("mara")
    assert window.rows("Characters") == ["Mara"]
    search.clear()
    assert len(window.rows("Characters")) == 3


def test_a_character_is_made_in_the_editor_and_answers(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    window = desk.open()
    window.key(Qt.Key.Key_N, CTRL, SHIFT)
    window.wait(lambda: window.all(CharacterEditorDialog))
    (editor,) = window.all(CharacterEditorDialog)
    window.find(QLineEdit, "Name").setText("Ada")
    window.find(QPlainTextEdit, "Description").setPlainText("She keeps bees.")
    window.find(QPlainTextEdit, "First message").setPlainText("Mind the hive, {{user}}.")
    window.press("Save", editor)
    window.wait(lambda: not window.all(CharacterEditorDialog))
    window.wait(lambda: window.rows("Characters") == ["Ada"])
    window.click_row(window.find(QListView, "Characters"), 0)
    window.press("New chat")
    window.wait(lambda: window.shown() == ["Mind the hive, You."])
    window.wait(lambda: window.rows("Chats") == ["Ada"])
    window.say("Hello.")
    window.wait(lambda: window.shown()[1:] == ["Hello.", "You said: Hello."])
    assert "She keeps bees." in str(server.chat_requests[-1].messages)


def test_an_edited_character_answers_as_it_is_now(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.", description="Old words.")
    window = desk.open()
    window.window.openers.edit_character(window.workspace.characters.all()[0].id)
    window.wait(lambda: window.all(CharacterEditorDialog))
    (editor,) = window.all(CharacterEditorDialog)
    box = window.find(QPlainTextEdit, "Description")
    assert box.toPlainText() == "Old words."
    box.setPlainText("New words.")
    window.press("Save", editor)
    window.wait(lambda: not window.all(CharacterEditorDialog))
    window.say("Hi.")
    sent = str(server.chat_requests[-1].messages)
    assert "New words." in sent
    assert "Old words." not in sent


def test_a_deleted_character_comes_back_from_the_trash(desk: Desk) -> None:
    desk.prepare("Hello.", "Good day.", name="Mara")
    window = desk.open()
    window.press("Show characters")
    view = window.find(QListView, "Characters")
    window.click_row(view, 0)
    window.key(Qt.Key.Key_Delete, on=view)
    window.wait(lambda: window.rows("Characters") == [])
    window.wait(lambda: "Mara" in window.toast)
    assert window.shown() == ["Hello.", "Good day."]
    window.window.openers.open_trash()
    window.wait(lambda: window.all(TrashDialog))
    (trash,) = window.all(TrashDialog)
    window.wait(lambda: window.find(QListWidget, "Deleted things").count() == 1)
    window.press("Restore", trash)
    window.wait(lambda: window.rows("Characters") == ["Mara"])
    window.press("Close", trash)
    window.wait(lambda: not window.all(TrashDialog))


def test_a_chat_whose_character_is_in_the_trash_says_so_and_keeps_the_words(
    desk: Desk, server: FakeLLM
) -> None:
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.", name="Mara")
    window = desk.open()
    window.window.library.deleteCharacterRequested.emit(window.workspace.characters.all()[0].id)
    window.wait(lambda: not window.workspace.characters.all())
    window.send("Still there?")
    window.wait_idle()
    window.rest()
    said = [label.text() for label in window.all(QLabel) if "character" in label.text().lower()]
    answered = window.texts()[-1] == "You said: Still there?"
    assert answered or said
    assert window.words.toPlainText() == "Still there?" or "Still there?" in window.texts()


def test_chats_are_renamed_and_the_name_is_taken_back(desk: Desk) -> None:
    desk.prepare("Hello.", title="Talk")
    window = desk.open()
    window.window.openers.rename_chat(window.chat_id)
    window.wait(lambda: window.all(RenameDialog))
    window.find(QLineEdit, "Title").setText("<b>New</b> & old")
    window.key(Qt.Key.Key_Return, on=window.find(QLineEdit, "Title"))
    window.wait(lambda: window.rows("Chats") == ["<b>New</b> & old"])
    window.wait(lambda: "<b>New</b> & old" in window.title)
    window.window.activateWindow()
    window.wait(window.window.isActiveWindow)
    window.key(Qt.Key.Key_Z, CTRL, on=window.find(QListView, "Chats"))
    window.wait(lambda: window.rows("Chats") == ["Talk"])


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_row_has_a_menu(desk: Desk) -> None:
    desk.prepare("Hello.", title="Talk")
    window = desk.open()
    view = window.find(QListView, "Chats")
    view.customContextMenuRequested.emit(view.visualRect(view.model().index(0, 0)).center())
    window.wait(lambda: window.all(QMenu))
    (menu,) = window.all(QMenu)
    delete = next(action for action in menu.actions() if action.text() == "Delete")
    delete.trigger()
    menu.close()
    window.wait(lambda: window.rows("Chats") == [])
    window.wait(lambda: window.window.chat.chat_id is None)
    assert not window.words.isEnabled()


def test_enter_on_a_row_opens_it(desk: Desk) -> None:
    with desk.workspace() as workspace:
        talk(workspace, "One.", title="First")
        talk(workspace, "Two.", title="Second")
    window = desk.open()
    view = window.find(QListView, "Chats")
    other = next(title for title in window.rows("Chats") if title not in window.title)
    view.setFocus()
    view.setCurrentIndex(view.model().index(window.rows("Chats").index(other), 0))
    window.key(Qt.Key.Key_Return, on=view)
    window.wait(lambda: other in window.title)


def test_a_click_on_a_character_marks_it_and_begins_nothing(desk: Desk) -> None:
    desk.prepare("Hello.", title="Talk", name="Mara")
    window = desk.open()
    window.press("Show characters")
    view = window.find(QListView, "Characters")
    assert not window.has(QPushButton, "New chat")
    window.click_row(view, 0)
    window.rest()
    assert len(window.workspace.chats.all()) == 1
    window.press("Edit…")
    window.wait(lambda: window.all(CharacterEditorDialog))
    window.all(CharacterEditorDialog)[0].reject()
    window.wait(lambda: not window.all(CharacterEditorDialog))
    view.setFocus()
    window.key(Qt.Key.Key_Return, on=view)
    window.wait(lambda: len(window.workspace.chats.all()) == 2)
    window.press("Show characters")
    window.press("New chat")
    window.wait(lambda: len(window.workspace.chats.all()) == 3)


def test_a_failed_reply_keeps_its_row_at_two_lines(desk: Desk, server: FakeLLM) -> None:
    server.fault = Fault(status=401)
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.", title="Talk")
    window = desk.open()
    window.say("Are you there?")

    def line() -> str:
        return str(window.find(QListView, "Chats").model().index(0, 0).data(Role.LINE))

    window.wait(lambda: "key" in line())
