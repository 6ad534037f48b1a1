"""What a memory layer is: it hears what happens (write path) and adds parts to prompts (read path)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memdesk.chats.changes import Change
from memdesk.chats.model import Chat, Message
from memdesk.prompt.budget import Budget
from memdesk.prompt.parts import Contribution, Kind


@dataclass(frozen=True, slots=True)
class ContributionRequest:
    """What a layer may know when it adds to a prompt.

    `history` holds the newest messages before the reply, in order, as far as they were loaded (some of them
    for an early layer);
    `in_prompt` and `protected` are ids of messages that are sent as they are. Only sources whose message
    number is below `before_number` may be used: a reply being regenerated sees nothing after itself.
    `room` is how many tokens the layer may add. `query`, when given, stands in for the newest messages;
    `losers` says how many candidates that were left out are listed, None for the layer's own number.
    """

    chat: Chat
    history: Sequence[Message]
    in_prompt: frozenset[int]
    protected: frozenset[int]
    before_number: int
    budget: Budget
    room: int
    query: str | None = None
    losers: int | None = None
    character_id: int | None = None
    """Who replies, None where that is nobody or not known."""


class MemoryLayer(Protocol):
    """One memory system. Both methods may be called from any thread but the window's."""

    @property
    def name(self) -> str:
        """The layer's name in settings and receipts."""

    @property
    def kind(self) -> Kind:
        """What its parts are in a receipt."""

    @property
    def early(self) -> bool:
        """Whether it contributes before the messages are chosen that are sent, and knows nothing of them."""

    def observe(self, change: Change) -> None:
        """Take note of a change; expensive work is queued, never done here."""

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Return parts for a prompt. Reads only; no call to a language model."""
