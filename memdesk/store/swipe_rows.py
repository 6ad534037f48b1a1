"""Versions of messages as rows: put aside, brought back, and returned to what they were."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any

from memdesk.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class WholeSwipe:
    """A version of a message with what hangs on it: its columns by name, its receipt's row, its recalls."""

    row: dict[str, Any]
    receipt: tuple[Any, ...] | None
    recalls: tuple[int, ...]

    @property
    def id(self) -> int:
        """The swipe's id."""
        return int(self.row["id"])

    @property
    def text(self) -> str:
        """The swipe's text."""
        return str(self.row["text"])


def read_swipe(db: sqlite3.Connection, swipe_id: int) -> WholeSwipe:
    """Read a swipe with what hangs on it; raises `StoreError` with code `not_found`."""
    row = db.execute("SELECT * FROM swipes WHERE id = ?", (swipe_id,)).fetchone()
    if row is None:
        raise gone()
    receipt = db.execute("SELECT * FROM receipts WHERE swipe_id = ?", (swipe_id,)).fetchone()
    recalls = db.execute("SELECT chunk_id FROM chunk_recalls WHERE swipe_id = ?", (swipe_id,))
    return WholeSwipe(dict(row), tuple(receipt) if receipt else None, tuple(item[0] for item in recalls))


def put_swipe_back(db: sqlite3.Connection, swipe: WholeSwipe) -> None:
    """Make a swipe what it was, wherever it stands now; raises `StoreError` with code `not_found`."""
    kept = {name: value for name, value in swipe.row.items() if name not in {"id", "message_id", "position"}}
    changed = db.execute(
        f"UPDATE swipes SET {', '.join(f'{name} = ?' for name in kept)} WHERE id = ?",
        (*kept.values(), swipe.id),
    ).rowcount
    if not changed:
        raise gone()
    db.execute("DELETE FROM receipts WHERE swipe_id = ?", (swipe.id,))
    if swipe.receipt is not None:
        db.execute(f"INSERT INTO receipts VALUES ({', '.join('?' * len(swipe.receipt))})", swipe.receipt)
    db.execute("DELETE FROM chunk_recalls WHERE swipe_id = ?", (swipe.id,))
    db.executemany(
        "INSERT INTO chunk_recalls SELECT id, ? FROM memory_chunks WHERE id = ?",
        [(swipe.id, chunk_id) for chunk_id in swipe.recalls],
    )


def take_swipe_out(db: sqlite3.Connection, trash_id: int, swipe_id: int) -> None:
    """Put one of several versions of a message into the trash; the one after it, else before, stands then.

    Raises `StoreError` with code `not_found`, `last_version` or `being_written`.
    """
    row = db.execute(
        "SELECT s.message_id, s.position, s.state, m.active_swipe FROM swipes s"
        " JOIN messages m ON m.id = s.message_id WHERE s.id = ? AND s.position >= 0 AND m.trash_id IS NULL",
        (swipe_id,),
    ).fetchone()
    if row is None:
        raise gone()
    if row["state"] == "streaming":
        raise being_written()
    message_id, place, active = row["message_id"], row["position"], row["active_swipe"]
    count = _count(db, message_id)
    if count < 2:
        raise StoreError("last_version", "This is the only version. Delete the message instead.")
    db.execute("INSERT INTO trashed_swipes VALUES (?, ?, ?)", (swipe_id, trash_id, place == active))
    db.execute("UPDATE swipes SET position = ? WHERE id = ?", (-swipe_id, swipe_id))
    _shift(db, message_id, place + 1, count - 1, -1)
    if place < active or active == count - 1:
        active -= 1
    db.execute("UPDATE messages SET active_swipe = ? WHERE id = ?", (active, message_id))


def bring_swipe_back(db: sqlite3.Connection, trash_id: int) -> list[int]:
    """Take a version out of the trash, to its old place; returns the id of its message.

    Raises `StoreError` with code `not_found` when the message went for good.
    """
    row = db.execute(
        "SELECT t.*, s.message_id FROM trashed_swipes t JOIN swipes s ON s.id = t.swipe_id"
        " WHERE t.trash_id = ?",
        (trash_id,),
    ).fetchone()
    if row is None:
        raise gone()
    message_id, count = row["message_id"], _count(db, row["message_id"])
    # Versions are in the order they were made in, whatever comes and goes between.
    place = db.execute(
        "SELECT count(*) FROM swipes WHERE message_id = ? AND position >= 0 AND id < ?",
        (message_id, row["swipe_id"]),
    ).fetchone()[0]
    _shift(db, message_id, place, count - 1, 1)
    db.execute("UPDATE swipes SET position = ? WHERE id = ?", (place, row["swipe_id"]))
    db.execute("DELETE FROM trashed_swipes WHERE swipe_id = ?", (row["swipe_id"],))
    if row["active"] or not count:
        db.execute("UPDATE messages SET active_swipe = ? WHERE id = ?", (place, message_id))
    else:
        db.execute(
            "UPDATE messages SET active_swipe = active_swipe + (active_swipe >= ?) WHERE id = ?",
            (place, message_id),
        )
    # It went with its last version, see `drop_swipe`.
    db.execute("UPDATE messages SET trash_id = NULL WHERE id = ? AND trash_id = ?", (message_id, trash_id))
    return [message_id]


def drop_swipe(db: sqlite3.Connection, swipe_id: int, message_id: int, position: int) -> bool:
    """Delete a swipe for good, and its message with the last one; returns whether the message went."""
    db.execute("DELETE FROM swipes WHERE id = ?", (swipe_id,))
    count = _count(db, message_id)
    if not count:
        trashed = db.execute(
            "SELECT max(t.trash_id) FROM trashed_swipes t JOIN swipes s ON s.id = t.swipe_id"
            " WHERE s.message_id = ?",
            (message_id,),
        ).fetchone()[0]
        if trashed is None:
            db.execute("DELETE FROM messages WHERE id = ?", (message_id,))
        else:
            # Versions wait in the trash: the message waits with the one that went last.
            db.execute("UPDATE messages SET trash_id = ? WHERE id = ?", (trashed, message_id))
        return True
    _shift(db, message_id, position + 1, count, -1)
    db.execute("UPDATE messages SET active_swipe = ? WHERE id = ?", (max(position - 1, 0), message_id))
    return False


def _count(db: sqlite3.Connection, message_id: int) -> int:
    row = db.execute("SELECT count(*) FROM swipes WHERE message_id = ? AND position >= 0", (message_id,))
    return int(row.fetchone()[0])


def _shift(db: sqlite3.Connection, message_id: int, first: int, last: int, by: int) -> None:
    """Move the swipes at `first` to `last` one place, in an order in which no two ever stand at the same."""
    places = range(first, last + 1) if by < 0 else range(last, first - 1, -1)
    db.executemany(
        "UPDATE swipes SET position = position + ? WHERE message_id = ? AND position = ?",
        [(by, message_id, place) for place in places],
    )


def gone() -> StoreError:
    """Return the error for a version that is not there."""
    return StoreError("not_found", "That version of the message is not there any more.")


def being_written() -> StoreError:
    """Return the error for what cannot be done to a reply that is being written."""
    return StoreError("being_written", "This is being written just now. Stop it first, or wait for its end.")
