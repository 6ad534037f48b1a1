"""What the Summary tab shows of a chat, read in one go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memdesk.memory.summaries.settings import SummarySettings

if TYPE_CHECKING:
    from memdesk.memory.summaries.automatic import Trouble
    from memdesk.memory.summaries.coverage import Coverage
    from memdesk.store.summaries import Summary
    from memdesk.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Entry:
    """A summary, and where it stands among the messages."""

    summary: Summary
    place: Coverage

    @property
    def id(self) -> int:
        """Its id."""
        return self.summary.id


@dataclass(frozen=True, slots=True)
class Summaries:
    """The summaries of a chat in the order of the prompt."""

    chat_id: int
    entries: tuple[Entry, ...] = ()
    messages: int = 0
    uncovered: int = 0
    """Messages older than the tail that no summary covers"""
    settings: SummarySettings = field(default_factory=SummarySettings)
    trouble: Trouble | None = None
    writing: bool = False
    """Whether an automatic summary is being written"""

    @property
    def sent(self) -> tuple[Entry, ...]:
        """Those that may be sent."""
        return tuple(entry for entry in self.entries if entry.summary.active)

    @property
    def tokens(self) -> int:
        """Tokens of those that may be sent."""
        return sum(entry.summary.tokens for entry in self.sent)


def load_summaries(workspace: Workspace, chat_id: int) -> Summaries:
    """Read all; blocks."""
    room = workspace.summary_room
    settings = room.acts.settings(chat_id)
    return Summaries(
        chat_id=chat_id,
        entries=tuple(Entry(summary, place) for summary, place in room.acts.all(chat_id)),
        messages=workspace.messages.count(chat_id),
        uncovered=room.acts.uncovered(chat_id),
        settings=settings,
        trouble=room.summarising.trouble(chat_id) if settings.automatic else None,
        writing=room.watcher.running() == chat_id,
    )
