"""Finding messages again, in one chat or in all: by their words, or by what they mean."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from memdesk.chats.changes import Change
from memdesk.chats.finding import Query, index_words, read_query, snippet
from memdesk.chats.model import Role
from memdesk.embedding.base import Embedder
from memdesk.store.chunks import ChunkStore
from memdesk.store.message_words import (
    FoundRow,
    MessageWordStore,
    Rows,
    Unindexed,
    chats_of,
    messages_of,
    row_of,
)
from memdesk.store.messages import MessageStore
from memdesk.store.vectors import VectorStore
from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import Jobs

log = logging.getLogger(__name__)

PAGE = 20
"""Messages of a chat that are shown before one asks for more."""

FIRST_HITS = 5
"""Messages of each chat that are shown at first when all chats are searched."""

MOST_GROUPS = 30
"""Chats that are shown at first."""

READ_NOW = 300
"""So many messages that are not indexed yet are read during a search; beyond them it says what is missing."""

NEAREST = 100
"""Messages that a search by meaning finds at most."""

LEAST_SIMILAR = 0.25
"""Calibrated similarity below which a message means something else; as in recall."""

_BATCH = 100
"""Messages that are indexed in one transaction."""

_SLICE_SECONDS = 0.3
"""How long the index works before other work has its turn."""

_DELAY = 0.5
"""Seconds after a change before the index takes it in; a search reads what is not in it yet."""

_VECTORS = 4_000
"""Vectors that are compared at a time; 6 MB."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A message that was found. `marks` are places in the snippet; `score` is None for words."""

    message_id: int
    chat_id: int
    role: Role
    name: str
    created_at: datetime
    hidden: bool
    snippet: str
    marks: tuple[tuple[int, int], ...]
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """What was found in one chat: the first hits of `total`."""

    chat_id: int
    title: str
    total: int
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. `missing` messages could not be looked at yet; `chats` more have hits."""

    query: str
    groups: tuple[Group, ...] = ()
    total: int = 0
    chats: int = 0
    missing: int = 0
    blank: bool = False
    """Whether the query has no word in it"""


@dataclass(frozen=True, slots=True)
class InChat:
    """The messages of one chat that were found, as (message id, number): by number, or the nearest first."""

    query: Query
    places: tuple[tuple[int, int], ...] = ()
    missing: int = 0


class Finder:
    """Searches messages, and keeps the index of their words in step. Thread-safe; every method blocks."""

    def __init__(
        self,
        *,
        words: MessageWordStore,
        messages: MessageStore,
        chunks: ChunkStore,
        vectors: VectorStore,
        embedder: Callable[[], Embedder],
        jobs: Jobs,
    ) -> None:
        self._words = words
        self._messages = messages
        self._chunks = chunks
        self._vectors = vectors
        self._embedder = embedder
        self._jobs = jobs
        self._behind = False

    # ── searching ────────────────────────────────────────────────────────────────────────────────────

    def in_chat(self, chat_id: int, text: str, *, meaning: bool = False) -> InChat:
        """Find all places in a chat. Raises `EmbeddingError` when meaning cannot be compared."""
        query = read_query(text)
        if meaning:
            nearest, missing = self._nearest(query, chat_id)
            numbers = {item: number for number, item in enumerate(self._messages.ids(chat_id), 1)}
            places = [(row.message_id, numbers.get(row.message_id, 0)) for row, _score, _text in nearest]
            return InChat(query, tuple(place for place in places if place[1]), missing)
        found, missing = self._by_words(query, chat_id)
        if not len(found):
            return InChat(query, (), missing)
        ids = set(messages_of(found))
        numbered = enumerate(self._messages.ids(chat_id), 1)
        return InChat(query, tuple((item, number) for number, item in numbered if item in ids), missing)

    def search(self, text: str, *, chat_id: int | None = None, meaning: bool = False, skip: int = 0) -> Found:
        """Find messages in all chats, or in one, grouped by chat; the first `skip` chats are left out.

        By words the chats with the newest hits come first, and in each the newest hit; by meaning the
        nearest ones.
        Raises `EmbeddingError` when meaning cannot be compared.
        """
        query = read_query(text)
        if meaning:
            return self._search_meaning(query, chat_id)
        if query.expression is None:
            return Found(query.text, blank=True)
        found, missing = self._by_words(query, chat_id)
        titles = self._words.standing_chats()
        # Rows are sorted, so those of one chat stand together.
        chats, starts, counts = np.unique(chats_of(found), return_index=True, return_counts=True)
        pieces = {
            int(chat): found[start : start + count]
            for chat, start, count in zip(chats, starts, counts, strict=True)
            if int(chat) in titles
        }
        order = sorted(pieces, key=lambda chat: -messages_of(pieces[chat][-1:])[0])
        most = FIRST_HITS if chat_id is None else PAGE
        page = order[skip : skip + MOST_GROUPS]
        shown = {chat: messages_of(pieces[chat][-most:][::-1]) for chat in page}
        rows = self._words.rows([item for ids in shown.values() for item in ids])
        groups = [
            Group(chat, titles[chat], len(pieces[chat]), self._hits(shown[chat], rows, query))
            for chat in page
        ]
        return Found(
            query.text,
            tuple(groups),
            sum(map(len, pieces.values())),
            max(0, len(order) - skip - MOST_GROUPS),
            missing,
        )

    def more(self, text: str, chat_id: int, after: int, count: int = PAGE) -> tuple[Hit, ...]:
        """Return the next hits by words in a chat, after the first `after` of them, newest first."""
        query = read_query(text)
        found, _missing = self._by_words(query, chat_id)
        ids = messages_of(found[::-1][after : after + count])
        return self._hits(ids, self._words.rows(ids), query)

    def _by_words(self, query: Query, chat_id: int | None) -> tuple[Rows, int]:
        """Return the rows of what fits, and how many messages were not looked at."""
        if query.expression is None:
            return np.empty(0, np.int64), 0
        with self._words.snapshot():
            found = self._words.matches(query.expression, chat_id)
            changed = self._words.changed()
            if len(changed):
                found = found[~np.isin(found, changed)]
            fresh = self._words.unindexed(READ_NOW, chat_id)
            fits = [row_of(chat, message) for chat, message, text in fresh if query.matches(text)]
            if fits:
                found = np.unique(np.concatenate([found, np.array(fits, np.int64)]))
            if len(fresh) < READ_NOW:
                return found, 0
            return found, max(0, self._words.unindexed_count(chat_id) - READ_NOW)

    @staticmethod
    def _hits(ids: Iterable[int], rows: dict[int, FoundRow], query: Query) -> tuple[Hit, ...]:
        return tuple(_hit(rows[item], query) for item in ids if item in rows)

    # ── meaning ──────────────────────────────────────────────────────────────────────────────────────

    def _search_meaning(self, query: Query, chat_id: int | None) -> Found:
        if not query.text:
            return Found("", blank=True)
        nearest, missing = self._nearest(query, chat_id)
        titles = self._words.standing_chats()
        by_chat: dict[int, list[Hit]] = {}
        for row, score, text in nearest:
            if row.chat_id in titles:
                by_chat.setdefault(row.chat_id, []).append(_hit(row, query, score, text))
        groups = [Group(chat, titles[chat], len(hits), tuple(hits)) for chat, hits in by_chat.items()]
        return Found(query.text, tuple(groups), sum(map(len, by_chat.values())), 0, missing)

    def _nearest(self, query: Query, chat_id: int | None) -> tuple[list[tuple[FoundRow, float, str]], int]:
        """Return (message, similarity, remembered text), nearest first, and how much has no vector yet."""
        if not query.text:
            return [], 0
        embedder = self._embedder()
        space = self._vectors.space_id(embedder.space.id, embedder.space.dimension)
        vector = embedder.embed_query(query.text)
        ids: list[int] = []
        parts = []
        for chunk_ids, rows in self._vectors.remembered(space, chat_id, _VECTORS):
            ids += chunk_ids
            parts.append(rows @ vector)
        counts = self._chunks.counts(space, chat_id).values()
        missing = sum(total - ready for total, ready, _tokens in counts)
        if not ids:
            return [], missing
        cosines = np.concatenate(parts)
        # Several memories may be of one message.
        best = np.argsort(-cosines)[: 3 * NEAREST]
        similar = embedder.calibrate(cosines[best], float(np.median(cosines)) if len(ids) >= 30 else None)
        chunks = self._chunks.get_many([ids[place] for place in best], space)
        scores = {ids[place]: float(score) for place, score in zip(best, similar, strict=True)}
        sources = [item for chunk in chunks.values() for item in chunk.source_messages]
        standing = self._words.rows(sources) if sources else {}
        nearest: dict[int, tuple[FoundRow, float, str]] = {}
        for chunk_id, score in scores.items():
            chunk = chunks.get(chunk_id)
            if chunk is None or score < LEAST_SIMILAR:
                continue
            row = next((standing[item] for item in chunk.source_messages if item in standing), None)
            if row is not None and row.message_id not in nearest and len(nearest) < NEAREST:
                nearest[row.message_id] = (row, score, chunk.text)
        return list(nearest.values()), missing

    # ── the index ────────────────────────────────────────────────────────────────────────────────────

    def observe(self, _change: Change) -> None:
        """Take in what changed, in a moment."""
        self.queue(_DELAY)

    def queue(self, delay: float = 0.0) -> None:
        """Bring the index in step in the background; what a last run left is taken up again."""
        self._jobs.submit("index words", self._index_job, priority=1, delay=delay)

    def _index_job(self, cancel: CancelToken) -> None:
        end = time.monotonic() + _SLICE_SECONDS
        while self._index_some():
            if cancel.cancelled:
                return
            if time.monotonic() > end:
                # Vectors, and whatever a person waits for, must not wait for a folder of years.
                self._behind = True
                self.queue(0.05)
                return
        self._behind = False

    @property
    def indexing(self) -> bool:
        """Whether so much is not indexed yet that it takes a while."""
        return self._behind

    def waiting(self) -> int:
        """Return how many messages are not in the index yet."""
        return self._words.unindexed_count()

    def bring_up(self, cancel: CancelToken) -> None:
        """Bring the index in step now; raises `Cancelled`."""
        while self._index_some():
            cancel.raise_if_cancelled()

    def _index_some(self) -> bool:
        waiting = self._words.to_index(_BATCH)
        if waiting:
            self._words.put([(item, _words_of(item)) for item in waiting])
        return bool(waiting)


def _words_of(item: Unindexed) -> str | None:
    return None if item.text is None else index_words(item.text)


def _hit(row: FoundRow, query: Query, score: float | None = None, text: str | None = None) -> Hit:
    shown = row.text
    if text is not None:
        # A memory carries its speaker before what was said.
        shown = text.removeprefix(f"{row.name}: ")
    line, marks = snippet(shown, query)
    return Hit(
        row.message_id, row.chat_id, row.role, row.name, row.created_at, row.hidden, line, tuple(marks), score
    )


def numbers_of(messages: MessageStore, hits: Sequence[Hit]) -> dict[int, int]:
    """Return the numbers of messages in their chats, by message id."""
    found: dict[int, int] = {}
    for chat_id in {hit.chat_id for hit in hits}:
        found.update((item, number) for number, item in enumerate(messages.ids(chat_id), 1))
    return {hit.message_id: found[hit.message_id] for hit in hits if hit.message_id in found}
