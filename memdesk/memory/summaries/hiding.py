"""Hiding from the model what summaries tell: derived from entries and settings, done wherever they change."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memdesk.chats.changes import Change, ChangeKind
from memdesk.memory.summaries.settings import summary_settings
from memdesk.store.chats import ChatStore
from memdesk.store.errors import StoreError
from memdesk.store.summaries import Summary, SummaryStore
from memdesk.store.summary_hiding import HiddenNote, Standing, SummaryHidingStore

LISTENED = frozenset(
    {
        ChangeKind.SUMMARIES_CHANGED,
        ChangeKind.MESSAGES_ADDED,
        ChangeKind.MESSAGES_REMOVED,
        ChangeKind.MESSAGES_RESTORED,
        ChangeKind.CHAT_ADDED,
        ChangeKind.CHAT_CHANGED,
    }
)
"""What can move the end of the tail, or change what is covered. Hiding by hand cannot."""


@dataclass(slots=True)
class HidingPlan:
    """What has to change so that just the right messages are hidden by summaries."""

    hide: list[tuple[int, int]] = field(default_factory=list)
    """(entry, message) that is hidden now"""
    show: list[int] = field(default_factory=list)
    """messages that are sent again"""
    keep: list[tuple[int, int]] = field(default_factory=list)
    """(entry, message) that stays hidden, by another entry than before"""
    forget: list[HiddenNote] = field(default_factory=list)
    """notes that no longer hold"""


class SummaryHiding:
    """Keeps hidden what active entries cover, but for the tail, as long as a chat's settings say so.

    What a person hid alone is never touched, and what a person shows again stays shown until the setting is
    switched off.
    """

    def __init__(
        self,
        *,
        chats: ChatStore,
        entries: SummaryStore,
        store: SummaryHidingStore,
        notify: Callable[[Change], None],
    ) -> None:
        self._chats = chats
        self._entries = entries
        self._store = store
        self._notify = notify
        self._lock = threading.Lock()

    def observe(self, change: Change) -> None:
        """Bring the chat in step after a change; the next prompt is made of what this left."""
        if change.kind in LISTENED and change.chat_id is not None:
            self.settle(change.chat_id)

    def settle(self, chat_id: int) -> list[int]:
        """Hide and show what entries and settings of a chat ask for; returns the messages that changed."""
        with self._lock:
            try:
                settings = summary_settings(self._chats.get(chat_id).settings)
            except StoreError as error:
                if error.code != "not_found":
                    raise
                return []
            notes = self._store.notes(chat_id)
            if not settings.hide and not notes:
                return []
            standing = self._store.standing(chat_id)
            entries = self._entries.all(chat_id) if settings.hide else []
            plan = plan_hiding(entries, standing, notes, settings.tail)
            changed = self._store.apply(plan.hide, plan.show, plan.keep, plan.forget)
        if changed:
            self._notify(Change(ChangeKind.HIDDEN_CHANGED, chat_id, tuple(changed)))
        return changed


def plan_hiding(
    entries: Sequence[Summary], standing: Sequence[Standing], notes: Sequence[HiddenNote], tail: int
) -> HidingPlan:
    """Return what changes: `standing` are the messages in order, `notes` what entries have hidden so far.

    The tail is the newest `tail` messages that are sent or that only summaries hid. Rules of Marinara Engine.
    """
    noted = {note.message_id for note in notes}
    candidates = [item for item in standing if not item.hidden or item.message_id in noted]
    beyond = {item.message_id for item in candidates[: max(0, len(candidates) - tail)]}
    hidden = {item.message_id for item in standing if item.hidden}
    owner: dict[int, int] = {}
    for entry in entries:
        if entry.active:
            for message_id in entry.message_ids & beyond:
                owner.setdefault(message_id, entry.id)
    by_owner = {(note.entry_id, note.message_id) for note in notes}
    plan = HidingPlan()
    for note in notes:
        if owner.get(note.message_id) != note.entry_id:
            plan.forget.append(note)
            if note.message_id not in owner and note.message_id in hidden:
                plan.show.append(note.message_id)
    plan.show = list(dict.fromkeys(plan.show))
    for message_id, entry_id in owner.items():
        if message_id not in noted:
            plan.hide.append((entry_id, message_id))
        elif (entry_id, message_id) not in by_owner:
            plan.keep.append((entry_id, message_id))
    return plan
