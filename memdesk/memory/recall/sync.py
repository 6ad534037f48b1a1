"""The write path of recall: messages become chunks, chunks get vectors, vectors go into the index."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence

from memdesk.chats.changes import Change, ChangeKind
from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.memory.recall.chunker import Chunker
from memdesk.memory.recall.indexing import RecallIndex
from memdesk.memory.recall.spaces import ChatSpaces, SpaceChange, Work
from memdesk.store.chats import ChatStore
from memdesk.store.chunk_upkeep import ChunkUpkeep
from memdesk.store.chunks import Chunk, ChunkStore, NewChunk, index_id
from memdesk.store.index import VectorIndex
from memdesk.store.messages import MessageStore
from memdesk.store.vectors import Vector, VectorStore, text_hash
from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import Jobs

log = logging.getLogger(__name__)


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
        upkeep: ChunkUpkeep,
        vectors: VectorStore,
        index: VectorIndex,
        spaces: ChatSpaces,
        count: Callable[[str], int],
        jobs: Jobs,
        notify: Callable[[Change], None],
    ) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._spaces = spaces
        self._jobs = jobs
        self._notify = notify
        self.indexing = RecallIndex(chunks, vectors, index, spaces, jobs)
        self.chunker = Chunker(chats, messages, chunks, upkeep, count, notify, self._chunks_changed)
        self._plan: list[Work] | None = None
        """What waits for vectors, None when that must be looked up."""
        self._failures: dict[str, str] = {}
        self._paused: dict[str, float] = {}
        """Embedding spaces whose embedder failed, and until when (time.monotonic()) it is left alone."""
        self._resting = False

    @property
    def resting(self) -> bool:
        """Whether embedding was told to rest; what waits keeps waiting."""
        return self._resting

    def rest(self, *, value: bool) -> None:
        """Let embedding in the background rest until it is told to go on, or memdesk starts anew."""
        self._resting = value
        if not value:
            self._go_on()

    @property
    def space_id(self) -> int:
        """The number of the embedding space of chats that have not chosen one."""
        return self._spaces.id_of(self._spaces.default())

    def space_of(self, chat_id: int) -> int:
        """Return the number of the embedding space that a chat is recalled by."""
        return self._spaces.serving_id(chat_id)

    def counts(self, chat_id: int | None = None) -> dict[int, tuple[int, int, int]]:
        """Return (chunks, chunks with a vector, tokens) by chat id, each by the space that serves it."""
        return self._spaces.counts(chat_id)

    @property
    def failure(self) -> str:
        """Why embedding failed last, "" when it did not."""
        return next(iter(self._failures.values()), "")

    @failure.setter
    def failure(self, text: str) -> None:
        self._failures = {self._spaces.default().space.id: text} if text else {}

    @property
    def embedding_available(self) -> bool:
        """Whether there is an embedder that works, as far as is known without running it."""
        return not self.failure and self._spaces.default().available()

    def available_for(self, chat_id: int) -> bool:
        """Return whether the embedder of a chat works, as far as is known without running it."""
        embedder = self._spaces.serving(chat_id)
        return embedder.space.id not in self._failures and embedder.available()

    def change(self) -> SpaceChange | None:
        """Return how far a change of embedders is, None when there is none."""
        return self._spaces.change()

    def spaces_changed(self) -> None:
        """Take note that other embedders were chosen."""
        self._failures.clear()
        self._paused.clear()
        self._plan = None
        self.indexing.touch_all()

    def try_embedder(self) -> bool:
        """Return whether the embedder works, by using it: a file that is there may still be broken."""
        embedder = self._spaces.default()
        try:
            embedder.embed_query("memdesk")
        except EmbeddingError as error:
            self._failures[embedder.space.id] = str(error)
        else:
            self._failures.pop(embedder.space.id, None)
        return not self.failure

    # ── in the background ────────────────────────────────────────────────────────────────────────────

    def queue(self) -> None:
        """Chunk what changed, then embed what waits, in the background."""
        self._jobs.submit("chunk", self._chunk_job)

    def queue_chat(self, chat_id: int) -> None:
        """Compare a whole chat with its chunks in the background: its settings changed."""
        # What is being compared now follows settings of before.
        self.chunker.begin_anew(chat_id)
        self._jobs.submit(("chunk", chat_id), lambda cancel: self._compare_job(chat_id, cancel))

    def memories_edited(self, chat_id: int) -> None:
        """Take note that a person changed memories of a chat: its index is out of step."""
        self._plan = None
        self.indexing.touch(chat_id)

    def _chunk_job(self, cancel: CancelToken) -> None:
        for chat_id in sorted(self.chunk_stale(cancel)):
            self._plan = None
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        self._queue_embedding()

    def _compare_job(self, chat_id: int, cancel: CancelToken) -> None:
        if self.chunk_chat(chat_id, cancel):
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        # Its settings may name another embedder.
        self._plan = None
        self.indexing.touch(chat_id)
        self._queue_embedding()

    def _queue_embedding(self, delay: float = 0.0) -> None:
        """Embed what waits after more urgent work."""
        if not delay:
            self._paused.clear()
        self._jobs.submit("embed", self._embed_job, priority=1, delay=delay)

    def _embed_job(self, cancel: CancelToken) -> None:
        if cancel.cancelled or self._resting:
            return
        work, batch = self._next_batch()
        if work is None:
            self._all_embedded(cancel)
            return
        try:
            self._embed(batch, work.embedder)
        except EmbeddingError as error:
            self._embedding_failed(work, batch, error)
            return
        self._announce(batch)
        if not work.window:
            self._take_over(work.touched)
        self._go_on()

    def _next_batch(self) -> tuple[Work | None, list[Chunk]]:
        """Return what is to be embedded next, and by whom; (None, []) when nothing can be done now."""
        for fresh in (False, True):
            if self._plan is None or fresh:
                self._plan = self._spaces.plan()
            for work in self._plan:
                if self._paused.get(work.embedder.space.id, 0.0) > time.monotonic():
                    continue
                if batch := work.take(self._chunks):
                    return work, batch
        return None, []

    def _go_on(self) -> None:
        """Queue the next batch; failed embedders stay paused."""
        self._jobs.submit("embed", self._embed_job, priority=1)

    def _embedding_failed(self, work: Work, batch: list[Chunk], error: EmbeddingError) -> None:
        space = work.embedder.space.id
        changed = self._failures.get(space) != str(error)
        self._failures[space] = str(error)
        self._paused[space] = time.monotonic() + RETRY_SECONDS
        self._plan = None
        if changed:
            log.warning("embedding: %s", error)
            self._announce(batch)
        # Other chats may have other embedders.
        self._go_on()

    def _all_embedded(self, cancel: CancelToken) -> None:
        """Do what comes after the last vector, or wait for embedders that failed."""
        self._plan = None
        self._take_over(self._spaces.changing())
        self.indexing.check()
        self.indexing.watch(cancel)
        if removed := self._spaces.drop_left():
            log.info("%d vectors of an embedder that is not used any more were removed", removed)
        waits = [until - time.monotonic() for until in self._paused.values()]
        if waits:
            self._jobs.submit("embed", self._embed_job, priority=1, delay=max(0.1, min(waits)))

    def _take_over(self, chat_ids: Iterable[int]) -> list[int]:
        """Recall chats by the vectors of their new embedder where these are complete; returns these."""
        settled = self._spaces.settle(sorted(chat_ids))
        for chat_id in settled:
            log.info("chat %d is recalled by another embedder now", chat_id)
            self.indexing.touch(chat_id)
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        return settled

    def _announce(self, chunks: Iterable[Chunk]) -> None:
        for chat_id in sorted({chunk.chat_id for chunk in chunks}):
            self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))

    # ── done at once, for the command and by the jobs ────────────────────────────────────────────────

    def sync(self, chat_ids: Sequence[int], progress: Progress, cancel: CancelToken) -> None:
        """Chunk and embed whole chats now; raises `EmbeddingError`, `StoreError`, `Cancelled`."""
        for chat_id in chat_ids:
            self.chunk_stale(cancel, chat_id)
            self.chunk_chat(chat_id, cancel)
        plan = self._spaces.plan(chat_ids)
        done, total = 0, sum(len(work.ids) for work in plan)
        progress(done, total)
        for work in plan:
            while batch := work.take(self._chunks):
                cancel.raise_if_cancelled()
                self._embed(batch, work.embedder)
                # Equal texts share one vector, so a batch may finish more chunks than it holds.
                done = min(total, done + len(batch))
                progress(done, total)
                self._announce(batch[:1])
        left = bool(self._take_over(chat_ids))
        # A broken index is filled anew as a whole, so the first chat that fails decides.
        if not all(self.indexing.check_chat(chat_id) for chat_id in chat_ids):
            self.indexing.try_rebuild()
        elif left:
            self.indexing.drop_strangers()
        progress(total, total)

    def chunk_chat(self, chat_id: int, cancel: CancelToken) -> bool:
        """Bring all chunks of a chat in step with its messages; returns whether anything changed."""
        return self.chunker.compare(chat_id, cancel)

    def chunk_stale(self, cancel: CancelToken, chat_id: int | None = None) -> set[int]:
        """Bring the chunks of changed messages in step; returns the chats whose memories changed."""
        return self.chunker.catch_up(cancel, chat_id)

    def _chunks_changed(self, chat_id: int, add: Sequence[NewChunk], *, removed: bool) -> None:
        # New chunks whose text has a vector already are never embedded, so nothing else would index them.
        keys = [text_hash(chunk.text) for chunk in add]
        if removed or self._vectors.get(self.space_of(chat_id), keys):
            self.indexing.touch(chat_id)

    def _embed(self, chunks: Sequence[Chunk], embedder: Embedder | None = None) -> None:
        started = time.perf_counter()
        embedder = embedder or self._spaces.default()
        space = embedder.space.id
        texts = {chunk.text_hash: chunk.text for chunk in chunks}
        vectors = dict(zip(texts, embedder.embed_passages(list(texts.values())), strict=True))
        if self._failures.pop(space, ""):
            self._paused.pop(space, None)
            log.info("embedding works again")
        self._vectors.put(self._spaces.id_of(embedder), vectors.items())
        by_chat: dict[int, list[tuple[str, Vector]]] = {}
        for chunk in chunks:
            item = (index_id(chunk.id, chunk.text_hash), vectors[chunk.text_hash])
            by_chat.setdefault(chunk.chat_id, []).append(item)
        for chat_id, items in by_chat.items():
            self.indexing.put(chat_id, space, items)
        log.debug("embedded %d chunks in %.2f s", len(chunks), time.perf_counter() - started)

    # ── the index, which may be lost at any time ─────────────────────────────────────────────────────

    def check_indexes(self) -> None:
        """Bring the index of every chat that was touched in step with the cached vectors."""
        self.indexing.check()

    def rebuild_index(self) -> None:
        """Throw the index away and fill it from the cached vectors; nothing is embedded again."""
        self.indexing.rebuild()
