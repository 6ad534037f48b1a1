"""What a card holds beside its plain texts: depth prompt, talkativeness, assets, sources, other languages.

The first two are SillyTavern's and lie in `data.extensions`; the others are V3's and are only read here: they
travel as they are. Cards in the wild have numbers as text, or none: what cannot be read has its default.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any, Final, cast

from memdesk.chats.model import Role

DEFAULT_DEPTH: Final = 4
DEFAULT_TALKATIVENESS: Final = 0.5
MAX_DEPTH: Final = 9999
MOST_LISTED: Final = 1_000
"""Assets and sources listed of one card."""

_ROLES: Final[tuple[Role, ...]] = ("system", "user", "assistant")


@dataclass(frozen=True, slots=True)
class DepthPrompt:
    """A text that goes into the chat, `depth` messages before its end, in the name of `role`."""

    text: str = ""
    depth: int = DEFAULT_DEPTH
    role: Role = "system"


@dataclass(frozen=True, slots=True)
class Asset:
    """A picture, sound or other file that a card names; `place` is its address, shortened if it is data."""

    kind: str
    name: str
    place: str


def depth_prompt_of(card: dict[str, Any]) -> DepthPrompt:
    """Return the depth prompt of a card, an empty one when it has none."""
    found = _extensions(card).get("depth_prompt")
    if not isinstance(found, dict):
        return DepthPrompt()
    text = found.get("prompt")
    return DepthPrompt(text if isinstance(text, str) else "", _depth(found.get("depth")), role_of(found))


def with_depth_prompt(card: dict[str, Any], prompt: DepthPrompt) -> dict[str, Any]:
    """Return a copy of the card with another depth prompt; what else its object holds is kept."""
    if prompt == depth_prompt_of(card):
        return card
    edited, extensions = _editable(card)
    found = extensions.get("depth_prompt")
    kept = found if isinstance(found, dict) else {}
    values = {"prompt": prompt.text, "depth": prompt.depth, "role": prompt.role}
    extensions["depth_prompt"] = {**kept, **values}
    return edited


def talkativeness_of(card: dict[str, Any]) -> float:
    """Return how readily the character speaks up in a group, 0 to 1; 0.5 where a card does not say."""
    value = _extensions(card).get("talkativeness")
    if value is None:
        value = card.get("talkativeness")
    if isinstance(value, bool):
        return DEFAULT_TALKATIVENESS
    try:
        number = float(cast("Any", value))
    except (TypeError, ValueError, OverflowError):
        return DEFAULT_TALKATIVENESS
    return min(1.0, max(0.0, number)) if math.isfinite(number) else DEFAULT_TALKATIVENESS


def with_talkativeness(card: dict[str, Any], value: float) -> dict[str, Any]:
    """Return a copy of the card with another talkativeness; a duplicate for V1 readers follows."""
    if abs(value - talkativeness_of(card)) < 1e-9:
        return card
    edited, extensions = _editable(card)
    extensions["talkativeness"] = value
    if "talkativeness" in edited:
        edited["talkativeness"] = value
    return edited


def is_favourite(card: dict[str, Any]) -> bool:
    """Return whether whoever wrote the card's file had it among their favourites."""
    return _extensions(card).get("fav") in (True, "true")


def assets_of(card: dict[str, Any]) -> list[Asset]:
    """Return the files that a card names, in their order."""
    listed = _data(card).get("assets")
    found = []
    for item in listed[:MOST_LISTED] if isinstance(listed, list) else []:
        if isinstance(item, dict):
            kind, name, place = (str(item.get(key) or "") for key in ("type", "name", "uri"))
            if place.startswith("data:"):
                place = f"{place[:40].partition(',')[0]}, …"
            found.append(Asset(kind, name, place))
    return found


def sources_of(card: dict[str, Any]) -> list[str]:
    """Return where a card says that it comes from."""
    listed = _data(card).get("source")
    listed = [listed] if isinstance(listed, str) else listed
    texts = listed[:MOST_LISTED] if isinstance(listed, list) else []
    return [text for text in texts if isinstance(text, str) and text.strip()]


def other_notes_of(card: dict[str, Any]) -> dict[str, str]:
    """Return the creator's notes in further languages, by language code."""
    found = _data(card).get("creator_notes_multilingual")
    items = found.items() if isinstance(found, dict) else ()
    return {str(language): text for language, text in items if isinstance(text, str) and text.strip()}


def role_of(found: dict[str, Any]) -> Role:
    """Read the `role` of an object: a name in any case, or SillyTavern's number 0, 1, 2."""
    value = found.get("role")
    name = value.strip().lower() if isinstance(value, str) else value
    if isinstance(name, str) and name in {"0", "1", "2"}:
        name = int(name)
    if isinstance(name, int) and not isinstance(name, bool) and name in range(len(_ROLES)):
        return _ROLES[name]
    return next((role for role in _ROLES if role == name), "system")


def _depth(value: object) -> int:
    return depth_of(value, DEFAULT_DEPTH)


def depth_of(value: object, default: int) -> int:
    """Read a depth: a number or a text of one, 0 to 9,999; anything else is the default."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:6])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return default
    return min(value, MAX_DEPTH)


def _data(card: dict[str, Any]) -> dict[str, Any]:
    data = card.get("data")
    return data if isinstance(data, dict) else {}


def _extensions(card: dict[str, Any]) -> dict[str, Any]:
    found = _data(card).get("extensions")
    return found if isinstance(found, dict) else {}


def _editable(card: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a copy of the card, and in it the object that holds the extensions."""
    edited = copy.deepcopy(card)
    data = edited.setdefault("data", {})
    extensions = data.get("extensions")
    if not isinstance(extensions, dict):
        extensions = data["extensions"] = {}
    return edited, extensions
