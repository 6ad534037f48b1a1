"""What is deleted for good leaves nothing on the disk: no row, word, receipt, free page or log of writes.

Backups are the exception: they keep what was there when they were made, as long as they are kept.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from memdesk.store.database import Database, now, to_text
from memdesk.store.receipts import ReceiptStore
from memdesk.store.trash import KEEP_DAYS, TrashStore
from memdesk.work.cancel import CancelToken

HIDDEN = "[…]"
"""Stands in receipts where something was said that was deleted for good."""

SHORT = 16
"""A text of fewer characters is only taken out of a receipt where it stands alone or ends a line: “Yes.” is
part of much that has nothing to do with it."""

_DUE = "sweep_due"
_SCRUBBED = "scrubbed"
_TEXT_HASH = re.compile(rb'"text#(?:text|content)": ?"([0-9a-f]{32})"')


@dataclass(frozen=True, slots=True)
class _Going:
    """Trash entries that go, and by chat the texts that go with them."""

    ids: tuple[int, ...]
    texts: dict[int, set[str]]


class Sweeper:
    """Empties the trash and wipes what is left of its contents. Every method may be called again safely."""

    def __init__(self, database: Database, receipts: ReceiptStore, trash: TrashStore) -> None:
        self._db = database
        self._trash = trash
        self._receipts = receipts

    def due(self, older_than: timedelta = timedelta(days=KEEP_DAYS)) -> bool:
        """Return whether something in the trash is old enough to go, or a sweep was not finished."""
        with self._db.read() as db:
            row = db.execute(
                "SELECT 1 FROM trash WHERE deleted_at < ? UNION ALL SELECT 1 FROM meta WHERE key = ? LIMIT 1",
                (_limit(older_than), _DUE),
            ).fetchone()
        return row is not None

    def empty(self, cancel: CancelToken, older_than: timedelta = timedelta(days=KEEP_DAYS)) -> int:
        """Delete for good what has been in the trash for so long; returns how many entries went.

        Receipts of replies that stay forget it first, so that a kill in between loses nothing that is needed
        for that. `tidy` does the rest, once memories follow the messages that are left. Raises `Cancelled`.
        """
        limit = _limit(older_than)
        going = self._going(limit)
        if not going.ids:
            return 0
        for chat_id, texts in going.texts.items():
            cancel.raise_if_cancelled()
            self._redact(chat_id, self._gone_for_good(chat_id, texts, going.ids), cancel)
        with self._db.write() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (_DUE,))
            return self._trash.purge_before(limit)

    def _going(self, limit: str) -> _Going:
        with self._db.read() as db:
            ids = tuple(row[0] for row in db.execute("SELECT id FROM trash WHERE deleted_at < ?", (limit,)))
            marks = ",".join(map(str, ids)) or "0"
            texts: dict[int, set[str]] = {}
            # Whole chats take their receipts with them; these stay in chats that stay.
            said = (
                "WITH gone AS (SELECT m.chat_id, s.id, s.text FROM messages m"
                f" JOIN swipes s ON s.message_id = m.id WHERE m.trash_id IN ({marks}) UNION ALL"
                " SELECT m.chat_id, s.id, s.text FROM trashed_swipes t JOIN swipes s ON s.id = t.swipe_id"
                f" JOIN messages m ON m.id = s.message_id WHERE t.trash_id IN ({marks}))"
                " SELECT chat_id, text FROM gone UNION ALL SELECT g.chat_id, r.before FROM gone g"
                " JOIN revisions r ON r.kind = 'swipe' AND r.item_id = g.id"
            )
            for chat_id, text in db.execute(said):
                texts.setdefault(chat_id, set()).add(text.strip())
            remembered = f"SELECT chat_id, body FROM forgotten_chunks WHERE trash_id IN ({marks})"
            for chat_id, body in db.execute(remembered):
                row, _words, _sources, revisions, _recalls = json.loads(body)
                found = {str(row["text"]), *(str(before) for before, _actor, _at in revisions)}
                texts.setdefault(chat_id, set()).update(found)
        return _Going(ids, texts)

    def _gone_for_good(self, chat_id: int, texts: set[str], going: tuple[int, ...]) -> list[str]:
        """Return those of the texts that nothing says any more that stays, longest first."""
        marks = ",".join(map(str, going))
        stays = (
            "SELECT 1 FROM messages m JOIN swipes s ON s.message_id = m.id WHERE m.chat_id = ?1"
            f" AND (m.trash_id IS NULL OR m.trash_id NOT IN ({marks}))"
            f" AND s.id NOT IN (SELECT swipe_id FROM trashed_swipes WHERE trash_id IN ({marks}))"
            " AND instr(s.text, ?2) UNION ALL"
            " SELECT 1 FROM memory_chunks k WHERE k.chat_id = ?1 AND instr(k.text, ?2) LIMIT 1"
        )
        with self._db.read() as db:
            gone = [
                text for text in texts if text and not db.execute(stays, (chat_id, _said(text))).fetchone()
            ]
        return sorted(gone, key=len, reverse=True)

    def _redact(self, chat_id: int, texts: list[str], cancel: CancelToken) -> None:
        """Take texts out of every receipt of a chat."""
        if not texts:
            return
        with self._db.read() as db:
            rows = db.execute(
                "SELECT r.swipe_id FROM receipts r JOIN swipes s ON s.id = r.swipe_id"
                " JOIN messages m ON m.id = s.message_id WHERE m.chat_id = ?",
                (chat_id,),
            ).fetchall()
        wanted = [*texts, *(_said(text) for text in texts if _said(text) != text)]
        for (swipe_id,) in rows:
            cancel.raise_if_cancelled()
            receipt = self._receipts.get(swipe_id)
            if receipt is None:
                continue
            redacted = _mapped(receipt, lambda text: _without(text, wanted))
            if redacted != receipt:
                self._receipts.rewrite(swipe_id, redacted)

    # ── what is left over ────────────────────────────────────────────────────────────────────────────

    def tidy(self, cancel: CancelToken) -> bool:
        """Wipe what nothing refers to any more, down to free pages and the log of writes; raises `Cancelled`.

        Returns false when something has to be done later: messages are still to be remembered, others read
        the log, or there is no room to write the file anew.
        """
        with self._db.read() as db:
            if db.execute("SELECT 1 FROM meta WHERE key = ?", (_DUE,)).fetchone() is None:
                return True
            if db.execute(
                "SELECT 1 FROM stale_messages s JOIN chats c ON c.id = s.chat_id"
                " WHERE c.trash_id IS NULL LIMIT 1"
            ).fetchone():
                # A chat that is being remembered anew needs the vectors that it had.
                return False
        self._drop_texts(cancel)
        with self._db.write() as db:
            _drop_vectors(db)
            for kind, table in (("swipe", "swipes"), ("chunk", "memory_chunks"), ("character", "characters")):
                db.execute(
                    f"DELETE FROM revisions WHERE kind = ? AND item_id NOT IN (SELECT id FROM {table})",
                    (kind,),
                )
            db.execute("DELETE FROM chunk_words WHERE rowid NOT IN (SELECT id FROM memory_chunks)")
        for table in ("chunk_words", "message_words", "attachment_words"):
            cancel.raise_if_cancelled()
            with self._db.write() as db:
                # Deleted words stay in the index until its parts are merged.
                db.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
        cancel.raise_if_cancelled()
        if not self._scrub():
            return False
        with self._db.write() as db:
            db.execute("DELETE FROM meta WHERE key = ?", (_DUE,))
        return True

    def _drop_texts(self, cancel: CancelToken) -> None:
        """Delete the texts of receipts that are gone."""
        started = to_text(now() - timedelta(seconds=1))
        used: set[bytes] = set()
        with self._db.read() as db:
            ids = [row[0] for row in db.execute("SELECT swipe_id FROM receipts")]
            for swipe_id in ids:
                cancel.raise_if_cancelled()
                row = db.execute("SELECT body FROM receipts WHERE swipe_id = ?", (swipe_id,)).fetchone()
                if row is not None:
                    used |= _hashes(row[0])
        with self._db.write() as db:
            # A reply that came meanwhile may use what nobody used before.
            for row in db.execute("SELECT body FROM receipts WHERE created_at >= ?", (started,)):
                used |= _hashes(row[0])
            there = [row[0] for row in db.execute("SELECT hash FROM receipt_texts")]
            db.executemany(
                "DELETE FROM receipt_texts WHERE hash = ?", [(key,) for key in there if key not in used]
            )

    def _scrub(self) -> bool:
        with self._db.read() as db:
            vacuum = db.execute("SELECT 1 FROM meta WHERE key = ?", (_SCRUBBED,)).fetchone() is None
        if vacuum:
            size = self._db.path.stat().st_size
            if shutil.disk_usage(self._db.path.parent).free < 2 * size + 50_000_000:
                return False
        if not self._db.scrub(vacuum=vacuum):
            return False
        if vacuum:
            # From now on whatever is freed is overwritten at once.
            with self._db.write() as db:
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, '1')", (_SCRUBBED,))
        return True


def _limit(older_than: timedelta) -> str:
    # Times are kept to the millisecond: what was deleted in this one goes too.
    return to_text(now() - older_than + timedelta(milliseconds=1))


def _said(text: str) -> str:
    """Return a memory's text without the name in front of it, as its message said it."""
    name, colon, rest = text.partition(": ")
    return rest if colon and rest.strip() and len(name) <= 100 and "\n" not in name else text


def _without(text: str, gone: Iterable[str]) -> str:
    for piece in gone:
        if text == piece:
            return HIDDEN
        if len(piece) >= SHORT:
            text = text.replace(piece, HIDDEN)
        elif piece in text:
            text = re.sub(rf"(?m)(^|: ){re.escape(piece)}$", rf"\g<1>{HIDDEN}", text)
    return text


def _mapped(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value


def _hashes(body: bytes) -> set[bytes]:
    return {bytes.fromhex(found.decode("ascii")) for found in _TEXT_HASH.findall(zlib.decompress(body))}


def _drop_vectors(db: sqlite3.Connection) -> None:
    """Delete the vectors of texts that no memory has, not even one in the trash."""
    db.execute("CREATE TEMP TABLE kept_hashes (hash BLOB PRIMARY KEY) WITHOUT ROWID")
    try:
        db.execute("INSERT OR IGNORE INTO kept_hashes SELECT text_hash FROM memory_chunks")
        db.execute("INSERT OR IGNORE INTO kept_hashes SELECT text_hash FROM attachment_pieces")
        bodies = db.execute("SELECT body FROM forgotten_chunks").fetchall()
        db.executemany(
            "INSERT OR IGNORE INTO kept_hashes VALUES (?)",
            [(bytes.fromhex(json.loads(row[0])[0]["text_hash"]),) for row in bodies],
        )
        db.execute("DELETE FROM vectors WHERE text_hash NOT IN (SELECT hash FROM kept_hashes)")
    finally:
        db.execute("DROP TABLE kept_hashes")
