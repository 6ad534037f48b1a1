"""The chats that share a past with the one that is shown, and the places in it that have a name."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu

from memdesk.chats.text import one_line
from memdesk.store.branches import Relative
from memdesk.store.checkpoints import Checkpoint
from memdesk.ui.icons import icon
from memdesk.ui.session import Session

if TYPE_CHECKING:
    from memdesk.ui.panels.chat_panel import ChatPanel

TITLE = 60
"""Characters of a title or name in the menu."""

Found = tuple[list[Relative], list[Checkpoint]]


class Branches(QObject):
    """Shows the button in the head of a chat while there is something to jump to, and its menu."""

    chatChosen = Signal(int)

    def __init__(self, session: Session, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel
        self._goal: tuple[int, int] | None = None
        panel.head.branch_button.clicked.connect(self.open_menu)
        panel.model.reset.connect(self._arrive)

    def _read(self, chat_id: int) -> Found:
        acts = self._session.workspace.acts
        return acts.branches.family(chat_id), acts.checkpoints.all(chat_id)

    def refresh(self) -> None:
        """Look whether there is something to jump to."""
        chat_id = self._panel.chat_id
        if chat_id is None:
            return

        def show(found: Found) -> None:
            if chat_id == self._panel.chat_id:
                self._panel.head.branch_button.setVisible(len(found[0]) > 1 or bool(found[1]))

        self._session.background.read(lambda: self._read(chat_id), show, owner=self)

    # ── the menu ─────────────────────────────────────────────────────────────────────────────────────

    def open_menu(self) -> None:
        """Open the menu of branches and checkpoints under its button."""
        chat_id = self._panel.chat_id
        if chat_id is None:
            return

        def show(found: Found) -> None:
            if chat_id == self._panel.chat_id:
                button = self._panel.head.branch_button
                anchor = button if button.isVisible() else self._panel.head.menu_button
                self._menu(chat_id, *found).popup(anchor.mapToGlobal(anchor.rect().bottomLeft()))

        self._session.background.read(lambda: self._read(chat_id), show, owner=self)

    def _menu(self, chat_id: int, family: list[Relative], marks: list[Checkpoint]) -> QMenu:
        menu = QMenu(self._panel)
        menu.setAccessibleName(self.tr("Branches and checkpoints"))
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if len(family) > 1:
            menu.addSection(self.tr("Branches"))
            for item in family:
                self._add_chat(menu, item, chat_id)
        menu.addSection(self.tr("Checkpoints"))
        for mark in marks:
            self._add_mark(menu, mark)
        if not marks:
            none = menu.addAction(self.tr("None yet: a message's menu has “Checkpoint here…”"))
            none.setEnabled(False)
        return menu

    def _add_chat(self, menu: QMenu, item: Relative, shown: int) -> None:
        indent = "\N{EM SPACE}" * (2 * item.depth)
        action = menu.addAction(indent + _plain(item.title))
        action.setCheckable(True)
        action.setChecked(item.chat_id == shown)
        action.triggered.connect(functools.partial(self._choose, item))
        if item.chat_id == shown and item.parent is not None and item.branch_message is not None:
            back = menu.addAction(indent + self.tr("Where it branched off"))
            back.setIcon(icon("jump"))
            back.triggered.connect(lambda: self._go(item.parent or 0, item.branch_message or 0))

    def _choose(self, item: Relative, _checked: bool) -> None:
        self.chatChosen.emit(item.chat_id)

    def _add_mark(self, menu: QMenu, mark: Checkpoint) -> None:
        acts = self._panel.acts
        sub = menu.addMenu(icon("pin"), f"{_plain(mark.name)} · #{mark.number}")
        sub.addAction(icon("jump"), self.tr("Go there"), lambda: self._panel.view.jumpTo(mark.number))
        sub.addAction(icon("branch"), self.tr("Branch from here"), lambda: acts.branch(mark.message_id))
        rest = sub.addAction(
            icon("undo"),
            self.tr("Return here: delete all that follows"),
            lambda: acts.delete_after(mark.message_id),
        )
        rest.setEnabled(mark.number < self._panel.model.count)
        sub.addSeparator()
        sub.addAction(icon("edit"), self.tr("Rename…"), lambda: acts.rename_checkpoint(mark.id, mark.name))
        sub.addAction(icon("trash"), self.tr("Remove"), lambda: acts.delete_checkpoint(mark.id))

    # ── jumping ──────────────────────────────────────────────────────────────────────────────────────

    def _go(self, chat_id: int, message_id: int) -> None:
        """Open a chat at a message, or at the copy of it there."""

        def show(found: int | None) -> None:
            if found is not None:
                self._goal = (chat_id, found)
            self.chatChosen.emit(chat_id)

        branches = self._session.workspace.acts.branches
        self._session.background.read(lambda: branches.message_in(chat_id, message_id), show, owner=self)

    def _arrive(self) -> None:
        goal = self._goal
        if goal is not None and goal[0] == self._panel.chat_id and self._panel.model.messages:
            self._goal = None
            self._panel.jump_to_message(goal[1])


def _plain(text: str) -> str:
    """Return a text as a menu shows it: on one line, its ampersands no shortcuts."""
    return one_line(text, TITLE).replace("&", "&&")
