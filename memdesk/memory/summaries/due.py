"""When a summary is due, and over which messages: derived from what entries cover."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import regex  # type: ignore[import-untyped, unused-ignore]

from memdesk.chats.model import Message
from memdesk.memory.summaries.coverage import readable
from memdesk.memory.summaries.settings import SummarySettings
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import Summary

PAGE = 500
"""Messages read at a time."""

_WORD = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}]|[[\p{L}\p{M}\p{N}]--[\p{Han}\p{Hiragana}\p{Katakana}]]++(?:['’]\p{L}++)*+",
    regex.V1,
)


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages for one summary, in order."""

    messages: tuple[Message, ...]

    @property
    def first(self) -> int:
        """Number of the first message."""
        return self.messages[0].number

    @property
    def last(self) -> int:
        """Number of the last message."""
        return self.messages[-1].number


def words_in(text: str) -> int:
    """Count the words of a text: Unicode words, Chinese and Japanese by character."""
    return len(_WORD.findall(text))


def taken_in(entries: Sequence[Summary], settings: SummarySettings) -> tuple[Summary, ...]:
    """Return the entries that the next automatic summary takes in: in rolling mode, but no frozen one."""
    if settings.mode != "rolling":
        return ()
    return tuple(
        entry for entry in entries if entry.active and entry.origin == "automated" and not entry.frozen
    )


def uncovered(messages: MessageStore, chat_id: int, entries: Sequence[Summary]) -> list[Message]:
    """Return the messages that no entry covers and nobody hid, but for the newest: it may yet be replaced.

    Entries count whether they are sent or not, and so do those that wait for approval or were taken in.
    """
    told = {message_id for entry in entries for message_id in entry.message_ids}
    found: list[Message] = []
    count = messages.count(chat_id)
    for first in range(1, count, PAGE):
        page = messages.page(chat_id, first, min(PAGE, count - first))
        found += [m for m in page if m.id not in told and not m.hidden and readable(m)]
    return found


def is_due(waiting: Sequence[Message], settings: SummarySettings) -> bool:
    """Return whether enough has been said since the last summary; either trigger works without the other."""
    counted = sum(m.role == "user" or not settings.user_messages for m in waiting)
    if settings.interval and counted >= settings.interval:
        return True
    return bool(settings.every_words) and sum(words_in(m.text) for m in waiting) >= settings.every_words


def batches(waiting: Sequence[Message], settings: SummarySettings) -> list[Batch]:
    """Cut messages into batches, each as long as the interval, the words or `last` messages allow.

    The rest that fills no batch is the last one.
    """
    found: list[Batch] = []
    now: list[Message] = []
    for message in waiting:
        now.append(message)
        if len(now) >= settings.last or is_due(now, settings):
            found.append(Batch(tuple(now)))
            now = []
    return [*found, Batch(tuple(now))] if now else found
