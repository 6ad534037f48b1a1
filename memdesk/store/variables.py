"""Variables of macros on disk, per chat and for all chats, and the facts of a chat that macros tell."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping

from memdesk.store.database import Database

EVERYWHERE = 0
"""Stands for the chat of a variable that belongs to none."""


class VariableStore:
    """Reads and writes variables: what one turn changes is written at once, or not at all."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def read(self, chat_id: int, reply_id: int | None = None) -> tuple[dict[str, str], dict[str, str]]:
        """Return a chat's variables and those of all chats.

        For a reply that is written anew, the chat's are as they were before it, if no later turn changed any.
        """
        with self._db.read() as db:
            own, everywhere = _values(db, chat_id), _values(db, EVERYWHERE)
            if reply_id is not None:
                last = db.execute(
                    "SELECT t.message_id, t.before FROM variable_turns t"
                    " JOIN messages m ON m.id = t.message_id WHERE t.chat_id = ?"
                    " ORDER BY m.position DESC LIMIT 1",
                    (chat_id,),
                ).fetchone()
                if last is not None and last["message_id"] == reply_id:
                    own = json.loads(last["before"])
        return own, everywhere

    def commit(self, chat_id: int, reply_id: int | None, changes: Mapping[str, Mapping[str, str]]) -> None:
        """Keep what a turn changed ("chat" and "global" by name).

        `reply_id` is the reply that it was made for: when that is written anew, its changes are taken back.
        """
        if not changes:
            return
        own = changes.get("chat", {})
        with self._db.write() as db:
            if own:
                present = self.read(chat_id, reply_id)[0]
                if reply_id is not None:
                    db.execute(
                        "INSERT OR REPLACE INTO variable_turns VALUES (?, ?, ?)",
                        (reply_id, chat_id, json.dumps(present, ensure_ascii=False)),
                    )
                _put(db, chat_id, {**present, **own}, whole=True)
            _put(db, EVERYWHERE, changes.get("global", {}), whole=False)

    def replace(self, chat_id: int, values: Mapping[str, str]) -> None:
        """Put other variables in place of a chat's (`EVERYWHERE`: of all chats')."""
        with self._db.write() as db:
            _put(db, chat_id, values, whole=True)

    def user_messages(self, chat_id: int, before_position: int | None = None) -> int:
        """Return how many messages of the person stand in a chat, or before a place in it."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT count(*) FROM messages WHERE chat_id = ? AND trash_id IS NULL AND role = 'user'"
                " AND position < ?",
                (chat_id, 2**62 if before_position is None else before_position),
            ).fetchone()
        return int(row[0])

    def position(self, message_id: int) -> int | None:
        """Return a message's place in its chat, None when it is gone."""
        with self._db.read() as db:
            row = db.execute("SELECT position FROM messages WHERE id = ?", (message_id,)).fetchone()
        return int(row[0]) if row else None

    def birth(self, chat_id: int) -> str:
        """Return when a chat's first message was made: a branch shares it with what it branched from."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT created_at FROM messages WHERE chat_id = ? ORDER BY position LIMIT 1", (chat_id,)
            ).fetchone()
        return str(row[0]) if row else f"chat {chat_id}"


def copy_variables(db: sqlite3.Connection, chat_id: int, message_id: int, new_chat: int) -> None:
    """Give a branch the variables that its chat had after a message."""
    later = db.execute(
        "SELECT t.before FROM variable_turns t JOIN messages m ON m.id = t.message_id WHERE t.chat_id = ?"
        " AND m.position > (SELECT position FROM messages WHERE id = ?) ORDER BY m.position LIMIT 1",
        (chat_id, message_id),
    ).fetchone()
    _put(db, new_chat, json.loads(later["before"]) if later else _values(db, chat_id), whole=True)


def _values(db: sqlite3.Connection, chat_id: int) -> dict[str, str]:
    rows = db.execute("SELECT name, value FROM variables WHERE chat_id = ? ORDER BY name", (chat_id,))
    return {row["name"]: row["value"] for row in rows}


def _put(db: sqlite3.Connection, chat_id: int, values: Mapping[str, str], *, whole: bool) -> None:
    if whole:
        db.execute("DELETE FROM variables WHERE chat_id = ?", (chat_id,))
    db.executemany(
        "INSERT OR REPLACE INTO variables VALUES (?, ?, ?)",
        [(chat_id, name, value) for name, value in values.items()],
    )
