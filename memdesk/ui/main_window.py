"""The main window: chats on the left, the chat in the middle, memory on the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, Qt, QTimer
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFrame,
    QMainWindow,
    QMenu,
    QMessageBox,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk import __version__
from memdesk.chats.changes import ChangeKind
from memdesk.chats.model import Character, Chat, Message, Persona
from memdesk.library import Undo
from memdesk.prompt.receipt import Receipt
from memdesk.store.errors import StoreError
from memdesk.ui.bidi import isolated
from memdesk.ui.errors import explain
from memdesk.ui.folding import Folding
from memdesk.ui.memory_carrier import MemoryCarrier
from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.panels.library_panel import LibraryPanel
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.panels.prompt_panel import PromptPanel
from memdesk.ui.panels.side_panel import SidePanel
from memdesk.ui.pictures import Pictures
from memdesk.ui.sentences import said
from memdesk.ui.session import Session
from memdesk.ui.status_bar import StatusBar
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.toast import Toast

# Dialogs are imported where they open: the first window does not wait for what it does not show.

CARD_FILTER = "*.png *.json"


class MainWindow(QMainWindow):
    """Wires the panels to each other and to the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._workspace = session.workspace
        self._state = QSettings(str(self._workspace.data_dir / "window.ini"), QSettings.Format.IniFormat)
        self._wanted_chat: int | None = None
        self._left_chat: int | None = None
        self._started = False
        self.pictures = Pictures(self._workspace, session.background, self)
        self.library = LibraryPanel(session, self.pictures, self)
        self.chat = ChatPanel(session, self.pictures, self)
        self.memories = MemoriesPanel(session, self)
        self.prompt = PromptPanel(session, self)
        self.side = SidePanel(self)
        self.side.add("memories", self.tr("Memories"), self.memories)
        self.side.add("prompt", self.tr("Prompt"), self.prompt)
        self.status = StatusBar(session, self)
        self.folding = Folding(self, self.library, self.side)
        self._lay_out()
        self.toast = Toast(self, self.chat.view)
        self.chat.drafts.open(self._state)
        self.carrier = MemoryCarrier(session, self.chat, self.memories, self.toast, self)
        self._make_actions()
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

    def _action(self, text: str, run: Callable[[], None], keys: str = "") -> QAction:
        action = QAction(text, self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda _checked: run())
        self.addAction(action)
        return action

    def _make_actions(self) -> None:
        self._undo_action = self._action(self.tr("Undo"), self._session.undo, "Ctrl+Z")
        self._undo_action.setEnabled(False)
        menu = QMenu(self)
        for item in (
            self._action(self.tr("New character…"), self.new_character, "Ctrl+Shift+N"),
            self._action(self.tr("Import character cards…"), self.import_cards, "Ctrl+I"),
            None,
            self._action(self.tr("Connections…"), self.open_connections, "Ctrl+L"),
            self._action(self.tr("Find a model on this computer…"), self.open_wizard),
            None,
            self._undo_action,
            self._action(self.tr("Trash…"), self.open_trash),
            self._action(self.tr("Preferences…"), self.open_preferences, "Ctrl+,"),
            self._action(self.tr("About memdesk"), self.about),
            None,
            self._action(self.tr("Quit"), self.close_window, "Ctrl+Q"),
        ):
            if item is None:
                menu.addSeparator()
            else:
                menu.addAction(item)
        self.library.more_button.setMenu(menu)
        self._action(self.tr("Search"), self.library.search.setFocus, "Ctrl+Shift+F")
        self._action(self.tr("Regenerate"), self.chat.regenerate_last, "Ctrl+R")
        self._action(self.tr("Memories"), lambda: self._show_side("memories"), "Ctrl+1")
        self._action(self.tr("Prompt"), lambda: self._show_side("prompt"), "Ctrl+2")

    def _connect(self) -> None:
        session, library, chat = self._session, self.library, self.chat
        library.chatChosen.connect(self.open_chat)
        library.newChatRequested.connect(self.new_chat)
        library.newCharacterRequested.connect(self.new_character)
        library.editCharacterRequested.connect(self.edit_character)
        library.importRequested.connect(self.import_cards)
        library.renameChatRequested.connect(self.rename_chat)
        library.deleteChatRequested.connect(self.delete_chat)
        library.deleteCharacterRequested.connect(
            lambda item: session.delete_character(item, self._offer_undo)
        )
        library.loaded.connect(self._lists_loaded)
        chat.receiptRequested.connect(self._show_receipt)
        chat.replySelected.connect(self._reply_selected)
        chat.previewChanged.connect(self.status.show_receipt)
        chat.menuRequested.connect(self._chat_menu)
        chat.deleted.connect(self._offer_undo)
        self.memories.jumpRequested.connect(chat.jump_to_message)
        self.memories.rebuildRequested.connect(self.rebuild_memories)
        self.memories.deeds.forgotten.connect(self._offer_undo)
        self.memories.rerunRequested.connect(chat.regenerate)
        self.prompt.jumpRequested.connect(chat.jump_to_message)
        self.prompt.chunkRequested.connect(self._show_chunk)
        self.prompt.receiptShown.connect(self._receipt_shown)
        self.status.connectionRequested.connect(self.open_connections)
        session.failed.connect(lambda error: self.toast.say(explain(error), error=True))
        session.messagesChanged.connect(self._chat_changed)
        session.undoChanged.connect(lambda label: self._undo_action.setEnabled(bool(label)))
        session.undone.connect(lambda _label: self.toast.say(self.tr("Undone.")))
        session.replyEnded.connect(self._reply_ended)
        session.settingsChanged.connect(self._apply_settings)

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
        chat_id = chat.id if chat else None
        self.memories.setChat(chat_id)
        self.prompt.setChat(chat_id)
        self.library.chat_list.select(chat_id)
        self.status.show_receipt(None)
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
            last = str(self._state.value("chat", ""))
            first = next((chat for chat in chats.values() if str(chat.id) == last), None)
            first = first or next(iter(chats.values()), None)
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

    def rename_chat(self, chat_id: int) -> None:
        """Ask for another title."""
        chat = next((item for item in self.library.chats if item.id == chat_id), None)
        if chat is None:
            return
        from memdesk.ui.dialogs.rename import RenameDialog  # noqa: PLC0415 — see above

        dialog = RenameDialog(chat.title, self)
        dialog.renamed.connect(lambda title: self._session.rename_chat(chat_id, title))
        self._open(dialog)

    def delete_chat(self, chat_id: int) -> None:
        """Put a chat into the trash."""
        self._session.stop(chat_id)
        self._session.delete_chat(chat_id, self._offer_undo)

    def _offer_undo(self, undo: Undo) -> None:
        text = self.tr("Moved to the trash: %1").replace("%1", isolated(undo.label))
        self.toast.say(text, self.tr("Undo"), lambda: self._session.undo(undo))

    def _chat_menu(self, button: QToolButton) -> None:
        chat = self.chat.chat
        if chat is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Rename…"), lambda: self.rename_chat(chat.id))
        if chat.character_ids:
            first = chat.character_ids[0]
            menu.addAction(self.tr("Edit character…"), lambda: self.edit_character(first))
            menu.addAction(self.tr("New chat with this character"), lambda: self.new_chat(first))
        menu.addAction(self.tr("Regenerate the last reply"), self.chat.regenerate_last)
        self.carrier.add_to(menu)
        menu.addSeparator()
        menu.addAction(self.tr("Delete chat"), lambda: self.delete_chat(chat.id))
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def rebuild_memories(self) -> None:
        """Make the memories of the chat anew from its messages."""
        chat_id = self.chat.chat_id
        if chat_id is not None:
            self._session.background.write(lambda: self._workspace.sync.rebuild_chat(chat_id), owner=self)

    # ── memory and prompt ────────────────────────────────────────────────────────────────────────────

    def _show_side(self, key: str) -> None:
        self.folding.show(self.side)
        self.side.show_panel(key)

    def _show_receipt(self, message: Message) -> None:
        self._show_side("prompt")
        self.prompt.showReply(message.id, message.swipe.id, message.number)

    def _reply_selected(self, message: Message) -> None:
        self.prompt.showReply(message.id, message.swipe.id, message.number)

    def _reply_ended(self, chat_id: int, _message_id: int, message: Message | None, _generation: int) -> None:
        if chat_id == self.chat.chat_id and message is not None and message.swipe.has_receipt:
            self._reply_selected(message)

    def _receipt_shown(self, receipt: Receipt | None) -> None:
        self.memories.setReceipt(receipt, self.prompt.shown_reply())

    def _show_chunk(self, chunk_id: int) -> None:
        self._show_side("memories")
        self.memories.showChunk(chunk_id)

    # ── characters ───────────────────────────────────────────────────────────────────────────────────

    def new_character(self) -> None:
        """Open an empty character editor."""
        from memdesk.ui.dialogs.character_editor import CharacterEditorDialog  # noqa: PLC0415 — see above

        dialog = CharacterEditorDialog(self._workspace, self._session.background, self)
        dialog.saved.connect(lambda _id: self.library.show_page(1))
        self._open(dialog)

    def edit_character(self, character_id: int) -> None:
        """Open a character's editor."""
        from memdesk.ui.dialogs.character_editor import CharacterEditorDialog  # noqa: PLC0415 — see above

        def show(character: Character) -> None:
            self._open(
                CharacterEditorDialog(self._workspace, self._session.background, self, character=character)
            )

        self._session.background.read(lambda: self._workspace.characters.get(character_id), show, owner=self)

    def import_cards(self) -> None:
        """Ask for card files and import them."""
        dialog = QFileDialog(self, self.tr("Import character cards"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("Character cards") + f" ({CARD_FILTER})")
        dialog.filesSelected.connect(lambda names: self.import_files([Path(name) for name in names]))
        self._open(dialog)

    def import_files(self, paths: list[Path]) -> None:
        """Import card files one by one; a bad one is named, the others go in."""
        from memdesk.ui.dialogs.import_words import tell  # noqa: PLC0415 — see above

        library = self._workspace.library

        def work() -> tuple[Chat | None, list[str]]:
            chat, words = None, []
            for path in paths:
                try:
                    character, warnings = library.import_card(path)
                    chat = library.new_chat(character.id)
                    words += [f"{character.name}: {said(warning)}" for warning in warnings]
                except Exception as error:  # noqa: BLE001 — told to the person, with the file's name
                    words.append(explain(error))
            return chat, words

        def show(result: tuple[Chat | None, list[str]]) -> None:
            chat, words = result
            if chat is not None:
                self._open_new(chat)
            tell(self.toast, words)

        self._session.background.write(work, show, owner=self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Welcome files."""
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Import the files that were dropped."""
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        event.acceptProposedAction()
        self.import_files(self.carrier.take(paths))

    # ── dialogs ──────────────────────────────────────────────────────────────────────────────────────

    def _open(self, dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def open_connections(self) -> None:
        """Choose and edit connections."""
        from memdesk.ui.dialogs.connections import ConnectionsDialog  # noqa: PLC0415 — see above

        dialog = ConnectionsDialog(self._workspace, self._session.background, self)
        dialog.connectionChanged.connect(lambda _id: self._session.settingsChanged.emit())
        self._open(dialog)

    def open_wizard(self) -> None:
        """Look for a model on this computer."""
        from memdesk.ui.dialogs.wizard import FindModelDialog  # noqa: PLC0415 — see above

        dialog = FindModelDialog(self._workspace, self._session.background, self)
        dialog.profileCreated.connect(lambda _profile: self._session.settingsChanged.emit())
        self._open(dialog)

    def open_trash(self) -> None:
        """Show what can be restored."""
        from memdesk.ui.dialogs.trash import TrashDialog  # noqa: PLC0415 — see above

        self._open(TrashDialog(self._workspace, self._session.background, self))

    def open_preferences(self) -> None:
        """Change how memdesk looks and behaves."""
        from memdesk.ui.dialogs.preferences import PreferencesDialog  # noqa: PLC0415 — see above

        dialog = PreferencesDialog(self._workspace, self._session.background, self)
        dialog.settingsChanged.connect(self._session.settingsChanged)
        dialog.personaChanged.connect(self._session.settingsChanged)
        self._open(dialog)

    def about(self) -> None:
        """Say what this is."""
        box = QMessageBox(self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("About memdesk"))
        box.setText(f"memdesk {__version__}")
        box.setInformativeText(
            self.tr(
                "Roleplay chat with long-term memory that you can see, edit, freeze and explain.\n\n"
                "Free software under the GNU AGPL, version 3 or later."
            )
        )
        self._open(box)

    def _apply_settings(self) -> None:
        settings = self._workspace.settings
        current_theme().setMode(settings.theme)
        self.chat.composer.setEnterSends(settings.enter_sends)
        self._show_persona()

    # ── the window itself ────────────────────────────────────────────────────────────────────────────

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fold the sides away where there is no room for them."""
        super().resizeEvent(event)
        self.folding.resized(event.oldSize().width(), event.size().width())

    def _restore_window(self) -> None:
        geometry = self._state.value("geometry")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        sizes = self._state.value("splitter")
        if isinstance(sizes, QByteArray):
            self.splitter.restoreState(sizes)
        self.folding.restore(self._state)
        QTimer.singleShot(0, self, lambda: self.side.restore(self._state))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Esc stop the reply where nothing nearer to the person, an editor for one, has a use for it."""
        # A shortcut would take the key away from those who want it first.
        if event.key() == Qt.Key.Key_Escape:
            self.chat.stop()
        else:
            super().keyPressEvent(event)

    def close_window(self) -> None:
        """Close the window, as its close button does."""
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how everything stood, and stop what is being written."""
        self._state.setValue("geometry", self.saveGeometry())
        self._state.setValue("splitter", self.splitter.saveState())
        self._state.setValue("chat", self.chat.chat_id or 0)
        self.chat.drafts.write()
        self.folding.save(self._state)
        self.side.save(self._state)
        self._state.sync()
        self.side.close_windows()
        self._session.stop_all()
        super().closeEvent(event)
