"""What a person changes about single memory chunks, each change in one transaction and able to be undone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memdesk.store.chunk_rows import WholeChunk, delete_whole, look_again, read_whole, rewind, write_whole
from memdesk.store.chunks import NewChunk, insert_chunk
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.vectors import text_hash

FLAGS = ("frozen", "pinned", "enabled")

SHAPED = "shape"
"""Who a revision is by that holds the text a split or a merge began with."""


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

    def split(self, chunk_id: int, first: Rewriting, second: Rewriting) -> tuple[WholeChunk, int]:
        """Make two chunks of one; returns what it was before and the new chunk's id.

        Both keep sources, flags, recalls and revisions; the text that each begins with is its original.
        """
        with self._db.write() as db:
            before = read_whole(db, chunk_id)
            delete_whole(db, chunk_id)
            write_whole(db, _shaped(before, first, before.revisions, chunk_id))
            new_id = db.execute("SELECT seq + 1 FROM sqlite_sequence WHERE name = 'memory_chunks'").fetchone()
            write_whole(db, _shaped(before, second, before.revisions, int(new_id[0])))
        return before, int(new_id[0])

    def merge(self, first_id: int, second_id: int, text: Rewriting) -> list[WholeChunk]:
        """Make one chunk of two, under the id of the first; returns what both were before.

        It has the sources, recalls and revisions of both, is frozen or pinned when one of them was, and is
        sent only when both were. Raises `StoreError` with code `not_found`, or `other_chat`.
        """
        with self._db.write() as db:
            one, other = read_whole(db, first_id), read_whole(db, second_id)
            if one.chat_id != other.chat_id:
                raise StoreError("other_chat", "Only memories of one chat can be merged.")
            row = {
                **one.row,
                "speakers": json.dumps(
                    list(dict.fromkeys((*one.speakers, *other.speakers))), ensure_ascii=False
                ),
                "first_time": min(one.row["first_time"], other.row["first_time"]),
                "last_time": max(one.row["last_time"], other.row["last_time"]),
                "frozen": int(one.row["frozen"] or other.row["frozen"]),
                "pinned": int(one.row["pinned"] or other.row["pinned"]),
                "enabled": int(one.row["enabled"] and other.row["enabled"]),
                # What is made from messages goes on to be compared with them.
                "origin": "native"
                if "native" in (one.row["origin"], other.row["origin"])
                else one.row["origin"],
            }
            both = replace(
                one,
                row=row,
                sources=tuple(sorted({*one.sources, *other.sources})),
                recalls=tuple(sorted({*one.recalls, *other.recalls})),
            )
            delete_whole(db, first_id)
            delete_whole(db, second_id)
            write_whole(db, _shaped(both, text, (*one.revisions, *other.revisions), first_id))
        return [one, other]

    def unshape(self, chunks: Sequence[WholeChunk], also: Sequence[int] = ()) -> None:
        """Bring chunks back whole as they were, and take away those that came of them."""
        with self._db.write() as db:
            for chunk_id in (*also, *(chunk.id for chunk in chunks)):
                delete_whole(db, chunk_id)
            for chunk in chunks:
                write_whole(db, chunk)
            look_again(db, chunks)

    def next_after(self, chunk_id: int) -> int | None:
        """Return the chunk that follows in the story, None after the last one; `StoreError` when gone."""
        with self._db.read() as db:
            present = read_whole(db, chunk_id)
            rows = db.execute(
                "SELECT k.id FROM memory_chunks k LEFT JOIN chunk_sources s ON s.chunk_id = k.id"
                " LEFT JOIN messages m ON m.id = s.message_id WHERE k.chat_id = ? AND k.first_time >= ?"
                " GROUP BY k.id ORDER BY k.first_time, min(m.position), min(s.piece), k.id",
                (present.chat_id, present.row["first_time"]),
            ).fetchall()
        ids = [row[0] for row in rows]
        place = ids.index(chunk_id) + 1
        return ids[place] if place < len(ids) else None

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


def _shaped(
    chunk: WholeChunk, new: Rewriting, revisions: Sequence[tuple[str, str, str]], chunk_id: int
) -> WholeChunk:
    """Return a chunk with another text that counts as its original from now on."""
    row = {
        **chunk.row,
        "id": chunk_id,
        "text": new.text,
        "text_hash": text_hash(new.text),
        "tokens": new.tokens,
        "edited": 1,
        "error": "",
    }
    begin = (new.text, SHAPED, to_text(now()))
    return replace(chunk, row=row, words=new.words, revisions=(begin, *revisions))
