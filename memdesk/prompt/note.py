"""The author's note: a short text of the person's own that goes into the chat every so many messages."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memdesk.chats.model import Role
from memdesk.prompt.injections import DEFAULT_DEPTH, MAX_DEPTH, Injection
from memdesk.prompt.parts import Placement, Reason, Where


class AuthorsNote(BaseModel):
    """A note and where it stands. Defaults are SillyTavern's: depth 4, as the system, at every message.

    `every` counts messages of the person: 1 sends the note each time, 3 each third time, 0 never.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: str = Field("", max_length=200_000)
    where: Where = "in_chat"
    depth: int = Field(DEFAULT_DEPTH, ge=0, le=MAX_DEPTH)
    role: Role = "system"
    every: int = Field(1, ge=0, le=10_000)

    @property
    def placement(self) -> Placement:
        """Where the note stands."""
        return Placement(self.where, self.depth, self.role)


def read_note(stored: object, default: AuthorsNote) -> AuthorsNote:
    """Return a chat's own note, or the default where it has none that can be read."""
    if not isinstance(stored, dict):
        return default
    try:
        return AuthorsNote.model_validate(stored)
    except ValidationError:
        return default


def note_injection(note: AuthorsNote, user_messages: int) -> Injection | None:
    """Return the note for a prompt that follows so many messages of the person; None for a blank one."""
    if not note.text.strip():
        return None
    values: dict[str, Any] = {"count": note.every}
    if note.every == 0:
        reason, included = Reason("note_off"), False
    elif note.every == 1:
        reason, included = Reason("always"), True
    elif user_messages % note.every == 0:
        reason, included = Reason("this_time", values), True
    else:
        reason, included = Reason("not_this_time", values), False
    return Injection("instructions", "Author's note", note.text, note.placement, reason, included)
