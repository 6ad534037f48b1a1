"""Characters and personas on disk."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from memdesk.chats.model import Character, Persona
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError


class CharacterStore:
    """Reads and writes characters."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self, name: str, card: dict[str, Any], avatar: str | None = None, sample: str | None = None
    ) -> Character:
        """Store a new character; equal names live side by side."""
        moment = to_text(now())
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO characters (name, card, avatar, sample, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (name, json.dumps(card, ensure_ascii=False), avatar, sample, moment, moment),
            )
        return self.get(int(cursor.lastrowid or 0))

    def get(self, character_id: int) -> Character:
        """Return one character; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute("SELECT * FROM characters WHERE id = ?", (character_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"There is no character {character_id}.")
        return _character(row)

    def all(self) -> list[Character]:
        """Return the characters that are not in the trash, by name."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT * FROM characters WHERE trash_id IS NULL ORDER BY name COLLATE NOCASE, id"
            ).fetchall()
        return [_character(row) for row in rows]

    def update(
        self, character_id: int, *, name: str, card: dict[str, Any], avatar: str | None, actor: str = "person"
    ) -> Character:
        """Replace name, card and avatar; the card before is kept as a revision."""
        old = self.get(character_id)
        moment = to_text(now())
        with self._db.write() as db:
            db.execute(
                "INSERT INTO revisions (kind, item_id, before, actor, at) VALUES ('character', ?, ?, ?, ?)",
                (character_id, json.dumps(old.card, ensure_ascii=False), actor, moment),
            )
            db.execute(
                "UPDATE characters SET name = ?, card = ?, avatar = ?, updated_at = ? WHERE id = ?",
                (name, json.dumps(card, ensure_ascii=False), avatar, moment, character_id),
            )
        return self.get(character_id)


class PersonaStore:
    """Reads and writes personas."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(self, name: str, description: str = "", *, default: bool = False) -> Persona:
        """Store a new persona."""
        with self._db.write() as db:
            if default:
                db.execute("UPDATE personas SET is_default = 0")
            cursor = db.execute(
                "INSERT INTO personas (name, description, is_default, created_at) VALUES (?, ?, ?, ?)",
                (name, description, int(default), to_text(now())),
            )
        return self.get(int(cursor.lastrowid or 0))

    def get(self, persona_id: int) -> Persona:
        """Return one persona; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute("SELECT * FROM personas WHERE id = ?", (persona_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"There is no persona {persona_id}.")
        return _persona(row)

    def default(self) -> Persona | None:
        """Return the persona that new chats start with; those of the samples are never it."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT * FROM personas WHERE trash_id IS NULL AND is_default ORDER BY id LIMIT 1"
            ).fetchone()
        return _persona(row) if row else None

    def update(self, persona_id: int, name: str, description: str) -> Persona:
        """Rename or describe a persona anew; messages that were sent keep the name they had."""
        with self._db.write() as db:
            db.execute(
                "UPDATE personas SET name = ?, description = ? WHERE id = ?", (name, description, persona_id)
            )
        return self.get(persona_id)


def _character(row: sqlite3.Row) -> Character:
    return Character(
        id=row["id"],
        name=row["name"],
        card=json.loads(row["card"]),
        avatar=row["avatar"],
        created_at=from_text(row["created_at"]),
        updated_at=from_text(row["updated_at"]),
        sample=row["sample"],
    )


def _persona(row: sqlite3.Row) -> Persona:
    return Persona(row["id"], row["name"], row["description"], row["avatar"], bool(row["is_default"]))
