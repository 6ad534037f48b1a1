"""What summaries cover, derived from the messages as they are now; nothing here is stored."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memdesk.chats.model import Message, SwipeState
from memdesk.store.summaries import Covered, Summary
from memdesk.store.vectors import text_hash


class SourceState(enum.StrEnum):
    """How the messages that an entry covers stand to it."""

    CHANGED = "Source changed"
    GONE = "Source gone"


@dataclass(frozen=True, slots=True)
class Coverage:
    """Where an entry stands in its chat: numbers of its first and last standing message, from 1, or None."""

    first: int | None
    last: int | None
    messages: int
    state: SourceState | None
    first_id: int | None = None
    """Id of the first standing message, to go there."""


def readable(message: Message) -> bool:
    """Return whether a message has a text that a summary can tell of."""
    return message.swipe.state is not SwipeState.STREAMING and bool(message.text.strip())


def summary_source(message: Message) -> bytes:
    """Return a hash of who said what: it changes when the message is edited or another version stands."""
    return text_hash(f"{message.name}\0{message.text.strip()}")


def covered(messages: Iterable[Message]) -> tuple[Covered, ...]:
    """Return what an entry over these messages covers."""
    return tuple(Covered(message.id, summary_source(message)) for message in messages)


def coverage(entry: Summary, present: Mapping[int, Message], own_hidden: frozenset[int]) -> Coverage:
    """Return where an entry stands. `present` holds the standing messages that it covers, by id.

    A message that the person hid since counts as changed, one in `own_hidden` was hidden by summaries.
    """
    standing = [present[item.message_id] for item in entry.covers if item.message_id in present]
    numbers = [message.number for message in standing]
    state: SourceState | None = None
    if entry.covers and not standing:
        state = SourceState.GONE
    elif len(standing) < len(entry.covers) or any(
        (present[item.message_id].hidden and item.message_id not in own_hidden)
        or summary_source(present[item.message_id]) != item.source_hash
        for item in entry.covers
        if item.message_id in present
    ):
        state = SourceState.CHANGED
    begin = min(standing, key=lambda message: message.number, default=None)
    return Coverage(
        min(numbers, default=None),
        max(numbers, default=None),
        len(standing),
        state,
        begin.id if begin is not None else None,
    )


def hidden_by(entries: Sequence[Summary]) -> frozenset[int]:
    """Return the messages that entries hid from the model."""
    return frozenset(item.message_id for entry in entries for item in entry.covers if item.hidden)


def prompt_text(entries: Sequence[Summary]) -> str:
    """Return what the active entries say together, in the order of the list, parted by blank lines."""
    return "\n\n".join(entry.text.strip() for entry in entries if entry.active and entry.text.strip())
