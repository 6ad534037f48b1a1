"""Who is in a chat: members, their order, and what each is set to there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memdesk.chats.model import ChatKind, Member
from memdesk.store.database import Database
from memdesk.store.errors import StoreError


class MemberStore:
    """Writes the members of chats; they are read with the chat."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, chat_id: int, members: Sequence[Member], place: int | None = None) -> list[int]:
        """Put members into a chat at a place (counted from 0), last without one; returns who is new.

        Those who are in it already stay where they are, and those whose characters are gone are passed over.
        """
        with self._db.write() as db:
            present = _order(self._db, chat_id)
            known = {row[0] for row in db.execute("SELECT id FROM characters").fetchall()}
            wanted = {item.id: item for item in members}
            new = [item for item in wanted.values() if item.id in known and item.id not in present]
            at = len(present) if place is None else min(max(place, 0), len(present))
            db.executemany(
                "INSERT INTO chat_members (chat_id, character_id, position, muted, talkativeness)"
                " VALUES (?, ?, ?, ?, ?)",
                [(chat_id, item.id, at, int(item.muted), item.talkativeness) for item in new],
            )
            _set_order(self._db, chat_id, [*present[:at], *(item.id for item in new), *present[at:]])
        return [item.id for item in new]

    def remove(self, chat_id: int, character_ids: Sequence[int]) -> None:
        """Take members out of a chat; what they said stays."""
        with self._db.write() as db:
            db.executemany(
                "DELETE FROM chat_members WHERE chat_id = ? AND character_id = ?",
                [(chat_id, character_id) for character_id in character_ids],
            )

    def move(self, chat_id: int, character_id: int, place: int) -> None:
        """Put a member at another place (counted from 0)."""
        with self._db.write():
            order = _order(self._db, chat_id)
            if character_id not in order:
                raise _no_member()
            order.remove(character_id)
            order.insert(min(max(place, 0), len(order)), character_id)
            _set_order(self._db, chat_id, order)

    def set_muted(self, chat_id: int, character_id: int, *, muted: bool) -> None:
        """Let a member be silent, or reply again."""
        self._set(chat_id, character_id, "muted", int(muted))

    def set_talkativeness(self, chat_id: int, character_id: int, value: float | None) -> None:
        """Say how talkative a member is here (0–1), None for what its card says."""
        self._set(chat_id, character_id, "talkativeness", value)

    def _set(self, chat_id: int, character_id: int, column: str, value: float | None) -> None:
        with self._db.write() as db:
            changed = db.execute(
                f"UPDATE chat_members SET {column} = ? WHERE chat_id = ? AND character_id = ?",
                (value, chat_id, character_id),
            ).rowcount
        if not changed:
            raise _no_member()

    def set_group(self, chat_id: int, key: str, values: dict[str, Any]) -> None:
        """Replace one part of a chat's settings, and leave the others as they are at this moment."""
        with self._db.write() as db:
            row = db.execute("SELECT settings FROM chats WHERE id = ?", (chat_id,)).fetchone()
            if row is None:
                raise StoreError("not_found", f"There is no chat {chat_id}.")
            settings = {**json.loads(row["settings"]), key: values}
            db.execute("UPDATE chats SET settings = ? WHERE id = ?", (json.dumps(settings), chat_id))

    def set_kind(self, chat_id: int, kind: ChatKind) -> None:
        """Make a chat a group, or a chat with one character again."""
        with self._db.write() as db:
            db.execute("UPDATE chats SET kind = ? WHERE id = ?", (kind, chat_id))


def _no_member() -> StoreError:
    return StoreError("no_member", "That character is not in this chat any more.")


def _order(database: Database, chat_id: int) -> list[int]:
    with database.write() as db:
        rows = db.execute(
            "SELECT character_id FROM chat_members WHERE chat_id = ? ORDER BY position, character_id",
            (chat_id,),
        ).fetchall()
    return [row[0] for row in rows]


def _set_order(database: Database, chat_id: int, order: Sequence[int]) -> None:
    with database.write() as db:
        db.executemany(
            "UPDATE chat_members SET position = ? WHERE chat_id = ? AND character_id = ?",
            [(place, chat_id, character_id) for place, character_id in enumerate(order)],
        )
