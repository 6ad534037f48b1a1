"""The search index: ids and vectors in Chroma, made anew from SQLite whenever something is wrong with it.

No text goes in here, and nothing is lost with it. Chroma 1.5.9 dislikes several clients and several
threads, so one thread of ours owns the only client and everybody else waits for it.
"""

from __future__ import annotations

import gc
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

from memdesk.store.index_client import created, fill, forget_client, open_client, refusing_function
from memdesk.store.index_errors import IndexUnavailable, explain
from memdesk.store.index_server import IndexServer, collection_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

    Rows = tuple[str, str, Sequence[str], NDArray[np.float32]]

Result = TypeVar("Result")

TIMEOUT = 30.0
"""Seconds a call waits; opening Chroma cold was measured at up to 9 s."""
UPSERT_TIMEOUT = 300.0
REPLACE_TIMEOUT = 7200.0
UPSERT_ROWS = 16
"""Rows in one call: Chroma holds Python's lock while it inserts, 25 ms for 16 rows and 6 s for 5,000, and the
window stands still as long. In all, small calls took about a fifth longer."""
RETRY_SECONDS = 30.0
"""A client that would not open is not tried again for this long, nor before `reset`."""
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

    def __init__(
        self,
        folder: Path,
        server: Callable[[], IndexServer | None] = lambda: None,
        installation: Callable[[], str] = lambda: "",
    ) -> None:
        """Use an index in `folder`, or on a `server` under the name of this `installation`.

        Nothing is opened, created or asked for before the first call.
        """
        self.folder = folder
        self._find_server = server
        self._installation = installation
        self._server: IndexServer | None = None
        self._own = ""
        self._disconnect: Callable[[], None] = lambda: None
        self._rebuilding = False
        self._deleted = 0
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
        collection_name(owner, space)
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
            collection = self._collection(self._name(owner, space), create=(owner, space))
            assert collection is not None  # noqa: S101 - it was created
            for part in self._batches(len(ids), UPSERT_ROWS):
                collection.upsert(ids=list(ids[part]), embeddings=rows[part])

        self._call(work, timeout)

    def delete(self, owner: str, space: str, ids: Sequence[str], timeout: float = TIMEOUT) -> None:
        """Remove vectors; unknown ids are ignored."""
        collection_name(owner, space)

        def work() -> None:
            collection = self._collection(self._name(owner, space))
            if collection is not None and ids:
                for part in self._batches(len(ids)):
                    collection.delete(ids=list(ids[part]))
                self._deleted += len(ids)

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
        collection_name(owner, space)
        if self._rebuilding:
            raise IndexUnavailable("index_timeout", "The search index is being rebuilt.")
        row = np.ascontiguousarray(vector, np.float32)
        if row.ndim != 1 or not np.isfinite(row).all():
            raise ValueError(f"a query is one finite vector, got an array of shape {row.shape}")

        def work() -> list[tuple[str, float]]:
            collection = self._collection(self._name(owner, space))
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
        collection_name(owner, space)

        def work() -> set[str]:
            collection = self._collection(self._name(owner, space))
            return set(collection.get(include=[])["ids"]) if collection is not None else set()

        return self._call(work, timeout)

    def count(self, owner: str, space: str, timeout: float = TIMEOUT) -> int:
        """Return how many vectors an owner has in a space."""
        collection_name(owner, space)

        def work() -> int:
            collection = self._collection(self._name(owner, space))
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
        """Return the size of the index on this machine's disk; does not open it."""
        total = 0
        for path in self.folder.rglob("*"):
            try:
                total += path.stat().st_size if path.is_file() else 0
            except OSError:
                continue  # it went away while we looked
        return total

    def take_deleted(self) -> int:
        """Return how many vectors were removed since this was asked last.

        Their room is not given back, and once they are many, neighbours are found less well.
        """
        taken, self._deleted = self._deleted, 0
        return taken

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
            self._find()
            if self._server is None:
                self._remove()
            else:
                for name in self._list():
                    self._opened().delete_collection(name)
            self._opened()
            self._deleted = 0

        self._call(work, timeout)

    def move(self, timeout: float = TIMEOUT) -> None:
        """Close the index and use the place that is chosen now, from the next call on."""

        def work() -> None:
            self._shut()
            self._failed = None

        self._call(work, timeout)

    def replace(self, rows: Iterable[Rows], timeout: float = REPLACE_TIMEOUT) -> None:
        """Fill an index anew with (owner, space, ids, vectors) and put it in the place of the present one.

        The present one is not read, so that it may be broken. It stays until the new one is whole, and a kill
        leaves one of them. Queries meanwhile are refused at once ("index_timeout"). An iterator that raises,
        to cancel, leaves the present index as it was. A server's collections are emptied first instead.
        """

        def work() -> None:
            self._find()
            self._failed = None
            if self._server is not None:
                self._refill_server(rows)
            else:
                self._refill_beside(rows)
            self._deleted = 0

        self._rebuilding = True
        try:
            self._call(work, timeout)
        finally:
            self._rebuilding = False

    def _refill_server(self, rows: Iterable[Rows]) -> None:
        for name in self._list():
            self._collections.pop(name, None)
            self._opened().delete_collection(name)
        for owner, space, ids, vectors in rows:
            collection = self._collection(self._name(owner, space), create=(owner, space))
            assert collection is not None  # noqa: S101 - it was created
            fill(collection, ids, vectors, UPSERT_ROWS)

    def _refill_beside(self, rows: Iterable[Rows]) -> None:
        self._tidy()
        beside = self.folder.with_name(f"{self.folder.name}.new-{uuid.uuid4().hex[:8]}")
        try:
            beside.mkdir(parents=True)
            client = open_client(beside)
            try:
                for owner, space, ids, vectors in rows:
                    collection = created(client, collection_name(owner, space), owner, space)
                    fill(collection, ids, vectors, UPSERT_ROWS)
                    del collection
            finally:
                client.close()  # type: ignore[attr-defined, unused-ignore]
                del client
                forget_client(beside)
            self._shut()
            forget_client(self.folder)
            self._remove(beside)
        except BaseException:
            shutil.rmtree(beside, ignore_errors=True)
            raise

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
                future.set_exception(self._explain(error))
            # Neither the job nor its arrays stay in memory until the next one comes.
            del job, future, work
        self._shut()

    def _explain(self, error: BaseException) -> IndexUnavailable:
        """Say what went wrong; a server that failed is left alone for a while."""
        if self._server is None:
            return explain(error, self.folder)
        explained = self._server.unavailable(error)
        if self._client is not None and not isinstance(error, IndexUnavailable):
            self._shut()
            self._failed = (explained, time.monotonic() + RETRY_SECONDS)
        return explained

    def _find(self) -> None:
        """Learn where the index is; only when it is not open."""
        if self._client is None:
            self._server = self._find_server()
            self._own = self._installation() if self._server is not None else ""

    def _name(self, owner: str, space: str) -> str:
        self._opened()
        return collection_name(owner, space, self._own)

    def _opened(self) -> ClientAPI:
        if self._client is None:
            if self._failed is not None and time.monotonic() < self._failed[1]:
                known = self._failed[0]
                raise IndexUnavailable(known.code, known.message)
            self._find()
            try:
                if self._server is not None:
                    self._client, self._disconnect = self._server.open()
                else:
                    self._tidy()
                    self.folder.mkdir(parents=True, exist_ok=True)
                    self._client = open_client(self.folder)
            except BaseException as error:
                explained = self._explain(error)
                self._failed = (explained, time.monotonic() + RETRY_SECONDS)
                if self._server is None:
                    forget_client(self.folder)
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
        refusing = refusing_function()
        try:
            collection = client.get_collection(name, embedding_function=refusing)
        except NotFoundError:
            if create is None:
                return None
            collection = created(client, name, *create)
        self._collections[name] = collection
        while len(self._collections) > OPENED:
            self._collections.popitem(last=False)
        return collection

    def _list(self) -> dict[str, tuple[str, str]]:
        """Return owner and space of every collection by its name."""
        found = {}
        for collection in self._opened().list_collections():
            if self._own and not collection.name.startswith(f"memdesk-{self._own}-"):
                # Another machine's; on a shared server nothing of it is looked at.
                continue
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
            self._disconnect()
            self._disconnect = lambda: None
        gc.collect()  # Chroma's objects hold each other, and Windows deletes no open file

    def _remove(self, successor: Path | None = None) -> None:
        """Take the present folder away and put `successor` in its place."""
        if self.folder.exists():
            # Renamed first, so that a half-removed folder is never taken for an index.
            self.folder.rename(self.folder.with_name(f"{self.folder.name}.old-{uuid.uuid4().hex[:8]}"))
        if successor is not None:
            successor.rename(self.folder)
        self._tidy()

    def _tidy(self) -> None:
        """Remove what was replaced, and what a kill left half made."""
        for sign in ("old", "new"):
            for rest in self.folder.parent.glob(f"{self.folder.name}.{sign}-*"):
                if rest.is_dir():
                    shutil.rmtree(rest, ignore_errors=True)
                else:
                    rest.unlink(missing_ok=True)
