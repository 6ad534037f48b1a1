"""What a person does to memories from the window: the acts behind keys, strip, menu and buttons."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from memdesk.ui.dates import short_moment
from memdesk.ui.icons import icon
from memdesk.ui.keymap import current_keymap
from memdesk.ui.models.memories import Card
from memdesk.ui.widgets.message_head import local_time

if TYPE_CHECKING:
    from memdesk.store.chunk_edits import Recall
    from memdesk.ui.dialogs.memory_editor import MemoryEditor
    from memdesk.ui.session import Session

SHOWN_RECALLS = 12
"""Replies that a menu lists, newest first."""


class MemoryDeeds(QObject):
    """Does things to the memories of a chat; every one can be taken back with Ctrl+Z."""

    jumpRequested = Signal(int)
    recallRequested = Signal(int, int)
    """The reply (message id, swipe id) that a memory was sent for: its receipt says why"""
    forgotten = Signal(object)
    """The `Undo` of memories that were put into the trash"""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._window = parent

    def do(self, deed: str, cards: Sequence[Card]) -> None:
        """Do `edit`, `split`, `merge`, `freeze`, `pin`, `switch`, `forget`, `jump` or `copy` to memories.

        What can be on or off is turned on for all, and off when it is on for all.
        """
        if not cards:
            return
        ids = [card.id for card in cards]
        memories, act = self._session.workspace.memories, self._session.act
        if deed == "edit":
            self._edit(cards[0])
        elif deed == "split":
            self._split(cards[0])
        elif deed == "merge":
            act(lambda: memories.merge_with_next(ids[0]))
        elif deed == "freeze":
            value = not all(card.chunk.frozen for card in cards)
            act(lambda: memories.freeze(ids, value=value))
        elif deed == "pin":
            value = not all(card.chunk.pinned for card in cards)
            act(lambda: memories.pin(ids, value=value))
        elif deed == "switch":
            value = not any(card.chunk.enabled for card in cards)
            act(lambda: memories.enable(ids, value=value))
        elif deed == "forget":
            act(lambda: memories.forget(ids), self.forgotten.emit, removes=True)
        elif deed == "jump":
            if cards[0].jump_to is not None:
                self.jumpRequested.emit(cards[0].jump_to)
        elif deed == "copy":
            QGuiApplication.clipboard().setText("\n\n".join(card.chunk.text for card in cards))

    def add_note(self, chat_id: int) -> None:
        """Ask for a memory that no message says."""
        memories = self._session.workspace.memories
        dialog = self._editor("", None, None)
        dialog.saved.connect(lambda text: self._session.act(lambda: memories.add_note(chat_id, text)))
        dialog.open()

    def _edit(self, card: Card) -> None:
        memories = self._session.workspace.memories

        def show(original: str) -> None:
            dialog = self._editor(card.chunk.text, original, card)
            dialog.saved.connect(lambda text: self._session.act(lambda: memories.edit(card.id, text)))
            dialog.open()

        self._session.background.read(lambda: memories.original(card.id), show, owner=self)

    def _split(self, card: Card) -> None:
        # Imported where it opens: the first window does not wait for it.
        from memdesk.ui.dialogs.memory_splitter import MemorySplitter  # noqa: PLC0415 — see above

        memories = self._session.workspace.memories
        dialog = MemorySplitter(card.chunk.text, card.chunk.speakers, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(lambda place: self._session.act(lambda: memories.split(card.id, place)))
        dialog.open()

    def _editor(self, text: str, original: str | None, card: Card | None) -> MemoryEditor:
        # Imported where it opens: the first window does not wait for it.
        from memdesk.ui.dialogs.memory_editor import MemoryEditor  # noqa: PLC0415 — see above

        dialog = MemoryEditor(text, original, card.source if card else None, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    # ── the menu ─────────────────────────────────────────────────────────────────────────────────────

    def menu(self, cards: Sequence[Card], place: QPoint) -> None:
        """Offer everything that can be done to one memory, or to several."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        one = cards[0] if len(cards) == 1 else None

        def add(deed: str, icon_name: str, words: str) -> None:
            action = menu.addAction(icon(icon_name), words, self._later(deed, cards))
            if keys := current_keymap().sequences(f"memories.{deed}"):
                action.setShortcut(keys[0])
                # The list itself hears the key; here it is only shown.
                action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
                action.setShortcutVisibleInContextMenu(True)

        if one is not None:
            add("edit", "edit", self.tr("Edit…"))
            add("split", "branch", self.tr("Split in two…"))
            add("merge", "link", self.tr("Merge with the next in the chat"))
            menu.addSeparator()
        frozen = all(card.chunk.frozen for card in cards)
        add("freeze", "sun" if frozen else "snow", self.tr("Unfreeze") if frozen else self.tr("Freeze"))
        pinned = all(card.chunk.pinned for card in cards)
        add("pin", "pin", self.tr("Unpin") if pinned else self.tr("Pin"))
        off = not any(card.chunk.enabled for card in cards)
        add("switch", "eye" if off else "eye-off", self.tr("Turn on") if off else self.tr("Turn off"))
        menu.addSeparator()
        if one is not None:
            add("jump", "jump", self.tr("Jump to source"))
            menu.actions()[-1].setEnabled(one.jump_to is not None)
            self._add_recalls(menu, one)
        add("copy", "copy", self.tr("Copy text"))
        menu.addSeparator()
        add("forget", "trash", self.tr("Forget"))
        menu.popup(place)

    def _later(self, deed: str, cards: Sequence[Card]) -> Callable[[], None]:
        return lambda: self.do(deed, cards)

    def _add_recalls(self, menu: QMenu, card: Card) -> None:
        """List the replies that a memory was sent for; each leads there."""
        if not card.recalls:
            return
        number = self._window.locale().toString(len(card.recalls))
        inside = menu.addMenu(icon("memory"), self.tr("Sent with replies ({0})").format(number))
        for recall in card.recalls[:SHOWN_RECALLS]:
            when = short_moment(local_time(recall.at))
            inside.addAction(when, functools.partial(self._show_recall, recall))

    def _show_recall(self, recall: Recall) -> None:
        self.jumpRequested.emit(recall.message_id)
        self.recallRequested.emit(recall.message_id, recall.swipe_id)
