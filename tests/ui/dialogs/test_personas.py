"""The dialog of personas: made, typed, placed, chosen, deleted, carried in and out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLabel, QLineEdit, QListView, QMenu, QPlainTextEdit

from memdesk.ui.dialogs.personas import PersonasDialog
from tests.formats.making import picture
from tests.support.fake_llm import FakeLLM
from tests.ui.dialogs.helpers import controls_are_named
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
popups = pytest.mark.qt_log_ignore("This plugin does not support (propagateSizeHints|raise|grabbing)")


@pytest.fixture
def opened(desk: Desk, server: FakeLLM) -> tuple[OpenDesk, PersonasDialog, FakeLLM]:
    """The dialog over a chat in which Alex has said one thing."""
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    window.key(Qt.Key.Key_P, CTRL, SHIFT, on=window.window)
    window.wait(lambda: window.all(PersonasDialog))
    (dialog,) = window.all(PersonasDialog)
    window.wait(lambda: window.rows("Personas") == ["Alex"])
    return window, dialog, server


def names(window: OpenDesk) -> list[str]:
    return [persona.name for persona in window.workspace.personas.all()]


def name_of(window: OpenDesk) -> QLineEdit:
    return window.find(QLineEdit, "Name")  # type: ignore[no-any-return]


def shut(window: OpenDesk, dialog: PersonasDialog) -> None:
    window.press("Close", dialog)
    window.wait(lambda: not window.all(PersonasDialog))


def test_a_persona_is_made_typed_placed_and_played(opened: Any) -> None:
    window, dialog, server = opened
    assert controls_are_named(dialog) == []
    assert any("New chats start" in label.text() for label in window.all(QLabel))
    window.press("New persona")
    # A second, quick click makes no second one.
    window.press("New persona")
    window.wait(lambda: name_of(window).hasFocus() and name_of(window).selectedText() == "New persona")
    QTest.keyClicks(name_of(window), "Noor & <b>")
    window.find(QPlainTextEdit, "Description").setPlainText("{{user}} paints.\nBadly.")
    place = window.find(QComboBox, "Where the description goes")
    place.setCurrentIndex(place.findData("depth"))
    window.find(QLineEdit, "Depth").setText("1")
    role = window.find(QComboBox, "In the name of")
    role.setCurrentIndex(role.findData("user"))
    window.press("Play in this chat")
    window.wait(lambda: "Noor & <b>" in names(window))
    shut(window, dialog)
    window.wait(lambda: window.has(QAbstractButton, "You play Noor & <b>"))
    window.say("Now I.")
    messages = server.chat_requests[-1].messages
    assert messages[-2] == {"role": "user", "content": "Noor & <b>: Noor & <b> paints.\nBadly."}
    assert [message.name for message in window.stored()][::2] == ["Alex", "Noor & <b>"]
    assert names(window) == ["Alex", "Noor & <b>"]


def test_what_was_typed_is_kept_when_the_dialog_closes_and_taken_back(opened: Any) -> None:
    window, dialog, _ = opened
    QTest.keyClicks(name_of(window), "!")
    shut(window, dialog)
    window.wait(lambda: names(window) == ["!Alex"])
    window.wait(window.window._undo_action.isEnabled)
    window.window.undo()
    window.wait(lambda: names(window) == ["Alex"])


def test_a_blank_name_is_not_taken_and_the_one_from_before_stays(opened: Any) -> None:
    window, dialog, _ = opened
    name_of(window).selectAll()
    QTest.keyClick(name_of(window), Qt.Key.Key_Backspace)
    window.wait(lambda: any(label.text() == "A persona needs a name." for label in window.all(QLabel)))
    shut(window, dialog)
    assert names(window) == ["Alex"]


@popups
def test_the_persona_of_the_open_chat_is_deleted_and_comes_back(opened: Any) -> None:
    window, dialog, _ = opened
    view = window.find(QListView, "Personas")
    window.click_row(view, 0)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    window.wait(lambda: names(window) == [])
    window.wait(lambda: window.rows("Personas") == [])
    window.wait(lambda: window.has(QAbstractButton, "You play You"))
    window.press("Undo", dialog)
    window.wait(lambda: names(window) == ["Alex"])
    window.wait(lambda: window.rows("Personas") == ["Alex"])
    window.press("More about personas")
    window.wait(lambda: window.all(QMenu))
    (menu,) = window.all(QMenu)
    next(action for action in menu.actions() if action.text() == "Duplicate").trigger()
    menu.close()
    window.wait(lambda: names(window) == ["Alex", "Alex"])
    shut(window, dialog)
    window.wait(lambda: window.has(QAbstractButton, "You play Alex"))


def test_files_come_in_and_go_out(opened: Any, tmp_path: Path) -> None:
    window, dialog, _ = opened
    path = tmp_path / "personas.json"
    path.write_text(json.dumps({"personas": {"a.png": "Noor"}, "persona_descriptions": {}}), "utf-8")
    (tmp_path / "a.png").write_bytes(picture())
    dialog.take_file(path)
    window.wait(lambda: window.rows("Personas") == ["Alex", "Noor"])
    window.wait(lambda: any(label.text().startswith("1 persona") for label in window.all(QLabel)))
    assert window.workspace.personas.all()[1].avatar is not None
    dialog.take_file(path)
    window.wait(lambda: any("here already" in label.text() for label in window.all(QLabel)))
    dialog.write_file(tmp_path / "out.json")
    window.wait((tmp_path / "out.json").exists)
    assert sorted(json.loads((tmp_path / "out.json").read_bytes())["personas"].values()) == ["Alex", "Noor"]
    (tmp_path / "bad.json").write_text("{", "utf-8")
    dialog.take_file(tmp_path / "bad.json")
    window.wait(lambda: any("JSON" in label.text() for label in window.all(QLabel)))


def test_a_picture_is_kept_and_removed(opened: Any, tmp_path: Path) -> None:
    window, dialog, _ = opened
    (tmp_path / "face.png").write_bytes(picture(width=40, height=40))
    dialog._form._avatar.take_file(tmp_path / "face.png")
    window.wait(lambda: window.workspace.personas.all()[0].avatar is not None)
    window.press("Remove picture")
    window.wait(lambda: window.workspace.personas.all()[0].avatar is None)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 99)
    dialog._form._avatar.take_file(tmp_path / "broken.png")
    window.wait(lambda: any("PNG file" in label.text() for label in window.all(QLabel)))


def test_each_message_has_the_face_of_who_was_played(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.")
    with desk.workspace() as workspace:
        alex = workspace.personas.all()[0]
        chat = workspace.chats.all()[0]
        noor, _ = workspace.people.add_persona("Noor")
        noor, _ = workspace.people.save_persona(noor, picture(width=30, height=30))
        workspace.people.choose_persona(chat.id, noor.id)
    window = desk.open()
    window.say("It is me now.")
    panel = window.window.chat
    said = window.stored()[2]
    assert (said.name, said.persona_id) == ("Noor", noor.id)
    window.wait(lambda: panel._image(said) is not None)
    assert panel._image(window.stored()[0]) is None
    assert alex.avatar is None


@popups
def test_who_one_plays_is_switched_from_the_row_below(desk: Desk) -> None:
    desk.prepare("Hello.", "Good day.")
    with desk.workspace() as workspace:
        workspace.people.add_persona("Noor & Söhne")
    window = desk.open()
    window.wait(lambda: window.has(QAbstractButton, "You play Alex"))
    window.press("You play Alex")
    window.wait(lambda: window.all(QMenu))
    (menu,) = window.all(QMenu)
    words = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert words[:2] == ["Alex · default · played now", "Noor && Söhne"]
    menu.actions()[1].trigger()
    menu.close()
    window.wait(lambda: window.has(QAbstractButton, "You play Noor & Söhne"))
    assert window.stored()[0].name == "Alex"
    window.window.undo()
    window.wait(lambda: window.has(QAbstractButton, "You play Alex"))
