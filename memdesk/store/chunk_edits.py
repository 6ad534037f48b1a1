"""What a person changes about single memory chunks, each change in one transaction and able to be undone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memdesk.store.chunk_rows import WholeChunk, delete_whole, look_again, read_whole, rewind, write_whole
from memdesk.store.chunks import NewChunk, insert_chunk
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.vectors import text_hash

FLAGS = ("frozen", "pinned", "enabled")


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A chunk's text with what follows from it; `words` are its terms, space-joined."""

    text: str
    tokens: int
    words: str
    edited: bool


@dataclass(frozen=True, slots=True)
class Recall:
    """One reply that a memory was sent for, and when it was begun."""

    message_id: int
    swipe_id: int
    at: datetime


@dataclass(frozen=True, slots=True)
class KeptSource:
    """A source of a chunk that a person keeps, with the hash of what was read there."""

    chunk_id: int
    message_id: int
    source_hash: bytes


class ChunkEdits:
    """Writes what a person does to chunks. Every method raises `StoreError` for a chunk that is gone."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def read(self, chunk_ids: Sequence[int]) -> list[WholeChunk]:
        """Return chunks with everything that hangs on them, in the order asked for."""
        with self._db.read() as db:
            return [read_whole(db, chunk_id) for chunk_id in chunk_ids]

    def kept_sources(self, chat_id: int) -> list[KeptSource]:
        """Return the sources of a chat's native chunks that are frozen, edited, pinned or switched off."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT s.chunk_id, s.message_id, s.source_hash FROM memory_chunks k"
                " JOIN chunk_sources s ON s.chunk_id = k.id WHERE k.chat_id = ? AND k.origin = 'native'"
                " AND (k.frozen OR k.edited OR k.pinned OR NOT k.enabled)",
                (chat_id,),
            ).fetchall()
        return [KeptSource(*row) for row in rows]

    def recalls(self, chat_id: int) -> dict[int, list[Recall]]:
        """Return the replies that memories of a chat were sent for, by chunk id, newest first."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT r.chunk_id, s.message_id, s.id, s.created_at FROM memory_chunks k"
                " JOIN chunk_recalls r ON r.chunk_id = k.id JOIN swipes s ON s.id = r.swipe_id"
                " JOIN messages m ON m.id = s.message_id"
                " WHERE k.chat_id = ? AND m.trash_id IS NULL AND s.position >= 0 ORDER BY s.id DESC",
                (chat_id,),
            ).fetchall()
        found: dict[int, list[Recall]] = {}
        for chunk_id, message_id, swipe_id, at in rows:
            found.setdefault(chunk_id, []).append(Recall(message_id, swipe_id, from_text(at)))
        return found

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def note_recalls(self, swipe_id: int, chunk_ids: Sequence[int]) -> None:
        """Note which chunks are sent for a reply; of a reply tried again only the last try counts."""
        with self._db.write() as db:
            db.execute("DELETE FROM chunk_recalls WHERE swipe_id = ?", (swipe_id,))
            db.executemany(
                "INSERT OR IGNORE INTO chunk_recalls SELECT id, ? FROM memory_chunks WHERE id = ?",
                [(swipe_id, chunk_id) for chunk_id in chunk_ids],
            )

    def rewrite(self, chunk_id: int, new: Rewriting) -> WholeChunk:
        """Give a chunk another text, the present one kept as a revision; returns what it was before."""
        with self._db.write() as db:
            before = read_whole(db, chunk_id)
            db.execute(
                "INSERT INTO revisions (kind, item_id, before, actor, at)"
                " VALUES ('chunk', ?, ?, 'person', ?)",
                (chunk_id, before.text, to_text(now())),
            )
            db.execute(
                "UPDATE memory_chunks SET text = ?, text_hash = ?, tokens = ?, edited = ?, error = ''"
                " WHERE id = ?",
                (new.text, text_hash(new.text), new.tokens, new.edited, chunk_id),
            )
            db.execute("UPDATE chunk_words SET words = ? WHERE rowid = ?", (new.words, chunk_id))
            if before.row["edited"] and not new.edited:
                look_again(db, [before])
        return before

    def set_flag(self, chunk_ids: Sequence[int], flag: str, *, value: bool) -> list[WholeChunk]:
        """Set `frozen`, `pinned` or `enabled` of chunks; returns what those were before that it changes.

        When a person lets go of a chunk, the next sync may replace it by what its message says now.
        """
        if flag not in FLAGS:
            raise ValueError(flag)
        with self._db.write() as db:
            before = [read_whole(db, chunk_id) for chunk_id in chunk_ids]
            before = [chunk for chunk in before if bool(chunk.row[flag]) != value]
            db.executemany(
                f"UPDATE memory_chunks SET {flag} = ? WHERE id = ?", [(value, chunk.id) for chunk in before]
            )
            if flag != "enabled" and not value:
                look_again(db, before)
        return before

    def add(self, chat_id: int, chunk: NewChunk) -> int:
        """Store a chunk that a person wrote; returns its id."""
        with self._db.write() as db:
            return insert_chunk(db, chat_id, chunk)

    def remove(self, chunk_id: int) -> None:
        """Delete a chunk for good, without any trace: the act that made it is taken back."""
        with self._db.write() as db:
            delete_whole(db, chunk_id)

    def put_back(self, chunks: Sequence[WholeChunk], *columns: str) -> None:
        """Make `columns` of chunks again what they were; a chunk that went meanwhile comes back whole.

        With the column `text` come its words, and the revisions made since go.
        """
        with self._db.write() as db:
            for chunk in chunks:
                here = db.execute("SELECT 1 FROM memory_chunks WHERE id = ?", (chunk.id,)).fetchone()
                if here is None:
                    write_whole(db, chunk)
                    continue
                for column in columns:
                    db.execute(
                        f"UPDATE memory_chunks SET {column} = ? WHERE id = ?", (chunk.row[column], chunk.id)
                    )
                if "text" in columns:
                    rewind(db, chunk)
            # Their messages may have changed meanwhile.
            look_again(db, chunks)
