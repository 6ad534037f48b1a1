"""What has been typed into messages and not saved: one text per message, kept over a restart."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from memdesk.chats.text import clean

if TYPE_CHECKING:
    from memdesk.chats.model import Message
    from memdesk.ui.widgets.message_head import MessageSignals
    from memdesk.ui.window_state import WindowState

LONGEST = 1_000_000
"""Characters of an edit that is kept over a restart: a longer one is kept as long as the window is open.
It is never cut, for to save a cut one would cut the message."""

MOST = 100
"""Edits that are kept over a restart: the newest ones."""

_KEY = "edits"


class EditDrafts(QObject):
    """The unsaved edits by message id, each with the version it is meant for and its chat."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts: dict[int, tuple[int, int, str]] = {}
        self._deleted: set[int] = set()
        self._changed: Callable[[], None] = lambda: None

    def open(self, state: WindowState) -> None:
        """Read the edits of the last run, and keep them in `state` from now on."""
        for key, value in state.get(_KEY, {}).items():
            if key.isascii() and key.isdigit() and isinstance(value, list) and len(value) == 3:
                chat_id, swipe_id, text = value
                if type(chat_id) is int and type(swipe_id) is int and isinstance(text, str):
                    self._texts.setdefault(int(key), (chat_id, swipe_id, text))
        state.keep(_KEY, self._to_keep)
        self._changed = state.touch

    def watch(self, signals: MessageSignals) -> None:
        """Take what is typed into messages, and give it back when their widgets are made again."""
        signals.editChanged.connect(self._typed)
        signals.unsaved = self.of

    def _to_keep(self) -> dict[str, list[Any]]:
        fit = {
            str(message_id): [chat_id, swipe_id, clean(text)]
            for message_id, (chat_id, swipe_id, text) in self._texts.items()
            if chat_id not in self._deleted and len(text) <= LONGEST
        }
        return dict(list(fit.items())[-MOST:])

    def of(self, message: Message) -> tuple[int, str] | None:
        """Return the version that was edited and its unsaved text."""
        found = self._texts.get(message.id)
        return found[1:] if found is not None and found[0] == message.chat_id else None

    def keep(self, message: Message, swipe_id: int, text: str | None) -> None:
        """Take the text of a message as it is typed now; None when there is nothing to save."""
        self._texts.pop(message.id, None)
        if text is not None:
            self._texts[message.id] = (message.chat_id, swipe_id, text)
        self._changed()

    def _typed(self, message: Message, swipe_id: int, text: str | None) -> None:
        if text is not None or message.id in self._texts:
            self.keep(message, swipe_id, text)

    def only(self, chat_ids: Collection[int]) -> None:
        """Drop the edits in all other chats: those are gone."""
        for message_id, (chat_id, _, _) in list(self._texts.items()):
            if chat_id not in chat_ids:
                del self._texts[message_id]
                self._changed()

    def chat_deleted(self, chat_id: int, *, deleted: bool) -> None:
        """Drop a chat's edits from the disk; they come back if the deletion is taken back in this run."""
        (self._deleted.add if deleted else self._deleted.discard)(chat_id)
        self._changed()
