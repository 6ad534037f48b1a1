"""What a person does to characters, chats and messages; every act is stored, announced and can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memdesk.chat_acts import ChatActs
from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Character, Chat, Persona
from memdesk.chats.text import clean, one_line
from memdesk.formats.card_extras import is_favourite
from memdesk.formats.cards import ImportedCard, read_card, with_fields
from memdesk.formats.errors import FormatError
from memdesk.formats.images import decode_avatar
from memdesk.memory.recall.acts import RecallActs
from memdesk.memory.summaries.acts import SummaryActs
from memdesk.prompt.macros import Surroundings, expander
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.files import FileStore
from memdesk.store.messages import MessageStore, NewMessage
from memdesk.store.people import CharacterStore, PersonaStore
from memdesk.store.trash import TrashEntry, TrashStore
from memdesk.work.undo import Undo

__all__ = ["Library", "Undo"]


class Library:
    """The acts behind the window's and the command's buttons. Every method blocks: call it on a worker."""

    def __init__(
        self,
        *,
        characters: CharacterStore,
        personas: PersonaStore,
        chats: ChatStore,
        messages: MessageStore,
        trash: TrashStore,
        files: FileStore,
        bus: ChangeBus,
        memories: RecallActs,
        summaries: SummaryActs,
        acts: ChatActs,
    ) -> None:
        self.characters = characters
        self.personas = personas
        self.chats = chats
        self.messages = messages
        self.trash = trash
        self.files = files
        self._bus = bus
        self._memories = memories
        self._summaries = summaries
        self._acts = acts

    # ── characters ───────────────────────────────────────────────────────────────────────────────────

    def import_card(self, path: Path) -> tuple[Character, list[str]]:
        """Import a card file as a new character; returns it and what had to be repaired.

        Raises `FormatError` for a file that is no card, `StoreError` when it cannot be stored.
        """
        card = read_card(path)
        warnings = list(card.warnings)
        avatar = self._avatar(card, warnings)
        # The file as it came: an export hands on what else is in it.
        picture = self.files.put(card.image, ".png") if card.image is not None and avatar else None
        character = self.characters.add(
            clean(card.name), card.card, avatar, picture=picture, favourite=is_favourite(card.card)
        )
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))
        return character, warnings

    def _avatar(self, card: ImportedCard, warnings: list[str]) -> str | None:
        """Keep a card's picture; a damaged one costs the picture, not the character."""
        if card.image is None:
            return None
        try:
            picture = decode_avatar(card.image, card.name)
        except FormatError as error:
            warnings.append(f"The picture could not be used: {error.reason}")
            return None
        return self.files.put(picture, ".png")

    def add_character(
        self, name: str, card: dict[str, Any], avatar: str | None = None, sample: str | None = None
    ) -> Character:
        """Store a new character; one with an equal name is never overwritten."""
        character = self.characters.add(clean(name), card, avatar, sample)
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))
        return character

    def edit_character(
        self, character_id: int, fields: dict[str, Any], avatar: bytes | None = None
    ) -> Character:
        """Change fields of a character's card, unknown ones kept; `avatar` is a new image file's content."""
        old = self.characters.get(character_id)
        fields = {key: _cleaned(value) for key, value in fields.items()}
        card = with_fields(old.card, **fields)
        picture = old.avatar
        if avatar is not None:
            picture = self.files.put(decode_avatar(avatar, old.name), ".png")
        name = card["data"]["name"] if "name" in fields else old.name
        character = self.characters.update(character_id, name=name, card=card, avatar=picture)
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))
        return character

    def delete_character(self, character_id: int) -> Undo:
        """Put a character into the trash; its chats stay readable."""
        character = self.characters.get(character_id)
        trash_id = self.trash.put("character", [character_id], one_line(character.name, 120))
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))
        return Undo(character.name, lambda: self._restore(trash_id))

    # ── personas ─────────────────────────────────────────────────────────────────────────────────────

    def set_default_persona(self, name: str, description: str) -> Persona:
        """Say who the person plays where nothing else is chosen; what was sent keeps its name."""
        present = self.personas.default()
        if present is None:
            persona = self.personas.add(clean(name), clean(description), default=True)
        else:
            persona = self.personas.update(present.id, clean(name), clean(description))
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))
        return persona

    # ── chats ────────────────────────────────────────────────────────────────────────────────────────

    def new_chat(self, character_id: int, title: str = "") -> Chat:
        """Begin a chat with a character's greetings as swipes of the first message."""
        character = self.characters.get(character_id)
        persona = self.personas.default()
        title = clean(title).strip() or self._free_title(character.name)
        chat = self.chats.add(title, [character_id], persona.id if persona else None)
        name = character.text("nickname").strip() or character.name
        fill = expander(persona.name if persona else "You", name, around=Surroundings(seed=f"chat {chat.id}"))
        greetings = tuple(clean(fill(text)) for text in character.greetings)
        if greetings:
            greeting = NewMessage("assistant", character.name, greetings, character_id=character.id)
            self.messages.add(chat.id, [greeting])
        self._bus.publish(Change(ChangeKind.CHAT_ADDED, chat.id))
        return self.chats.get(chat.id)

    def _free_title(self, name: str) -> str:
        taken = {chat.title for chat in self.chats.all()}
        number, title = 1, name
        while title in taken:
            number += 1
            title = f"{name} {number}"
        return title

    def rename_chat(self, chat_id: int, title: str) -> Undo:
        """Give a chat another title; a blank one is refused."""
        title = clean(title).strip()
        if not title:
            raise StoreError("blank_title", "A chat needs a title.")
        before = self.chats.get(chat_id).title
        self._rename(chat_id, title)
        return Undo(before, lambda: self._rename(chat_id, before))

    def _rename(self, chat_id: int, title: str) -> None:
        self.chats.rename(chat_id, title)
        # The list changes, but no memory does: nothing has to be compared again.
        self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))

    def delete_chat(self, chat_id: int) -> Undo:
        """Put a chat into the trash, with its messages and memories."""
        chat = self.chats.get(chat_id)
        trash_id = self.trash.put("chat", [chat_id], chat.title, chat_id)
        self._bus.publish(Change(ChangeKind.CHAT_REMOVED, chat_id))
        return Undo(chat.title, lambda: self._restore(trash_id))

    # ── messages ─────────────────────────────────────────────────────────────────────────────────────

    def edit_message(self, message_id: int, text: str, swipe_id: int | None = None) -> Undo | None:
        """Change the text of the swipe that stands, or of the one named; None when nothing changed."""
        return self._acts.edit(message_id, text, swipe_id)

    def delete_messages(self, message_ids: Sequence[int]) -> Undo:
        """Put messages of one chat into the trash."""
        return self._acts.delete(message_ids)

    def choose_swipe(self, message_id: int, position: int) -> Undo | None:
        """Let another version of a message stand (counted from 0); None when it does already."""
        return self._acts.choose(message_id, position)

    # ── trash ────────────────────────────────────────────────────────────────────────────────────────

    def restore(self, trash_id: int) -> TrashEntry:
        """Bring back what is in the trash; raises `StoreError` when it is not there any more."""
        kind = self.trash.get(trash_id).kind
        if kind == "memories":
            return self._memories.restore(trash_id)
        if kind == "summaries":
            return self._summaries.restore(trash_id)
        if kind in {"messages", "version"}:
            return self._acts.restore(trash_id)
        return self._restore(trash_id)

    def _restore(self, trash_id: int) -> TrashEntry:
        entry, ids = self.trash.restore(trash_id)
        if entry.kind == "chat":
            self._bus.publish(Change(ChangeKind.CHAT_RESTORED, ids[0]))
        elif entry.kind == "files":
            self._bus.publish(Change(ChangeKind.FILES_CHANGED))
        else:
            self._bus.publish(Change(ChangeKind.CHARACTER_CHANGED))
        return entry


def _cleaned(value: Any) -> Any:  # noqa: ANN401 — a text or a list of texts
    """Return a card field's value with every text in it made safe to keep."""
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    return clean(value) if isinstance(value, str) else value
