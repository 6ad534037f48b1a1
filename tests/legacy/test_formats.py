"""Data folders of earlier versions open with everything that was in them.

`format-N.db.gz` is a database that memdesk of that format wrote: a chat with a frozen, an edited, a pinned, a
forgotten memory and a note, a reply with its receipt, and a deleted chat.
"""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memdesk.store.database import migrations
from memdesk.workspace import Workspace
from tests.support.workspaces import contents, sync

HERE = Path(__file__).parent
FORMATS = sorted(HERE.glob("format-*.db.gz"))


@pytest.fixture(params=FORMATS, ids=lambda path: path.name.split(".")[0])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    made = tmp_path / "data"
    made.mkdir()
    (made / "memdesk.db").write_bytes(gzip.decompress(request.param.read_bytes()))
    return made


def test_everything_is_there_and_goes_on(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as workspace:
        (chat,) = workspace.chats.all()
        assert chat.title == "The Lighthouse"
        texts = [message.text for message in workspace.messages.page(chat.id, 1, 10)]
        assert texts[:2] == ["The brass key hangs by the door.", "I shall remember that."]
        assert len(texts) == 6
        for number in range(2):
            sync(workspace)
            chunks = workspace.chunks.page(chat.id, workspace.sync.space_id)
            frozen, edited, pinned = (
                next(chunk for chunk in chunks if getattr(chunk, flag))
                for flag in ("frozen", "edited", "pinned")
            )
            assert frozen.text == "Mara: Then we bake a cake."
            assert edited.text == "Alex was born on the third of May."
            assert workspace.memories.original(edited.id) == "Alex: My birthday is on the third of May."
            assert pinned.text == "Mara: I shall remember that."
            assert "Alex is afraid of moths." in [c.text for c in chunks if c.origin == "note"]
            assert not any("brass key" in chunk.text for chunk in chunks), number
            assert all(chunk.has_vector for chunk in chunks)
        reply = workspace.messages.get(workspace.messages.ids(chat.id)[-1])
        receipt = workspace.receipts.get(reply.swipe.id)
        assert receipt is not None
        assert any(part["kind"] == "memory" for part in receipt["parts"])
        found = workspace.conversation.recall(chat.id, "When was Alex born?")
        assert any("May" in part.text for one in found for part in one.parts if part.included)
        for entry in workspace.trash.all():
            workspace.library.restore(entry.id)
        assert {chat.title for chat in workspace.chats.all()} == {"The Lighthouse", "Deleted"}
        assert any("brass key" in c.text for c in workspace.chunks.page(chat.id, workspace.sync.space_id))


def test_a_backup_is_made_before_the_format_changes(folder: Path) -> None:
    before = (folder / "memdesk.db").read_bytes()
    with Workspace(folder, samples=False, background=False):
        pass
    (backup,) = (folder / "backups").glob(f"*before-format-{len(migrations())}.db")
    with closing(sqlite3.connect(backup)) as database:
        assert database.execute("PRAGMA user_version").fetchone()[0] < len(migrations())
        assert database.execute("PRAGMA quick_check").fetchone()[0] == "ok"
        assert database.execute("SELECT count(*) FROM messages").fetchone()[0] == 7
    assert before != (folder / "memdesk.db").read_bytes()


def test_a_change_of_format_that_fails_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [*migrations(), "CREATE TABLE fine (x); CREATE TABLE messages (x);"]
    monkeypatch.setattr("memdesk.store.database.migrations", lambda: broken)
    with pytest.raises(Exception, match="messages"):
        Workspace(folder, samples=False, background=False)
    monkeypatch.undo()
    with Workspace(folder, samples=False, background=False) as workspace:
        assert len(workspace.messages.ids(workspace.chats.all()[0].id)) == 6
    assert contents(folder)
