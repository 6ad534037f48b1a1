"""What a person does to group chats; every act is stored, announced and can be undone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.groups import KEY, Greetings, GroupSettings, group_settings
from memdesk.chats.model import Character, Chat, Member
from memdesk.chats.text import clean, one_line
from memdesk.prompt.group import group_names, listed
from memdesk.prompt.macros import Surroundings, expander
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.members import MemberStore
from memdesk.store.messages import MessageStore, NewMessage
from memdesk.store.people import CharacterStore, PersonaStore
from memdesk.work.undo import Undo

NAMED = 3
"""Members that the title of a group without one of its own names."""


class GroupActs:
    """The acts behind the buttons of group chats. Every method blocks: call it on a worker."""

    def __init__(
        self,
        *,
        characters: CharacterStore,
        personas: PersonaStore,
        chats: ChatStore,
        members: MemberStore,
        messages: MessageStore,
        bus: ChangeBus,
    ) -> None:
        self._characters = characters
        self._personas = personas
        self._chats = chats
        self._members = members
        self._messages = messages
        self._bus = bus

    def new_group(
        self,
        character_ids: Sequence[int],
        title: str = "",
        *,
        greetings: Greetings = "all",
        settings: GroupSettings | None = None,
    ) -> Chat:
        """Begin a chat with several characters; each of them greets, only the first that can, or nobody.

        A card's group-only greetings come first among the versions of its greeting. Raises `StoreError`:
        `empty_group` without a character, `not_found` for one that is gone.
        """
        ids = list(dict.fromkeys(character_ids))
        if not ids:
            raise StoreError("empty_group", "A group chat needs at least one character.")
        cards = [self._characters.get(character_id) for character_id in ids]
        persona = self._personas.default()
        title = clean(title).strip() or self._free_title(cards)
        chat = self._chats.add(
            title,
            ids,
            persona.id if persona else None,
            group=True,
            settings={KEY: asdict(settings)} if settings else None,
        )
        self._messages.add(chat.id, _greetings(cards, persona.name if persona else "You", greetings))
        self._bus.publish(Change(ChangeKind.CHAT_ADDED, chat.id))
        return self._chats.get(chat.id)

    def _free_title(self, cards: Sequence[Character]) -> str:
        name = one_line(listed(cards[:NAMED]), 80) or "Group"
        if len(cards) > NAMED:
            name += f" +{len(cards) - NAMED}"
        taken = {chat.title for chat in self._chats.all()}
        number, title = 1, name
        while title in taken:
            number += 1
            title = f"{name} {number}"
        return title

    def add_members(self, chat_id: int, character_ids: Sequence[int]) -> Undo | None:
        """Let characters join a chat, which becomes a group by this; None when all are in it already."""
        chat = self._chats.get(chat_id)
        cards = [self._characters.get(character_id) for character_id in dict.fromkeys(character_ids)]
        new = self._members.add(chat_id, [Member(card.id, card.name) for card in cards])
        if not new:
            return None
        if chat.kind != "group":
            self._members.set_kind(chat_id, "group")

        def leave() -> None:
            self._members.remove(chat_id, new)
            if chat.kind != "group" and len(self._chats.get(chat_id).members) <= 1:
                self._members.set_kind(chat_id, chat.kind)

        return self._done(listed(cards), leave)

    def replace_gone(self, chat_id: int, character_ids: Sequence[int]) -> Undo | None:
        """Let others go on with a chat whose character is gone; several make it a group.

        Those who are in the trash leave the chat by this; what they said stays. None when nobody is new.
        """
        chat = self._chats.get(chat_id)
        gone = [(at, member) for at, member in enumerate(chat.members) if member.gone]
        cards = [self._characters.get(character_id) for character_id in dict.fromkeys(character_ids)]
        new = self._members.add(chat_id, [Member(card.id, card.name) for card in cards])
        if not new:
            return None
        self._members.remove(chat_id, [member.id for _at, member in gone])
        if len(self._chats.get(chat_id).members) > 1:
            self._members.set_kind(chat_id, "group")

        def back() -> None:
            self._members.remove(chat_id, new)
            for at, member in gone:
                self._members.add(chat_id, [member], at)
            if len(self._chats.get(chat_id).members) <= 1:
                self._members.set_kind(chat_id, chat.kind)

        return self._done(listed(cards), back)

    def remove_member(self, chat_id: int, character_id: int) -> Undo | None:
        """Let a member leave a group; what it said stays, and so does what is remembered of it."""
        chat = self._chats.get(chat_id)
        place = next((at for at, item in enumerate(chat.members) if item.id == character_id), None)
        if place is None:
            return None
        member = chat.members[place]
        self._members.remove(chat_id, [character_id])
        return self._done(member.name, lambda: self._members.add(chat_id, [member], place))

    def move_member(self, chat_id: int, character_id: int, place: int) -> Undo | None:
        """Put a member at another place in the order (counted from 0)."""
        ids = self._chats.get(chat_id).character_ids
        before = ids.index(character_id) if character_id in ids else None
        if before is None or before == min(max(place, 0), len(ids) - 1):
            return None
        self._members.move(chat_id, character_id, place)
        name = self._member(chat_id, character_id).name
        return self._done(name, lambda: self._members.move(chat_id, character_id, before))

    def mute(self, chat_id: int, character_id: int, *, muted: bool) -> Undo | None:
        """Let a member be silent until it is asked, or reply by itself again."""
        member = self._member(chat_id, character_id)
        if member.muted == muted:
            return None
        self._members.set_muted(chat_id, character_id, muted=muted)
        return self._done(
            member.name, lambda: self._members.set_muted(chat_id, character_id, muted=not muted)
        )

    def set_talkativeness(self, chat_id: int, character_id: int, value: float | None) -> Undo | None:
        """Say how talkative a member is in this group (0–1), None for what its card says."""
        member = self._member(chat_id, character_id)
        value = None if value is None else min(max(value, 0.0), 1.0)
        if member.talkativeness == value:
            return None
        self._members.set_talkativeness(chat_id, character_id, value)
        before = member.talkativeness
        return self._done(member.name, lambda: self._members.set_talkativeness(chat_id, character_id, before))

    def configure(self, chat_id: int, settings: GroupSettings) -> Undo | None:
        """Say how replies come about in a group."""
        chat = self._chats.get(chat_id)
        before = group_settings(chat.settings)
        if before == settings:
            return None
        changed = {key: value for key, value in asdict(before).items() if asdict(settings)[key] != value}
        self._members.set_group(chat_id, KEY, asdict(settings))

        def back() -> None:
            now = group_settings(self._chats.get(chat_id).settings)
            self._members.set_group(chat_id, KEY, asdict(replace(now, **changed)))

        return self._done(chat.title, back)

    def _member(self, chat_id: int, character_id: int) -> Member:
        for member in self._chats.get(chat_id).members:
            if member.id == character_id:
                return member
        raise StoreError("no_member", "That character is not in this chat any more.")

    def _done(self, label: str, back: Callable[[], object]) -> Undo:
        # The list and the prompt change, but no memory does: nothing has to be compared again.
        news = Change(ChangeKind.CHARACTER_CHANGED)

        def undo() -> None:
            back()
            self._bus.publish(news)

        self._bus.publish(news)
        return Undo(label, undo)


def _greetings(cards: Sequence[Character], user: str, who: Greetings) -> list[NewMessage]:
    """Return the first messages of a group: of each card that has a greeting, or of the first such."""
    found = []
    for card in cards if who != "none" else ():
        fill = expander(user, **group_names(card, cards, user), around=Surroundings())
        texts = tuple(clean(fill(text)) for text in card.group_greetings)
        if texts:
            found.append(NewMessage("assistant", card.name, texts, character_id=card.id))
            if who == "first":
                break
    return found
