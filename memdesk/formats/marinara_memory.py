"""Marinara's files of recalled memories (`*.marinara.json`): type `marinara_memory_recall`, version 1.

The rules are those of Marinara Engine's own import: what a chunk lacks is filled in, a chunk without text is
passed over, and the file as a whole is refused only when it is no such file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from memdesk.chats.text import clean
from memdesk.formats.errors import FormatError
from memdesk.formats.lenient_json import load_json

TYPE = "marinara_memory_recall"
VERSION = 1
SUFFIX = "-memory-recall.marinara.json"

MAX_BYTES = 25 * 1024 * 1024
"""Largest file, in bytes: Marinara reads no larger one, so none is written."""

EARLIEST, LATEST = 1000, 9000
"""Years between which a time is believed; others cannot be shown in every time zone."""

Vector = npt.NDArray[np.float32]

# A list of numbers becomes a text before the file is parsed: a vector as a list of Python's floats takes ten
# times the memory, and most files bring vectors of a space that is not ours, which nobody needs to parse.
_STRING_OR_NUMBERS = re.compile(r'"(?:[^"\\]++|\\.)*+"?|(\[[-+0-9.eE,\s]++\])', re.DOTALL)
_PART = re.compile(r"\A\[Memory chunk part \d+/\d+\]\n")
_LEAD = re.compile(r"(?:\A|(?<=\n\n))([^\n:：]{1,60}): (?=\S)")
_MOST_NAMES = 100
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\ud800-\udfff\u2028-\u202e\u2066-\u2069]+')
_NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class RecallChunk:
    """A chunk of the file. A time is None where the file has none that can be read.

    `vector` is float32 [dimension] of the space `space`; `has_vector` says that the file holds one, also
    when it was not asked for.
    """

    content: str
    first: datetime | None = None
    last: datetime | None = None
    created: datetime | None = None
    messages: int = 1
    vector: Vector | None = None
    space: str | None = None
    has_vector: bool = False


@dataclass(frozen=True, slots=True)
class RecallFile:
    """A whole file: the chat it came from, its chunks, and how many entries held no text."""

    chat_id: str
    chat_name: str
    mode: str = "roleplay"
    chunks: tuple[RecallChunk, ...] = ()
    unusable: int = 0
    warnings: list[str] = field(default_factory=list)


def file_stem(title: str) -> str:
    """Return a chat's title as the beginning of a file name on every system; "chat" when nothing is left."""
    stem = " ".join(_UNSAFE.sub(" ", title).split())[:_NAME_LENGTH].strip(". ")
    return stem or "chat"


def read_recall(raw: bytes, name: str, space: str | None = None) -> RecallFile:
    """Read a file's bytes; vectors are kept where they are of the embedding space `space`.

    Raises FormatError, naming the file `name`: `too_large`, `json_broken`, `json_too_deep`, `unknown_format`
    for another kind of file, `empty` when no chunk has text.
    """
    if len(raw) > MAX_BYTES:
        reason = f"The file is larger than {MAX_BYTES // 1024**2} MiB."
        raise FormatError(name, reason, code="too_large")
    value, warnings = load_json(_with_vectors_as_text(raw), name)
    data = value.get("data") if isinstance(value, dict) and value.get("type") == TYPE else None
    chunks = data.get("chunks") if isinstance(data, dict) and _is_version(value.get("version")) else None
    if not isinstance(data, dict) or not isinstance(chunks, list):
        raise FormatError(name, "Choose a Memory Recall export file.", code="unknown_format")
    source = data.get("sourceChat")
    source = source if isinstance(source, dict) else {}
    chat_id = _text(source.get("id")).strip()
    if not chat_id:
        raise FormatError(name, "Invalid Memory Recall export file", code="unknown_format")
    read = [chunk for item in chunks if (chunk := _chunk(item, space)) is not None]
    if not read:
        raise FormatError(name, "No usable memory chunks found in this export file", code="empty")
    return RecallFile(
        chat_id=chat_id,
        chat_name=_text(source.get("name")),
        mode=_text(source.get("mode")),
        chunks=tuple(read),
        unusable=len(chunks) - len(read),
        warnings=warnings,
    )


def write_recall(file: RecallFile) -> bytes:
    """Return a file's bytes, chunks oldest first; they may be more than `MAX_BYTES`."""
    now = datetime.now(UTC)
    chunks = sorted(file.chunks, key=lambda chunk: chunk.first or now)
    value = {
        "type": TYPE,
        "version": VERSION,
        "exportedAt": iso(now),
        "data": {
            "sourceChat": {
                "id": file.chat_id,
                "name": file.chat_name,
                "mode": file.mode,
                "memoryCount": len(chunks),
            },
            "chunks": [_written(chunk, now) for chunk in chunks],
        },
    }
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()


def iso(moment: datetime) -> str:
    """Write a time as JavaScript does: UTC, milliseconds, Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def read_time(value: Any) -> datetime | None:  # noqa: ANN401 — whatever stands in the file
    """Read an ISO 8601 time to whole milliseconds in UTC; None for what is none, or is absurdly far away."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value.strip())
        moment = moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    if not EARLIEST <= moment.year < LATEST:
        return None
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def usable_vector(numbers: Any) -> Vector | None:  # noqa: ANN401 — whatever stands in the file
    """Return numbers as a float32 vector of unit length, None unless all are finite and one is not zero."""
    try:
        vector = np.asarray(numbers, np.float64)
    except (ValueError, TypeError, OverflowError):
        return None
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        return None
    largest = np.abs(vector).max()
    if not largest:
        return None
    # Scaled first: the square of a huge number is infinite.
    scaled = vector / largest
    length = np.linalg.norm(scaled)
    # What is a unit vector already stays as it is, to the last bit.
    near = abs(float(length * largest) - 1.0) < 1e-4
    return np.asarray(vector if near else scaled / length, np.float32)


def names(text: str) -> list[str]:
    """Return who seems to speak in a memory: what stands before a colon at the start of a paragraph."""
    return list(dict.fromkeys(name.strip() for name in _LEAD.findall(_PART.sub("", text))))[:_MOST_NAMES]


def leading_names(texts: Iterable[str]) -> set[str]:
    """Return the names that some memory begins with: a colon further inside may be part of what is said."""
    found = set()
    for text in texts:
        lead = _LEAD.match(_PART.sub("", text))
        if lead is not None:
            found.add(lead[1].strip())
    return found


def spoken(text: str, speakers: Sequence[str]) -> str:
    """Return a memory without its speakers' names: those have a credit of their own."""
    return _LEAD.sub(lambda lead: "" if lead[1].strip() in speakers else lead[0], _PART.sub("", text))


def _is_version(value: object) -> bool:
    return not isinstance(value, bool) and value == VERSION


def _with_vectors_as_text(raw: bytes) -> bytes:
    try:
        text = raw.decode(json.detect_encoding(raw), "surrogatepass")
    except UnicodeDecodeError:
        # The reader says where.
        return raw

    def quoted(match: re.Match[str]) -> str:
        return f'"{match[1]}"' if match[1] else match[0]

    return _STRING_OR_NUMBERS.sub(quoted, text).encode("utf-8", "surrogatepass")


def _text(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _chunk(item: Any, space: str | None) -> RecallChunk | None:  # noqa: ANN401 — whatever stands in the file
    content = _text(item.get("content")) if isinstance(item, dict) else ""
    if not content.strip():
        return None
    count = item.get("messageCount")
    whole = isinstance(count, int | float) and not isinstance(count, bool) and count == int(count)
    first, last = read_time(item.get("firstMessageAt")), read_time(item.get("lastMessageAt"))
    own_space = _text(item.get("embeddingSpaceId")) or None
    numbers = item.get("embedding")
    wanted = space is not None and own_space == space
    return RecallChunk(
        content=content,
        first=first,
        last=last or first,
        created=read_time(item.get("createdAt")),
        messages=int(count) if whole and count > 0 else 1,
        vector=_vector(numbers) if wanted else None,
        space=own_space,
        has_vector=bool(numbers) and isinstance(numbers, str | list),
    )


def _vector(numbers: Any) -> Vector | None:  # noqa: ANN401 — whatever stands in the file
    if isinstance(numbers, str):
        try:
            numbers = json.loads(numbers)
        except (ValueError, RecursionError):
            return None
    if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
        return None
    return usable_vector(numbers)


def _written(chunk: RecallChunk, now: datetime) -> dict[str, Any]:
    first = chunk.first or now
    return {
        "content": chunk.content,
        # Nine digits say every float32 exactly.
        "embedding": None if chunk.vector is None else [float(f"{x:.9g}") for x in chunk.vector.tolist()],
        "embeddingSpaceId": None if chunk.vector is None else chunk.space,
        "messageCount": chunk.messages,
        "firstMessageAt": iso(first),
        "lastMessageAt": iso(chunk.last or first),
        "createdAt": iso(chunk.created or now),
    }
