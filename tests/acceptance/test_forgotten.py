"""What was deleted for good is nowhere on the disk: every byte of the data folder is looked at."""

from __future__ import annotations

import sqlite3
import zlib
from datetime import timedelta
from pathlib import Path

import pytest

from memdesk.store.database import Database
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import Desk, WordEmbedder, say, sync, talk, use_embedder

SECRET = "zanzibarquux"
PLACE = "魔鬼椒岛"


def traces(folder: Path, *words: str) -> list[str]:
    """Return every file (but backups) that holds one of the words, also inside compressed receipts."""
    found = []
    for path in folder.rglob("*"):
        if not path.is_file() or path.relative_to(folder).parts[0] == "backups":
            continue
        data = path.read_bytes().lower()
        found += [f"{path.name}: {word}" for word in words if word.lower().encode() in data]
    database = folder / "memdesk.db"
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    for (body,) in connection.execute("SELECT body FROM receipts"):
        text = zlib.decompress(body).decode("utf-8", "replace").lower()
        found += [f"receipt: {word}" for word in words if word.lower() in text]
    connection.close()
    return found


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


@pytest.mark.usefixtures("quick")
def test_forgotten_memories_and_deleted_messages_leave_no_trace(desk: Desk, server: FakeLLM) -> None:
    server.reply = "I see. Tell me more about the old harbour."
    lines = [f"The ferry number {number} leaves at dawn." for number in range(12)]
    with desk.open() as workspace:
        chat = talk(workspace, *lines).id
        other = talk(workspace, "Good morning to all of you.", title="Other").id
    desk.connect(server.profile())
    with desk.open() as workspace:
        secret = say(workspace, chat, f"The {SECRET} lies in the cellar of {PLACE}, under the third stone.")
        say(workspace, chat, *lines)
        note = workspace.memories.add_note(chat, f"Remember: {SECRET.upper()} is worth a fortune.")
        assert note is not None
        sync(workspace)
        for text in ("Where is it in the cellar?", "And then, under the third stone?"):
            workspace.conversation.send(chat, text, lambda _event: None, CancelToken())
        sync(workspace)
        replies = workspace.messages.page(chat, 1, 100)
        edited = next(message for message in replies if message.id == secret[0])
        workspace.library.edit_message(edited.id, edited.text + " Truly.")
        sync(workspace)
        memory = [chunk for chunk in workspace.chunks.page(chat, 0) if "MEMDESK" not in chunk.text]
        assert any(SECRET.upper() in chunk.text for chunk in memory)
        forgotten = [chunk.id for chunk in memory if SECRET in chunk.text.lower()]
        workspace.memories.forget(forgotten)
        workspace.library.delete_messages(secret)
        sync(workspace)
    assert traces(desk.folder, SECRET, PLACE), "in the trash it is still there"

    with desk.open() as workspace:
        assert workspace.empty_trash() == 2
        assert workspace.trash.all() == []
    assert traces(desk.folder, SECRET, PLACE) == []

    with desk.open() as workspace:
        # What stays can be read and recalled, and receipts say where something was.
        receipts = [
            workspace.receipts.get(message.swipe.id)
            for message in workspace.messages.page(chat, 1, 100)
            if message.role == "assistant"
        ]
        told = [receipt for receipt in receipts if receipt is not None]
        assert len(told) == 2
        assert all("[…]" in str(receipt) for receipt in told)
        assert workspace.messages.page(other, 1, 10)[0].text == "Good morning to all of you."
        found = workspace.conversation.recall(chat, "When does the ferry leave?", 3)
        assert any(contribution.parts for contribution in found)
        with workspace.database.read() as db:
            assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            assert db.execute("SELECT count(*) FROM meta WHERE key = 'sweep_due'").fetchone()[0] == 0


@pytest.mark.usefixtures("quick")
def test_what_is_still_said_elsewhere_stays_in_receipts(desk: Desk, server: FakeLLM) -> None:
    desk.talk("The lighthouse keeper sleeps badly these days.", "I know.", "Yes.", "The well is deep.")
    desk.connect(server.profile())
    with desk.open() as workspace:
        sync(workspace)
        workspace.conversation.send(1, "What about the lighthouse?", lambda _event: None, CancelToken())
        sync(workspace)
        ids = workspace.messages.ids(1)
        chunks = [chunk.id for chunk in workspace.chunks.page(1, 0) if "lighthouse keeper" in chunk.text]
        workspace.memories.forget(chunks)
        workspace.library.delete_messages([ids[2]])
        workspace.empty_trash()
        receipt = str(workspace.receipts.get(workspace.messages.page(1, 1, 10)[-1].swipe.id))
        assert "The lighthouse keeper sleeps badly" in receipt, "its message was not deleted"
        assert "The well is deep." in receipt
        assert "'content': 'Yes.'" not in receipt


@pytest.mark.usefixtures("quick")
def test_a_sweep_that_was_cut_off_goes_on_at_the_next_start(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.talk(f"My name was {SECRET} once.", "I see.")
    with desk.open() as workspace:
        sync(workspace)
        workspace.library.delete_messages(workspace.messages.ids(1)[:1])
        sync(workspace)
        with monkeypatch.context() as patch:
            patch.setattr(Database, "scrub", lambda _self, *, vacuum: False)  # noqa: ARG005
            workspace.empty_trash()
        assert workspace.sweeper.due()
    with desk.open() as workspace:
        assert not workspace.sweeper.due()
    assert traces(desk.folder, SECRET) == []


@pytest.mark.usefixtures("quick")
def test_a_whole_chat_and_old_trash_go_by_themselves(desk: Desk) -> None:
    desk.talk(f"The {SECRET} is hidden here.", "Where?", title=f"About {SECRET}")
    desk.talk("Nothing of the kind.", title="Stays")
    with desk.open() as workspace:
        sync(workspace)
        workspace.library.delete_chat(1)
        with workspace.database.write() as db:
            db.execute("UPDATE trash SET deleted_at = '2001-01-01T00:00:00.000+00:00'")
    with Workspace(desk.folder, samples=False) as workspace:
        assert workspace.jobs.wait_idle(30)
        assert workspace.trash.all() == []
        assert [chat.title for chat in workspace.chats.all()] == ["Stays"]
        assert workspace.sweeper.empty(CancelToken(), timedelta(0)) == 0
    assert traces(desk.folder, SECRET) == []
