"""Files of memories from strangers: refused in one sentence, or taken in whole; never half, never a crash."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.formats.errors import FormatError
from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace
from tests.support.workspaces import Desk, WordEmbedder, read_only, small_disk, sync, talk, use_embedder

TABLES = ("memory_chunks", "chunk_sources", "chunk_words", "vectors", "revisions", "spaces")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


@pytest.fixture
def chat(workspace: Workspace) -> int:
    chat_id = talk(workspace, "Hello.", "Good day.").id
    sync(workspace, chat_id)
    return chat_id


def state(workspace: Workspace) -> list[tuple[Any, ...]]:
    with workspace.database.read() as db:
        return [tuple(row) for name in TABLES for row in db.execute(f"SELECT * FROM {name}")]


SOURCE = "ab" * 16
UGLY = "a\0\ud800\u202e<b>\x1b[31m%1{0}"


def marinara(*chunks: Any, **fields: Any) -> dict[str, Any]:
    data = {"sourceChat": {"id": "a", "name": "A"}, "chunks": list(chunks)}
    return {"type": "marinara_memory_recall", "version": 1, "data": data, **fields}


def own(*memories: Any, **fields: Any) -> dict[str, Any]:
    space = {"id": "words-64", "dimension": 64}
    return {"type": "memdesk_memory", "version": 1, "space": space, "memories": list(memories), **fields}


def written(path: Path, value: Any) -> Path:
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def bomb() -> bytes:
    return b'{"type": "memdesk_memory", "version": 1, "memories": [' + b"{}," * 5_000_000 + b"{}]}"


REFUSED: dict[str, Any] = {
    "broken": b'{"type": "memdesk_memory", "memories": [',
    "broken of marinara": b'{"type": "marinara_memory_recall", "version": 1,',
    "no file of ours": {"type": "marinara_character", "version": 1, "data": {}},
    "a card": {"spec": "chara_card_v2", "data": {"name": "A"}},
    "a type inside": {"memories": [{"type": "memdesk_memory"}]},
    "another version": marinara({"content": "x"}, version=2),
    "a newer version": own({"text": "x"}, version=9),
    "no chat": {**marinara(), "data": {"chunks": [{"content": "x"}]}},
    "no chunks": marinara(),
    "no content": marinara({"content": ""}, {"embedding": [1]}, 7, None),
    "no text": own({"text": "\0\0"}, {"speakers": ["a"]}),
    "deep": b'{"type": "memdesk_memory", "memories": ' + b"[" * 100_000,
    "deep for marinara": b'{"type": "marinara_memory_recall", "data": ' + b"[" * 100_000,
    "many": bomb(),
    "too large for marinara": b'{"type": "marinara_memory_recall"' + b" " * (25 * 1024**2) + b"}",
    "empty": b"",
    "nuls": b"\0" * 1000,
    "half a text": b'{"type": "memdesk_memory", "memories": [{"text": "\xff"}]}',
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_memory_file_is_refused_whole(
    workspace: Workspace, chat: int, tmp_path: Path, kind: str
) -> None:
    path = written(tmp_path / "x.json", REFUSED[kind])
    before = state(workspace)
    for act in (workspace.memory_files.preview, workspace.memory_files.import_file):
        with pytest.raises(FormatError) as caught:
            act(path, chat)
        assert str(caught.value).startswith(str(path))
        assert len(str(caught.value)) < 400
    assert state(workspace) == before


@pytest.mark.parametrize("target", ["gone.json", ".", "nul\0.json"])
def test_what_is_no_file(workspace: Workspace, chat: int, tmp_path: Path, target: str) -> None:
    with pytest.raises(FormatError):
        workspace.memory_files.import_file(tmp_path / target, chat)


ABSURD: dict[str, Any] = {
    "vectors": marinara(
        *({"content": f"v{n}", "embedding": vector, "embeddingSpaceId": "words-64"}
          for n, vector in enumerate([[float("nan")] * 64, [float("inf")] * 64, [1e400] * 64, [0] * 64,
                                      [1] * 63, [1] * 65, ["1"] * 64, [[1]] * 64, {"0": 1}, "x" * 64,
                                      [10**309] * 64]))
    ),
    "vectors of ours": own(
        *({"text": f"v{n}", "vector": vector}
          for n, vector in enumerate(["AAAA", "!!", "", 5, base64.b64encode(b"\xff" * 256).decode(),
                                      base64.b64encode(b"\0" * 256).decode(), "A" * 100_000]))
    ),
    "times": marinara(
        *({"content": f"t{n}", "firstMessageAt": moment, "lastMessageAt": moment, "createdAt": moment}
          for n, moment in enumerate(["0000-00-00", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59",
                                      "+275760-09-13T00:00:00Z", 10**30, -1, [], "", "now", "1" * 10_000]))
    ),
    "a last time before the first": own(
        {"text": "x", "firstTime": "2030-01-01T00:00:00Z", "lastTime": "1999-01-01T00:00:00Z"}
    ),
    "numbers": own(
        {"text": "x", "tokens": -5, "sources": [{"message": 10**40, "hash": SOURCE, "piece": -1}]}
    ),
    "many sources": own(
        {"text": "x", "sources": [{"message": 1, "hash": f"{n:032x}"} for n in range(5_000)]}
    ),
    "characters": own({"text": UGLY, "speakers": ["\0", "\udfff", "<img src=x>"], "original": "\0"}),
    "a long word": marinara({"content": "x" * 99_000}, {"content": "y" * 1_000_000}),
    "statements": marinara({"content": "'); DROP TABLE memory_chunks; --"}, {"content": '" OR words : *'}),
}  # fmt: skip


@pytest.mark.parametrize("kind", ABSURD)
def test_absurd_values_cost_themselves_alone(
    workspace: Workspace, chat: int, tmp_path: Path, kind: str
) -> None:
    path = written(tmp_path / "x.json", ABSURD[kind])
    before = state(workspace)
    looked = workspace.memory_files.preview(path, chat)
    assert state(workspace) == before
    result, undo = workspace.memory_files.import_file(path, chat)
    assert undo is not None
    assert (result.imported, result.skipped) == (looked.add, looked.skip)
    assert result.imported >= 1
    assert workspace.memory_files.import_file(path, chat)[0].imported == 0
    # What came in can be shown, embedded, found, sent and carried on.
    sync(workspace, chat)
    chunks = workspace.chunks.page(chat, workspace.sync.space_id)
    assert all(chunk.has_vector and 0 < chunk.tokens < 10**6 for chunk in chunks)
    workspace.conversation.recall(chat, "x v1 t1", 5)
    for form in ("memdesk", "marinara"):
        workspace.memory_files.export(chat, tmp_path / form, form)  # type: ignore[arg-type]
        assert workspace.memory_files.preview(tmp_path / form, chat).add == 0
    undo.run()
    assert len(workspace.chunks.page(chat, 0)) == 2


TIMES = [f"2026-03-{1 + n // 5_000:02}T{n // 210 % 24:02}:{n % 60:02}:00.000Z" for n in range(100_000)]


def test_a_hundred_thousand_memories(workspace: Workspace, chat: int, tmp_path: Path) -> None:
    workspace.memory_files._count = len  # the real tokenizer has benchmarks of its own
    items = ({"content": f"Mara: {n}", "firstMessageAt": at} for n, at in enumerate(TIMES))
    path = written(tmp_path / "x.json", marinara(*items))
    result, undo = workspace.memory_files.import_file(path, chat)
    assert result.imported == 100_000
    assert workspace.memory_files.preview(path, chat).add == 0
    assert undo is not None
    undo.run()
    assert len(workspace.chunks.page(chat, 0)) == 2


def test_a_hundred_thousand_memories_of_ours_are_looked_at(
    workspace: Workspace, chat: int, tmp_path: Path
) -> None:
    source = {"message": 5, "hash": "ab" * 16, "piece": 0}
    items = ({"text": f"Mara: {n}", "firstTime": at, "sources": [source]} for n, at in enumerate(TIMES))
    path = written(tmp_path / "x.json", own(*items))
    begun = time.monotonic()
    assert workspace.memory_files.preview(path, chat).add == 100_000
    # Seconds on an idle machine; a quadratic step would take hours.
    assert time.monotonic() - begun < 60


def test_a_full_disk_leaves_nothing_half_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    path = written(tmp_path / "x.json", own(*({"text": f"Mara: {n} {'x' * 900}"} for n in range(20_000))))
    with (
        small_disk(tmp_path / "disk", "8m") as disk,
        Workspace(disk, samples=False, background=False) as workspace,
    ):
        workspace.memory_files._count = len
        chat = talk(workspace, "Hello.").id
        assert workspace.sync.space_id
        before = state(workspace)
        with pytest.raises(StoreError, match="full"):
            workspace.memory_files.import_file(path, chat)
        assert state(workspace) == before
        workspace.library.rename_chat(chat, "Still here")


def test_an_export_to_a_bad_place_leaves_what_was_there(
    workspace: Workspace, chat: int, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "x.json").write_text("old")
    with read_only(folder), pytest.raises(FormatError, match="cannot be written"):
        workspace.memory_files.export(chat, folder / "x.json", "memdesk")
    assert [(item.name, item.read_text()) for item in folder.iterdir()] == [("x.json", "old")]


def test_the_command_survives_each_of_them(desk: Desk, tmp_path: Path) -> None:
    chat = desk.talk("Hello.")
    paths = [written(tmp_path / f"{n}.json", value) for n, value in enumerate(REFUSED.values()) if n < 12]
    outcome = desk.run("import", *map(str, paths), "--chat", str(chat), "--json")
    assert outcome.code == 1
    # The card is a card; the others are told in a line each.
    assert [item["name"] for item in outcome.json] == ["A"]
    assert len(outcome.err.strip().splitlines()) == len(paths) - 1
    assert "Traceback" not in outcome.err
