"""One turn from start to end: store, recall, assemble, stream, store, notify."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Character, Chat, Message, Persona, Swipe, SwipeState
from memdesk.chats.text import clean, one_line
from memdesk.llm.client import ChatClient, ChatRequest, Finished, ReasoningDelta, TextDelta, Usage
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.layer import ContributionRequest, MemoryLayer
from memdesk.prompt.assembly import Assembler, Cast, History
from memdesk.prompt.budget import PROTECTED_TAIL, Budget, PromptTooLarge
from memdesk.prompt.parts import Contribution
from memdesk.prompt.receipt import Receipt
from memdesk.store.chats import ChatStore
from memdesk.store.chunk_edits import ChunkEdits
from memdesk.store.database import now
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore, NewMessage
from memdesk.store.people import CharacterStore, PersonaStore
from memdesk.store.receipts import ReceiptStore
from memdesk.store.token_scale import TokenScale
from memdesk.work.cancel import CancelToken

log = logging.getLogger(__name__)

SAVE_SECONDS = 0.5
"""How often a reply that is being written is saved."""

PAGE = 100
"""Messages read at a time while the context window is filled."""

MODEL_CHARS = 500
"""Longest name of a model that is kept, as in a connection's profile."""


class Busy(Exception):  # noqa: N818 — it names the state, as the person is told
    """A reply is being written in this chat already."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("A reply is being written in this chat. Stop it first, or wait for it to end.")


@dataclass(frozen=True, slots=True)
class UserMessageStored:
    """The person's message is on disk."""

    message: Message


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    """An empty reply stands in the chat, and the request goes out."""

    message: Message
    receipt: Receipt | None


@dataclass(frozen=True, slots=True)
class ReplyGrew:
    """More text has come."""

    message_id: int
    text: str
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The reply is on disk; its swipe's state and error say how it ended. `message` is None when it went."""

    message_id: int
    message: Message | None


Event = UserMessageStored | ReplyStarted | ReplyGrew | ReplyEnded
Listener = Callable[[Event], None]


@dataclass(slots=True)
class _Draft:
    """A reply while it is being written."""

    message_id: int
    swipe_id: int
    asked: str
    """The model's name in the profile, by which its token scale is kept."""
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    saved_at: float = field(default_factory=time.monotonic)
    finish: str = ""
    model: str = ""
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Stores:
    """The shelves a turn reads from and writes to."""

    chats: ChatStore
    messages: MessageStore
    characters: CharacterStore
    personas: PersonaStore
    receipts: ReceiptStore
    memories: ChunkEdits
    scale: TokenScale


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
        self._layers = layers
        self._bus = bus
        self._count = count
        self._profile = profile
        self._client = client
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
                persona.name if persona else "You",
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
        return self._prepare(chat, self._character(chat), None, clean(text), self._profile())

    def recall(
        self, chat_id: int, query: str, top: int | None = None, settings: dict[str, Any] | None = None
    ) -> list[Contribution]:
        """Ask every layer what it would bring for a query, with nothing protected or in the prompt.

        At least `top` candidates are listed, if there are that many. `settings` stand in for the chat's own.
        """
        chat = self._stores.chats.get(chat_id)
        if settings is not None:
            chat = replace(chat, settings=settings)
        budget = self._budget(self._profile())
        request = ContributionRequest(
            chat=chat,
            history=(),
            in_prompt=frozenset(),
            protected=frozenset(),
            before_number=chat.messages + 1,
            budget=budget,
            room=budget.memory,
            query=clean(query),
            losers=top,
        )
        return [self._ask(layer, request) for layer in self._layers]

    def persona(self, chat: Chat) -> Persona | None:
        """Return who the person plays in a chat."""
        if chat.persona_id is not None:
            return self._stores.personas.get(chat.persona_id)
        return self._stores.personas.default()

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
        character = self._character(chat, instead)
        model = self._model_name(profile)
        messages = self._stores.messages
        if instead is None:
            message_id, swipe_id = messages.begin_reply(chat.id, character.name, character.id, model)
        else:
            failed = instead.swipe.state is SwipeState.FAILED and not instead.text
            message_id = instead.id
            # A try that brought nothing is tried again in its own place: no empty swipe to page past.
            swipe_id = messages.begin_swipe(instead.id, model, again=instead.swipe.id if failed else None)
        draft = _Draft(message_id, swipe_id, asked=model, model=model)
        error = ""
        receipt: Receipt | None = None
        try:
            receipt = self._prepare(chat, character, messages.get(message_id), "", profile)
            # The receipt is on disk before the request goes out: it tells the truth of a cut reply, too.
            self._stores.receipts.put(swipe_id, receipt.to_json())
            self._stores.memories.note_recalls(swipe_id, receipt.recalled())
            listen(ReplyStarted(messages.get(message_id), receipt))
            self._stream(profile, receipt, chat, character, draft, listen, cancel)
        except (LLMError, KeyFileError, PromptTooLarge) as failure:
            log.warning("reply failed: %s", getattr(failure, "code", failure))
            error = clean(str(failure))
            if receipt is None:
                listen(ReplyStarted(messages.get(message_id), None))
        except BaseException:
            # The window closes, or the disk fails: keep what has come, and let the cause be seen.
            self._store_end(draft, SwipeState.INTERRUPTED, "", receipt)
            raise
        state = _end_state(draft, error)
        self._store_end(draft, state, error, receipt)
        return self._announce_end(chat.id, draft, state, listen, new=instead is None)

    def _stream(
        self,
        profile: ConnectionProfile,
        receipt: Receipt,
        chat: Chat,
        character: Character,
        draft: _Draft,
        listen: Listener,
        cancel: CancelToken,
    ) -> None:
        persona = self.persona(chat)
        recalled = tuple(p.text for p in receipt.parts if p.kind == "memory" and p.included)
        last = next((m["content"] for m in reversed(receipt.messages) if m["role"] == "user"), "")
        request = ChatRequest(
            messages=[dict(message) for message in receipt.messages],
            character=character.name,
            user=persona.name if persona else "You",
            recalled=recalled,
            last_user_text=last,
            max_tokens=profile.reply_tokens,
        )
        client = self._client(profile)
        try:
            for event in client.stream(request, cancel):
                if isinstance(event, Finished):
                    draft.finish, draft.usage = clean(event.reason), event.usage
                    draft.model = one_line(clean(event.model), MODEL_CHARS) or draft.model
                elif isinstance(event, TextDelta):
                    draft.text.append(clean(event.text))
                    listen(ReplyGrew(draft.message_id, draft.text[-1]))
                elif isinstance(event, ReasoningDelta):
                    draft.reasoning.append(clean(event.text))
                    listen(ReplyGrew(draft.message_id, draft.reasoning[-1], reasoning=True))
                self._save_now_and_then(draft)
        finally:
            client.close()

    def _save_now_and_then(self, draft: _Draft) -> None:
        if time.monotonic() - draft.saved_at >= SAVE_SECONDS:
            self._stores.messages.save_partial(draft.swipe_id, "".join(draft.text), "".join(draft.reasoning))
            draft.saved_at = time.monotonic()

    def _store_end(self, draft: _Draft, state: SwipeState, error: str, receipt: Receipt | None) -> None:
        text = "".join(draft.text).strip()
        usage = draft.usage
        generation: dict[str, Any] = {"finish": draft.finish}
        if usage is not None:
            generation["usage"] = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
            if receipt is not None:
                self._stores.scale.learn(draft.asked, receipt.used, usage.prompt_tokens)
        self._stores.messages.finish(
            draft.swipe_id,
            text,
            state,
            reasoning="".join(draft.reasoning).strip(),
            error=error,
            tokens=self._count(text),
            model=draft.model,
            generation=generation,
        )

    def _announce_end(
        self, chat_id: int, draft: _Draft, state: SwipeState, listen: Listener, *, new: bool
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

    @staticmethod
    def _model_name(profile: ConnectionProfile) -> str:
        return profile.name if profile.kind == "demo" else profile.model or profile.name

    # ── the prompt ───────────────────────────────────────────────────────────────────────────────────

    def _prepare(
        self, chat: Chat, character: Character, reply: Message | None, text: str, profile: ConnectionProfile
    ) -> Receipt:
        """Build the prompt for `reply` (or for the next one), with `text` as a message not yet sent."""
        persona = self.persona(chat)
        cast = Cast(character, persona, persona.name if persona else "You")
        budget = self._budget(profile)
        assembler = Assembler(cast, budget, self._count)
        before = reply.number if reply else self._stores.messages.count(chat.id) + 1

        def newest_first() -> Iterator[Message]:
            if text:
                yield _unsent(chat.id, before, cast.user, text, self._count(text))
            yield from self._newest_first(chat.id, before)

        # When the whole chat fits there is nothing to bring back, so no room is kept for it.
        history = assembler.fit(newest_first(), 0)
        if not history.complete:
            history = assembler.fit(newest_first(), budget.memory)
        left = budget.room - assembler.fixed - history.total
        contributions: list[Contribution] = []
        for layer in self._layers:
            request = ContributionRequest(
                chat=chat,
                history=history.sent,
                in_prompt=history.ids,
                protected=_tail_ids(history),
                before_number=before,
                budget=budget,
                room=max(0, min(left, budget.memory)),
            )
            contributions.append(self._ask(layer, request))
            left -= contributions[-1].tokens
        return assembler.assemble(history, contributions, before, self._model_name(profile))

    def _newest_first(self, chat_id: int, before: int) -> Iterator[Message]:
        end = before - 1
        while end > 0:
            first = max(1, end - PAGE + 1)
            yield from reversed(self._stores.messages.page(chat_id, first, end - first + 1))
            end = first - 1

    def _ask(self, layer: MemoryLayer, request: ContributionRequest) -> Contribution:
        """Ask one layer; its failure costs its own part and a visible warning, never the reply."""
        try:
            return layer.contribute(request)
        except Exception as error:
            log.exception("memory layer %s failed", layer.name)
            warning = f"{layer.name.capitalize()} failed and was left out: {error}"
            return Contribution(layer.name, "memory", warning=warning)

    def _budget(self, profile: ConnectionProfile) -> Budget:
        scale = self._stores.scale.of(self._model_name(profile))
        return Budget(profile.context_tokens, profile.reply_tokens, scale)

    def _character(self, chat: Chat, instead: Message | None = None) -> Character:
        wanted = instead.character_id if instead else None
        if wanted is None:
            if not chat.character_ids:
                raise StoreError("no_character", "This chat has no character who could reply.")
            wanted = chat.character_ids[0]
        return self._stores.characters.get(wanted)

    def _drop_failed_tail(self, chat_id: int) -> None:
        """Clear away a reply that failed without a word: the next turn takes its place."""
        for message in reversed(self._stores.messages.before(chat_id, None, 1)):
            failed = message.swipe.state is SwipeState.FAILED and not message.text
            if failed and self._stores.messages.drop_empty_swipe(message.swipe.id):
                self._bus.publish(Change(ChangeKind.MESSAGES_REMOVED, chat_id, (message.id,)))


def _end_state(draft: _Draft, error: str) -> SwipeState:
    if error:
        return SwipeState.FAILED
    return SwipeState.STOPPED if draft.finish == "stopped" else SwipeState.DONE


def _tail_ids(history: History) -> frozenset[int]:
    return frozenset(message.id for message in history.sent[-PROTECTED_TAIL:])


def _unsent(chat_id: int, number: int, name: str, text: str, tokens: int) -> Message:
    """Return a message that is only in the composer yet; its id 0 stands in no table."""
    swipe = Swipe(0, 0, text, SwipeState.DONE, now(), tokens=tokens)
    return Message(
        0,
        chat_id,
        number,
        "user",
        name,
        None,
        now(),
        hidden=False,
        swipe=swipe,
        swipe_number=1,
        swipe_count=1,
    )
