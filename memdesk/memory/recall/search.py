"""Finding chunks: candidates from the vector index and by words, exact scores from cached vectors."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.memory.recall.query import Query
from memdesk.memory.recall.ranking import (
    REACH,
    Scored,
    bm25,
    ends_with_question,
    fuse,
    with_context,
    without_names,
)
from memdesk.memory.recall.words import index_text, match_query
from memdesk.store.chunks import Chunk, ChunkStore
from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable
from memdesk.store.vectors import VectorStore

log = logging.getLogger(__name__)

CANDIDATES = 100
WORD_CANDIDATES = 200
"""How many chunks each half (meaning, words) proposes; those in the prompt anyway come on top."""

STRONG = 20
"""So many of each half's best bring the messages around them as candidates: these may be the answer."""

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

    def updated(self, present: dict[int, bytes], vectors: VectorStore, space: int) -> _Matrix:
        """Return a matrix for the chunks that are `present`, reading only the vectors that are new.

        A chunk without a vector has no row; whether it got one is looked up each time.
        """
        unknown = {chunk: key for chunk, key in present.items() if self.keys.get(chunk) != key}
        read = vectors.get(space, list(set(unknown.values()))) if unknown else {}
        fresh = [chunk for chunk, key in unknown.items() if key in read]
        if not fresh and len(present) - len(unknown) == len(self.keys):
            return self
        stay = np.array([present.get(int(chunk)) == self.keys[int(chunk)] for chunk in self.ids], bool)
        ids = np.concatenate([self.ids[stay], np.array(fresh, np.int64)])
        rows = self.rows[stay]
        if fresh:
            rows = np.concatenate([rows, np.array([read[present[chunk]] for chunk in fresh], np.float32)])
        return _Matrix({int(chunk): present[int(chunk)] for chunk in ids}, ids, rows)


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
        self._cache: OrderedDict[tuple[int, int], _Matrix] = OrderedDict()
        self._lock = threading.Lock()

    def search(
        self, chat_id: int, query: Query, turns: Mapping[int, int], in_prompt: frozenset[int] = frozenset()
    ) -> Found:
        """Rank the chunks of a chat for a query; `turns` gives the number of each message by id.

        Chunks whose messages all stand `in_prompt` anyway come last, and lend nobody a scale: the newest
        messages are always what fits the newest messages best.
        """
        space = self._embedder.space
        space_id = self._vectors.space_id(space.id, space.dimension)
        words = self._by_words(chat_id, query)
        dense, warning = self._by_meaning(chat_id, space_id, query, words.keys(), CANDIDATES + len(in_prompt))
        chunks = self._chunks.get_many(list(dense.keys() | words.keys()), space_id)
        chunks = {key: chunk for key, chunk in chunks.items() if chunk.chat_id == chat_id}
        names = {name for chunk in chunks.values() for name in chunk.speakers}
        sent = {key for key, chunk in chunks.items() if in_prompt.issuperset(chunk.source_messages or {0})}
        weigh = self._weigh_words(chat_id, query, names) if words else None
        ranked: list[Scored] = []
        for group in (chunks.keys() - sent, sent):
            held = {key: words[key] for key in group & words.keys()}
            by_words = weigh(held) if weigh else {}
            scored = [
                _scored(chunks[key], turns, dense.get(key, 0.0), by_words.get(key, 0.0)) for key in group
            ]
            ranked += fuse(scored, query.text)
        return Found(ranked, chunks, warning)

    def _by_words(self, chat_id: int, query: Query) -> dict[int, list[str]]:
        """Return the terms of the chunks that hold some of the query's, by chunk id."""
        expression = match_query(query.text)
        if expression is None:
            return {}
        found = self._chunks.search_words(chat_id, expression, WORD_CANDIDATES)
        return {chunk: words.split() for chunk, words in found}

    def _weigh_words(
        self, chat_id: int, query: Query, names: Collection[str]
    ) -> Callable[[Mapping[int, list[str]]], dict[int, float]]:
        """Count how common the query's words are, once, and return what scores chunks by them."""
        asked = without_names(index_text(query.text).split(), names)
        around = without_names(index_text(query.context).split(), names)
        total, frequency = self._chunks.document_frequency(chat_id, [*asked, *around])

        def weigh(words: Mapping[int, list[str]]) -> dict[int, float]:
            return with_context(
                bm25(asked, words, total, frequency), bm25(around, words, total, frequency), words.keys()
            )

        return weigh

    def _by_meaning(
        self, chat_id: int, space_id: int, query: Query, also: Iterable[int], wanted: int
    ) -> tuple[dict[int, float], str]:
        """Return calibrated similarities of the nearest chunks and of those in `also`, by chunk id."""
        matrix = self._matrix(chat_id, space_id) if query.text else _empty(self._embedder.space.dimension)
        if not len(matrix.ids):
            # A vector that has nothing to be compared with is not worth the second that loading costs.
            return {}, "" if self._embedder.available() else "Recall works by words only."
        try:
            vector = self._embedder.embed_query(query.text)
            around = self._embedder.embed_query(query.context) if query.context else None
        except EmbeddingError as error:
            return {}, f"Recall works by words only: {error}"
        chosen, warning = self._candidates(chat_id, matrix, vector, wanted)
        words = list(also)
        chosen.update(words)
        chosen |= self._beside(matrix, vector, chosen, words)
        rows = np.flatnonzero(np.isin(matrix.ids, list(chosen)))
        ids = [int(item) for item in matrix.ids[rows]]
        near = dict(zip(ids, self._similarity(matrix, vector, rows), strict=True))
        beside = {} if around is None else dict(zip(ids, self._similarity(matrix, around, rows), strict=True))
        return with_context(near, beside, ids), warning

    def _candidates(
        self, chat_id: int, matrix: _Matrix, vector: npt.NDArray[np.float32], wanted: int
    ) -> tuple[set[int], str]:
        """Ask the index for the nearest chunks; without it, compare every vector."""
        name, space = owner(chat_id), self._embedder.space.id
        try:
            near = self._index.query(name, space, vector, wanted, timeout=INDEX_TIMEOUT)
            behind = self._index.count(name, space, timeout=INDEX_TIMEOUT) < len(matrix.ids)
        except IndexUnavailable as error:
            # An index that is still opening is no news: the exact search finds the same.
            if error.code == "index_timeout":
                return self._nearest(matrix, vector, wanted), ""
            log.warning("vector index: %s", error)
            warning = "The vector index cannot be used; every vector was compared instead."
            return self._nearest(matrix, vector, wanted), warning
        # For a moment after each message the index is behind, and longer when something went wrong.
        return self._nearest(matrix, vector, wanted) if behind else {
            int(k.split("-")[0]) for k, _ in near
        }, ""

    def _beside(
        self, matrix: _Matrix, vector: npt.NDArray[np.float32], chosen: set[int], words: list[int]
    ) -> set[int]:
        """Return the chunks around the strongest of the chosen ones; `words` come best first."""
        rows = np.flatnonzero(np.isin(matrix.ids, list(chosen)))
        nearest = rows[np.argsort(-(matrix.rows[rows] @ vector))[:STRONG]]
        return self._chunks.beside([*words[:STRONG], *map(int, matrix.ids[nearest])], REACH)

    def _similarity(
        self, matrix: _Matrix, vector: npt.NDArray[np.float32], rows: npt.NDArray[np.intp]
    ) -> list[float]:
        """Return the calibrated similarity of some rows with a vector."""
        cosines = matrix.rows @ vector
        # What a chat's other lines have in common with the query is its noise floor.
        background = float(np.median(cosines)) if len(cosines) >= BACKGROUND_SAMPLE else None
        return [float(value) for value in self._embedder.calibrate(cosines[rows], background)]

    @staticmethod
    def _nearest(matrix: _Matrix, vector: npt.NDArray[np.float32], wanted: int) -> set[int]:
        """Search every cached vector: exact, and needs no index."""
        similarity = matrix.rows @ vector
        top = np.argsort(-similarity)[:wanted]
        return {int(matrix.ids[row]) for row in top}

    def _matrix(self, chat_id: int, space_id: int) -> _Matrix:
        present = self._chunks.keys(chat_id)
        with self._lock:
            matrix = self._cache.pop((chat_id, space_id), None) or _empty(self._embedder.space.dimension)
            matrix = matrix.updated(present, self._vectors, space_id)
            self._cache[chat_id, space_id] = matrix
            while len(self._cache) > CACHED_CHATS:
                self._cache.popitem(last=False)
            return matrix


def _scored(chunk: Chunk, turns: Mapping[int, int], dense: float, words: float) -> Scored:
    turn = turns.get(chunk.source_messages[0]) if chunk.source_messages else None
    return Scored(
        chunk.id,
        turn=turn,
        speakers=chunk.speakers,
        dense=dense,
        words=words,
        time=chunk.first_time.timestamp(),
        asks=ends_with_question(chunk.text),
    )


def owner(chat_id: int) -> str:
    """Return the name under which a chat's vectors stand in the index."""
    return f"chat-{chat_id}"
