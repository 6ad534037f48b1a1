"""Whose picture stands beside a message: the character's, or the persona's who said it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memdesk.chats.model import Chat, Message
from memdesk.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Faces:
    """Avatars by content hash, of everybody who speaks or spoke in a chat and of all personas, by id."""

    characters: Mapping[int, str | None] = field(default_factory=dict)
    personas: Mapping[int, str | None] = field(default_factory=dict)

    def of(self, message: Message) -> str | None:
        """Return the avatar of a message's author, None where there is none."""
        if message.role == "user":
            return self.personas.get(message.persona_id or 0)
        return self.characters.get(message.character_id or 0)


def read_faces(workspace: Workspace, chat: Chat) -> Faces:
    """Read who has which picture now; for a worker."""
    ids = {*chat.character_ids, *workspace.messages.speakers(chat.id)}
    return Faces(
        {item: workspace.characters.get(item).avatar for item in ids},
        {persona.id: persona.avatar for persona in workspace.personas.all()},
    )
