"""What is not sent yet: one draft per chat, over chats and restarts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QSettings, Qt

from memdesk.chats.text import clean
from memdesk.ui.panels.drafts import LONGEST, Drafts
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import talk
from tests.ui.windows import Desk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


def state(path: Path) -> QSettings:
    return QSettings(str(path / "window.ini"), QSettings.Format.IniFormat)


def written(path: Path, texts: dict[int, str]) -> dict[int, str]:
    """Write drafts, and return what the next run reads."""
    drafts, kept = Drafts(), state(path)
    drafts.open(kept)
    for chat_id, text in texts.items():
        drafts.keep(chat_id, text)
    drafts.write()
    kept.sync()
    again = Drafts()
    again.open(state(path))
    return {chat_id: again.text(chat_id) for chat_id in texts}


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_every_text_comes_back(qapp: Any, tmp_path: Path, text: str) -> None:  # noqa: ARG001
    assert written(tmp_path, {7: text}) == {7: clean(text)}


def test_hard_texts_come_back(qapp: Any, tmp_path: Path) -> None:  # noqa: ARG001
    texts = dict(
        enumerate(["@Invalid()", "a, b", '"', "%1 \\x41", "[drafts]\n1=2", " ", "魔王 🐉", "a\\"], 1)
    )
    assert written(tmp_path, texts) == texts


def test_a_very_long_draft_is_cut_on_the_disk_only(qapp: Any, tmp_path: Path) -> None:  # noqa: ARG001
    long = "魔" * LONGEST
    drafts = Drafts()
    drafts.open(state(tmp_path))
    drafts.keep(1, long)
    drafts.write()
    assert drafts.text(1) == long
    assert written(tmp_path, {2: "b"}) == {2: "b"}
    again = Drafts()
    again.open(state(tmp_path))
    assert long.startswith(again.text(1))
    assert LONGEST - 3 < len(again.text(1).encode()) <= LONGEST


def test_a_damaged_state_is_passed_over(qapp: Any, tmp_path: Path) -> None:  # noqa: ARG001
    (tmp_path / "window.ini").write_text("[drafts]\nx=1\n5=a, b\n-3=c\n6=@ByteArray(z)\n9=kept\n", "utf-8")
    drafts = Drafts()
    drafts.open(state(tmp_path))
    assert drafts.text(9) == "kept"
    assert drafts.text(5) == ""
    assert drafts.text(None) == ""


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
    window.window.chat.drafts.write()
    assert not state(desk.folder).contains(f"drafts/{deleted}")
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
