"""Memories that leave a chat and enter another, or the same one again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.text import clean
from memdesk.formats import marinara_memory
from memdesk.formats.errors import FormatError
from memdesk.formats.memory_io import FileFormat, is_memory_file
from memdesk.memory.recall.chunking import source_hash
from memdesk.memory_files import GONE
from memdesk.store.chunk_records import ChunkRecord, ChunkRecords
from memdesk.store.chunks import Chunk, NewChunk, Source
from memdesk.store.errors import StoreError
from memdesk.store.vectors import text_hash
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import Desk, WordEmbedder, sync, talk, use_embedder

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
LINES = ("The lamp went out in March.", "*She nods.* The year it failed.", "Let us repair it.", "Yes.")


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    made = WordEmbedder()
    use_embedder(monkeypatch, lambda _folder: made)
    return made


@pytest.fixture
def workspace(tmp_path: Path, embedder: WordEmbedder) -> Iterator[Workspace]:  # noqa: ARG001
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


def chunks(workspace: Workspace, chat_id: int) -> list[Chunk]:
    """Return a chat's memories, oldest first."""
    return workspace.chunks.page(chat_id, workspace.sync.space_id)[::-1]


def other_chat(workspace: Workspace) -> int:
    return talk(workspace, "Something else.", "Indeed.", title="Other", name="Ida").id


def carried(workspace: Workspace, chat_id: int, path: Path, kind: FileFormat = "memdesk") -> Path:
    workspace.memory_files.export(chat_id, path, kind)
    return path


def marinara_file(path: Path, *items: dict[str, Any], chat: str = "abc") -> Path:
    value = {
        "type": "marinara_memory_recall",
        "version": 1,
        "data": {"sourceChat": {"id": chat, "name": "Harbour"}, "chunks": list(items)},
    }
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def item(content: str, minute: int = 0, **fields: Any) -> dict[str, Any]:
    at = marinara_memory.iso(NOON + timedelta(minutes=minute))
    return {"content": content, "firstMessageAt": at, "lastMessageAt": at, "createdAt": at, **fields}


def state(workspace: Workspace) -> list[tuple[Any, ...]]:
    """Return everything that an import may touch."""
    tables = ("memory_chunks", "chunk_sources", "chunk_words", "vectors", "revisions", "stale_messages")
    with workspace.database.read() as db:
        return [tuple(row) for name in tables for row in db.execute(f"SELECT * FROM {name}")]


# ── Marinara ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_file_of_marinara_is_merged(workspace: Workspace, tmp_path: Path) -> None:
    chat = other_chat(workspace)
    path = marinara_file(
        tmp_path / "x.marinara.json",
        item("Mara: The lamp.\n\nAlex: Oh.", 0, messageCount=5),
        item("Mara: The lamp.\n\nAlex: Oh.", 0),
        item("Mara: The lamp.\n\nAlex: Oh.", 1),
        item("  "),
    )
    preview = workspace.memory_files.preview(path, chat)
    assert (preview.format, preview.title, preview.same_chat) == ("marinara", "Harbour", False)
    assert (preview.add, preview.skip, preview.reasons) == (2, 2, {"known": 1, "empty": 1})
    assert (preview.first, preview.last) == (NOON, NOON + timedelta(minutes=1))
    before = state(workspace)
    result, undo = workspace.memory_files.import_file(path, chat)
    assert undo is not None
    assert (result.imported, result.skipped, result.message) == (2, 2, "Imported 2 memory chunks.")
    found = [chunk for chunk in chunks(workspace, chat) if chunk.id in result.chunk_ids]
    assert {chunk.text for chunk in found} == {"Mara: The lamp.\n\nAlex: Oh."}
    assert {chunk.origin for chunk in found} == {"imported"}
    assert {chunk.speakers for chunk in found} == {("Mara",)}
    assert all(chunk.tokens > 3 and not chunk.has_vector for chunk in found)
    again, nothing = workspace.memory_files.import_file(path, chat)
    assert (again.imported, again.message, nothing) == (0, "No new recall memories were imported.", None)
    undo.run()
    assert state(workspace) == before


def test_imported_memories_are_found_by_their_words(workspace: Workspace, tmp_path: Path) -> None:
    chat = other_chat(workspace)
    sync(workspace, chat)
    workspace.memory_files.import_file(
        marinara_file(tmp_path / "x", item("Mara: The harbourmaster sings.")), chat
    )
    parts = [
        part for found in workspace.conversation.recall(chat, "harbourmaster", 3) for part in found.parts
    ]
    assert any("harbourmaster" in part.text for part in parts)


def test_no_automatic_step_touches_what_was_imported(workspace: Workspace, tmp_path: Path) -> None:
    chat = other_chat(workspace)
    result, _ = workspace.memory_files.import_file(marinara_file(tmp_path / "x", item("Mara: Kept.")), chat)
    workspace.sync.chunk_chat(chat, CancelToken())
    first = workspace.messages.page(chat, 1, 1)[0]
    workspace.library.edit_message(first.id, "Changed.")
    sync(workspace, chat)
    workspace.upkeep.rebuild(chat)
    sync(workspace, chat)
    (kept,) = [chunk for chunk in chunks(workspace, chat) if chunk.id in result.chunk_ids]
    assert (kept.text, kept.has_vector) == ("Mara: Kept.", True)


def test_vectors_of_our_space_are_kept_and_others_wait(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path
) -> None:
    chat = other_chat(workspace)
    sync(workspace, chat)
    good = [0.0] * 63 + [2.0]
    ours = embedder.space.id
    path = marinara_file(
        tmp_path / "x",
        item("good", 1, embedding=good, embeddingSpaceId=ours),
        item("short", 2, embedding=[1.0, 2.0], embeddingSpaceId=ours),
        item("theirs", 3, embedding=good, embeddingSpaceId="local:other"),
        item("nowhere", 4, embedding=good),
        item("none", 5, embedding=None, embeddingSpaceId=ours),
    )
    assert workspace.memory_files.preview(path, chat).with_vector == 1
    workspace.memory_files.import_file(path, chat)
    has_vector = {chunk.text: chunk.has_vector for chunk in chunks(workspace, chat)[2:]}
    found = {text: there for text, there in has_vector.items() if ": " not in text}
    assert found == {"good": True, "short": False, "theirs": False, "nowhere": False, "none": False}
    key = text_hash("good")
    kept = workspace.vectors.get(workspace.sync.space_id, [key])[key]
    assert np.linalg.norm(kept) == pytest.approx(1)
    embedder.passages.clear()
    sync(workspace, chat)
    assert sorted(embedder.passages) == ["none", "nowhere", "short", "theirs"]
    assert workspace.index.owners()


def test_a_vector_that_we_made_is_not_replaced(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path
) -> None:
    chat = other_chat(workspace)
    sync(workspace, chat)
    text = chunks(workspace, chat)[0].text
    key = text_hash(text)
    before = workspace.vectors.get(workspace.sync.space_id, [key])[key]
    wrong = [0.0] * 63 + [1.0]
    workspace.memory_files.import_file(
        marinara_file(tmp_path / "x", item(text, embedding=wrong, embeddingSpaceId=embedder.space.id)), chat
    )
    assert workspace.vectors.get(workspace.sync.space_id, [key])[key].tolist() == before.tolist()


def test_times_that_cannot_be_read_do_not_double_anything(workspace: Workspace, tmp_path: Path) -> None:
    chat = other_chat(workspace)
    path = marinara_file(tmp_path / "x", item("a", firstMessageAt="soon"), item("a", firstMessageAt="never"))
    assert workspace.memory_files.import_file(path, chat)[0].imported == 1
    assert workspace.memory_files.import_file(path, chat)[0].imported == 0


@pytest.mark.parametrize("with_vectors", [True, False])
def test_an_export_for_marinara(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path, with_vectors: bool
) -> None:
    chat = talk(workspace, *LINES, title="The / Lamp").id
    sync(workspace, chat)
    name = workspace.memory_files.file_name(chat, "marinara")
    assert name == "The Lamp-memory-recall.marinara.json"
    result = workspace.memory_files.export(chat, tmp_path / name, "marinara", with_vectors=with_vectors)
    assert (result.memories, result.vectors) == (4, 4 if with_vectors else 0)
    assert not result.vectors_left_out
    value = json.loads((tmp_path / name).read_text("utf-8"))
    assert value["data"]["sourceChat"]["memoryCount"] == 4
    assert value["data"]["sourceChat"]["name"] == "The / Lamp"
    written = value["data"]["chunks"]
    assert [entry["content"] for entry in written] == [chunk.text for chunk in chunks(workspace, chat)]
    assert [entry["messageCount"] for entry in written] == [1, 1, 1, 1]
    spaces = {entry["embeddingSpaceId"] for entry in written}
    assert spaces == ({embedder.space.id} if with_vectors else {None})
    assert all((entry["embedding"] is not None) is with_vectors for entry in written)


def test_the_way_to_another_chat_and_back(
    workspace: Workspace, embedder: WordEmbedder, tmp_path: Path
) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace, chat)
    target = other_chat(workspace)
    sync(workspace, target)
    path = carried(workspace, chat, tmp_path / "x", "marinara")
    embedder.passages.clear()
    result, _ = workspace.memory_files.import_file(path, target)
    assert result.imported == 4
    sync(workspace, target)
    assert embedder.passages == []
    # Nothing new for the chat it came from.
    assert workspace.memory_files.import_file(path, chat)[0].imported == 0


@pytest.mark.parametrize("kind", ["marinara", "memdesk"])
def test_a_file_of_this_very_chat_gives_it_its_own_memories(
    workspace: Workspace, tmp_path: Path, kind: FileFormat
) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace, chat)
    path = carried(workspace, chat, tmp_path / "x", kind)
    before = chunks(workspace, chat)
    last = workspace.messages.page(chat, 4, 1)[0]
    workspace.library.edit_message(last.id, "No.")
    ChunkRecords(workspace.database).remove([chunk.id for chunk in before])
    preview = workspace.memory_files.preview(path, chat)
    assert (preview.same_chat, preview.add) == (True, 4)
    workspace.memory_files.import_file(path, chat)
    # What the chat no longer says has no message to follow any more.
    assert [chunk.origin for chunk in chunks(workspace, chat)] == [*["native"] * 3, "imported"]
    sync(workspace, chat)
    texts = [chunk.text for chunk in chunks(workspace, chat)]
    assert len(texts) == len(set(texts)) == 5
    assert "Mara: No." in texts


# ── our own files ────────────────────────────────────────────────────────────────────────────────────────


def kept_chat(workspace: Workspace) -> int:
    """Make a chat with a memory of every kind."""
    chat = talk(workspace, *LINES, "嗯。", "嗯。").id
    sync(workspace, chat)
    acts, made = workspace.memories, chunks(workspace, chat)
    acts.freeze([made[0].id], value=True)
    acts.pin([made[1].id], value=True)
    acts.enable([made[2].id], value=False)
    acts.edit(made[3].id, "Mara: Yes, before winter.")
    acts.edit(made[3].id, "Mara: Yes, before the winter.")
    acts.add_note(chat, "Mara is afraid of water.")
    workspace.library.delete_messages([workspace.messages.page(chat, 1, 1)[0].id])
    sync(workspace, chat)
    return chat


def facts(workspace: Workspace, chat: int) -> list[dict[str, Any]]:
    path = workspace.data_dir / "facts.json"
    workspace.memory_files.export(chat, path, "memdesk")
    found = json.loads(path.read_text("utf-8"))["memories"]
    path.unlink()
    return found


def test_everything_that_is_known_travels(workspace: Workspace, tmp_path: Path) -> None:
    chat = kept_chat(workspace)
    before = facts(workspace, chat)
    frozen, *_ = before
    assert frozen["frozen"] is True
    assert frozen["sources"][0]["message"] is None
    assert [entry.get("pinned", False) for entry in before].count(True) == 1
    assert [entry.get("enabled", True) for entry in before].count(False) == 1
    (edited,) = [entry for entry in before if entry.get("edited")]
    assert (edited["text"], edited["original"]) == ("Mara: Yes, before the winter.", "Mara: Yes.")
    (note,) = [entry for entry in before if entry["origin"] == "note"]
    assert (note["text"], note.get("sources")) == ("Mara is afraid of water.", None)
    path = carried(workspace, chat, tmp_path / "x")
    ChunkRecords(workspace.database).remove([chunk.id for chunk in chunks(workspace, chat)])
    with pytest.raises(FormatError, match="no memories to export"):
        facts(workspace, chat)
    result, undo = workspace.memory_files.import_file(path, chat)
    assert undo is not None
    assert result.imported == len(before)
    assert facts(workspace, chat) == before
    assert workspace.memory_files.import_file(path, chat)[0].imported == 0
    (chunk,) = [chunk for chunk in chunks(workspace, chat) if chunk.edited]
    workspace.memories.revert(chunk.id)
    assert "Mara: Yes." in [chunk.text for chunk in chunks(workspace, chat)]


def test_another_chat_gets_all_of_it_as_imported(workspace: Workspace, tmp_path: Path) -> None:
    chat = kept_chat(workspace)
    target = other_chat(workspace)
    sync(workspace, target)
    own = len(chunks(workspace, target))
    path = carried(workspace, chat, tmp_path / "x")
    workspace.memory_files.import_file(path, target)
    assert workspace.memory_files.preview(path, target).add == 0
    got = [entry for entry in facts(workspace, target) if entry["origin"] != "native"]
    assert len(got) == len(facts(workspace, chat)) == len(chunks(workspace, target)) - own

    def plain(entry: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in entry.items() if name not in ("origin", "sources")}

    assert [plain(entry) for entry in got] == [plain(entry) for entry in facts(workspace, chat)]
    # Their messages are not here: they stand as gone, and say what they knew.
    numbers = {entry["message"] for memory in got for entry in memory.get("sources", [])}
    assert numbers == {None, 1, 2, 3, 4, 5}
    sources = [source for chunk in chunks(workspace, target) for source in chunk.source_messages]
    assert all(source < 0 for source in sources if source not in workspace.messages.ids(target))
    assert any(source < -GONE for source in sources)


def test_sources_are_found_again_by_what_was_said(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, *LINES, "嗯。", "好。", "嗯。").id
    sync(workspace, chat)
    path = carried(workspace, chat, tmp_path / "x")
    lines = ("Before all of it.", "Before too.", *LINES, "嗯。", "好。", "嗯。")
    target = talk(workspace, *lines, title="Branch").id
    workspace.memory_files.import_file(path, target)
    numbers = {message_id: n for n, message_id in enumerate(workspace.messages.ids(target), start=1)}
    found = [numbers[chunk.source_messages[0]] for chunk in chunks(workspace, target)]
    assert sorted(set(found)) == [3, 4, 5, 6, 7, 8, 9]


def test_equal_memories_are_counted(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, "Hm.", "So.").id
    twin = NewChunk("Mara: So.", (), ("Mara",), 3, NOON, NOON, "", "imported")
    records = ChunkRecords(workspace.database)
    records.add(chat, [ChunkRecord(twin, NOON)] * 2)
    path = carried(workspace, chat, tmp_path / "x")
    assert workspace.memory_files.preview(path, chat).add == 0
    records.remove([chunks(workspace, chat)[0].id])
    assert workspace.memory_files.import_file(path, chat)[0].imported == 1
    assert workspace.memory_files.import_file(path, chat)[0].imported == 0


texts = st.text(min_size=1, max_size=40).map(clean).filter(str.strip)
moments = st.datetimes(datetime(1000, 1, 2), datetime(8999, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)


@st.composite
def records(draw: st.DrawFn) -> tuple[ChunkRecord, int]:
    first = draw(moments)
    edited = draw(st.booleans())
    chunk = NewChunk(
        text=draw(texts),
        sources=(),
        speakers=tuple(draw(st.lists(texts, max_size=2))),
        tokens=0,
        first_time=first,
        last_time=max(first, draw(moments)),
        words="",
        origin=draw(st.sampled_from(["imported", "note", "native"])),
    )
    record = ChunkRecord(
        chunk=chunk,
        created_at=draw(moments),
        frozen=chunk.origin == "native" or draw(st.booleans()),
        pinned=draw(st.booleans()),
        enabled=draw(st.booleans()),
        edited=edited,
        original=draw(texts) if edited else None,
    )
    return record, draw(st.integers(-1, 3))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(records(), min_size=1, max_size=6), st.booleans())
def test_nothing_is_lost_on_the_way_out_and_in(
    workspace: Workspace, made: list[tuple[ChunkRecord, int]], embedded: bool
) -> None:
    chat = talk(workspace, *LINES)
    messages = workspace.messages.page(chat.id, 1, 10)
    filled = []
    for record, number in made:
        source: tuple[Source, ...] = ()
        if number >= 0:
            source = (Source(messages[number].id, source_hash(messages[number], 400), 0),)
        chunk = NewChunk(
            **{name: getattr(record.chunk, name) for name in NewChunk.__slots__}
            | {"sources": source, "tokens": workspace.count(record.chunk.text)}
        )
        filled.append(
            ChunkRecord(**{name: getattr(record, name) for name in ChunkRecord.__slots__} | {"chunk": chunk})
        )
    store = ChunkRecords(workspace.database)
    ids = store.add(chat.id, filled)
    if embedded:
        while batch := workspace.chunks.without_vector(workspace.sync.space_id, chat.id, 64):
            workspace.sync._embed(batch)
    before = facts(workspace, chat.id)
    path = carried(workspace, chat.id, workspace.data_dir / "x.json")
    assert workspace.memory_files.preview(path, chat.id).add == 0
    store.remove(ids)
    with workspace.database.write() as db:
        db.execute("DELETE FROM vectors")
    result, undo = workspace.memory_files.import_file(path, chat.id)
    assert undo is not None
    assert result.imported == len(filled)

    def order(entry: dict[str, Any]) -> str:
        return json.dumps(entry, sort_keys=True)

    assert sorted(facts(workspace, chat.id), key=order) == sorted(before, key=order)
    assert workspace.memory_files.import_file(path, chat.id)[0].imported == 0
    undo.run()
    assert chunks(workspace, chat.id) == []


# ── one step ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_preview_does_nothing(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace, chat)
    path = carried(workspace, chat, tmp_path / "x")
    target = other_chat(workspace)
    before = state(workspace)
    preview = workspace.memory_files.preview(path, target)
    assert (preview.add, preview.with_vector, preview.skip) == (4, 4, 0)
    assert preview.chunks[0].text == "Alex: The lamp went out in March."
    assert state(workspace) == before


def test_an_import_that_fails_leaves_nothing(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = other_chat(workspace)
    path = marinara_file(tmp_path / "x", *(item(f"m{n}", n) for n in range(20)))
    before = state(workspace)

    def full(*_: Any) -> None:
        raise StoreError("disk_full", "The disk is full.")

    monkeypatch.setattr(workspace.vectors, "put", full)
    with pytest.raises(StoreError):
        workspace.memory_files.import_file(path, chat)
    assert state(workspace) == before


def test_an_import_is_announced_and_so_is_its_undo(workspace: Workspace, tmp_path: Path) -> None:
    chat = other_chat(workspace)
    heard: list[Change] = []
    workspace.bus.subscribe(heard.append)
    _, undo = workspace.memory_files.import_file(marinara_file(tmp_path / "lamp.json", item("m")), chat)
    assert heard == [Change(ChangeKind.MEMORIES_CHANGED, chat)]
    assert undo is not None
    assert undo.label == "lamp.json"
    undo.run()
    undo.run()
    assert heard[1:] == heard[:1] * 2


def test_a_chat_that_is_gone(workspace: Workspace, tmp_path: Path) -> None:
    path = marinara_file(tmp_path / "x", item("m"))
    for act in (workspace.memory_files.preview, workspace.memory_files.import_file):
        with pytest.raises(StoreError, match="no chat 99"):
            act(path, 99)
    with pytest.raises(StoreError):
        workspace.memory_files.export(99, tmp_path / "y", "memdesk")


def test_an_export_replaces_a_file_whole_or_not_at_all(workspace: Workspace, tmp_path: Path) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace, chat)
    path = tmp_path / "out" / "x.json"
    with pytest.raises(FormatError, match=r"x\.json: The file cannot be written: No such file"):
        workspace.memory_files.export(chat, path, "memdesk")
    path.mkdir(parents=True)
    with pytest.raises(FormatError, match="cannot be written"):
        workspace.memory_files.export(chat, path, "memdesk")
    assert list(path.parent.iterdir()) == [path]
    path.rmdir()
    path.write_text("old")
    workspace.memory_files.export(chat, path, "memdesk")
    assert is_memory_file(path)
    assert list(path.parent.iterdir()) == [path]


def test_vectors_are_left_out_where_the_file_would_be_too_large(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace, chat)
    for module, kind in (("marinara_memory", "marinara"), ("memdesk_memory", "memdesk")):
        for limit in (2_500, 1_000):
            monkeypatch.setattr(f"memdesk.formats.{module}.MAX_BYTES", limit)
            path = tmp_path / kind
            if limit == 1_000:
                with pytest.raises(FormatError, match="would be larger than"):
                    workspace.memory_files.export(chat, path, kind)  # type: ignore[arg-type]
                continue
            result = workspace.memory_files.export(chat, path, kind)  # type: ignore[arg-type]
            assert (result.vectors, result.vectors_left_out) == (0, True)


# ── the command ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def desk(tmp_path: Path, embedder: WordEmbedder) -> Desk:  # noqa: ARG001
    return Desk(tmp_path / "data")


def test_the_command_carries_memories(desk: Desk, tmp_path: Path) -> None:
    desk.talk(*LINES, title="Lamp")
    desk.talk("Hello.", title="Other")
    desk.run("sync", "--all")
    path = tmp_path / "lamp.json"
    assert desk.json("export", "Lamp", str(path)) == {
        "file": str(path),
        "format": "memdesk",
        "memories": 4,
        "vectors": 4,
        "vectors_left_out": False,
    }
    before = path.read_bytes()
    refused = desk.run("export", "Lamp", str(path), "--no-vectors")
    assert (refused.code, refused.out, path.read_bytes()) == (1, "", before)
    assert "--force" in refused.err
    assert desk.json("export", "Lamp", str(path), "--force")["vectors"] == 4
    (looked,) = desk.json("import", str(path), "--chat", "Other", "--dry-run")
    assert (looked["add"], looked["skip"], looked["reasons"], looked["with_vector"]) == (4, 0, {}, 4)
    assert desk.query("SELECT count(*) FROM memory_chunks") == [(5,)]
    (done,) = desk.json("import", str(path), "--chat", "Other")
    assert (done["imported"], done["skipped"], done["format"]) == (4, 0, "memdesk")
    again = desk.run("import", str(path), "--chat", "Other")
    assert (again.code, again.out) == (0, f"{path}: No new recall memories were imported.\n")
    assert desk.query("SELECT count(*) FROM memory_chunks WHERE origin = 'imported'") == [(4,)]


def test_the_command_writes_marinaras_files(desk: Desk, tmp_path: Path) -> None:
    desk.talk(*LINES, title="Lamp")
    desk.run("sync", "--all")
    path = tmp_path / "lamp.json"
    outcome = desk.run("export", "Lamp", str(path), "--format", "marinara", "--no-vectors")
    assert (outcome.code, outcome.out) == (0, f"{path}: 4 memories\n")
    value = json.loads(path.read_text("utf-8"))
    assert value["type"] == "marinara_memory_recall"
    assert {entry["embedding"] for entry in value["data"]["chunks"]} == {None}


def test_the_command_says_what_it_cannot_do(desk: Desk, tmp_path: Path) -> None:
    desk.talk(title="Lamp")
    path = marinara_file(tmp_path / "x.json", item("m"))
    homeless = desk.run("import", str(path))
    assert homeless.code == 1
    assert "--chat" in homeless.err
    empty = desk.run("export", "Lamp", str(tmp_path / "y"))
    assert (empty.code, "no memories to export" in empty.err) == (1, True)
    assert desk.run("export", "Nobody", str(tmp_path / "y")).code == 1
    assert desk.run("export", "Lamp").code == 2


def test_cards_and_memories_in_one_command(desk: Desk, tmp_path: Path) -> None:
    desk.talk("Hello.", title="Lamp")
    memories = marinara_file(tmp_path / "x.json", item("m"))
    card = tmp_path / "card.json"
    card.write_text(json.dumps({"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ida"}}))
    broken = tmp_path / "broken.json"
    broken.write_text('{"type": "marinara_memory_recall", ')
    outcome = desk.run("import", str(memories), str(broken), str(card), "--chat", "Lamp", "--json")
    assert outcome.code == 1
    assert [entry["file"] for entry in outcome.json] == [str(memories), str(card)]
    assert "broken in line 1" in outcome.err
    dry = desk.run("import", str(card), "--dry-run")
    assert "Ida" in dry.out
    assert len(desk.json("chats")) == 2


def test_an_import_that_is_stopped_adds_nothing(workspace: Workspace, tmp_path: Path) -> None:
    chat = other_chat(workspace)
    before = workspace.chunks.keys(chat)
    path = marinara_file(tmp_path / "many.json", *(item(f"Mara: Line {n}.") for n in range(450)))
    told: list[tuple[int, int]] = []
    for limit in (100, 300):
        told.clear()
        token = CancelToken()

        def tell(done: int, total: int) -> None:
            told.append((done, total))
            if done >= limit:  # noqa: B023 - called before the next round
                token.cancel()  # noqa: B023

        with pytest.raises(Cancelled):
            workspace.memory_files.import_file(path, chat, tell, token)
        assert told[0][0] > 0
        assert told[-1][1] == 450
        assert workspace.chunks.keys(chat) == before
    told.clear()
    result, _ = workspace.memory_files.import_file(path, chat, lambda done, total: told.append((done, total)))
    assert result.imported == 450
    assert told[-1] == (450, 450)
