"""Letting a model write summaries: one request, its answer, and nothing stored unless all of it is good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import Message
from memdesk.llm.client import ChatClient, Finished, TextDelta
from memdesk.llm.events import ChatRequest
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.summaries.acts import TITLES
from memdesk.memory.summaries.coverage import covered, hidden_by, prompt_text, readable, summary_source
from memdesk.memory.summaries.request import (
    Answer,
    BadSummary,
    combine_request,
    read_answer,
    summary_request,
)
from memdesk.memory.summaries.settings import SummarySettings
from memdesk.memory.summaries.templates import Template
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import Covered, NewSummary, Summary, SummaryStore
from memdesk.work.cancel import Cancelled, CancelToken

CHUNK = 500
"""Messages read at a time."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who is in the chat, for the instruction's macros."""

    char: str
    user: str


@dataclass(frozen=True, slots=True)
class Order:
    """What a summary is to be written from, and how."""

    chat_id: int
    messages: Sequence[Message]
    template: Template
    settings: SummarySettings
    cast: Cast
    profile: ConnectionProfile
    origin: str = "manual"
    source_mode: str = "last"
    takes_in: tuple[Summary, ...] = ()
    """Earlier rolling summaries that the new one takes the place of."""


@dataclass(frozen=True, slots=True)
class CombineOrder:
    """Which summaries are to be made one, and how; `words` is the target length."""

    entries: Sequence[Summary]
    template: Template
    settings: SummarySettings
    words: int
    cast: Cast
    profile: ConnectionProfile


class SummaryWriter:
    """Asks models for summaries. Every method blocks, for as long as the model takes."""

    def __init__(
        self,
        *,
        entries: SummaryStore,
        messages: MessageStore,
        count: Callable[[str], int],
        client: Callable[[ConnectionProfile], ChatClient],
        notify: Callable[[Change], None],
    ) -> None:
        self._entries = entries
        self._messages = messages
        self._count = count
        self._client = client
        self._notify = notify

    def newest(self, chat_id: int, last: int) -> list[Message]:
        """Return the newest `last` messages that are not hidden, in order.

        Where an enabled summary has hidden messages, nothing before the newest of those is taken again; what
        a person hid alone is no such end.
        """
        entries = [entry for entry in self._entries.all(chat_id) if entry.enabled]
        told = hidden_by(entries)
        chosen: list[Message] = []
        end = self._messages.count(chat_id)
        while end > 0 and len(chosen) < last:
            first = max(1, end - CHUNK + 1)
            for message in reversed(self._messages.page(chat_id, first, end - first + 1)):
                if message.hidden and message.id in told:
                    return chosen[::-1]
                if len(chosen) < last and not message.hidden and readable(message):
                    chosen.append(message)
            end = first - 1
        return chosen[::-1]

    def write(self, order: Order, cancel: CancelToken) -> int:
        """Let the model write one entry and store it; returns its id.

        Raises `LLMError`, `BadSummary`, `Cancelled`, and `StoreError` with code `nothing_to_summarise`,
        `no_model` (the demo voice cannot read) or `source_changed` when a message was edited, removed or
        hidden while the model was writing. Whatever is raised, everything is as it was.
        """
        if not order.messages:
            raise StoreError("nothing_to_summarise", "There are no messages to summarise.")
        must_read(order.profile)
        answer, model = self._ask(order, cancel)
        covers = self._still_true(order)
        new = NewSummary(
            title=answer.title or TITLES[order.origin],
            text=answer.text,
            tokens=self._count(answer.text),
            origin=order.origin,
            source_mode=order.source_mode,
            covers=covers,
            proposed=order.settings.review,
            template=order.template.id,
            model=model,
        )
        if order.takes_in and not order.settings.review:
            entry_id = self._entries.supersede(order.chat_id, new, [entry.id for entry in order.takes_in])
        else:
            entry_id = self._entries.add(order.chat_id, new)
        self._notify(Change(ChangeKind.SUMMARIES_CHANGED, order.chat_id))
        return entry_id

    def combine(self, order: CombineOrder, cancel: CancelToken) -> Answer:
        """Let the model make one summary of several; nothing is stored.

        Raises `LLMError`, `BadSummary`, `Cancelled`, and `StoreError` with code `no_model`.
        """
        must_read(order.profile)
        request = combine_request(
            order.template.text,
            order.entries,
            words=order.words,
            char=order.cast.char,
            user=order.cast.user,
            max_tokens=order.settings.max_tokens,
        )
        return self._answer(request, order.profile, {order.cast.char, order.cast.user}, cancel)[0]

    def _ask(self, order: Order, cancel: CancelToken) -> tuple[Answer, str]:
        settings = order.settings
        request = summary_request(
            order.template.text,
            order.messages,
            words=settings.words,
            char=order.cast.char,
            user=order.cast.user,
            earlier=prompt_text(order.takes_in),
            max_tokens=settings.max_tokens,
        )
        return self._answer(request, order.profile, {message.name for message in order.messages}, cancel)

    def _answer(
        self, request: ChatRequest, profile: ConnectionProfile, speakers: set[str], cancel: CancelToken
    ) -> tuple[Answer, str]:
        pieces: list[str] = []
        finish, model = "", profile.model
        client = self._client(profile)
        try:
            for event in client.stream(request, cancel):
                if isinstance(event, TextDelta):
                    pieces.append(event.text)
                elif isinstance(event, Finished):
                    finish, model = event.reason, event.model or model
        finally:
            client.close()
        if cancel.cancelled or finish == "stopped":
            raise Cancelled
        return read_answer("".join(pieces), finish, speakers), model

    def _still_true(self, order: Order) -> tuple[Covered, ...]:
        """Return what the new entry covers, if its messages are still what the model has read."""
        before = covered(order.messages)
        present = {message.id: message for message in self._messages.get_many([m.id for m in order.messages])}
        hidden = {message.id for message in order.messages if message.hidden}
        for item in before:
            message = present.get(item.message_id)
            if (
                message is None
                or summary_source(message) != item.source_hash
                or message.hidden != (item.message_id in hidden)
            ):
                raise StoreError(
                    "source_changed",
                    "Messages changed while the summary was being written, so it was not kept. Try again.",
                )
        taken = {item.message_id: item for entry in order.takes_in for item in entry.covers}
        return tuple({**taken, **{item.message_id: item for item in before}}.values())


def must_read(profile: ConnectionProfile) -> None:
    """Refuse a connection that no language model answers; raises `StoreError` (`no_model`)."""
    if profile.kind == "demo":
        raise StoreError(
            "no_model", "The demo voice cannot summarise. Choose a connection with a language model."
        )


__all__ = ["BadSummary", "Cast", "CombineOrder", "Order", "SummaryWriter", "must_read"]
