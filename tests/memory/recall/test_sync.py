from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import Message, SwipeState
from memdesk.embedding.base import EmbeddingError
from memdesk.memory.recall.chunking import chunks_of, source_hash
from memdesk.memory.recall.search import owner
from memdesk.memory.recall.settings import recall_settings
from memdesk.store.chunks import Chunk, NewChunk
from memdesk.store.index_errors import IndexUnavailable
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import BEGIN, WordEmbedder, say, sync, talk, use_embedder, wait_until


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


# ── whatever a person does, the chunks are those of the messages, and what was kept ──────────────────────

PIECES = ("Red gulls fly. ", "The lamp burns low. ", "Nobody came by. ", "Salt and bread. ", "\n\n")


class Remembering(RuleBasedStateMachine):
    """Edits, deletions, swipes and settings against frozen, pinned and edited chunks."""

    workspace: Workspace

    @initialize()
    def begin(self) -> None:
        self.chat = talk(self.workspace)
        self.workspace.chats.set_settings(self.chat.id, {"recall": {"chunk_chars": 20}})
        self.undos: list[Callable[[], object]] = []
        self.kept: dict[int, str] = {}

    def messages(self) -> list[Message]:
        return self.workspace.messages.page(self.chat.id, 1, 1000)

    def present(self) -> list[Chunk]:
        return chunks(self.workspace, self.chat.id)

    @rule(pieces=st.lists(st.sampled_from(PIECES), max_size=4))
    def speak(self, pieces: list[str]) -> None:
        say(self.workspace, self.chat.id, "".join(pieces))

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), pieces=st.lists(st.sampled_from(PIECES), max_size=4))
    def edit(self, data: st.DataObject, pieces: list[str]) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        undo = self.workspace.library.edit_message(message.id, "".join(pieces))
        if undo is not None and data.draw(st.booleans()):
            undo.run()

    @precondition(lambda self: self.messages())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        gone = data.draw(st.lists(st.sampled_from(self.messages()), min_size=1, unique_by=lambda m: m.id))
        self.undos.append(self.workspace.library.delete_messages([message.id for message in gone]).run)

    @precondition(lambda self: self.undos)
    @rule()
    def restore(self) -> None:
        self.undos.pop(0)()

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), piece=st.sampled_from(PIECES))
    def swipe(self, data: st.DataObject, piece: str) -> None:
        message = data.draw(st.sampled_from(self.messages()))
        if message.swipe_count < 3:
            swipe = self.workspace.messages.begin_swipe(message.id, "m")
            self.workspace.messages.finish(swipe, piece, SwipeState.DONE)
        else:
            self.workspace.library.choose_swipe(message.id, data.draw(st.integers(0, 2)))

    @precondition(lambda self: self.present())
    @rule(data=st.data(), flag=st.sampled_from(["frozen", "pinned", "edited"]))
    def keep(self, data: st.DataObject, flag: str) -> None:
        chunk = data.draw(st.sampled_from(self.present()))
        with self.workspace.database.write() as db:
            db.execute(f"UPDATE memory_chunks SET {flag} = 1 WHERE id = ?", (chunk.id,))
        self.kept[chunk.id] = chunk.text

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def let_go(self, data: st.DataObject) -> None:
        chunk_id = data.draw(st.sampled_from(sorted(self.kept)))
        with self.workspace.database.write() as db:
            db.execute(
                "UPDATE memory_chunks SET frozen = 0, pinned = 0, edited = 0 WHERE id = ?", (chunk_id,)
            )
        del self.kept[chunk_id]

    @rule(size=st.sampled_from([0, 20, 40]))
    def change_the_grain(self, size: int) -> None:
        self.workspace.chats.set_settings(self.chat.id, {"recall": {"chunk_chars": size}})

    @rule()
    def remember_what_changed(self) -> None:
        self.workspace.sync.chunk_stale(CancelToken(), self.chat.id)

    @rule()
    def compare(self) -> None:
        workspace = self.workspace
        workspace.sync.chunk_stale(CancelToken(), self.chat.id)
        workspace.sync.chunk_chat(self.chat.id, CancelToken())
        size = recall_settings(workspace.chats.get(self.chat.id).settings).chunk_chars
        wanted = {
            (message.id, source_hash(message, size), chunk.sources[0].piece): chunk.text
            for message in self.messages()
            for chunk in chunks_of(message, size, workspace.count)
        }
        texts = {chunk.id: chunk.text for chunk in self.present()}
        found: dict[tuple[int, bytes, int], str] = {}
        for message_id, sources in workspace.chunks.sources(self.chat.id).items():
            for source in sources:
                key = (message_id, source.source_hash, source.piece)
                if source.kept and key not in wanted:
                    continue
                assert key not in found, "one piece of a message is remembered once"
                found[key] = texts[source.chunk_id]
        assert found == wanted
        with workspace.database.read() as db:
            rows = db.execute(
                "SELECT rowid FROM chunk_words WHERE chat = ?", (f"c{self.chat.id}",)
            ).fetchall()
        assert sorted(row[0] for row in rows) == sorted(texts), "words are those of the chunks"

    @invariant()
    def nothing_kept_is_lost_or_changed(self) -> None:
        if hasattr(self, "kept"):
            present = {chunk.id: chunk.text for chunk in self.present()}
            assert {key: present.get(key) for key in self.kept} == self.kept

    def teardown(self) -> None:
        if hasattr(self, "chat"):
            self.compare()
            self.workspace.library.delete_chat(self.chat.id)


def test_chunks_are_those_of_a_rebuild_and_what_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace(Path(folder), samples=False, background=False) as workspace,
    ):
        monkeypatch.setattr(Remembering, "workspace", workspace, raising=False)
        run_state_machine_as_test(
            Remembering, settings=settings(max_examples=40, stateful_step_count=25, deadline=None)
        )


def test_rebuilding_makes_memories_anew_and_keeps_a_persons_work(
    running: Workspace, embedder: WordEmbedder
) -> None:
    chat = talk(running, "Hello there.", "Good day.", "So long.")
    running.sync.queue()
    wait_until(lambda: [chunk.has_vector for chunk in chunks(running, chat.id)] == [True] * 3)
    before = chunks(running, chat.id)
    running.chunks.set_flag(before[0].id, "frozen", value=True)
    (own,) = running.chunks.replace(chat.id, (), [imported("Written by hand.")])
    running.sync.rebuild_chat(chat.id)
    wait_until(lambda: not running.chunks.stale(1) and len(chunks(running, chat.id)) == 4)
    after = chunks(running, chat.id)
    assert sorted(chunk.text for chunk in after if chunk.id != own) == sorted(chunk.text for chunk in before)
    assert {chunk.id for chunk in before} & {chunk.id for chunk in after} == {before[0].id}
    wait_until(lambda: len(indexed(running, chat.id)) == 4)
    assert len(embedder.passages) == 4, "nothing but what was written by hand is embedded"


def imported(text: str) -> NewChunk:
    return NewChunk(text, (), (), 3, BEGIN, BEGIN, words=text.lower(), origin="imported")
