"""Memories leave and enter a chat as files; an import is looked at first, and is one step of undo."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal, Protocol

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Chat, Message
from memdesk.embedding.base import EmbeddingSpace
from memdesk.formats import marinara_memory as marinara
from memdesk.formats import memdesk_memory as own
from memdesk.formats.errors import FormatError
from memdesk.formats.memory_io import FileFormat, memory_format, read_file, write_file
from memdesk.memory.recall.chunking import HASH_BYTES, source_hash
from memdesk.memory.recall.grains import Grouping, implied
from memdesk.memory.recall.settings import recall_settings
from memdesk.memory.words import index_text
from memdesk.store.chats import ChatStore
from memdesk.store.chunk_records import ChunkRecord, ChunkRecords
from memdesk.store.chunks import NewChunk, Source
from memdesk.store.database import Database, now
from memdesk.store.messages import MessageStore
from memdesk.store.vectors import Vector, VectorStore, text_hash
from memdesk.work.cancel import CancelToken
from memdesk.work.steps import Progress, Steps, quiet
from memdesk.work.undo import Undo

SkipReason = Literal["known", "empty", "too_long"]
"""It is there already (or twice in the file); it holds no text; its text is longer than `MOST_CHARS`."""

MOST_CHARS = 100_000
"""Longest memory that is taken in, in characters: five times what Marinara makes."""

GONE = 10**9
"""A source that is gone stands as a negative message id: its number, or beyond this when nobody knows it."""

PAGE = 500


class SpaceOf(Protocol):
    """Tells the embedding space of a chat: of now, or the one that is wanted."""

    def __call__(self, chat_id: int, *, now: bool) -> EmbeddingSpace:
        """Return the space."""


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do. `reasons` counts the skipped ones; `chunks` are those that would be added.

    `with_vector` of those to be added can be recalled by meaning at once; the others wait to be embedded.
    `first` and `last` are the story times that they span, None when nothing would be added.
    """

    format: FileFormat
    title: str
    same_chat: bool
    add: int
    skip: int
    reasons: dict[SkipReason, int]
    with_vector: int
    chunks: tuple[NewChunk, ...]
    first: datetime | None
    last: datetime | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did; `chunk_ids` are the new memories."""

    imported: int
    skipped: int
    reasons: dict[SkipReason, int]
    chunk_ids: tuple[int, ...]

    @property
    def message(self) -> str:
        """The sentence that a person reads."""
        if not self.imported:
            return "No new recall memories were imported."
        return f"Imported {self.imported} memory chunk{'' if self.imported == 1 else 's'}."


@dataclass(frozen=True, slots=True)
class ExportResult:
    """What an export wrote. `vectors_left_out` says that the file would have been too large with them."""

    path: Path
    memories: int
    vectors: int
    vectors_left_out: bool


@dataclass(slots=True)
class _Plan:
    """What is to be added, and what was found on the way."""

    format: FileFormat
    title: str
    same_chat: bool
    warnings: tuple[str, ...] = ()
    records: list[ChunkRecord] = field(default_factory=list)
    vectors: dict[bytes, Vector] = field(default_factory=dict)
    reasons: Counter[SkipReason] = field(default_factory=Counter)


class MemoryFiles:
    """Exports and imports the memories of chats. Every method blocks: call it on a worker."""

    def __init__(
        self,
        *,
        chats: ChatStore,
        messages: MessageStore,
        records: ChunkRecords,
        vectors: VectorStore,
        database: Database,
        space: SpaceOf,
        count: Callable[[str], int],
        bus: ChangeBus,
        changed: Callable[[int], None],
    ) -> None:
        """Wire it; `changed` is told the chat whose memories were added or taken away."""
        self._chats = chats
        self._messages = messages
        self._records = records
        self._vectors = vectors
        self._database = database
        self._space = space
        self._count = count
        self._bus = bus
        self._changed = changed

    # ── leaving ──────────────────────────────────────────────────────────────────────────────────────

    def file_name(self, chat_id: int, file_format: FileFormat) -> str:
        """Return how a file with a chat's memories is called."""
        stem = marinara.file_stem(self._chats.get(chat_id).title)
        return stem + (marinara.SUFFIX if file_format == "marinara" else own.SUFFIX)

    def export(
        self, chat_id: int, path: Path, file_format: FileFormat, *, with_vectors: bool = True
    ) -> ExportResult:
        """Write all memories of a chat into a file, oldest first; the file is there whole or not at all.

        Vectors of the present embedding space are left out where the file would be larger than its readers
        take. Raises `FormatError`: `empty` for a chat without memories, `too_large`, `unreadable` when the
        file cannot be written; `StoreError`.
        """
        chat = self._chats.get(chat_id)
        records = self._records.all(chat_id)
        if not records:
            raise FormatError(path.name, "This chat has no memories to export.", code="empty", path=path)
        vectors = self._cached(chat_id, records) if with_vectors else {}
        limit = marinara.MAX_BYTES if file_format == "marinara" else own.MAX_BYTES
        write = self._marinara_file if file_format == "marinara" else self._own_file
        # A vector takes at least its base64 form: what cannot fit is not tried.
        fits = sum(vector.nbytes * 4 // 3 for vector in vectors.values()) <= limit
        data = write(chat, records, vectors) if fits else b""
        left_out = bool(vectors) and not 0 < len(data) <= limit
        if left_out:
            vectors = {}
            data = write(chat, records, vectors)
        if len(data) > limit:
            reason = f"The file would be larger than {limit // 1024**2} MiB."
            raise FormatError(path.name, reason, code="too_large", path=path)
        write_file(path, data)
        with_vector = sum(text_hash(record.chunk.text) in vectors for record in records)
        return ExportResult(path, len(records), with_vector, left_out)

    def _cached(self, chat_id: int, records: Iterable[ChunkRecord]) -> dict[bytes, Vector]:
        space = self._space(chat_id, now=True)
        keys = list(dict.fromkeys(text_hash(record.chunk.text) for record in records))
        return self._vectors.get(self._vectors.space_id(space.id, space.dimension), keys)

    def _marinara_file(
        self, chat: Chat, records: Sequence[ChunkRecord], vectors: dict[bytes, Vector]
    ) -> bytes:
        space = self._space(chat.id, now=True).id
        chunks = [
            marinara.RecallChunk(
                content=record.chunk.text,
                first=record.chunk.first_time,
                last=record.chunk.last_time,
                created=record.created_at,
                messages=_message_count(record.chunk.sources),
                vector=vectors.get(text_hash(record.chunk.text)),
                space=space,
            )
            for record in records
        ]
        return marinara.write_recall(
            marinara.RecallFile(_chat_key(chat), chat.title, chat.mode, tuple(chunks))
        )

    def _own_file(self, chat: Chat, records: Sequence[ChunkRecord], vectors: dict[bytes, Vector]) -> bytes:
        space = self._space(chat.id, now=True)
        numbers = {message_id: n for n, message_id in enumerate(self._messages.ids(chat.id), start=1)}
        memories = [
            own.FileMemory(
                text=record.chunk.text,
                first=record.chunk.first_time,
                last=record.chunk.last_time,
                created=record.created_at,
                original=record.original,
                speakers=record.chunk.speakers,
                tokens=record.chunk.tokens,
                frozen=record.frozen,
                pinned=record.pinned,
                enabled=record.enabled,
                edited=record.edited,
                origin=record.chunk.origin,
                sources=tuple(
                    own.FileSource(_number(source.message_id, numbers), source.source_hash, source.piece)
                    for source in record.chunk.sources
                ),
                vector=vectors.get(text_hash(record.chunk.text)),
            )
            for record in records
        ]
        return own.write_memories(
            own.MemoryFile(
                chat_id=_chat_key(chat),
                title=chat.title,
                mode=chat.mode,
                space=space.id if vectors else None,
                dimension=space.dimension,
                memories=tuple(memories),
            )
        )

    # ── entering ─────────────────────────────────────────────────────────────────────────────────────

    def preview(self, path: Path, chat_id: int) -> ImportPreview:
        """Return what importing a file into a chat would do; nothing is changed.

        Raises `FormatError` for a file that is no memory file, `StoreError`.
        """
        plan = self._plan(path, chat_id)
        chunks = [record.chunk for record in plan.records]
        return ImportPreview(
            format=plan.format,
            title=plan.title,
            same_chat=plan.same_chat,
            add=len(chunks),
            skip=plan.reasons.total(),
            reasons=+plan.reasons,
            with_vector=sum(text_hash(chunk.text) in plan.vectors for chunk in chunks),
            chunks=tuple(chunks),
            first=min((chunk.first_time for chunk in chunks), default=None),
            last=max((chunk.last_time for chunk in chunks), default=None),
            warnings=plan.warnings,
        )

    def import_file(
        self, path: Path, chat_id: int, progress: Progress = quiet, cancel: CancelToken | None = None
    ) -> tuple[ImportResult, Undo | None]:
        """Add what a file holds and a chat lacks, in one transaction; the undo is None when that is nothing.

        Raises `FormatError` for a file that is no memory file, `StoreError`, `Cancelled`: nothing was added.
        """
        plan = self._plan(path, chat_id)
        told = Steps(len(plan.records), progress, cancel or CancelToken(), rounds=2)
        records = [self._completed(record) for record in told(plan.records)]
        space = self._space(chat_id, now=False)
        space_id = self._vectors.space_id(space.id, space.dimension)
        with self._database.write():
            # Asked again: the chat may have gone while the file was read.
            self._chats.get(chat_id)
            ids = tuple(self._records.add(chat_id, told(records)))
            # What we embedded ourselves is not replaced by what a file claims.
            there = self._vectors.get(space_id, list(plan.vectors))
            self._vectors.put(
                space_id, [(key, vector) for key, vector in plan.vectors.items() if key not in there]
            )
        result = ImportResult(len(ids), plan.reasons.total(), +plan.reasons, ids)
        if not ids:
            return result, None
        self._tell(chat_id)
        return result, Undo(path.name, lambda: self._take_back(chat_id, ids))

    def _take_back(self, chat_id: int, ids: Sequence[int]) -> None:
        self._records.remove(ids)
        self._tell(chat_id)

    def _tell(self, chat_id: int) -> None:
        self._changed(chat_id)
        self._bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat_id))

    def _completed(self, record: ChunkRecord) -> ChunkRecord:
        """Fill in what is counted and indexed; only done for what is really added."""
        chunk = record.chunk
        words = index_text(marinara.spoken(chunk.text, chunk.speakers))
        return replace(record, chunk=replace(chunk, tokens=self._count(chunk.text), words=words))

    def _plan(self, path: Path, chat_id: int) -> _Plan:
        chat = self._chats.get(chat_id)
        raw = read_file(path, own.MAX_BYTES)
        try:
            if memory_format(raw) == "memdesk":
                return self._plan_own(own.read_memories(raw, path.name), chat)
            space = self._space(chat.id, now=False)
            return self._plan_marinara(marinara.read_recall(raw, path.name, space.id), chat)
        except FormatError as error:
            raise error.at(path) from error

    def _plan_marinara(self, file: marinara.RecallFile, chat: Chat) -> _Plan:
        plan = _Plan("marinara", file.chat_name, file.chat_id == _chat_key(chat), tuple(file.warnings))
        plan.reasons["empty"] += file.unusable
        dimension = self._space(chat.id, now=False).dimension
        known = {_key(record.chunk) for record in self._records.all(chat.id)}
        texts = {key[2] for key in known}
        speakers = marinara.leading_names(chunk.content for chunk in file.chunks)
        made = self._made_from_messages(chat) if plan.same_chat else {}
        moment = now().replace(microsecond=0)
        for item in file.chunks:
            first = item.first or moment
            chunk = NewChunk(
                text=item.content,
                sources=(),
                speakers=tuple(name for name in marinara.names(item.content) if name in speakers),
                tokens=0,
                first_time=first,
                last_time=item.last or first,
                words="",
                origin="imported",
            )
            # A time that was filled in would be another one each time the file is read.
            twin = _key(chunk) in known if item.first else chunk.text in texts
            if twin or len(chunk.text) > MOST_CHARS:
                plan.reasons["known" if twin else "too_long"] += 1
                continue
            known.add(_key(chunk))
            texts.add(chunk.text)
            # What the chat's own messages say stays theirs; what they say no longer is kept as imported.
            chunk = made.get(_key(chunk), chunk)
            plan.records.append(ChunkRecord(chunk, item.created or moment))
            if item.vector is not None and item.vector.size == dimension:
                plan.vectors.setdefault(text_hash(chunk.text), item.vector)
        return plan

    def _plan_own(self, file: own.MemoryFile, chat: Chat) -> _Plan:
        plan = _Plan("memdesk", file.title, bool(file.chat_id) and file.chat_id == _chat_key(chat))
        plan.reasons["empty"] += file.unusable
        space = self._space(chat.id, now=False)
        comparable = file.space == space.id and file.dimension == space.dimension
        present = self._records.all(chat.id)
        # Two equal memories may both be right, so they are counted: as many as the file has are there.
        known = Counter(_key(record.chunk) for record in present)
        texts = {key[2] for key in known}
        places = self._places(chat, file)
        moment = now().replace(microsecond=0)
        for item in file.memories:
            record = _own_record(item, places, moment, same_chat=plan.same_chat)
            key = _key(record.chunk)
            twin = known[key] > 0 if item.first else key[2] in texts
            if twin or len(key[2]) > MOST_CHARS:
                known[key] -= twin
                plan.reasons["known" if twin else "too_long"] += 1
                continue
            if not item.first:
                texts.add(key[2])
            plan.records.append(record)
            if comparable and item.vector is not None:
                plan.vectors.setdefault(text_hash(record.chunk.text), item.vector)
        return plan

    def _pages(self, chat: Chat) -> Iterable[list[Message]]:
        first = 1
        while page := self._messages.page(chat.id, first, PAGE):
            yield page
            first += len(page)

    def _made_from_messages(self, chat: Chat) -> dict[tuple[datetime, datetime, str], NewChunk]:
        """Return the chunks that a chat's messages make now."""
        messages = (message for page in self._pages(chat) for message in page)
        made = implied(messages, recall_settings(chat.settings), self._count)
        return {_key(chunk): chunk for chunk in made}

    def _places(self, chat: Chat, file: own.MemoryFile) -> _Places:
        asked: dict[bytes, set[int]] = {}
        for item in file.memories:
            for source in item.sources:
                asked.setdefault(source.source_hash[:HASH_BYTES], set()).add(source.number)
        if not asked:
            return _Places({}, {})
        grouping = Grouping(recall_settings(chat.settings))
        found: dict[bytes, list[tuple[int, int]]] = {}
        current: dict[int, bytes] = {}
        for page in self._pages(chat):
            for message in page:
                said = source_hash(message, 0)[:HASH_BYTES]
                if said in asked:
                    found.setdefault(said, []).append((message.number, message.id))
            for group in grouping.feed(page):
                current.update(zip((item.id for item in group.messages), group.hashes, strict=True))
        by_number = {}
        for said, candidates in found.items():
            numbers = sorted(asked[said])
            for place, number in enumerate(numbers):
                if len(numbers) == len(candidates):
                    # As often as there: in the same order, however far the whole has moved.
                    chosen = candidates[place]
                else:
                    chosen = min(candidates, key=lambda item: abs(item[0] - number))
                by_number[said, number] = chosen[1]
        return _Places(by_number, current)


@dataclass(frozen=True, slots=True)
class _Places:
    """Which messages of a chat the sources of a file stand for, and each message's hash.

    `by_number` has the message id by what was said (16 bytes of hash) and the number of the file.
    """

    by_number: dict[tuple[bytes, int], int]
    current: dict[int, bytes]

    def sources(self, listed: Sequence[own.FileSource]) -> tuple[Source, ...]:
        """Return the sources of a memory, each once; negative ids for those that are gone."""
        found: dict[tuple[int, int], Source] = {}
        for place, source in enumerate(listed, start=1):
            message_id = self.by_number.get((source.source_hash[:HASH_BYTES], source.number))
            if message_id is None:
                message_id = -source.number or -GONE - place
            found.setdefault((message_id, source.piece), Source(message_id, source.source_hash, source.piece))
        return tuple(found.values())

    def current_ones(self, sources: Sequence[Source]) -> bool:
        """Return whether the messages still say all of it, cut in the same way."""
        return all(self.current.get(source.message_id) == source.source_hash for source in sources)


def _own_record(item: own.FileMemory, places: _Places, moment: datetime, *, same_chat: bool) -> ChunkRecord:
    sources = places.sources(item.sources)
    kept = item.frozen or item.edited or item.pinned
    origin = item.origin
    if not same_chat or (origin == "native" and not kept and not (sources and places.current_ones(sources))):
        # No automatic step is to take away what a person has just brought back.
        origin = "note" if origin == "note" else "imported"
    first = item.first or moment
    chunk = NewChunk(
        text=item.text,
        sources=sources,
        speakers=item.speakers,
        tokens=item.tokens,
        first_time=first,
        last_time=item.last or first,
        words="",
        origin=origin,
    )
    return ChunkRecord(
        chunk=chunk,
        created_at=item.created or moment,
        frozen=item.frozen,
        pinned=item.pinned,
        enabled=item.enabled,
        edited=item.edited,
        original=item.original,
    )


def _key(chunk: NewChunk) -> tuple[datetime, datetime, str]:
    return chunk.first_time, chunk.last_time, chunk.text


def _chat_key(chat: Chat) -> str:
    """Name a chat beyond its data folder: ids begin anew in each, but no two chats begin in one moment."""
    return f"memdesk-{chat.id}-{chat.created_at:%Y%m%d%H%M%S}{chat.created_at.microsecond // 1000:03}"


def _number(message_id: int, numbers: dict[int, int]) -> int:
    """Return the number of a source message, 0 when nobody knows it any more."""
    if message_id < 0:
        return -message_id if message_id > -GONE else 0
    return numbers.get(message_id, 0)


def _message_count(sources: Sequence[Source]) -> int:
    """Count a chunk's messages as Marinara does: with the first piece of a message, not with the others."""
    return len(sources) if not sources or any(source.piece == 0 for source in sources) else 0
