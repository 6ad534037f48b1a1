"""The middle: one chat, its head, the page with the memory strip beside it, and the composer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from memdesk.chats.changes import ChangeKind
from memdesk.chats.model import Chat, Message
from memdesk.chats.text import one_line
from memdesk.prompt.receipt import Receipt
from memdesk.ui.bidi import isolated
from memdesk.ui.errors import explain
from memdesk.ui.models.messages import MessageWindowModel
from memdesk.ui.panels.branches import Branches
from memdesk.ui.panels.chat_head import ChatHead
from memdesk.ui.panels.chat_state import cast_of, source_counts, strip_states
from memdesk.ui.panels.drafts import Drafts
from memdesk.ui.panels.faces import Faces
from memdesk.ui.panels.links import ask_link
from memdesk.ui.panels.message_acts import MessageActs
from memdesk.ui.panels.message_menu import MessageMenu
from memdesk.ui.panels.preview import Preview
from memdesk.ui.pictures import Pictures
from memdesk.ui.reasons import too_large_words
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.chat_view import ChatView
from memdesk.ui.widgets.composer import Composer
from memdesk.ui.widgets.memory_strip import MemoryStrip
from memdesk.ui.widgets.message_head import SourceCount


class ChatPanel(QFrame):
    """Shows a chat and carries what the person does in it to the session."""

    receiptRequested = Signal(object)
    """`Message` whose receipt is to be shown"""
    replySelected = Signal(object)
    """`Message` of the selected reply, or None"""
    previewChanged = Signal(object)
    """`Receipt` of the next prompt, or None"""
    menuRequested = Signal(object)
    """the button under which the chat's menu opens"""
    deleted = Signal(object)
    """`Undo` of messages that were deleted"""

    def __init__(self, session: Session, pictures: Pictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pictures = pictures
        self.chat: Chat | None = None
        self._faces = Faces()
        self._selected: int | None = None
        self._preview: Receipt | None = None
        self.model = MessageWindowModel(self)
        self.view = ChatView(self.model, self)
        self.strip = MemoryStrip(self)
        self._strip_asked = 0
        self.composer = Composer(self)
        self.head = ChatHead(self)
        self.drafts = Drafts(self)
        self.drafts.edits.watch(self.view.signals)
        self._weigh = Preview(session, lambda: (self.chat_id, self.composer.text()), self)
        self._weigh.changed.connect(self._show_preview)
        self._weigh.tooLarge.connect(lambda error: self.composer.setTooLarge(too_large_words(error)))
        self.acts = MessageActs(session, self)
        self.message_menu = MessageMenu(self.view, self.model, self)
        self.acts.add_to(self.message_menu)
        self.branches = Branches(session, self)
        self._lay_out()
        self._connect()
        self.set_chat(None)

    def _lay_out(self) -> None:
        self.setProperty("panel", "surface")
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.head)
        rule = QFrame(self)
        rule.setProperty("panel", "rule")
        box.addWidget(rule)
        page = QHBoxLayout()
        page.setSpacing(0)
        page.addWidget(self.view, 1)
        page.addWidget(self.strip)
        page.setContentsMargins(0, 0, 5, 0)
        box.addLayout(page, 1)
        foot = QHBoxLayout()
        foot.setContentsMargins(34, 4, 34, 14)
        self.composer.setMaximumWidth(current_theme().size("message_column_max"))
        foot.addStretch(1)
        foot.addWidget(self.composer, 1000)
        foot.addStretch(1)
        box.addLayout(foot)

    def _connect(self) -> None:
        session, view = self._session, self.view
        self.head.menuRequested.connect(self.menuRequested)
        view.setImageProvider(self._image)
        self._pictures.arrived.connect(self._show_faces)
        self.model.pageWanted.connect(self._read_page)
        self.model.reset.connect(self._select_last)
        view.editSaved.connect(self.acts.save_edit)
        view.deleteRequested.connect(lambda item: session.delete_messages([item], self.deleted.emit))
        session.removed.connect(self.deleted)
        view.swipeRequested.connect(self._swipe)
        view.regenerateRequested.connect(self.regenerate)
        view.retryRequested.connect(self.acts.retry)
        view.copyRequested.connect(self._copy)
        view.receiptRequested.connect(self._show_receipt)
        view.linkActivated.connect(lambda address: ask_link(address, self))
        view.sourcesWanted.connect(self._read_sources)
        view.visibleRangeChanged.connect(self.strip.setVisibleRange)
        view.currentChanged.connect(self._select)
        self.strip.jumpRequested.connect(view.jumpTo)
        composer = self.composer
        composer.sendRequested.connect(self._send)
        composer.stopRequested.connect(self.stop)
        composer.editLastRequested.connect(view.editLast)
        composer.swipeRequested.connect(view.swipeLast)
        composer.textEdited.connect(self._edited)
        session.userMessageStored.connect(self._stored)
        session.replyStarted.connect(self._reply_started)
        session.replyGrew.connect(self.model.appendDelta)
        session.replyEnded.connect(self._reply_ended)
        session.replyingChanged.connect(self._replying_changed)
        session.messagesChanged.connect(self._messages_changed)
        session.memoriesChanged.connect(self._memories_changed)
        session.settingsChanged.connect(self._weigh.soon)

    # ── which chat ───────────────────────────────────────────────────────────────────────────────────

    @property
    def chat_id(self) -> int | None:
        """The id of the chat that is shown."""
        return self.chat.id if self.chat else None

    def set_chat(self, chat: Chat | None) -> None:
        """Show a chat, or the word of welcome."""
        focus = QApplication.focusWidget()
        if chat is None and focus is not None and self.composer.isAncestorOf(focus):
            # Qt would take it out of the composer to anything in the window, the list of chats even.
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.chat = chat
        self._selected = None
        self._preview = None
        self.strip.setStates(b"")
        self.view.setContextStart(None)
        self.composer.setClosed("" if chat else self.tr("Open a chat to write in it."))
        self.composer.setDraft(self.drafts.text(self.chat_id), self.drafts.sending(self.chat_id))
        self._show_head()
        if chat is None:
            self.composer.setGenerating(False)
            self.view.setEmptyText(self.tr("Choose a chat on the left, or a character to begin one."))
            self.model.open(None, 0)
            return
        self.view.setEmptyText(self.tr("Nothing has been said here yet. Write the first line below."))
        self.model.open(chat.id, chat.messages)
        self._restore_stream(chat.id)
        self._read_cast(chat)
        self.branches.refresh()
        self._refresh_strip()
        self._weigh.now()
        self.composer.focusText()

    def update_chat(self, chat: Chat) -> None:
        """Take the chat's new title and count, and what its people are called and look like now."""
        if self.chat is not None and chat.id == self.chat.id:
            if (chat.members, chat.settings) != (self.chat.members, self.chat.settings):
                self._weigh.now()
            self.chat = chat
            self.branches.refresh()
            self._show_head()
            self._read_cast(chat)

    def _show_head(self) -> None:
        if self.chat is None:
            self.head.show_nothing()
            return
        # Who is in a group stands in its strip.
        people = self.chat.character_names if self.chat.kind == "single" else ()
        names = ", ".join(one_line(name, 40) for name in people)
        title = one_line(self.chat.title, 100)
        whole = title if title == names or not names else f"{isolated(names)} · {isolated(title)}"
        face = people[0] if names else title
        parts = [self.tr("%n message(s)", "", self.chat.messages)]
        if self.chat.settings.get("recall", {}).get("enabled", True):
            parts.append(self.tr("memory recall on"))
        else:
            parts.append(self.tr("memory recall off"))
        self.head.show_chat(face, self._pictures.of_chat(self.chat), whole, " · ".join(parts))

    def _read_cast(self, chat: Chat) -> None:
        workspace = self._session.workspace

        def show(found: tuple[Faces, str]) -> None:
            if self.chat_id == chat.id:
                self._faces = found[0]
                self.composer.setPersonaName(one_line(found[1], 40) or self.tr("you"))
                self.view.setImageProvider(self._image)

        self._session.background.read(lambda: cast_of(workspace, chat), show, owner=self)

    def _show_faces(self) -> None:
        self.view.setImageProvider(self._image)
        self._show_head()

    def _image(self, message: Message) -> QImage | None:
        if message.swipe.generation.get("merged") and self.chat is not None:
            return self._pictures.of_chat(self.chat)
        return self._pictures.get(self._faces.of(message))

    # ── pages ────────────────────────────────────────────────────────────────────────────────────────

    def _read_page(self, first: int, limit: int) -> None:
        chat_id = self.chat_id
        if chat_id is None:
            return

        def failed(error: Exception) -> None:
            self.model.pageFailed()
            self._session.report(error)

        self._session.background.read(
            lambda: self._session.workspace.messages.page(chat_id, first, limit),
            self.model.setPage,
            failed=failed,
            owner=self,
        )

    def _refresh_messages(self, ids: Sequence[int]) -> None:
        """Read messages again that are on the page."""
        wanted = [item for item in ids if self.model.find(item) and not self.model.streaming(item)]
        if wanted:
            messages = self._session.workspace.messages
            self._session.background.read(lambda: messages.get_many(wanted), self._take, owner=self)

    def _take(self, messages: Sequence[Message]) -> None:
        for message in messages:
            held = self.model.find(message.id)
            if held is not None:
                self.model.change(replace(message, number=held.number))

    # ── turns ────────────────────────────────────────────────────────────────────────────────────────

    def _send(self, text: str) -> None:
        chat_id = self.chat_id
        if chat_id is None or self._session.replying(chat_id):
            self.composer.refuse(self.tr("A reply is being written. Stop it first, or wait for its end."))
            return

        def refused(error: Exception) -> None:
            self.drafts.refused(chat_id)
            if chat_id == self.chat_id:
                self.composer.refuse(explain(error))
            else:
                self._session.failed.emit(error)

        self.drafts.send(chat_id, text)
        self._session.send(chat_id, text, refused)

    def _edited(self) -> None:
        if self.chat_id is not None:
            self.drafts.keep(self.chat_id, self.composer.text())
            self._weigh.soon()

    def stop(self) -> None:
        """Stop the reply that is being written here; what has come is kept."""
        if self.chat_id is not None:
            self._session.stop(self.chat_id)

    def regenerate(self, message_id: int) -> None:
        """Write a reply of this chat anew."""
        if self.chat_id is not None:
            self._session.regenerate(self.chat_id, message_id)

    def regenerate_last(self) -> None:
        """Write the last reply anew; when the last word is the person's, let the character reply."""
        if self.chat_id is None or not self.model.messages:
            return
        last = self.model.messages[-1]
        if last.role == "assistant":
            self.regenerate(last.id)
        else:
            self._session.reply(self.chat_id)

    def _swipe(self, message_id: int, delta: int) -> None:
        message = self.model.find(message_id)
        if message is None or self.chat_id is None or self._session.replying(self.chat_id):
            return
        position = message.swipe_number - 1 + delta
        if 0 <= position < message.swipe_count:
            self._session.choose_swipe(message_id, position)
        elif position >= message.swipe_count and message.role == "assistant" and message.number > 1:
            self.regenerate(message_id)

    def _stored(self, message: Message) -> None:
        self.drafts.stored(message.chat_id)
        if message.chat_id == self.chat_id:
            self.composer.accept()
            self.model.append(message)
            self.view.jumpToEnd()

    def _reply_started(self, message: Message, generation: int, _receipt: Receipt | None) -> None:
        if message.chat_id != self.chat_id:
            return
        if self.model.find(message.id) is not None:
            self.model.change(message)
        else:
            self.model.append(message)
        self.model.startStream(message.id, generation, message.text)

    def _reply_ended(self, chat_id: int, message_id: int, message: Message | None, generation: int) -> None:
        if chat_id != self.chat_id:
            return
        self.model.endStream(message_id, generation, message)
        if message is None and self.model.find(message_id) is not None:
            self.model.remove([message_id])
        elif message is None:
            # Deleted while it was written, or out of sight: only the chat knows how many are left.
            self._reopen(chat_id)
        self._read_sources([message_id])

    def _restore_stream(self, chat_id: int) -> None:
        """Join a reply that is already being written in the chat that was just opened."""
        replying = self._session.replying(chat_id)
        self.composer.setGenerating(replying)
        if replying:
            message_id, generation = self._session.generation(chat_id)
            if message_id is not None:
                self.model.startStream(message_id, generation, self._session.text_so_far(chat_id))

    def _replying_changed(self, chat_id: int, replying: bool) -> None:
        if chat_id == self.chat_id:
            self.composer.setGenerating(replying)
            if not replying:
                self._weigh.now()

    # ── news ─────────────────────────────────────────────────────────────────────────────────────────

    def _messages_changed(self, chat_id: int, kind: ChangeKind, ids: list[int]) -> None:
        if kind in (ChangeKind.CHAT_REMOVED, ChangeKind.CHAT_RESTORED):
            self.drafts.chat_deleted(chat_id, deleted=kind is ChangeKind.CHAT_REMOVED)
        if chat_id != self.chat_id:
            return
        if kind in (ChangeKind.TEXT_CHANGED, ChangeKind.HIDDEN_CHANGED, ChangeKind.MARKS_CHANGED):
            self._refresh_messages(ids)
            self._read_sources(ids)
        elif kind is ChangeKind.MESSAGES_REMOVED:
            self.model.remove(ids)
        elif kind is ChangeKind.MESSAGES_RESTORED:
            self._bring_back(chat_id, ids)
        self._refresh_strip()
        self._weigh.soon()

    def _bring_back(self, chat_id: int, ids: Sequence[int]) -> None:
        """Let messages stand again where they were, and the reader see them."""
        messages = self._session.workspace.messages

        def read() -> list[Message]:
            numbers = {item: number for number, item in enumerate(messages.ids(chat_id), 1)}
            found = [item for item in messages.get_many(ids) if item.id in numbers]
            return sorted((replace(m, number=numbers[m.id]) for m in found), key=lambda m: m.number)

        def show(back: list[Message]) -> None:
            if chat_id == self.chat_id and back:
                self.model.restore(back)
                writing = isinstance(QApplication.focusWidget(), QPlainTextEdit | QLineEdit)
                self.view.showRestored(back[0], focus=not writing)

        self._session.background.read(read, show, owner=self)

    def _reopen(self, chat_id: int) -> None:
        """Read the window anew: a message is gone that was not on the page."""
        number = self.model.first

        def show(count: int) -> None:
            if chat_id == self.chat_id:
                self.model.open(chat_id, count)
                self._restore_stream(chat_id)
                if number and number < count - len(self.model.messages):
                    self.view.jumpTo(number)

        self._session.background.read(
            lambda: self._session.workspace.messages.count(chat_id), show, owner=self
        )

    def _memories_changed(self, chat_id: int) -> None:
        if chat_id == self.chat_id:
            self._refresh_strip()
        elif not chat_id:
            # Sizes were counted, which every message shows.
            self._refresh_messages([message.id for message in self.model.messages])

    def _refresh_strip(self) -> None:
        chat_id, receipt = self.chat_id, self._preview
        if chat_id is None:
            return
        self._strip_asked = asked = self._strip_asked + 1

        def show(states: bytes) -> None:
            # Answers may overtake each other: only the last question's is true.
            if chat_id == self.chat_id and asked == self._strip_asked:
                self.strip.setStates(states)

        self._session.background.read(
            lambda: strip_states(self._session.workspace, chat_id, receipt), show, owner=self
        )

    # ── receipts ─────────────────────────────────────────────────────────────────────────────────────

    def _read_sources(self, ids: list[int]) -> None:
        def show(found: dict[int, list[SourceCount]]) -> None:
            for message_id, sources in found.items():
                self.view.setSources(message_id, sources)

        self._session.background.read(lambda: source_counts(self._session.workspace, ids), show, owner=self)

    def _select(self, message_id: int) -> None:
        message = self.model.find(message_id)
        if message is not None and message.swipe.has_receipt and message.id != self._selected:
            self._selected = message.id
            self.replySelected.emit(message)

    def _select_last(self) -> None:
        """Select the newest reply that has a receipt, while the reader has selected none."""
        if self._selected is None:
            explained = [item for item in self.model.messages if item.swipe.has_receipt]
            if explained:
                self._select(explained[-1].id)

    def _show_receipt(self, message_id: int) -> None:
        def show(messages: list[Message]) -> None:
            held = self.model.find(message_id)
            if messages and held is not None:
                self._selected = message_id
                self.receiptRequested.emit(replace(messages[0], number=held.number))

        self._session.background.read(
            lambda: self._session.workspace.messages.get_many([message_id]), show, owner=self
        )

    def _show_preview(self, receipt: Receipt | None) -> None:
        self._preview = receipt
        if receipt is None:
            self.composer.setPrompt(None, None)
            self.composer.setRecall(None)
            self.view.setContextStart(None)
        else:
            self.composer.setPrompt(receipt.used, receipt.context)
            self.composer.setRecall(receipt.sent("memory"))
            self.view.setContextStart(receipt.earlier + 1 if receipt.earlier else None)
        self._refresh_strip()
        self.previewChanged.emit(receipt)

    # ── small things ─────────────────────────────────────────────────────────────────────────────────

    def jump_to_message(self, message_id: int) -> None:
        """Scroll to a message wherever it is in the chat; a branch has copies of those it shares."""
        chat_id, workspace = self.chat_id, self._session.workspace
        if chat_id is None:
            return

        def number() -> int:
            here = workspace.acts.branches.message_in(chat_id, message_id)
            return workspace.messages.number(here or message_id)

        def failed(_error: Exception) -> None:
            """Stay: a source that is gone has nowhere to scroll to, and the panel says so."""

        self._session.background.read(
            number,
            self.view.jumpTo,
            failed=failed,
            owner=self,
        )

    def _copy(self, message_id: int) -> None:
        QGuiApplication.clipboard().setText(self.model.text(message_id))
