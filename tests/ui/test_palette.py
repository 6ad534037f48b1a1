"""The command palette: a few letters, in any script, lead to every action, chat and character."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QListView, QWidget
from pytestqt.qtbot import QtBot

from memdesk.ui.dialogs.trash import TrashDialog
from memdesk.ui.fuzzy import fold, score
from memdesk.ui.widgets.palette import Entry, Palette
from tests.support.workspaces import talk
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]

CTRL = Qt.KeyboardModifier.ControlModifier


def best(needle: str, *texts: str) -> list[str]:
    """Return the texts that fit, best first."""
    scored = [(score(fold(needle), fold(text)), text) for text in texts]
    fitting = [(found, text) for found, text in scored if found is not None]
    return [text for _found, text in sorted(fitting, key=lambda pair: -pair[0])]


@pytest.mark.parametrize(
    ("needle", "texts"),
    [
        ("trash", ["Trash", "Trash can", "Empty the trash", "xtrash"]),
        ("eleanor vance", ["Vance, Eleanor"]),
        ("nc", ["New chat", "no one came"]),
        ("reg", ["Regenerate the last reply", "Chat with Gregor"]),
        ("魔王", ["魔王城", "打倒魔王", "魔法之王"]),
        ("灯塔", ["The 灯塔"]),
        ("elodie", ["Élodie"]),
        ("ＡＢＣ", ["abc"]),
        ("한국", ["한국어"]),
        ("rebld", ["Rebuild"]),
    ],
)
def test_what_fits_comes_in_order(needle: str, texts: list[str]) -> None:
    assert best(needle, *reversed(texts)) == texts


@pytest.mark.parametrize(("needle", "text"), [("z", "abc"), ("王魔", "魔王"), ("ab", "ba"), ("a b", "a c")])
def test_what_does_not_fit_is_not_found(needle: str, text: str) -> None:
    assert best(needle, text) == []


@settings(max_examples=60)
@given(st.text(max_size=30), st.text(max_size=12))
def test_a_part_of_a_name_finds_it(text: str, needle: str) -> None:
    folded = fold(text)
    score(fold(needle), folded)
    for word in folded.text.split():
        assert score(fold(word), folded) is not None


@pytest.fixture(name="palette")
def palette_fixture(qtbot: QtBot) -> Palette:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(900, 700)
    made = Palette(window)
    with qtbot.waitExposed(window):
        window.show()
        window.activateWindow()
    return made


def titles(palette: Palette) -> list[str]:
    view = palette.findChild(QListView)
    model = view.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_a_thousand_chats_cost_no_time(palette: Palette, qtbot: QtBot) -> None:
    entries = [Entry(f"chat:{n}", f"The lighthouse {n} 灯塔 of the long night", "Chat") for n in range(1000)]
    palette.open(entries, [])
    field = palette.findChild(QLineEdit)
    took = []
    for text in "lighthouse 77":
        started = time.process_time()
        qtbot.keyClicks(field, text)
        QApplication.processEvents()
        took.append(time.process_time() - started)
    assert titles(palette)[0].startswith("The lighthouse 77")
    assert sorted(took)[len(took) // 2] < 0.05
    palette.leave()


def test_what_was_used_last_stands_first(palette: Palette) -> None:
    entries = [Entry(f"act:{name}", name, "memdesk") for name in ("Alpha", "Beta", "Gamma")]
    palette.open(entries, ["act:Gamma", "act:gone"])
    assert titles(palette) == ["Gamma", "Alpha", "Beta"]
    palette.leave()


def found(window: OpenDesk) -> list[str]:
    return window.rows("Commands found")


def field_of(window: OpenDesk) -> Any:
    window.key(Qt.Key.Key_K, CTRL)
    return window.find(QLineEdit, "Find a command")


@pytest.fixture(name="open_desk")
def open_desk_fixture(desk: Desk) -> OpenDesk:
    with desk.workspace() as workspace:
        talk(workspace, "Hello.", title="The harbour", name="Eleanor")
        talk(workspace, "你好。", title="灯塔的钥匙", name="艾莉亚")
        card = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Gregor"}}
        workspace.library.add_character("Gregor", card)
    return desk.open()


def test_every_action_chat_and_character_is_reached_by_keys(desk: Desk, open_desk: OpenDesk) -> None:
    window = open_desk
    window.words.setFocus()
    field = field_of(window)
    acts = window.window.acts
    offered = set(found(window))
    assert {act.title for act in acts.all() if act.possible and act.id != "app.palette"} <= offered
    QTest.keyClicks(field, "trash")
    assert found(window)[0] == "Trash"
    window.key(Qt.Key.Key_Return, on=field)
    window.wait(lambda: window.all(TrashDialog))
    window.all(TrashDialog)[0].reject()
    window.wait(lambda: not window.all(TrashDialog))
    # Chinese comes from an input method, and Enter while it composes is its own.
    field = field_of(window)
    assert found(window)[0] == "Trash"
    QApplication.sendEvent(field, QInputMethodEvent("dengta", []))
    window.key(Qt.Key.Key_Return, on=field)
    assert field.isVisible()
    commit = QInputMethodEvent()
    commit.setCommitString("灯塔")
    QApplication.sendEvent(field, commit)
    assert found(window) == ["灯塔的钥匙"]
    window.key(Qt.Key.Key_Return, on=field)
    window.wait(lambda: window.window.chat.chat is not None and window.window.chat.chat.title == "灯塔的钥匙")
    # A character without a chat gets one; with one, the chat is opened.
    QTest.keyClicks(field_of(window), "gregor")
    window.key(Qt.Key.Key_Return, on=window.find(QLineEdit, "Find a command"))
    window.wait(lambda: window.window.chat.chat.character_names == ("Gregor",))
    field = field_of(window)
    QTest.keyClicks(field, "eleanor")
    window.key(Qt.Key.Key_Down, on=field)
    window.key(Qt.Key.Key_Return, on=field)
    window.wait(lambda: window.window.chat.chat.title == "The harbour")
    path = desk.folder / "window.json"
    # The window writes it after a while, and not for the first time perhaps.
    window.wait(lambda: path.exists() and "act:app.trash" in json.loads(path.read_text()).get("recent", []))
    assert window.workspace.chats.all()[0].id


def test_the_palette_leaves_everything_as_it_was(open_desk: OpenDesk) -> None:
    window = open_desk
    window.words.setFocus()
    field = field_of(window)
    QTest.keyClicks(field, "no such thing at all")
    assert not window.all(QListView, "Commands found")
    window.key(Qt.Key.Key_Return, on=field)
    window.key(Qt.Key.Key_Escape, on=field)
    assert not field.isVisible()
    assert window.words.hasFocus()
    assert window.words.toPlainText() == ""
    field = field_of(window)
    window.key(Qt.Key.Key_Up, on=field)
    window.words.setFocus()
    assert not field.isVisible()
    assert window.words.hasFocus()
    # Its key closes it again.
    field = field_of(window)
    window.key(Qt.Key.Key_K, CTRL, on=field)
    assert not field.isVisible()
