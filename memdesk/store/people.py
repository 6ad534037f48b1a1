"""Characters and personas on disk."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from typing import Any, cast, get_args

from memdesk.chats.model import Character, CharacterHead, Persona, PersonaPlace, Role
from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError

LINE = 400
"""Characters kept of what a card says in short."""

_HEAD = "id, name, avatar, sample, favourite, created_at, updated_at, head"


class CharacterStore:
    """Reads and writes characters."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        name: str,
        card: dict[str, Any],
        avatar: str | None = None,
        sample: str | None = None,
        *,
        picture: str | None = None,
        favourite: bool = False,
    ) -> Character:
        """Store a new character; equal names live side by side."""
        moment = to_text(now())
        body, head = json.dumps(card, ensure_ascii=False), _head_of(card)
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO characters"
                " (name, card, avatar, sample, picture, favourite, head, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (name, body, avatar, sample, picture, int(favourite), head, moment, moment),
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

    def heads(self) -> list[CharacterHead]:
        """Return what the gallery shows of the characters that are not in the trash, by name."""
        with self._db.read() as db:
            rows = db.execute(
                f"SELECT {_HEAD} FROM characters WHERE trash_id IS NULL ORDER BY name COLLATE NOCASE, id"
            ).fetchall()
        return [_character_head(row) for row in rows]

    def find(self, name: str) -> CharacterHead:
        """Return the character with this id or unique name; raises `StoreError` (`not_found`, `ambiguous`).

        A number is an id first. Names are compared without case and surrounding blanks; where several are
        alike, one that is written exactly so is meant.
        """
        name, people = name.strip(), self.heads()
        matches = [head for head in people if name.isdecimal() and str(head.id) == name]
        if not matches:
            matches = [head for head in people if head.name.strip().casefold() == name.casefold()]
        exact = [head for head in matches if head.name.strip() == name]
        if len(exact) == 1:
            return exact[0]
        if len(matches) > 1:
            ids = ", ".join(str(number) for number in sorted(head.id for head in matches))
            raise StoreError(
                "ambiguous", f"Several characters are called “{name}” (ids {ids}): name one by its id."
            )
        if not matches:
            raise StoreError("not_found", f"There is no character “{name}”.")
        return matches[0]

    def update(
        self,
        character_id: int,
        *,
        name: str,
        card: dict[str, Any],
        avatar: str | None,
        picture: str | None = None,
        actor: str = "person",
    ) -> Character:
        """Replace name, card and avatar; the card before is kept as a revision.

        With another avatar the PNG that the character came in is given up for `picture`.
        """
        old = self.get(character_id)
        moment = to_text(now())
        kept = old.picture if avatar == old.avatar and picture is None else picture
        with self._db.write() as db:
            db.execute(
                "INSERT INTO revisions (kind, item_id, before, actor, at) VALUES ('character', ?, ?, ?, ?)",
                (character_id, json.dumps(old.card, ensure_ascii=False), actor, moment),
            )
            db.execute(
                "UPDATE characters SET name = ?, card = ?, head = ?, avatar = ?, picture = ?, updated_at = ?"
                " WHERE id = ?",
                (
                    name,
                    json.dumps(card, ensure_ascii=False),
                    _head_of(card),
                    avatar,
                    kept,
                    moment,
                    character_id,
                ),
            )
        return self.get(character_id)

    def set_favourite(self, ids: Sequence[int], favourite: bool) -> list[int]:
        """Mark characters as favourites or not; returns the ids of those that were not so before."""
        with self._db.write() as db:
            return [
                character_id
                for character_id in ids
                if db.execute(
                    "UPDATE characters SET favourite = ? WHERE id = ? AND favourite <> ?",
                    (int(favourite), character_id, int(favourite)),
                ).rowcount
            ]


class PersonaStore:
    """Reads and writes personas."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        name: str,
        description: str = "",
        *,
        default: bool = False,
        avatar: str | None = None,
        place: PersonaPlace = "prompt",
        depth: int = 2,
        role: Role = "system",
        key: str = "",
        extra: dict[str, Any] | None = None,
    ) -> Persona:
        """Store a new persona; without a `key` it gets one of its own."""
        with self._db.write() as db:
            if default:
                db.execute("UPDATE personas SET is_default = 0")
            cursor = db.execute(
                "INSERT INTO personas (name, description, avatar, is_default, position, depth, role, key,"
                " extra, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    name,
                    description,
                    avatar,
                    int(default),
                    place,
                    depth,
                    role,
                    key or f"{secrets.token_hex(16)}.png",
                    json.dumps(extra or {}, ensure_ascii=False),
                    to_text(now()),
                ),
            )
        return self.get(int(cursor.lastrowid or 0))

    def get(self, persona_id: int) -> Persona:
        """Return one persona, also from the trash; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute("SELECT * FROM personas WHERE id = ?", (persona_id,)).fetchone()
        if row is None:
            raise StoreError("not_found", f"There is no persona {persona_id}.")
        return _persona(row)

    def all(self) -> list[Persona]:
        """Return the personas that are not in the trash, by name."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT * FROM personas WHERE trash_id IS NULL ORDER BY name COLLATE NOCASE, id"
            ).fetchall()
        return [_persona(row) for row in rows]

    def present(self, persona_id: int | None) -> Persona | None:
        """Return one persona, None when it is not there or in the trash."""
        if persona_id is None:
            return None
        with self._db.read() as db:
            row = db.execute(
                "SELECT * FROM personas WHERE id = ? AND trash_id IS NULL", (persona_id,)
            ).fetchone()
        return _persona(row) if row else None

    def default(self) -> Persona | None:
        """Return the persona that new chats start with; those of the samples are never it."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT * FROM personas WHERE trash_id IS NULL AND is_default ORDER BY id LIMIT 1"
            ).fetchone()
        return _persona(row) if row else None

    def set_default(self, persona_id: int | None) -> None:
        """Let new chats start with a persona, or with none."""
        with self._db.write() as db:
            db.execute("UPDATE personas SET is_default = (id IS ?)", (persona_id,))

    def update(self, persona_id: int, name: str, description: str) -> Persona:
        """Rename or describe a persona anew; messages that were sent keep the name they had."""
        with self._db.write() as db:
            db.execute(
                "UPDATE personas SET name = ?, description = ? WHERE id = ?", (name, description, persona_id)
            )
        return self.get(persona_id)

    def save(self, persona: Persona) -> Persona:
        """Store everything of a persona but whether it is the default one; raises `not_found`."""
        with self._db.write() as db:
            found = db.execute(
                "UPDATE personas SET name = ?, description = ?, avatar = ?, position = ?, depth = ?,"
                " role = ?, key = ?, extra = ? WHERE id = ?",
                (
                    persona.name,
                    persona.description,
                    persona.avatar,
                    persona.place,
                    persona.depth,
                    persona.role,
                    persona.key,
                    json.dumps(persona.extra, ensure_ascii=False),
                    persona.id,
                ),
            ).rowcount
        if not found:
            raise StoreError("not_found", f"There is no persona {persona.id}.")
        return self.get(persona.id)


def _head_of(card: dict[str, Any]) -> str:
    """Return what the gallery shows of a card as JSON."""
    data = card.get("data")
    data = data if isinstance(data, dict) else {}

    def text(key: str) -> str:
        value = data.get(key)
        return value if isinstance(value, str) else ""

    tags = data.get("tags")
    head = {
        "nickname": text("nickname"),
        "creator": text("creator"),
        "tags": [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else [],
        "line": (text("creator_notes").strip() or text("description"))[:LINE],
    }
    return json.dumps(head, ensure_ascii=False)


def _character_head(row: sqlite3.Row) -> CharacterHead:
    head = json.loads(row["head"])
    tags = head.get("tags")
    return CharacterHead(
        id=row["id"],
        name=row["name"],
        avatar=row["avatar"],
        sample=row["sample"],
        favourite=bool(row["favourite"]),
        created_at=from_text(row["created_at"]),
        updated_at=from_text(row["updated_at"]),
        nickname=str(head.get("nickname", "")),
        creator=str(head.get("creator", "")),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        line=str(head.get("line", "")),
    )


def _character(row: sqlite3.Row) -> Character:
    return Character(
        id=row["id"],
        name=row["name"],
        card=json.loads(row["card"]),
        avatar=row["avatar"],
        created_at=from_text(row["created_at"]),
        updated_at=from_text(row["updated_at"]),
        sample=row["sample"],
        favourite=bool(row["favourite"]),
        picture=row["picture"],
    )


def _persona(row: sqlite3.Row) -> Persona:
    place, role = row["position"], row["role"]
    return Persona(
        id=row["id"],
        name=row["name"],
        description=row["description"],
        avatar=row["avatar"],
        default=bool(row["is_default"]),
        place=cast("PersonaPlace", place if place in get_args(PersonaPlace) else "prompt"),
        depth=row["depth"],
        role=cast("Role", role if role in get_args(Role) else "system"),
        key=row["key"],
        extra=json.loads(row["extra"]),
    )
