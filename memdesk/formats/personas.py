"""Personas as SillyTavern writes them: `personas_YYYYMMDD.json`, read and written.

`{"personas": {"<file>.png": name}, "persona_descriptions": {"<file>.png": {description, position, depth,
role, …}}, "default_persona": "<file>.png"}`. The file names stand for the personas; pictures are not in it.
Positions: 0 in the prompt (1 an old name of it), 2 and 3 above and below the author's note, 4 in the chat at
a depth (2 unless said), 9 nowhere. What else is said of a persona is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PureWindowsPath
from typing import Any, Final

from memdesk.chats.model import Persona, PersonaPlace, Role
from memdesk.chats.text import clean
from memdesk.formats.card_extras import depth_of, role_of
from memdesk.formats.card_fields import one_line_name
from memdesk.formats.errors import FormatError
from memdesk.formats.lenient_json import MAX_JSON, dump_json, load_json
from memdesk.formats.memory_io import read_file

DEFAULT_DEPTH: Final = 2
MOST: Final = 10_000
"""Personas read from one file."""

_PLACES: Final[dict[int, PersonaPlace]] = {
    0: "prompt",
    1: "prompt",
    2: "note_top",
    3: "note_bottom",
    4: "depth",
    9: "none",
}
_NUMBERS: Final = {"prompt": 0, "note_top": 2, "note_bottom": 3, "depth": 4, "none": 9}
_ROLE_NUMBERS: Final[dict[Role, int]] = {"system": 0, "user": 1, "assistant": 2}
_READ: Final = frozenset({"description", "position", "depth", "role"})


@dataclass(frozen=True, slots=True)
class FilePersona:
    """A persona as a file has it; `key` is the name of its picture's file, `extra` what we do not read."""

    key: str
    name: str
    description: str = ""
    place: PersonaPlace = "prompt"
    depth: int = DEFAULT_DEPTH
    role: Role = "system"
    default: bool = False
    extra: dict[str, Any] = field(default_factory=dict)


def is_personas_file(path: Path) -> bool:
    """Return whether a file holds personas; what cannot be read does not."""
    try:
        raw = read_file(path, MAX_JSON)
        return b'"personas"' in raw and _body(raw, path.name)[0] is not None
    except FormatError:
        return False


def read_personas(path: Path) -> tuple[list[FilePersona], list[str]]:
    """Read a file of personas; returns them and what had to be repaired.

    Raises FormatError with the path: `unreadable`, `empty`, `too_large`, `json_broken`, `json_too_deep`,
    `unknown_format`.
    """
    raw = read_file(path, MAX_JSON)
    if len(raw) > MAX_JSON:
        reason = f"The file is larger than {MAX_JSON // 1024**2} MiB."
        raise FormatError(path.name, reason, code="too_large", path=path)
    try:
        body, warnings = _body(raw, path.name)
    except FormatError as error:
        raise error.at(path) from error
    if body is None:
        raise FormatError(path.name, "This file holds no personas.", code="unknown_format", path=path)
    described = body.get("persona_descriptions")
    described = described if isinstance(described, dict) else {}
    default = body.get("default_persona")
    found = [
        _persona(key, name, described.get(key), default=key == default)
        for key, name in list(body["personas"].items())[:MOST]
    ]
    if len(body["personas"]) > MOST:
        warnings.append(f"Only the first {MOST} personas were read.")
    return found, warnings


def write_personas(personas: Sequence[Persona]) -> bytes:
    """Return personas as the bytes of a file that SillyTavern and memdesk read.

    Raises FormatError: `too_large` (over 32 MiB), `json_too_deep`.
    """
    body = {
        "personas": {item.key: item.name for item in personas},
        "persona_descriptions": {
            item.key: {
                **item.extra,
                "description": item.description,
                "position": _NUMBERS[item.place],
                "depth": item.depth,
                "role": _ROLE_NUMBERS[item.role],
            }
            for item in personas
        },
        "default_persona": next((item.key for item in personas if item.default), None),
    }
    return dump_json(body, "personas", pretty=True)


def _body(raw: bytes, name: str) -> tuple[dict[str, Any] | None, list[str]]:
    value, warnings = load_json(raw, name)
    if not isinstance(value, dict) or not isinstance(value.get("personas"), dict):
        return None, warnings
    # A settings file holds personas, too, inside a thing of its own; cards and chats never do at the top.
    return (None if "spec" in value else value), warnings


def _persona(key: str, name: object, about: object, *, default: bool) -> FilePersona:
    # In the oldest files a description is a text alone.
    values = about if isinstance(about, dict) else {"description": about}
    stem = PureWindowsPath(key).stem
    text = values.get("description")
    position = values.get("position")
    if isinstance(position, str) and position.strip() in {"0", "1", "2", "3", "4", "9"}:
        position = int(position)
    known = isinstance(position, int) and not isinstance(position, bool)
    return FilePersona(
        key=key,
        name=(one_line_name(name) if isinstance(name, str) else "") or one_line_name(stem) or "Unnamed",
        description=clean(text) if isinstance(text, str) else "",
        place=_PLACES.get(position, "prompt") if known else "prompt",  # type: ignore[arg-type]
        depth=depth_of(values.get("depth"), DEFAULT_DEPTH),
        role=role_of(values),
        default=default,
        extra={key: value for key, value in values.items() if key not in _READ},
    )
