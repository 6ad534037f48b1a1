"""Checkpoints: names that a person gives to places in a chat."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A named message; `number` is the message's number in its chat now."""

    id: int
    message_id: int
    chat_id: int
    number: int
    name: str
    created_at: datetime


class CheckpointStore:
    """Reads and writes checkpoints. Those of messages in the trash are not there until the message is."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self, chat_id: int) -> list[Checkpoint]:
        """Return the checkpoints of a chat in story order."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT p.*, m.chat_id, (SELECT count(*) FROM messages o WHERE o.chat_id = m.chat_id"
                "  AND o.trash_id IS NULL AND o.position <= m.position) AS number"
                " FROM messages m JOIN checkpoints p ON p.message_id = m.id"
                " WHERE m.chat_id = ? AND m.trash_id IS NULL ORDER BY m.position, p.id",
                (chat_id,),
            ).fetchall()
        return [
            Checkpoint(
                row["id"],
                row["message_id"],
                row["chat_id"],
                row["number"],
                row["name"],
                from_text(row["created_at"]),
            )
            for row in rows
        ]

    def add(self, message_id: int, name: str, checkpoint_id: int | None = None) -> int:
        """Name a message; returns the id. Raises `StoreError` with code `not_found`."""
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO checkpoints (id, message_id, name, created_at)"
                " SELECT ?, id, ?, ? FROM messages WHERE id = ?",
                (checkpoint_id, name, to_text(now()), message_id),
            )
        if not cursor.rowcount:
            raise StoreError("not_found", f"Message {message_id} is not there any more.")
        return int(cursor.lastrowid or 0)

    def rename(self, checkpoint_id: int, name: str) -> None:
        """Give a checkpoint another name; raises `StoreError` with code `not_found`."""
        with self._db.write() as db:
            changed = db.execute(
                "UPDATE checkpoints SET name = ? WHERE id = ?", (name, checkpoint_id)
            ).rowcount
        if not changed:
            raise _gone()

    def remove(self, checkpoint_id: int) -> None:
        """Take the name away, for good; raises `StoreError` with code `not_found`."""
        with self._db.write() as db:
            changed = db.execute("DELETE FROM checkpoints WHERE id = ?", (checkpoint_id,)).rowcount
        if not changed:
            raise _gone()

    def get(self, checkpoint_id: int) -> tuple[int, int, str]:
        """Return chat, message and name of a checkpoint; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT m.chat_id, p.message_id, p.name FROM checkpoints p"
                " JOIN messages m ON m.id = p.message_id WHERE p.id = ?",
                (checkpoint_id,),
            ).fetchone()
        if row is None:
            raise _gone()
        return row["chat_id"], row["message_id"], row["name"]


def _gone() -> StoreError:
    return StoreError("not_found", "That checkpoint is not there any more.")
