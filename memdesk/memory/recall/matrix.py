"""The vectors of a chat in memory, kept in step with its chunks without reading all of them each time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from memdesk.store.chunks import ChunkStore
from memdesk.store.vectors import VectorStore

CACHED_CHATS = 4
"""Chats whose vectors stay in memory; 10,000 chunks of 384 dimensions are 15 MB."""

SPARE = 1.25
"""How much more room than needed is taken when rows are laid down, so that new ones seldom move the old."""

_LEAST_ROOM = 64


@dataclass(frozen=True, slots=True)
class Matrix:
    """A chat's vectors: row i belongs to chunk `ids[i]`. What one search holds never changes under it."""

    ids: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float32]
    _places: dict[int, int]

    def places(self, chunk_ids: Iterable[int]) -> npt.NDArray[np.intp]:
        """Return the rows of some chunks, in ascending order; a chunk without a vector has none."""
        last = len(self.ids)
        found = (self._places.get(chunk) for chunk in set(chunk_ids))
        return np.array(sorted(row for row in found if row is not None and row < last), np.intp)


@dataclass(slots=True)
class _Held:
    """What is known of a chat's chunks in one space."""

    changes: int
    newest: int = 0
    keys: list[bytes] = field(default_factory=list)
    """The text hash of each row's chunk."""
    places: dict[int, int] = field(default_factory=dict)
    missing: dict[int, bytes] = field(default_factory=dict)
    """Chunks that had no vector when last looked for: it may have come meanwhile."""
    ids: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    rows: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))


class Matrices:
    """The matrices of the chats that were searched last. Thread-safe."""

    def __init__(self, chunks: ChunkStore, vectors: VectorStore) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._held: OrderedDict[tuple[int, int], _Held] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, chat_id: int, space: int, dimension: int) -> Matrix:
        """Return the vectors of a chat's chunks in a space as they are now."""
        with self._lock:
            held = self._held.pop((chat_id, space), None)
            changes = self._chunks.changes(chat_id)
            if held is None or held.changes != changes:
                held = self._reread(held, chat_id, changes, dimension)
            else:
                added = self._chunks.keys(chat_id, above=held.newest)
                held.missing.update(added)
                held.newest = max(added, default=held.newest)
            if held.missing:
                self._fill(held, space)
            self._held[chat_id, space] = held
            while len(self._held) > CACHED_CHATS:
                self._held.popitem(last=False)
            count = len(held.keys)
            return Matrix(held.ids[:count], held.rows[:count], held.places)

    def _reread(self, old: _Held | None, chat_id: int, changes: int, dimension: int) -> _Held:
        """Compare all chunks with what is held; rows of chunks that are as they were are copied."""
        present = self._chunks.keys(chat_id)
        held = _Held(changes, max(present, default=0), rows=np.empty((0, dimension), np.float32))
        stay = []
        if old is not None:
            places = ((chunk, old.places.get(chunk)) for chunk in present)
            stay = [(c, row) for c, row in places if row is not None and old.keys[row] == present[c]]
        if stay and old is not None:
            _reserve(held, len(present))
            chosen = [row for _, row in stay]
            held.ids[: len(stay)] = [chunk for chunk, _ in stay]
            held.rows[: len(stay)] = old.rows[chosen]
            held.keys = [old.keys[row] for row in chosen]
            held.places = {chunk: row for row, (chunk, _) in enumerate(stay)}
        held.missing = {chunk: key for chunk, key in present.items() if chunk not in held.places}
        return held

    def _fill(self, held: _Held, space: int) -> None:
        """Take in the vectors that have come since."""
        read = self._vectors.get(space, list(set(held.missing.values())))
        fresh = [chunk for chunk, key in held.missing.items() if key in read]
        count = len(held.keys)
        _reserve(held, count + len(fresh))
        for row, chunk in enumerate(fresh, start=count):
            key = held.missing.pop(chunk)
            held.ids[row] = chunk
            held.rows[row] = read[key]
            held.places[chunk] = row
            held.keys.append(key)


def _reserve(held: _Held, count: int) -> None:
    """Make room for so many rows; those that searches look at stay where they are."""
    if count <= len(held.rows):
        return
    room = max(_LEAST_ROOM, int(count * SPARE))
    ids = np.empty(room, np.int64)
    rows = np.empty((room, held.rows.shape[1]), np.float32)
    used = len(held.keys)
    ids[:used], rows[:used] = held.ids[:used], held.rows[:used]
    held.ids, held.rows = ids, rows
