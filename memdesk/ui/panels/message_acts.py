"""What a person does to messages of the chat that is shown, from menus and keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog

from memdesk.chats.model import Chat, Message, SwipeState
from memdesk.conversation.growing import CONTINUING
from memdesk.library import Undo
from memdesk.ui.errors import explain
from memdesk.ui.panels.message_menu import Entry, MessageMenu
from memdesk.ui.session import Session

if TYPE_CHECKING:
    from memdesk.ui.panels.chat_panel import ChatPanel

# Dialogs are imported where they open: the first window does not wait for what it does not show.


class MessageActs(QObject):
    """The acts on messages of a chat panel. What is asked for twice in a row is done once."""

    branched = Signal(object)
    """`Chat` that has just branched off, to be opened"""

    def __init__(self, session: Session, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel
        self._branching = False
        session.turnGrew.connect(self._turn_grew)

    # ── replies ──────────────────────────────────────────────────────────────────────────────────────

    @property
    def _free_chat(self) -> int | None:
        """The chat that is shown, when nothing is being written in it."""
        chat_id = self._panel.chat_id
        return None if chat_id is None or self._session.replying(chat_id) else chat_id

    @property
    def may_continue(self) -> bool:
        """Whether the last message can go on."""
        model = self._panel.model
        if self._free_chat is None or not model.messages or not model.at_end:
            return False
        return self._continuable(model.messages[-1])

    def _continuable(self, message: Message) -> bool:
        last = message.number == self._panel.model.count
        return message.role == "assistant" and last and not message.hidden and bool(message.text.strip())

    def continue_last(self) -> None:
        """Let the last reply go on."""
        chat_id = self._free_chat
        if chat_id is not None and self.may_continue:
            self._panel.view.jumpToEnd()
            self._session.continue_reply(chat_id, self._panel.model.messages[-1].id)

    def retry(self, message_id: int) -> None:
        """Try again what failed: the continuation of a reply, or the reply."""
        message = self._panel.model.find(message_id)
        if message is None:
            return
        went_on = message.swipe.generation.get("failed") == CONTINUING
        if message.swipe.state is SwipeState.FAILED and went_on and self._continuable(message):
            self.continue_last()
        else:
            self._panel.regenerate(message_id)

    def regenerate_from(self, message_id: int) -> None:
        """Write the reply anew here; what came after it goes to the trash."""
        chat_id = self._free_chat
        if chat_id is not None:
            self._session.regenerate_from(chat_id, message_id)

    # ── the person's own turn ────────────────────────────────────────────────────────────────────────

    @property
    def may_impersonate(self) -> bool:
        """Whether a turn can be written for the person."""
        return self._free_chat is not None and not self._panel.composer.waiting

    def impersonate(self) -> None:
        """Let the model write the person's turn into the composer, after what stands there."""
        chat_id = self._free_chat
        if chat_id is None or not self.may_impersonate:
            return

        def refused(error: Exception) -> None:
            if chat_id == self._panel.chat_id:
                self._panel.composer.refuse(explain(error))
            else:
                self._session.failed.emit(error)

        self._panel.composer.refuse("")
        self._panel.composer.focusText()
        self._session.impersonate(chat_id, self._panel.composer.text(), refused)

    def _turn_grew(self, chat_id: int, text: str) -> None:
        if chat_id == self._panel.chat_id:
            self._panel.composer.append(text)
        else:
            drafts = self._panel.drafts
            drafts.keep(chat_id, drafts.text(chat_id) + text)

    # ── single messages ──────────────────────────────────────────────────────────────────────────────

    def save_edit(self, message_id: int, text: str) -> None:
        """Store an edit for the version that was edited, whichever stands now."""
        widget = self._panel.view.widget_for(message_id)
        if widget is None:
            self._session.edit_message(message_id, text)
            return
        message, swipe_id = widget.message, widget.edited_swipe

        def failed(error: Exception) -> None:
            """Give the text back: it is stored nowhere."""
            self._panel.drafts.edits.keep(message, swipe_id, text)
            if held := self._panel.view.widget_for(message_id):
                held.resumeEditing()
            self._session.failed.emit(error)

        self._session.edit_message(message_id, text, swipe_id, failed)

    def hide(self, message: Message, *, hidden: bool) -> None:
        """Hide a message from the model, or let it be sent again."""
        acts = self._session.workspace.acts
        self._session.act(lambda: acts.hide([message.id], hidden=hidden), removes=True)

    def hide_range(self, number: int = 0) -> None:
        """Ask which messages to hide from the model, or to send again."""
        from memdesk.ui.dialogs.hide_range import HideRangeDialog  # noqa: PLC0415 — see above

        chat_id, count = self._panel.chat_id, self._panel.model.count
        if chat_id is None or not count:
            return
        acts = self._session.workspace.acts
        dialog = HideRangeDialog(count, number or count, self._panel)
        dialog.chosen.connect(
            lambda first, last, hidden: self._session.act(
                lambda: acts.hide_range(chat_id, first, last, hidden=hidden)
            )
        )
        self._open(dialog)

    def delete_from(self, message: Message) -> None:
        """Put a message and all after it into the trash."""
        chat_id = self._panel.chat_id
        if chat_id is not None:
            self._session.delete_from(chat_id, message.id, self._panel.deleted.emit)

    def delete_after(self, message_id: int) -> None:
        """Put all that comes after a message into the trash."""
        chat_id = self._panel.chat_id
        if chat_id is not None:
            self._session.delete_from(chat_id, message_id, self._panel.deleted.emit, after=True)

    def delete_version(self, message: Message) -> None:
        """Put the version of a message that stands into the trash."""
        acts, swipe_id = self._session.workspace.acts, message.swipe.id
        self._session.act(
            lambda: acts.delete_version(message.id, swipe_id), self._panel.deleted.emit, removes=True
        )

    # ── branches and checkpoints ─────────────────────────────────────────────────────────────────────

    def branch(self, message_id: int) -> None:
        """Begin a chat that shares everything up to a message, and open it."""
        if self._branching:
            return
        self._branching = True
        made: list[Chat] = []
        acts = self._session.workspace.acts

        def work() -> Undo:
            chat, undo = acts.branch(message_id)
            made.append(chat)
            return undo

        def done(_undo: Undo) -> None:
            self._branching = False
            self.branched.emit(made[0])

        def failed(error: Exception) -> None:
            self._branching = False
            self._session.failed.emit(error)

        self._session.act(work, done, failed=failed)

    def add_checkpoint(self, message_id: int) -> None:
        """Ask for a name for a message."""
        acts = self._session.workspace.acts
        self._ask_name("", lambda name: self._session.act(lambda: acts.add_checkpoint(message_id, name)))

    def rename_checkpoint(self, checkpoint_id: int, name: str) -> None:
        """Ask for another name for a checkpoint."""
        acts = self._session.workspace.acts
        self._ask_name(
            name,
            lambda text: self._session.act(lambda: acts.rename_checkpoint(checkpoint_id, text), removes=True),
        )

    def delete_checkpoint(self, checkpoint_id: int) -> None:
        """Take a checkpoint away; its message stays."""
        acts = self._session.workspace.acts
        self._session.act(lambda: acts.delete_checkpoint(checkpoint_id), removes=True)

    def _ask_name(self, name: str, done: object) -> None:
        from memdesk.ui.dialogs.rename import CheckpointDialog  # noqa: PLC0415 — see above

        dialog = CheckpointDialog(name, self._panel)
        dialog.renamed.connect(done)
        self._open(dialog)

    def _open(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # ── the menu of a message ────────────────────────────────────────────────────────────────────────

    def add_to(self, menu: MessageMenu) -> None:
        """Put the acts into the menus of messages."""
        menu.add(10, self._continue_entry)
        menu.add(11, self._anew_entry)
        menu.add(20, self._hide_entry)
        menu.add(
            21, lambda m: Entry(self.tr("Hide a range…"), lambda: self.hide_range(m.number), icon="eye-off")
        )
        menu.add(
            30,
            lambda m: Entry(
                self.tr("Branch from here"), lambda: self.branch(m.id), "branch", not self._written(m)
            ),
        )
        menu.add(
            31,
            lambda m: Entry(self.tr("Checkpoint here…"), lambda: self.add_checkpoint(m.id), icon="pin"),
        )
        menu.add(40, self._version_entry)
        menu.add(41, self._rest_entry)

    def _written(self, message: Message) -> bool:
        return self._panel.model.streaming(message.id)

    def _continue_entry(self, message: Message) -> Entry | None:
        if not self._continuable(message):
            return None
        return Entry(self.tr("Continue"), self.continue_last, "redo", self.may_continue)

    def _anew_entry(self, message: Message) -> Entry | None:
        last = message.number == self._panel.model.count
        if message.role == "system" or (message.role == "assistant" and last):
            return None
        free = self._free_chat is not None
        return Entry(
            self.tr("Regenerate from here"), lambda: self.regenerate_from(message.id), "regenerate", free
        )

    def _hide_entry(self, message: Message) -> Entry:
        hidden = message.hidden
        words = self.tr("Show to the model again") if hidden else self.tr("Hide from the model")
        return Entry(words, lambda: self.hide(message, hidden=not hidden), "eye" if hidden else "eye-off")

    def _version_entry(self, message: Message) -> Entry | None:
        if message.swipe_count < 2:
            return None
        free = not self._written(message)
        return Entry(self.tr("Delete this version"), lambda: self.delete_version(message), "trash", free)

    def _rest_entry(self, message: Message) -> Entry | None:
        if message.number == self._panel.model.count:
            return None
        return Entry(self.tr("Delete from here"), lambda: self.delete_from(message), "trash")
