"""What opens a dialog or a file: loaded where it opens, so that the first window does not wait for it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

from memdesk.chats.model import Character, Chat
from memdesk.ui.actions import Actions
from memdesk.ui.imports import FILTER, Imports
from memdesk.ui.session import Session
from memdesk.ui.widgets.toast import Toast


class Openers(QObject):
    """Opens the dialogs of the main window and takes their results where they belong."""

    chatMade = Signal(object)
    """`Chat` that is to be opened"""
    characterSaved = Signal()
    restartRequested = Signal()
    personasRequested = Signal()

    def __init__(self, session: Session, toast: Toast, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._workspace = session.workspace
        self._toast = toast
        self._window = window
        self.imports = Imports(session, toast, window, self.open, self.chatMade.emit)

    def open(self, dialog: QDialog) -> None:
        """Open a dialog before the window; it is gone when it is closed."""
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    # ── chats and characters ─────────────────────────────────────────────────────────────────────────

    def rename_chat(self, chat_id: int) -> None:
        """Ask for another title."""

        def show(chat: Chat) -> None:
            from memdesk.ui.dialogs.rename import RenameDialog  # noqa: PLC0415 — see above

            dialog = RenameDialog(chat.title, self._window)
            dialog.renamed.connect(lambda title: self._session.rename_chat(chat_id, title))
            self.open(dialog)

        self._session.background.read(lambda: self._workspace.chats.get(chat_id), show, owner=self)

    def new_character(self) -> None:
        """Open an empty character editor."""
        from memdesk.ui.dialogs.character_editor import CharacterEditorDialog  # noqa: PLC0415 — see above

        dialog = CharacterEditorDialog(self._workspace, self._session.background, self._window)
        dialog.saved.connect(lambda _id: self.characterSaved.emit())
        self.open(dialog)

    def edit_character(self, character_id: int) -> None:
        """Open a character's editor."""
        from memdesk.ui.dialogs.character_editor import CharacterEditorDialog  # noqa: PLC0415 — see above

        def show(character: Character) -> None:
            dialog = CharacterEditorDialog(
                self._workspace, self._session.background, self._window, character=character
            )
            dialog.changed.connect(self._session.remember)
            self.open(dialog)

        self._session.background.read(lambda: self._workspace.characters.get(character_id), show, owner=self)

    def choose_files(self) -> None:
        """Ask for files of any kind and import them."""
        dialog = QFileDialog(self._window, self.tr("Import files"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        known = self.tr("Characters, personas, presets, memories")
        dialog.setNameFilters([f"{known} ({FILTER})", self.tr("All files") + " (*)"])
        dialog.filesSelected.connect(lambda names: self.imports.take([Path(name) for name in names]))
        self.open(dialog)

    def open_chat_settings(self, chat_id: int) -> None:
        """Choose what one chat has of its own."""
        from memdesk.ui.dialogs.chat_settings import ChatFacts, ChatSettingsDialog, chat_facts  # noqa: PLC0415

        def show(facts: ChatFacts) -> None:
            self.open(ChatSettingsDialog(self._session, facts, self._window))

        self._session.background.read(lambda: chat_facts(self._session, chat_id), show, owner=self)

    def open_presets(self) -> None:
        """Edit presets, and choose the one for all chats."""
        from memdesk.ui.dialogs.presets import PresetsDialog  # noqa: PLC0415 — see above

        self.open(PresetsDialog(self._session, self._window))

    def open_macros(self, chat_id: int | None) -> None:
        """Show the macros and what they give now."""
        from memdesk.ui.dialogs.macros import MacrosDialog  # noqa: PLC0415 — see above

        self.open(MacrosDialog(self._session, chat_id, self._window))

    # ── the whole app ────────────────────────────────────────────────────────────────────────────────

    def open_connections(self) -> None:
        """Choose and edit connections."""
        from memdesk.ui.dialogs.connections import ConnectionsDialog  # noqa: PLC0415 — see above

        dialog = ConnectionsDialog(self._workspace, self._session.background, self._window)
        dialog.connectionChanged.connect(lambda _id: self._session.settingsChanged.emit())
        self.open(dialog)

    def open_wizard(self) -> None:
        """Look for a model on this computer."""
        from memdesk.ui.dialogs.wizard import FindModelDialog  # noqa: PLC0415 — see above

        dialog = FindModelDialog(self._workspace, self._session.background, self._window)
        dialog.profileCreated.connect(lambda _profile: self._session.settingsChanged.emit())
        self.open(dialog)

    def open_trash(self) -> None:
        """Show what can be restored."""
        from memdesk.ui.dialogs.trash import TrashDialog  # noqa: PLC0415 — see above

        self.open(TrashDialog(self._workspace, self._session.background, self._window))

    def open_preferences(self) -> None:
        """Change how memdesk looks and behaves."""
        from memdesk.ui.dialogs.preferences import PreferencesDialog  # noqa: PLC0415 — see above

        dialog = PreferencesDialog(self._workspace, self._session.background, self._window)
        dialog.settingsChanged.connect(self._session.settingsChanged)
        dialog.personaChanged.connect(self._session.settingsChanged)
        dialog.personasRequested.connect(self.personasRequested)
        dialog.restartRequested.connect(self.restartRequested)
        self.open(dialog)

    def open_shortcuts(self, actions: Actions) -> None:
        """Show all keys, and let them be changed."""
        from memdesk.ui.dialogs.shortcuts import ShortcutsDialog  # noqa: PLC0415 — see above

        dialog = ShortcutsDialog(self._workspace, self._session.background, actions, self._window)
        dialog.settingsChanged.connect(self._session.settingsChanged)
        self.open(dialog)

    def about(self) -> None:
        """Say what this is, and what it is built on."""
        from memdesk.ui.dialogs.about import AboutDialog  # noqa: PLC0415 — see above

        self.open(AboutDialog(self._session.background, self._window))
