"""What a group chat is set to, and how talkative its members are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from memdesk.chats.model import Character, Member

Order = Literal["natural", "list", "manual"]
"""Who replies: by mention and talkativeness, everyone in turn, or nobody by itself."""
Replies = Literal["individual", "merged"]
"""A reply each, from its own card, or one reply for all."""
Greetings = Literal["all", "first", "none"]
"""Who greets when a group chat begins."""

ORDERS: tuple[Order, ...] = get_args(Order)
REPLIES: tuple[Replies, ...] = get_args(Replies)
GREETINGS: tuple[Greetings, ...] = get_args(Greetings)

KEY = "group"
"""Where these settings stand among a chat's."""

TALKATIVENESS = 0.5
"""What a card that says nothing has, as in SillyTavern: 0 never replies unasked, 1 always does."""


@dataclass(frozen=True, slots=True)
class GroupSettings:
    """How replies come about in a group chat."""

    order: Order = "natural"
    replies: Replies = "individual"
    again: bool = False
    """Whether who spoke last may speak again at once, in natural order."""
    cut_names: bool = True
    """Whether a reply ends where the model begins to speak for somebody else."""


def group_settings(settings: Mapping[str, Any]) -> GroupSettings:
    """Read a chat's group settings; what is missing or unknown has its default."""
    found = settings.get(KEY)
    if not isinstance(found, Mapping):
        return GroupSettings()
    default = GroupSettings()
    again, cut_names = found.get("again"), found.get("cut_names")
    return GroupSettings(
        order=next((item for item in ORDERS if item == found.get("order")), default.order),
        replies=next((item for item in REPLIES if item == found.get("replies")), default.replies),
        again=again if isinstance(again, bool) else default.again,
        cut_names=cut_names if isinstance(cut_names, bool) else default.cut_names,
    )


def card_talkativeness(character: Character) -> float:
    """Return how talkative a card makes its character, 0–1; cards in the wild have it as a text, too."""
    extensions = character.data.get("extensions")
    value = extensions.get("talkativeness") if isinstance(extensions, Mapping) else None
    try:
        number = float(value) if isinstance(value, int | float | str) else TALKATIVENESS
    except ValueError:
        number = TALKATIVENESS
    return min(max(number, 0.0), 1.0) if math.isfinite(number) else TALKATIVENESS


def talkativeness(member: Member, character: Character) -> float:
    """Return how talkative a member is: as set in this group, else as its card says."""
    own = member.talkativeness
    return card_talkativeness(character) if own is None else own


def called(character: Character) -> str:
    """Return what a character is called in prompts: its nickname, where it has one."""
    return character.text("nickname").strip() or character.name
