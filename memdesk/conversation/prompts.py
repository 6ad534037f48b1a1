"""From a chat as it stands to the prompt of one reply, with its receipt. Reads only; sends nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from memdesk.chats.model import Chat, Message, Persona, Swipe, SwipeState
from memdesk.conversation.choices import Choices, Chooser
from memdesk.conversation.groups import Voice
from memdesk.conversation.stores import Stores
from memdesk.conversation.surroundings import look_around
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.layer import ContributionRequest, MemoryLayer
from memdesk.memory.recall.settings import recall_settings
from memdesk.prompt.assembly import Assembler, Cast, History, block_tokens
from memdesk.prompt.budget import Budget
from memdesk.prompt.injections import Injection, depth_prompt
from memdesk.prompt.macros import Surroundings
from memdesk.prompt.note import note_injection
from memdesk.prompt.parts import Contribution
from memdesk.prompt.persona_place import around_note
from memdesk.prompt.receipt import Receipt
from memdesk.store.database import now

log = logging.getLogger(__name__)

PAGE = 100
"""Messages read at a time while the context window is filled."""

NEWEST = 20
"""Messages that a layer is told of before it is known which are sent."""

SENT_PAGE = 300
"""Messages read at a time beyond the hidden ones: to number them takes longer than to read them."""

SHOWN_HIDDEN = 20
"""Messages hidden from the model that a receipt names, newest first."""


class Prompts:
    """Asks every layer for its part and puts prompts together. Blocks; for worker threads."""

    def __init__(
        self, stores: Stores, layers: Sequence[MemoryLayer], count: Callable[[str], int], chooser: Chooser
    ) -> None:
        self._stores = stores
        self._chooser = chooser
        self._layers = layers
        self._count = count

    def persona(self, chat: Chat) -> Persona | None:
        """Return who the person plays in a chat: the default persona where its own is in the trash."""
        return self._stores.personas.present(chat.persona_id) or self._stores.personas.default()

    def user_name(self, chat: Chat) -> str:
        """Return the name that the person's messages of a chat bear."""
        persona = self.persona(chat)
        return persona.name if persona else "You"

    def prepare(
        self,
        chat: Chat,
        voice: Voice,
        reply: Message | None,
        text: str,
        choices: Choices,
        *,
        closing: str = "",
    ) -> Receipt:
        """Build the prompt for `reply` (or for the next one), with `text` as a message not yet sent.

        `closing` is an instruction at the very end, when something else than the next reply is wanted.
        """
        user = self.user_name(chat)
        before = reply.number if reply else self._stores.messages.count(chat.id) + 1

        def newest_first() -> Iterator[Message]:
            if text:
                yield _unsent(chat.id, before, user, text, self._count(text))
            yield from self._newest_first(chat.id, before)

        around = look_around(self._stores.variables, chat, newest_first(), reply.id if reply else None, text)
        budget = self.budget(choices.profile)
        contributions = self._outlines(chat, budget, before, newest_first(), voice)
        cast = self._cast(chat, voice, choices, around, contributions)
        assembler = Assembler(
            cast,
            budget,
            self._count,
            injections=self._injections(chat, cast, reply, text, choices),
            names=choices.names,
            preset=choices.preset,
            closing=closing,
        )
        told = sum(block_tokens(item) for item in contributions)
        # When the whole chat fits there is nothing to bring back, so no room is kept for it.
        protect = recall_settings(chat.settings).protect
        history = assembler.fit(newest_first(), told)
        if not history.complete:
            history = assembler.fit(newest_first(), told + budget.memory, protect)
        left = budget.room - assembler.fixed - history.total - told
        for layer in self._layers:
            if layer.early:
                continue
            request = ContributionRequest(
                chat=chat,
                history=history.sent,
                in_prompt=history.ids,
                protected=_tail_ids(history, protect),
                before_number=before,
                budget=budget,
                room=max(0, min(left, budget.memory)),
            )
            contributions.append(self._ask(layer, request))
            left -= block_tokens(contributions[-1])
        return assembler.assemble(history, contributions, before, model_name(choices.profile))

    def _cast(
        self,
        chat: Chat,
        voice: Voice,
        choices: Choices,
        around: Surroundings,
        outlines: Sequence[Contribution],
    ) -> Cast:
        return Cast(
            voice.character,
            self.persona(chat),
            self.user_name(chat),
            voice.group,
            voice.merged,
            choices.scenario,
            around,
            "\n\n".join(item.macro for item in outlines if item.kind == "summary" and item.macro),
        )

    def expand(self, chat: Chat, voice: Voice, texts: Sequence[str], written: str) -> list[str]:
        """Replace the macros of texts one after the other, as the next prompt would; keeps nothing."""
        before = self._stores.messages.count(chat.id) + 1
        around = look_around(self._stores.variables, chat, self._newest_first(chat.id, before), None, written)
        choices = self.choices(chat)
        # What is written is no question to the files.
        newest: Iterator[Message] = iter(())
        outlines = self._outlines(chat, self.budget(choices.profile), before, newest, voice)
        cast = self._cast(chat, voice, choices, around, outlines)
        return [cast.expand(text) for text in texts]

    def _outlines(
        self, chat: Chat, budget: Budget, before: int, newest: Iterator[Message], voice: Voice
    ) -> list[Contribution]:
        """Ask the layers that need not know which messages are sent; history gets what they leave."""
        request = ContributionRequest(
            chat=chat,
            history=tuple(islice(newest, NEWEST))[::-1],
            in_prompt=frozenset(),
            protected=frozenset(),
            before_number=before,
            budget=budget,
            room=0,
            character_id=None if voice.merged else voice.character.id,
        )
        rooms = {"databank": budget.databank}
        return [
            self._ask(layer, replace(request, room=rooms.get(layer.kind, budget.summary)))
            for layer in self._layers
            if layer.early
        ]

    def _injections(
        self, chat: Chat, cast: Cast, reply: Message | None, text: str, choices: Choices
    ) -> list[Injection]:
        """Return every text that has a place of its own in the prompt, in the order among equals."""
        note = choices.note
        written = note_injection(note, self._user_messages(chat, reply, text) if note.every > 1 else 0)
        cards = cast.group if cast.merged else (cast.character,)
        found = [
            *choices.preset.injections(),
            *around_note(cast.persona, written, note.placement, choices.preset.persona_format),
            *(depth_prompt(card) for card in cards),
        ]
        return [item for item in found if item is not None]

    def _user_messages(self, chat: Chat, reply: Message | None, text: str) -> int:
        """Return how many messages of the person come before a reply."""
        variables = self._stores.variables
        place = variables.position(reply.id) if reply else None
        return variables.user_messages(chat.id, place) + bool(text)

    def _newest_first(self, chat_id: int, before: int) -> Iterator[Message]:
        """Yield the messages before a number, newest first, and of the hidden ones only the newest few."""
        end, hidden = before - 1, 0
        while end > 0 and hidden < SHOWN_HIDDEN:
            first = max(1, end - PAGE + 1)
            for message in reversed(self._stores.messages.page(chat_id, first, end - first + 1)):
                hidden += message.hidden
                if not message.hidden or hidden <= SHOWN_HIDDEN:
                    yield message
            end = first - 1
        # Thousands may be hidden: to read them all would take longer than all the rest.
        while end > 0 and (page := self._stores.messages.sent_before(chat_id, end + 1, SENT_PAGE)):
            yield from page
            end = page[-1].number - 1

    def _ask(self, layer: MemoryLayer, request: ContributionRequest) -> Contribution:
        """Ask one layer; its failure costs its own part and a visible warning, never the reply."""
        try:
            return layer.contribute(request)
        except Exception as error:
            log.exception("memory layer %s failed", layer.name)
            warning = f"{layer.name.capitalize()} failed and was left out: {error}"
            return Contribution(layer.name, layer.kind, warning=warning)

    def choices(self, chat: Chat) -> Choices:
        """Return what holds for a chat: its preset, its connection, its note."""
        return self._chooser.of(chat)

    def budget(self, profile: ConnectionProfile) -> Budget:
        """Return the context window of a connection, in the tokens of its model as learned so far."""
        scale = self._stores.scale.of(model_name(profile))
        return Budget(profile.context_tokens, profile.reply_tokens, scale)

    def last(self, chat: Chat, text: str = "") -> Message | None:
        """Return what is replied to: `text` as a message not yet sent, else the newest that is not hidden."""
        number = self._stores.messages.count(chat.id) + 1
        if text:
            return _unsent(chat.id, number, self.user_name(chat), text, 0)
        shown = (message for message in self._newest_first(chat.id, number) if not message.hidden)
        return next((message for message in shown if message.text.strip()), None)

    def recall(
        self, chat: Chat, query: str, profile: ConnectionProfile, top: int | None
    ) -> list[Contribution]:
        """Ask every layer what it would bring for a query, with nothing protected or in the prompt.

        At least `top` candidates are listed, if there are that many.
        """
        budget = self.budget(profile)
        request = ContributionRequest(
            chat=chat,
            history=(),
            in_prompt=frozenset(),
            protected=frozenset(),
            before_number=chat.messages + 1,
            budget=budget,
            room=budget.memory,
            query=query,
            losers=top,
        )
        return [self._ask(layer, request) for layer in self._layers]


def model_name(profile: ConnectionProfile) -> str:
    """Return what a reply's swipe says wrote it."""
    return profile.name if profile.kind == "demo" else profile.model or profile.name


def _tail_ids(history: History, protect: int) -> frozenset[int]:
    return frozenset(message.id for message in history.sent[-protect:])


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
