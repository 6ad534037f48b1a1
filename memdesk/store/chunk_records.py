"""Memory chunks as they travel: read with everything that a file carries, stored with all their flags."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memdesk.store.chunks import NewChunk, Source
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.vectors import text_hash


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk with its flags. `original` is the text before the first edit, None for a text as it was made.

    `chunk.words` is empty in records that were read: words are made anew from the text.
    """

    chunk: NewChunk
    created_at: datetime
    frozen: bool = False
    pinned: bool = False
    enabled: bool = True
    edited: bool = False
    original: str | None = None


class ChunkRecords:
    """Reads and writes whole chunks of chats for memory files."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self, chat_id: int) -> list[ChunkRecord]:
        """Return the chunks of a chat, oldest story time first."""
        with self._db.read() as db:
            sources: dict[int, list[Source]] = {}
            for row in db.execute(
                "SELECT s.chunk_id, s.message_id, s.source_hash, s.piece FROM memory_chunks k"
                " JOIN chunk_sources s ON s.chunk_id = k.id WHERE k.chat_id = ? ORDER BY s.message_id",
                (chat_id,),
            ):
                sources.setdefault(row[0], []).append(Source(row[1], row[2], row[3]))
            rows = db.execute(
                "SELECT k.*, (SELECT before FROM revisions r WHERE k.edited AND r.kind = 'chunk'"
                " AND r.item_id = k.id ORDER BY r.id LIMIT 1) AS original"
                " FROM memory_chunks k WHERE k.chat_id = ? ORDER BY k.first_time, k.last_time, k.id",
                (chat_id,),
            ).fetchall()
        return [_record(row, tuple(sources.get(row["id"], ()))) for row in rows]

    def add(self, chat_id: int, records: Iterable[ChunkRecord]) -> list[int]:
        """Store chunks in one transaction; returns their ids."""
        with self._db.write() as db:
            return [_insert(db, chat_id, record) for record in records]

    def remove(self, chunk_ids: Sequence[int]) -> None:
        """Delete chunks for good, whoever keeps them: the act that added them is taken back."""
        with self._db.write() as db:
            for chunk_id in chunk_ids:
                db.execute("DELETE FROM memory_chunks WHERE id = ?", (chunk_id,))
                db.execute("DELETE FROM chunk_words WHERE rowid = ?", (chunk_id,))
                db.execute("DELETE FROM revisions WHERE kind = 'chunk' AND item_id = ?", (chunk_id,))


def _insert(db: sqlite3.Connection, chat_id: int, record: ChunkRecord) -> int:
    new = record.chunk
    moment = to_text(now())
    cursor = db.execute(
        "INSERT INTO memory_chunks (chat_id, text, text_hash, speakers, tokens, first_time, last_time,"
        " frozen, pinned, enabled, edited, origin, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chat_id, new.text, text_hash(new.text), json.dumps(new.speakers, ensure_ascii=False), new.tokens,
            to_text(new.first_time), to_text(new.last_time), record.frozen, record.pinned, record.enabled,
            record.edited, new.origin, to_text(record.created_at),
        ),
    )  # fmt: skip
    chunk_id = int(cursor.lastrowid or 0)
    db.executemany(
        "INSERT OR IGNORE INTO chunk_sources (chunk_id, message_id, source_hash, piece) VALUES (?, ?, ?, ?)",
        [(chunk_id, source.message_id, source.source_hash, source.piece) for source in new.sources],
    )
    db.execute(
        "INSERT INTO chunk_words (rowid, chat, words) VALUES (?, ?, ?)", (chunk_id, f"c{chat_id}", new.words)
    )
    if record.original is not None:
        db.execute(
            "INSERT INTO revisions (kind, item_id, before, actor, at) VALUES ('chunk', ?, ?, 'import', ?)",
            (chunk_id, record.original, moment),
        )
    return chunk_id


def _record(row: sqlite3.Row, sources: tuple[Source, ...]) -> ChunkRecord:
    chunk = NewChunk(
        text=row["text"],
        sources=sources,
        speakers=tuple(json.loads(row["speakers"])),
        tokens=row["tokens"],
        first_time=from_text(row["first_time"]),
        last_time=from_text(row["last_time"]),
        words="",
        origin=row["origin"],
    )
    return ChunkRecord(
        chunk=chunk,
        created_at=from_text(row["created_at"]),
        frozen=bool(row["frozen"]),
        pinned=bool(row["pinned"]),
        enabled=bool(row["enabled"]),
        edited=bool(row["edited"]),
        original=row["original"],
    )
