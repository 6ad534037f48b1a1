"""The main window: chats on the left, the chat in the middle, memory on the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QMoveEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QMainWindow,
    QMenu,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.chats.changes import ChangeKind
from memdesk.chats.finding import Query
from memdesk.chats.model import Chat, Message, Persona
from memdesk.library import Undo
from memdesk.prompt.receipt import Receipt
from memdesk.store.errors import StoreError
from memdesk.ui.actions import Actions
from memdesk.ui.bidi import isolated
from memdesk.ui.commands import Commands
from memdesk.ui.composing import Composing
from memdesk.ui.errors import explain
from memdesk.ui.folding import Folding
from memdesk.ui.gone_bar import GoneBar
from memdesk.ui.group_desk import GroupDesk
from memdesk.ui.keymap import current_keymap, keys_of
from memdesk.ui.memory_carrier import MemoryCarrier
from memdesk.ui.openers import Openers
from memdesk.ui.panels.chat_actions import add_chat_actions
from memdesk.ui.panels.chat_find import ChatFind
from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.panels.chat_thoughts import ChatThoughts
from memdesk.ui.panels.library_panel import LibraryPanel
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.panels.memory_view_state import MemoryViewState
from memdesk.ui.panels.message_pictures import MessagePictures
from memdesk.ui.panels.prompt_panel import PromptPanel
from memdesk.ui.panels.reading_places import ReadingPlaces
from memdesk.ui.panels.search_panel import SearchPanel
from memdesk.ui.panels.side_panel import SidePanel
from memdesk.ui.panels.summary_panel import SummaryPanel
from memdesk.ui.people_carrier import PeopleCarrier
from memdesk.ui.pictures import Pictures
from memdesk.ui.sentences import said
from memdesk.ui.session import Session
from memdesk.ui.status_bar import StatusBar
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.toast import Toast
from memdesk.ui.window_actions import add_window_actions
from memdesk.ui.window_state import WindowState, packed, unpacked


class MainWindow(QMainWindow):
    """Wires the panels to each other and to the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._workspace = session.workspace
        self._state = WindowState(self._workspace.data_dir, session.background, self)
        self._wanted_chat: int | None = None
        self._left_chat: int | None = None
        self._started = False
        self.pictures = Pictures(self._workspace, session.background, self)
        self.library = LibraryPanel(session, self.pictures, self)
        self.chat = ChatPanel(session, self.pictures, self)
        self.memories = MemoriesPanel(session, self)
        self.prompt = PromptPanel(session, self)
        self.side = SidePanel(self)
        self.summaries = SummaryPanel(session, self)
        self.side.add("memories", self.tr("Memories"), self.memories)
        self.side.add("summary", self.tr("Summary"), self.summaries)
        self.side.add("prompt", self.tr("Prompt"), self.prompt)
        self.search = SearchPanel(session, self)
        self.side.add("search", self.tr("Search"), self.search)
        self.finding = ChatFind(session, self.chat)
        ChatThoughts(session, self.chat)
        self.message_pictures = MessagePictures(session, self.chat)
        self.status = StatusBar(session, self)
        self.folding = Folding(self, self.library, self.side)
        self._lay_out()
        self.toast = Toast(self, self.chat.view)
        self.chat.drafts.open(self._state)
        self.places = ReadingPlaces(self.chat.view, self.chat.model, self)
        self.places.open(self._state)
        self.library.gallery.open(self._state)
        self._memory_view = MemoryViewState(self.memories, self._state)
        self.acts = Actions(self)
        self._composing = Composing(self)
        self.openers = Openers(session, self.toast, self)
        self.groups = GroupDesk(session, self.chat, self.pictures, self.openers, self.toast, self)
        self.gone = GoneBar(session, self.chat, self.pictures, self.openers, self)
        self.carrier = MemoryCarrier(session, self.chat, self.memories, self.toast, self)
        self.openers.imports.open_memories = self.carrier.open_file
        self.commands = Commands(self, self.acts, self.library, self._state)
        self._name_actions()
        self.people = PeopleCarrier(session, self)
        self._connect()
        self._restore_window()
        self._apply_settings()
        self.library.reload()
        for notice in self._workspace.notices:
            self.toast.say(said(notice), error=True)

    def _lay_out(self) -> None:
        self.setWindowTitle("memdesk")
        self.setAcceptDrops(True)
        self.setMinimumSize(720, 480)
        self.resize(1440, 900)
        theme = current_theme()
        self.splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        for widget in (self.library, self.chat, self.side):
            self.splitter.addWidget(widget)
        self.chat.setMinimumWidth(360)
        self.splitter.setStretchFactor(1, 1)
        self.splitter.setSizes([theme.size("left"), 800, theme.size("right")])
        middle = QWidget(self)
        box = QVBoxLayout(middle)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.splitter, 1)
        rule = QFrame(middle)
        rule.setProperty("panel", "rule")
        box.addWidget(rule)
        box.addWidget(self.status)
        self.setCentralWidget(middle)
        left = self.folding.button(self.library, self.tr("Show or hide chats"), "chat")
        right = self.folding.button(self.side, self.tr("Show or hide panels"), "panel")
        self.chat.head.row.insertWidget(0, left)
        self.chat.head.row.addWidget(right)

    def _name_actions(self) -> None:
        """Name what can be done with what the window has; panels name their own."""
        add_window_actions(self, self.acts)
        add_chat_actions(self.chat, self.acts)
        self._turn_menu = QMenu(self)
        self.acts.follow(self._turn_menu, "turn")
        self.chat.composer.setTurnMenu(self._turn_menu)
        self.groups.add_actions(self.acts)
        self._undo_action = self.acts.act("app.undo").action
        self._undo_action.setEnabled(False)
        self._main_menu = QMenu(self)
        self.acts.follow(self._main_menu, "main")
        self.library.more_button.setMenu(self._main_menu)

    def _connect(self) -> None:
        session, library, chat, openers = self._session, self.library, self.chat, self.openers
        library.chatChosen.connect(self.open_chat)
        library.newChatRequested.connect(self.new_chat)
        library.newCharacterRequested.connect(openers.new_character)
        library.editCharacterRequested.connect(openers.edit_character)
        library.importRequested.connect(openers.choose_files)
        library.renameChatRequested.connect(openers.rename_chat)
        library.deleteChatRequested.connect(self.delete_chat)
        library.deleteCharacterRequested.connect(
            lambda item: session.delete_character(item, self._offer_undo)
        )
        library.loaded.connect(self._lists_loaded)
        self.commands.chatWanted.connect(self.open_chat)
        self.commands.newChatWanted.connect(self.new_chat)
        self.side.opened.connect(self.acts.share)
        openers.chatMade.connect(self._open_new)
        self.groups.begun.connect(self._open_new)
        openers.characterSaved.connect(lambda: library.show_page(1))
        chat.receiptRequested.connect(self._show_receipt)
        chat.replySelected.connect(self._reply_selected)
        chat.previewChanged.connect(self.status.show_receipt)
        chat.menuRequested.connect(self._chat_menu)
        chat.deleted.connect(self._offer_undo)
        chat.acts.branched.connect(self._open_new)
        chat.branches.chatChosen.connect(self.open_chat)
        self.memories.jumpRequested.connect(chat.jump_to_message)
        self.memories.lookedAt.connect(chat.strip.setMarker)
        self.memories.upkeep.told.connect(self._say_upkeep)
        self.memories.deeds.forgotten.connect(self._offer_undo)
        self.memories.deeds.recallRequested.connect(self._show_recall)
        self.memories.rerunRequested.connect(chat.regenerate)
        self.summaries.jumpRequested.connect(chat.jump_to_message)
        self.summaries.work.told.connect(self._say_upkeep)
        self.summaries.deeds.deleted.connect(self._offer_undo)
        self.prompt.summaryRequested.connect(self._show_summary)
        self.prompt.jumpRequested.connect(chat.jump_to_message)
        self.prompt.chunkRequested.connect(self._show_chunk)
        self.prompt.receiptShown.connect(self._receipt_shown)
        self.search.chosen.connect(self.go_to_message)
        self.finding.everywhere.connect(self.find_everywhere)
        self.status.connectionRequested.connect(openers.open_connections)
        session.failed.connect(lambda error: self.toast.say(explain(error), error=True))
        session.messagesChanged.connect(self._chat_changed)
        session.undoChanged.connect(lambda label: self._undo_action.setEnabled(bool(label)))
        session.undone.connect(lambda _label: self.toast.say(self.tr("Undone.")))
        session.replyEnded.connect(self._reply_ended)
        session.settingsChanged.connect(self._apply_settings)

    def undo(self) -> None:
        """Take back what was done last."""
        self._session.undo()

    def find_chats(self) -> None:
        """Put the cursor where chats and characters are searched."""
        self.folding.show(self.library)
        self.library.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.library.search.selectAll()

    def find_everywhere(self, text: str = "") -> None:
        """Search the messages of all chats."""
        self.show_side("search")
        self.search.begin(text)

    def go_to_message(self, chat_id: int, message_id: int, query: Query) -> None:
        """Show a message of any chat, with the words of a query marked."""

        def gone(_error: Exception) -> None:
            self.toast.say(self.tr("That chat is not there any more."), error=True)

        self.finding.go_to(chat_id, message_id, query)
        if chat_id != self.chat.chat_id:
            self._wanted_chat = chat_id
            chats = self._workspace.chats
            self._session.background.read(
                lambda: chats.get(chat_id), self._show_chat, failed=gone, owner=self
            )

    # ── chats ────────────────────────────────────────────────────────────────────────────────────────

    def open_chat(self, chat_id: int) -> None:
        """Show a chat in the middle and its memory on the right."""
        self._wanted_chat = chat_id
        # Read anew: the list may be a moment behind, and a message it has not counted would be missing.
        self._session.background.read(lambda: self._workspace.chats.get(chat_id), self._show_chat, owner=self)

    def _show_chat(self, chat: Chat | None) -> None:
        if chat is not None and chat.id != self._wanted_chat:
            return
        if chat is not None and chat.id == self.chat.chat_id:
            self.chat.composer.focusText()
            return
        self.chat.set_chat(chat)
        self.groups.show(chat)
        self.gone.show(chat)
        chat_id = chat.id if chat else None
        self._state.set("chat", chat_id or 0)
        self.memories.setChat(chat_id)
        self._memory_view.show(chat_id)
        self.summaries.setChat(chat_id)
        self.prompt.setChat(chat_id)
        self.library.chat_list.select(chat_id)
        self.status.show_receipt(None)
        self.status.set_chat(chat)
        self.setWindowTitle(f"{chat.title} — memdesk" if chat else "memdesk")
        self._show_persona()

    def _show_persona(self) -> None:
        chat = self.chat.chat

        def read() -> Persona | None:
            return self._workspace.conversation.persona(chat) if chat else self._workspace.personas.default()

        self._session.background.read(read, self.library.set_persona, owner=self)

    def _lists_loaded(self) -> None:
        chats = {chat.id: chat for chat in self.library.chats}
        if not self._started:
            self._started = True
            self.chat.drafts.only(chats)
            self.places.only(chats)
            first = chats.get(self._state.get("chat", 0)) or next(iter(chats.values()), None)
            if first is not None:
                self.open_chat(first.id)
            else:
                self._show_persona()
            return
        present = self.chat.chat_id
        if present is not None and present not in chats:
            self._check_gone(present)
        elif present is not None:
            self.chat.update_chat(chats[present])
            self.status.set_chat(chats[present])
            self.groups.show(self.chat.chat)
            self.gone.show(self.chat.chat)
        self._show_persona()

    def _check_gone(self, chat_id: int) -> None:
        """Turn away from a chat that is gone; one that is younger than the list stays."""

        def gone(error: Exception) -> None:
            if not isinstance(error, StoreError):
                self._session.failed.emit(error)
            elif chat_id == self.chat.chat_id == self._wanted_chat:
                self._wanted_chat, self._left_chat = None, chat_id
                self._show_chat(None)

        self._session.background.read(lambda: self._workspace.chats.get(chat_id), failed=gone, owner=self)

    def _chat_changed(self, chat_id: int, kind: ChangeKind, _ids: list[int]) -> None:
        """Open a chat again that was open when it was deleted."""
        if kind is ChangeKind.CHAT_RESTORED and chat_id == self._left_chat:
            self._left_chat = None
            self.open_chat(chat_id)

    def new_chat(self, character_id: int) -> None:
        """Begin a chat with a character and open it."""
        self._session.background.write(
            lambda: self._workspace.library.new_chat(character_id), self._open_new, owner=self
        )

    def _open_new(self, chat: Chat) -> None:
        self._wanted_chat = chat.id
        self.library.search.clear()
        self.library.show_page(0)
        self._show_chat(chat)
        self.library.chat_list.select(chat.id)

    def delete_chat(self, chat_id: int) -> None:
        """Put a chat into the trash."""
        self._session.stop(chat_id)
        self._session.delete_chat(chat_id, self._offer_undo)

    def _offer_undo(self, undo: Undo) -> None:
        text = self.tr("Moved to the trash: %1").replace("%1", isolated(undo.label))
        self.toast.say(text, self.tr("Undo"), lambda: self._session.undo(undo))

    def _chat_menu(self, button: QToolButton) -> None:
        if self.chat.chat is not None:
            self.acts.menu("chat", self).popup(button.mapToGlobal(button.rect().bottomLeft()))

    def rebuild_memories(self) -> None:
        """Make the memories of the chat anew from its messages."""
        self.memories.upkeep.rebuild(self.chat.chat_id)

    def _say_upkeep(self, words: str, undo: Undo | None) -> None:
        """Say what came of a rebuild and the like, and offer to take it back."""
        if undo is None:
            self.toast.say(words)
        else:
            self.toast.say(words, self.tr("Undo"), lambda: self._session.undo(undo))

    # ── memory and prompt ────────────────────────────────────────────────────────────────────────────

    def show_side(self, key: str) -> None:
        """Bring a panel of the right side into sight."""
        self.folding.show(self.side)
        self.side.show_panel(key)

    def ask_summaries(self, act: Callable[[], None]) -> None:
        """Begin something with the summaries of the chat, which come into sight for it."""
        self.show_side("summary")
        self.summaries.ask(act)

    def _show_receipt(self, message: Message) -> None:
        self.show_side("prompt")
        self.prompt.showReply(message.id, message.swipe.id, message.number)

    def _show_recall(self, message_id: int, swipe_id: int) -> None:
        """Show why a memory was sent with a reply: what its receipt says stands on every card then."""
        self._session.background.read(
            lambda: self._workspace.messages.number(message_id),
            lambda number: self.prompt.showReply(message_id, swipe_id, number),
            owner=self,
        )

    def _reply_selected(self, message: Message) -> None:
        self.prompt.showReply(message.id, message.swipe.id, message.number)

    def _reply_ended(self, chat_id: int, _message_id: int, message: Message | None, _generation: int) -> None:
        if chat_id == self.chat.chat_id and message is not None and message.swipe.has_receipt:
            self._reply_selected(message)

    def _receipt_shown(self, receipt: Receipt | None) -> None:
        self.memories.setReceipt(receipt, self.prompt.shown_reply())

    def _show_chunk(self, chunk_id: int) -> None:
        self.show_side("memories")
        self.memories.showChunk(chunk_id)

    def _show_summary(self, entry_id: int) -> None:
        self.show_side("summary")
        self.summaries.showSummary(entry_id)

    # ── files that are dropped ───────────────────────────────────────────────────────────────────────

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Welcome files."""
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Import the files that were dropped."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.openers.imports.take(paths)

    def _apply_settings(self) -> None:
        settings = self._workspace.settings
        current_theme().setMode(settings.theme)
        self.chat.composer.setEnterSends(settings.enter_sends)
        current_keymap().choose(keys_of(settings))
        self._show_persona()

    # ── the window itself ────────────────────────────────────────────────────────────────────────────

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the sides away where there is no room for them."""
        super().resizeEvent(event)
        self.folding.resized(event.oldSize().width(), event.size().width())
        self._state.touch()

    def moveEvent(self, event: QMoveEvent) -> None:
        """Remember where the window stands."""
        super().moveEvent(event)
        self._state.touch()

    def _restore_window(self) -> None:
        state = self._state
        if geometry := state.get("geometry", ""):
            self.restoreGeometry(unpacked(geometry))
        if sizes := state.get("splitter", ""):
            self.splitter.restoreState(unpacked(sizes))
        self.folding.restore(state.get("folded", []))
        self.library.show_page(min(max(state.get("library_page", 0), 0), self.library.stack.count() - 1))
        QTimer.singleShot(0, self, self._restore_panels)
        state.keep("geometry", lambda: packed(self.saveGeometry()))
        state.keep("splitter", lambda: packed(self.splitter.saveState()))
        state.keep("folded", self.folding.by_hand)
        state.keep("library_page", self.library.stack.currentIndex)
        self.splitter.splitterMoved.connect(state.touch)
        self.folding.changed.connect(state.touch)
        self.library.stack.currentChanged.connect(state.touch)

    def _restore_panels(self) -> None:
        self.side.restore(self._state.get("panels", {}))
        # Not earlier: nothing may be written before what was written is read.
        self._state.keep("panels", self.side.standing)
        self.side.changed.connect(self._state.touch)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc stop the reply where nothing nearer to the person, an editor for one, has a use for it."""
        # A shortcut would take the key away from those who want it first.
        if current_keymap().matches(event, "composer.stop"):
            self.chat.stop()
        else:
            super().keyPressEvent(event)

    def close_window(self) -> None:
        """Close the window, as its close button does."""
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how everything stood, and stop what is being written."""
        self.places.look()
        self._state.flush()
        self.side.close_windows()
        self._session.stop_all()
        self.memories.upkeep.stop_all()
        self.summaries.work.stop_all()
        super().closeEvent(event)
