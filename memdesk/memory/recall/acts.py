"""What a person does to single memories: edit, freeze, pin, switch off, forget, add a note.

Every act is stored, announced with `MEMORIES_CHANGED` and returns how to take it back.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Any

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.text import clean, label_line
from memdesk.memory.recall.chunking import same_source, source_hash
from memdesk.memory.recall.settings import RecallSettings, recall_settings
from memdesk.memory.recall.shapes import halves, joined, without_speakers
from memdesk.memory.words import index_text
from memdesk.store.chats import ChatStore
from memdesk.store.chunk_edits import SHAPED, ChunkEdits, Recall, Rewriting
from memdesk.store.chunk_rows import WholeChunk
from memdesk.store.chunk_upkeep import ChunkUpkeep
from memdesk.store.chunks import NewChunk
from memdesk.store.database import now
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.store.trash import TrashEntry, TrashStore
from memdesk.work.undo import Undo

LABEL = 60
"""Characters of a memory that name an act on it."""

_TEXT_COLUMNS = ("text", "text_hash", "tokens", "edited", "error")


class SourceState(enum.StrEnum):
    """How the messages of a memory that a person keeps stand to it."""

    CHANGED = "Source changed"
    GONE = "Source gone"


class RecallActs:
    """The acts on memories. Every method blocks: call it on a worker.

    A memory that is frozen or edited is never changed by an automatic step. All methods that take ids raise
    `StoreError` with code `not_found`, and change nothing, when one of the memories is gone.
    """

    def __init__(
        self,
        *,
        chats: ChatStore,
        messages: MessageStore,
        edits: ChunkEdits,
        upkeep: ChunkUpkeep,
        trash: TrashStore,
        count: Callable[[str], int],
        notify: Callable[[Change], None],
        changed: Callable[[int], None],
    ) -> None:
        """Wire the acts; `changed` is told the chat whose vectors and index must follow."""
        self._chats = chats
        self._messages = messages
        self._edits = edits
        self._upkeep = upkeep
        self._trash = trash
        self._count = count
        self._notify = notify
        self._changed = changed

    # ── text ─────────────────────────────────────────────────────────────────────────────────────────

    def edit(self, chunk_id: int, text: str) -> Undo | None:
        """Give a memory another text; None when nothing changed.

        The text before is kept as a revision, the words are indexed and the tokens counted anew, and a new
        vector is queued. The original text makes it unedited again. Raises `StoreError` with code
        `blank_memory`.
        """
        text = clean(text).strip()
        if not text:
            raise StoreError("blank_memory", "A memory needs text. Forget it instead, or turn it off.")
        (present,) = self._edits.read([chunk_id])
        if text == present.text:
            return None
        edited = text != _original(present) or _was_shaped(present)
        words = index_text(without_speakers(text, present.speakers))
        before = self._edits.rewrite(chunk_id, Rewriting(text, self._count(text), words, edited))
        return self._done([before], lambda: self._edits.put_back([before], *_TEXT_COLUMNS))

    def revert(self, chunk_id: int) -> Undo | None:
        """Give a memory its original text back; None when it has it."""
        return self.edit(chunk_id, self.original(chunk_id))

    def original(self, chunk_id: int) -> str:
        """Return the text that a memory had before a person edited it."""
        (chunk,) = self._edits.read([chunk_id])
        return _original(chunk)

    def split(self, chunk_id: int, place: int) -> Undo:
        """Make two memories of one at a place in its text, in characters from 0.

        Both keep sources, flags and history; each carries its speaker. Nothing is cut inside a character that
        is made of several. Raises `StoreError` with code `cannot_split` when a part would say nothing.
        """
        (present,) = self._edits.read([chunk_id])
        parts = halves(present.text, place, present.speakers)
        if parts is None:
            raise StoreError("cannot_split", "There is nothing to split here: both parts need text.")
        first, second = (self._rewriting(text, present.speakers) for text in parts)
        before, new_id = self._edits.split(chunk_id, first, second)
        return self._done([before], lambda: self._edits.unshape([before], [new_id]))

    def merge_with_next(self, chunk_id: int) -> Undo:
        """Make one memory of a memory and the one that follows it in the story.

        It has the sources and the history of both. Raises `StoreError` with code `no_next` for the last one.
        """
        next_id = self._edits.next_after(chunk_id)
        if next_id is None:
            raise StoreError("no_next", "No memory follows this one.")
        one, other = self._edits.read([chunk_id, next_id])
        speakers = tuple(dict.fromkeys((*one.speakers, *other.speakers)))
        text = joined(one, other)
        both = self._edits.merge(chunk_id, next_id, self._rewriting(text, speakers))
        return self._done(both, lambda: self._edits.unshape(both))

    def _rewriting(self, text: str, speakers: Sequence[str]) -> Rewriting:
        return Rewriting(text, self._count(text), index_text(without_speakers(text, speakers)), edited=True)

    # ── flags ────────────────────────────────────────────────────────────────────────────────────────

    def freeze(self, chunk_ids: Sequence[int], *, value: bool) -> Undo | None:
        """Keep memories as they are whatever happens to their messages, or let go of them."""
        return self._set_flag(chunk_ids, "frozen", value=value)

    def pin(self, chunk_ids: Sequence[int], *, value: bool) -> Undo | None:
        """Let memories be sent always, as far as they fit, or only when they match."""
        return self._set_flag(chunk_ids, "pinned", value=value)

    def enable(self, chunk_ids: Sequence[int], *, value: bool) -> Undo | None:
        """Let memories be sent, or never."""
        return self._set_flag(chunk_ids, "enabled", value=value)

    def _set_flag(self, chunk_ids: Sequence[int], flag: str, *, value: bool) -> Undo | None:
        before = self._edits.set_flag(chunk_ids, flag, value=value)
        return self._done(before, lambda: self._edits.put_back(before, flag)) if before else None

    # ── coming and going ─────────────────────────────────────────────────────────────────────────────

    def forget(self, chunk_ids: Sequence[int]) -> Undo | None:
        """Put memories of one chat into the trash; None for no memories.

        They are not made again from the same text until the chat's memories are rebuilt.
        """
        chunks = self._edits.read(chunk_ids)
        if not chunks:
            return None
        trash_id = self._trash.put("memories", chunk_ids, _label(chunks), chunks[0].chat_id)
        return self._done(chunks, lambda: self.restore(trash_id), announce_undo=False)

    def forget_all(self, chat_id: int, chunk_ids: Sequence[int]) -> Undo | None:
        """Put all memories of a chat into the trash in one act, however many they are; None for none."""
        if not chunk_ids:
            return None
        label = _label(self._edits.read(chunk_ids[:1]), len(chunk_ids) - 1)
        trash_id = self._trash.put("memories", chunk_ids, label, chat_id)
        self._announce(chat_id)
        return Undo(label, lambda: self.restore(trash_id))

    def restore(self, trash_id: int) -> TrashEntry:
        """Bring back memories from the trash, exactly as they were."""
        entry, _ids = self._trash.restore(trash_id)
        if entry.chat_id is not None:
            self._announce(entry.chat_id)
        return entry

    def add_note(self, chat_id: int, text: str) -> Undo:
        """Add a memory that no message says; its time is now. Raises `StoreError` (`blank_memory`)."""
        text = clean(text).strip()
        if not text:
            raise StoreError("blank_memory", "A note needs text.")
        self._chats.get(chat_id)
        moment = now()
        note = NewChunk(
            text=text,
            sources=(),
            speakers=(),
            tokens=self._count(text),
            first_time=moment,
            last_time=moment,
            words=index_text(text),
            origin="note",
        )
        chunk_id = self._edits.add(chat_id, note)
        self._announce(chat_id)

        def undo() -> None:
            self._edits.remove(chunk_id)
            self._announce(chat_id)

        return Undo(label_line(text, LABEL), undo)

    # ── what is known about memories ─────────────────────────────────────────────────────────────────

    def sources(self, chat_id: int) -> dict[int, SourceState]:
        """Return which memories that a person keeps no longer say what their messages say, by chunk id."""
        kept = self._edits.kept_sources(chat_id)
        present = {m.id: m for m in self._messages.get_many(sorted({item.message_id for item in kept}))}
        found: dict[int, SourceState] = {}
        standing: set[int] = set()
        for item in kept:
            message = present.get(item.message_id)
            if message is not None:
                standing.add(item.chunk_id)
            if message is None or not same_source(item.source_hash, source_hash(message, 0)):
                found[item.chunk_id] = SourceState.CHANGED
        return {
            chunk_id: state if chunk_id in standing else SourceState.GONE for chunk_id, state in found.items()
        }

    def recalls(self, chat_id: int) -> dict[int, list[Recall]]:
        """Return the replies that memories of a chat were sent for, by chunk id, newest first."""
        return self._edits.recalls(chat_id)

    # ── settings ─────────────────────────────────────────────────────────────────────────────────────

    def settings(self, chat_id: int) -> RecallSettings:
        """Return a chat's recall settings."""
        return recall_settings(self._chats.get(chat_id).settings)

    def set_settings(self, chat_id: int, **values: object) -> Undo | None:
        """Change recall settings of a chat (`threshold`, `top_k`, `enabled`, …); None when nothing changes.

        None as a value stands for the default. With another grain, size or boundary the memories are made
        anew in the background; what a person keeps stays. Raises `ValueError` for a value out of range,
        naming it.
        """
        chat = self._chats.get(chat_id)
        before = chat.settings.get("recall")
        wanted = {key: value for key, value in {**(before or {}), **values}.items() if value is not None}
        if RecallSettings.model_validate(wanted) == recall_settings(chat.settings):
            return None
        self._store_settings(chat_id, wanted)
        return Undo(chat.title, lambda: self._store_settings(chat_id, before))

    def _store_settings(self, chat_id: int, recall: dict[str, Any] | None) -> None:
        settings = dict(self._chats.get(chat_id).settings)
        present = recall_settings(settings)
        settings.pop("recall", None)
        if recall is not None:
            settings["recall"] = recall
        self._chats.set_settings(chat_id, settings)
        if not present.same_cut(recall_settings(settings)):
            # So that it is finished at the next start, should memdesk end before.
            self._upkeep.mark_stale(chat_id)
        self._notify(Change(ChangeKind.CHAT_CHANGED, chat_id))

    # ── news ─────────────────────────────────────────────────────────────────────────────────────────

    def _done(
        self, chunks: Sequence[WholeChunk], take_back: Callable[[], object], *, announce_undo: bool = True
    ) -> Undo:
        chats = sorted({chunk.chat_id for chunk in chunks})
        self._announce(*chats)

        def undo() -> None:
            take_back()
            if announce_undo:
                self._announce(*chats)

        return Undo(_label(chunks), undo)

    def _announce(self, *chat_ids: int) -> None:
        for chat_id in chat_ids:
            self._changed(chat_id)
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))


def _original(chunk: WholeChunk) -> str:
    return chunk.revisions[0][0] if chunk.revisions else chunk.text


def _was_shaped(chunk: WholeChunk) -> bool:
    """Return whether a person split or merged a chunk: it is theirs, whatever its text is."""
    return any(actor == SHAPED for _text, actor, _at in chunk.revisions)


def _label(chunks: Sequence[WholeChunk], more: int | None = None) -> str:
    """Name what an act is about: the first memory, and how many more."""
    first, more = label_line(chunks[0].text, LABEL), len(chunks) - 1 if more is None else more
    return f"{first} (+{more})" if more else first
