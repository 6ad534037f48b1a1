"""Who speaks in a chat: the one character of a single chat, or who of a group replies, and how."""

from __future__ import annotations

from dataclasses import dataclass

from memdesk.chats.groups import GroupSettings, called, group_settings, talkativeness
from memdesk.chats.model import Character, Chat, Member, Message
from memdesk.conversation.name_guard import NameGuard
from memdesk.conversation.reply_order import reply_order
from memdesk.conversation.stores import Stores
from memdesk.store.errors import StoreError

MERGED = "merged"
"""The mark in a swipe's generation data of one reply for all."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Who a reply is from: a character, or with `merged` all of `group` in one reply.

    `group` holds those who are there in a group chat, in order, with the speaker; it is empty in other chats.
    """

    character: Character
    group: tuple[Character, ...] = ()
    merged: bool = False
    title: str = ""

    @property
    def name(self) -> str:
        """The name that the reply bears."""
        return self.title if self.merged else self.character.name

    @property
    def character_id(self) -> int | None:
        """The id that the reply bears; a reply for all is no single character's."""
        return None if self.merged else self.character.id

    def generation(self) -> dict[str, bool]:
        """Return what a reply's generation data says of this."""
        return {MERGED: True} if self.merged else {}

    def guard(self, user: str, settings: GroupSettings) -> NameGuard | None:
        """Return the watch over a reply of this voice, None where none is wanted."""
        if not self.group or not settings.cut_names:
            return None
        if self.merged:
            return NameGuard([user])
        others = [name for other in self.group if other.id != self.character.id for name in _names(other)]
        own = set(_names(self.character))
        return NameGuard([name for name in (*others, user) if name not in own])


class Voices:
    """Finds who speaks. Reads only."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    def next(self, chat: Chat, last: Message | None) -> list[Voice]:
        """Return who replies to the chat as it stands, in order; nobody where a person has to choose.

        Raises `StoreError`: `no_character` where a single chat has none, `no_active_member` where no member
        of a group may reply by itself.
        """
        if chat.kind != "group":
            return [self._single(chat, None)]
        settings = group_settings(chat.settings)
        active = [member for member in chat.members if member.active]
        if settings.order != "manual" and not active:
            raise _nobody(chat)
        if settings.order == "manual":
            return []
        if settings.replies == "merged":
            return [self._merged(chat)]
        cards = {member.id: self._stores.characters.get(member.id) for member in active}
        members = {member.id: member for member in active}
        order = reply_order(
            settings,
            list(cards),
            lambda who: _names(cards[who]),
            lambda who: talkativeness(members[who], cards[who]),
            last,
            f"{chat.id}/{last.number}/{last.text}" if last else f"{chat.id}",
        )
        present = self._present(chat)
        return [Voice(cards[who], _with(present, cards[who])) for who in order]

    def likely(self, chat: Chat, last: Message | None) -> Voice:
        """Return who the next prompt is shown for: the next to reply, or the first who could.

        Raises `StoreError` as `next` does, also where a person has to choose and there is nobody.
        """
        voices = self.next(chat, last)
        if voices:
            return voices[0]
        if group_settings(chat.settings).replies == "merged":
            return self._merged(chat)
        # Who was asked last is asked again more often than others.
        spoke = last.character_id if last is not None else None
        able = [member for member in chat.members if member.active]
        able = able or [member for member in chat.members if not member.gone]
        if not able:
            raise _nobody(chat)
        return self.of(chat, next((item.id for item in able if item.id == spoke), able[0].id))

    def of(self, chat: Chat, character_id: int) -> Voice:
        """Return the voice of one member, muted or not; raises `StoreError` with code `no_member`."""
        member = next((item for item in chat.members if item.id == character_id), None)
        if member is None or member.gone:
            raise StoreError("no_member", "That character is not in this chat any more.")
        card = self._stores.characters.get(character_id)
        return Voice(card, _with(self._present(chat), card) if chat.kind == "group" else ())

    def again(self, chat: Chat, message: Message) -> Voice:
        """Return who wrote a reply, to write it anew, also when that member has left since."""
        if chat.kind != "group":
            return self._single(chat, message)
        if message.swipe.generation.get(MERGED):
            return self._merged(chat)
        wanted = message.character_id
        if wanted is None:
            wanted = next((item.id for item in chat.members if item.name == message.name), None)
        if wanted is None:
            # Written for all when memdesk ended, or by somebody who is gone for good.
            return self._merged(chat)
        card = self._stores.characters.get(wanted)
        return Voice(card, _with(self._present(chat), card))

    def _single(self, chat: Chat, instead: Message | None) -> Voice:
        wanted = instead.character_id if instead else None
        if wanted is None:
            if not chat.character_ids:
                raise StoreError("no_character", "This chat has no character who could reply.")
            wanted = chat.character_ids[0]
        return Voice(self._stores.characters.get(wanted))

    def _merged(self, chat: Chat) -> Voice:
        """Return the one voice of all who are not muted; of all who are there, when everyone is."""
        cards = self._present(chat)
        if not cards:
            raise _nobody(chat)
        return Voice(cards[0], cards, merged=True, title=chat.title)

    def _present(self, chat: Chat) -> tuple[Character, ...]:
        """Return the characters of a group as the model hears of them: the muted are not there."""
        there: list[Member] = [member for member in chat.members if member.active]
        return tuple(self._stores.characters.get(member.id) for member in there)


def _with(present: tuple[Character, ...], speaker: Character) -> tuple[Character, ...]:
    """Return those who are there with a speaker who need not be one of them: muted, or gone since."""
    return present if any(card.id == speaker.id for card in present) else (speaker, *present)


def _names(card: Character) -> list[str]:
    """Return everything a character is called by."""
    return [name for name in dict.fromkeys((card.name.strip(), called(card))) if name]


def _nobody(chat: Chat) -> StoreError:
    if not chat.members:
        words = "Nobody is in this group: add a member, then somebody can reply."
    else:
        words = "Nobody in this group replies by themselves: unmute a member, or choose who replies."
    return StoreError("no_active_member", words)
