from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import SwipeState
from memdesk.embedding.base import EmbeddingError
from memdesk.memory.recall.search import owner
from memdesk.store.chunks import Chunk, NewChunk
from memdesk.store.index_errors import IndexUnavailable
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import BEGIN, WordEmbedder, say, sync, talk, wait_until


def chunks(workspace: Workspace, chat_id: int) -> list[Chunk]:
    return workspace.chunks.page(chat_id, workspace.sync.space_id)


def indexed(workspace: Workspace, chat_id: int) -> set[str]:
    return workspace.index.ids(owner(chat_id), workspace.embedder.space.id)


# ── nothing is embedded twice ────────────────────────────────────────────────────────────────────────────


def test_text_that_was_embedded_is_never_embedded_again(workspace: Workspace, embedder: WordEmbedder) -> None:
    chat = talk(workspace, "Hello there.", "Good day.", "Hello there.", "Good day.")
    sync(workspace)
    assert Counter(embedder.passages) == {"Alex: Hello there.": 1, "Mara: Good day.": 1}
    # Another chat with the same words, an edit and its undoing, deleting and restoring, a rebuilt index.
    talk(workspace, "Hello there.", "Good day.", title="Again")
    first = workspace.messages.ids(chat.id)[0]
    undo = workspace.library.edit_message(first, "Something else.")
    sync(workspace)
    assert undo is not None
    undo.run()
    sync(workspace)
    undone = workspace.library.delete_messages([first])
    sync(workspace)
    undone.run()
    sync(workspace)
    workspace.sync.rebuild_index()
    assert max(Counter(embedder.passages).values()) == 1
    assert len(embedder.passages) == 3
    for chat_id in (1, 2):
        assert len(indexed(workspace, chat_id)) == len(chunks(workspace, chat_id)) > 0


def test_swiping_back_costs_nothing(workspace: Workspace, embedder: WordEmbedder) -> None:
    chat = talk(workspace, "Hello there.", "Good day.")
    reply = workspace.messages.ids(chat.id)[1]
    swipe = workspace.messages.begin_swipe(reply, "m")
    workspace.messages.finish(swipe, "Go away.", SwipeState.DONE)
    sync(workspace)
    for position in (0, 1, 0, 1):
        workspace.library.choose_swipe(reply, position)
        sync(workspace)
        texts = {chunk.text for chunk in chunks(workspace, chat.id)}
        assert texts == {"Alex: Hello there.", ("Mara: Good day.", "Mara: Go away.")[position]}
        assert len(indexed(workspace, chat.id)) == 2
    assert len(embedder.passages) == len(set(embedder.passages)) == 3


def test_a_second_sync_does_nothing(workspace: Workspace, embedder: WordEmbedder) -> None:
    chat = talk(workspace, "Hello there.", "Good day.")
    sync(workspace)
    before = chunks(workspace, chat.id)
    sync(workspace)
    assert chunks(workspace, chat.id) == before
    assert len(embedder.passages) == 2


# ── what becomes a chunk ─────────────────────────────────────────────────────────────────────────────────


def test_a_reply_is_remembered_when_it_has_ended(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello there.")
    _, swipe = workspace.messages.begin_reply(chat.id, "Mara", None, "m")
    workspace.messages.save_partial(swipe, "Half a")
    sync(workspace)
    assert len(chunks(workspace, chat.id)) == 1
    workspace.messages.finish(swipe, "Half a sentence.", SwipeState.STOPPED)
    sync(workspace)
    assert chunks(workspace, chat.id)[0].text == "Mara: Half a sentence."


def test_a_setting_makes_chunks_anew(workspace: Workspace) -> None:
    chat = talk(workspace, "One sentence is here. Another sentence is there. " * 10)
    sync(workspace)
    few = len(chunks(workspace, chat.id))
    workspace.chats.set_settings(chat.id, {"recall": {"chunk_chars": 60}})
    sync(workspace)
    many = chunks(workspace, chat.id)
    assert len(many) > few
    assert max(len(chunk.text) for chunk in many) <= 60 + len("Alex: ")
    assert len(indexed(workspace, chat.id)) == len(many)


def test_cancelling_keeps_what_is_done(
    workspace: Workspace, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdesk.memory.recall.spaces.BATCH", 16)
    chat = talk(workspace, *(f"Line {number}." for number in range(40)))
    cancel = CancelToken()
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        if done:
            cancel.cancel()

    with pytest.raises(Cancelled):
        workspace.sync.sync([chat.id], progress, cancel)
    assert told == [(0, 40), (16, 40)]
    assert len(embedder.passages) == 16
    sync(workspace)
    assert len(embedder.passages) == 40


def test_progress_reaches_its_end(workspace: Workspace) -> None:
    chat = talk(workspace, *(f"Line {number % 7}." for number in range(40)))
    told: list[tuple[int, int]] = []
    workspace.sync.sync([chat.id], lambda done, total: told.append((done, total)), CancelToken())
    assert told[0] == (0, 40)
    assert told[-1] == (40, 40)
    assert told == sorted(told)


# ── in the background ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def running(tmp_path: Path, embedder: WordEmbedder) -> Any:  # noqa: ARG001 — used by opening
    with Workspace(tmp_path / "running", samples=False) as opened:
        yield opened


def test_what_is_said_is_remembered_in_the_background(running: Workspace) -> None:
    news: list[Change] = []
    running.bus.subscribe(news.append)
    chat = talk(running)
    say(running, chat.id, "Hello there.", "Good day.")
    running.bus.publish(Change(ChangeKind.MESSAGES_ADDED, chat.id))
    wait_until(lambda: [chunk.has_vector for chunk in chunks(running, chat.id)] == [True, True])
    wait_until(lambda: len(indexed(running, chat.id)) == 2)
    assert Change(ChangeKind.MEMORIES_CHANGED, chat.id) in news
    undo = running.library.delete_messages(running.messages.ids(chat.id))
    wait_until(lambda: not chunks(running, chat.id) and not indexed(running, chat.id))
    # Restored words have their vectors already, and must be found by meaning all the same.
    undo.run()
    wait_until(lambda: len(indexed(running, chat.id)) == 2)


def test_a_chat_that_was_deleted_before_it_was_remembered_is_so_afterwards(running: Workspace) -> None:
    chat = talk(running)
    say(running, chat.id, "Hello there.")
    undo = running.library.delete_chat(chat.id)
    running.sync.queue()
    wait_until(lambda: not running.chunks.stale(1))
    undo.run()
    wait_until(lambda: [chunk.has_vector for chunk in chunks(running, chat.id)] == [True])


def test_a_chat_that_is_gone_leaves_the_index(running: Workspace) -> None:
    chat, other = talk(running, "Hello there."), talk(running, "Good day.", title="Other")
    running.sync.queue()
    wait_until(lambda: indexed(running, chat.id) and indexed(running, other.id))
    running.library.delete_chat(chat.id)
    from datetime import timedelta

    running.trash.purge(timedelta(seconds=-5))
    running.library.edit_message(running.messages.ids(other.id)[0], "Good night.")
    wait_until(lambda: set(running.index.owners()) == {owner(other.id)})


def test_a_broken_embedder_is_told_once_and_tried_again(
    running: Workspace, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memdesk.memory.recall.sync.RETRY_SECONDS", 0.1)
    embedder.broken = True
    news: list[Change] = []
    chat = talk(running, "Hello there.")
    running.bus.subscribe(news.append)
    running.sync.queue()
    wait_until(lambda: running.sync.failure)
    assert running.sync.embedding_available is False
    assert chunks(running, chat.id)[0].has_vector is False
    embedder.broken = False
    wait_until(lambda: chunks(running, chat.id)[0].has_vector)
    assert running.sync.failure == ""
    assert running.sync.embedding_available is True
    assert news.count(Change(ChangeKind.MEMORIES_CHANGED, chat.id)) >= 2


def test_sync_without_an_embedder_says_why(workspace: Workspace, embedder: WordEmbedder) -> None:
    talk(workspace, "Hello there.")
    embedder.broken = True
    with pytest.raises(EmbeddingError):
        sync(workspace)
    assert workspace.sync.try_embedder() is False
    embedder.broken = False
    assert workspace.sync.try_embedder() is True
    sync(workspace)


def test_an_index_that_fails_costs_no_vector(
    workspace: Workspace, embedder: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = talk(workspace, "Hello there.", "Good day.")

    def fail(*_: object, **__: object) -> Any:
        raise IndexUnavailable("index_full", "No space is left.")

    with monkeypatch.context() as patch:
        for name in ("upsert", "ids", "reset", "owners"):
            patch.setattr(workspace.index, name, fail)
        sync(workspace)
    assert all(chunk.has_vector for chunk in chunks(workspace, chat.id))
    sync(workspace)
    assert len(indexed(workspace, chat.id)) == 2
    assert len(embedder.passages) == 2


def test_rebuilding_makes_memories_anew_and_keeps_a_persons_work(
    running: Workspace, embedder: WordEmbedder
) -> None:
    chat = talk(running, "Hello there.", "Good day.", "So long.")
    running.sync.queue()
    wait_until(lambda: [chunk.has_vector for chunk in chunks(running, chat.id)] == [True] * 3)
    before = chunks(running, chat.id)
    running.chunks.set_flag(before[0].id, "frozen", value=True)
    (own,) = running.chunks.replace(chat.id, (), [imported("Written by hand.")])
    rebuilt, _undo = running.upkeep.rebuild(chat.id)
    assert (rebuilt.made, rebuilt.removed, rebuilt.unchanged, rebuilt.kept) == (0, 0, 2, 1)
    wait_until(lambda: not running.chunks.stale(1) and len(chunks(running, chat.id)) == 4)
    after = chunks(running, chat.id)
    assert {chunk.id for chunk in after} == {chunk.id for chunk in before} | {own}
    wait_until(lambda: len(indexed(running, chat.id)) == 4)
    assert len(embedder.passages) == 4, "nothing but what was written by hand is embedded"


def imported(text: str) -> NewChunk:
    return NewChunk(text, (), (), 3, BEGIN, BEGIN, words=text.lower(), origin="imported")
