"""The words of a conversation as plain data: characters, personas, chats, messages, swipes."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Role = Literal["user", "assistant", "system"]
ChatKind = Literal["single", "group"]
ChatMode = Literal["roleplay", "conversation"]


class SwipeState(enum.StrEnum):
    """How a swipe's text came to its end."""

    DONE = "done"
    STREAMING = "streaming"
    STOPPED = "stopped"
    """The person pressed Stop; the partial text is kept."""
    INTERRUPTED = "interrupted"
    """memdesk ended while the reply was being written; the partial text is kept."""
    FAILED = "failed"
    """The model or the connection failed; `Swipe.error` says how."""


@dataclass(frozen=True, slots=True)
class Character:
    """A character and the card it came from.

    `card` is a whole V3 card object (`spec`, `spec_version`, `data`); unknown fields are kept as given.
    `avatar` is the content hash of an image in the data folder's file store, or None.
    """

    id: int
    name: str
    card: dict[str, Any]
    avatar: str | None
    created_at: datetime
    updated_at: datetime
    sample: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The card's `data` object."""
        data = self.card.get("data")
        return data if isinstance(data, dict) else {}

    def text(self, key: str) -> str:
        """Return a text field of the card (`description`, `scenario`, …), "" when missing."""
        value = self.data.get(key)
        return value if isinstance(value, str) else ""

    @property
    def greetings(self) -> list[str]:
        """First message and alternate greetings, without blank ones."""
        alternates = self.data.get("alternate_greetings")
        texts = [self.text("first_mes"), *(alternates if isinstance(alternates, list) else [])]
        return [text for text in texts if isinstance(text, str) and text.strip()]


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the person plays."""

    id: int
    name: str
    description: str
    avatar: str | None
    default: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat as the list shows it; `settings` holds per-chat overrides by layer name."""

    id: int
    title: str
    kind: ChatKind
    mode: ChatMode
    character_ids: tuple[int, ...]
    character_names: tuple[str, ...]
    persona_id: int | None
    settings: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    messages: int = 0
    last_line: str = ""
    avatar: str | None = None
    sample: str | None = None


@dataclass(frozen=True, slots=True)
class Swipe:
    """One version of a message's text. `tokens` is an estimate, None while unknown."""

    id: int
    message_id: int
    text: str
    state: SwipeState
    created_at: datetime
    finished_at: datetime | None = None
    tokens: int | None = None
    model: str = ""
    reasoning: str = ""
    error: str = ""
    generation: dict[str, Any] = field(default_factory=dict)
    has_receipt: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its active swipe. `number` counts from 1 over the messages that still stand."""

    id: int
    chat_id: int
    number: int
    role: Role
    name: str
    character_id: int | None
    created_at: datetime
    hidden: bool
    swipe: Swipe
    swipe_number: int
    swipe_count: int

    @property
    def text(self) -> str:
        """The active swipe's text."""
        return self.swipe.text
