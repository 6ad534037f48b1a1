"""The files of the Data Bank: whose they are, what they say, how they are cut and found."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.document import Block, Place, block_values, read_block, read_place
from memdesk.store.errors import StoreError

Scope = Literal["global", "character", "chat"]
Mode = Literal["auto", "whole", "search"]
"""How a file is read in: by search, but small ones whole once they are found; always whole; by search."""

SCOPES: tuple[Scope, ...] = ("chat", "character", "global")
"""In the order in which they come first where room is short."""

_FIELDS = frozenset({"name", "enabled", "mode", "chunk_chars", "overlap"})


@dataclass(frozen=True, slots=True)
class Home:
    """Where a file belongs: everywhere, to some characters, or to one chat."""

    scope: Scope = "global"
    chat_id: int | None = None
    character_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NewFileChunk:
    """A chunk that is to be stored; `pieces` are (start, stop, text hash), `words` its terms."""

    text: str
    first: Place
    last: Place
    tokens: int
    pieces: tuple[tuple[int, int, bytes], ...]
    words: str


@dataclass(frozen=True, slots=True)
class NewAttachment:
    """A file that is to be stored; `file` is the hash of the original, sizes are in bytes and characters."""

    name: str
    kind: str
    bytes: int
    file: str
    blocks: Sequence[Block]
    chars: int
    tokens: int
    chunk_chars: int
    overlap: int


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of the Data Bank."""

    id: int
    home: Home
    name: str
    kind: str
    bytes: int
    file: str
    chars: int
    tokens: int
    enabled: bool
    mode: Mode
    chunk_chars: int
    overlap: int
    revision: int
    edited: bool
    chunks: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class FileChunk:
    """A part of a file; `position` counts from 0."""

    id: int
    attachment_id: int
    position: int
    text: str
    first: Place
    last: Place
    tokens: int
    enabled: bool
    pinned: bool


_COUNT = "(SELECT count(*) FROM attachment_chunks k WHERE k.attachment_id = a.id)"
_SELECT = (
    f"SELECT a.*, {_COUNT} AS chunks,"
    " (SELECT json_group_array(l.character_id) FROM attachment_characters l JOIN characters c"
    " ON c.id = l.character_id AND c.trash_id IS NULL WHERE l.attachment_id = a.id) AS characters"
    " FROM attachments a LEFT JOIN chats h ON h.id = a.chat_id"
)
_UNCOUNTED = _SELECT.replace(_COUNT, "0")
_BEST = "SELECT rowid, words, rank FROM attachment_words WHERE attachment_words MATCH ? ORDER BY rank LIMIT ?"
_WANTED = "k.enabled AND k.attachment_id IN (SELECT value FROM json_each(?))"
_AMONG_BEST = (
    f"SELECT w.rowid, w.words FROM ({_BEST}) w JOIN attachment_chunks k ON k.id = w.rowid WHERE {_WANTED}"
    " ORDER BY w.rank"
)
_AMONG_ALL = (
    "SELECT w.rowid, w.words FROM attachment_words w JOIN attachment_chunks k ON k.id = w.rowid"
    f" WHERE attachment_words MATCH ? AND {_WANTED}"
)
_STANDS = (
    "a.trash_id IS NULL AND h.trash_id IS NULL AND (a.scope <> 'character' OR EXISTS (SELECT 1 FROM"
    " attachment_characters l JOIN characters c ON c.id = l.character_id"
    " WHERE l.attachment_id = a.id AND c.trash_id IS NULL))"
)
_ORDER = "ORDER BY CASE a.scope WHEN 'chat' THEN 0 WHEN 'character' THEN 1 ELSE 2 END, a.position, a.id"


class AttachmentStore:
    """Reads and writes attachments and their chunks. `get` and the like raise `StoreError` (`not_found`)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── files ────────────────────────────────────────────────────────────────────────────────────────

    def add(self, new: NewAttachment, home: Home, chunks: Sequence[NewFileChunk]) -> int:
        """Store a file with its chunks, last in its scope; returns its id."""
        moment = to_text(now())
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO attachments (scope, chat_id, position, name, kind, bytes, file, extracted,"
                " chars, tokens, chunk_chars, overlap, created_at, updated_at) VALUES (?, ?, (SELECT"
                " coalesce(max(position), 0) + 1 FROM attachments), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    home.scope, home.chat_id, new.name, new.kind, new.bytes, new.file, _packed(new.blocks),
                    new.chars, new.tokens, new.chunk_chars, new.overlap, moment, moment,
                ),
            )  # fmt: skip
            attachment_id = int(cursor.lastrowid or 0)
            _link(db, attachment_id, home.character_ids)
            _add_chunks(db, attachment_id, chunks)
        return attachment_id

    def copy(self, attachment_id: int, home: Home) -> int:
        """Store a file a second time elsewhere, with its chunks as they are; returns the new id."""
        self.get(attachment_id)
        columns = (
            "name, kind, bytes, file, extracted, edited, chars, tokens, enabled, mode, chunk_chars, overlap,"
            " created_at, updated_at"
        )
        with self._db.write() as db:
            cursor = db.execute(
                f"INSERT INTO attachments (scope, chat_id, position, {columns}) SELECT ?, ?, (SELECT"
                f" max(position) + 1 FROM attachments), {columns} FROM attachments WHERE id = ?",
                (home.scope, home.chat_id, attachment_id),
            )
            copied = int(cursor.lastrowid or 0)
            _link(db, copied, home.character_ids)
            rows = db.execute(
                "SELECT * FROM attachment_chunks WHERE attachment_id = ? ORDER BY position", (attachment_id,)
            ).fetchall()
            for row in rows:
                made = db.execute(
                    "INSERT INTO attachment_chunks (attachment_id, position, text, place, tokens, enabled,"
                    " pinned) VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        copied,
                        *(row[key] for key in ("position", "text", "place", "tokens", "enabled", "pinned")),
                    ),
                )
                db.execute(
                    "INSERT INTO attachment_pieces SELECT ?, piece, start, stop, text_hash"
                    " FROM attachment_pieces WHERE chunk_id = ?",
                    (made.lastrowid, row["id"]),
                )
                db.execute(
                    "INSERT INTO attachment_words (rowid, words)"
                    " SELECT ?, words FROM attachment_words WHERE rowid = ?",
                    (made.lastrowid, row["id"]),
                )
        return copied

    def get(self, attachment_id: int) -> Attachment:
        """Return one file."""
        with self._db.read() as db:
            row = db.execute(f"{_SELECT} WHERE a.id = ? AND {_STANDS}", (attachment_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"There is no file {attachment_id} in the Data Bank.")
        return _attachment(row)

    def all(self) -> list[Attachment]:
        """Return all files that stand: those of chats, of characters, global ones, each by hand's order."""
        with self._db.read() as db:
            rows = db.execute(f"{_SELECT} WHERE {_STANDS} {_ORDER}").fetchall()
        return [_attachment(row) for row in rows]

    def reaching(self, chat_id: int, character_ids: Iterable[int]) -> list[Attachment]:
        """Return the files of a chat, of some characters, and the global ones, most important first.

        Their chunks are not counted: this is asked before each reply.
        """
        where = (
            "(a.scope = 'global' OR (a.scope = 'chat' AND a.chat_id = :chat) OR (a.scope = 'character' AND"
            " EXISTS (SELECT 1 FROM attachment_characters l WHERE l.attachment_id = a.id"
            " AND l.character_id IN (SELECT value FROM json_each(:characters)))))"
        )
        values = {"chat": chat_id, "characters": json.dumps(list(character_ids))}
        with self._db.read() as db:
            rows = db.execute(f"{_UNCOUNTED} WHERE {_STANDS} AND {where} {_ORDER}", values).fetchall()
        return [_attachment(row) for row in rows]

    def blocks(self, attachment_id: int) -> list[Block]:
        """Return a file's blocks as they were read."""
        row = self._row(attachment_id, "extracted")
        return [read_block(values) for values in json.loads(zlib.decompress(row[0]))]

    def edited_text(self, attachment_id: int) -> str | None:
        """Return a file's text as a person made it, None while it is as it was read."""
        text: str | None = self._row(attachment_id, "edited")[0]
        return text

    def _row(self, attachment_id: int, column: str) -> Any:  # noqa: ANN401 — a row
        with self._db.read() as db:
            row = db.execute(f"SELECT {column} FROM attachments WHERE id = ?", (attachment_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"There is no file {attachment_id} in the Data Bank.")
        return row

    def set(self, attachment_id: int, **values: object) -> None:
        """Change name, enabled, mode, chunk_chars or overlap."""
        if not values.keys() <= _FIELDS:
            raise ValueError(f"Not fields of an attachment: {sorted(values.keys() - _FIELDS)}")
        marks = ", ".join(f"{key} = ?" for key in values)
        with self._db.write() as db:
            db.execute(f"UPDATE attachments SET {marks} WHERE id = ?", (*values.values(), attachment_id))

    def set_home(self, attachment_id: int, home: Home) -> None:
        """Move a file to another scope, or link it to other characters; all else of it stays."""
        with self._db.write() as db:
            # Before the links go: a file of characters goes with its last one.
            db.execute(
                "UPDATE attachments SET scope = 'moving', chat_id = ? WHERE id = ?",
                (home.chat_id, attachment_id),
            )
            db.execute("DELETE FROM attachment_characters WHERE attachment_id = ?", (attachment_id,))
            _link(db, attachment_id, home.character_ids)
            db.execute("UPDATE attachments SET scope = ? WHERE id = ?", (home.scope, attachment_id))

    def order(self, ids: Sequence[int]) -> None:
        """Put files into this order; they take the places that they have among them."""
        with self._db.write() as db:
            rows = db.execute(
                "SELECT position FROM attachments WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
            places = sorted(row[0] for row in rows)
            db.executemany(
                "UPDATE attachments SET position = ? WHERE id = ?", list(zip(places, ids, strict=True))
            )

    def rewrite(
        self, attachment_id: int, edited: str | None, sizes: tuple[int, int], chunks: Sequence[NewFileChunk]
    ) -> None:
        """Give a file another text, None for the one that was read, and the chunks of it.

        Chunks that say what they said stay what they are, switched off or pinned, too.
        """
        with self._db.write() as db:
            db.execute(
                "UPDATE attachments SET edited = ?, chars = ?, tokens = ?, updated_at = ? WHERE id = ?",
                (edited, *sizes, to_text(now()), attachment_id),
            )
            self._replace_chunks(db, attachment_id, chunks)

    @staticmethod
    def _replace_chunks(db: sqlite3.Connection, attachment_id: int, chunks: Sequence[NewFileChunk]) -> None:
        rows = db.execute(
            "SELECT text, enabled, pinned FROM attachment_chunks WHERE attachment_id = ?", (attachment_id,)
        ).fetchall()
        marked = [(row["enabled"], row["pinned"], attachment_id, row["text"]) for row in rows]
        db.execute("DELETE FROM attachment_chunks WHERE attachment_id = ?", (attachment_id,))
        _add_chunks(db, attachment_id, chunks)
        db.executemany(
            "UPDATE attachment_chunks SET enabled = ?, pinned = ? WHERE attachment_id = ? AND text = ?",
            [mark for mark in marked if not mark[0] or mark[1]],
        )
        db.execute("UPDATE attachments SET revision = revision + 1 WHERE id = ?", (attachment_id,))

    def take_dropped(self) -> list[str]:
        """Return the hashes of originals that no file has any more, each once."""
        with self._db.write() as db:
            rows = db.execute(
                "SELECT file FROM dropped_files WHERE file NOT IN (SELECT file FROM attachments)"
                " AND file NOT IN (SELECT avatar FROM characters WHERE avatar IS NOT NULL)"
                " AND file NOT IN (SELECT picture FROM characters WHERE picture IS NOT NULL)"
                " AND file NOT IN (SELECT avatar FROM personas WHERE avatar IS NOT NULL)"
            ).fetchall()
            db.execute("DELETE FROM dropped_files")
        return [row[0] for row in rows]

    # ── chunks ───────────────────────────────────────────────────────────────────────────────────────

    def chunks(self, attachment_id: int) -> list[FileChunk]:
        """Return the chunks of a file in reading order."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT * FROM attachment_chunks WHERE attachment_id = ? ORDER BY position", (attachment_id,)
            ).fetchall()
        return [_chunk(row) for row in rows]

    def get_chunks(self, ids: Iterable[int]) -> dict[int, FileChunk]:
        """Return chunks by id; those that are gone are missing."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT * FROM attachment_chunks WHERE id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(ids)),),
            ).fetchall()
        return {row["id"]: _chunk(row) for row in rows}

    def set_chunk(self, chunk_id: int, flag: Literal["enabled", "pinned"], *, value: bool) -> None:
        """Switch a chunk on or off, or pin it."""
        with self._db.write() as db:
            db.execute(f"UPDATE attachment_chunks SET {flag} = ? WHERE id = ?", (value, chunk_id))

    def search_words(self, attachment_ids: Sequence[int], expression: str, limit: int) -> dict[int, str]:
        """Return the terms of the best `limit` chunks for an FTS5 expression, by chunk id."""
        files = json.dumps(list(attachment_ids))
        with self._db.read() as db:
            # Most of the time all files count; looking each match up before it is ranked takes twice as long.
            rows = db.execute(f"{_AMONG_BEST} LIMIT ?", (expression, 2 * limit, files, limit)).fetchall()
            if len(rows) < limit:
                rows = db.execute(
                    f"{_AMONG_ALL} ORDER BY rank LIMIT ?", (expression, files, limit)
                ).fetchall()
        return {row[0]: row[1] for row in rows}

    def frequency(self, terms: Iterable[str]) -> tuple[int, dict[str, int]]:
        """Return the number of chunks in the whole Data Bank, and how many hold each term."""
        with self._db.read() as db:
            total = db.execute("SELECT count(*) FROM attachment_chunks").fetchone()[0]
            found = {}
            for term in dict.fromkeys(terms):
                row = db.execute("SELECT doc FROM attachment_terms WHERE term = ?", (term,)).fetchone()
                found[term] = row[0] if row else 0
        return total, found

    # ── vectors ──────────────────────────────────────────────────────────────────────────────────────

    def waiting(self, space_id: int, limit: int) -> dict[bytes, str]:
        """Return texts of pieces that have no vector in a space, by hash."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT p.text_hash, substr(k.text, p.start + 1, p.stop - p.start) AS text"
                " FROM attachment_pieces p JOIN attachment_chunks k ON k.id = p.chunk_id"
                " JOIN attachments a ON a.id = k.attachment_id AND a.trash_id IS NULL"
                " WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space_id = ?"
                " AND v.text_hash = p.text_hash) LIMIT ?",
                (space_id, limit),
            ).fetchall()
        return {row["text_hash"]: row["text"] for row in rows}

    def counts(self, space_id: int) -> dict[int, tuple[int, int]]:
        """Return (pieces, pieces with a vector) by file."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT k.attachment_id, count(*), count(v.text_hash) FROM attachment_chunks k"
                " JOIN attachment_pieces p ON p.chunk_id = k.id"
                " LEFT JOIN vectors v ON v.space_id = ? AND v.text_hash = p.text_hash GROUP BY 1",
                (space_id,),
            ).fetchall()
        return {row[0]: (row[1], row[2]) for row in rows}

    def vectors(self, attachment_id: int, space_id: int) -> Iterator[tuple[int, bytes | None]]:
        """Yield (chunk id, vector as float32 bytes or None) for every piece of a file."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT p.chunk_id, v.vector FROM attachment_chunks k JOIN attachment_pieces p"
                " ON p.chunk_id = k.id LEFT JOIN vectors v ON v.space_id = ? AND v.text_hash = p.text_hash"
                " WHERE k.attachment_id = ? ORDER BY k.position, p.piece",
                (space_id, attachment_id),
            ).fetchall()
        yield from ((row[0], row[1]) for row in rows)


def _packed(blocks: Iterable[Block]) -> bytes:
    return zlib.compress(json.dumps([block_values(block) for block in blocks], ensure_ascii=False).encode())


def _link(db: sqlite3.Connection, attachment_id: int, character_ids: Iterable[int]) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO attachment_characters VALUES (?, ?)",
        [(attachment_id, character_id) for character_id in character_ids],
    )


def _add_chunks(db: sqlite3.Connection, attachment_id: int, chunks: Iterable[NewFileChunk]) -> None:
    for position, chunk in enumerate(chunks):
        place = json.dumps([chunk.first.values(), chunk.last.values()], ensure_ascii=False)
        cursor = db.execute(
            "INSERT INTO attachment_chunks (attachment_id, position, text, place, tokens)"
            " VALUES (?, ?, ?, ?, ?)",
            (attachment_id, position, chunk.text, place, chunk.tokens),
        )
        db.executemany(
            "INSERT INTO attachment_pieces VALUES (?, ?, ?, ?, ?)",
            [(cursor.lastrowid, number, *piece) for number, piece in enumerate(chunk.pieces)],
        )
        db.execute(
            "INSERT INTO attachment_words (rowid, words) VALUES (?, ?)", (cursor.lastrowid, chunk.words)
        )


def _attachment(row: sqlite3.Row) -> Attachment:
    return Attachment(
        id=row["id"],
        home=Home(row["scope"], row["chat_id"], tuple(json.loads(row["characters"]))),
        name=row["name"],
        kind=row["kind"],
        bytes=row["bytes"],
        file=row["file"],
        chars=row["chars"],
        tokens=row["tokens"],
        enabled=bool(row["enabled"]),
        mode=row["mode"],
        chunk_chars=row["chunk_chars"],
        overlap=row["overlap"],
        revision=row["revision"],
        edited=row["edited"] is not None,
        chunks=row["chunks"],
        created_at=from_text(row["created_at"]),
        updated_at=from_text(row["updated_at"]),
    )


def _chunk(row: sqlite3.Row) -> FileChunk:
    first, last = json.loads(row["place"])
    return FileChunk(
        id=row["id"],
        attachment_id=row["attachment_id"],
        position=row["position"],
        text=row["text"],
        first=read_place(first),
        last=read_place(last),
        tokens=row["tokens"],
        enabled=bool(row["enabled"]),
        pinned=bool(row["pinned"]),
    )
