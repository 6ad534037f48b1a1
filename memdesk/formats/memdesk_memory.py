"""memdesk's own files of memories (`*.memdesk.json`): all that is known of them, nothing lost on the way.

The form is described in `resources/schemas/memdesk-memory.schema.json`. Reading is tolerant in the parts and
strict in the whole: a memory without text is passed over, a field of a wrong type has its default.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from memdesk.chats.text import clean
from memdesk.formats.errors import FormatError
from memdesk.formats.marinara_memory import Vector, iso, read_time, usable_vector

TYPE = "memdesk_memory"
VERSION = 1
SUFFIX = "-memories.memdesk.json"

MAX_BYTES = 128 * 1024 * 1024
"""Largest file, in bytes: 100,000 memories of 400 characters without vectors, half as many with them."""
MAX_VALUES = 4_000_000
"""Most objects, lists and commas: they decide how much memory the reader needs."""
MAX_SOURCES = 1_000
"""Source messages of one memory that are read."""
MAX_NAMES = 100
"""Speakers of one memory that are read."""

ORIGINS = frozenset({"native", "imported", "note"})

_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_HASH_BYTES = range(16, 33)


@dataclass(frozen=True, slots=True)
class FileSource:
    """A message that a memory was made from: its number (0 when it was gone), and the hash of its text."""

    number: int
    source_hash: bytes
    piece: int = 0


@dataclass(frozen=True, slots=True)
class FileMemory:
    """A memory as it travels. `original` is the text before the person's first edit, None without one.

    A time is None where the file has none that can be read. A note written by hand has no sources.
    """

    text: str
    first: datetime | None = None
    last: datetime | None = None
    created: datetime | None = None
    original: str | None = None
    speakers: tuple[str, ...] = ()
    tokens: int = 0
    frozen: bool = False
    pinned: bool = False
    enabled: bool = True
    edited: bool = False
    origin: str = "native"
    sources: tuple[FileSource, ...] = ()
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A whole file: the chat it came from, its memories, and how many entries held no text.

    `space` and `dimension` are those of the vectors.
    """

    chat_id: str
    title: str
    mode: str = "roleplay"
    space: str | None = None
    dimension: int = 0
    memories: tuple[FileMemory, ...] = ()
    unusable: int = 0


def read_memories(raw: bytes, name: str) -> MemoryFile:
    """Read a file's bytes.

    Raises FormatError, naming the file `name`: `too_large`, `json_broken`, `json_too_deep`, `unknown_format`
    for another kind of file or one of a newer memdesk, `empty` when no memory has text.
    """
    value = _load(raw, name)
    items = value.get("memories") if isinstance(value, dict) and value.get("type") == TYPE else None
    if not isinstance(items, list):
        raise FormatError(name, "This is not a file of memories from memdesk.", code="unknown_format")
    version = value.get("version")
    if isinstance(version, bool) or version != VERSION:
        reason = "The file was written by a newer memdesk. Please update memdesk."
        raise FormatError(name, reason, code="unknown_format")
    chat, space = _object(value.get("chat")), _object(value.get("space"))
    dimension = _whole(space.get("dimension"))
    read = [memory for item in items if (memory := _memory(item, dimension)) is not None]
    if not read and items:
        raise FormatError(name, "No usable memory chunks found in this export file", code="empty")
    return MemoryFile(
        chat_id=_text(chat.get("id")).strip(),
        title=_text(chat.get("title")),
        mode=_text(chat.get("mode")),
        space=_text(space.get("id")) or None,
        dimension=dimension,
        memories=tuple(read),
        unusable=len(items) - len(read),
    )


def write_memories(file: MemoryFile) -> bytes:
    """Return a file's bytes, memories in their order, each on a line; they may be more than `MAX_BYTES`."""
    head = {
        "type": TYPE,
        "version": VERSION,
        "exportedAt": iso(datetime.now(UTC)),
        "chat": {"id": file.chat_id, "title": file.title, "mode": file.mode},
        "space": {"id": file.space, "dimension": file.dimension} if file.space else None,
    }
    start = json.dumps(head, ensure_ascii=False, indent=1)[: -len("\n}")]
    lines = ",\n".join(json.dumps(_written(memory), ensure_ascii=False) for memory in file.memories)
    return f'{start},\n "memories": [\n{lines}\n ]\n}}\n'.encode()


def _load(raw: bytes, name: str) -> Any:  # noqa: ANN401 — whatever stands in the file
    if len(raw) > MAX_BYTES:
        reason = f"The file is larger than {MAX_BYTES // 1024**2} MiB."
        raise FormatError(name, reason, code="too_large")
    outside = _STRING.sub(b"", raw)
    if outside.count(b"[") + outside.count(b"{") + outside.count(b",") > MAX_VALUES:
        reason = f"The JSON text holds more than {MAX_VALUES:,} values."
        raise FormatError(name, reason, code="too_large")
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        reason = f"The text is not valid Unicode at byte {error.start}."
        raise FormatError(name, reason, code="json_broken") from error
    except json.JSONDecodeError as error:
        reason = f"The JSON text is broken in line {error.lineno}, column {error.colno}: {error.msg}."
        raise FormatError(name, reason, code="json_broken") from error
    except (RecursionError, ValueError) as error:
        # Nested too deep, or a number of thousands of digits.
        reason = "This is not a file of memories from memdesk."
        raise FormatError(name, reason, code="json_too_deep") from error
    except MemoryError as error:
        raise FormatError(name, "There is not enough memory to read the file.", code="too_large") from error


def _object(value: Any) -> dict[str, Any]:  # noqa: ANN401 — whatever stands in the file
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _whole(value: object) -> int:
    """Return a number from 0 to a billion, 0 for anything else."""
    right = isinstance(value, int) and not isinstance(value, bool)
    return value if right and 0 <= value <= 10**9 else 0  # type: ignore[operator, return-value]


def _memory(item: Any, dimension: int) -> FileMemory | None:  # noqa: ANN401 — whatever stands in the file
    text = _text(item.get("text")) if isinstance(item, dict) else ""
    if not text.strip():
        return None
    first, last = read_time(item.get("firstTime")), read_time(item.get("lastTime"))
    speakers, sources = item.get("speakers"), item.get("sources")
    names = [_text(name) for name in speakers[:MAX_NAMES]] if isinstance(speakers, list) else []
    listed = sources[:MAX_SOURCES] if isinstance(sources, list) else []
    original = item.get("original")
    origin = item.get("origin", "native")
    return FileMemory(
        text=text,
        first=first,
        last=last or first,
        created=read_time(item.get("createdAt")),
        original=clean(original) if isinstance(original, str) else None,
        speakers=tuple(name for name in names if name),
        tokens=_whole(item.get("tokens")),
        frozen=item.get("frozen") is True,
        pinned=item.get("pinned") is True,
        enabled=item.get("enabled") is not False,
        edited=item.get("edited") is True,
        origin=origin if isinstance(origin, str) and origin in ORIGINS else "imported",
        sources=tuple(source for entry in listed if (source := _source(entry)) is not None),
        vector=_vector(item.get("vector"), dimension),
    )


def _source(entry: Any) -> FileSource | None:  # noqa: ANN401 — whatever stands in the file
    if not isinstance(entry, dict):
        return None
    try:
        source_hash = bytes.fromhex(_text(entry.get("hash")))
    except ValueError:
        return None
    if len(source_hash) not in _HASH_BYTES:
        return None
    return FileSource(_whole(entry.get("message")), source_hash, _whole(entry.get("piece")))


def _vector(value: object, dimension: int) -> Vector | None:
    if not isinstance(value, str) or not dimension:
        return None
    try:
        packed = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(packed) != 4 * dimension:
        return None
    return usable_vector(np.frombuffer(packed, "<f4"))


def _written(memory: FileMemory) -> dict[str, Any]:
    value: dict[str, Any] = {
        "text": memory.text,
        "speakers": list(memory.speakers),
        "firstTime": iso(memory.first) if memory.first else None,
        "lastTime": iso(memory.last) if memory.last else None,
        "createdAt": iso(memory.created) if memory.created else None,
        "tokens": memory.tokens,
        "origin": memory.origin,
    }
    flags = {"frozen": memory.frozen, "pinned": memory.pinned, "edited": memory.edited}
    value.update({name: True for name, there in flags.items() if there})
    if not memory.enabled:
        value["enabled"] = False
    if memory.original is not None:
        value["original"] = memory.original
    if memory.sources:
        value["sources"] = [
            {"message": source.number or None, "hash": source.source_hash.hex(), "piece": source.piece}
            for source in memory.sources
        ]
    if memory.vector is not None:
        value["vector"] = base64.b64encode(memory.vector.astype("<f4").tobytes()).decode()
    return value
