"""What the command palette offers: every action, and chats and characters by name."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from memdesk.chats.text import one_line
from memdesk.ui.actions import Actions, category_title
from memdesk.ui.keymap import current_keymap
from memdesk.ui.panels.library_panel import LibraryPanel
from memdesk.ui.widgets.palette import Entry, Palette
from memdesk.ui.window_state import WindowState

MOST_RECENT: Final = 30
"""Things used last that stand first; they are remembered over a restart."""

_KEY: Final = "recent"


class Commands(QObject):
    """Fills the palette at every opening, does what is chosen, and remembers what is used."""

    chatWanted = Signal(int)
    newChatWanted = Signal(int)
    """character id"""

    def __init__(self, window: QWidget, actions: Actions, library: LibraryPanel, state: WindowState) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self._library = library
        self._state = state
        recent = state.get(_KEY, [])
        self._recent = [item for item in recent if isinstance(item, str)][:MOST_RECENT]
        self._palette: Palette | None = None
        actions.ran.connect(lambda act_id: self.note(f"act:{act_id}"))

    def note(self, entry_id: str) -> None:
        """Remember that something was used."""
        if entry_id in ("act:app.palette", "act:app.undo") or self._recent[:1] == [entry_id]:
            return
        self._recent = [entry_id, *(item for item in self._recent if item != entry_id)][:MOST_RECENT]
        self._state.set(_KEY, self._recent)

    def open(self) -> None:
        """Open the palette; with its key pressed again, close it."""
        if self._palette is None:
            self._palette = Palette(self._window)
            self._palette.chosen.connect(self._choose)
        if self._palette.isVisible():
            self._palette.leave()
            return
        self._window.activateWindow()
        self._palette.open(self._entries(), self._recent)

    def _entries(self) -> list[Entry]:
        keymap = current_keymap()
        entries = [
            Entry(
                f"act:{act.id}",
                act.title,
                category_title(act.category),
                icon="settings" if act.category == "app" else "right",
                keys=keymap.shown(act.id).partition(", ")[0],
            )
            for act in self._actions.all()
            if act.id != "app.palette" and act.possible
        ]
        for chat in self._library.chats:
            names = ", ".join(one_line(name, 60) for name in chat.character_names)
            entries.append(
                Entry(f"chat:{chat.id}", one_line(chat.title, 120), self.tr("Chat"), "chat", words=names)
            )
        entries += [
            Entry(f"character:{person.id}", one_line(person.name, 120), self.tr("Character"), "user")
            for person in self._library.characters
        ]
        return entries

    def _choose(self, entry: Entry) -> None:
        kind, _, rest = entry.id.partition(":")
        if kind == "act":
            self._actions.run(rest)
            return
        self.note(entry.id)
        if kind == "chat":
            self.chatWanted.emit(int(rest))
            return
        # The chat that was last used with them; a new one for those who have none.
        known = next((chat for chat in self._library.chats if int(rest) in chat.character_ids), None)
        if known is not None:
            self.chatWanted.emit(known.id)
        else:
            self.newChatWanted.emit(int(rest))
