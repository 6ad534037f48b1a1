"""How the memories were looked at: order and filter outlive a restart of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QObject

from memdesk.store.chunks import ChunkStatus
from memdesk.ui.models.memories import Mark, Sort

if TYPE_CHECKING:
    from memdesk.ui.panels.memories_panel import MemoriesPanel
    from memdesk.ui.window_state import WindowState

KEY: Final = "memories"


class MemoryViewState(QObject):
    """Keeps the order for all chats, and the filter of the chat that is open when the window closes."""

    def __init__(self, panel: MemoriesPanel, state: WindowState) -> None:
        super().__init__(panel)
        self._panel = panel
        self._chat: int | None = None
        self._found: dict[str, Any] | None = state.get(KEY, {})
        order = panel.search_row.order
        sorts = {sort.name: sort for sort in Sort}
        wanted = sorts.get(str((self._found or {}).get("sort")))
        if wanted is not None:
            order.setCurrentIndex(max(0, order.findData(wanted)))
        state.keep(KEY, self.standing)
        order.currentIndexChanged.connect(state.touch)
        panel.pills.changed.connect(state.touch)

    def show(self, chat_id: int | None) -> None:
        """Take which chat the panel shows now; the first one after a start gets its filter back."""
        self._chat = chat_id
        if chat_id is None:
            return
        found, self._found = self._found, None
        if found and found.get("chat") == chat_id:
            statuses = {status.name: status for status in ChunkStatus}
            marks = {mark.name: mark for mark in Mark}
            status, mark = statuses.get(str(found.get("status"))), marks.get(str(found.get("mark")))
            if status is not None or mark is not None:
                self._panel.pills.choose(status, mark)

    def standing(self) -> dict[str, Any]:
        """Return what is kept, as JSON has it."""
        if self._found is not None:
            # Nothing may be written before what was written is used.
            return self._found
        pills = self._panel.pills
        return {
            "sort": self._panel.search_row.order.currentData().name,
            "chat": self._chat,
            "status": pills.status.name if pills.status else None,
            "mark": pills.mark.name if pills.mark else None,
        }
