"""The sample characters with their long chats, so that memory shows something at the first start."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from memdesk.assets import asset
from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.library import Library
from memdesk.store.messages import NewMessage


def sample_ids() -> list[str]:
    """Return the ids of the samples that ship with memdesk."""
    return sorted(path.stem for path in asset("sample").glob("*.json"))


def sample_for(language: str) -> str:
    """Return the id of the sample in a language (a locale's name): 艾莉亚 for Chinese, else Mira."""
    # Windows calls its locales by English names.
    return "elia" if language.casefold().startswith(("zh", "chinese")) else "mira"


def install_samples(library: Library, bus: ChangeBus, first: str = "") -> list[int]:
    """Add every sample that is not there; returns the ids of the new chats.

    The sample `first`, if it is new, gets to the top of the list, and is so the one that is opened. A sample
    that was cut off while it was added has a chat without messages, and is finished.
    """
    present = {chat.sample for chat in library.chats.all() if chat.messages}
    missing = [name for name in sample_ids() if name not in present]
    # Of equally young chats the one that was added last is on top.
    missing.sort(key=lambda name: name == first)
    ids = [_install(library, bus, name) for name in missing]
    if first in missing:
        library.chats.put_first(ids[-1])
    return ids


def delete_samples(library: Library) -> int:
    """Put all samples into the trash; returns how many chats went."""
    chats = [chat for chat in library.chats.all() if chat.sample]
    played = {chat.persona_id for chat in chats} - {
        chat.persona_id for chat in library.chats.all() if not chat.sample
    }
    for chat in chats:
        library.delete_chat(chat.id)
    for persona_id in played - {None}:
        # Whoever was made the default one is the person's own now.
        persona = library.personas.present(persona_id)
        if persona is not None and not persona.default:
            library.trash.put("persona", [persona.id], persona.name)
    for character in library.characters.all():
        if character.sample:
            library.delete_character(character.id)
    return len(chats)


def _install(library: Library, bus: ChangeBus, name: str) -> int:
    sample: dict[str, Any] = json.loads(asset("sample", f"{name}.json").read_text("utf-8"))
    character = next((item for item in library.characters.all() if item.sample == name), None)
    if character is None:
        picture = asset("sample", f"{name}.png")
        avatar = library.files.put(picture.read_bytes(), ".png") if picture.is_file() else None
        character = library.add_character(sample["card"]["data"]["name"], sample["card"], avatar, name)
    lines = sample["chat"]["messages"]
    chat = next((item for item in library.chats.all() if item.sample == name), None)
    if chat is None:
        role = sample["persona"]
        chat = library.chats.add(
            sample["chat"]["title"],
            [character.id],
            library.personas.add(role["name"], role["description"]).id,
            sample=name,
            created_at=datetime.fromisoformat(lines[0]["time"]),
        )
    greetings = tuple(character.greetings)
    messages = [
        NewMessage(
            role=line["role"],
            name=line["name"],
            swipes=(line["text"], *greetings[1:]) if place == 0 else (line["text"],),
            character_id=character.id if line["role"] == "assistant" else None,
            persona_id=chat.persona_id if line["role"] == "user" else None,
            created_at=datetime.fromisoformat(line["time"]),
        )
        for place, line in enumerate(lines)
    ]
    library.messages.add(chat.id, messages)
    bus.publish(Change(ChangeKind.CHAT_ADDED, chat.id))
    return chat.id
