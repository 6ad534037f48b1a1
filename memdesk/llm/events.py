"""What goes to a model and what comes back, as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memdesk.work.cancel import CancelToken


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request for a reply.

    `messages` are `{"role": "system" | "user" | "assistant", "content": text}` in order. `max_tokens` limits
    the reply; None means the profile's `reply_tokens`. `character`, `user`, `recalled` (the texts of the
    memories that are in the prompt) and `last_user_text` repeat what the messages hold, for the demo voice.
    """

    messages: list[dict[str, str]]
    character: str = ""
    user: str = ""
    recalled: tuple[str, ...] = ()
    last_user_text: str = ""
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """The next piece of the reply, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """The next piece of the model's thoughts, never empty; not part of the reply."""

    text: str


@dataclass(frozen=True, slots=True)
class TextWasThought:
    """All text so far was thoughts: only now a tag said so."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of a reply, always the last event.

    `reason` is "stop" (complete), "length" (the limit of tokens was reached), "stopped" (cancelled), or
    whatever else the server says, "content_filter" for example. `model` is the name the server reports, or
    the profile's.
    """

    reason: str
    usage: Usage | None = None
    model: str = ""


Event = TextDelta | ReasoningDelta | TextWasThought | Finished


class ChatClient(Protocol):
    """Something that replies."""

    def stream(self, request: ChatRequest, cancel: CancelToken) -> Iterator[Event]:
        """Yield the reply as it is written, ending with `Finished`.

        After `cancel` the iterator yields `Finished("stopped")` within 200 ms. Raises LLMError, after the
        events that came before the failure.
        """
        ...

    def close(self) -> None:
        """End all replies that are being written, as if cancelled; nothing can be asked afterwards."""
        ...
