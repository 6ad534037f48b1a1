"""Finding chunks of files: by meaning with every vector compared, by words, and both in one score."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.memory.bm25 import bm25
from memdesk.memory.query import Query
from memdesk.memory.words import index_text, match_query
from memdesk.store.attachments import Attachment, AttachmentStore
from memdesk.store.vectors import VectorStore

CANDIDATES = 60
WORD_CANDIDATES = 120
"""How many chunks each half (meaning, words) proposes."""

WEIGHT_DENSE = 0.5
WEIGHT_WORDS = 0.5
CONTEXT_SHARE = 0.25
"""Shares of meaning, of words, and of what surrounds the query; the same as recall's."""

BACKGROUND_SAMPLE = 30
"""From this many vectors on, their median similarity says what “unrelated” looks like."""

HELD_ROWS = 200_000
"""Vectors that stay in memory; 100,000 of 384 numbers are 154 MB."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that may fit a query; `parts` are the parts of its score, each 0–1."""

    chunk_id: int
    score: float
    parts: dict[str, float]


@dataclass(frozen=True, slots=True)
class _Held:
    """The vectors of a file: row i belongs to chunk `ids[i]`."""

    revision: int
    complete: bool
    ids: npt.NDArray[np.int64]
    rows: npt.NDArray[np.float32]


class DataBankSearch:
    """Searches any number of files at once. Thread-safe."""

    def __init__(
        self, store: AttachmentStore, vectors: VectorStore, embedder: Callable[[], Embedder]
    ) -> None:
        self._store = store
        self._vectors = vectors
        self._embedder = embedder
        self._held: OrderedDict[tuple[int, int], _Held] = OrderedDict()
        self._lock = threading.Lock()

    def search(self, files: Sequence[Attachment], query: Query) -> tuple[list[Hit], str]:
        """Return the chunks of files that may fit, best first, and a warning ("" when all is well)."""
        if not files or not query.text:
            return [], ""
        words = self._by_words([file.id for file in files], query)
        dense, warning = self._by_meaning(files, query, list(words))
        hits = []
        for chunk_id in dense.keys() | words.keys():
            parts = {"meaning": dense.get(chunk_id, 0.0), "words": words.get(chunk_id, 0.0)}
            total = WEIGHT_DENSE * parts["meaning"] + WEIGHT_WORDS * parts["words"]
            hits.append(Hit(chunk_id, math.tanh(total), parts))
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id)), warning

    def _by_words(self, file_ids: Sequence[int], query: Query) -> dict[int, float]:
        expression = match_query(query.text)
        if expression is None:
            return {}
        found = self._store.search_words(file_ids, expression, WORD_CANDIDATES)
        documents = {chunk_id: words.split() for chunk_id, words in found.items()}
        asked, around = index_text(query.text).split(), index_text(query.context).split()
        total, frequency = self._store.frequency([*asked, *around])
        return _with_context(
            bm25(asked, documents, total, frequency), bm25(around, documents, total, frequency)
        )

    def _by_meaning(
        self, files: Sequence[Attachment], query: Query, also: Sequence[int]
    ) -> tuple[dict[int, float], str]:
        embedder = self._embedder()
        space = self._vectors.space_id(embedder.space.id, embedder.space.dimension)
        held = [item for item in (self._vectors_of(file, space, embedder) for file in files) if len(item.ids)]
        if not held:
            return {}, "" if embedder.available() else "The Data Bank is searched by words only."
        try:
            vector = embedder.embed_query(query.text)
            around = embedder.embed_query(query.context) if query.context else None
        except EmbeddingError as error:
            return {}, f"The Data Bank is searched by words only: {error}"
        ids = np.concatenate([item.ids for item in held])
        near = self._similar(embedder, held, vector)
        beside = self._similar(embedder, held, around) if around is not None else np.zeros_like(near)
        count = min(len(ids), 2 * CANDIDATES)
        best = np.argpartition(-near, count - 1)[:count]
        chosen = np.union1d(best, np.flatnonzero(np.isin(ids, np.array(also, np.int64))))
        scores: dict[int, float] = {}
        context: dict[int, float] = {}
        for row in chosen:
            # A chunk is as near as its nearest piece.
            chunk_id = int(ids[row])
            scores[chunk_id] = max(scores.get(chunk_id, 0.0), float(near[row]))
            context[chunk_id] = max(context.get(chunk_id, 0.0), float(beside[row]))
        return _with_context(scores, context), ""

    @staticmethod
    def _similar(
        embedder: Embedder, held: Sequence[_Held], vector: npt.NDArray[np.float32]
    ) -> npt.NDArray[np.float32]:
        cosines = np.concatenate([item.rows @ vector for item in held])
        background = float(np.median(cosines)) if len(cosines) >= BACKGROUND_SAMPLE else None
        return np.asarray(embedder.calibrate(cosines, background), np.float32)

    def _vectors_of(self, file: Attachment, space: int, embedder: Embedder) -> _Held:
        key = (file.id, space)
        with self._lock:
            held = self._held.get(key)
            if held is not None and held.complete and held.revision == file.revision:
                self._held.move_to_end(key)
                return held
        rows = list(self._store.vectors(file.id, space))
        there = [(chunk_id, blob) for chunk_id, blob in rows if blob is not None]
        ids = np.array([chunk_id for chunk_id, _ in there], np.int64)
        matrix = np.frombuffer(b"".join(blob for _, blob in there), "<f4")
        matrix = matrix.reshape(len(there), embedder.space.dimension).astype(np.float32)
        held = _Held(file.revision, len(there) == len(rows), ids, matrix)
        with self._lock:
            self._held[key] = held
            while sum(len(item.ids) for item in self._held.values()) > HELD_ROWS and len(self._held) > 1:
                self._held.popitem(last=False)
        return held


def _with_context(scores: Mapping[int, float], context: Mapping[int, float]) -> dict[int, float]:
    return {key: min(1.0, value + CONTEXT_SHARE * context.get(key, 0.0)) for key, value in scores.items()}
