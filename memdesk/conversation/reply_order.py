"""Who replies next in a group chat."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from memdesk.chats.groups import GroupSettings
from memdesk.chats.mentions import mentioned
from memdesk.chats.model import Message


def reply_order(
    settings: GroupSettings,
    members: Sequence[int],
    names: Callable[[int], Sequence[str]],
    eager: Callable[[int], float],
    last: Message | None,
    seed: str,
) -> list[int]:
    """Return who replies to `last`, in order; `members` are those who may reply by themselves, in theirs.

    In natural order those who are mentioned reply; where nobody is, each does with the chance of its
    talkativeness `eager` (0–1), and at least one of them. Who wrote `last` does not reply to it, unless
    `settings.again` or nobody else is there. The same `seed` gives the same answer.
    """
    if settings.order == "manual" or not members:
        return []
    if settings.order == "list":
        return list(members)
    barred = last.character_id if last is not None and last.role != "user" and not settings.again else None
    free = [member for member in members if member != barred] or list(members)
    if last is not None and (called := mentioned(last.text, {member: names(member) for member in free})):
        return called
    dice = random.Random(seed)  # noqa: S311 — dice for a game, not for a secret
    return _by_chance({member: eager(member) for member in free}, dice)


def _by_chance(chances: Mapping[int, float], dice: random.Random) -> list[int]:
    order = list(chances)
    dice.shuffle(order)
    # A chance of 1 always speaks, one of 0 never: random() is below 1.
    chosen = [member for member in order if dice.random() < chances[member]]
    if chosen:
        return chosen
    weights = [chances[member] for member in order]
    return dice.choices(order, weights if any(weights) else None)
