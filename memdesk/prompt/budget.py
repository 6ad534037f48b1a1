"""Who gets how much of the context window, and what gives way first. Written once, here."""

from __future__ import annotations

import math
from dataclasses import dataclass

GIVES_WAY = ("history", "memory", "databank", "summary")
"""What gives way, first to last: history, memories, files, summaries. Never instructions silently."""

SUMMARY_SHARE = 0.15
SUMMARY_MIN = 384
SUMMARY_MAX = 6500
"""The summaries' share of the context and its bounds in tokens; the upper one is Marinara Engine's."""

MEMORY_SHARE = 0.15
MEMORY_MIN = 384
MEMORY_MAX = 1536
"""Recall's share of the context and its bounds in tokens (Marinara Engine's measured defaults)."""

DATABANK_SHARE = 0.2
DATABANK_MIN = 512
DATABANK_MAX = 4096
"""The Data Bank's share of the context and its bounds in tokens; five chunks of English are some 3,000."""

PROTECTED_TAIL = 5
"""How many of the newest messages are always sent as they are (SillyTavern's default)."""

MESSAGE_OVERHEAD = 4
"""Tokens that a chat template spends on one message's role and ends; an estimate over common templates."""

SAFETY_SHARE = 0.02
"""Part of the context kept free because token counts are estimates."""


class PromptTooLarge(Exception):  # noqa: N818 — it names the state, as the person is told
    """The parts that must be sent do not fit; the message says what to shorten."""

    def __init__(self, needed: int, room: int, largest: list[tuple[str, int]]) -> None:
        listed = ", ".join(f"{title} (~{tokens:,})" for title, tokens in largest)
        super().__init__(
            f"The prompt does not fit: about {needed:,} tokens must be sent and there is room for {room:,}. "
            f"Shorten one of these, or choose a larger context or a shorter reply: {listed}."
        )
        self.code = "prompt_too_large"
        self.needed = needed
        self.room = room
        self.largest = largest


@dataclass(frozen=True, slots=True)
class Budget:
    """The context window of one request, in tokens.

    `scale` turns the bundled tokenizer's counts into the model's own, as learned from its reported usage.
    """

    context: int
    reserve: int
    scale: float = 1.0

    def scaled(self, counted: int) -> int:
        """Return a count of the bundled tokenizer as an estimate of the model's tokens."""
        return math.ceil(counted * self.scale)

    @property
    def room(self) -> int:
        """Tokens that the whole prompt may take."""
        return max(0, self.context - self.reserve - int(self.context * SAFETY_SHARE))

    @property
    def memory(self) -> int:
        """Tokens that recalled memories may take: 15 % of the context, 384 to 1,536."""
        return min(max(int(self.context * MEMORY_SHARE), MEMORY_MIN), MEMORY_MAX)

    @property
    def summary(self) -> int:
        """Tokens that summaries may take: 15 % of the context, 384 to 6,500."""
        return min(max(int(self.context * SUMMARY_SHARE), SUMMARY_MIN), SUMMARY_MAX)

    @property
    def databank(self) -> int:
        """Tokens that the Data Bank may take: 20 % of the context, 512 to 4,096."""
        return min(max(int(self.context * DATABANK_SHARE), DATABANK_MIN), DATABANK_MAX)
