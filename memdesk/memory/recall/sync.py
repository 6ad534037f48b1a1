"""The write path of recall: messages become chunks, chunks get vectors, vectors go into the index."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby

import numpy as np

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import Message
from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.memory.recall.chunking import chunks_of, remembered_text, source_hash
from memdesk.memory.recall.search import owner
from memdesk.memory.recall.settings import recall_settings
from memdesk.store.chats import ChatStore
from memdesk.store.chunks import Chunk, ChunkStore, NewChunk, SourceChunk, index_id
from memdesk.store.errors import StoreError
from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable
from memdesk.store.messages import MessageStore
from memdesk.store.vectors import Vector, VectorStore, text_hash
from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import Jobs

log = logging.getLogger(__name__)

PAGE = 200
"""Messages that are chunked in one transaction."""

BATCH = 8
"""Chunks that are embedded before newer work, or the end, gets its turn; half a second on one core."""

SYNC_BATCH = 64
"""Chunks that are embedded at a time when somebody waits for the end."""

RETRY_SECONDS = 30.0
"""Pause after a failed embedding before the next attempt."""

Progress = Callable[[int, int], None]
"""Told (done, total)."""


class RecallSync:
    """Keeps chunks, vectors and index in step with the messages. Every method may be called again safely."""

    def __init__(
        self,
        *,
        chats: ChatStore,
        messages: MessageStore,
        chunks: ChunkStore,
        vectors: VectorStore,
        index: VectorIndex,
        embedder: Embedder,
        count: Callable[[str], int],
        jobs: Jobs,
        notify: Callable[[Change], None],
    ) -> None:
        self._chats = chats
        self._messages = messages
        self._chunks = chunks
        self._vectors = vectors
        self._index = index
        self._embedder = embedder
        self._count = count
        self._jobs = jobs
        self._notify = notify
        self._indexed: set[int] = set()
        self._strangers = index.folder.exists()
        """Whether the index may hold vectors of chats without memories."""
        self.failure = ""
        """Why the last embedding failed, "" when it did not."""

    @property
    def space_id(self) -> int:
        """The number of the current embedding space."""
        space = self._embedder.space
        return self._vectors.space_id(space.id, space.dimension)

    @property
    def embedding_available(self) -> bool:
        """Whether there is an embedder that works, as far as is known without running it."""
        return not self.failure and self._embedder.available()

    def try_embedder(self) -> bool:
        """Return whether the embedder works, by using it: a file that is there may still be broken."""
        try:
            self._embedder.embed_query("memdesk")
        except EmbeddingError as error:
            self.failure = str(error)
        else:
            self.failure = ""
        return not self.failure

    # ── in the background ────────────────────────────────────────────────────────────────────────────

    def queue(self) -> None:
        """Chunk what changed, then embed what waits, in the background."""
        self._jobs.submit("chunk", self._chunk_job)

    def queue_chat(self, chat_id: int) -> None:
        """Compare a whole chat with its chunks in the background: its settings changed."""
        self._jobs.submit(("chunk", chat_id), lambda cancel: self._compare_job(chat_id, cancel))

    def memories_edited(self, chat_id: int) -> None:
        """Take note that a person changed memories of a chat: its index is out of step."""
        self._indexed.discard(chat_id)
        self._strangers = True

    def rebuild_chat(self, chat_id: int) -> None:
        """Make a chat's memories anew from its messages, in the background; what a person keeps stays."""
        self._chunks.reset(chat_id)
        self._indexed.discard(chat_id)
        self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        self.queue()

    def _chunk_job(self, cancel: CancelToken) -> None:
        for chat_id in sorted(self.chunk_stale(cancel)):
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        self._queue_embedding()

    def _compare_job(self, chat_id: int, cancel: CancelToken) -> None:
        if self.chunk_chat(chat_id, cancel):
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        self._queue_embedding()

    def _queue_embedding(self, delay: float = 0.0) -> None:
        """Embed what waits after more urgent work."""
        self._jobs.submit("embed", self._embed_job, priority=1, delay=delay)

    def _embed_job(self, cancel: CancelToken) -> None:
        if cancel.cancelled:
            return
        waiting = self._chunks.without_vector(self.space_id, None, BATCH)
        if not waiting:
            self.check_indexes()
            return
        try:
            self._embed(waiting)
        except EmbeddingError as error:
            changed = self.failure != str(error)
            self.failure = str(error)
            if changed:
                log.warning("embedding: %s", error)
                self._announce(waiting)
            self._queue_embedding(RETRY_SECONDS)
            return
        self._announce(waiting)
        self._queue_embedding()

    def _announce(self, chunks: Iterable[Chunk]) -> None:
        for chat_id in sorted({chunk.chat_id for chunk in chunks}):
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))

    # ── done at once, for the command and by the jobs ────────────────────────────────────────────────

    def sync(self, chat_ids: Sequence[int], progress: Progress, cancel: CancelToken) -> None:
        """Chunk and embed whole chats now; raises `EmbeddingError`, `StoreError`, `Cancelled`."""
        for chat_id in chat_ids:
            self.chunk_stale(cancel, chat_id)
            self.chunk_chat(chat_id, cancel)
        space = self.space_id
        waiting = {
            chat_id: counts[0] - counts[1]
            for chat_id, counts in self._chunks.counts(space).items()
            if chat_id in set(chat_ids)
        }
        done, total = 0, sum(waiting.values())
        progress(done, total)
        for chat_id in chat_ids:
            while batch := self._chunks.without_vector(space, chat_id, SYNC_BATCH):
                cancel.raise_if_cancelled()
                self._embed(batch)
                # Equal texts share one vector, so a batch may finish more chunks than it holds.
                done = min(total, done + len(batch))
                progress(done, total)
                self._announce(batch[:1])
        # A broken index is filled anew as a whole, so the first chat that fails decides.
        if not all(self._check_index(chat_id) for chat_id in chat_ids):
            self._try_rebuild()
        progress(total, total)

    def chunk_chat(self, chat_id: int, cancel: CancelToken) -> bool:
        """Bring all chunks of a chat in step with its messages; returns whether anything changed."""
        try:
            chunk_chars = recall_settings(self._chats.get(chat_id).settings).chunk_chars
        except StoreError:
            return False
        known = self._chunks.sources(chat_id)
        alive: set[int] = set()
        changed, first = False, 1
        while page := self._messages.page(chat_id, first, PAGE):
            cancel.raise_if_cancelled()
            first += len(page)
            alive.update(message.id for message in page)
            changed |= self._apply(chat_id, page, known, chunk_chars)
        return self._remove_orphans(chat_id, known, alive) or changed

    def chunk_stale(self, cancel: CancelToken, chat_id: int | None = None) -> set[int]:
        """Bring the chunks of changed messages in step; returns the chats whose memories changed."""
        changed: set[int] = set()
        while stale := self._chunks.stale(PAGE, chat_id):
            cancel.raise_if_cancelled()
            for chat, group in groupby(stale, key=lambda item: item.chat_id):
                if self._chunk_messages(chat, [item.message_id for item in group]):
                    changed.add(chat)
            self._chunks.settle(stale)
        return changed

    def _chunk_messages(self, chat_id: int, message_ids: Sequence[int]) -> bool:
        try:
            chunk_chars = recall_settings(self._chats.get(chat_id).settings).chunk_chars
        except StoreError:
            # The chat is in the trash or gone; its memories rest or go with it.
            return False
        known = self._chunks.sources(chat_id, message_ids)
        present = self._messages.get_many(message_ids)
        alive = {message.id for message in present}
        changed = self._apply(chat_id, present, known, chunk_chars)
        return self._remove_orphans(chat_id, known, alive) or changed

    def _apply(
        self, chat_id: int, messages: Sequence[Message], known: dict[int, list[SourceChunk]], chunk_chars: int
    ) -> bool:
        remove: list[int] = []
        add: list[NewChunk] = []
        for message in messages:
            # Splitting is pure Python and holds its lock: the window gets a turn after every message.
            time.sleep(0)
            present = known.get(message.id, [])
            source = source_hash(message, chunk_chars) if remembered_text(message) else None
            current = [chunk for chunk in present if chunk.source_hash == source]
            remove.extend(
                chunk.chunk_id for chunk in present if chunk.source_hash != source and not chunk.kept
            )
            # Chunks come and go together, but for those that a person keeps: they may stand alone.
            if source is not None and all(chunk.alone for chunk in current):
                pieces = {chunk.piece for chunk in current}
                made = chunks_of(message, chunk_chars, self._count)
                add.extend(chunk for chunk in made if chunk.sources[0].piece not in pieces)
        add = self._without_forgotten(add)
        if not remove and not add:
            return False
        self._chunks.replace(chat_id, remove, add)
        # New chunks whose text has a vector already are never embedded, so nothing else would index them.
        if remove or self._vectors.get(self.space_id, [text_hash(chunk.text) for chunk in add]):
            self._indexed.discard(chat_id)
            self._strangers = True
        return True

    def _without_forgotten(self, made: list[NewChunk]) -> list[NewChunk]:
        """Leave out what a person forgot, as long as its messages are as they were then."""
        asked = {source.message_id for chunk in made for source in chunk.sources}
        forgotten = self._chunks.forgotten(sorted(asked)) if asked else set()
        if not forgotten:
            return made
        return [
            chunk
            for chunk in made
            if not all((item.message_id, item.source_hash, item.piece) in forgotten for item in chunk.sources)
        ]

    def _remove_orphans(self, chat_id: int, known: dict[int, list[SourceChunk]], alive: set[int]) -> bool:
        """Remove chunks whose message is gone; returns whether there were any."""
        gone = [
            chunk.chunk_id
            for message_id, chunks in known.items()
            if message_id not in alive
            for chunk in chunks
            if not chunk.kept
        ]
        if not gone:
            return False
        self._chunks.replace(chat_id, gone, ())
        self._indexed.discard(chat_id)
        self._strangers = True
        return True

    def _embed(self, chunks: Sequence[Chunk]) -> None:
        started = time.perf_counter()
        texts = {chunk.text_hash: chunk.text for chunk in chunks}
        vectors = dict(zip(texts, self._embedder.embed_passages(list(texts.values())), strict=True))
        self._vectors.put(self.space_id, vectors.items())
        if self.failure:
            self.failure = ""
            log.info("embedding works again")
        by_chat: dict[int, list[tuple[str, Vector]]] = {}
        for chunk in chunks:
            item = (index_id(chunk.id, chunk.text_hash), vectors[chunk.text_hash])
            by_chat.setdefault(chunk.chat_id, []).append(item)
        for chat_id, items in by_chat.items():
            self._put_into_index(chat_id, items)
        log.debug("embedded %d chunks in %.2f s", len(chunks), time.perf_counter() - started)

    # ── the index, which may be lost at any time ─────────────────────────────────────────────────────

    def check_indexes(self) -> None:
        """Bring the index of every chat that was touched in step with the cached vectors."""
        chats = self._chunks.counts(self.space_id).keys()
        if chats <= self._indexed and not self._strangers:
            return
        for chat_id in chats - self._indexed:
            self._check_index(chat_id)
        self._drop_strangers({owner(chat_id) for chat_id in chats})

    def rebuild_index(self) -> None:
        """Throw the index away and fill it from the cached vectors; nothing is embedded again."""
        self._index.reset()
        self._indexed.clear()
        self.check_indexes()

    def _drop_strangers(self, known: set[str]) -> None:
        """Take out of the index what no chat remembers any more."""
        try:
            for stranger in self._index.owners().keys() - known:
                self._index.drop(stranger)
            self._strangers = False
        except IndexUnavailable as error:
            self._index_failed(error)

    def _check_index(self, chat_id: int) -> bool:
        """Bring one chat's index in step; returns whether it is."""
        space = self._embedder.space
        keys = self._chunks.vector_keys(chat_id, self.space_id)
        wanted = {index_id(chunk, key): key for chunk, key in keys.items()}
        try:
            present = self._index.ids(owner(chat_id), space.id)
            if surplus := sorted(present - wanted.keys()):
                self._index.delete(owner(chat_id), space.id, surplus)
        except IndexUnavailable as error:
            self._index_failed(error)
            return False
        missing = sorted(wanted.keys() - present)
        vectors = self._vectors.get(self.space_id, [wanted[item] for item in missing])
        done = self._put_into_index(chat_id, [(item, vectors[wanted[item]]) for item in missing])
        if done:
            self._indexed.add(chat_id)
        return done

    def _put_into_index(self, chat_id: int, items: list[tuple[str, Vector]]) -> bool:
        if not items:
            return True
        ids, vectors = zip(*items, strict=True)
        try:
            self._index.upsert(owner(chat_id), self._embedder.space.id, list(ids), np.stack(vectors))
        except IndexUnavailable as error:
            self._indexed.discard(chat_id)
            self._index_failed(error)
            return False
        return True

    def _index_failed(self, error: IndexUnavailable) -> None:
        log.warning("vector index: %s; it will be rebuilt from the cached vectors", error)
        self._jobs.submit(
            "rebuild index", lambda _cancel: self._try_rebuild(), priority=2, delay=RETRY_SECONDS
        )

    def _try_rebuild(self) -> None:
        try:
            self.rebuild_index()
        except IndexUnavailable as error:
            log.warning("vector index: %s; recall searches without it", error)
