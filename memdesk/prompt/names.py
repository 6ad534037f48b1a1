"""How the model is told who speaks: not at all, in the text, or in a field beside it."""

from __future__ import annotations

import re
from typing import Final, Literal

from memdesk.chats.model import Chat, Message

Names = Literal["none", "content", "field"]

NamesChoice = Literal["groups", "none", "content", "field"]
"""What can be chosen; `groups` names speakers in the text where several characters talk."""

NAME_FIELD_CHARS: Final = 64
"""Longest name that OpenAI's interface takes."""

_REFUSED = re.compile(r"[\s<|\\/>]+")
"""Characters that OpenAI's interface refuses in a name."""


def names_in(choice: object, chat: Chat) -> Names:
    """Return what a choice means in a chat; an unknown one means the default, `groups`."""
    if choice == "none" or choice == "content" or choice == "field":
        return choice
    return "content" if chat.kind == "group" else "none"


def content_prefix(message: Message) -> str:
    """Return what stands before a text: “Mara: ”; nothing for what the system or a whole group says."""
    name = " ".join(message.name.split())
    together = message.swipe.generation.get("merged")
    return f"{name}: " if name and message.role != "system" and not together else ""


def name_field(message: Message) -> str:
    """Return a speaker's name as the field `name` takes it, "" where there is none left."""
    if message.role == "system":
        return ""
    return _REFUSED.sub("_", message.name.strip())[:NAME_FIELD_CHARS].strip("_")
