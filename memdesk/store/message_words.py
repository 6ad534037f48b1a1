"""The index of the words of messages on disk, and the list of messages that it has not taken in yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from memdesk.chats.model import Role, SwipeState
from memdesk.store.database import Database, from_text

Rows = npt.NDArray[np.int64]
"""Rows of the index: chat × 2^32 + message, ascending by chat and message."""

_CHAT = 32
_MESSAGE = (1 << _CHAT) - 1

# CROSS JOIN keeps the order: the few that are asked for come first, then what belongs to them.
_STANDING = """
 CROSS JOIN messages m ON m.id = {id} AND m.trash_id IS NULL
 CROSS JOIN chats c ON c.id = m.chat_id AND c.trash_id IS NULL
 CROSS JOIN swipes s ON s.message_id = m.id AND s.position = m.active_swipe
"""


def row_of(chat_id: int, message_id: int) -> int:
    """Return the id of a message's row in the index."""
    return (chat_id << _CHAT) + message_id


def messages_of(rows: Rows) -> list[int]:
    """Return the message ids of rows."""
    return (rows & _MESSAGE).tolist()  # type: ignore[no-any-return]


def chats_of(rows: Rows) -> Rows:
    """Return the chat ids of rows."""
    return rows >> _CHAT


@dataclass(frozen=True, slots=True)
class Unindexed:
    """A message whose words are to be taken in; `text` is None when it is gone."""

    message_id: int
    chat_id: int
    change: int
    text: str | None


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A message that was found, with what is shown of it."""

    message_id: int
    chat_id: int
    swipe_id: int
    role: Role
    name: str
    created_at: datetime
    hidden: bool
    text: str


class MessageWordStore:
    """Reads and writes the words of messages."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all that this thread reads in the block be of one moment, index and queue alike."""
        with self._db.read() as db:
            db.execute("BEGIN")
            try:
                yield
            finally:
                db.execute("COMMIT")

    def matches(self, expression: str, chat_id: int | None) -> Rows:
        """Return the rows of all messages that fit an FTS5 expression, as last indexed, ascending.

        Some may have changed or gone meanwhile: `changed` names them.
        """
        where = ""
        if chat_id is not None:
            low = row_of(int(chat_id), 0)
            where = f" AND rowid BETWEEN {low} AND {low + _MESSAGE}"
        with self._db.read() as db:
            # One text of all rows: a common word is in most messages, and rows handed over singly take twice
            # as long as finding them.
            (listed,) = db.execute(
                f"SELECT group_concat(rowid) FROM message_words WHERE message_words MATCH ?{where}",
                (expression,),
            ).fetchone()
        return np.sort(np.fromstring(listed or "", np.int64, sep=","))

    def changed(self) -> Rows:
        """Return the rows of messages that were indexed and have changed since, or are new."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT chat_id, message_id FROM unindexed_messages WHERE change <> 0"
            ).fetchall()
        return np.array([row_of(row[0], row[1]) for row in rows], np.int64)

    def unindexed(self, limit: int, chat_id: int | None = None) -> list[tuple[int, int, str]]:
        """Return (chat id, message id, text) of standing messages that are not indexed, newest first."""
        where = "" if chat_id is None else "WHERE u.chat_id = :chat"
        with self._db.read() as db:
            rows = db.execute(
                "SELECT m.chat_id, m.id, s.text FROM unindexed_messages u"
                f" {_STANDING.format(id='u.message_id')} {where} ORDER BY u.message_id DESC LIMIT :limit",
                {"limit": limit, "chat": chat_id},
            ).fetchall()
        return [(row[0], row[1], row[2]) for row in rows]

    def unindexed_count(self, chat_id: int | None = None) -> int:
        """Return how many messages, also deleted ones, are still to be taken in."""
        where = "" if chat_id is None else "WHERE chat_id = :chat"
        with self._db.read() as db:
            row = db.execute(f"SELECT count(*) FROM unindexed_messages {where}", {"chat": chat_id}).fetchone()
        return int(row[0])

    def standing_chats(self) -> dict[int, str]:
        """Return the titles of the chats that are not in the trash, by id."""
        with self._db.read() as db:
            rows = db.execute("SELECT id, title FROM chats WHERE trash_id IS NULL").fetchall()
        return {row[0]: row[1] for row in rows}

    def rows(self, message_ids: Sequence[int]) -> dict[int, FoundRow]:
        """Return those of the messages that stand, by id."""
        listed = ",".join(str(int(item)) for item in message_ids)
        with self._db.read() as db:
            rows = db.execute(
                "SELECT m.id, m.chat_id, m.role, m.name, m.created_at, m.hidden, s.id AS swipe_id, s.text"
                " FROM (SELECT id FROM messages WHERE id IN"
                f" ({listed})) i {_STANDING.format(id='i.id')}"
            ).fetchall()
        return {
            row["id"]: FoundRow(
                row["id"], row["chat_id"], row["swipe_id"], row["role"], row["name"],
                from_text(row["created_at"]), bool(row["hidden"]), row["text"],
            )
            for row in rows
        }  # fmt: skip

    # ── the index ────────────────────────────────────────────────────────────────────────────────────

    def to_index(self, limit: int) -> list[Unindexed]:
        """Return messages that are to be taken in or dropped, newest first.

        One that is being written waits for its end.
        """
        with self._db.read() as db:
            rows = db.execute(
                "SELECT u.message_id, u.chat_id, u.change, s.text, s.state FROM unindexed_messages u"
                " LEFT JOIN messages m ON m.id = u.message_id AND m.trash_id IS NULL"
                " LEFT JOIN swipes s ON s.message_id = m.id AND s.position = m.active_swipe"
                " WHERE s.state IS NOT ? ORDER BY u.message_id DESC LIMIT ?",
                (SwipeState.STREAMING, limit),
            ).fetchall()
        return [Unindexed(row["message_id"], row["chat_id"], row["change"], row["text"]) for row in rows]

    def put(self, items: Sequence[tuple[Unindexed, str | None]]) -> None:
        """Take in the words of messages (None for one that is gone), in one transaction.

        A message that changed meanwhile stays on the list.
        """
        with self._db.write() as db:
            for item, words in items:
                row = row_of(item.chat_id, item.message_id)
                if item.change:
                    db.execute("DELETE FROM message_words WHERE rowid = ?", (row,))
                if words:
                    db.execute(
                        "INSERT OR REPLACE INTO message_words (rowid, words) VALUES (?, ?)", (row, words)
                    )
                db.execute(
                    "DELETE FROM unindexed_messages WHERE message_id = ? AND change = ?",
                    (item.message_id, item.change),
                )
