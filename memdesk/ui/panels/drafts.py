"""What has been written and not sent: one draft per chat, kept over a restart."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject

from memdesk.chats.text import clean
from memdesk.ui.panels.edit_drafts import EditDrafts
from memdesk.ui.window_state import WindowState

LONGEST = 100_000
"""Bytes of a draft that are kept over a restart; while the window is open all of it is."""

_KEY = "drafts"


class Drafts(QObject):
    """The drafts by chat id, and what is on its way into a chat but not stored yet."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts: dict[int, str] = {}
        self._sending: dict[int, str] = {}
        self._deleted: set[int] = set()
        self._state: WindowState | None = None
        self.edits = EditDrafts(self)

    def open(self, state: WindowState) -> None:
        """Read the drafts of the last run, and keep them in `state` from now on."""
        self._state = state
        for key, text in state.get(_KEY, {}).items():
            if key.isascii() and key.isdigit() and isinstance(text, str) and text:
                self._texts.setdefault(int(key), text)
        state.keep(_KEY, self._to_keep)
        self.edits.open(state)

    def _to_keep(self) -> dict[str, str]:
        return {
            str(chat_id): clean(text[:LONGEST]).encode()[:LONGEST].decode(errors="ignore")
            for chat_id, text in self._texts.items()
            if chat_id not in self._deleted
        }

    def _changed(self) -> None:
        if self._state is not None:
            self._state.touch()

    def text(self, chat_id: int | None) -> str:
        """Return the draft of a chat, "" for none."""
        return self._texts.get(chat_id, "") if chat_id is not None else ""

    def keep(self, chat_id: int, text: str) -> None:
        """Take what is written for a chat now."""
        if text != self.text(chat_id):
            if text:
                self._texts[chat_id] = text
            else:
                self._texts.pop(chat_id, None)
            self._changed()

    def only(self, chat_ids: Collection[int]) -> None:
        """Drop the drafts of all other chats: those are gone."""
        for chat_id in self._texts.keys() - set(chat_ids):
            self.keep(chat_id, "")
        self.edits.only(chat_ids)

    def chat_deleted(self, chat_id: int, *, deleted: bool = True) -> None:
        """Drop a chat's draft from the disk; it comes back if the deletion is taken back in this run."""
        (self._deleted.add if deleted else self._deleted.discard)(chat_id)
        self.edits.chat_deleted(chat_id, deleted=deleted)
        self._changed()

    # ── on the way ───────────────────────────────────────────────────────────────────────────────────

    def send(self, chat_id: int, text: str) -> None:
        """Remember what was handed over to be stored."""
        self._sending[chat_id] = text

    def sending(self, chat_id: int | None) -> str | None:
        """Return what was handed over and is neither stored nor refused."""
        return self._sending.get(chat_id) if chat_id is not None else None

    def refused(self, chat_id: int) -> None:
        """Keep the draft as it is: nothing of it was stored."""
        self._sending.pop(chat_id, None)

    def stored(self, chat_id: int) -> None:
        """Take what was stored out of the draft; what was written since stays."""
        sent, text = self._sending.pop(chat_id, None), self.text(chat_id)
        if sent is not None and text.startswith(sent):
            self.keep(chat_id, text[len(sent) :])
