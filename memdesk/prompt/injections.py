"""Text with a place of its own: before the prompt, after it, deep in the chat, or after the chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from memdesk.chats.model import Character, Role
from memdesk.prompt.parts import ROLES, Kind, Placement, Reason

DEFAULT_DEPTH = 4
"""How many messages follow a text in the chat where nothing else is said (SillyTavern's default)."""

MAX_DEPTH = 9999


@dataclass(frozen=True, slots=True)
class Injection:
    """A text that always goes to its place, unless its source says not this time (`included`).

    Its macros are expanded and its tokens counted when the prompt is assembled; history gets what is left.
    """

    kind: Kind
    title: str
    text: str
    placement: Placement
    reason: Reason = field(default_factory=lambda: Reason("always"))
    included: bool = True
    source: dict[str, Any] = field(default_factory=dict)

    @property
    def marks(self) -> dict[str, Any]:
        """What a receipt notes as the part's source: where it comes from and where it stands."""
        return {**self.source, "placement": asdict(self.placement)}


def weave(
    history: Sequence[dict[str, str]],
    placed: Sequence[tuple[Placement, str]],
    join: Callable[[Sequence[str]], str] = "\n".join,
) -> list[dict[str, str]]:
    """Put texts with a place in the chat between its messages.

    A text at depth d has d messages after it; where the chat is shorter, it stands at its beginning. At one
    depth roles follow each other as system, user, assistant; texts of equal depth and role become one
    message, in the given order. Texts with another place are passed over.
    """
    at: dict[tuple[int, Role], list[str]] = {}
    for placement, text in placed:
        if placement.where == "in_chat" and text:
            depth = min(max(placement.depth, 0), len(history))
            at.setdefault((depth, placement.role), []).append(text)
    woven: list[dict[str, str]] = []
    for depth in range(len(history), -1, -1):
        for role in ROLES:
            texts = at.get((depth, role), [])
            woven += [{"role": role, "content": join(texts)}] if texts else []
        if depth:
            woven.append(history[len(history) - depth])
    return woven


def depth_prompt(character: Character) -> Injection | None:
    """Return the text that a card wants deep in the chat (`extensions.depth_prompt`), None without one.

    Cards in the wild have numbers as text, or none at all: what cannot be read has its default.
    """
    extensions = character.data.get("extensions")
    found = extensions.get("depth_prompt") if isinstance(extensions, Mapping) else None
    text = found.get("prompt") if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping) or not isinstance(text, str) or not text.strip():
        return None
    placement = Placement("in_chat", depth_of(found.get("depth")), role_of(found.get("role")))
    return Injection("character", "Depth prompt", text, placement)


def depth_of(value: object, default: int = DEFAULT_DEPTH) -> int:
    """Read a depth as files have it: a number or a text of one; anything else is the default."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit():
        value = int(value.strip()[:6])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return default
    return min(value, MAX_DEPTH)


def role_of(value: object, default: Role = "system") -> Role:
    """Read a role as files have it: its name in any case, or SillyTavern's number 0, 1, 2."""
    if isinstance(value, int) and not isinstance(value, bool) and value in range(len(ROLES)):
        return ROLES[value]
    name = value.strip().lower() if isinstance(value, str) else ""
    if name in {"0", "1", "2"}:
        return ROLES[int(name)]
    return next((role for role in ROLES if role == name), default)
