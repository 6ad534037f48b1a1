"""Messages and swipes on disk. Every method that returns has written: nothing waits in memory."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memdesk.chats.model import Message, Role, Swipe, SwipeState
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.swipe_rows import drop_swipe

_MESSAGE = """
SELECT m.*, s.id AS swipe_id, s.text, s.state, s.tokens, s.model, s.reasoning, s.error, s.generation,
       s.created_at AS swipe_created, s.finished_at, s.position AS swipe_position,
       (SELECT count(*) FROM swipes n WHERE n.message_id = m.id AND n.position >= 0) AS swipe_count,
       EXISTS (SELECT 1 FROM receipts r WHERE r.swipe_id = s.id) AS has_receipt,
       (SELECT group_concat(p.name, ' · ') FROM checkpoints p WHERE p.message_id = m.id) AS checkpoint
  FROM messages m JOIN swipes s ON s.message_id = m.id AND s.position = m.active_swipe
"""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to be stored, with at least one swipe text; the first one stands."""

    role: Role
    name: str
    swipes: tuple[str, ...]
    character_id: int | None = None
    persona_id: int | None = None
    created_at: datetime | None = None


class MessageStore:
    """Reads and writes the messages of chats."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def count(self, chat_id: int) -> int:
        """Return how many messages of the chat still stand."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT count(*) FROM messages WHERE chat_id = ? AND trash_id IS NULL", (chat_id,)
            ).fetchone()
        return int(row[0])

    def page(self, chat_id: int, first_number: int, limit: int) -> list[Message]:
        """Return up to `limit` messages from number `first_number` (counted from 1) on, in order."""
        first = max(1, first_number)
        with self._db.read() as db:
            rows = db.execute(
                f"{_MESSAGE} WHERE m.chat_id = ? AND m.trash_id IS NULL ORDER BY m.position LIMIT ? OFFSET ?",
                (chat_id, limit, first - 1),
            ).fetchall()
        return [_message(row, first + place) for place, row in enumerate(rows)]

    def before(self, chat_id: int, message_id: int | None, limit: int) -> list[Message]:
        """Return the last `limit` messages before `message_id` (or of the whole chat), in order."""
        end = self.count(chat_id) if message_id is None else self.number(message_id) - 1
        first = max(1, end - limit + 1)
        return self.page(chat_id, first, end - first + 1) if end else []

    def sent_before(self, chat_id: int, number: int, limit: int) -> list[Message]:
        """Return up to `limit` messages before a number that are not hidden, newest first."""
        with self._db.read() as db:
            rows = db.execute(
                "WITH numbered AS (SELECT id AS message_id, hidden,"
                "   row_number() OVER (ORDER BY position) AS number FROM messages"
                "   WHERE chat_id = ? AND trash_id IS NULL),"
                " wanted AS (SELECT message_id, number FROM numbered WHERE hidden = 0 AND number < ?"
                "  ORDER BY number DESC LIMIT ?)"
                f" SELECT w.number AS number, q.* FROM wanted w JOIN ({_MESSAGE}) q ON q.id = w.message_id"
                " ORDER BY w.number DESC",
                (chat_id, number, limit),
            ).fetchall()
        return [_message(row, row["number"]) for row in rows]

    def get(self, message_id: int) -> Message:
        """Return one message with its number; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute(f"{_MESSAGE} WHERE m.id = ? AND m.trash_id IS NULL", (message_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"Message {message_id} is not there any more.")
        return _message(row, self.number(message_id))

    def get_many(self, message_ids: Sequence[int]) -> list[Message]:
        """Return those of the messages that still stand, without their numbers (0)."""
        listed = ",".join(str(int(item)) for item in message_ids)
        with self._db.read() as db:
            rows = db.execute(f"{_MESSAGE} WHERE m.id IN ({listed}) AND m.trash_id IS NULL").fetchall()
        return [_message(row, 0) for row in rows]

    def number(self, message_id: int) -> int:
        """Return a message's number in its chat; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT (SELECT count(*) FROM messages o WHERE o.chat_id = m.chat_id AND o.trash_id IS NULL"
                "          AND o.position <= m.position)"
                "  FROM messages m WHERE m.id = ? AND m.trash_id IS NULL",
                (message_id,),
            ).fetchone()
        if row is None:
            raise StoreError("not_found", f"Message {message_id} is not there any more.")
        return int(row[0])

    def ids(self, chat_id: int) -> list[int]:
        """Return the ids of a chat's messages, in order: position in the list + 1 is the number."""
        with self._db.read() as db:
            cursor = db.cursor()
            cursor.row_factory = None  # plain tuples: a long chat has thousands
            rows = cursor.execute(
                "SELECT id FROM messages WHERE chat_id = ? AND trash_id IS NULL ORDER BY position", (chat_id,)
            ).fetchall()
        return [row[0] for row in rows]

    def numbers(self, chat_id: int, ids: Collection[int]) -> dict[int, int]:
        """Return the numbers (from 1) of those messages that stand in a chat, by id.

        For a few hundred of many thousand: what lies between two of them is only counted.
        """
        listed = ",".join(str(int(item)) for item in ids)
        found: dict[int, int] = {}
        number, last = 0, -(2**62)
        with self._db.read() as db:
            wanted = db.execute(
                f"SELECT position, id FROM messages WHERE id IN ({listed}) AND chat_id = ?"
                " AND trash_id IS NULL ORDER BY position",
                (chat_id,),
            ).fetchall()
            for position, message_id in wanted:
                number += db.execute(
                    "SELECT count(*) FROM messages WHERE chat_id = ? AND trash_id IS NULL"
                    " AND position > ? AND position <= ?",
                    (chat_id, last, position),
                ).fetchone()[0]
                last = position
                found[message_id] = number
        return found

    def speakers(self, chat_id: int) -> list[int]:
        """Return the ids of the characters who have said something in a chat."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT DISTINCT character_id FROM messages"
                " WHERE chat_id = ? AND trash_id IS NULL AND character_id IS NOT NULL",
                (chat_id,),
            ).fetchall()
        return [row[0] for row in rows]

    def swipes(self, message_id: int) -> list[Swipe]:
        """Return all versions of a message, in order."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT s.*, s.id AS swipe_id, s.created_at AS swipe_created,"
                " EXISTS (SELECT 1 FROM receipts r WHERE r.swipe_id = s.id) AS has_receipt"
                " FROM swipes s WHERE message_id = ? AND position >= 0 ORDER BY position",
                (message_id,),
            ).fetchall()
        return [_swipe(row, message_id) for row in rows]

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def add(self, chat_id: int, messages: Iterable[NewMessage]) -> list[int]:
        """Append messages to a chat in one transaction; returns their ids."""
        ids = []
        with self._db.write() as db:
            place = db.execute(
                "SELECT coalesce(max(position), -1) FROM messages WHERE chat_id = ?", (chat_id,)
            ).fetchone()[0]
            last = None
            for new in messages:
                place += 1
                last = to_text(new.created_at or now())
                ids.append(_insert(db, chat_id, place, new, last, SwipeState.DONE))
            if last is not None:
                db.execute("UPDATE chats SET updated_at = max(updated_at, ?) WHERE id = ?", (last, chat_id))
        return ids

    def begin_reply(self, chat_id: int, name: str, character_id: int | None, model: str) -> tuple[int, int]:
        """Append an empty reply that is being written; returns (message id, swipe id)."""
        new = NewMessage("assistant", name, ("",), character_id=character_id)
        moment = to_text(now())
        with self._db.write() as db:
            place = db.execute(
                "SELECT coalesce(max(position), -1) + 1 FROM messages WHERE chat_id = ?", (chat_id,)
            ).fetchone()[0]
            message_id = _insert(db, chat_id, place, new, moment, SwipeState.STREAMING, model)
            db.execute("UPDATE chats SET updated_at = ? WHERE id = ?", (moment, chat_id))
            swipe_id = db.execute("SELECT id FROM swipes WHERE message_id = ?", (message_id,)).fetchone()[0]
        return message_id, int(swipe_id)

    def begin_swipe(self, message_id: int, model: str, again: int | None = None) -> int:
        """Add an empty swipe that is being written, and make it the one that stands; returns its id.

        With `again`, an existing swipe that brought no text is written anew instead.
        """
        with self._db.write() as db:
            if again is not None:
                db.execute(
                    "UPDATE swipes SET state = ?, model = ?, error = '', created_at = ? WHERE id = ?",
                    (SwipeState.STREAMING, model, to_text(now()), again),
                )
                return again
            place = db.execute(
                "SELECT coalesce(max(position), -1) + 1 FROM swipes WHERE message_id = ?", (message_id,)
            ).fetchone()[0]
            cursor = db.execute(
                "INSERT INTO swipes (message_id, position, text, state, model, created_at)"
                " VALUES (?, ?, '', ?, ?, ?)",
                (message_id, place, SwipeState.STREAMING, model, to_text(now())),
            )
            db.execute("UPDATE messages SET active_swipe = ? WHERE id = ?", (place, message_id))
        return int(cursor.lastrowid or 0)

    def save_partial(self, swipe_id: int, text: str, reasoning: str = "") -> None:
        """Keep what has been written so far of a reply."""
        with self._db.write() as db:
            db.execute("UPDATE swipes SET text = ?, reasoning = ? WHERE id = ?", (text, reasoning, swipe_id))

    def finish(
        self,
        swipe_id: int,
        text: str,
        state: SwipeState,
        *,
        reasoning: str = "",
        error: str = "",
        tokens: int | None = None,
        model: str = "",
        generation: dict[str, Any] | None = None,
    ) -> None:
        """Store how a reply ended."""
        with self._db.write() as db:
            db.execute(
                "UPDATE swipes SET text = ?, state = ?, reasoning = ?, error = ?, tokens = ?, generation = ?,"
                " model = coalesce(nullif(?, ''), model), finished_at = ? WHERE id = ?",
                (
                    text, state, reasoning, error, tokens,
                    json.dumps(generation or {}, ensure_ascii=False), model, to_text(now()), swipe_id,
                ),
            )  # fmt: skip

    def choose_swipe(self, message_id: int, position: int) -> None:
        """Let another version of a message stand; raises `StoreError` when there is none."""
        with self._db.write() as db:
            changed = db.execute(
                "UPDATE messages SET active_swipe = ? WHERE id = ?"
                " AND EXISTS (SELECT 1 FROM swipes WHERE message_id = ? AND position = ? AND position >= 0)",
                (position, message_id, message_id, position),
            ).rowcount
        if not changed:
            raise StoreError("not_found", f"Message {message_id} has no version {position + 1}.")

    def edit(self, swipe_id: int, text: str, actor: str = "person") -> str:
        """Change a swipe's text and keep the one before as a revision; returns the text before."""
        with self._db.write() as db:
            row = db.execute("SELECT text FROM swipes WHERE id = ?", (swipe_id,)).fetchone()
            if row is None:
                raise StoreError("not_found", "That version of the message is not there any more.")
            db.execute(
                "INSERT INTO revisions (kind, item_id, before, actor, at) VALUES ('swipe', ?, ?, ?, ?)",
                (swipe_id, row["text"], actor, to_text(now())),
            )
            db.execute("UPDATE swipes SET text = ?, tokens = NULL WHERE id = ?", (text, swipe_id))
        return str(row["text"])

    def uncounted(self, limit: int) -> list[tuple[int, str]]:
        """Return (swipe id, text) of finished swipes whose tokens nobody has counted yet, newest first."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT id, text FROM swipes WHERE tokens IS NULL AND state <> ? ORDER BY id DESC LIMIT ?",
                (SwipeState.STREAMING, limit),
            ).fetchall()
        return [(row[0], row[1]) for row in rows]

    def set_tokens(self, counts: Sequence[tuple[int, int]]) -> None:
        """Keep token estimates: (swipe id, tokens) pairs."""
        with self._db.write() as db:
            db.executemany(
                "UPDATE swipes SET tokens = ? WHERE id = ?", [(tokens, swipe) for swipe, tokens in counts]
            )

    def recover(self) -> list[int]:
        """Mark replies that were being written when memdesk ended; returns their chats' ids.

        A reply of which nothing had arrived goes: an empty swipe falls back to the version before it.
        """
        with self._db.write() as db:
            rows = db.execute(
                "SELECT s.id, s.text, s.message_id, s.position, m.chat_id FROM swipes s"
                " JOIN messages m ON m.id = s.message_id WHERE s.state = ?",
                (SwipeState.STREAMING,),
            ).fetchall()
            for row in rows:
                if row["text"]:
                    db.execute(
                        "UPDATE swipes SET state = ?, finished_at = ? WHERE id = ?",
                        (SwipeState.INTERRUPTED, to_text(now()), row["id"]),
                    )
                else:
                    drop_swipe(db, row["id"], row["message_id"], row["position"])
        return sorted({row["chat_id"] for row in rows})

    def drop_empty_swipe(self, swipe_id: int) -> bool:
        """Take away a reply that brought no text at all; returns whether its message went with it."""
        with self._db.write() as db:
            row = db.execute("SELECT message_id, position FROM swipes WHERE id = ?", (swipe_id,)).fetchone()
            return drop_swipe(db, swipe_id, row["message_id"], row["position"]) if row else False


def _insert(
    db: sqlite3.Connection,
    chat_id: int,
    place: int,
    new: NewMessage,
    moment: str,
    state: SwipeState,
    model: str = "",
) -> int:
    cursor = db.execute(
        "INSERT INTO messages (chat_id, position, role, name, character_id, persona_id, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (chat_id, place, new.role, new.name, new.character_id, new.persona_id, moment),
    )
    message_id = int(cursor.lastrowid or 0)
    db.executemany(
        "INSERT INTO swipes (message_id, position, text, state, model, created_at, finished_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (message_id, position, text, state, model, moment, moment if state is SwipeState.DONE else None)
            for position, text in enumerate(new.swipes)
        ],
    )
    return message_id


def _message(row: sqlite3.Row, number: int) -> Message:
    return Message(
        id=row["id"],
        chat_id=row["chat_id"],
        number=number,
        role=row["role"],
        name=row["name"],
        character_id=row["character_id"],
        created_at=from_text(row["created_at"]),
        hidden=bool(row["hidden"]),
        swipe=_swipe(row, row["id"]),
        swipe_number=row["swipe_position"] + 1,
        swipe_count=row["swipe_count"],
        checkpoint=row["checkpoint"] or "",
        persona_id=row["persona_id"],
    )


def _swipe(row: sqlite3.Row, message_id: int) -> Swipe:
    return Swipe(
        id=row["swipe_id"],
        message_id=message_id,
        text=row["text"],
        state=SwipeState(row["state"]),
        created_at=from_text(row["swipe_created"]),
        finished_at=from_text(row["finished_at"]) if row["finished_at"] else None,
        tokens=row["tokens"],
        model=row["model"],
        reasoning=row["reasoning"],
        error=row["error"],
        generation=json.loads(row["generation"]),
        has_receipt=bool(row["has_receipt"]),
    )
