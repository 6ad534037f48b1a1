"""The words of a conversation as plain data: characters, personas, chats, messages, swipes."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

Role = Literal["user", "assistant", "system"]
ChatKind = Literal["single", "group"]
ChatMode = Literal["roleplay", "conversation"]
PersonaPlace = Literal["prompt", "note_top", "note_bottom", "depth", "none"]
"""Where a persona's description goes: with the character, above or below the author's note, deep in the
chat, or nowhere."""


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
    favourite: bool = False
    picture: str | None = None
    """The PNG that it came in, whole, by content hash; None when it has another avatar since."""

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
        return _texts([self.text("first_mes"), *_list(self.data.get("alternate_greetings"))])

    @property
    def group_greetings(self) -> list[str]:
        """Greetings for a chat with others: those that are only for groups first, then all others."""
        return list(dict.fromkeys([*_texts(_list(self.data.get("group_only_greetings"))), *self.greetings]))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(items: list[Any]) -> list[str]:
    """Return the texts of a list in a card, without blank ones."""
    return [item for item in items if isinstance(item, str) and item.strip()]


@dataclass(frozen=True, slots=True)
class CharacterHead:
    """A character as the gallery shows it, without its card; `line` is what its card says in short."""

    id: int
    name: str
    avatar: str | None
    sample: str | None
    favourite: bool
    created_at: datetime
    updated_at: datetime
    nickname: str = ""
    creator: str = ""
    tags: tuple[str, ...] = ()
    line: str = ""


@dataclass(frozen=True, slots=True)
class Persona:
    """Who the person plays, and where their description goes.

    `depth` (messages that follow it) and `role` count for the place `depth` only. `key` names the persona in
    files; `extra` keeps what another program's file said of it beside that.
    """

    id: int
    name: str
    description: str
    avatar: str | None
    default: bool = False
    place: PersonaPlace = "prompt"
    depth: int = 2
    role: Role = "system"
    key: str = ""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Member:
    """A character's place in a chat. `talkativeness` (0–1) stands in for the card's, None for the card's own.

    `gone` means that the character is in the trash: its messages stay, but it does not reply.
    """

    id: int
    name: str
    avatar: str | None = None
    muted: bool = False
    talkativeness: float | None = None
    gone: bool = False

    @property
    def active(self) -> bool:
        """Whether this member may reply by itself."""
        return not self.muted and not self.gone


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
    members: tuple[Member, ...] = ()
    """Who is in the chat, in order; `character_ids` and `character_names` are theirs."""
    branch_chat: int | None = None
    """The chat it branched from, which may be gone"""
    branch_message: int | None = None
    """The message there up to which both are one"""


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
    """A message with its active swipe. `number` counts from 1 over the messages that still stand.

    `checkpoint` is what a person named the place, "" for nothing.
    """

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
    checkpoint: str = ""
    persona_id: int | None = None
    """Who the person played when they said it"""

    @property
    def text(self) -> str:
        """The active swipe's text."""
        return self.swipe.text
