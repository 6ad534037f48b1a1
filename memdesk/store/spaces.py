"""Embedding spaces on disk: which one serves which chat, what waits for a vector, what is left behind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memdesk.store.database import Database, now, to_text

_MANY = 500
"""Chats that one statement names."""


@dataclass(frozen=True, slots=True)
class Serving:
    """The space that a chat is recalled by; memories after `through` came while another was being made."""

    space_id: int
    name: str
    dimension: int
    through: int


class SpaceStore:
    """Reads and writes what is known about embedding spaces."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── a space ──────────────────────────────────────────────────────────────────────────────────────

    def source(self, name: str) -> str:
        """Return how the vectors of a space can be made again, "" when that is not known."""
        return self._text("source", name)

    def facts(self, name: str) -> str:
        """Return what is known about the server of a space, "" for nothing."""
        return self._text("facts", name)

    def _text(self, column: str, name: str) -> str:
        with self._db.read() as db:
            row = db.execute(f"SELECT {column} FROM spaces WHERE name = ?", (name,)).fetchone()
        return str(row[0]) if row is not None else ""

    def note_facts(self, name: str, dimension: int, facts: str) -> None:
        """Keep what was found out about the server of a space."""
        with self._db.write() as db:
            db.execute("INSERT OR IGNORE INTO spaces (name, dimension) VALUES (?, ?)", (name, dimension))
            db.execute("UPDATE spaces SET facts = ? WHERE name = ?", (facts, name))

    def note_source(self, space_id: int, source: str) -> None:
        """Keep how the vectors of a space are made."""
        with self._db.write() as db:
            db.execute(
                "UPDATE spaces SET source = ? WHERE id = ? AND source <> ?", (source, space_id, source)
            )

    # ── chats ────────────────────────────────────────────────────────────────────────────────────────

    def choices(self) -> dict[int, str]:
        """Return what each chat with memories says about its embedder, by its id.

        That is a source's id; else "connection:" and the id of the chat's own connection; else "".
        """
        with self._db.read() as db:
            rows = db.execute(
                "SELECT c.id, coalesce(nullif(json_extract(c.settings, '$.recall.embedder'), ''),"
                " 'connection:' || nullif(json_extract(c.settings, '$.connection'), ''), '') FROM chats c"
                " WHERE EXISTS (SELECT 1 FROM memory_chunks k WHERE k.chat_id = c.id)"
            ).fetchall()
        return {row[0]: str(row[1]) for row in rows}

    def serving(self, chat_id: int) -> Serving | None:
        """Return the space that a chat is recalled by, None as long as nothing of it was embedded."""
        return self.all_serving((chat_id,)).get(chat_id)

    def all_serving(self, chat_ids: Sequence[int] | None = None) -> dict[int, Serving]:
        """Return the spaces that chats (all, or some) are recalled by."""
        only = "" if chat_ids is None else f" WHERE c.chat_id IN ({_listed(chat_ids)})"
        with self._db.read() as db:
            rows = db.execute(
                "SELECT c.chat_id, c.space_id, s.name, s.dimension, c.through FROM chat_spaces c"
                f" JOIN spaces s ON s.id = c.space_id{only}"
            ).fetchall()
        return {row[0]: Serving(row[1], row[2], row[3], row[4]) for row in rows}

    def serve(self, chat_ids: Iterable[int], space_id: int) -> None:
        """Let chats be recalled by a space from now on, in one transaction."""
        moment = to_text(now())
        with self._db.write() as db:
            db.executemany(
                "INSERT INTO chat_spaces (chat_id, space_id) SELECT id, ? FROM chats WHERE id = ?"
                " ON CONFLICT (chat_id) DO UPDATE SET space_id = excluded.space_id, through = 0",
                [(space_id, chat_id) for chat_id in chat_ids],
            )
            db.execute("UPDATE spaces SET left_at = NULL WHERE id IN (SELECT space_id FROM chat_spaces)")
            db.execute(
                "UPDATE spaces SET left_at = ? WHERE left_at IS NULL"
                " AND id NOT IN (SELECT space_id FROM chat_spaces)",
                (moment,),
            )

    def begin_change(self, chat_id: int) -> None:
        """Note which memories were there when another space began to be made for a chat."""
        with self._db.write() as db:
            db.execute(
                "UPDATE chat_spaces SET through = (SELECT coalesce(max(id), 0) FROM memory_chunks)"
                " WHERE chat_id = ? AND through = 0",
                (chat_id,),
            )

    def end_change(self, chat_id: int) -> None:
        """Note that the space that serves a chat is the one that is wanted."""
        with self._db.write() as db:
            db.execute("UPDATE chat_spaces SET through = 0 WHERE chat_id = ? AND through", (chat_id,))

    # ── the index ────────────────────────────────────────────────────────────────────────────────────

    def count_deleted(self, more: int | None) -> int:
        """Add to the number of vectors deleted from the index since it was compacted (None: it was now)."""
        with self._db.write() as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'index_deleted'").fetchone()
            total = 0 if more is None else int(row[0] if row else 0) + more
            db.execute("INSERT OR REPLACE INTO meta VALUES ('index_deleted', ?)", (str(total),))
        return total

    # ── what waits ───────────────────────────────────────────────────────────────────────────────────

    def waiting(self, space_id: int, chat_ids: Sequence[int] | None, after: int = 0) -> list[int]:
        """Return the ids of chunks (of all chats, or some) above `after` without a vector, oldest first."""
        found: list[int] = []
        statement = (
            "SELECT k.id FROM memory_chunks k LEFT JOIN vectors v"
            " ON v.space_id = ? AND v.text_hash = k.text_hash WHERE v.rowid IS NULL AND k.id > ?"
        )
        with self._db.read() as db:
            if chat_ids is None:
                return [row[0] for row in db.execute(f"{statement} ORDER BY k.id", (space_id, after))]
            for start in range(0, len(chat_ids), _MANY):
                listed = _listed(chat_ids[start : start + _MANY])
                rows = db.execute(f"{statement} AND k.chat_id IN ({listed})", (space_id, after))
                found += [row[0] for row in rows]
        return sorted(found)

    def embedded(self, space_id: int, chat_id: int) -> bool:
        """Return whether anything of a chat has a vector in a space."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT 1 FROM memory_chunks k JOIN vectors v ON v.space_id = ? AND v.text_hash = k.text_hash"
                " WHERE k.chat_id = ? LIMIT 1",
                (space_id, chat_id),
            ).fetchone()
        return row is not None

    # ── what is left behind ──────────────────────────────────────────────────────────────────────────

    def drop_left(self, older_than: timedelta, keep: Iterable[int] = ()) -> int:
        """Remove the vectors of spaces unused for so long, but for those to `keep`; returns how many."""
        limit = to_text(now() - older_than)
        spared = _listed(list(keep)) or "0"
        with self._db.write() as db:
            gone = [
                row[0]
                for row in db.execute(
                    f"SELECT id FROM spaces WHERE left_at <= ? AND id NOT IN ({spared})"
                    " AND id NOT IN (SELECT space_id FROM chat_spaces)",
                    (limit,),
                ).fetchall()
            ]
            removed = 0
            for space_id in gone:
                removed += db.execute("DELETE FROM vectors WHERE space_id = ?", (space_id,)).rowcount
                db.execute("UPDATE spaces SET left_at = NULL WHERE id = ?", (space_id,))
        return removed


def _listed(ids: Sequence[int]) -> str:
    """Write ids for an IN list; they are our own integers, so they may stand in the statement."""
    return ",".join(str(int(item)) for item in ids)
