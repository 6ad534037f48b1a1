"""What is done to all chunks of a chat at once: looked through, made anew, emptied, put back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memdesk.store.chunk_rows import WholeChunk, delete_whole, read_whole, write_whole
from memdesk.store.chunks import NewChunk, Source
from memdesk.store.database import Database, from_text

ForgottenSource = tuple[int, bytes, int]
"""(message id, source hash, piece) of what a person forgot."""


@dataclass(frozen=True, slots=True)
class Span:
    """Which messages a chunk was made from, and when the last of them was said (as stored)."""

    chunk_id: int
    enabled: bool
    last_time: str
    sources: tuple[int, ...]


class ChunkUpkeep:
    """Reads and writes the chunks of whole chats."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def orphans(self, chat_id: int) -> list[int]:
        """Return the chunks made from messages that are gone, but for what a person keeps."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT DISTINCT k.id FROM memory_chunks k JOIN chunk_sources s ON s.chunk_id = k.id"
                " LEFT JOIN messages m ON m.id = s.message_id AND m.trash_id IS NULL"
                " WHERE k.chat_id = ? AND k.origin = 'native' AND NOT (k.frozen OR k.edited OR k.pinned)"
                " AND m.id IS NULL",
                (chat_id,),
            ).fetchall()
        return [row[0] for row in rows]

    def contents(self, chunk_ids: Sequence[int]) -> dict[int, NewChunk]:
        """Return chunks as they would be made, sources by message id; those that are gone are left out."""
        listed = ",".join(str(int(item)) for item in chunk_ids)
        with self._db.read() as db:
            sources: dict[int, list[Source]] = {}
            for row in db.execute(
                "SELECT chunk_id, message_id, source_hash, piece FROM chunk_sources"
                f" WHERE chunk_id IN ({listed}) ORDER BY chunk_id, message_id"
            ):
                sources.setdefault(row[0], []).append(Source(row[1], row[2], row[3]))
            rows = db.execute(
                "SELECT k.*, w.words FROM memory_chunks k LEFT JOIN chunk_words w ON w.rowid = k.id"
                f" WHERE k.id IN ({listed})"
            ).fetchall()
        return {
            row["id"]: NewChunk(
                text=row["text"],
                sources=tuple(sources.get(row["id"], ())),
                speakers=tuple(json.loads(row["speakers"])),
                tokens=row["tokens"],
                first_time=from_text(row["first_time"]),
                last_time=from_text(row["last_time"]),
                words=row["words"] or "",
                origin=row["origin"],
            )
            for row in rows
        }

    def spans(self, chat_id: int) -> list[Span]:
        """Return the span of every chunk of a chat, in the order of the story."""
        with self._db.read() as db:
            cursor = db.cursor()
            cursor.row_factory = None  # plain tuples: a long chat has thousands
            rows = cursor.execute(
                "SELECT k.id, k.enabled, k.last_time, (SELECT group_concat(s.message_id) FROM chunk_sources s"
                " WHERE s.chunk_id = k.id) FROM memory_chunks k WHERE k.chat_id = ?"
                " ORDER BY k.first_time, k.id",
                (chat_id,),
            ).fetchall()
        return [
            Span(row[0], bool(row[1]), row[2], tuple(map(int, row[3].split(","))) if row[3] else ())
            for row in rows
        ]

    def said_before(self, chat_id: int, moment: str) -> int:
        """Return how many messages that still stand were begun before a moment (as stored)."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT count(*) FROM messages WHERE chat_id = ? AND trash_id IS NULL AND created_at < ?",
                (chat_id, moment),
            ).fetchone()
        return int(row[0])

    def whole(self, chunk_ids: Sequence[int]) -> list[WholeChunk]:
        """Return chunks with everything that hangs on them; raises `StoreError` when one is gone."""
        with self._db.read() as db:
            return [read_whole(db, chunk_id) for chunk_id in chunk_ids]

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def mark_stale(self, chat_id: int) -> None:
        """Let every message of a chat be compared with its chunks, also when memdesk ends before that."""
        with self._db.write() as db:
            _mark_stale(db, chat_id)

    def begin_rebuild(self, chat_id: int, space: int) -> tuple[list[ForgottenSource], int]:
        """Let everything be remembered again, and imported chunks be embedded anew in a space.

        Returns what had been forgotten, and how many chunks lost a vector of the space. Texts that the
        chat's own messages say keep theirs.
        """
        with self._db.write() as db:
            own = "SELECT id FROM messages WHERE chat_id = ?"
            rows = db.execute(
                f"SELECT message_id, source_hash, piece FROM forgotten_sources WHERE message_id IN ({own})",
                (chat_id,),
            ).fetchall()
            db.execute(f"DELETE FROM forgotten_sources WHERE message_id IN ({own})", (chat_id,))
            imported = (
                "SELECT text_hash FROM memory_chunks WHERE chat_id = :chat AND origin = 'imported'"
                " AND text_hash NOT IN (SELECT text_hash FROM memory_chunks WHERE origin <> 'imported')"
            )
            values = {"chat": chat_id, "space": space}
            again = db.execute(
                "SELECT count(*) FROM memory_chunks k JOIN vectors v ON v.space_id = :space"
                " AND v.text_hash = k.text_hash WHERE k.chat_id = :chat AND k.origin = 'imported'"
                f" AND k.text_hash IN ({imported})",
                values,
            ).fetchone()[0]
            db.execute(f"DELETE FROM vectors WHERE space_id = :space AND text_hash IN ({imported})", values)
            _mark_stale(db, chat_id)
        return [(row[0], row[1], row[2]) for row in rows], int(again)

    def take_back(
        self,
        chat_id: int,
        added: Sequence[int],
        removed: Iterable[WholeChunk],
        forgotten: Iterable[ForgottenSource],
    ) -> None:
        """Undo a rebuild: what it made goes, unless a person keeps it by now, and what it took comes back."""
        with self._db.write() as db:
            for chunk_id in added:
                row = db.execute(
                    "SELECT frozen OR edited OR pinned FROM memory_chunks WHERE id = ?", (chunk_id,)
                ).fetchone()
                if row is not None and not row[0]:
                    delete_whole(db, chunk_id)
            for chunk in removed:
                if db.execute("SELECT 1 FROM memory_chunks WHERE id = ?", (chunk.id,)).fetchone() is None:
                    write_whole(db, chunk)
            db.executemany(
                "INSERT OR IGNORE INTO forgotten_sources SELECT id, ?, ? FROM messages WHERE id = ?",
                [(source, piece, message_id) for message_id, source, piece in forgotten],
            )
            _mark_stale(db, chat_id)


def _mark_stale(db: sqlite3.Connection, chat_id: int) -> None:
    db.execute(
        "INSERT OR REPLACE INTO stale_messages SELECT id, chat_id, random() FROM messages"
        " WHERE chat_id = ? AND trash_id IS NULL",
        (chat_id,),
    )
