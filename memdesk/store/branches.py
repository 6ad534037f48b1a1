"""Branches: a chat copied up to a message, with all that hangs on what is shared, in one transaction.

Everything is copied inside SQLite, set by set: a chat of years takes a second. Vectors are found by the hash
of their text, so the copied memories have theirs at once.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from memdesk.store.database import Database, now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.swipe_rows import being_written
from memdesk.store.variables import copy_variables

_STANDING = """
EXISTS (SELECT 1 FROM chunk_sources s JOIN messages m ON m.id = s.message_id AND m.trash_id IS NULL
         WHERE s.chunk_id = t.id)
"""
_SHARED = f"""
memory_chunks t WHERE t.chat_id = :chat AND CASE WHEN {_STANDING} THEN
    NOT EXISTS (SELECT 1 FROM chunk_sources s JOIN messages m ON m.id = s.message_id AND m.trash_id IS NULL
                 WHERE s.chunk_id = t.id AND m.id NOT IN (SELECT old FROM temp.copied_messages))
    ELSE :next IS NULL OR t.last_time < :next END
"""
"""Memories of shared messages only; of those that no message stands behind (notes, imported or frozen ones),
the ones from before the first message that is not shared."""


_SUMMARIES = """
summary_entries t WHERE t.chat_id = :chat AND t.trash_id IS NULL AND CASE
    WHEN EXISTS (SELECT 1 FROM summary_sources s WHERE s.entry_id = t.id) THEN
    NOT EXISTS (SELECT 1 FROM summary_sources s JOIN messages m ON m.id = s.message_id AND m.trash_id IS NULL
                 WHERE s.entry_id = t.id AND m.id NOT IN (SELECT old FROM temp.copied_messages))
    ELSE :next IS NULL OR t.created_at < :next END
"""
"""Summaries of shared messages only; what covers none comes along if it was written before the first message
that is not shared."""


@dataclass(frozen=True, slots=True)
class Relative:
    """A chat of a family; `parent` is the nearest chat above it that is not in the trash."""

    chat_id: int
    title: str
    depth: int
    parent: int | None
    branch_message: int | None


class BranchStore:
    """Copies chats up to a message."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def copy(self, message_id: int, title: str) -> int:
        """Make a chat that shares everything up to a message; returns its id.

        Messages come with all versions, receipts and checkpoints, memories as they are, with revisions.
        Raises `StoreError` with code `not_found`, or `being_written` while one of them is.
        """
        with self._db.write() as db:
            origin = db.execute(
                "SELECT m.chat_id, m.position FROM messages m JOIN chats c ON c.id = m.chat_id"
                " WHERE m.id = ? AND m.trash_id IS NULL AND c.trash_id IS NULL",
                (message_id,),
            ).fetchone()
            if origin is None:
                raise StoreError("not_found", f"Message {message_id} is not there any more.")
            chat_id, place = origin["chat_id"], origin["position"]
            writing = db.execute(
                "SELECT 1 FROM swipes s JOIN messages m ON m.id = s.message_id WHERE s.state = 'streaming'"
                " AND m.chat_id = ? AND m.trash_id IS NULL AND m.position <= ?",
                (chat_id, place),
            ).fetchone()
            if writing is not None:
                raise being_written()
            new_chat = _copy_chat(db, chat_id, message_id, title)
            try:
                _map(
                    db,
                    "messages",
                    "position",
                    "messages t WHERE chat_id = :chat AND trash_id IS NULL AND position <= :place",
                    {"chat": chat_id, "place": place},
                )
                _map(
                    db,
                    "swipes",
                    "m.new, t.position",
                    "swipes t JOIN temp.copied_messages m ON m.old = t.message_id WHERE t.position >= 0",
                )
                after = db.execute(
                    "SELECT min(created_at) FROM messages WHERE chat_id = ? AND trash_id IS NULL"
                    " AND position > ?",
                    (chat_id, place),
                ).fetchone()[0]
                _copy_messages(db, new_chat)
                _map(db, "memory_chunks", "t.id", _SHARED, {"chat": chat_id, "next": after})
                _copy_memories(db, new_chat)
                _map(db, "summary_entries", "t.id", _SUMMARIES, {"chat": chat_id, "next": after})
                _copy_summaries(db, new_chat)
            finally:
                for table in ("messages", "swipes", "memory_chunks", "summary_entries"):
                    db.execute(f"DROP TABLE IF EXISTS temp.copied_{table}")
        return new_chat

    def family(self, chat_id: int) -> list[Relative]:
        """Return a chat with all that it branched from and all that branched off, each below its parent.

        Chats in the trash are left out; what branched off them stands below what they branched from.
        """
        with self._db.read() as db:
            rows = db.execute(
                "WITH RECURSIVE up(id, parent) AS (SELECT id, branch_chat FROM chats WHERE id = ?"
                "  UNION SELECT c.id, c.branch_chat FROM chats c JOIN up ON c.id = up.parent),"
                " down(id) AS (SELECT id FROM up WHERE parent IS NULL"
                "   OR NOT EXISTS (SELECT 1 FROM chats p WHERE p.id = up.parent)"
                "  UNION SELECT c.id FROM chats c JOIN down ON c.branch_chat = down.id)"
                " SELECT c.id, c.title, c.branch_chat, c.branch_message, c.trash_id FROM chats c"
                " JOIN down ON down.id = c.id ORDER BY c.id",
                (chat_id,),
            ).fetchall()
        parents = {row["id"]: row["branch_chat"] for row in rows}
        standing = {row["id"]: row for row in rows if row["trash_id"] is None}
        below: dict[int | None, list[int]] = {}
        for item in standing:
            parent = parents[item]
            while parent is not None and parent not in standing:
                parent = parents.get(parent)
            below.setdefault(parent, []).append(item)
        found: list[Relative] = []

        def walk(parent: int | None, depth: int) -> None:
            for item in below.get(parent, []):
                row = standing[item]
                found.append(Relative(item, row["title"], depth, parent, row["branch_message"]))
                walk(item, depth + 1)

        walk(None, 0)
        return found

    def message_in(self, chat_id: int, message_id: int) -> int | None:
        """Return the message of a chat that says what a message of its family says, by their common origin.

        A message of the chat itself is returned as it is.
        """
        with self._db.read() as db:
            row = db.execute(
                "SELECT n.id FROM messages m JOIN messages n ON n.chat_id = :chat AND n.trash_id IS NULL"
                "  AND coalesce(n.first_id, n.id) = coalesce(m.first_id, m.id)"
                " WHERE m.id = :message AND (m.chat_id <> :chat OR n.id = m.id) LIMIT 1",
                {"chat": chat_id, "message": message_id},
            ).fetchone()
        return int(row["id"]) if row else None


def _map(
    db: sqlite3.Connection, table: str, order: str, chosen: str, values: dict[str, object] | None = None
) -> None:
    """Give every chosen row `t` of a table the id of its copy: temp.copied_<table>(old, new)."""
    last = db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
    db.execute(f"CREATE TEMP TABLE copied_{table} (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    db.execute(
        f"INSERT INTO temp.copied_{table} SELECT t.id, :last + row_number() OVER (ORDER BY {order})"
        f" FROM {chosen}",
        {**(values or {}), "last": last[0]},
    )


def _columns(db: sqlite3.Connection, table: str, **instead: str) -> tuple[str, str]:
    """Return the columns of a table, and what is selected for them: `instead` for those it names."""
    names = [row["name"] for row in db.execute(f"PRAGMA table_info({table})")]
    return ", ".join(names), ", ".join(instead.get(name, f"t.{name}") for name in names)


def _copy_chat(db: sqlite3.Connection, chat_id: int, message_id: int, title: str) -> int:
    names, values = _columns(
        db, "chats", id="NULL", title=":title", sample="NULL", branch_chat="t.id", branch_message=":message",
        created_at=":moment", updated_at=":moment",
    )  # fmt: skip
    cursor = db.execute(
        f"INSERT INTO chats ({names}) SELECT {values} FROM chats t WHERE t.id = :chat",
        {"title": title, "message": message_id, "moment": to_text(now()), "chat": chat_id},
    )
    new_chat = int(cursor.lastrowid or 0)
    names, values = _columns(db, "chat_members", chat_id=":new")
    db.execute(
        f"INSERT INTO chat_members ({names}) SELECT {values} FROM chat_members t WHERE t.chat_id = :old",
        {"new": new_chat, "old": chat_id},
    )
    # The vectors that the chat is recalled by are those of its branch.
    db.execute(
        "INSERT INTO chat_spaces (chat_id, space_id) SELECT ?, space_id FROM chat_spaces WHERE chat_id = ?",
        (new_chat, chat_id),
    )
    copy_variables(db, chat_id, message_id, new_chat)
    return new_chat


def _copy_messages(db: sqlite3.Connection, new_chat: int) -> None:
    names, values = _columns(
        db, "messages", id="c.new", chat_id=":chat", first_id="coalesce(t.first_id, t.id)"
    )
    db.execute(
        f"INSERT INTO messages ({names}) SELECT {values} FROM temp.copied_messages c"
        " JOIN messages t ON t.id = c.old ORDER BY c.new",
        {"chat": new_chat},
    )
    names, values = _columns(db, "swipes", id="c.new", message_id="m.new")
    db.execute(
        f"INSERT INTO swipes ({names}) SELECT {values} FROM temp.copied_swipes c"
        " JOIN swipes t ON t.id = c.old JOIN temp.copied_messages m ON m.old = t.message_id ORDER BY c.new"
    )
    names, values = _columns(db, "receipts", swipe_id="c.new")
    db.execute(
        f"INSERT INTO receipts ({names}) SELECT {values} FROM temp.copied_swipes c"
        " JOIN receipts t ON t.swipe_id = c.old"
    )
    names, values = _columns(db, "checkpoints", id="NULL", message_id="c.new")
    db.execute(
        f"INSERT INTO checkpoints ({names}) SELECT {values} FROM temp.copied_messages c"
        " JOIN checkpoints t ON t.message_id = c.old"
    )
    # What is in step there is in step here.
    db.execute(
        "DELETE FROM stale_messages WHERE chat_id = ? AND message_id NOT IN"
        " (SELECT c.new FROM temp.copied_messages c JOIN stale_messages s ON s.message_id = c.old)",
        (new_chat,),
    )


def _copy_memories(db: sqlite3.Connection, new_chat: int) -> None:
    names, values = _columns(db, "memory_chunks", id="c.new", chat_id=":chat")
    db.execute(
        f"INSERT INTO memory_chunks ({names}) SELECT {values} FROM temp.copied_memory_chunks c"
        " JOIN memory_chunks t ON t.id = c.old ORDER BY c.new",
        {"chat": new_chat},
    )
    # A source that is gone stays gone: below zero no message will ever have that id.
    names, values = _columns(
        db, "chunk_sources", chunk_id="c.new", message_id="coalesce(m.new, -abs(t.message_id))"
    )
    db.execute(
        f"INSERT INTO chunk_sources ({names}) SELECT {values} FROM temp.copied_memory_chunks c"
        " JOIN chunk_sources t ON t.chunk_id = c.old"
        " LEFT JOIN temp.copied_messages m ON m.old = t.message_id"
    )
    db.execute(
        "INSERT INTO chunk_words (rowid, chat, words) SELECT c.new, ?, w.words"
        " FROM temp.copied_memory_chunks c JOIN chunk_words w ON w.rowid = c.old",
        (f"c{new_chat}",),
    )
    names, values = _columns(db, "revisions", id="NULL", item_id="c.new")
    for kind, table in (("chunk", "memory_chunks"), ("swipe", "swipes")):
        db.execute(
            f"INSERT INTO revisions ({names}) SELECT {values} FROM temp.copied_{table} c"
            " JOIN revisions t ON t.kind = ? AND t.item_id = c.old ORDER BY t.id",
            (kind,),
        )
    db.execute(
        "INSERT INTO chunk_recalls (chunk_id, swipe_id) SELECT c.new, s.new FROM chunk_recalls r"
        " JOIN temp.copied_memory_chunks c ON c.old = r.chunk_id"
        " JOIN temp.copied_swipes s ON s.old = r.swipe_id"
    )
    names, values = _columns(db, "forgotten_sources", message_id="c.new")
    db.execute(
        f"INSERT INTO forgotten_sources ({names}) SELECT {values} FROM temp.copied_messages c"
        " JOIN forgotten_sources t ON t.message_id = c.old"
    )


def _copy_summaries(db: sqlite3.Connection, new_chat: int) -> None:
    later = "(SELECT o.new FROM temp.copied_summary_entries o WHERE o.old = t.superseded_by)"
    names, values = _columns(db, "summary_entries", id="c.new", chat_id=":chat", superseded_by=later)
    db.execute(
        f"INSERT INTO summary_entries ({names}) SELECT {values} FROM temp.copied_summary_entries c"
        " JOIN summary_entries t ON t.id = c.old ORDER BY c.new",
        {"chat": new_chat},
    )
    names, values = _columns(
        db, "summary_sources", entry_id="c.new", message_id="coalesce(m.new, -abs(t.message_id))"
    )
    db.execute(
        f"INSERT INTO summary_sources ({names}) SELECT {values} FROM temp.copied_summary_entries c"
        " JOIN summary_sources t ON t.entry_id = c.old"
        " LEFT JOIN temp.copied_messages m ON m.old = t.message_id"
    )
    names, values = _columns(db, "revisions", id="NULL", item_id="c.new")
    db.execute(
        f"INSERT INTO revisions ({names}) SELECT {values} FROM temp.copied_summary_entries c"
        " JOIN revisions t ON t.kind = 'summary' AND t.item_id = c.old ORDER BY t.id"
    )
    # What a summary hid that did not come along would be taken for hidden by the person.
    db.execute(
        "UPDATE messages SET hidden = 0 WHERE id IN (SELECT m.new FROM temp.copied_messages m"
        " JOIN summary_sources s ON s.message_id = m.old AND s.hidden"
        " WHERE s.entry_id NOT IN (SELECT old FROM temp.copied_summary_entries))"
    )
