"""Finding chunks: candidates from the vector index and by words, exact scores from cached vectors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.memory.bm25 import bm25
from memdesk.memory.query import QUESTION_TAIL, Query, ends_with_question
from memdesk.memory.recall.matrix import Matrices, Matrix
from memdesk.memory.recall.ranking import (
    REACH,
    Options,
    Scored,
    fuse,
    with_context,
    without_names,
)
from memdesk.memory.words import index_text
from memdesk.store.chunks import ChunkStore, Trait
from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable
from memdesk.store.messages import MessageStore
from memdesk.store.vectors import Vector, VectorStore

log = logging.getLogger(__name__)

CANDIDATES = 60
WORD_CANDIDATES = 120
"""How many chunks each half (meaning, words) proposes; those in the prompt anyway come on top."""

WORD_ROWS = 2000
"""About so many chunks of a chat are ranked by words before the best are taken."""

STRONG = 20
"""So many of each half's best bring the messages around them as candidates: these may be the answer."""

SPACES = 20
"""Characters of white space that may follow a question mark at the end of a chunk."""

BACKGROUND_SAMPLE = 30
"""From this many chunks on, their median similarity says what “unrelated” looks like in this chat."""

INDEX_TIMEOUT = 1.0
"""Seconds that a reply waits for the vector index before it searches without it."""


@dataclass(frozen=True, slots=True)
class Found:
    """Candidates, best first, those that are `in_prompt` anyway last; and what could not be used."""

    ranked: list[Scored]
    turns: Mapping[int, int]
    """The numbers of the messages that they come from, by id; a message that is gone has none."""
    in_prompt: frozenset[int]
    """Ids of the chunks whose messages all stand in the prompt."""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a query means: its vector and that of its surroundings, and which chunks are nearest to it."""

    vector: Vector
    around: Vector | None
    nearest: frozenset[int]
    warning: str


class RecallSearch:
    """Searches the chunks of one chat at a time. Thread-safe."""

    def __init__(
        self,
        messages: MessageStore,
        chunks: ChunkStore,
        vectors: VectorStore,
        index: VectorIndex,
        embedder: Embedder,
    ) -> None:
        self._messages = messages
        self._chunks = chunks
        self._vectors = vectors
        self._index = index
        self._embedder = embedder
        self._matrices = Matrices(chunks, vectors)

    def search(
        self,
        chat_id: int,
        query: Query,
        in_prompt: frozenset[int] = frozenset(),
        options: Options | None = None,
    ) -> Found:
        """Rank the chunks of a chat for a query.

        Chunks whose messages all stand `in_prompt` anyway come last, and lend nobody a scale: the newest
        messages are always what fits the newest messages best.
        """
        matrix = self._matrix(chat_id) if query.text else None
        meaning: _Meaning | None = None
        warning = ""
        # The embedder and the index work beside the database, and both let Python go on: two cores, one wait.
        with _beside(lambda: self._ask_meaning(chat_id, matrix, query, CANDIDATES + len(in_prompt))) as asked:
            words = self._by_words(chat_id, query)
            frequency = self._frequency(chat_id, query) if words else (0, {})
            try:
                meaning = asked.result()
            except EmbeddingError as error:
                warning = f"Recall works by words only: {error}"
        dense: dict[int, float] = {}
        if meaning is not None and matrix is not None:
            dense, warning = self._by_meaning(matrix, meaning, list(words)), meaning.warning
        elif not warning and not self._embedder.available():
            warning = "Recall works by words only."
        return self._rank(chat_id, query, in_prompt, words, frequency, dense, warning, options)

    def _rank(
        self,
        chat_id: int,
        query: Query,
        in_prompt: frozenset[int],
        words: Mapping[int, list[str]],
        frequency: tuple[int, Mapping[str, int]],
        dense: Mapping[int, float],
        warning: str,
        options: Options | None,
    ) -> Found:
        traits = {
            trait.id: trait
            for trait in self._chunks.traits(chat_id, dense.keys() | words.keys(), QUESTION_TAIL + SPACES)
        }
        turns = self._messages.numbers(
            chat_id, {source for trait in traits.values() for source in trait.source_messages}
        )
        names = {name for trait in traits.values() for name in trait.speakers}
        asked = without_names(index_text(query.text).split(), names)
        around = without_names(index_text(query.context).split(), names)
        sent = {key for key, trait in traits.items() if in_prompt.issuperset(trait.source_messages or {0})}
        ranked: list[Scored] = []
        for group in (traits.keys() - sent, sent):
            held = {key: words[key] for key in group & words.keys()}
            by_words = with_context(bm25(asked, held, *frequency), bm25(around, held, *frequency), held)
            scored = [
                _scored(traits[key], turns, dense.get(key, 0.0), by_words.get(key, 0.0)) for key in group
            ]
            ranked += fuse(scored, query.text, options, by_words=not dense)
        return Found(ranked, turns, frozenset(sent), warning)

    def _by_words(self, chat_id: int, query: Query) -> dict[int, list[str]]:
        """Return the terms of the chunks that hold some of the query's, by chunk id."""
        asked = self._chunks.rarest(chat_id, index_text(query.text).split(), WORD_ROWS)
        if not asked:
            return {}
        expression = " OR ".join(f'"{term}"' for term in asked)
        found = self._chunks.search_words(chat_id, expression, WORD_CANDIDATES)
        return {chunk: words.split() for chunk, words in found}

    def _frequency(self, chat_id: int, query: Query) -> tuple[int, Mapping[str, int]]:
        """Return the number of chunks of the chat, and how many hold each of the query's terms."""
        return self._chunks.document_frequency(chat_id, index_text(f"{query.text}\n{query.context}").split())

    def _ask_meaning(self, chat_id: int, matrix: Matrix | None, query: Query, wanted: int) -> _Meaning | None:
        """Embed a query and ask for the nearest chunks; None when there is nothing to compare it with.

        Raises `EmbeddingError`. Touches no database: it runs on a thread that has no connection.
        """
        if matrix is None or not len(matrix.ids):
            # A vector that has nothing to be compared with is not worth the second that loading costs.
            return None
        vector = self._embedder.embed_query(query.text)
        around = self._embedder.embed_query(query.context) if query.context else None
        nearest, warning = self._candidates(chat_id, matrix, vector, wanted)
        return _Meaning(vector, around, frozenset(nearest), warning)

    def _by_meaning(self, matrix: Matrix, meaning: _Meaning, words: list[int]) -> dict[int, float]:
        """Return calibrated similarities of the nearest chunks and of those in `words`, by chunk id.

        `words` come best first. The strongest of both bring the chunks of the messages around them.
        """
        cosines = matrix.rows @ meaning.vector
        rows = matrix.places(meaning.nearest.union(words))
        strongest = rows[np.argsort(-cosines[rows])[:STRONG]]
        around = self._chunks.beside([*words[:STRONG], *map(int, matrix.ids[strongest])], REACH)
        rows = np.union1d(rows, matrix.places(around))
        ids = [int(item) for item in matrix.ids[rows]]
        near = dict(zip(ids, self._similarity(cosines, rows), strict=True))
        beside: dict[int, float] = {}
        if meaning.around is not None:
            beside = dict(zip(ids, self._similarity(matrix.rows @ meaning.around, rows), strict=True))
        return with_context(near, beside, ids)

    def _candidates(self, chat_id: int, matrix: Matrix, vector: Vector, wanted: int) -> tuple[set[int], str]:
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

    def _similarity(self, cosines: Vector, rows: npt.NDArray[np.intp]) -> list[float]:
        """Return the calibrated similarity of some rows, of the cosines of all."""
        # What a chat's other lines have in common with the query is its noise floor.
        background = float(np.median(cosines)) if len(cosines) >= BACKGROUND_SAMPLE else None
        return [float(value) for value in self._embedder.calibrate(cosines[rows], background)]

    @staticmethod
    def _nearest(matrix: Matrix, vector: Vector, wanted: int) -> set[int]:
        """Search every cached vector: exact, and needs no index."""
        similarity = matrix.rows @ vector
        top = np.argsort(-similarity)[:wanted]
        return {int(matrix.ids[row]) for row in top}

    def _matrix(self, chat_id: int) -> Matrix:
        space = self._embedder.space
        return self._matrices.get(chat_id, self._vectors.space_id(space.id, space.dimension), space.dimension)


@contextmanager
def _beside(work: Callable[[], _Meaning | None]) -> Iterator[Future[_Meaning | None]]:
    """Run `work` on a thread of its own while the block runs; when the block ends, so has the work."""
    future: Future[_Meaning | None] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 — raised again where the result is taken
            future.set_exception(error)

    thread = threading.Thread(target=run, name="memdesk-query", daemon=True)
    thread.start()
    try:
        yield future
    finally:
        thread.join()


def _scored(chunk: Trait, turns: Mapping[int, int], dense: float, words: float) -> Scored:
    numbers = [turns[source] for source in chunk.source_messages if source in turns]
    return Scored(
        chunk.id,
        turn=min(numbers, default=None),
        last=max(numbers, default=None),
        speakers=chunk.speakers,
        dense=dense,
        words=words,
        time=chunk.time,
        asks=ends_with_question(chunk.end),
    )


def owner(chat_id: int) -> str:
    """Return the name under which a chat's vectors stand in the index."""
    return f"chat-{chat_id}"
