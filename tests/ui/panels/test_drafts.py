"""What is not sent yet: one draft per chat, over chats and restarts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit

from memdesk.chats.text import clean
from memdesk.ui.background import Background
from memdesk.ui.panels.drafts import LONGEST, Drafts
from memdesk.ui.panels.edit_drafts import EditDrafts
from memdesk.ui.window_state import WindowState
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import talk, wait_until
from tests.ui.windows import Desk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


@pytest.fixture(name="state")
def state_fixture(qapp: Any, tmp_path: Path) -> Iterator[Callable[[], WindowState]]:  # noqa: ARG001
    """Return what opens how the window stood, as each start of memdesk does."""
    background = Background()
    yield lambda: WindowState(tmp_path, background)
    background.close()


def on_disk(path: Path) -> dict[str, Any]:
    return json.loads((path / "window.json").read_text("utf-8"))  # type: ignore[no-any-return]


def flushed(path: Path, state: WindowState) -> None:
    (path / "window.json").unlink(missing_ok=True)
    state.flush()
    wait_until((path / "window.json").exists)


def written(path: Path, state: Callable[[], WindowState], texts: dict[int, str]) -> dict[int, str]:
    """Write drafts, and return what the next run reads."""
    drafts, kept = Drafts(), state()
    drafts.open(kept)
    for chat_id, text in texts.items():
        drafts.keep(chat_id, text)
    flushed(path, kept)
    again = Drafts()
    again.open(state())
    return {chat_id: again.text(chat_id) for chat_id in texts}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_every_text_comes_back(state: Any, tmp_path: Path, text: str) -> None:
    assert written(tmp_path, state, {7: text}) == {7: clean(text)}


def test_hard_texts_come_back(state: Any, tmp_path: Path) -> None:
    texts = dict(
        enumerate(["@Invalid()", "a, b", '"', "%1 \\x41", "[drafts]\n1=2", " ", "魔王 🐉", "a\\"], 1)
    )
    assert written(tmp_path, state, texts) == texts


def test_a_very_long_draft_is_cut_on_the_disk_only(state: Any, tmp_path: Path) -> None:
    long = "魔" * LONGEST
    drafts, kept = Drafts(), state()
    drafts.open(kept)
    drafts.keep(1, long)
    flushed(tmp_path, kept)
    assert drafts.text(1) == long
    assert written(tmp_path, state, {2: "b"}) == {2: "b"}
    again = Drafts()
    again.open(state())
    assert long.startswith(again.text(1))
    assert LONGEST - 3 < len(again.text(1).encode()) <= LONGEST


def test_a_damaged_state_is_passed_over(state: Any, tmp_path: Path) -> None:
    broken = {"drafts": {"x": "1", "5": ["a"], "-3": "c", "6": None, "9": "kept", "\u0664": "d"}}
    (tmp_path / "window.json").write_text(json.dumps(broken), "utf-8")
    drafts = Drafts()
    drafts.open(state())
    assert drafts.text(9) == "kept"
    assert drafts.text(5) == ""
    assert drafts.text(None) == ""


def test_drafts_of_the_file_from_before_are_taken_over(state: Any, tmp_path: Path) -> None:
    (tmp_path / "window.ini").write_text("[General]\nchat=7\n[drafts]\n5=a, b\n9=kept\n", "utf-8")
    kept = state()
    drafts = Drafts()
    drafts.open(kept)
    assert drafts.text(9) == "kept"
    assert kept.get("chat", 0) == 7


def test_every_chat_has_its_own_draft_and_keeps_it_over_a_restart(desk: Desk) -> None:
    with desk.workspace() as workspace:
        for title in ("First", "Second", "Third"):
            talk(workspace, "Hello.", title=title)
    window = desk.open()
    for title in ("First", "Second", "Third"):
        window.open_chat(title)
        assert window.words.toPlainText() == ""
        if title != "Third":
            window.type(f"Draft of {title}\nand 魔王")
    window.open_chat("First")
    assert window.words.toPlainText() == "Draft of First\nand 魔王"
    window.words.clear()
    window.open_chat("Second")
    desk.close(window)
    window = desk.open()
    assert window.window.chat.chat.title == "Second"
    assert window.words.toPlainText() == "Draft of Second\nand 魔王"
    first = next(chat for chat in window.workspace.chats.all() if chat.title == "First")
    window.window.open_chat(first.id)
    window.wait_page()
    assert window.words.toPlainText() == ""


def test_sending_clears_the_draft_of_its_chat_only(desk: Desk, server: FakeLLM) -> None:
    server.fault = Fault(first_byte_delay=0.2)
    desk.connect(server.profile())
    with desk.workspace() as workspace:
        for title in ("First", "Second"):
            talk(workspace, "Hello.", title=title)
    window = desk.open()
    window.open_chat("Second")
    window.type("Not yet")
    window.open_chat("First")
    first = window.chat_id
    window.send("Now")
    window.open_chat("Second")
    assert window.words.toPlainText() == "Not yet"
    window.wait_idle()
    window.wait(lambda: "Now" in window.texts(first))
    window.open_chat("First")
    assert window.words.toPlainText() == ""


def test_an_edit_that_was_not_saved_waits_in_its_message(desk: Desk) -> None:
    with desk.workspace() as workspace:
        for title in ("First", "Second"):
            talk(workspace, "Hello.", "She smiles.", title=title)
    window = desk.open()
    first, second = (chat.id for chat in sorted(window.workspace.chats.all(), key=lambda chat: chat.title))

    def go(chat_id: int) -> None:
        window.window.open_chat(chat_id)
        window.wait_page()

    go(first)
    window.message(2).setFocus()
    window.key(Qt.Key.Key_F2)
    window.find(QPlainTextEdit, "Message text").insertPlainText(" And 魔王 bows.")
    go(second)
    assert not window.has(QPlainTextEdit, "Message text")
    go(first)
    assert window.find(QPlainTextEdit, "Message text").toPlainText() == "She smiles. And 魔王 bows."
    desk.close(window)
    window = desk.open()
    editor = window.find(QPlainTextEdit, "Message text")
    assert editor.toPlainText() == "She smiles. And 魔王 bows."
    window.key(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier, on=editor)
    window.wait(lambda: window.texts() == ["Hello.", "She smiles. And 魔王 bows."])
    go(second)
    go(first)
    assert not window.has(QPlainTextEdit, "Message text")
    # What is given up with Esc, or typed back to what it was, leaves nothing behind either.
    window.message(1).startEditing()
    editor = window.find(QPlainTextEdit, "Message text")
    editor.insertPlainText("x")
    window.key(Qt.Key.Key_Escape, on=editor)
    go(second)
    go(first)
    assert window.shown() == ["Hello.", "She smiles. And 魔王 bows."]


def test_broken_edits_on_the_disk_are_passed_over(state: Any, tmp_path: Path) -> None:
    broken = {"edits": {"x": [1, 1, "a"], "2": "b", "3": [1, 2], "4": [1, True, "c"], "5": [1, 2, "kept"]}}
    (tmp_path / "window.json").write_text(json.dumps(broken), "utf-8")
    edits, kept = EditDrafts(), state()
    edits.open(kept)
    flushed(tmp_path, kept)
    assert on_disk(tmp_path)["edits"] == {"5": [1, 2, "kept"]}


def test_a_deleted_chat_takes_its_draft_along(desk: Desk) -> None:
    with desk.workspace() as workspace:
        for title in ("First", "Second"):
            talk(workspace, "Hello.", title=title)
    window = desk.open()
    window.open_chat("First")
    window.type("Mine")
    deleted = window.chat_id
    window.window.delete_chat(deleted)
    window.wait(lambda: window.window.chat.chat_id is None)
    assert window.words.toPlainText() == ""
    window.wait((desk.folder / "window.json").exists)
    window.wait(lambda: str(deleted) not in on_disk(desk.folder)["drafts"])
    window.wait(lambda: window.toast.startswith("Moved to the trash"))
    window.press("Undo")
    window.wait(lambda: window.window.chat.chat_id == deleted)
    assert window.words.toPlainText() == "Mine"


def test_a_deleted_chat_that_comes_back_is_opened_again(desk: Desk) -> None:
    with desk.workspace() as workspace:
        for title in ("First", "Second"):
            talk(workspace, "Hello.", title=title)
    window = desk.open()
    window.open_chat("First")
    chat_id = window.chat_id
    window.words.setFocus()
    window.window.delete_chat(chat_id)
    window.wait(lambda: window.window.chat.chat_id is None)
    # The keyboard must not have gone to the list of chats, where Del deletes.
    assert window.window.chat.view.hasFocus()
    assert window.words.placeholderText() == "Open a chat to write in it."
    window.wait(lambda: window.rows("Chats") == ["Second"])
    window.key(Qt.Key.Key_Delete)
    window.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: sorted(window.rows("Chats")) == ["First", "Second"])
    window.wait(lambda: window.window.chat.chat_id == chat_id)
    window.wait(lambda: window.shown() == ["Hello."])
    assert window.window.library.chat_list.current_id() == chat_id
