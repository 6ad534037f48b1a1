"""A memory chunk as a whole: its row with everything that hangs on it, taken out and put back exactly."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from memdesk.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class WholeChunk:
    """Everything that is stored about one chunk.

    `row` holds the columns of `memory_chunks` by name, `sources` (message id, source hash, piece),
    `revisions` (before, actor, at) from the oldest on, `recalls` the ids of the swipes it was sent for.
    """

    row: dict[str, Any]
    words: str
    sources: tuple[tuple[int, bytes, int], ...]
    revisions: tuple[tuple[str, str, str], ...]
    recalls: tuple[int, ...]

    @property
    def id(self) -> int:
        """The chunk's id."""
        return int(self.row["id"])

    @property
    def chat_id(self) -> int:
        """The id of the chunk's chat."""
        return int(self.row["chat_id"])

    @property
    def text(self) -> str:
        """The chunk's text."""
        return str(self.row["text"])

    @property
    def speakers(self) -> tuple[str, ...]:
        """The names of those who said it."""
        return tuple(json.loads(self.row["speakers"]))


def read_whole(db: sqlite3.Connection, chunk_id: int) -> WholeChunk:
    """Read a chunk with everything that hangs on it; raises `StoreError` with code `not_found`."""
    row = db.execute("SELECT * FROM memory_chunks WHERE id = ?", (chunk_id,)).fetchone()
    if row is None:
        raise StoreError("not_found", f"Memory {chunk_id} is not there any more.")
    words = db.execute("SELECT words FROM chunk_words WHERE rowid = ?", (chunk_id,)).fetchone()
    sources = db.execute(
        "SELECT message_id, source_hash, piece FROM chunk_sources WHERE chunk_id = ?"
        " ORDER BY message_id, piece",
        (chunk_id,),
    )
    revisions = db.execute(
        "SELECT before, actor, at FROM revisions WHERE kind = 'chunk' AND item_id = ? ORDER BY id",
        (chunk_id,),
    )
    recalls = db.execute(
        "SELECT swipe_id FROM chunk_recalls WHERE chunk_id = ? ORDER BY swipe_id", (chunk_id,)
    )
    return WholeChunk(
        row=dict(row),
        words=words["words"] if words else "",
        sources=tuple(tuple(item) for item in sources),
        revisions=tuple(tuple(item) for item in revisions),
        recalls=tuple(item[0] for item in recalls),
    )


def write_whole(db: sqlite3.Connection, chunk: WholeChunk) -> None:
    """Put a chunk that is not there back with its old id."""
    columns = ", ".join(chunk.row)
    marks = ", ".join("?" * len(chunk.row))
    db.execute(f"INSERT INTO memory_chunks ({columns}) VALUES ({marks})", tuple(chunk.row.values()))
    db.execute(
        "INSERT INTO chunk_words (rowid, chat, words) VALUES (?, ?, ?)",
        (chunk.id, f"c{chunk.chat_id}", chunk.words),
    )
    db.executemany(
        "INSERT INTO chunk_sources (chunk_id, message_id, source_hash, piece) VALUES (?, ?, ?, ?)",
        [(chunk.id, *source) for source in chunk.sources],
    )
    db.executemany(
        "INSERT INTO revisions (kind, item_id, before, actor, at) VALUES ('chunk', ?, ?, ?, ?)",
        [(chunk.id, *revision) for revision in chunk.revisions],
    )
    # Replies may have gone for good meanwhile.
    db.executemany(
        "INSERT OR IGNORE INTO chunk_recalls SELECT ?, id FROM swipes WHERE id = ?",
        [(chunk.id, swipe_id) for swipe_id in chunk.recalls],
    )


def rewind(db: sqlite3.Connection, chunk: WholeChunk) -> None:
    """Give a chunk that is there its old words, and forget the revisions that came after them."""
    db.execute("UPDATE chunk_words SET words = ? WHERE rowid = ?", (chunk.words, chunk.id))
    db.execute(
        "DELETE FROM revisions WHERE id IN (SELECT id FROM revisions WHERE kind = 'chunk' AND item_id = ?"
        " ORDER BY id LIMIT -1 OFFSET ?)",
        (chunk.id, len(chunk.revisions)),
    )


def delete_whole(db: sqlite3.Connection, chunk_id: int) -> None:
    """Delete a chunk; what hangs on it goes with it."""
    db.execute("DELETE FROM memory_chunks WHERE id = ?", (chunk_id,))
    db.execute("DELETE FROM chunk_words WHERE rowid = ?", (chunk_id,))


def look_again(db: sqlite3.Connection, chunks: Iterable[WholeChunk]) -> None:
    """Let the next sync compare the messages that chunks were made from, also those that are gone."""
    db.executemany(
        "INSERT OR REPLACE INTO stale_messages VALUES (?, ?, random())",
        [
            (message_id, chunk.chat_id)
            for chunk in chunks
            if chunk.row["origin"] == "native"
            for message_id, _, _ in chunk.sources
        ],
    )


def take_out(db: sqlite3.Connection, trash_id: int, chunk_ids: Sequence[int]) -> None:
    """Put chunks into the trash, and note that they are not to be made again from the same text.

    Raises `StoreError` with code `not_found` when one of them is gone.
    """
    for chunk_id in chunk_ids:
        chunk = read_whole(db, chunk_id)
        db.execute(
            "INSERT INTO forgotten_chunks VALUES (?, ?, ?, ?)",
            (chunk.id, trash_id, chunk.chat_id, _body(chunk)),
        )
        if chunk.row["origin"] == "native":
            # What stood beside it in an exchange is to be joined without it.
            look_again(db, [chunk])
            db.executemany(
                "INSERT OR IGNORE INTO forgotten_sources SELECT id, ?, ? FROM messages WHERE id = ?",
                [(source, piece, message_id) for message_id, source, piece in chunk.sources],
            )
        delete_whole(db, chunk_id)


def bring_back(db: sqlite3.Connection, trash_id: int) -> list[int]:
    """Take chunks out of the trash as they were; returns their ids."""
    rows = db.execute("SELECT body FROM forgotten_chunks WHERE trash_id = ? ORDER BY id", (trash_id,))
    chunks = [_whole(row[0]) for row in rows.fetchall()]
    db.execute("DELETE FROM forgotten_chunks WHERE trash_id = ?", (trash_id,))
    for chunk in chunks:
        for source in chunk.sources:
            db.execute(
                "DELETE FROM forgotten_sources WHERE message_id = ? AND source_hash = ? AND piece = ?", source
            )
            _make_room(db, chunk.chat_id, source)
        # Taking another act back may have brought it before.
        delete_whole(db, chunk.id)
        write_whole(db, chunk)
    # The messages may have changed while they were away.
    look_again(db, chunks)
    return [chunk.id for chunk in chunks]


def _make_room(db: sqlite3.Connection, chat_id: int, source: tuple[int, bytes, int]) -> None:
    """Remove what a rebuild made in a chunk's place meanwhile, but nothing that a person keeps."""
    found = db.execute(
        "SELECT k.id FROM memory_chunks k JOIN chunk_sources s ON s.chunk_id = k.id"
        " WHERE s.message_id = ? AND s.source_hash = ? AND s.piece = ? AND k.chat_id = ?"
        " AND k.origin = 'native' AND NOT (k.frozen OR k.edited OR k.pinned)",
        (*source, chat_id),
    )
    for (twin,) in found.fetchall():
        delete_whole(db, twin)


def _body(chunk: WholeChunk) -> str:
    row = {**chunk.row, "text_hash": chunk.row["text_hash"].hex()}
    sources = [(message_id, source.hex(), piece) for message_id, source, piece in chunk.sources]
    return json.dumps([row, chunk.words, sources, chunk.revisions, chunk.recalls])


def _whole(body: str) -> WholeChunk:
    row, words, sources, revisions, recalls = json.loads(body)
    row["text_hash"] = bytes.fromhex(row["text_hash"])
    return WholeChunk(
        row=row,
        words=words,
        sources=tuple((message_id, bytes.fromhex(source), piece) for message_id, source, piece in sources),
        revisions=tuple(tuple(item) for item in revisions),
        recalls=tuple(recalls),
    )
