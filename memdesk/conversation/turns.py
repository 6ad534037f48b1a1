"""Turns: what a person can ask a chat for, one reply per chat at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from memdesk.chat_acts import ChatActs
from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.groups import group_settings
from memdesk.chats.model import Chat, Message, Persona, SwipeState
from memdesk.chats.text import clean
from memdesk.conversation.choices import Chooser
from memdesk.conversation.events import (
    Busy,
    Event,
    Listener,
    NobodyReplies,
    Removed,
    ReplyEnded,
    ReplyStarted,
    UserMessageStored,
)
from memdesk.conversation.groups import Voice, Voices
from memdesk.conversation.growing import Growing
from memdesk.conversation.prompts import Prompts, model_name
from memdesk.conversation.stores import Stores
from memdesk.conversation.writing import Draft, ReplyWriter, end_state
from memdesk.llm.client import ChatClient
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.layer import MemoryLayer
from memdesk.prompt.budget import Budget, PromptTooLarge
from memdesk.prompt.parts import Contribution
from memdesk.prompt.receipt import Receipt
from memdesk.store.errors import StoreError
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo

log = logging.getLogger(__name__)


class Conversation:
    """Runs turns. Every method blocks and belongs on a worker thread; one reply per chat at a time."""

    def __init__(
        self,
        *,
        stores: Stores,
        acts: ChatActs,
        layers: Sequence[MemoryLayer],
        bus: ChangeBus,
        count: Callable[[str], int],
        chooser: Chooser,
        client: Callable[[ConnectionProfile], ChatClient],
    ) -> None:
        self._stores = stores
        self._acts = acts
        self._bus = bus
        self._count = count
        self._prompts = Prompts(stores, layers, count, chooser)
        self._voices = Voices(stores)
        self._writer = ReplyWriter(stores, count, client)
        self._growing = Growing(
            stores=stores,
            acts=acts,
            bus=bus,
            prompts=self._prompts,
            voices=self._voices,
            writer=self._writer,
        )
        self._writing: set[int] = set()
        self._lock = threading.Lock()
        self.turning: Callable[[int, bool], None] = lambda _chat, _begins: None
        """Hears of a chat, in the turn's thread, when a turn begins there and when it has ended."""

    # ── what a person can ask for ────────────────────────────────────────────────────────────────────

    def send(
        self, chat_id: int, text: str, listen: Listener, cancel: CancelToken, speaker: int | None = None
    ) -> Message | None:
        """Store the person's message, then let the character reply; returns the reply.

        In a group those reply whose turn it is, one after the other, or the member `speaker` alone; the last
        reply is returned, None when nobody replied.

        Raises `Busy`, and `StoreError` when the message is blank (`blank_message`) or could not be stored. A
        failing model or a prompt that does not fit is part of the reply (`SwipeState.FAILED`), not an
        exception.
        """
        with self._turn(chat_id):
            chat = self._stores.chats.get(chat_id)
            text = clean(text)
            if speaker is not None:
                self._voices.of(chat, speaker)
            if not text.strip():
                raise StoreError("blank_message", "There is nothing to send: the message is blank.")
            persona = self.persona(chat)
            new = NewMessage(
                "user",
                self._prompts.user_name(chat),
                (text,),
                persona_id=persona.id if persona else None,
            )
            self._drop_failed_tail(chat_id)
            (message_id,) = self._stores.messages.add(chat_id, [new])
            message = self._stores.messages.get(message_id)
            self._stores.messages.set_tokens([(message.swipe.id, self._count(text))])
            self._bus.publish(Change(ChangeKind.MESSAGES_ADDED, chat_id, (message_id,)))
            listen(UserMessageStored(self._stores.messages.get(message_id)))
            return self._round(chat, speaker, listen, cancel)

    def reply(
        self, chat_id: int, listen: Listener, cancel: CancelToken, speaker: int | None = None
    ) -> Message | None:
        """Let the character reply to the chat as it stands; returns the reply. For groups see `send`."""
        with self._turn(chat_id):
            chat = self._stores.chats.get(chat_id)
            if speaker is not None:
                self._voices.of(chat, speaker)
            self._drop_failed_tail(chat_id)
            return self._round(chat, speaker, listen, cancel)

    def regenerate(self, message_id: int, listen: Listener, cancel: CancelToken) -> Message | None:
        """Write a reply anew as a further swipe; it sees only what came before it."""
        message = self._stores.messages.get(message_id)
        if message.role != "assistant":
            raise StoreError("not_a_reply", "Only a character's message can be written anew.")
        with self._turn(message.chat_id):
            chat = self._stores.chats.get(message.chat_id)
            return self._reply(chat, self._voices.again(chat, message), message, listen, cancel)

    def regenerate_from(self, message_id: int, listen: Listener, cancel: CancelToken) -> Message | None:
        """Put all that comes after a message into the trash, and write the reply there anew.

        On a character's message that is the message itself, on the person's the one after it. To take it back
        is one act: what was removed is back, and so is the version that stood; a new message goes.
        """
        message = self._stores.messages.get(message_id)
        begun: list[int] = []
        with self._turn(message.chat_id):
            removed = self._acts.delete_from(message_id, after=True)

            def take_back() -> None:
                if message.role == "assistant":
                    self._acts.chosen_before(message).run()
                elif standing := self._stores.messages.get_many(begun):
                    self._acts.delete([item.id for item in standing])
                if removed is not None:
                    removed.run()

            def hear(event: Event) -> None:
                if isinstance(event, ReplyStarted):
                    begun.append(event.message.id)
                if isinstance(event, ReplyEnded) and removed is not None:
                    event = replace(event, undo=None)
                listen(event)

            if removed is not None:
                listen(Removed(Undo(removed.label, take_back)))
            chat = self._stores.chats.get(message.chat_id)
            if message.role == "assistant":
                return self._reply(chat, self._voices.again(chat, message), message, hear, cancel)
            return self._round(chat, None, hear, cancel)

    def continue_reply(self, message_id: int, listen: Listener, cancel: CancelToken) -> Message | None:
        """Let the last reply of a chat grow in its own version; returns it.

        Raises `StoreError` with code `not_a_reply`, `not_last`, `hidden` or `nothing_to_continue`.
        """
        chat_id = self._stores.messages.get(message_id).chat_id
        with self._turn(chat_id):
            message = self._stores.messages.get(message_id)
            return self._growing.go_on(self._stores.chats.get(chat_id), message, listen, cancel)

    def impersonate(self, chat_id: int, begun: str, listen: Listener, cancel: CancelToken) -> str:
        """Write the person's next turn, going on from what is `begun`; nothing is stored.

        Raises `LLMError`, `KeyFileError` and `PromptTooLarge`.
        """
        with self._turn(chat_id):
            return self._growing.turn(self._stores.chats.get(chat_id), begun, listen, cancel)

    def preview(self, chat_id: int, text: str = "", speaker: int | None = None) -> Receipt:
        """Build the prompt of the next reply, as if `text` had been sent; nothing is sent or stored.

        In a group it is that of who would reply first, or of the member `speaker`. Raises `PromptTooLarge`,
        and `StoreError` when nobody could reply.
        """
        chat, text = self._stores.chats.get(chat_id), clean(text)
        if speaker is not None:
            voice = self._voices.of(chat, speaker)
        else:
            voice = self._voices.likely(chat, self._prompts.last(chat, text.strip() and text))
        return self._prompts.prepare(chat, voice, None, text, self._prompts.choices(chat))

    def budget(self, chat: Chat) -> Budget:
        """Return the context window that a chat's replies have."""
        return self._prompts.budget(self._prompts.choices(chat).profile)

    def recall(
        self, chat_id: int, query: str, top: int | None = None, settings: dict[str, Any] | None = None
    ) -> list[Contribution]:
        """Ask every layer what it would bring for a query, with nothing protected or in the prompt.

        At least `top` candidates are listed, if there are that many. `settings` stand in for the chat's own.
        """
        chat = self._stores.chats.get(chat_id)
        if settings is not None:
            chat = replace(chat, settings=settings)
        return self._prompts.recall(chat, clean(query), self._prompts.choices(chat).profile, top)

    def expand(self, chat_id: int, texts: Sequence[str], written: str = "") -> list[str]:
        """Return what texts with macros would be in the next prompt of a chat; no variable is kept.

        `written` is what stands in the composer. Raises `StoreError` when nobody could reply.
        """
        chat = self._stores.chats.get(chat_id)
        voice = self._voices.likely(chat, self._prompts.last(chat))
        return self._prompts.expand(chat, voice, texts, written)

    def persona(self, chat: Chat) -> Persona | None:
        """Return who the person plays in a chat."""
        return self._prompts.persona(chat)

    def writing(self, chat_id: int) -> bool:
        """Return whether a reply is being written in a chat."""
        with self._lock:
            return chat_id in self._writing

    # ── one reply ────────────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def _turn(self, chat_id: int) -> Iterator[None]:
        with self._lock:
            if chat_id in self._writing:
                raise Busy
            self._writing.add(chat_id)
        try:
            self.turning(chat_id, True)
            yield
        finally:
            with self._lock:
                self._writing.discard(chat_id)
            self.turning(chat_id, False)

    def _round(
        self, chat: Chat, speaker: int | None, listen: Listener, cancel: CancelToken
    ) -> Message | None:
        """Let everybody reply whose turn it is; each reply is on disk before the next one begins."""
        if speaker is not None:
            return self._reply(chat, self._voices.of(chat, speaker), None, listen, cancel)
        try:
            voices = self._voices.next(chat, self._prompts.last(chat))
        except StoreError as error:
            if error.code != "no_active_member":
                raise
            listen(NobodyReplies(chat.id, error))
            return None
        if not voices:
            listen(NobodyReplies(chat.id, None))
        reply: Message | None = None
        for place, voice in enumerate(voices):
            if place and not self._still_there(chat.id, voice):
                continue
            message = self._reply(chat, voice, None, listen, cancel)
            reply = message or reply
            if cancel.cancelled or (message is not None and message.swipe.state is not SwipeState.DONE):
                break
        return reply

    def _still_there(self, chat_id: int, voice: Voice) -> bool:
        """Return whether a member still has its turn: much can change while others are writing."""
        try:
            chat = self._stores.chats.get(chat_id)
        except StoreError:
            return False
        return any(member.id == voice.character_id and member.active for member in chat.members)

    def _reply(
        self, chat: Chat, voice: Voice, instead: Message | None, listen: Listener, cancel: CancelToken
    ) -> Message | None:
        choices = self._prompts.choices(chat)
        profile = choices.profile
        user = self._prompts.user_name(chat)
        model = model_name(profile)
        messages = self._stores.messages
        if instead is None:
            message_id, swipe_id = messages.begin_reply(chat.id, voice.name, voice.character_id, model)
        else:
            failed = instead.swipe.state is SwipeState.FAILED and not instead.text
            message_id = instead.id
            # A try that brought nothing is tried again in its own place: no empty swipe to page past.
            swipe_id = messages.begin_swipe(instead.id, model, again=instead.swipe.id if failed else None)
        draft = Draft(message_id, swipe_id, asked=model, model=model, marks=voice.generation())
        draft.guard = voice.guard(user, group_settings(chat.settings))
        error = ""
        receipt: Receipt | None = None
        try:
            receipt = self._prompts.prepare(chat, voice, messages.get(message_id), "", choices)
            # The receipt is on disk before the request goes out: it tells the truth of a cut reply, too.
            self._stores.receipts.put(swipe_id, receipt.to_json())
            self._stores.memories.note_recalls(swipe_id, receipt.recalled())
            listen(ReplyStarted(messages.get(message_id), receipt))
            self._writer.stream(profile, receipt, voice.name, user, draft, listen, cancel)
        except (LLMError, KeyFileError, PromptTooLarge) as failure:
            log.warning("reply failed: %s", getattr(failure, "code", failure))
            error = clean(str(failure))
            if receipt is None:
                listen(ReplyStarted(messages.get(message_id), None))
        except BaseException:
            # The window closes, or the disk fails: keep what has come, and let the cause be seen.
            self._writer.store_end(draft, SwipeState.INTERRUPTED, "", receipt)
            raise
        if draft.cut and not error and not "".join(draft.text).strip():
            error = f"The model wrote for {draft.cut} instead of {voice.name}, so nothing was kept."
        state = end_state(draft, error)
        self._writer.store_end(draft, state, error, receipt)
        if receipt is not None and state is not SwipeState.FAILED and "".join(draft.text).strip():
            self._stores.variables.commit(chat.id, message_id, receipt.variables)
        return self._announce_end(chat.id, draft, state, listen, instead)

    def _announce_end(
        self, chat_id: int, draft: Draft, state: SwipeState, listen: Listener, instead: Message | None
    ) -> Message | None:
        messages = self._stores.messages
        if state is SwipeState.STOPPED and not "".join(draft.text).strip():
            # Stopped before the first word: nothing to keep, so nothing stays in the way.
            messages.drop_empty_swipe(draft.swipe_id)
        # None when it went just now, or was deleted while it was being written.
        message = next(iter(messages.get_many([draft.message_id])), None)
        if message is not None:
            message = messages.get(message.id)
        kind = ChangeKind.MESSAGES_ADDED if instead is None else ChangeKind.TEXT_CHANGED
        self._bus.publish(Change(kind, chat_id, (draft.message_id,)))
        another = instead is not None and message is not None and message.swipe.id != instead.swipe.id
        undo = self._acts.chosen_before(instead) if instead is not None and another else None
        listen(ReplyEnded(draft.message_id, message, undo))
        return message

    def _drop_failed_tail(self, chat_id: int) -> None:
        """Clear away a reply that failed without a word: the next turn takes its place."""
        for message in reversed(self._stores.messages.before(chat_id, None, 1)):
            failed = message.swipe.state is SwipeState.FAILED and not message.text
            if failed and self._stores.messages.drop_empty_swipe(message.swipe.id):
                self._bus.publish(Change(ChangeKind.MESSAGES_REMOVED, chat_id, (message.id,)))
