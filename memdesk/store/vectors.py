"""The cache of vectors: text that was embedded once in a space is never embedded again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from memdesk.store.database import Database

Vector = npt.NDArray[np.float32]

_BATCH = 500
"""Host parameters in one statement; SQLite allows 32,766."""


def text_hash(text: str) -> bytes:
    """Return the 16-byte key of a text in the cache (BLAKE2b-128 of its UTF-8 form)."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class VectorStore:
    """Reads and writes vectors by (embedding space, text hash)."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._spaces: dict[str, int] = {}

    def space_id(self, name: str, dimension: int) -> int:
        """Return the number of an embedding space, making it when it is new."""
        if name not in self._spaces:
            with self._db.write() as db:
                db.execute("INSERT OR IGNORE INTO spaces (name, dimension) VALUES (?, ?)", (name, dimension))
                row = db.execute("SELECT id FROM spaces WHERE name = ?", (name,)).fetchone()
            self._spaces[name] = int(row[0])
        return self._spaces[name]

    def put(self, space_id: int, items: Iterable[tuple[bytes, Vector]]) -> None:
        """Store vectors: (text hash, float32 [dimension]) pairs."""
        with self._db.write() as db:
            db.executemany(
                "INSERT OR REPLACE INTO vectors (space_id, text_hash, vector) VALUES (?, ?, ?)",
                [(space_id, key, vector.astype("<f4").tobytes()) for key, vector in items],
            )

    def remembered(
        self, space_id: int, chat_id: int | None, batch: int
    ) -> Iterator[tuple[list[int], npt.NDArray[np.float32]]]:
        """Yield the vectors of what chats remember (one, or all that stand) as (chunk ids, rows)."""
        where = "c.trash_id IS NULL" + ("" if chat_id is None else " AND k.chat_id = :chat")
        with self._db.read() as db:
            cursor = db.cursor()
            cursor.row_factory = None
            cursor.execute(
                "SELECT k.id, v.vector FROM memory_chunks k JOIN chats c ON c.id = k.chat_id"
                f" JOIN vectors v ON v.space_id = :space AND v.text_hash = k.text_hash WHERE {where}",
                {"space": space_id, "chat": chat_id},
            )
            while rows := cursor.fetchmany(batch):
                matrix = np.frombuffer(b"".join(row[1] for row in rows), "<f4").reshape(len(rows), -1)
                yield [row[0] for row in rows], matrix

    def get(self, space_id: int, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        """Return the vectors that are there, by text hash."""
        found: dict[bytes, Vector] = {}
        with self._db.read() as db:
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                rows = db.execute(
                    f"SELECT text_hash, vector FROM vectors WHERE space_id = ? AND text_hash IN ({marks})",
                    (space_id, *batch),
                )
                for row in rows:
                    found[row[0]] = np.frombuffer(row[1], "<f4")
        return found
