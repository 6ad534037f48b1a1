"""Summaries that nobody asked for by hand, and those of a whole past: one request after another."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import Chat, Message
from memdesk.llm.errors import LLMError
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.summaries.due import Batch, batches, is_due, taken_in, uncovered
from memdesk.memory.summaries.request import Answer, BadSummary
from memdesk.memory.summaries.settings import SummarySettings, summary_settings
from memdesk.memory.summaries.templates import Template, combining
from memdesk.memory.summaries.writer import Cast, CombineOrder, Order, SummaryWriter, must_read
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import SummaryStore
from memdesk.work.cancel import Cancelled, CancelToken

log = logging.getLogger(__name__)

FIRST_PAUSE = 60.0
LONGEST_PAUSE = 3600.0
"""Seconds until a failed summary is tried again: twice as long each time, an hour at the most."""

REQUEST_TOKENS = 300
"""What the instruction takes in every request."""

TOKENS_PER_WORD = 1.4


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why the automatic summary of a chat failed, how often in a row, and when it is tried again."""

    error: Exception
    times: int
    again: float
    """On the clock of `time.monotonic`."""


@dataclass(slots=True)
class Progress:
    """How far a backfill is."""

    total: int
    done: int = 0
    failed: list[tuple[Batch, Exception]] = field(default_factory=list)
    written: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a backfill will do; `read` and `written` are tokens, estimated."""

    batches: tuple[Batch, ...]
    read: int
    written: int
    connection: str
    can_write: bool


@dataclass(frozen=True, slots=True)
class Choices:
    """What holds for a chat's summaries: who writes them, by which template, with which names."""

    profile: Callable[[Chat, SummarySettings], ConnectionProfile]
    template: Callable[[], Template]
    cast: Callable[[Chat], Cast]


class Summarising:
    """Writes what is due. Every method but `look` blocks."""

    def __init__(
        self,
        *,
        chats: ChatStore,
        messages: MessageStore,
        entries: SummaryStore,
        writer: SummaryWriter,
        choices: Choices,
        notify: Callable[[Change], None],
    ) -> None:
        self._chats = chats
        self._messages = messages
        self._entries = entries
        self._writer = writer
        self._choices = choices
        self._notify = notify
        self._troubles: dict[int, Trouble] = {}
        self._lock = threading.Lock()

    def generate(
        self,
        chat_id: int,
        cancel: CancelToken,
        first: int = 0,
        last: int = 0,
        *,
        newest: int = 0,
        template: Template | None = None,
    ) -> int:
        """Write a summary of the messages `first` to `last`, or of the `newest`; returns the entry's id.

        Without numbers it is as many of the newest as the settings say.

        Raises what `SummaryWriter.write` does, and `StoreError` with code `no_such_message`.
        """
        chat = self._chats.get(chat_id)
        settings = summary_settings(chat.settings)
        if first:
            low, high = min(first, last), max(first, last)
            count = self._messages.count(chat_id)
            if not 1 <= low <= high <= count:
                raise StoreError(
                    "no_such_message", f"There are no messages {low} to {high}: this chat has {count}."
                )
            page = self._messages.page(chat_id, low, high - low + 1)
            messages = [message for message in page if message.text.strip()]
        else:
            messages = self._writer.newest(chat_id, newest or settings.last)
        mode = "range" if first else "last"
        return self._write(chat, settings, messages, cancel, "manual", mode, template)

    def combine(self, chat_id: int, ids: Sequence[int], cancel: CancelToken) -> Answer:
        """Let the model make one summary of several entries; nothing is stored.

        The target length grows with them, to at most twice that of one. Raises what
        `SummaryWriter.combine` does, and `StoreError` with code `too_few`.
        """
        chat = self._chats.get(chat_id)
        settings = summary_settings(chat.settings)
        sources = [entry for entry in self._entries.all(chat_id) if entry.id in set(ids)]
        if len(sources) < 2:
            raise StoreError("too_few", "Choose at least two summaries to combine.")
        order = CombineOrder(
            entries=sources,
            template=combining(self._choices.template().language),
            settings=settings,
            words=min(2, len(sources)) * settings.words,
            cast=self._choices.cast(chat),
            profile=self._choices.profile(chat, settings),
        )
        return self._writer.combine(order, cancel)

    def trouble(self, chat_id: int) -> Trouble | None:
        """Return why the last automatic summary of a chat failed; None when it did not."""
        return self._troubles.get(chat_id)

    def forget_trouble(self, chat_id: int) -> None:
        """Let what failed be tried again at once; how often it failed in a row is still counted."""
        trouble = self._troubles.get(chat_id)
        if trouble is not None:
            self._troubles[chat_id] = Trouble(trouble.error, trouble.times, time.monotonic())

    def if_due(
        self, chat_id: int, cancel: CancelToken, begins: Callable[[], None] = lambda: None
    ) -> int | None:
        """Write the summary that is due in a chat; returns its id, None when none is or it failed.

        `begins` is called when a model is about to be asked. A failure is kept for `trouble`, and nothing is
        tried again before its time.
        """
        with self._lock:
            chat = self._chats.get(chat_id)
            settings = summary_settings(chat.settings)
            trouble = self._troubles.get(chat_id)
            if not settings.automatic:
                # Who switches it off has read what was wrong.
                self._troubles.pop(chat_id, None)
                return None
            if trouble is not None and time.monotonic() < trouble.again:
                return None
            waiting = uncovered(self._messages, chat_id, self._entries.all(chat_id))
            if not is_due(waiting, settings):
                return None
            batch = batches(waiting, settings)[0]
            begins()
            try:
                entry_id = self._write(chat, settings, batch.messages, cancel, "automated", "agent")
            except Cancelled:
                return None
            except (LLMError, BadSummary, StoreError) as error:
                times = trouble.times + 1 if trouble else 1
                pause = min(FIRST_PAUSE * 2 ** (times - 1), LONGEST_PAUSE)
                self._troubles[chat_id] = Trouble(error, times, time.monotonic() + pause)
                log.warning("automatic summary failed: %s", getattr(error, "code", error))
                self._notify(Change(ChangeKind.SUMMARIES_CHANGED, chat_id))
                return None
            self._troubles.pop(chat_id, None)
            return entry_id

    def planned(self, chat_id: int) -> list[Batch]:
        """Return the batches that a backfill would summarise, oldest first."""
        settings = summary_settings(self._chats.get(chat_id).settings)
        waiting = uncovered(self._messages, chat_id, self._entries.all(chat_id))
        return batches(waiting, settings)

    def uncovered(self, chat_id: int) -> int:
        """Return how many messages no summary covers: those that a backfill would read."""
        return len(uncovered(self._messages, chat_id, self._entries.all(chat_id)))

    def estimate(self, chat_id: int) -> Plan:
        """Return what a backfill would cost, and the first of the messages it would read."""
        chat = self._chats.get(chat_id)
        settings = summary_settings(chat.settings)
        found = self.planned(chat_id)
        # A token is about four characters of English and one of Chinese; what is stored is better.
        read = sum(message.swipe.tokens or len(message.text) // 3 for b in found for message in b.messages)
        profile = self._choices.profile(chat, settings)
        return Plan(
            batches=tuple(found),
            read=read + len(found) * REQUEST_TOKENS,
            written=round(len(found) * settings.words * TOKENS_PER_WORD),
            connection=profile.name,
            can_write=profile.kind != "demo",
        )

    def backfill(
        self,
        chat_id: int,
        cancel: CancelToken,
        report: Callable[[Progress], None] = lambda _progress: None,
        only: Sequence[Batch] | None = None,
    ) -> Progress:
        """Summarise all that no entry covers, batch after batch; a failed one does not stop the others.

        With `only`, those batches instead: the ones that failed before. After `cancel` what is finished
        stays, and the next backfill goes on from there. Raises `StoreError` (`no_model`) where there is
        something to do and only the demo voice to do it: every batch would fail alike.
        """
        plan = self.planned(chat_id) if only is None else list(only)
        if plan:
            chat = self._chats.get(chat_id)
            must_read(self._choices.profile(chat, summary_settings(chat.settings)))
        progress = Progress(len(plan))
        report(progress)
        for batch in plan:
            if cancel.cancelled:
                break
            chat = self._chats.get(chat_id)
            settings = summary_settings(chat.settings)
            try:
                messages = batch.messages if only is None else self._as_they_are(batch)
                progress.written.append(self._write(chat, settings, messages, cancel, "automated", "range"))
            except Cancelled:
                break
            except (LLMError, BadSummary, StoreError) as error:
                progress.failed.append((batch, error))
            progress.done += 1
            report(progress)
        return progress

    def _as_they_are(self, batch: Batch) -> list[Message]:
        """Return the messages of a batch as they are now; what is hidden or gone since is left out."""
        found = self._messages.get_many([message.id for message in batch.messages])
        return [message for message in found if not message.hidden and message.text.strip()]

    def _write(
        self,
        chat: Chat,
        settings: SummarySettings,
        messages: tuple[Message, ...] | list[Message],
        cancel: CancelToken,
        origin: str,
        source_mode: str,
        template: Template | None = None,
    ) -> int:
        entries = self._entries.all(chat.id)
        order = Order(
            chat_id=chat.id,
            messages=messages,
            template=template or self._choices.template(),
            settings=settings,
            cast=self._choices.cast(chat),
            profile=self._choices.profile(chat, settings),
            origin=origin,
            source_mode=source_mode,
            takes_in=taken_in(entries, settings) if origin == "automated" else (),
        )
        return self._writer.write(order, cancel)
