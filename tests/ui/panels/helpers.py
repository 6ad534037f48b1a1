"""Chats with memories, and how their tab is looked at."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from memdesk.store.chunks import NewChunk, Source
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.widgets.filter_pill import FilterPill
from memdesk.ui.widgets.memory_list import MemoryList
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import talk

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
LINES_OF_TALK = (
    "My birthday is the fifteenth of March, you know.",
    '*She looks at the dead lamp.* "The year it failed."',
    "Let us repair it before winter.",
    "I do not believe you, but thank you.",
)


def new_chunk(text: str, *, minute: int = 0, sources: tuple[int, ...] = (), **more: Any) -> NewChunk:
    at = NOON + timedelta(minutes=minute)
    named = tuple(Source(message_id, b"hash") for message_id in sources)
    fields: dict[str, Any] = {"speakers": ("Mara",), "tokens": 7, "words": "", **more}
    return NewChunk(text=text, sources=named, first_time=at, last_time=at, **fields)


def made(workspace: Workspace, *lines: str) -> int:
    """Make a chat whose messages have chunks without vectors."""
    chat = talk(workspace, *(lines or LINES_OF_TALK))
    workspace.sync.chunk_stale(CancelToken())
    return chat.id


def opened(panel: MemoriesPanel, qtbot: Any, chat_id: int, count: int) -> None:
    panel.setChat(chat_id)
    qtbot.waitUntil(lambda: len(panel.cards()) == count)


def the_list(panel: MemoriesPanel) -> MemoryList:
    return next(view for view in panel.findChildren(MemoryList) if view.accessibleName() == "Memories")


def pills(panel: MemoriesPanel) -> list[str]:
    return [pill.accessibleName() for pill in panel.findChildren(FilterPill) if pill.isVisible()]


def labels(panel: MemoriesPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible() and label.text()]


def spoken(panel: MemoriesPanel, row: int) -> str:
    return str(the_list(panel).model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole))


def texts(panel: MemoriesPanel) -> list[str]:
    return [card.chunk.text for card in panel.cards()]
