"""Summary entries on disk: text, what they cover, flags, order and every earlier version."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memdesk.store.database import Database, from_text, now, to_text
from memdesk.store.errors import StoreError

KIND = "summary"
"""Under which the versions of entries stand among the revisions."""

STEP = 1024
"""Distance between the places of two new entries."""

FLAGS = frozenset({"enabled", "frozen", "proposed"})


@dataclass(frozen=True, slots=True)
class Covered:
    """A message that an entry covers: what was read there, and whether the entry hid it from the model."""

    message_id: int
    source_hash: bytes
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class NewSummary:
    """An entry to be stored. `origin` is manual, automated or legacy; `source_mode` last, range or agent."""

    title: str
    text: str
    tokens: int
    origin: str = "manual"
    source_mode: str = "last"
    covers: tuple[Covered, ...] = ()
    enabled: bool = True
    frozen: bool = False
    proposed: bool = False
    template: str = ""
    model: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary entry as it stands. `superseded_by` is the rolling summary that took it in, or None."""

    id: int
    chat_id: int
    position: int
    title: str
    text: str
    origin: str
    source_mode: str
    enabled: bool
    frozen: bool
    edited: bool
    proposed: bool
    superseded_by: int | None
    tokens: int
    template: str
    model: str
    created_at: datetime
    updated_at: datetime
    covers: tuple[Covered, ...]

    @property
    def active(self) -> bool:
        """Whether it may be sent."""
        return self.enabled and not self.proposed and self.superseded_by is None

    @property
    def message_ids(self) -> frozenset[int]:
        """Ids of the messages that it covers."""
        return frozenset(item.message_id for item in self.covers)


@dataclass(frozen=True, slots=True)
class SummaryVersion:
    """What an entry said before a change; `actor` (person, automatic, import) made the change."""

    id: int
    title: str
    text: str
    actor: str
    at: datetime


class SummaryStore:
    """Reads and writes the summary entries of chats."""

    def __init__(self, database: Database) -> None:
        self._db = database

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def all(self, chat_id: int) -> list[Summary]:
        """Return the entries of a chat in the order of the list, those that were superseded too."""
        return self._select("e.chat_id = ? AND e.trash_id IS NULL ORDER BY e.position, e.id", (chat_id,))

    def get(self, entry_id: int) -> Summary:
        """Return one entry; raises `StoreError` with code `not_found`."""
        return self.get_many([entry_id])[0]

    def get_many(self, ids: Sequence[int]) -> list[Summary]:
        """Return entries in the order asked for; raises `StoreError` (`not_found`) when one is gone."""
        marks = ",".join(str(int(item)) for item in ids)
        found = {item.id: item for item in self._select(f"e.id IN ({marks}) AND e.trash_id IS NULL", ())}
        missing = [item for item in ids if item not in found]
        if missing:
            raise StoreError("not_found", f"Summary {missing[0]} is not there any more.")
        return [found[item] for item in ids]

    def standing(self, ids: Sequence[int]) -> list[int]:
        """Return those of the ids whose entries are there, in the order asked for."""
        marks = ",".join(str(int(item)) for item in ids)
        found = {item.id for item in self._select(f"e.id IN ({marks}) AND e.trash_id IS NULL", ())}
        return [item for item in ids if item in found]

    def versions(self, entry_id: int) -> list[SummaryVersion]:
        """Return what an entry said before, newest first."""
        with self._db.read() as db:
            rows = db.execute(
                "SELECT id, before, actor, at FROM revisions WHERE kind = ? AND item_id = ? ORDER BY id DESC",
                (KIND, entry_id),
            ).fetchall()
        found = []
        for row in rows:
            body = json.loads(row["before"])
            found.append(
                SummaryVersion(row["id"], body["title"], body["text"], row["actor"], from_text(row["at"]))
            )
        return found

    def _select(self, where: str, values: tuple[object, ...]) -> list[Summary]:
        with self._db.read() as db:
            # What took an entry in counts as long as it stands itself.
            rows = db.execute(
                "SELECT e.*, (SELECT b.id FROM summary_entries b WHERE b.id = e.superseded_by"
                f" AND b.trash_id IS NULL) AS taken_in_by FROM summary_entries e WHERE {where}",
                values,
            ).fetchall()
            listed = ",".join(str(row["id"]) for row in rows)
            cursor = db.cursor()
            cursor.row_factory = None
            sources = cursor.execute(
                "SELECT entry_id, message_id, source_hash, hidden FROM summary_sources"
                f" WHERE entry_id IN ({listed}) ORDER BY message_id"
            ).fetchall()
        covers: dict[int, list[Covered]] = {}
        for entry_id, message_id, source, hidden in sources:
            covers.setdefault(entry_id, []).append(Covered(message_id, source, bool(hidden)))
        return [_summary(row, covers.get(row["id"], ())) for row in rows]

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def add(self, chat_id: int, new: NewSummary, *, before: int | None = None) -> int:
        """Store an entry at the end of the list, or in front of the entry `before`; returns its id."""
        with self._db.write() as db:
            return add_summary(db, chat_id, new, _place(db, chat_id, before))

    def add_all(self, chat_id: int, new: Sequence[NewSummary]) -> list[int]:
        """Store entries at the end of the list, all or none; returns their ids."""
        with self._db.write() as db:
            return [add_summary(db, chat_id, item, _place(db, chat_id, None)) for item in new]

    def supersede(self, chat_id: int, new: NewSummary, old: Collection[int]) -> int:
        """Store a rolling summary that takes others in, in one step; a frozen one stays as it is."""
        with self._db.write() as db:
            entry_id = add_summary(db, chat_id, new, _place(db, chat_id, None))
            db.executemany(
                "UPDATE summary_entries SET superseded_by = ? WHERE id = ? AND NOT frozen",
                [(entry_id, item) for item in old],
            )
            return entry_id

    def approve(self, entry_id: int, taken_in: Collection[int]) -> None:
        """Take a proposal into the list, and let it take the place of others; a frozen one stays."""
        with self._db.write() as db:
            db.execute("UPDATE summary_entries SET proposed = 0 WHERE id = ?", (entry_id,))
            db.executemany(
                "UPDATE summary_entries SET superseded_by = ? WHERE id = ? AND NOT frozen",
                [(entry_id, item) for item in taken_in],
            )

    def propose_again(self, entry_id: int, released: Collection[int]) -> None:
        """Make an entry a proposal as it was, and let those stand again that it took in."""
        with self._db.write() as db:
            db.execute("UPDATE summary_entries SET proposed = 1 WHERE id = ?", (entry_id,))
            db.executemany(
                "UPDATE summary_entries SET superseded_by = NULL WHERE id = ? AND superseded_by = ?",
                [(item, entry_id) for item in released],
            )

    def rewrite(
        self, entry_id: int, title: str, text: str, tokens: int, *, actor: str, covers: Iterable[Covered] = ()
    ) -> None:
        """Give an entry another title and text and keep what it said; `covers`, when given, replaces all.

        Raises `StoreError` with code `not_found`, and `frozen` when another than a person rewrites it.
        """
        with self._db.write() as db:
            row = db.execute(
                "SELECT title, text, frozen FROM summary_entries WHERE id = ? AND trash_id IS NULL",
                (entry_id,),
            ).fetchone()
            if row is None:
                raise StoreError("not_found", f"Summary {entry_id} is not there any more.")
            if row["frozen"] and actor != "person":
                raise StoreError("frozen", "A frozen summary is changed by nobody but you.")
            before = json.dumps({"title": row["title"], "text": row["text"]}, ensure_ascii=False)
            db.execute(
                "INSERT INTO revisions (kind, item_id, before, actor, at) VALUES (?, ?, ?, ?, ?)",
                (KIND, entry_id, before, actor, to_text(now())),
            )
            db.execute(
                "UPDATE summary_entries SET title = ?, text = ?, tokens = ?, updated_at = ?,"
                " edited = edited OR ? WHERE id = ?",
                (title, text, tokens, to_text(now()), actor == "person", entry_id),
            )
            listed = list(covers)
            if listed:
                db.execute("DELETE FROM summary_sources WHERE entry_id = ?", (entry_id,))
                _cover(db, entry_id, listed)

    def put_back(self, entry: Summary, revision: int) -> None:
        """Make an entry what it was before its revisions above `revision`, which go."""
        with self._db.write() as db:
            db.execute(
                "UPDATE summary_entries SET title = ?, text = ?, tokens = ?, edited = ?, updated_at = ?,"
                " enabled = ?, frozen = ?, proposed = ?, superseded_by = ?, position = ? WHERE id = ?",
                (
                    entry.title, entry.text, entry.tokens, entry.edited, to_text(entry.updated_at),
                    entry.enabled, entry.frozen, entry.proposed, entry.superseded_by, entry.position,
                    entry.id,
                ),
            )  # fmt: skip
            db.execute("DELETE FROM summary_sources WHERE entry_id = ?", (entry.id,))
            _cover(db, entry.id, entry.covers)
            db.execute(
                "DELETE FROM revisions WHERE kind = ? AND item_id = ? AND id > ?", (KIND, entry.id, revision)
            )

    def set_flag(self, ids: Sequence[int], flag: str, *, value: bool) -> list[int]:
        """Set `enabled`, `frozen` or `proposed`; returns the ids of those that changed."""
        if flag not in FLAGS:
            raise ValueError(flag)
        with self._db.write() as db:
            return [
                entry_id
                for entry_id in ids
                if db.execute(
                    f"UPDATE summary_entries SET {flag} = ? WHERE id = ? AND {flag} <> ?",
                    (value, entry_id, value),
                ).rowcount
            ]

    def order(self, chat_id: int, ids: Sequence[int]) -> None:
        """Put the entries of a chat into this order; those not named keep their places after them."""
        with self._db.write() as db:
            rest = db.execute(
                "SELECT id FROM summary_entries WHERE chat_id = ? AND trash_id IS NULL ORDER BY position, id",
                (chat_id,),
            )
            wanted = dict.fromkeys([*ids, *(row[0] for row in rest.fetchall())])
            db.executemany(
                "UPDATE summary_entries SET position = ? WHERE id = ? AND chat_id = ?",
                [(place * STEP, item, chat_id) for place, item in enumerate(wanted, start=1)],
            )

    def remove(self, entry_id: int) -> None:
        """Delete an entry for good; those that it took in stand again."""
        with self._db.write() as db:
            db.execute("DELETE FROM summary_entries WHERE id = ?", (entry_id,))


def add_summary(db: sqlite3.Connection, chat_id: int, new: NewSummary, position: int) -> int:
    """Store an entry in the transaction of `db`; returns its id."""
    moment = to_text(new.created_at or now())
    cursor = db.execute(
        "INSERT INTO summary_entries (chat_id, position, title, text, origin, source_mode, enabled, frozen,"
        " proposed, tokens, template, model, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chat_id, position, new.title, new.text, new.origin, new.source_mode, new.enabled, new.frozen,
            new.proposed, new.tokens, new.template, new.model, moment, moment,
        ),
    )  # fmt: skip
    entry_id = int(cursor.lastrowid or 0)
    _cover(db, entry_id, new.covers)
    return entry_id


def _cover(db: sqlite3.Connection, entry_id: int, covers: Iterable[Covered]) -> None:
    db.executemany(
        "INSERT INTO summary_sources VALUES (?, ?, ?, ?)",
        [(entry_id, item.message_id, item.source_hash, item.hidden) for item in covers],
    )


def _place(db: sqlite3.Connection, chat_id: int, before: int | None) -> int:
    """Return a free place at the end of the list, or right in front of an entry."""
    if before is None:
        row = db.execute("SELECT max(position) FROM summary_entries WHERE chat_id = ?", (chat_id,))
        return int(row.fetchone()[0] or 0) + STEP
    place = db.execute("SELECT position FROM summary_entries WHERE id = ?", (before,)).fetchone()[0]
    db.execute(
        "UPDATE summary_entries SET position = position + ? WHERE chat_id = ? AND position >= ?",
        (STEP, chat_id, place),
    )
    return int(place)


def _summary(row: sqlite3.Row, covers: Sequence[Covered]) -> Summary:
    return Summary(
        id=row["id"],
        chat_id=row["chat_id"],
        position=row["position"],
        title=row["title"],
        text=row["text"],
        origin=row["origin"],
        source_mode=row["source_mode"],
        enabled=bool(row["enabled"]),
        frozen=bool(row["frozen"]),
        edited=bool(row["edited"]),
        proposed=bool(row["proposed"]),
        superseded_by=row["taken_in_by"],
        tokens=row["tokens"],
        template=row["template"],
        model=row["model"],
        created_at=from_text(row["created_at"]),
        updated_at=from_text(row["updated_at"]),
        covers=tuple(covers),
    )
