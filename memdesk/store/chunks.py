"""Memory chunks on disk: text, sources, flags, words; status is derived, never stored."""

from __future__ import annotations

import enum
import functools
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.vectors import text_hash

COUNTED = 250
"""A term of more chunks is not counted chat by chat."""


class ChunkStatus(enum.StrEnum):
    """Whether a memory can be found by meaning; the words are shown as they are."""

    VECTORIZED = "Vectorized"
    WAITING = "Waiting for vector"
    UNAVAILABLE = "Embedding unavailable"


@dataclass(frozen=True, slots=True)
class Source:
    """A message that a chunk was made from, and the hash of what was read there."""

    message_id: int
    source_hash: bytes
    piece: int = 0


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk to be stored. `words` are its terms, space-joined, for search by words."""

    text: str
    sources: tuple[Source, ...]
    speakers: tuple[str, ...]
    tokens: int
    first_time: datetime
    last_time: datetime
    words: str
    origin: str = "native"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A memory chunk. `has_vector` is about the embedding space that was asked for."""

    id: int
    chat_id: int
    text: str
    text_hash: bytes
    speakers: tuple[str, ...]
    tokens: int
    first_time: datetime
    last_time: datetime
    frozen: bool
    pinned: bool
    enabled: bool
    edited: bool
    origin: str
    error: str
    source_messages: tuple[int, ...]
    has_vector: bool

    def status(self, *, embedding_available: bool) -> ChunkStatus:
        """Derive the status from facts: a vector that is there or not, an embedder that works or not."""
        if self.has_vector:
            return ChunkStatus.VECTORIZED
        return ChunkStatus.WAITING if embedding_available else ChunkStatus.UNAVAILABLE


@dataclass(frozen=True, slots=True)
class Trait:
    """What ranking needs to know of a chunk: `time` in seconds when it was first said, `end` of its text."""

    id: int
    speakers: tuple[str, ...]
    time: float
    end: str
    source_messages: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StaleMessage:
    """A message that changed since its chunks were made; `change` names the change."""

    message_id: int
    chat_id: int
    change: int


@dataclass(frozen=True, slots=True)
class SourceChunk:
    """A chunk of a source message: made from which text, which piece of it.

    `kept` says that a person's work (frozen, edited, pinned) holds it; `alone`, that it may stand without
    the other pieces of its message: it is kept, or a rebuild left it because it is switched off.
    """

    chunk_id: int
    source_hash: bytes
    piece: int
    kept: bool
    alone: bool = False


_CHUNK = """
SELECT k.*, (v.rowid IS NOT NULL) AS has_vector,
       (SELECT group_concat(message_id) FROM chunk_sources s WHERE s.chunk_id = k.id) AS source_messages
  FROM memory_chunks k LEFT JOIN vectors v ON v.space_id = :space AND v.text_hash = k.text_hash
"""


_EVERYWHERE = "SELECT doc FROM chunk_terms WHERE term = ? AND col = 'words'"
_FEWEST_TERMS = 2


class ChunkStore:
    """Reads and writes the chunks of chats. `space` is the number of an embedding space, 0 for none."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def page(self, chat_id: int, space: int, limit: int = -1, offset: int = 0) -> list[Chunk]:
        """Return chunks of a chat, newest story time first."""
        return self._select(
            "WHERE k.chat_id = :chat ORDER BY k.last_time DESC, k.id DESC LIMIT :limit OFFSET :offset",
            {"space": space, "chat": chat_id, "limit": limit, "offset": offset},
        )

    def get_many(self, ids: Sequence[int], space: int) -> dict[int, Chunk]:
        """Return the chunks that are there, by id."""
        chunks = self._select(f"WHERE k.id IN ({_listed(ids)})", {"space": space}) if ids else []
        return {chunk.id: chunk for chunk in chunks}

    def pinned(self, chat_id: int, space: int) -> list[Chunk]:
        """Return the chunks that are always sent."""
        return self._select("WHERE k.chat_id = :chat AND k.pinned = 1", {"space": space, "chat": chat_id})

    def without_vector(self, space: int, chat_id: int | None, limit: int) -> list[Chunk]:
        """Return chunks that no vector of the space belongs to, newest first."""
        where = "WHERE v.rowid IS NULL" + (" AND k.chat_id = :chat" if chat_id is not None else "")
        return self._select(
            f"{where} ORDER BY k.id DESC LIMIT :limit", {"space": space, "chat": chat_id, "limit": limit}
        )

    def counts(self, space: int, chat_id: int | None = None) -> dict[int, tuple[int, int, int]]:
        """Return (chunks, chunks with a vector, tokens) by chat id."""
        where = "WHERE k.chat_id = ?" if chat_id is not None else ""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT k.chat_id, count(*), count(v.rowid), sum(k.tokens) FROM memory_chunks k"
                f" LEFT JOIN vectors v ON v.space_id = ? AND v.text_hash = k.text_hash {where}"
                " GROUP BY k.chat_id",
                (space, chat_id) if chat_id is not None else (space,),
            ).fetchall()
        return {row[0]: (row[1], row[2], row[3]) for row in rows}

    def kept(self, chat_id: int) -> int:
        """Return how many chunks made from a chat's messages a person keeps or switched off."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT count(*) FROM memory_chunks k WHERE k.chat_id = ? AND k.origin = 'native'"
                " AND (k.frozen OR k.edited OR k.pinned OR NOT k.enabled)",
                (chat_id,),
            ).fetchone()
        return int(row[0])

    def vector_keys(self, chat_id: int, space: int) -> dict[int, bytes]:
        """Return {chunk id: text hash} of a chat's chunks that have a vector in the space."""
        return self._pairs(
            "SELECT k.id, k.text_hash FROM memory_chunks k"
            " JOIN vectors v ON v.space_id = ? AND v.text_hash = k.text_hash WHERE k.chat_id = ?",
            (space, chat_id),
        )

    def keys(self, chat_id: int, above: int = 0) -> dict[int, bytes]:
        """Return {chunk id: text hash} of a chat's chunks with an id above `above`, in order of their ids."""
        if not above:
            found = self._pairs("SELECT id, text_hash FROM memory_chunks WHERE chat_id = ?", (chat_id,))
            return dict(sorted(found.items()))
        # The newest of all chats are few: the plus keeps SQLite from looking through all of this chat.
        return self._pairs(
            "SELECT id, text_hash FROM memory_chunks WHERE id > ? AND +chat_id = ? ORDER BY id",
            (above, chat_id),
        )

    def changes(self, chat_id: int) -> int:
        """Return a number that changes whenever a chunk of a chat goes, comes back or has another text."""
        with self._db.read() as db:
            row = db.execute("SELECT changes FROM chunk_sets WHERE chat_id = ?", (chat_id,)).fetchone()
        return int(row[0]) if row else 0

    def traits(self, chat_id: int, ids: Iterable[int], tail: int) -> list[Trait]:
        """Return what ranking needs of those chunks that the chat has, and their last `tail` characters."""
        listed = _listed(list(ids))
        with self._db.read() as db:
            cursor = db.cursor()
            cursor.row_factory = None
            rows = cursor.execute(
                "SELECT k.id, k.speakers, k.first_time, substr(k.text, -:tail),"
                " (SELECT group_concat(message_id) FROM chunk_sources s WHERE s.chunk_id = k.id)"
                f" FROM memory_chunks k WHERE k.id IN ({listed}) AND +k.chat_id = :chat",
                {"chat": chat_id, "tail": tail},
            ).fetchall()
        return [
            Trait(chunk, _speakers(speakers), from_text(first).timestamp(), end, _ids(sources))
            for chunk, speakers, first, end, sources in rows
        ]

    def _pairs(self, statement: str, values: tuple[int, ...]) -> dict[int, bytes]:
        with self._db.read() as db:
            cursor = db.cursor()
            # Plain tuples: 10,000 rows with names would take as long again as SQLite.
            cursor.row_factory = None
            return dict(cursor.execute(statement, values))

    def sources(self, chat_id: int, message_ids: Sequence[int] | None = None) -> dict[int, list[SourceChunk]]:
        """Return what is remembered of a chat's messages (all, or some), by its id; not imported chunks."""
        tables, listed = "memory_chunks k JOIN chunk_sources s ON s.chunk_id = k.id", ""
        if message_ids is not None:
            # Few messages of a long chat: CROSS JOIN tells SQLite to begin with them.
            tables = "chunk_sources s CROSS JOIN memory_chunks k ON k.id = s.chunk_id"
            listed = f" AND s.message_id IN ({_listed(message_ids)})"
        with self._db.read() as db:
            rows = db.execute(
                "SELECT s.message_id, k.id, s.source_hash, s.piece,"
                " k.frozen OR k.edited OR k.pinned, k.enabled"
                f" FROM {tables} WHERE k.chat_id = ? AND k.origin = 'native'{listed}",
                (chat_id,),
            ).fetchall()
        grouped: dict[int, list[SourceChunk]] = {}
        for message_id, chunk_id, source, piece, kept, enabled in rows:
            chunk = SourceChunk(chunk_id, source, piece, bool(kept), bool(kept or not enabled))
            grouped.setdefault(message_id, []).append(chunk)
        return grouped

    def forgotten(self, message_ids: Sequence[int]) -> set[tuple[int, bytes, int]]:
        """Return (message id, source hash, piece) of what a person forgot and wants not made again."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT message_id, source_hash, piece FROM forgotten_sources"
                f" WHERE message_id IN ({_listed(message_ids)})"
            ).fetchall()
        return {(row[0], row[1], row[2]) for row in rows}

    def remembered(self, chat_id: int, space: int) -> dict[int, bool]:
        """Return for every message with a chunk whether all its chunks have a vector, by message id."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT s.message_id, min(v.rowid IS NOT NULL) FROM memory_chunks k"
                " JOIN chunk_sources s ON s.chunk_id = k.id"
                " LEFT JOIN vectors v ON v.space_id = ? AND v.text_hash = k.text_hash"
                " WHERE k.chat_id = ? GROUP BY s.message_id",
                (space, chat_id),
            ).fetchall()
        return {row[0]: bool(row[1]) for row in rows}

    def search_words(self, chat_id: int, expression: str, limit: int) -> list[tuple[int, str]]:
        """Return (chunk id, terms) of the best `limit` chunks for an FTS5 expression over `words`."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT rowid, words FROM chunk_words WHERE chunk_words MATCH ? ORDER BY rank LIMIT ?",
                (f"chat : c{int(chat_id)} AND words : ({expression})", limit),
            ).fetchall()
        return [(row[0], row[1]) for row in rows]

    def rarest(self, chat_id: int, terms: Iterable[str], rows: int) -> list[str]:
        """Return the rarest terms, as many as about `rows` chunks of a chat hold, but at least two.

        To rank every chunk with a common word takes long in a chat of years and finds nothing that the rare
        words do not. Terms that no chunk holds are left out.
        """
        counts: list[tuple[int, str]] = []
        with self._db.read() as db:
            share = self._share(db, chat_id)
            for term in dict.fromkeys(terms):
                row = db.execute(_EVERYWHERE, (term,)).fetchone()
                if row is not None:
                    counts.append((row[0], term))
        chosen: list[str] = []
        held = 0.0
        for count, term in sorted(counts):
            held += count * share
            if held > rows and len(chosen) >= _FEWEST_TERMS:
                break
            chosen.append(term)
        return chosen

    @staticmethod
    def _share(db: sqlite3.Connection, chat_id: int) -> float:
        """Return how many of all chunks belong to a chat, 0–1."""
        total = db.execute("SELECT count(*) FROM memory_chunks WHERE chat_id = ?", (chat_id,)).fetchone()[0]
        everywhere = db.execute("SELECT count(*) FROM memory_chunks").fetchone()[0]
        return float(total / everywhere) if everywhere else 0.0

    def document_frequency(self, chat_id: int, terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        """Return (number of chunks, chunks that hold each term) of a chat.

        A term that more than `COUNTED` chunks of all chats hold is taken to be as common in each of them:
        counting it would take longer than finding.
        """
        found: dict[str, int] = {}
        with self._db.read() as db:
            total = db.execute("SELECT count(*) FROM memory_chunks WHERE chat_id = ?", (chat_id,)).fetchone()[
                0
            ]
            everywhere = 0
            for term in dict.fromkeys(terms):
                row = db.execute(_EVERYWHERE, (term,)).fetchone()
                count = row[0] if row else 0
                if count > COUNTED:
                    everywhere = everywhere or db.execute("SELECT count(*) FROM memory_chunks").fetchone()[0]
                    count = max(1, round(count * total / everywhere))
                elif count:
                    # A rare term has few rows, the chat many: CROSS JOIN tells SQLite which to begin with.
                    count = db.execute(
                        "SELECT count(*) FROM chunk_words w CROSS JOIN memory_chunks k"
                        " WHERE chunk_words MATCH ? AND k.id = w.rowid AND k.chat_id = ?",
                        (f'words : "{term}"', chat_id),
                    ).fetchone()[0]
                found[term] = count
        return total, found

    def beside(self, chunk_ids: Sequence[int], distance: int) -> set[int]:
        """Return the chunks of messages at most `distance` places from those that chunks were made from."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT DISTINCT t.chunk_id FROM chunk_sources s JOIN messages m ON m.id = s.message_id"
                " JOIN messages n ON n.chat_id = m.chat_id AND n.trash_id IS NULL"
                " AND n.position BETWEEN m.position - :distance AND m.position + :distance"
                " JOIN chunk_sources t ON t.message_id = n.id"
                f" WHERE s.chunk_id IN ({_listed(chunk_ids)})",
                {"distance": distance},
            ).fetchall()
        return {row[0] for row in rows}

    def _select(self, clause: str, values: dict[str, object]) -> list[Chunk]:
        with self._db.read() as db:
            return [_chunk(row) for row in db.execute(_CHUNK + clause, values).fetchall()]

    def stale(self, limit: int, chat_id: int | None = None) -> list[StaleMessage]:
        """Return messages whose chunks may be out of step, those of one chat together."""
        where = "" if chat_id is None else "WHERE chat_id = :chat"
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT message_id, chat_id, change FROM stale_messages {where} ORDER BY chat_id, message_id"
                " LIMIT :limit",
                {"chat": chat_id, "limit": limit},
            ).fetchall()
        return [StaleMessage(*row) for row in rows]

    def unmade(self) -> dict[int, int]:
        """Return how many messages of each chat (by id) are still to become memories."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT s.chat_id, count(*) FROM stale_messages s JOIN messages m ON m.id = s.message_id"
                " WHERE m.trash_id IS NULL"
                " AND NOT EXISTS (SELECT 1 FROM chunk_sources c WHERE c.message_id = s.message_id)"
                " GROUP BY s.chat_id"
            ).fetchall()
        return {row[0]: row[1] for row in rows}

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def replace(self, chat_id: int, remove: Sequence[int], add: Iterable[NewChunk]) -> list[int]:
        """Remove chunks and add others in one transaction; returns the new ids.

        What a person froze, edited or pinned is not removed, whatever `remove` says.
        """
        with self._db.write() as db:
            for chunk_id in remove:
                gone = db.execute(
                    "DELETE FROM memory_chunks WHERE id = ? AND NOT (frozen OR edited OR pinned)", (chunk_id,)
                ).rowcount
                if gone:
                    db.execute("DELETE FROM chunk_words WHERE rowid = ?", (chunk_id,))
            return [insert_chunk(db, chat_id, chunk) for chunk in add]

    def settle(self, handled: Sequence[StaleMessage]) -> None:
        """Note that messages were looked at; one that changed meanwhile stays stale."""
        with self._db.write() as db:
            db.executemany(
                "DELETE FROM stale_messages WHERE message_id = ? AND change = ?",
                [(item.message_id, item.change) for item in handled],
            )

    def set_error(self, chunk_ids: Sequence[int], error: str) -> None:
        """Note why embedding failed, or that it did not ("")."""
        with self._db.write() as db:
            db.executemany(
                "UPDATE memory_chunks SET error = ? WHERE id = ? AND error <> ?",
                [(error, chunk_id, error) for chunk_id in chunk_ids],
            )

    def set_flag(self, chunk_id: int, flag: str, *, value: bool) -> None:
        """Set `frozen`, `pinned` or `enabled`; raises `StoreError` when the chunk is gone."""
        if flag not in {"frozen", "pinned", "enabled"}:
            raise ValueError(flag)
        with self._db.write() as db:
            changed = db.execute(
                f"UPDATE memory_chunks SET {flag} = ? WHERE id = ?", (value, chunk_id)
            ).rowcount
        if not changed:
            raise StoreError("not_found", f"Memory {chunk_id} is not there any more.")


def index_id(chunk_id: int, key: bytes) -> str:
    """Return a chunk's id in the vector index; it changes with the text, so a stale entry shows itself."""
    return f"{chunk_id}-{key.hex()[:12]}"


def _listed(ids: Sequence[int]) -> str:
    """Write ids for an IN list; they are our own integers, so they may stand in the statement."""
    return ",".join(str(int(item)) for item in ids)


def insert_chunk(db: sqlite3.Connection, chat_id: int, new: NewChunk) -> int:
    """Store a chunk in the transaction of `db`; returns its id."""
    cursor = db.execute(
        "INSERT INTO memory_chunks (chat_id, text, text_hash, speakers, tokens, first_time, last_time,"
        " origin, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chat_id, new.text, text_hash(new.text), json.dumps(new.speakers, ensure_ascii=False), new.tokens,
            to_text(new.first_time), to_text(new.last_time), new.origin, to_text(now()),
        ),
    )  # fmt: skip
    chunk_id = int(cursor.lastrowid or 0)
    db.executemany(
        "INSERT INTO chunk_sources (chunk_id, message_id, source_hash, piece) VALUES (?, ?, ?, ?)",
        [(chunk_id, source.message_id, source.source_hash, source.piece) for source in new.sources],
    )
    db.execute(
        "INSERT INTO chunk_words (rowid, chat, words) VALUES (?, ?, ?)", (chunk_id, f"c{chat_id}", new.words)
    )
    return chunk_id


@functools.lru_cache(256)
def _speakers(text: str) -> tuple[str, ...]:
    """Read the stored names; a chat has few, and hundreds of chunks are read at once."""
    return tuple(json.loads(text))


def _ids(joined: str | None) -> tuple[int, ...]:
    # A memory that was merged names a message once for each of its pieces.
    return tuple(dict.fromkeys(map(int, joined.split(",")))) if joined else ()


def _chunk(row: sqlite3.Row) -> Chunk:
    return Chunk(
        id=row["id"],
        chat_id=row["chat_id"],
        text=row["text"],
        text_hash=row["text_hash"],
        speakers=_speakers(row["speakers"]),
        tokens=row["tokens"],
        first_time=from_text(row["first_time"]),
        last_time=from_text(row["last_time"]),
        frozen=bool(row["frozen"]),
        pinned=bool(row["pinned"]),
        enabled=bool(row["enabled"]),
        edited=bool(row["edited"]),
        origin=row["origin"],
        error=row["error"],
        source_messages=_ids(row["source_messages"]),
        has_vector=bool(row["has_vector"]),
    )
