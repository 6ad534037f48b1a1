"""Character cards (V1, V2, V3; PNG and JSON): read anything found in the wild, write what everyone reads.

In a PNG the card is base64 of UTF-8 JSON in the text chunks `ccv3` (wins) and `chara`; both are written.
What is repaired on the way in, and how, is told in `card_fields` and `lenient_json`.
"""

from __future__ import annotations

import base64
import binascii
import copy
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memdesk.formats import png
from memdesk.formats.card_fields import (
    LIST_FIELDS,
    OLD_NAMES,
    OPTIONAL_TEXT_FIELDS,
    TEXT_FIELDS,
    one_line_name,
    to_v3,
)
from memdesk.formats.errors import FormatError
from memdesk.formats.lenient_json import check_depth, dump_json, load_json

if TYPE_CHECKING:
    from pathlib import Path

MAX_FILE = png.MAX_FILE
_KEYWORDS = ("ccv3", "chara")
# Cards have one of each; a file with more is tried this far, which bounds the work of hostile ones.
_MAX_TRIES = 8
_OTHER_KINDS = (
    (b"\xff\xd8\xff", "a JPEG image, which carries no card"),
    (b"GIF8", "a GIF image, which carries no card"),
    (b"RIFF", "a WebP image, which carries no card"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"%PDF", "a PDF document"),
)


@dataclass(frozen=True, slots=True)
class ImportedCard:
    """A character read from a card.

    `name` is one line and never blank; `card` is a whole V3 card (`spec`, `spec_version`, `data`, and what
    else lay beside them); `image` is the PNG file as given (its picture is not decoded here), None for JSON
    cards; `warnings` are English sentences about what was repaired.
    """

    name: str
    card: dict[str, Any]
    image: bytes | None
    warnings: list[str]


def read_card(path: Path) -> ImportedCard:
    """Read a character card from a PNG or JSON file of at most 64 MiB; the content decides, not the suffix.

    Raises FormatError with the path: `unreadable`, and as `read_card_bytes`.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise FormatError(path.name, "This is not a file.", code="unreadable", path=path)
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        reason = f"The file cannot be read: {error.strerror or error}."
        raise FormatError(path.name, reason, code="unreadable", path=path) from error
    try:
        return read_card_bytes(data, path.name)
    except FormatError as error:
        raise error.at(path) from error


def read_card_bytes(data: bytes, name: str) -> ImportedCard:
    """Read a character card from the bytes of a PNG or JSON file called `name`.

    Raises FormatError: `empty`, `too_large`, `unknown_format`, `png_broken`, `png_checksum`, `png_no_card`,
    `text_broken`, `json_broken`, `json_too_deep`, `not_a_card`.
    """
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
        raise FormatError(name, "The file is empty.", code="empty")
    if len(data) > MAX_FILE:
        raise FormatError(name, f"The file is larger than {MAX_FILE // 1024**2} MiB.", code="too_large")
    if png.is_png(data):
        return _read_png(data, name)
    for magic, what in _OTHER_KINDS:
        if data.startswith(magic):
            reason = f"This is {what}; character cards are PNG or JSON files."
            raise FormatError(name, reason, code="unknown_format")
    if not _may_be_json(data):
        reason = "This is neither a PNG nor a JSON file."
        raise FormatError(name, reason, code="unknown_format")
    return _from_json(data, name, None)


def write_card_json(card: dict[str, Any]) -> bytes:
    """Return a card as the bytes of a V3 JSON file; unknown fields are written as they are.

    Raises FormatError: `too_large` (over 32 MiB), `json_too_deep`.
    """
    return dump_json(_versioned(card, 3), _card_name(card), pretty=True)


def write_card_png(card: dict[str, Any], image_png: bytes) -> bytes:
    """Return a PNG card: the given picture, unchanged, with the card as `chara` (V2) and `ccv3` (V3).

    Raises FormatError: `too_large` (a card over 24 MiB, a file over 64 MiB), `json_too_deep`, and
    `png_broken` if the picture is no PNG.
    """
    name = _card_name(card)
    texts = {
        "chara": base64.b64encode(dump_json(_versioned(card, 2), name)),
        "ccv3": base64.b64encode(dump_json(_versioned(card, 3), name)),
    }
    return png.replace_texts(image_png, name, texts)


def new_card(name: str, **fields: str) -> dict[str, Any]:
    """Return a V3 card with this name, the given text fields, and all else empty.

    Raises ValueError for a blank name, TypeError for a field that is no text of a card.
    """
    data: dict[str, Any] = dict.fromkeys(TEXT_FIELDS, "")
    data.update({field: [] for field in LIST_FIELDS})
    data["extensions"] = {}
    card = {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}
    for field in fields:
        if field not in TEXT_FIELDS and field not in OPTIONAL_TEXT_FIELDS:
            raise TypeError(f"A card has no text field {field!r}")
    return with_fields(card, name=name, **fields)


def with_fields(card: dict[str, Any], **changes: str | list[str]) -> dict[str, Any]:
    """Return a copy of the card with these fields of its `data` changed and everything else kept.

    Duplicates at the top level, which V2 cards carry for V1 readers, follow. Raises ValueError for a blank
    name, TypeError for an unknown field or one of the wrong type.
    """
    edited = copy.deepcopy(card)
    data = edited.get("data")
    if not isinstance(data, dict):
        data = edited["data"] = {}
    for field, value in changes.items():
        if field in LIST_FIELDS:
            right = isinstance(value, list) and all(isinstance(item, str) for item in value)
        else:
            right = field in (*TEXT_FIELDS, *OPTIONAL_TEXT_FIELDS) and isinstance(value, str)
        if not right:
            raise TypeError(f"A card has no such field, or not with this type: {field}")
        settled = one_line_name(value) if field == "name" and isinstance(value, str) else copy.copy(value)
        if field == "name" and not settled:
            raise ValueError("A character needs a name")
        data[field] = settled
        for duplicate in (field, OLD_NAMES.get(field)):
            if duplicate in edited:
                edited[duplicate] = copy.copy(settled)
    return edited


def _read_png(data: bytes, name: str) -> ImportedCard:
    texts = png.read_texts(data, name, _KEYWORDS)
    if not texts:
        raise FormatError(name, "The PNG image carries no character card.", code="png_no_card")
    # The sort is stable: among equals the first in the file wins, as elsewhere.
    tries = sorted(texts, key=lambda text: _KEYWORDS.index(text.keyword))[:_MAX_TRIES]
    failed: list[tuple[str, FormatError]] = []
    for text in tries:
        try:
            read = _from_json(_unpacked(text), name, data)
        except FormatError as error:
            failed.append((text.keyword, error))
            continue
        passed_over = [
            f'The card data "{key}" is broken and was passed over: {e.reason}' for key, e in failed
        ]
        return ImportedCard(read.name, read.card, read.image, passed_over + read.warnings)
    raise failed[0][1]


def _unpacked(text: png.TextChunk) -> bytes:
    """Return the JSON bytes of a card chunk: base64, also URL-safe, wrapped or unpadded, or plain JSON."""
    packed = b"".join(text.text().split())
    if packed.startswith(b"{"):
        return text.text()
    packed = packed.rstrip(b"\0").rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
    try:
        return base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except binascii.Error as error:
        reason = f'The card data "{text.keyword}" is not base64.'
        raise FormatError(text.name, reason, code="text_broken") from error


def _from_json(raw: bytes, name: str, image: bytes | None) -> ImportedCard:
    value, warnings = load_json(raw, name)
    card, repairs = to_v3(value, name)
    # A flat card becomes one level deeper: what is taken in must be writable again.
    check_depth(card, name)
    return ImportedCard(card["data"]["name"], card, image, warnings + repairs)


def _may_be_json(data: bytes) -> bool:
    """Tell whether the text begins with an object or a list, in UTF-8, UTF-16 or UTF-32."""
    start = data[:64].translate(None, b"\0\xef\xbb\xbf\xff\xfe").lstrip()
    return start[:1] in (b"{", b"[") or not start


def _versioned(card: dict[str, Any], version: int) -> dict[str, Any]:
    return {**card, "spec": f"chara_card_v{version}", "spec_version": f"{version}.0"}


def _card_name(card: dict[str, Any]) -> str:
    data = card.get("data")
    name = data.get("name") if isinstance(data, dict) else None
    return re.sub(r"\s+", " ", name) if isinstance(name, str) else ""
