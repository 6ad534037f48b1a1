"""The search index: ids and vectors in Chroma, made anew from SQLite whenever something is wrong with it.

No text goes in here, and nothing is lost with it. Chroma 1.5.9 dislikes several clients and several
threads, so one thread of ours owns the only client and everybody else waits for it.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import queue
import shutil
import threading
import time
import uuid
from collections import OrderedDict
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from memdesk.store.index_errors import IndexUnavailable, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

Result = TypeVar("Result")

TIMEOUT = 30.0
"""Seconds a call waits; opening Chroma cold was measured at up to 9 s."""
UPSERT_TIMEOUT = 300.0
UPSERT_ROWS = 16
"""Rows in one call: Chroma holds Python's lock while it inserts, 25 ms for 16 rows and 6 s for 5,000, and the
window stands still as long. In all, small calls took about a fifth longer."""
RETRY_SECONDS = 30.0
"""A client that would not open is not tried again for this long, nor before `reset`."""
EF_SEARCH = 256
"""Candidates looked at per query. Chroma's 100 finds 99.5 % of the true ten nearest on real text; more is
cheap at our sizes (about 1 ms at 10,000 rows)."""
OPENED = 64
"""Collections kept opened."""


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """What `VectorIndex.health` found; `code` and `message` are "" when all is well."""

    ok: bool
    code: str
    message: str
    collections: int
    vectors: int
    size_bytes: int


class VectorIndex:
    """Vectors by owner ("chat:12") and embedding space, searchable by cosine.

    Methods may be called from any thread; they raise IndexUnavailable when the index cannot be used or
    does not answer within `timeout` seconds, and ValueError for arguments that make no sense.
    """

    def __init__(self, folder: Path) -> None:
        """Use an index in `folder`; nothing is opened or created before the first call."""
        self.folder = folder
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._state = threading.Lock()
        self._closed = False
        # Only the thread touches these.
        self._client: ClientAPI | None = None
        self._collections: OrderedDict[str, Collection] = OrderedDict()
        self._failed: tuple[IndexUnavailable, float] | None = None

    def upsert(
        self,
        owner: str,
        space: str,
        ids: Sequence[str],
        vectors: NDArray[np.float32],
        timeout: float = UPSERT_TIMEOUT,
    ) -> None:
        """Add or replace vectors [ids, dimension]; any number at once."""
        name = _collection_name(owner, space)
        rows = np.ascontiguousarray(vectors, np.float32)
        if rows.ndim != 2 or len(rows) != len(ids):
            raise ValueError(f"{len(ids)} ids need as many vectors, got an array of shape {rows.shape}")
        if len(set(ids)) != len(ids) or not all(ids):
            raise ValueError("ids must be different and not empty")
        if not np.isfinite(rows).all():
            raise ValueError("vectors must be finite")
        if not ids:
            return

        def work() -> None:
            collection = self._collection(name, create=(owner, space))
            assert collection is not None  # noqa: S101 - it was created
            for part in self._batches(len(ids), UPSERT_ROWS):
                collection.upsert(ids=list(ids[part]), embeddings=rows[part])

        self._call(work, timeout)

    def delete(self, owner: str, space: str, ids: Sequence[str], timeout: float = TIMEOUT) -> None:
        """Remove vectors; unknown ids are ignored."""
        name = _collection_name(owner, space)

        def work() -> None:
            collection = self._collection(name)
            if collection is not None and ids:
                for part in self._batches(len(ids)):
                    collection.delete(ids=list(ids[part]))

        self._call(work, timeout)

    def drop(self, owner: str, space: str | None = None, timeout: float = TIMEOUT) -> None:
        """Remove all vectors of an owner, in one space or in every one."""

        def work() -> None:
            for name, found in self._list().items():
                if found[0] == owner and space in (None, found[1]):
                    self._collections.pop(name, None)
                    self._opened().delete_collection(name)

        self._call(work, timeout)

    def query(
        self, owner: str, space: str, vector: NDArray[np.float32], k: int, timeout: float = TIMEOUT
    ) -> list[tuple[str, float]]:
        """Return up to `k` ids with their cosines (-1 to 1), nearest first; [] for an unknown owner."""
        name = _collection_name(owner, space)
        row = np.ascontiguousarray(vector, np.float32)
        if row.ndim != 1 or not np.isfinite(row).all():
            raise ValueError(f"a query is one finite vector, got an array of shape {row.shape}")

        def work() -> list[tuple[str, float]]:
            collection = self._collection(name)
            rows = min(k, collection.count()) if collection is not None else 0
            if collection is None or rows < 1:
                return []
            found = collection.query(query_embeddings=[row], n_results=rows, include=["distances"])
            distances = found["distances"] or [[]]
            return [
                (str(key), 1.0 - float(distance))
                for key, distance in zip(found["ids"][0], distances[0], strict=True)
            ]

        return self._call(work, timeout)

    def ids(self, owner: str, space: str, timeout: float = TIMEOUT) -> set[str]:
        """Return all ids of an owner in a space."""
        name = _collection_name(owner, space)

        def work() -> set[str]:
            collection = self._collection(name)
            return set(collection.get(include=[])["ids"]) if collection is not None else set()

        return self._call(work, timeout)

    def count(self, owner: str, space: str, timeout: float = TIMEOUT) -> int:
        """Return how many vectors an owner has in a space."""
        name = _collection_name(owner, space)

        def work() -> int:
            collection = self._collection(name)
            return int(collection.count()) if collection is not None else 0

        return self._call(work, timeout)

    def owners(self, timeout: float = TIMEOUT) -> dict[str, set[str]]:
        """Return every owner in the index with its spaces."""

        def work() -> dict[str, set[str]]:
            spaces: dict[str, set[str]] = {}
            for owner, space in self._list().values():
                spaces.setdefault(owner, set()).add(space)
            return spaces

        return self._call(work, timeout)

    def size_bytes(self) -> int:
        """Return the size of the index on disk; does not open it."""
        total = 0
        for path in self.folder.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except OSError:
                continue  # it went away while we looked
        return total

    def health(self, timeout: float = TIMEOUT) -> IndexHealth:
        """Open the index, read every collection's size, and say what is wrong instead of raising."""

        def work() -> tuple[int, int]:
            names = self._list()
            counts = [collection.count() for name in names if (collection := self._collection(name))]
            return len(names), sum(counts)

        try:
            collections, vectors = self._call(work, timeout)
        except IndexUnavailable as error:
            return IndexHealth(False, error.code, error.message, 0, 0, self.size_bytes())
        return IndexHealth(True, "", "", collections, vectors, self.size_bytes())

    def reset(self, timeout: float = TIMEOUT) -> None:
        """Remove the whole index, whatever state it is in, and begin an empty one."""

        def work() -> None:
            self._shut()
            self._failed = None
            self._remove()
            self._opened()

        self._call(work, timeout)

    def close(self, timeout: float = TIMEOUT) -> None:
        """Close the index and end its thread; later calls raise IndexUnavailable "index_closed"."""
        with self._state:
            thread, self._closed = self._thread, True
            self._thread = None
        if thread is not None:
            self._jobs.put(None)
            thread.join(timeout)

    def _call(self, work: Callable[[], Result], timeout: float) -> Result:
        future: Future[Result] = Future()
        with self._state:
            if self._closed:
                raise IndexUnavailable("index_closed", "The search index is closed.")
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="memdesk-index", daemon=True)
                self._thread.start()
            self._jobs.put((future, work))
        try:
            return future.result(timeout)
        except (TimeoutError, CancelledError) as error:
            future.cancel()
            raise IndexUnavailable(
                "index_timeout", f"The search index did not answer within {timeout:g} seconds."
            ) from error

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, work = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # noqa: BLE001 - a panic in Chroma's Rust part is not an Exception
                future.set_exception(explain(error, self.folder))
            # Neither the job nor its arrays stay in memory until the next one comes.
            del job, future, work
        self._shut()

    def _opened(self) -> ClientAPI:
        if self._client is None:
            if self._failed is not None and time.monotonic() < self._failed[1]:
                known = self._failed[0]
                raise IndexUnavailable(known.code, known.message)
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
                self._client = _open_client(self.folder)
            except BaseException as error:
                explained = explain(error, self.folder)
                self._failed = (explained, time.monotonic() + RETRY_SECONDS)
                _forget_client(self.folder)
                raise explained from error
            self._failed = None
        return self._client

    def _collection(self, name: str, create: tuple[str, str] | None = None) -> Collection | None:
        """Return a collection by name, None if there is none and it shall not be created."""
        known = self._collections.get(name)
        if known is not None:
            self._collections.move_to_end(name)
            return known
        from chromadb.errors import NotFoundError  # noqa: PLC0415 - slow to import

        client = self._opened()
        refusing = _refusing_function()
        try:
            collection = client.get_collection(name, embedding_function=refusing)
        except NotFoundError:
            if create is None:
                return None
            collection = client.create_collection(
                name,
                embedding_function=refusing,
                metadata={"owner": create[0], "space": create[1]},
                configuration={"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
            )
        self._collections[name] = collection
        while len(self._collections) > OPENED:
            self._collections.popitem(last=False)
        return collection

    def _list(self) -> dict[str, tuple[str, str]]:
        """Return owner and space of every collection by its name."""
        found = {}
        for collection in self._opened().list_collections():
            metadata = collection.metadata or {}
            found[collection.name] = (str(metadata.get("owner", "")), str(metadata.get("space", "")))
        return found

    def _batches(self, rows: int, most: int | None = None) -> Iterator[slice]:
        size = min(self._opened().get_max_batch_size(), most or rows)
        for start in range(0, rows, size):
            yield slice(start, start + size)

    def _shut(self) -> None:
        self._collections.clear()
        if self._client is not None:
            client, self._client = self._client, None
            client.close()  # type: ignore[attr-defined, unused-ignore]
            del client
        gc.collect()  # Chroma's objects hold each other, and Windows deletes no open file

    def _remove(self) -> None:
        if not self.folder.exists():
            return
        # Renamed first, so that a half-removed folder is never taken for an index.
        beside = self.folder.with_name(f"{self.folder.name}.old-{uuid.uuid4().hex[:8]}")
        self.folder.rename(beside)
        for old in self.folder.parent.glob(f"{self.folder.name}.old-*"):
            if old.is_dir():
                shutil.rmtree(old, ignore_errors=True)
            else:
                old.unlink(missing_ok=True)


def _collection_name(owner: str, space: str) -> str:
    """Return a name Chroma accepts for any owner and space, the same every time."""
    if not owner or not space or not (owner + space).isascii():
        raise ValueError(f"owner and space must be ASCII and not empty, got {owner!r} and {space!r}")
    digest = hashlib.blake2b(f"{owner}\x00{space}".encode("ascii"), digest_size=20).hexdigest()
    return f"v-{digest}"


def _open_client(folder: Path) -> ClientAPI:
    import chromadb  # noqa: PLC0415 - slow to import
    from chromadb.config import Settings  # noqa: PLC0415

    # A stray .env file in the working directory must not reconfigure the index.
    settings = Settings(_env_file=None, anonymized_telemetry=False)  # type: ignore[call-arg, unused-ignore]
    client: ClientAPI = chromadb.PersistentClient(path=str(folder), settings=settings)
    return client


def _forget_client(folder: Path) -> None:
    """Drop a client that failed to open: Chroma keeps it, and would hand it out at the next try."""
    try:
        from chromadb.api.shared_system_client import SharedSystemClient  # noqa: PLC0415 - slow to import
    except ImportError:
        return
    SharedSystemClient._identifier_to_system.pop(str(folder), None)  # noqa: SLF001 - no public way
    gc.collect()


@functools.cache
def _refusing_function() -> Any:  # noqa: ANN401 - a class of Chroma, imported lazily
    """Return an embedding function that refuses: Chroma's own would download a model."""
    from chromadb.api.types import EmbeddingFunction  # noqa: PLC0415 - slow to import
    from chromadb.utils.embedding_functions import register_embedding_function  # noqa: PLC0415

    class Refusing(EmbeddingFunction[Any]):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            pass

        def __call__(self, input: Any) -> Any:  # noqa: A002, ANN401, ARG002 - as Chroma calls it
            raise RuntimeError("memdesk gives vectors to Chroma, never text")

        @staticmethod
        def name() -> str:
            return "memdesk-refusing"

        def get_config(self) -> dict[str, Any]:
            return {}

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> Any:  # noqa: ANN401, ARG004 - as Chroma calls it
            return Refusing()

    # Known by name, it is found again when a collection is opened after a restart, without a warning.
    register_embedding_function(Refusing)
    return Refusing()
