"""Whatever a person does, the memories are those that the visible past implies, and what was kept.

The model here is brute force and knows nothing of hashes, pages and changes: it looks at all messages of the
chat as they are now and at what was forgotten, and says which memories there have to be.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memdesk.chats.model import Message, SwipeState
from memdesk.memory.recall.grains import EXCHANGE, implied
from memdesk.memory.recall.settings import RecallSettings, recall_settings
from memdesk.memory.split import split_message
from memdesk.store.chunks import Chunk
from memdesk.store.messages import NewMessage
from memdesk.store.vectors import text_hash
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, say, sync, talk, use_embedder

PIECES = ("Red gulls fly. ", "The lamp burns low. ", "嗯。", "Salt+++and bread. ", "\n\n")
SPLITS: tuple[dict[str, Any], ...] = (
    {"chunk_chars": 0},
    {"chunk_chars": 20},
    {"chunk_chars": 40, "boundary": "+++"},
    {"grain": "exchanges"},
    {"grain": "exchanges", "remember_hidden": False},
    {"chunk_chars": 20, "remember_hidden": False},
)


@dataclass(frozen=True)
class Said:
    """What of a message was forgotten, and how memories were cut then."""

    message: int
    line: str
    cut: tuple[object, ...]
    piece: int


@dataclass(frozen=True)
class Wanted:
    """A memory that has to be there."""

    text: str
    messages: tuple[int, ...]
    piece: int


def expected(messages: list[Message], cut: RecallSettings, gone: set[Said]) -> list[Wanted]:
    """Say by brute force which memories messages imply."""
    seen = [m for m in messages if m.text.strip() and (cut.remember_hidden or not m.hidden)]
    if cut.grain == "messages":
        how = ("messages", cut.chunk_chars, cut.boundary)
        found = []
        for message in seen:
            own = {item for item in gone if item.message == message.id and item.line == line(message)}
            if any(item.cut != how for item in own):
                continue
            pieces = split_message(message.text.strip(), cut.chunk_chars, cut.boundary)
            dropped = {item.piece for item in own}
            found += [
                Wanted(f"{message.name}: {piece}", (message.id,), number)
                for number, piece in enumerate(pieces)
                if number not in dropped
            ]
        return found
    found = []
    for first in range(0, len(seen) - EXCHANGE + 1, EXCHANGE):
        group = [
            message
            for message in seen[first : first + EXCHANGE]
            if not any(item.message == message.id and item.line == line(message) for item in gone)
        ]
        if group:
            text = "\n".join(f"{message.name}: {message.text.strip()}" for message in group)
            found.append(Wanted(text, tuple(message.id for message in group), 0))
    return found


def line(message: Message) -> str:
    return f"{message.name}: {message.text.strip()}"


def forgotten(messages: list[Message], rows: set[tuple[int, bytes, int]]) -> set[Said]:
    """Return what was forgotten of messages that still say so."""
    found = set()
    for message in messages:
        said = text_hash(f"{message.name}\0{message.text.strip()}")
        for message_id, source, piece in rows:
            if message_id == message.id and source[:16] == said:
                how: tuple[object, ...] = ("exchanges",)
                if not source[16:].startswith(b"x"):
                    size, _, boundary = source[16:].decode().partition("|")
                    how = ("messages", int(size), boundary)
                found.add(Said(message.id, line(message), how, piece))
    return found


class Following(RuleBasedStateMachine):
    """A person at work on one chat and its memories."""

    workspace: Workspace
    folder: Path

    @initialize(cut=st.sampled_from(SPLITS))
    def begin(self, cut: dict[str, Any]) -> None:
        self.chat = talk(self.workspace)
        self.cut = recall_settings({"recall": cut})
        self.workspace.chats.set_settings(self.chat.id, {"recall": cut})
        self.undos: list[Undo] = []
        self.kept: dict[int, str] = {}

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────

    def messages(self) -> list[Message]:
        return self.workspace.messages.page(self.chat.id, 1, 1000)

    def present(self) -> list[Chunk]:
        return self.workspace.chunks.page(self.chat.id, self.workspace.sync.space_id)

    def draw(self, data: st.DataObject) -> Message:
        return data.draw(st.sampled_from(self.messages()))

    def step(self) -> None:
        """Do what the background does after each change."""
        self.workspace.sync.chunk_stale(CancelToken(), self.chat.id)

    # ── the chat ─────────────────────────────────────────────────────────────────────────────────────

    @rule(lines=st.lists(st.lists(st.sampled_from(PIECES), max_size=3).map("".join), min_size=1, max_size=7))
    def speak(self, lines: list[str]) -> None:
        say(self.workspace, self.chat.id, *lines)

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), pieces=st.lists(st.sampled_from(PIECES), max_size=3))
    def edit(self, data: st.DataObject, pieces: list[str]) -> None:
        undo = self.workspace.library.edit_message(self.draw(data).id, "".join(pieces))
        if undo is not None and data.draw(st.booleans()):
            undo.run()

    @precondition(lambda self: self.messages())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        gone = data.draw(
            st.lists(st.sampled_from(self.messages()), min_size=1, max_size=3, unique_by=lambda m: m.id)
        )
        self.undos.append(self.workspace.library.delete_messages([message.id for message in gone]))

    @precondition(lambda self: self.undos)
    @rule()
    def restore(self) -> None:
        self.undos.pop(0).run()

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), piece=st.sampled_from(PIECES))
    def swipe(self, data: st.DataObject, piece: str) -> None:
        message = self.draw(data)
        if message.swipe_count < 3:
            swipe = self.workspace.messages.begin_swipe(message.id, "m")
            self.workspace.messages.finish(swipe, piece, SwipeState.DONE)
        else:
            self.workspace.library.choose_swipe(message.id, data.draw(st.integers(0, 2)))

    @precondition(lambda self: self.messages())
    @rule(data=st.data(), column=st.sampled_from(["hidden = NOT hidden", "name = name || 'a'"]))
    def hide_or_rename(self, data: st.DataObject, column: str) -> None:
        with self.workspace.database.write() as db:
            db.execute(f"UPDATE messages SET {column} WHERE id = ?", (self.draw(data).id,))

    @rule(cut=st.sampled_from(SPLITS))
    def change_the_grain(self, cut: dict[str, Any]) -> None:
        wanted = {"grain": None, "chunk_chars": None, "boundary": None, "remember_hidden": None, **cut}
        self.workspace.memories.set_settings(self.chat.id, **wanted)
        self.cut = recall_settings({"recall": cut})

    # ── its memories ─────────────────────────────────────────────────────────────────────────────────

    def some(self, data: st.DataObject) -> Chunk:
        return data.draw(st.sampled_from(self.present()))

    @precondition(lambda self: self.present())
    @rule(data=st.data(), deed=st.sampled_from(["freeze", "pin", "edit", "split", "note", "switch"]))
    def keep(self, data: st.DataObject, deed: str) -> None:
        memories, chunk = self.workspace.memories, self.some(data)
        if deed == "freeze":
            memories.freeze([chunk.id], value=True)
        elif deed == "pin":
            memories.pin([chunk.id], value=True)
        elif deed == "edit":
            memories.edit(chunk.id, f"{chunk.text} More.")
            chunk = next(item for item in self.present() if item.id == chunk.id)
        elif deed == "note":
            memories.add_note(self.chat.id, "The key is in the tin.")
            chunk = max(self.present(), key=lambda item: item.id)
        elif deed == "switch":
            memories.enable([chunk.id], value=not chunk.enabled)
            return
        else:
            return
        self.kept[chunk.id] = chunk.text

    @precondition(lambda self: self.kept)
    @rule(data=st.data())
    def let_go(self, data: st.DataObject) -> None:
        chunk_id = data.draw(st.sampled_from(sorted(self.kept)))
        chunk = next(item for item in self.present() if item.id == chunk_id)
        if chunk.origin != "native":
            return
        self.workspace.memories.freeze([chunk_id], value=False)
        self.workspace.memories.pin([chunk_id], value=False)
        self.workspace.memories.revert(chunk_id)
        del self.kept[chunk_id]

    @precondition(lambda self: self.present())
    @rule(data=st.data(), back=st.booleans())
    def forget(self, data: st.DataObject, back: bool) -> None:
        self.step()
        if not self.present():
            return
        chunk = self.some(data)
        undo = self.workspace.memories.forget([chunk.id])
        assert undo is not None
        if back:
            undo.run()
            return
        self.kept.pop(chunk.id, None)

    @rule()
    def rebuild(self) -> None:
        rebuilt, undo = self.workspace.upkeep.rebuild(self.chat.id)
        assert rebuilt.made >= 0
        assert undo.label == self.chat.title
        self.check()

    @rule()
    def rebuild_and_think_better_of_it(self) -> None:
        self.step()
        before = {chunk.id: chunk for chunk in self.present()}
        _rebuilt, undo = self.workspace.upkeep.rebuild(self.chat.id)
        undo.run()
        assert {chunk.id: chunk for chunk in self.present()} == before

    @rule()
    def take_in_what_was_carried_away(self) -> None:
        files, path = self.workspace.memory_files, self.folder / "memories.json"
        if not self.present():
            return
        files.export(self.chat.id, path, "memdesk")
        result, _undo = files.import_file(path, self.chat.id)
        assert result.imported == 0, "importing what is there adds nothing"

    # ── the promise ──────────────────────────────────────────────────────────────────────────────────

    @rule()
    def check(self) -> None:
        self.step()
        workspace = self.workspace
        with workspace.database.read() as db:
            rows = {tuple(row) for row in db.execute("SELECT * FROM forgotten_sources").fetchall()}
        messages = self.messages()
        wanted = implied(messages, self.cut, workspace.count, rows)
        found = [
            Wanted(chunk.text, tuple(item.message_id for item in chunk.sources), chunk.sources[0].piece)
            for chunk in wanted
        ]
        assert found == expected(messages, self.cut, forgotten(messages, rows))
        texts = {chunk.id: chunk for chunk in self.present()}
        keys = {tuple(sorted((s.message_id, s.source_hash, s.piece) for s in c.sources)): c for c in wanted}
        held: dict[object, list[Chunk]] = {}
        sources: dict[int, list[tuple[int, bytes, int]]] = {}
        for message_id, listed in workspace.chunks.sources(self.chat.id).items():
            for item in listed:
                sources.setdefault(item.chunk_id, []).append((message_id, item.source_hash, item.piece))
        for chunk_id, listed_sources in sources.items():
            key = tuple(sorted(listed_sources))
            chunk = texts[chunk_id]
            free = chunk.enabled and chunk_id not in self.kept
            if key not in keys:
                assert not free, f"left over: {chunk.text}"
                continue
            held.setdefault(key, []).append(chunk)
            if free:
                assert chunk.text == keys[key].text
        assert held.keys() == keys.keys(), "each memory that is implied is there"
        assert all(len(found) == 1 for found in held.values()), "and only once"
        with workspace.database.read() as db:
            words = db.execute(
                "SELECT rowid FROM chunk_words WHERE chat = ?", (f"c{self.chat.id}",)
            ).fetchall()
        assert sorted(row[0] for row in words) == sorted(texts), "words are those of the chunks"

    @invariant()
    def nothing_kept_is_lost_or_changed(self) -> None:
        if hasattr(self, "kept"):
            present = {chunk.id: chunk.text for chunk in self.present()}
            assert {key: present.get(key) for key in self.kept} == self.kept

    def teardown(self) -> None:
        if hasattr(self, "chat"):
            self.check()
            self.branch()
            self.workspace.library.delete_chat(self.chat.id)

    def branch(self) -> None:
        """Copy the messages into another chat: it has memories of its own, and none of them is embedded."""
        workspace, embedder = self.workspace, self.workspace.embedder
        assert isinstance(embedder, WordEmbedder)
        with workspace.database.write() as db:
            db.execute("DELETE FROM forgotten_sources")
        workspace.upkeep.rebuild(self.chat.id)
        sync(workspace, self.chat.id)
        known = len(embedder.passages)
        copy = workspace.chats.add("Branch", list(self.chat.character_ids))
        workspace.chats.set_settings(copy.id, workspace.chats.get(self.chat.id).settings)
        visible = [m for m in self.messages() if self.cut.remember_hidden or not m.hidden]
        workspace.messages.add(
            copy.id, [NewMessage(m.role, m.name, (m.text,), created_at=m.created_at) for m in visible]
        )
        sync(workspace, copy.id)
        mine = {chunk.text for chunk in self.present()}
        copied = [chunk.text for chunk in workspace.chunks.page(copy.id, workspace.sync.space_id)]
        assert sorted(copied) == sorted(chunk.text for chunk in implied(visible, self.cut, workspace.count))
        new = set(embedder.passages[known:])
        assert not new & mine, "the same text is never embedded again"


def test_memories_are_those_that_the_visible_past_implies(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace(Path(folder) / "data", samples=False, background=False) as workspace,
    ):
        monkeypatch.setattr(Following, "workspace", workspace, raising=False)
        monkeypatch.setattr(Following, "folder", Path(folder), raising=False)
        run_state_machine_as_test(
            Following, settings=settings(max_examples=16, stateful_step_count=22, deadline=None)
        )
