from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from memdesk.store.chunks import Chunk, ChunkStatus, NewChunk, Source, index_id
from memdesk.store.errors import StoreError
from memdesk.store.vectors import text_hash
from memdesk.workspace import Workspace
from tests.support.workspaces import BEGIN, sync, talk


@pytest.fixture
def chat(workspace: Workspace) -> int:
    chat_id = talk(workspace, "Hello there.", "Good day.").id
    sync(workspace)
    return chat_id


def new(text: str, message_id: int = 1, **changes: Any) -> NewChunk:
    made = NewChunk(text, (Source(message_id, b"h"),), ("Alex",), 5, BEGIN, BEGIN, words=text.lower())
    return replace(made, **changes)


def chunks(workspace: Workspace, chat_id: int) -> list[Chunk]:
    return workspace.chunks.page(chat_id, workspace.sync.space_id)


def test_the_status_is_derived_from_facts(workspace: Workspace, chat: int) -> None:
    chunk = chunks(workspace, chat)[0]
    for available in (True, False):
        assert chunk.status(embedding_available=available) is ChunkStatus.VECTORIZED
    waiting = replace(chunk, has_vector=False)
    assert waiting.status(embedding_available=True) is ChunkStatus.WAITING
    assert waiting.status(embedding_available=False) is ChunkStatus.UNAVAILABLE
    assert [str(status) for status in ChunkStatus] == [
        "Vectorized",
        "Waiting for vector",
        "Embedding unavailable",
    ]
    assert all(not item.has_vector for item in workspace.chunks.page(chat, 0)), "no space, no vector"


def test_a_persons_work_is_not_removed(workspace: Workspace, chat: int) -> None:
    ids = workspace.chunks.replace(chat, (), [new(flag) for flag in ("frozen", "pinned", "edited", "free")])
    for chunk_id, flag in zip(ids, ("frozen", "pinned"), strict=False):
        workspace.chunks.set_flag(chunk_id, flag, value=True)
    with workspace.database.write() as db:
        db.execute("UPDATE memory_chunks SET edited = 1 WHERE id = ?", (ids[2],))
    workspace.chunks.replace(chat, ids, ())
    assert {chunk.text for chunk in chunks(workspace, chat)} >= {"frozen", "pinned", "edited"}
    assert "free" not in {chunk.text for chunk in chunks(workspace, chat)}
    assert workspace.chunks.search_words(chat, '"free"', 10) == []
    assert [row[0] for row in workspace.chunks.search_words(chat, '"frozen"', 10)] == [ids[0]]
    assert [chunk.id for chunk in workspace.chunks.pinned(chat, 0)] == [ids[1]]


def test_flags(workspace: Workspace, chat: int) -> None:
    chunk = chunks(workspace, chat)[0]
    assert (chunk.frozen, chunk.pinned, chunk.enabled) == (False, False, True)
    workspace.chunks.set_flag(chunk.id, "enabled", value=False)
    assert chunks(workspace, chat)[0].enabled is False
    with pytest.raises(ValueError, match="text"):
        workspace.chunks.set_flag(chunk.id, "text", value=True)
    with pytest.raises(StoreError) as caught:
        workspace.chunks.set_flag(99_999, "frozen", value=True)
    assert caught.value.code == "not_found"


def test_counts_and_what_has_no_vector(workspace: Workspace, chat: int) -> None:
    space = workspace.sync.space_id
    (added,) = workspace.chunks.replace(chat, (), [new("no vector yet")])
    total, ready, tokens = workspace.chunks.counts(space)[chat]
    assert (total, ready) == (3, 2)
    assert tokens > 5
    assert workspace.chunks.counts(space, chat) == workspace.chunks.counts(space)
    assert workspace.chunks.counts(space, 99) == {}
    assert [chunk.id for chunk in workspace.chunks.without_vector(space, chat, 10)] == [added]
    assert [chunk.id for chunk in workspace.chunks.without_vector(space, None, 10)] == [added]
    assert workspace.chunks.without_vector(space, 99, 10) == []
    workspace.vectors.put(space, [(text_hash("no vector yet"), np.ones(64, np.float32))])
    assert workspace.chunks.without_vector(space, None, 10) == []
    assert workspace.chunks.vector_keys(chat, space)[added] == text_hash("no vector yet")


def test_words_are_searched_in_one_chat_only(workspace: Workspace, chat: int) -> None:
    other = talk(workspace, "Hello from elsewhere.", title="Other").id
    sync(workspace)
    assert len(workspace.chunks.search_words(chat, '"hello"', 10)) == 1
    assert len(workspace.chunks.search_words(other, '"hello"', 10)) == 1
    total, found = workspace.chunks.document_frequency(other, ["hello", "hello", "elsewher", "nowhere"])
    assert total == 1
    assert found == {"hello": 1, "elsewher": 1, "nowhere": 0}


def test_common_words_are_not_counted_chat_by_chat(
    workspace: Workspace,
    chat: int,  # noqa: ARG001 — it says hello, too
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memdesk.store.chunks.COUNTED", 1)
    other = talk(workspace, "Hello.", "Hello.", "Hello again.", "Bye.", title="Other").id
    sync(workspace)
    everywhere = sum(counts[0] for counts in workspace.chunks.counts(0).values())
    with workspace.database.read() as db:
        said = db.execute("SELECT count(*) FROM memory_chunks WHERE text LIKE '%hello%'").fetchone()[0]
    assert said > 1
    total, found = workspace.chunks.document_frequency(other, ["hello", "bye"])
    assert total == 4
    assert found == {"hello": round(said * total / everywhere), "bye": 1}


def test_what_stands_beside(workspace: Workspace) -> None:
    chat = talk(workspace, *(f"Line {number}." for number in range(7))).id
    elsewhere = talk(workspace, "Line 0.", "Line 1.", title="Elsewhere").id
    sync(workspace)
    by_text = {chunk.text[-2]: chunk.id for chunk in workspace.chunks.page(chat, 0)}
    beside = {by_text[number] for number in "123456"}
    assert workspace.chunks.beside([by_text["3"], by_text["4"]], 2) == beside
    assert workspace.chunks.beside([], 2) == set()
    assert not beside & {chunk.id for chunk in workspace.chunks.page(elsewhere, 0)}


def test_remembered_says_whether_a_message_is_whole(workspace: Workspace, chat: int) -> None:
    space = workspace.sync.space_id
    first, second = workspace.messages.ids(chat)
    assert workspace.chunks.remembered(chat, space) == {first: True, second: True}
    workspace.chunks.replace(chat, (), [new("another piece", first)])
    assert workspace.chunks.remembered(chat, space) == {first: False, second: True}
    assert workspace.chunks.remembered(chat, 0) == {first: False, second: False}


def test_sources_tell_piece_hash_and_who_keeps_it(workspace: Workspace, chat: int) -> None:
    first, _ = workspace.messages.ids(chat)
    (added,) = workspace.chunks.replace(chat, (), [new("x", first, sources=(Source(first, b"old", 3),))])
    (imported,) = workspace.chunks.replace(chat, (), [new("y", first, origin="imported")])
    workspace.chunks.set_flag(added, "frozen", value=True)
    found = {item.chunk_id: item for item in workspace.chunks.sources(chat)[first]}
    assert (found[added].source_hash, found[added].piece, found[added].kept) == (b"old", 3, True)
    assert imported not in found
    assert workspace.chunks.sources(chat, [first]).keys() == {first}
    assert workspace.chunks.sources(chat, []) == {}


def test_an_error_is_noted_and_cleared(workspace: Workspace, chat: int) -> None:
    chunk = chunks(workspace, chat)[0]
    workspace.chunks.set_error([chunk.id], "too hot")
    assert chunks(workspace, chat)[0].error == "too hot"
    workspace.chunks.set_error([chunk.id], "")
    assert chunks(workspace, chat)[0].error == ""


def test_the_id_in_the_index_changes_with_the_text() -> None:
    assert index_id(7, text_hash("a")) != index_id(7, text_hash("b"))
    assert index_id(7, text_hash("a")).split("-")[0] == "7"


def test_the_rarest_words_are_enough_to_search_with(workspace: Workspace) -> None:
    chat = talk(
        workspace, *[f"The lamp burns {word}." for word in ("red", "red", "dark", "bright")], title="Lamps"
    )
    other = talk(workspace, *["Red red red."] * 4, title="Others")
    sync(workspace)
    rarest = workspace.chunks.rarest
    words = ["lamp", "burn", "red", "dark", "nowhere"]
    assert rarest(chat.id, words, 100) == ["dark", "burn", "lamp", "red"]
    # Half of all chunks are this chat's: “dark” is taken to be in half a chunk, the lamp in two.
    assert rarest(chat.id, words, 3) == ["dark", "burn"]
    assert rarest(chat.id, words, 0) == ["dark", "burn"]
    assert rarest(other.id, ["nowhere"], 100) == []
    assert rarest(chat.id, [], 100) == []
