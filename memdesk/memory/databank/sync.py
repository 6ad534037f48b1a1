"""Vectors for files, made in the background; text that was embedded once is never embedded again."""

from __future__ import annotations

import logging
from collections.abc import Callable

from memdesk.chats.changes import Change, ChangeKind
from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.store.attachments import AttachmentStore
from memdesk.store.chunks import ChunkStatus
from memdesk.store.vectors import VectorStore
from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import Jobs

log = logging.getLogger(__name__)

BATCH = 16
"""Pieces that are embedded at once."""

RETRY_SECONDS = 30.0
TOLD_EVERY = 8
"""Batches between two announcements."""


class DataBankSync:
    """Gives the pieces of files their vectors. Every method may be called again safely."""

    def __init__(
        self,
        *,
        store: AttachmentStore,
        vectors: VectorStore,
        embedder: Callable[[], Embedder],
        jobs: Jobs,
        notify: Callable[[Change], None],
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._embedder = embedder
        self._jobs = jobs
        self._notify = notify
        self._made = 0
        self.failure = ""
        """Why embedding failed last, "" when it did not."""

    def queue(self, delay: float = 0.0) -> None:
        """Embed what waits, after more urgent work."""
        self._jobs.submit("embed files", self._job, priority=1, delay=delay)

    def _job(self, cancel: CancelToken) -> None:
        if cancel.cancelled:
            return
        try:
            made = self._batch()
        except EmbeddingError as error:
            if self.failure != str(error):
                log.warning("embedding files: %s", error)
                self.failure = str(error)
                self._announce()
            self.queue(RETRY_SECONDS)
            return
        self._made += bool(made)
        if self._made and (not made or self._made % TOLD_EVERY == 0):
            self._announce()
        if made:
            self.queue()
        else:
            self._made = 0

    def sync(self, progress: Callable[[int, int], None], cancel: CancelToken) -> None:
        """Embed everything that waits, now; raises `EmbeddingError`, `Cancelled`."""
        total = sum(pieces - embedded for pieces, embedded in self._store.counts(self._space()).values())
        done = 0
        while made := self._batch():
            done += made
            progress(min(done, total), total)
            cancel.raise_if_cancelled()
        if done:
            self._announce()

    def statuses(self) -> dict[int, tuple[ChunkStatus, int, int]]:
        """Return (status, pieces, pieces with a vector) by file."""
        available = not self.failure and self._embedder().available()
        waits = ChunkStatus.WAITING if available else ChunkStatus.UNAVAILABLE
        return {
            file: (ChunkStatus.VECTORIZED if embedded >= pieces else waits, pieces, embedded)
            for file, (pieces, embedded) in self._store.counts(self._space()).items()
        }

    def _space(self) -> int:
        space = self._embedder().space
        return self._vectors.space_id(space.id, space.dimension)

    def _batch(self) -> int:
        waiting = self._store.waiting(self._space(), BATCH)
        if waiting:
            vectors = self._embedder().embed_passages(list(waiting.values()))
            self._vectors.put(self._space(), zip(waiting, vectors, strict=True))
            self.failure = ""
        return len(waiting)

    def _announce(self) -> None:
        self._notify(Change(ChangeKind.FILES_CHANGED))
