"""Chats on disk: the list, titles, members and per-chat settings."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memdesk.chats.model import Chat, Member
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError

_LIST = """
SELECT c.*,
       (SELECT count(*) FROM messages m WHERE m.chat_id = c.id AND m.trash_id IS NULL) AS message_count,
       (SELECT substr(s.text, 1, 200) FROM messages m
          JOIN swipes s ON s.message_id = m.id AND s.position = m.active_swipe
         WHERE m.chat_id = c.id AND m.trash_id IS NULL ORDER BY m.position DESC LIMIT 1) AS last_line,
       (SELECT json_group_array(json_array(p.id, p.name, p.avatar, p.muted, p.talkativeness, p.gone)) FROM
          (SELECT ch.id, ch.name, ch.avatar, cm.muted, cm.talkativeness, ch.trash_id IS NOT NULL AS gone
             FROM chat_members cm JOIN characters ch ON ch.id = cm.character_id
            WHERE cm.chat_id = c.id ORDER BY cm.position, ch.id) p) AS members
  FROM chats c
"""


class ChatStore:
    """Reads and writes chats; their messages are in `MessageStore`."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        title: str,
        character_ids: Sequence[int],
        persona_id: int | None = None,
        *,
        sample: str | None = None,
        created_at: datetime | None = None,
        group: bool = False,
        settings: dict[str, Any] | None = None,
    ) -> Chat:
        """Store a new chat without messages; it is a `group` also when there are several characters."""
        moment = to_text(created_at or now())
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO chats (title, kind, persona_id, settings, sample, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    title, "group" if group or len(character_ids) > 1 else "single", persona_id,
                    json.dumps(settings or {}), sample, moment, moment,
                ),
            )  # fmt: skip
            chat_id = int(cursor.lastrowid or 0)
            db.executemany(
                "INSERT INTO chat_members (chat_id, character_id, position) VALUES (?, ?, ?)",
                [(chat_id, character_id, place) for place, character_id in enumerate(character_ids)],
            )
        return self.get(chat_id)

    def get(self, chat_id: int) -> Chat:
        """Return one chat; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute(f"{_LIST} WHERE c.id = ? AND c.trash_id IS NULL", (chat_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"There is no chat {chat_id}.")
        return _chat(row)

    def all(self) -> list[Chat]:
        """Return the chats that are not in the trash, last used first."""
        with self._db.read() as db:
            rows = db.execute(
                f"{_LIST} WHERE c.trash_id IS NULL ORDER BY c.updated_at DESC, c.id DESC"
            ).fetchall()
        return [_chat(row) for row in rows]

    def find(self, name: str) -> Chat:
        """Return the chat with this id or unique title; raises `StoreError` (`not_found`, `ambiguous`).

        A number is an id first. Titles are compared without case and surrounding blanks; where several are
        alike, one that is written exactly so is meant.
        """
        name = name.strip()
        # Ids have 64 bits; a longer number can only be a title.
        if name.isascii() and name.isdigit() and len(name) <= 18:
            try:
                return self.get(int(name))
            except StoreError as error:
                if error.code != "not_found":
                    raise
        matches = [chat for chat in self.all() if chat.title.strip().casefold() == name.casefold()]
        exact = [chat for chat in matches if chat.title.strip() == name]
        if len(exact) == 1:
            return exact[0]
        if len(matches) > 1:
            ids = ", ".join(str(number) for number in sorted(chat.id for chat in matches))
            raise StoreError(
                "ambiguous", f"Several chats are titled “{name}” (ids {ids}): name one by its id."
            )
        if not matches:
            raise StoreError("not_found", f"There is no chat “{name}”.")
        return matches[0]

    def put_first(self, chat_id: int) -> None:
        """Let a chat be the last used one, if none is younger than it: times stay those of messages."""
        with self._db.write() as db:
            db.execute(
                "UPDATE chats SET updated_at = (SELECT max(updated_at) FROM chats WHERE trash_id IS NULL)"
                " WHERE id = ?",
                (chat_id,),
            )

    def rename(self, chat_id: int, title: str) -> None:
        """Give a chat another title."""
        with self._db.write() as db:
            db.execute("UPDATE chats SET title = ? WHERE id = ?", (title, chat_id))

    def set_persona(self, chat_id: int, persona_id: int | None) -> None:
        """Choose who the person plays from now on."""
        with self._db.write() as db:
            db.execute("UPDATE chats SET persona_id = ? WHERE id = ?", (persona_id, chat_id))

    def set_settings(self, chat_id: int, settings: dict[str, Any]) -> None:
        """Replace the per-chat settings."""
        with self._db.write() as db:
            db.execute("UPDATE chats SET settings = ? WHERE id = ?", (json.dumps(settings), chat_id))


def _chat(row: sqlite3.Row) -> Chat:
    members = tuple(
        Member(character_id, name, avatar, bool(muted), talkativeness, bool(gone))
        for character_id, name, avatar, muted, talkativeness, gone in json.loads(row["members"])
    )
    return Chat(
        id=row["id"],
        title=row["title"],
        kind=row["kind"],
        mode=row["mode"],
        character_ids=tuple(member.id for member in members),
        character_names=tuple(member.name for member in members),
        persona_id=row["persona_id"],
        settings=json.loads(row["settings"]),
        created_at=from_text(row["created_at"]),
        updated_at=from_text(row["updated_at"]),
        messages=row["message_count"],
        last_line=row["last_line"] or "",
        avatar=members[0].avatar if members else None,
        sample=row["sample"],
        members=members,
        branch_chat=row["branch_chat"],
        branch_message=row["branch_message"],
    )
