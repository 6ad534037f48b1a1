"""The index of recall, kept in step with the cached vectors: it may be lost, broken or away at any time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from memdesk.embedding.base import Embedder
from memdesk.memory.recall.search import owner
from memdesk.memory.recall.spaces import ChatSpaces
from memdesk.store.chunks import ChunkStore, index_id
from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable
from memdesk.store.vectors import Vector, VectorStore
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.work.jobs import Jobs

log = logging.getLogger(__name__)

RETRY_SECONDS = 30.0
"""Pause before an index that failed is tried again."""

STEP = 256
"""Vectors that are put into a new index before somebody may cancel."""

SMALL_INDEX = 100_000_000
TOO_LARGE = 4.0
VECTOR_BYTES = 1_000
"""An index is compacted beyond so many bytes, when it has this many times what its vectors take (their
numbers and the links between them)."""

MANY_DELETED = 1_000
"""So many deleted vectors, and half as many as there are, are worth compacting for: the
neighbours of what is left were found only in part (own measurement: 0 of 1 after three rounds of 3,000)."""

INDEXED = 2_000
"""Vectors that are in memory at once while an index is filled."""

Progress = Callable[[int, int], None]
"""Told (done, total)."""


class RecallIndex:
    """Fills the index from the cached vectors. Every method may be called again safely."""

    def __init__(
        self, chunks: ChunkStore, vectors: VectorStore, index: VectorIndex, spaces: ChatSpaces, jobs: Jobs
    ) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._index = index
        self._spaces = spaces
        self._jobs = jobs
        self._indexed: set[int] = set()
        self._strangers = index.folder.exists()
        """Whether the index may hold vectors of chats without memories."""
        self._compacted = 0
        """Size of the index after it was compacted last, in bytes."""

    def touch(self, chat_id: int) -> None:
        """Take note that the index of a chat may be out of step."""
        self._indexed.discard(chat_id)
        self._strangers = True

    def check(self) -> None:
        """Bring the index of every chat that was touched in step with the cached vectors."""
        chats = self._spaces.store.choices().keys()
        if chats <= self._indexed and not self._strangers:
            return
        for chat_id in chats - self._indexed:
            self.check_chat(chat_id)
        self.drop_strangers()

    def rebuild(self) -> None:
        """Throw the index away and fill it from the cached vectors; nothing is embedded again."""
        self._index.reset()
        self._indexed.clear()
        self.check()

    def compact(self, progress: Progress, cancel: CancelToken) -> None:
        """Fill a new index beside the present one and put it in its place; nothing is embedded again.

        It may be broken or have grown too large: it is not read. Raises `IndexUnavailable`, `Cancelled`.
        """
        chats = sorted(self._spaces.store.choices())
        total = sum(counts[1] for counts in self._spaces.counts().values())
        stopped: list[Cancelled] = []

        def rows() -> Iterator[tuple[str, str, list[str], npt.NDArray[np.float32]]]:
            done = 0
            for chat_id in chats:
                for embedder in self._spaces.used(chat_id):
                    space, space_id = embedder.space.id, self._spaces.id_of(embedder)
                    keys = sorted(self._chunks.vector_keys(chat_id, space_id).items())
                    for start in range(0, len(keys), INDEXED):
                        part = keys[start : start + INDEXED]
                        vectors = self._vectors.get(space_id, [key for _, key in part])
                        part = [(chunk, key) for chunk, key in part if key in vectors]
                        ids = [index_id(chunk, key) for chunk, key in part]
                        for first in range(0, len(ids), STEP):
                            try:
                                cancel.raise_if_cancelled()
                            except Cancelled as news:
                                stopped.append(news)
                                raise
                            some = part[first : first + STEP]
                            rows = np.stack([vectors[key] for _, key in some])
                            yield owner(chat_id), space, ids[first : first + STEP], rows
                            done += len(some)
                            progress(min(done, total), max(done, total))

        self._indexed.clear()
        try:
            self._index.replace(rows())
        except IndexUnavailable:
            # Chroma's thread tells every failure alike.
            if stopped:
                raise stopped[0] from None
            raise
        self._strangers = True

    def touch_all(self) -> None:
        """Take note that everything must be looked at: the index is at another place, or spaces changed."""
        self._indexed.clear()
        self._strangers = True

    def watch(self, cancel: CancelToken) -> None:
        """Compact the index when it has grown far beyond what its vectors need, or much was deleted."""
        used = self._spaces.counts().values()
        vectors = sum(counts[1] for counts in used)
        size = self._index.size_bytes()
        per_vector = 4 * self._spaces.default().space.dimension + VECTOR_BYTES
        limit = max(SMALL_INDEX, TOO_LARGE * per_vector * vectors, 1.5 * self._compacted)
        deleted = self._spaces.store.count_deleted(self._index.take_deleted())
        if size <= limit and deleted <= max(MANY_DELETED, vectors // 2):
            return
        log.info("the index is compacted: %d MB for %d vectors", size // 1_000_000, vectors)
        try:
            self.compact(lambda _done, _total: None, cancel)
        except IndexUnavailable as error:
            log.warning("vector index: %s; it stays as it is", error)
        except Cancelled:
            return
        self._spaces.store.count_deleted(None)
        self._compacted = self._index.size_bytes()

    def drop_strangers(self) -> None:
        """Take out of the index what no chat remembers any more, and spaces that no chat uses any more."""
        wanted = {
            owner(chat_id): {embedder.space.id for embedder in self._spaces.used(chat_id)}
            for chat_id in self._spaces.store.choices()
        }
        try:
            for stranger, spaces in self._index.owners().items():
                for space in spaces - wanted.get(stranger, set()):
                    self._index.drop(stranger, space)
            self._strangers = False
        except IndexUnavailable as error:
            self._failed(error)

    def check_chat(self, chat_id: int) -> bool:
        """Bring one chat's index in step; returns whether it is."""
        done = True
        for embedder in self._spaces.used(chat_id):
            done = done and self._check_space(chat_id, embedder)
        if done:
            self._indexed.add(chat_id)
        return done

    def _check_space(self, chat_id: int, embedder: Embedder) -> bool:
        space, space_id = embedder.space.id, self._spaces.id_of(embedder)
        keys = self._chunks.vector_keys(chat_id, space_id)
        wanted = {index_id(chunk, key): key for chunk, key in keys.items()}
        try:
            present = self._index.ids(owner(chat_id), space)
            if surplus := sorted(present - wanted.keys()):
                self._index.delete(owner(chat_id), space, surplus)
        except IndexUnavailable as error:
            self._failed(error)
            return False
        missing = sorted(wanted.keys() - present)
        for start in range(0, len(missing), INDEXED):
            part = missing[start : start + INDEXED]
            vectors = self._vectors.get(space_id, [wanted[item] for item in part])
            items = [(item, vectors[wanted[item]]) for item in part if wanted[item] in vectors]
            if not self.put(chat_id, space, items):
                return False
        return True

    def put(self, chat_id: int, space: str, items: list[tuple[str, Vector]]) -> bool:
        """Put vectors of a chat into the index; returns whether that worked."""
        if not items:
            return True
        ids, vectors = zip(*items, strict=True)
        try:
            self._index.upsert(owner(chat_id), space, list(ids), np.stack(vectors))
        except IndexUnavailable as error:
            self._indexed.discard(chat_id)
            self._failed(error)
            return False
        return True

    def _failed(self, error: IndexUnavailable) -> None:
        if error.code == "index_server":
            # Nothing is wrong with what is on it: it is only looked at again.
            log.warning("vector index: %s; recall searches without it meanwhile", error)
            self._indexed.clear()
            self._jobs.submit("check index", lambda _cancel: self.check(), priority=2, delay=RETRY_SECONDS)
            return
        log.warning("vector index: %s; it will be rebuilt from the cached vectors", error)
        self._jobs.submit(
            "rebuild index", lambda _cancel: self.try_rebuild(), priority=2, delay=RETRY_SECONDS
        )

    def try_rebuild(self) -> None:
        """Rebuild the index; recall does without it when that fails."""
        try:
            self.rebuild()
        except IndexUnavailable as error:
            log.warning("vector index: %s; recall searches without it", error)
