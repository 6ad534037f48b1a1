"""Deleting without losing: a deleted row points at its trash entry and comes back with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memdesk.store.chunk_rows import bring_back, take_out
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.swipe_rows import bring_swipe_back, take_swipe_out

KEEP_DAYS = 30
"""How long deleted things can be restored."""

_TABLES = {
    "character": "characters",
    "chat": "chats",
    "messages": "messages",
    "persona": "personas",
    "preset": "presets",
    "summaries": "summary_entries",
    "files": "attachments",
}
_MEMORIES = "memories"
"""Memories are moved aside whole instead of marked: every search would have to step over them."""
_VERSION = "version"
"""One of several versions of a message."""


@dataclass(frozen=True, slots=True)
class TrashEntry:
    """One act of deleting, with everything that went with it."""

    id: int
    kind: str
    label: str
    chat_id: int | None
    deleted_at: datetime


class TrashStore:
    """Puts things into the trash, brings them back, and empties it."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, kind: str, ids: Sequence[int], label: str, chat_id: int | None = None) -> int:
        """Delete rows of a kind: a key of `_TABLES`, `memories` or `version`.

        Returns the trash id. Raises `StoreError` with code `not_found` for a memory or version that is gone,
        and `last_version` or `being_written` for a version that cannot go.
        """
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO trash (kind, label, chat_id, deleted_at) VALUES (?, ?, ?, ?)",
                (kind, label, chat_id, to_text(now())),
            )
            trash_id = int(cursor.lastrowid or 0)
            if kind == _MEMORIES:
                take_out(db, trash_id, ids)
            elif kind == _VERSION:
                take_swipe_out(db, trash_id, ids[0])
            else:
                db.executemany(
                    f"UPDATE {_TABLES[kind]} SET trash_id = ? WHERE id = ? AND trash_id IS NULL",
                    [(trash_id, item) for item in ids],
                )
        return trash_id

    def restore(self, trash_id: int) -> tuple[TrashEntry, list[int]]:
        """Bring back what one act of deleting took; returns the entry and the ids of its rows.

        For a version of a message the id is that of the message.
        """
        entry = self.get(trash_id)
        with self._db.write() as db:
            if entry.kind == _MEMORIES:
                ids = bring_back(db, trash_id)
            elif entry.kind == _VERSION:
                ids = bring_swipe_back(db, trash_id)
            else:
                table = _TABLES[entry.kind]
                rows = db.execute(f"SELECT id FROM {table} WHERE trash_id = ?", (trash_id,))
                ids = [row[0] for row in rows.fetchall()]
                db.execute(f"UPDATE {table} SET trash_id = NULL WHERE trash_id = ?", (trash_id,))
            db.execute("DELETE FROM trash WHERE id = ?", (trash_id,))
        return entry, ids

    def get(self, trash_id: int) -> TrashEntry:
        """Return one entry; raises `StoreError` with code `not_found`."""
        for entry in self.all():
            if entry.id == trash_id:
                return entry
        raise StoreError("not_found", "That is not in the trash any more.")

    def all(self) -> list[TrashEntry]:
        """Return what can be restored, last deleted first."""
        with self._db.read() as db:
            rows = db.execute("SELECT * FROM trash ORDER BY id DESC").fetchall()
        return [
            TrashEntry(r["id"], r["kind"], r["label"], r["chat_id"], from_text(r["deleted_at"])) for r in rows
        ]

    def purge(self, older_than: timedelta = timedelta(days=KEEP_DAYS)) -> int:
        """Delete for good what has been in the trash too long; returns how many entries went."""
        return self.purge_before(to_text(now() - older_than))

    def purge_before(self, limit: str) -> int:
        """Delete for good what was put into the trash before a time, written as it is stored."""
        with self._db.write() as db:
            # Chunks' words are in a virtual table that no cascade reaches.
            db.execute(
                "DELETE FROM chunk_words WHERE rowid IN (SELECT k.id FROM memory_chunks k"
                " JOIN chats c ON c.id = k.chat_id JOIN trash t ON t.id = c.trash_id WHERE t.deleted_at < ?)",
                (limit,),
            )
            return db.execute("DELETE FROM trash WHERE deleted_at < ?", (limit,)).rowcount
