"""Finding chunks: candidates from the vector index and by words, exact scores from cached vectors."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.memory.recall.ranking import Scored, bm25, fuse
from memdesk.memory.recall.words import match_query, terms
from memdesk.store.chunks import Chunk, ChunkStore
from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable
from memdesk.store.vectors import VectorStore

log = logging.getLogger(__name__)

CANDIDATES = 100
"""How many chunks each half (meaning, words) proposes."""

CACHED_CHATS = 4
"""Chats whose vectors stay in memory; 10,000 chunks of 384 dimensions are 15 MB."""

BACKGROUND_SAMPLE = 30
"""From this many chunks on, their median similarity says what “unrelated” looks like in this chat."""

INDEX_TIMEOUT = 1.0
"""Seconds that a reply waits for the vector index before it searches without it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, best first, with their chunks, and what could not be used."""

    ranked: list[Scored]
    chunks: Mapping[int, Chunk]
    warning: str = ""


@dataclass(frozen=True, slots=True)
class _Matrix:
    """A chat's vectors in memory: row i belongs to chunk `ids[i]`. Never changed, only replaced."""

    keys: Mapping[int, bytes]
    ids: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float32]

    def updated(self, keys: dict[int, bytes], vectors: VectorStore, space: int) -> _Matrix:
        """Return a matrix with the rows of `keys`, reading only what is new."""
        if keys == self.keys:
            return self
        stay = np.array([keys.get(int(chunk)) == self.keys[int(chunk)] for chunk in self.ids], bool)
        read = vectors.get(space, list({key for chunk, key in keys.items() if self.keys.get(chunk) != key}))
        fresh = [chunk for chunk, key in keys.items() if self.keys.get(chunk) != key and key in read]
        ids = np.concatenate([self.ids[stay], np.array(fresh, np.int64)])
        rows = self.rows[stay]
        if fresh:
            rows = np.concatenate([rows, np.array([read[keys[chunk]] for chunk in fresh], np.float32)])
        return _Matrix({int(chunk): keys[int(chunk)] for chunk in ids}, ids, rows)


def _empty(dimension: int) -> _Matrix:
    return _Matrix({}, np.empty(0, np.int64), np.empty((0, dimension), np.float32))


class RecallSearch:
    """Searches the chunks of one chat at a time. Thread-safe."""

    def __init__(
        self, chunks: ChunkStore, vectors: VectorStore, index: VectorIndex, embedder: Embedder
    ) -> None:
        self._chunks = chunks
        self._vectors = vectors
        self._index = index
        self._embedder = embedder
        self._cache: OrderedDict[int, _Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def search(self, chat_id: int, query: str, turns: Mapping[int, int]) -> Found:
        """Rank the chunks of a chat for a query; `turns` gives the number of each message by id."""
        space = self._embedder.space
        space_id = self._vectors.space_id(space.id, space.dimension)
        words, frequency = self._by_words(chat_id, query)
        dense, warning = self._by_meaning(chat_id, space_id, query, list(words))
        by_words = bm25(terms(query), words, *frequency)
        chunks = self._chunks.get_many(list(dense.keys() | words.keys()), space_id)
        scored = [
            Scored(
                chunk_id,
                turn=turns.get(chunk.source_messages[0]) if chunk.source_messages else None,
                speakers=chunk.speakers,
                dense=dense.get(chunk_id, 0.0),
                words=by_words.get(chunk_id, 0.0),
            )
            for chunk_id, chunk in chunks.items()
            if chunk.chat_id == chat_id
        ]
        return Found(fuse(scored, query), chunks, warning)

    def _by_words(self, chat_id: int, query: str) -> tuple[dict[int, list[str]], tuple[int, dict[str, int]]]:
        expression = match_query(query)
        if expression is None:
            return {}, (0, {})
        found = self._chunks.search_words(chat_id, expression, CANDIDATES)
        return {chunk: words.split() for chunk, words in found}, self._chunks.document_frequency(terms(query))

    def _by_meaning(
        self, chat_id: int, space_id: int, query: str, also: list[int]
    ) -> tuple[dict[int, float], str]:
        """Return calibrated similarities of the nearest chunks and of those in `also`, by chunk id."""
        try:
            vector = self._embedder.embed_query(query)
        except EmbeddingError as error:
            return {}, f"Recall works by words only: {error}"
        matrix = self._matrix(chat_id, space_id)
        if not len(matrix.ids):
            return {}, ""
        warning = ""
        try:
            near = self._index.query(
                owner(chat_id), self._embedder.space.id, vector, CANDIDATES, timeout=INDEX_TIMEOUT
            )
            chosen = {int(item.split("-")[0]) for item, _ in near}
            if not chosen:
                chosen = self._nearest(matrix, vector)
        except IndexUnavailable as error:
            chosen = self._nearest(matrix, vector)
            # An index that is still opening is no news: the exact search finds the same.
            if error.code != "index_timeout":
                log.warning("vector index: %s", error)
                warning = "The vector index cannot be used; every vector was compared instead."
        chosen.update(also)
        rows = np.flatnonzero(np.isin(matrix.ids, list(chosen)))
        similarity = matrix.rows @ vector
        # What a chat's other lines have in common with the query is its noise floor.
        background = float(np.median(similarity)) if len(similarity) >= BACKGROUND_SAMPLE else None
        cosines = self._embedder.calibrate(similarity[rows], background)
        return {int(matrix.ids[row]): float(value) for row, value in zip(rows, cosines, strict=True)}, warning

    @staticmethod
    def _nearest(matrix: _Matrix, vector: npt.NDArray[np.float32]) -> set[int]:
        """Search every cached vector: exact, and needs no index."""
        similarity = matrix.rows @ vector
        top = np.argsort(-similarity)[:CANDIDATES]
        return {int(matrix.ids[row]) for row in top}

    def _matrix(self, chat_id: int, space_id: int) -> _Matrix:
        keys = self._chunks.vector_keys(chat_id, space_id)
        with self._lock:
            matrix = self._cache.pop(chat_id, None) or _empty(self._embedder.space.dimension)
            matrix = matrix.updated(keys, self._vectors, space_id)
            self._cache[chat_id] = matrix
            while len(self._cache) > CACHED_CHATS:
                self._cache.popitem(last=False)
            return matrix


def owner(chat_id: int) -> str:
    """Return the name under which a chat's vectors stand in the index."""
    return f"chat-{chat_id}"
