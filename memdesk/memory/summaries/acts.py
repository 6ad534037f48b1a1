"""What a person does to summaries: write, edit, restore, order, switch off, freeze, combine, delete.

Every act is stored, announced and returns how to take it back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import Message
from memdesk.chats.text import clean, one_line
from memdesk.memory.summaries.coverage import Coverage, coverage, covered, hidden_by, prompt_text, readable
from memdesk.memory.summaries.due import taken_in
from memdesk.memory.summaries.settings import SummarySettings, summary_settings
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import NewSummary, Summary, SummaryStore, SummaryVersion
from memdesk.store.summary_hiding import SummaryHidingStore
from memdesk.store.trash import TrashEntry, TrashStore
from memdesk.work.undo import Undo

TITLES = {"manual": "Manual summary", "automated": "Automated summary", "legacy": "Legacy summary"}
"""Titles of entries that got none."""

TITLE = 200
"""Longest title, in characters."""

LABEL = 60


class SummaryActs:
    """The acts on summary entries. Every method blocks: call it on a worker.

    All methods that take ids raise `StoreError` with code `not_found`, and change nothing, when an entry is
    gone.
    """

    def __init__(
        self,
        *,
        chats: ChatStore,
        messages: MessageStore,
        entries: SummaryStore,
        hidden: SummaryHidingStore,
        trash: TrashStore,
        count: Callable[[str], int],
        notify: Callable[[Change], None],
    ) -> None:
        self._chats = chats
        self._messages = messages
        self._entries = entries
        self._hidden = hidden
        self._trash = trash
        self._count = count
        self._notify = notify

    # ── what there is ────────────────────────────────────────────────────────────────────────────────

    def all(self, chat_id: int) -> list[tuple[Summary, Coverage]]:
        """Return the entries of a chat in the order of the list, each with where it stands now."""
        entries = self._entries.all(chat_id)
        wanted = sorted({item.message_id for entry in entries for item in entry.covers})
        numbers = self._messages.numbers(chat_id, wanted)
        present = {
            message.id: replace(message, number=numbers[message.id])
            for message in self._messages.get_many(list(numbers))
        }
        hidden = hidden_by(entries)
        return [(entry, coverage(entry, present, hidden)) for entry in entries]

    def versions(self, entry_id: int) -> list[SummaryVersion]:
        """Return what an entry said before, newest first."""
        return self._entries.versions(entry_id)

    def uncovered(self, chat_id: int) -> int:
        """Return how many messages older than the tail are sent and belong to no entry."""
        return self._hidden.uncovered(chat_id, self.settings(chat_id).tail)

    # ── writing ──────────────────────────────────────────────────────────────────────────────────────

    def write(self, chat_id: int, title: str, text: str, first: int = 0, last: int = 0) -> tuple[int, Undo]:
        """Add an entry written by hand, over the messages `first` to `last` (counted from 1) if given.

        Raises `StoreError` with code `blank_summary`, or `no_such_message` for numbers beyond the chat.
        """
        text = _text(text)
        self._chats.get(chat_id)
        messages = self.messages_of(chat_id, first, last) if first else []
        new = NewSummary(
            title=_title(title, "manual"),
            text=text,
            tokens=self._count(text),
            source_mode="range" if messages else "last",
            covers=covered(messages),
        )
        entry_id = self._entries.add(chat_id, new)
        self._announce(chat_id)
        return entry_id, Undo(one_line(new.title, LABEL), lambda: self._remove(chat_id, entry_id))

    def add_all(self, chat_id: int, new: Sequence[NewSummary]) -> list[int]:
        """Add entries that come from elsewhere, counting their tokens; returns their ids."""
        ready = [
            replace(item, tokens=self._count(item.text), title=_title(item.title, item.origin))
            for item in new
        ]
        ids = self._entries.add_all(chat_id, ready)
        if ids:
            self._announce(chat_id)
        return ids

    def messages_of(self, chat_id: int, first: int, last: int) -> list[Message]:
        """Return the messages with text of a range, counted from 1; a reversed range is turned round.

        Raises `StoreError` with code `no_such_message`.
        """
        first, last = min(first, last), max(first, last)
        count = self._messages.count(chat_id)
        if not 1 <= first <= last <= count:
            raise StoreError(
                "no_such_message", f"There are no messages {first} to {last}: this chat has {count}."
            )
        page = self._messages.page(chat_id, first, last - first + 1)
        return [message for message in page if readable(message)]

    def edit(self, entry_id: int, title: str, text: str) -> Undo | None:
        """Give an entry another title and text; None when nothing changed. What it said before is kept.

        Raises `StoreError` with code `blank_summary`.
        """
        before = self._entries.get(entry_id)
        title, text = _title(title, before.origin), _text(text)
        if (title, text) == (before.title, before.text):
            return None
        newest = max((version.id for version in self._entries.versions(entry_id)), default=0)
        self._entries.rewrite(entry_id, title, text, self._count(text), actor="person")
        return self._done(before, lambda: self._entries.put_back(before, newest))

    def restore_version(self, entry_id: int, version_id: int) -> Undo | None:
        """Let an entry say again what an earlier version said; None when it does already."""
        for version in self._entries.versions(entry_id):
            if version.id == version_id:
                return self.edit(entry_id, version.title, version.text)
        raise StoreError("not_found", "That version of the summary is not there any more.")

    def combine(self, chat_id: int, ids: Sequence[int], title: str, text: str) -> tuple[int, Undo]:
        """Put one entry in the place of the first of several, which stay, switched off.

        It covers what they cover. Raises `StoreError` with code `blank_summary`, or `too_few` for fewer than
        two entries.
        """
        entries = {entry.id: entry for entry in self._entries.all(chat_id)}
        sources = [entry for entry in entries.values() if entry.id in set(ids)]
        if len(sources) < 2:
            raise StoreError("too_few", "Choose at least two summaries to combine.")
        text = _text(text)
        covers = {item.message_id: item for entry in sources for item in entry.covers}
        new = NewSummary(
            title=_title(title, "manual"),
            text=text,
            tokens=self._count(text),
            source_mode="range",
            covers=tuple(covers.values()),
        )
        entry_id = self._entries.add(chat_id, new, before=sources[0].id)
        off = self._entries.set_flag([entry.id for entry in sources], "enabled", value=False)
        self._announce(chat_id)

        def undo() -> None:
            self._entries.set_flag(off, "enabled", value=True)
            self._remove(chat_id, entry_id)

        return entry_id, Undo(one_line(new.title, LABEL), undo)

    # ── flags and order ──────────────────────────────────────────────────────────────────────────────

    def enable(self, ids: Sequence[int], *, value: bool) -> Undo | None:
        """Let entries be sent, or not; None when nothing changed."""
        return self._set_flag(ids, "enabled", value=value)

    def freeze(self, ids: Sequence[int], *, value: bool) -> Undo | None:
        """Keep entries as they are whatever happens to their messages, or let go of them."""
        return self._set_flag(ids, "frozen", value=value)

    def approve(self, entry_id: int, title: str = "", text: str = "") -> Undo | None:
        """Take a proposal into the list, with another text if one is given; None when it is there.

        In rolling mode it takes the place of the automatic ones whose messages it covers, as it would have
        without approval.
        """
        before = self._entries.get(entry_id)
        if not before.proposed:
            return None
        newest = max((version.id for version in self._entries.versions(entry_id)), default=0)
        if text.strip():
            self.edit(entry_id, title or before.title, text)
        taken = [entry.id for entry in self._would_take_in(before)]
        self._entries.approve(entry_id, taken)

        def undo() -> None:
            self._entries.propose_again(entry_id, taken)
            self._entries.put_back(before, newest)

        return self._done(before, undo)

    def taken_text(self, entry_id: int) -> str:
        """Return what the entries say together that a proposal would take the place of, "" for none."""
        entry = self._entries.get(entry_id)
        return prompt_text(self._would_take_in(entry))

    def _would_take_in(self, proposal: Summary) -> list[Summary]:
        if proposal.origin != "automated":
            return []
        settings = self.settings(proposal.chat_id)
        standing = taken_in(self._entries.all(proposal.chat_id), settings)
        return [item for item in standing if item.covers and item.message_ids <= proposal.message_ids]

    def _set_flag(self, ids: Sequence[int], flag: str, *, value: bool) -> Undo | None:
        entries = self._entries.get_many(ids)
        changed = self._entries.set_flag(ids, flag, value=value)
        if not changed:
            return None
        return self._done(
            next(entry for entry in entries if entry.id in changed),
            lambda: self._entries.set_flag(changed, flag, value=not value),
        )

    def order(self, chat_id: int, ids: Sequence[int]) -> Undo | None:
        """Put entries into this order, which is that of the prompt; None when they stand so already."""
        before = [entry.id for entry in self._entries.all(chat_id)]
        wanted = [*dict.fromkeys(ids), *(item for item in before if item not in set(ids))]
        if wanted == before:
            return None
        first = self._entries.get(wanted[0])
        self._entries.order(chat_id, wanted)
        return self._done(first, lambda: self._entries.order(chat_id, before))

    # ── coming and going ─────────────────────────────────────────────────────────────────────────────

    def delete(self, ids: Sequence[int]) -> Undo | None:
        """Put entries of one chat into the trash; None for no entries."""
        if not ids:
            return None
        entries = self._entries.get_many(ids)
        label = one_line(entries[0].title, LABEL) + (f" (+{len(ids) - 1})" if len(ids) > 1 else "")
        trash_id = self._trash.put("summaries", ids, label, entries[0].chat_id)
        self._announce(entries[0].chat_id)
        return Undo(label, lambda: self.restore(trash_id))

    def delete_standing(self, ids: Sequence[int]) -> Undo | None:
        """Put those of the entries into the trash that are still there."""
        return self.delete(self._entries.standing(ids))

    def restore(self, trash_id: int) -> TrashEntry:
        """Bring back entries from the trash, exactly as they were."""
        entry, _ids = self._trash.restore(trash_id)
        if entry.chat_id is not None:
            self._announce(entry.chat_id)
        return entry

    def _remove(self, chat_id: int, entry_id: int) -> None:
        self._entries.remove(entry_id)
        self._announce(chat_id)

    # ── settings ─────────────────────────────────────────────────────────────────────────────────────

    def settings(self, chat_id: int) -> SummarySettings:
        """Return a chat's summary settings."""
        return summary_settings(self._chats.get(chat_id).settings)

    def set_settings(self, chat_id: int, **values: object) -> Undo | None:
        """Change summary settings of a chat; None when nothing changes. Raises `ValueError`, naming one."""
        chat = self._chats.get(chat_id)
        before = chat.settings.get("summaries")
        wanted = {**(before or {}), **values}
        if SummarySettings.model_validate(wanted) == summary_settings(chat.settings):
            return None
        self._store_settings(chat_id, wanted)
        return Undo(chat.title, lambda: self._store_settings(chat_id, before))

    def _store_settings(self, chat_id: int, summaries: dict[str, Any] | None) -> None:
        settings = dict(self._chats.get(chat_id).settings)
        settings.pop("summaries", None)
        if summaries is not None:
            settings["summaries"] = summaries
        self._chats.set_settings(chat_id, settings)
        self._notify(Change(ChangeKind.CHAT_CHANGED, chat_id))

    # ── news ─────────────────────────────────────────────────────────────────────────────────────────

    def _done(self, entry: Summary, take_back: Callable[[], object]) -> Undo:
        self._announce(entry.chat_id)

        def undo() -> None:
            take_back()
            self._announce(entry.chat_id)

        return Undo(one_line(entry.title, LABEL), undo)

    def _announce(self, chat_id: int) -> None:
        self._notify(Change(ChangeKind.SUMMARIES_CHANGED, chat_id))


def _text(text: str) -> str:
    text = clean(text).strip()
    if not text:
        raise StoreError("blank_summary", "A summary needs text. Delete it instead, or turn it off.")
    return text


def _title(title: str, origin: str) -> str:
    return one_line(clean(title), TITLE) or TITLES[origin]
