"""Receipts on disk: what was considered, sent and left out for each reply."""

from __future__ import annotations

import json
import zlib
from typing import Any

from memdesk.store.database import Database, now, to_text
from memdesk.store.vectors import text_hash

_TEXT = "text#"
"""Marks a key whose value is the hash of a text kept in `receipt_texts`."""


class ReceiptStore:
    """Reads and writes receipts (plain JSON values) by swipe id.

    Texts repeat from turn to turn, so each is stored once and named by its hash.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def put(self, swipe_id: int, receipt: dict[str, Any]) -> None:
        """Store the receipt of a swipe."""
        texts: dict[bytes, str] = {}
        body = zlib.compress(
            json.dumps(_fold(receipt, texts), ensure_ascii=False).encode("utf-8", "surrogatepass")
        )
        with self._db.write() as db:
            db.executemany("INSERT OR IGNORE INTO receipt_texts VALUES (?, ?)", list(texts.items()))
            db.execute("INSERT OR REPLACE INTO receipts VALUES (?, ?, ?)", (swipe_id, body, to_text(now())))

    def rewrite(self, swipe_id: int, receipt: dict[str, Any]) -> None:
        """Store a receipt anew that is there; it keeps its time."""
        texts: dict[bytes, str] = {}
        folded = json.dumps(_fold(receipt, texts), ensure_ascii=False)
        with self._db.write() as db:
            db.executemany("INSERT OR IGNORE INTO receipt_texts VALUES (?, ?)", list(texts.items()))
            db.execute(
                "UPDATE receipts SET body = ? WHERE swipe_id = ?",
                (zlib.compress(folded.encode("utf-8", "surrogatepass")), swipe_id),
            )

    def get(self, swipe_id: int) -> dict[str, Any] | None:
        """Return the receipt of a swipe, None when it has none."""
        with self._db.read() as db:
            row = db.execute("SELECT body FROM receipts WHERE swipe_id = ?", (swipe_id,)).fetchone()
            if row is None:
                return None
            folded = json.loads(zlib.decompress(row["body"]).decode("utf-8", "surrogatepass"))
            wanted: set[bytes] = set()
            _collect(folded, wanted)
            texts = {
                key: db.execute("SELECT text FROM receipt_texts WHERE hash = ?", (key,)).fetchone()[0]
                for key in wanted
            }
        unfolded: dict[str, Any] = _unfold(folded, texts)
        return unfolded


def _fold(value: object, texts: dict[bytes, str]) -> object:
    """Replace every `text` and `content` by its hash."""
    if isinstance(value, dict):
        folded: dict[str, object] = {}
        for key, item in value.items():
            if key in {"text", "content"} and isinstance(item, str):
                digest = text_hash(item)
                texts[digest] = item
                folded[_TEXT + key] = digest.hex()
            else:
                folded[key] = _fold(item, texts)
        return folded
    if isinstance(value, list | tuple):
        return [_fold(item, texts) for item in value]
    return value


def _collect(value: object, wanted: set[bytes]) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if key.startswith(_TEXT):
                wanted.add(bytes.fromhex(item))
            else:
                _collect(item, wanted)
    elif isinstance(value, list):
        for item in value:
            _collect(item, wanted)


def _unfold(value: object, texts: dict[bytes, str]) -> Any:  # noqa: ANN401 — any JSON value
    if isinstance(value, dict):
        return {
            key.removeprefix(_TEXT): texts[bytes.fromhex(item)]
            if key.startswith(_TEXT)
            else _unfold(item, texts)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_unfold(item, texts) for item in value]
    return value
