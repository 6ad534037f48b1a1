"""The summary layer: the outline of what the model cannot see any more, in the person's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memdesk.chats.changes import Change
from memdesk.memory.layer import ContributionRequest
from memdesk.memory.summaries.coverage import prompt_text
from memdesk.memory.summaries.settings import SummarySettings, summary_settings
from memdesk.prompt.macros import expand
from memdesk.prompt.parts import Contribution, Kind, Part, Placement, Reason
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import Summary, SummaryStore

FALLBACK = "Summary: {{summary}}"
"""What stands in for an empty template (SillyTavern's habit)."""


class SummaryLayer:
    """A `MemoryLayer`: what is enabled is sent, newest entries first where room is short."""

    name = "summary"
    kind: Kind = "summary"
    early = True

    def __init__(self, *, entries: SummaryStore, messages: MessageStore, count: Callable[[str], int]) -> None:
        self._entries = entries
        self._messages = messages
        self._count = count

    def observe(self, change: Change) -> None:
        """Nothing is due here: coverage is derived from the messages whenever it is asked for."""

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Return the enabled entries that tell of nothing at or after the reply, within the budget."""
        settings = summary_settings(request.chat.settings)
        if request.query is not None:
            return Contribution(self.name, "summary")
        entries = [entry for entry in self._entries.all(request.chat.id) if not entry.proposed]
        sources = {message_id for entry in entries for message_id in entry.message_ids}
        numbers = self._messages.numbers(request.chat.id, sources)
        reasons = {entry.id: _out(entry, numbers, request.before_number) for entry in entries}
        wanted = [entry for entry in entries if reasons[entry.id] is None]
        sent = self._fitting(wanted, settings, request)
        told = prompt_text(sent)
        if not settings.enabled:
            # Whoever puts {{summary}} into a text of their own does not want it twice.
            return Contribution(self.name, "summary", macro=told)
        text = self._text(sent, settings)
        parts = []
        for entry in entries:
            reason = reasons[entry.id]
            included = entry in sent
            if reason is None:
                reason = Reason("enabled") if included else Reason("no_room", {"limit": request.room})
            parts.append(
                Part(
                    kind="summary",
                    title=entry.title,
                    text=entry.text,
                    tokens=request.budget.scaled(entry.tokens),
                    included=included,
                    reason=reason,
                    source={"summary": entry.id, "messages": sorted(entry.message_ids & numbers.keys())},
                )
            )
        return Contribution(
            layer=self.name,
            kind="summary",
            text=text,
            tokens=request.budget.scaled(self._count(text)) if text else 0,
            parts=tuple(parts),
            placement=Placement(settings.where, settings.depth, settings.role),
            macro=told,
        )

    def _fitting(
        self, wanted: Sequence[Summary], settings: SummarySettings, request: ContributionRequest
    ) -> list[Summary]:
        """Return the entries that fit: where room is short, the oldest of the list give way first."""
        sent = list(wanted)
        while sent and request.budget.scaled(self._count(self._text(sent, settings))) > request.room:
            sent.pop(0)
        return sent

    @staticmethod
    def _text(entries: Sequence[Summary], settings: SummarySettings) -> str:
        if not entries:
            return ""
        return expand(settings.template.strip() or FALLBACK, {"summary": prompt_text(entries)})


def _out(entry: Summary, numbers: dict[int, int], before: int) -> Reason | None:
    """Return why an entry cannot be sent, None when it can."""
    if entry.superseded_by is not None:
        return Reason("superseded")
    if not entry.enabled:
        return Reason("disabled")
    if any(number >= before for message_id, number in numbers.items() if message_id in entry.message_ids):
        return Reason("too_new")
    return None
