"""Which messages summary entries hid from the model, as notes beside what they cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memdesk.store.database import Database


@dataclass(frozen=True, slots=True)
class HiddenNote:
    """An entry hid a message; the entry may be in the trash by now."""

    entry_id: int
    message_id: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A message of a chat, and whether it is hidden from the model by anybody."""

    message_id: int
    hidden: bool


class SummaryHidingStore:
    """Reads and writes what summaries hide."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def notes(self, chat_id: int) -> list[HiddenNote]:
        """Return what the entries of a chat hid, those in the trash too."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT s.entry_id, s.message_id FROM summary_entries e JOIN summary_sources s"
                " ON s.entry_id = e.id WHERE e.chat_id = ? AND s.hidden ORDER BY s.entry_id, s.message_id",
                (chat_id,),
            ).fetchall()
        return [HiddenNote(row["entry_id"], row["message_id"]) for row in rows]

    def standing(self, chat_id: int) -> list[Standing]:
        """Return the messages of a chat in order."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT id, hidden FROM messages WHERE chat_id = ? AND trash_id IS NULL ORDER BY position",
                (chat_id,),
            ).fetchall()
        return [Standing(row["id"], bool(row["hidden"])) for row in rows]

    def uncovered(self, chat_id: int, tail: int) -> int:
        """Return how many messages before the newest `tail` are sent and belong to no entry."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT count(*) FROM (SELECT id, hidden FROM messages WHERE chat_id = ? AND trash_id IS NULL"
                "  ORDER BY position DESC LIMIT -1 OFFSET ?) m WHERE NOT m.hidden AND NOT EXISTS"
                " (SELECT 1 FROM summary_sources s JOIN summary_entries e ON e.id = s.entry_id"
                "   WHERE s.message_id = m.id AND e.trash_id IS NULL)",
                (chat_id, tail),
            ).fetchone()
        return int(row[0])

    def apply(
        self,
        hide: Sequence[tuple[int, int]],
        show: Sequence[int],
        keep: Sequence[tuple[int, int]],
        forget: Sequence[HiddenNote],
    ) -> list[int]:
        """Hide and show messages and note who hid them, in one step; returns the messages that changed.

        A message that somebody else hid meanwhile is theirs: it gets no note.
        """
        changed = list(show)
        note = "UPDATE summary_sources SET hidden = ? WHERE entry_id = ? AND message_id = ?"
        with self._db.write() as db:
            db.executemany(note, [(0, item.entry_id, item.message_id) for item in forget])
            db.executemany(note, [(1, *item) for item in keep])
            db.executemany("UPDATE messages SET hidden = 0 WHERE id = ?", [(item,) for item in show])
            for entry_id, message_id in hide:
                hidden = db.execute(
                    "UPDATE messages SET hidden = 1 WHERE id = ? AND NOT hidden AND trash_id IS NULL",
                    (message_id,),
                )
                if hidden.rowcount:
                    changed.append(message_id)
                    db.execute(note, (1, entry_id, message_id))
        return changed
