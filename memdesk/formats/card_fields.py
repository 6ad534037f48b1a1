"""The fields of a character card: any version in, one well-formed V3 card out.

V1: https://github.com/malfoyslastname/character-card-spec-v2/blob/main/spec_v1.md
V2: https://github.com/malfoyslastname/character-card-spec-v2/blob/main/spec_v2.md
V3: https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md

Only fields that memdesk reads are put right; every other field stays where and as it is:
- a text: null or missing is "", a number becomes text, a list of texts is joined by line breaks, zero bytes
  are removed;
- a list of texts: null or missing is empty, one text is a list of one (`tags`: split at commas), numbers
  become text, other items are dropped;
- the name: one line of at most 256 characters, without control characters; if it is blank, the file's stem;
- `extensions`: an object.
When something is lost by that, the value as given stays in `data.extensions.memdesk.original`.
"""

from __future__ import annotations

import re
from pathlib import PureWindowsPath
from typing import Any

from memdesk.formats.errors import FormatError

MAX_NAME = 256
"""Longest name, in code points; a longer one is no name but a mistake, and would break every list."""

TEXT_FIELDS = (
    "name",
    "description",
    "personality",
    "scenario",
    "first_mes",
    "mes_example",
    "creator_notes",
    "system_prompt",
    "post_history_instructions",
    "creator",
    "character_version",
)
"""Texts that every V3 card has."""
OPTIONAL_TEXT_FIELDS = ("nickname",)
LIST_FIELDS = ("alternate_greetings", "tags", "group_only_greetings")
"""Lists of texts that every V3 card has."""

# All that may lie in a V3 card's `data`; in a flat card these lie at the top.
_DATA_FIELDS = frozenset(
    {
        *TEXT_FIELDS,
        *OPTIONAL_TEXT_FIELDS,
        *LIST_FIELDS,
        "extensions",
        "character_book",
        "assets",
        "creator_notes_multilingual",
        "source",
        "creation_date",
        "modification_date",
    }
)
# Older names of the same fields: Pygmalion and its web interfaces; `creatorcomment` from TavernAI.
OLD_NAMES = {
    "name": "char_name",
    "description": "char_persona",
    "scenario": "world_scenario",
    "first_mes": "char_greeting",
    "mes_example": "example_dialogue",
    "creator_notes": "creatorcomment",
}
# One of these makes an object a character; a name and a description alone may be anything.
_TELLING = frozenset(
    {"first_mes", "personality", "scenario", "mes_example", "char_name", "char_persona", "char_greeting"}
)
_LINE_BREAKS = re.compile(r"[\s\x00\u2028\u2029]+")
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")


def to_v3(source: Any, file_name: str) -> tuple[dict[str, Any], list[str]]:  # noqa: ANN401
    """Return a whole V3 card made of a V1, V2, V3 or Pygmalion card, and warnings about what was repaired.

    `source` is decoded JSON; `file_name` gives a nameless character its name and errors theirs. Raises
    FormatError `not_a_card`.
    """
    if not isinstance(source, dict):
        raise _not_a_card(file_name)
    warnings: list[str] = []
    lost: dict[str, Any] = {}
    top, data = _split(source, file_name, lost)
    spec = source.get("spec")
    if spec not in (None, "", "chara_card_v1", "chara_card_v2", "chara_card_v3"):
        warnings.append(f"Unknown card version {str(spec)[:40]!r}: read as V3.")
    for field, old in OLD_NAMES.items():
        if _blank(data.get(field)) and not _blank(source.get(old)):
            data[field] = source[old]
    for field in TEXT_FIELDS:
        data[field] = _repaired(_text, data.get(field), field, lost)
    for field in OPTIONAL_TEXT_FIELDS:
        if field in data:
            data[field] = _repaired(_text, data[field], field, lost)
    for field in LIST_FIELDS:
        items = _tags if field == "tags" else _texts
        data[field] = _repaired(items, data.get(field), field, lost)
    if not any(
        text.strip() for text in (*(data[field] for field in TEXT_FIELDS), *data["alternate_greetings"])
    ):
        raise FormatError(file_name, "The character card is empty.", code="not_a_card")
    cleaned = _settle_name(data, file_name, lost, warnings)
    data["extensions"] = _extensions(data.get("extensions"), lost)
    if broken := lost.keys() - ({"name"} if cleaned else set()):
        fields = ", ".join(sorted(broken))
        warnings.append(f"Fields of an unexpected type were repaired; their originals are kept: {fields}.")
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data, **top}, warnings


def one_line_name(text: str) -> str:
    """Return a name as one line: blanks joined, invisible controls removed, at most 256 code points."""
    return _unbroken(text)[:MAX_NAME].rstrip()


def _unbroken(text: str) -> str:
    return _INVISIBLE.sub("", _LINE_BREAKS.sub(" ", text)).strip()


def _split(
    source: dict[str, Any], file_name: str, lost: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what lies outside of `data` and a copy of `data`, taking flat cards apart."""
    data = source.get("data")
    spec = source.get("spec")
    known_spec = isinstance(spec, str) and spec.startswith("chara_card_v")
    top = {key: value for key, value in source.items() if key not in ("spec", "spec_version", "data")}
    if isinstance(data, dict) and (known_spec or _is_character(data)):
        inner = dict(data)
        for field in _DATA_FIELDS:
            # Half-converted cards have the field at the top only.
            if inner.get(field) is None and top.get(field) is not None:
                inner[field] = top[field]
        return top, inner
    if not (known_spec or _is_character(source)):
        raise _not_a_card(file_name)
    if data is not None:
        lost["data"] = data
    inner = {key: value for key, value in top.items() if key in _DATA_FIELDS}
    return {key: value for key, value in top.items() if key not in _DATA_FIELDS}, inner


def _is_character(fields: dict[str, Any]) -> bool:
    if not _TELLING.isdisjoint(fields):
        return True
    # Lorebooks have a name and a description as well.
    return "name" in fields and "description" in fields and "entries" not in fields


def _settle_name(data: dict[str, Any], file_name: str, lost: dict[str, Any], warnings: list[str]) -> bool:
    """Make the name one line; returns whether it was of the right type and yet had to change."""
    cleaned = False
    given = data["name"].strip()
    name = one_line_name(given)
    if not name:
        # Windows rules, so that both kinds of separators are understood.
        stem = PureWindowsPath(file_name).stem
        name = one_line_name(stem.encode("utf-8", "replace").decode()) or "Unnamed"
        warnings.append(f"The card has no name; it is called {name!r} after its file.")
    elif name != given and "name" not in lost:
        lost["name"] = given
        cleaned = True
        if len(name) < len(_unbroken(given)):
            warnings.append(
                f"The name has {len(given)} characters and was shortened to {len(name)};"
                " the original is kept."
            )
        else:
            warnings.append(
                "The name was cleaned of line breaks, double blanks or invisible characters;"
                " the original is kept."
            )
    data["name"] = name
    return cleaned


def _repaired(repair: Any, value: Any, field: str, lost: dict[str, Any]) -> Any:  # noqa: ANN401
    repaired, is_lost = repair(value)
    if is_lost:
        lost[field] = value
    return repaired


def _text(value: Any) -> tuple[str, bool]:  # noqa: ANN401
    """Return a value as text, and whether that lost something."""
    if value is None:
        return "", False
    if isinstance(value, str):
        return value.replace("\0", ""), False
    if _is_number(value):
        return str(value), False
    if isinstance(value, list):
        return "\n".join(_texts(value)[0]), bool(value)
    return "", True


def _texts(value: Any) -> tuple[list[str], bool]:  # noqa: ANN401
    """Return a value as a list of texts, and whether that lost something."""
    if value is None:
        return [], False
    if isinstance(value, str) or _is_number(value):
        text, _ = _text(value)
        return ([text] if text.strip() else []), False
    if not isinstance(value, list):
        return [], True
    kept = [item for item in value if isinstance(item, str) or _is_number(item)]
    return [_text(item)[0] for item in kept], any(item is not None for item in value if item not in kept)


def _tags(value: Any) -> tuple[list[str], bool]:  # noqa: ANN401
    if isinstance(value, str):
        parts = (part.strip() for part in value.replace("\0", "").split(","))
        return [part for part in parts if part], False
    return _texts(value)


def _extensions(value: Any, lost: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401
    """Return the card's extensions with the originals of repaired fields added."""
    extensions = dict(value) if isinstance(value, dict) else {}
    if value and not isinstance(value, dict):
        lost["extensions"] = value
    if lost:
        ours = extensions.get("memdesk", {})
        if not isinstance(ours, dict):
            lost["extensions.memdesk"], ours = ours, {}
        earlier = ours.get("original", {})
        if not isinstance(earlier, dict):
            lost["extensions.memdesk.original"], earlier = earlier, {}
        extensions["memdesk"] = {**ours, "original": {**earlier, **lost}}
    return extensions


def _is_number(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, int | float) and not isinstance(value, bool)


def _blank(value: Any) -> bool:  # noqa: ANN401
    return value is None or (isinstance(value, str) and not value.strip())


def _not_a_card(name: str) -> FormatError:
    return FormatError(name, "The JSON text is not a character card.", code="not_a_card")
