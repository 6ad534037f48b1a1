"""What a person changes about messages that stand: who sees them, which version, up to where they go."""

from __future__ import annotations

from collections.abc import Sequence

from memdesk.chats.model import SwipeState
from memdesk.store.database import Database, now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.swipe_rows import WholeSwipe, gone, put_swipe_back, read_swipe


class MessageEdits:
    """Writes acts on messages, each in one transaction."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def from_here(self, message_id: int, *, after: bool = False) -> tuple[int, list[int]]:
        """Return the chat of a message, and the ids of it and all after it (`after`: without it), in order.

        Raises `StoreError` with code `not_found`.
        """
        with self._db.read() as db:
            row = db.execute(
                "SELECT chat_id, position FROM messages WHERE id = ? AND trash_id IS NULL", (message_id,)
            ).fetchone()
            if row is None:
                raise StoreError("not_found", f"Message {message_id} is not there any more.")
            found = db.execute(
                "SELECT id FROM messages WHERE chat_id = ? AND trash_id IS NULL AND position >= ?"
                " ORDER BY position",
                (row["chat_id"], row["position"] + after),
            ).fetchall()
        return row["chat_id"], [item["id"] for item in found]

    def set_hidden(self, message_ids: Sequence[int], *, hidden: bool) -> tuple[int, list[int]]:
        """Hide messages of one chat from the model, or show them again; returns the chat, and what changed.

        Raises `StoreError` with code `not_found`, and changes nothing, when one of them is gone.
        """
        chat_id, changed = 0, []
        with self._db.write() as db:
            for message_id in message_ids:
                row = db.execute(
                    "SELECT chat_id, hidden FROM messages WHERE id = ? AND trash_id IS NULL", (message_id,)
                ).fetchone()
                if row is None:
                    raise StoreError("not_found", f"Message {message_id} is not there any more.")
                chat_id = row["chat_id"]
                if bool(row["hidden"]) != hidden:
                    changed.append(message_id)
            db.executemany(
                "UPDATE messages SET hidden = ? WHERE id = ?", [(hidden, item) for item in changed]
            )
        return chat_id, changed

    def choose(self, message_id: int, swipe_id: int) -> None:
        """Let a version of a message stand, wherever it is among them; raises `StoreError` (`not_found`)."""
        with self._db.write() as db:
            changed = db.execute(
                "UPDATE messages SET active_swipe = (SELECT position FROM swipes WHERE id = :swipe)"
                " WHERE id = :message AND EXISTS (SELECT 1 FROM swipes"
                "  WHERE id = :swipe AND message_id = :message AND position >= 0)",
                {"swipe": swipe_id, "message": message_id},
            ).rowcount
        if not changed:
            raise gone()

    def read(self, swipe_id: int) -> WholeSwipe:
        """Return a version with what hangs on it; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            return read_swipe(db, swipe_id)

    def begin_continuing(self, swipe_id: int) -> WholeSwipe:
        """Mark a version as being written further, its text kept as a revision; returns what it was."""
        with self._db.write() as db:
            before = read_swipe(db, swipe_id)
            db.execute(
                "INSERT INTO revisions (kind, item_id, before, actor, at)"
                " VALUES ('swipe', ?, ?, 'automatic', ?)",
                (swipe_id, before.text, to_text(now())),
            )
            db.execute(
                "UPDATE swipes SET state = ?, error = '' WHERE id = ?", (SwipeState.STREAMING, swipe_id)
            )
        return before

    def put_back(self, swipe: WholeSwipe) -> None:
        """Make a version what it was, with its receipt; raises `StoreError` with code `not_found`."""
        with self._db.write() as db:
            put_swipe_back(db, swipe)
