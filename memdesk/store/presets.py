"""Presets on disk: a name and a body of plain JSON values each."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import Any

from memdesk.store.database import Database, now, to_text
from memdesk.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class StoredPreset:
    """A preset as it is kept. `key` is a number in digits, or the id of a built-in one that was changed."""

    key: str
    name: str
    body: dict[str, Any]


class PresetStore:
    """Reads and writes presets; built-in ones are only here once they were changed."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> list[StoredPreset]:
        """Return the presets that are not in the trash, by name."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT * FROM presets WHERE trash_id IS NULL ORDER BY name COLLATE NOCASE, id"
            ).fetchall()
        return [_preset(row) for row in rows]

    def find(self, key: str) -> StoredPreset | None:
        """Return one preset, None when it is not there or in the trash."""
        with self._db.read() as db:
            row = db.execute("SELECT * FROM presets WHERE key = ? AND trash_id IS NULL", (key,)).fetchone()
        return _preset(row) if row else None

    def add(self, name: str, body: dict[str, Any]) -> StoredPreset:
        """Store a new preset; equal names live side by side."""
        with self._db.write() as db:
            cursor = db.execute(
                "INSERT INTO presets (key, name, body, updated_at) VALUES ('', ?, ?, ?)",
                (name, _text(body), to_text(now())),
            )
            number = int(cursor.lastrowid or 0)
            db.execute("UPDATE presets SET key = ? WHERE id = ?", (str(number), number))
        return StoredPreset(str(number), name, body)

    def put(self, key: str, name: str, body: dict[str, Any]) -> None:
        """Change a preset, or note the first change of a built-in one."""
        with self._db.write() as db:
            changed = db.execute(
                "UPDATE presets SET name = ?, body = ?, updated_at = ? WHERE key = ? AND trash_id IS NULL",
                (name, _text(body), to_text(now()), key),
            ).rowcount
            if changed:
                return
            if key.isdigit():
                raise StoreError("not_found", "That preset is not there any more.")
            db.execute(
                "INSERT INTO presets (key, name, body, updated_at) VALUES (?, ?, ?, ?)",
                (key, name, _text(body), to_text(now())),
            )

    def drop(self, key: str) -> None:
        """Forget the changes of a built-in preset."""
        with self._db.write() as db:
            db.execute("DELETE FROM presets WHERE key = ?", (key,))

    def row_id(self, key: str) -> int:
        """Return what the trash knows a preset by; raises `StoreError` with code `not_found`."""
        with self._db.read() as db:
            row = db.execute("SELECT id FROM presets WHERE key = ? AND trash_id IS NULL", (key,)).fetchone()
        if row is None:
            raise StoreError("not_found", "That preset is not there any more.")
        return int(row[0])


def _text(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)


def _preset(row: sqlite3.Row) -> StoredPreset:
    return StoredPreset(row["key"], row["name"], json.loads(row["body"]))
