"""The parts of a prompt, each with where it comes from, what it costs and why it is in or out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from memdesk.chats.model import Role

Kind = Literal["instructions", "character", "summary", "memory", "databank", "lore", "history"]
"""One word per source: the same in the context bar, the memory strip, receipts and the inspector."""

Where = Literal["before_prompt", "after_prompt", "in_chat", "after_chat"]
"""Where a text can stand: around the main prompt and the character, among the messages, after them all."""

ROLES: Final[tuple[Role, ...]] = ("system", "user", "assistant")
"""Who a text in the chat can be from, in the order in which they follow each other at one depth."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a text stands. `depth` (messages after it) counts only for `in_chat`.

    `role` counts there and after the chat; what stands around the main prompt is said by the system.
    """

    where: Where = "after_prompt"
    depth: int = 4
    role: Role = "system"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a part is in or out: a stable code, and the numbers its sentence needs."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the sentence in English; the window translates it by its code."""
        return REASONS[self.code].format(**self.values)


REASONS = {
    "always": "always sent",
    "pinned": "pinned: always sent",
    "enabled": "switched on: sent with every reply",
    "superseded": "taken in by a later summary",
    "chosen": "chosen: place {place}, the best {limit} are sent",
    "in_window": "in the context window",
    "moved": "moved into the recalled part",
    "older": "older than the context window",
    "below_threshold": "below threshold {threshold:.2f}",
    "over_limit": "place {place}: only the best {limit} are sent",
    "protected": "already in the last {count} messages",
    "in_prompt": "already in the prompt, word for word",
    "too_new": "not older than the message being answered",
    "no_room": "no room: {limit}-token limit",
    "disabled": "disabled by you",
    "hidden": "hidden from the model",
    "empty": "empty",
    "this_time": "every {count} user messages: this time",
    "not_this_time": "every {count} user messages: not this time",
    "note_off": "switched off: every 0 user messages",
}
"""Every reason a receipt can give, in words a person understands."""


@dataclass(frozen=True, slots=True)
class Part:
    """One candidate for the prompt.

    `tokens` is an estimate. `score` and `scores` (its parts by name, each 0–1) are None and empty for
    what is not ranked. `source` says where it comes from: {"chunk": id}, {"messages": [ids]}, …, and
    {"placement": {"where", "depth", "role"}} for what stands somewhere of its own.
    """

    kind: Kind
    title: str
    text: str
    tokens: int
    included: bool
    reason: Reason
    score: float | None = None
    scores: dict[str, float] = field(default_factory=dict)
    source: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one memory layer adds to a prompt.

    `text` is what is sent (already in its template), "" for nothing, and `tokens` its whole size; `parts`
    holds every candidate, winners and losers, and at least one winner when anything is sent; `warning` is
    a sentence for the person when the layer could not do its work. `placement` says where the text stands;
    without one it follows the character, in the order of the layers.
    """

    layer: str
    kind: Kind
    text: str = ""
    tokens: int = 0
    parts: tuple[Part, ...] = ()
    query: str = ""
    warning: str = ""
    moved: frozenset[int] = frozenset()
    """Messages whose whole text is in this part, so that they are not sent where they stand as well."""
    placement: Placement | None = None
    macro: str = ""
    """What the layer's own macro stands for, {{summary}} for one, wherever a text of the prompt asks."""
