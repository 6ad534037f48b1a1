"""Turns: what a person can ask a chat for, one reply per chat at a time."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Chat, Message, Persona, SwipeState
from memdesk.chats.text import clean
from memdesk.conversation.events import Busy, Listener, ReplyEnded, ReplyStarted, UserMessageStored
from memdesk.conversation.prompts import Prompts, model_name
from memdesk.conversation.stores import Stores
from memdesk.conversation.writing import Draft, ReplyWriter, end_state
from memdesk.llm.client import ChatClient
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.layer import MemoryLayer
from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.parts import Contribution
from memdesk.prompt.receipt import Receipt
from memdesk.store.errors import StoreError
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken

log = logging.getLogger(__name__)


class Conversation:
    """Runs turns. Every method blocks and belongs on a worker thread; one reply per chat at a time."""

    def __init__(
        self,
        *,
        stores: Stores,
        layers: Sequence[MemoryLayer],
        bus: ChangeBus,
        count: Callable[[str], int],
        profile: Callable[[], ConnectionProfile],
        client: Callable[[ConnectionProfile], ChatClient],
    ) -> None:
        self._stores = stores
        self._bus = bus
        self._count = count
        self._profile = profile
        self._prompts = Prompts(stores, layers, count)
        self._writer = ReplyWriter(stores, count, client)
        self._writing: set[int] = set()
        self._lock = threading.Lock()

    # ── what a person can ask for ────────────────────────────────────────────────────────────────────

    def send(self, chat_id: int, text: str, listen: Listener, cancel: CancelToken) -> Message | None:
        """Store the person's message, then let the character reply; returns the reply.

        Raises `Busy`, and `StoreError` when the message is blank (`blank_message`) or could not be stored. A
        failing model or a prompt that does not fit is part of the reply (`SwipeState.FAILED`), not an
        exception.
        """
        with self._turn(chat_id):
            chat = self._stores.chats.get(chat_id)
            text = clean(text)
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
            return self._reply(chat, None, listen, cancel)

    def reply(self, chat_id: int, listen: Listener, cancel: CancelToken) -> Message | None:
        """Let the character reply to the chat as it stands; returns the reply."""
        with self._turn(chat_id):
            self._drop_failed_tail(chat_id)
            return self._reply(self._stores.chats.get(chat_id), None, listen, cancel)

    def regenerate(self, message_id: int, listen: Listener, cancel: CancelToken) -> Message | None:
        """Write a reply anew as a further swipe; it sees only what came before it."""
        message = self._stores.messages.get(message_id)
        if message.role != "assistant":
            raise StoreError("not_a_reply", "Only a character's message can be written anew.")
        with self._turn(message.chat_id):
            return self._reply(self._stores.chats.get(message.chat_id), message, listen, cancel)

    def preview(self, chat_id: int, text: str = "") -> Receipt:
        """Build the prompt of the next reply, as if `text` had been sent; nothing is sent or stored.

        Raises `PromptTooLarge`.
        """
        chat = self._stores.chats.get(chat_id)
        return self._prompts.prepare(chat, self._prompts.character(chat), None, clean(text), self._profile())

    def recall(
        self, chat_id: int, query: str, top: int | None = None, settings: dict[str, Any] | None = None
    ) -> list[Contribution]:
        """Ask every layer what it would bring for a query, with nothing protected or in the prompt.

        At least `top` candidates are listed, if there are that many. `settings` stand in for the chat's own.
        """
        chat = self._stores.chats.get(chat_id)
        if settings is not None:
            chat = replace(chat, settings=settings)
        return self._prompts.recall(chat, clean(query), self._profile(), top)

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
            yield
        finally:
            with self._lock:
                self._writing.discard(chat_id)

    def _reply(
        self, chat: Chat, instead: Message | None, listen: Listener, cancel: CancelToken
    ) -> Message | None:
        profile = self._profile()
        character = self._prompts.character(chat, instead)
        user = self._prompts.user_name(chat)
        model = model_name(profile)
        messages = self._stores.messages
        if instead is None:
            message_id, swipe_id = messages.begin_reply(chat.id, character.name, character.id, model)
        else:
            failed = instead.swipe.state is SwipeState.FAILED and not instead.text
            message_id = instead.id
            # A try that brought nothing is tried again in its own place: no empty swipe to page past.
            swipe_id = messages.begin_swipe(instead.id, model, again=instead.swipe.id if failed else None)
        draft = Draft(message_id, swipe_id, asked=model, model=model)
        error = ""
        receipt: Receipt | None = None
        try:
            receipt = self._prompts.prepare(chat, character, messages.get(message_id), "", profile)
            # The receipt is on disk before the request goes out: it tells the truth of a cut reply, too.
            self._stores.receipts.put(swipe_id, receipt.to_json())
            self._stores.memories.note_recalls(swipe_id, receipt.recalled())
            listen(ReplyStarted(messages.get(message_id), receipt))
            self._writer.stream(profile, receipt, character.name, user, draft, listen, cancel)
        except (LLMError, KeyFileError, PromptTooLarge) as failure:
            log.warning("reply failed: %s", getattr(failure, "code", failure))
            error = clean(str(failure))
            if receipt is None:
                listen(ReplyStarted(messages.get(message_id), None))
        except BaseException:
            # The window closes, or the disk fails: keep what has come, and let the cause be seen.
            self._writer.store_end(draft, SwipeState.INTERRUPTED, "", receipt)
            raise
        state = end_state(draft, error)
        self._writer.store_end(draft, state, error, receipt)
        return self._announce_end(chat.id, draft, state, listen, new=instead is None)

    def _announce_end(
        self, chat_id: int, draft: Draft, state: SwipeState, listen: Listener, *, new: bool
    ) -> Message | None:
        messages = self._stores.messages
        if state is SwipeState.STOPPED and not "".join(draft.text).strip():
            # Stopped before the first word: nothing to keep, so nothing stays in the way.
            messages.drop_empty_swipe(draft.swipe_id)
        # None when it went just now, or was deleted while it was being written.
        message = next(iter(messages.get_many([draft.message_id])), None)
        if message is not None:
            message = messages.get(message.id)
        kind = ChangeKind.MESSAGES_ADDED if new else ChangeKind.TEXT_CHANGED
        self._bus.publish(Change(kind, chat_id, (draft.message_id,)))
        listen(ReplyEnded(draft.message_id, message))
        return message

    def _drop_failed_tail(self, chat_id: int) -> None:
        """Clear away a reply that failed without a word: the next turn takes its place."""
        for message in reversed(self._stores.messages.before(chat_id, None, 1)):
            failed = message.swipe.state is SwipeState.FAILED and not message.text
            if failed and self._stores.messages.drop_empty_swipe(message.swipe.id):
                self._bus.publish(Change(ChangeKind.MESSAGES_REMOVED, chat_id, (message.id,)))
