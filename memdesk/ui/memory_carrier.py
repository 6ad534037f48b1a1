"""Memories leave and enter the open chat as files; the dialogs are loaded when they open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDialog, QWidget

if TYPE_CHECKING:
    from memdesk.memory_files import ExportResult, ImportResult
    from memdesk.ui.panels.chat_panel import ChatPanel
    from memdesk.ui.panels.memories_panel import MemoriesPanel
    from memdesk.ui.session import Session
    from memdesk.ui.widgets.toast import Toast
    from memdesk.work.undo import Undo


class MemoryCarrier(QObject):
    """Opens the dialogs of export and import for the chat that is shown, and says what came of them."""

    def __init__(
        self, session: Session, chat: ChatPanel, memories: MemoriesPanel, toast: Toast, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._chat = chat
        self._toast = toast
        self._window = parent
        memories.tools.exportRequested.connect(self.export_memories)
        memories.tools.importRequested.connect(self.import_memories)

    def export_memories(self) -> None:
        """Ask how and where, and write the memories of the chat."""
        from memdesk.ui.dialogs.memory_import import MemoryExportDialog  # noqa: PLC0415 — loaded when it opens

        chat_id = self._chat.chat_id
        if chat_id is None:
            return
        dialog = MemoryExportDialog(self._session.workspace, self._session.background, chat_id, self._window)
        dialog.exported.connect(self._say_exported)
        dialog.jobs = self._session.jobs
        self._open(dialog)

    def import_memories(self) -> None:
        """Ask for a file, and show what it would add."""
        from memdesk.ui.dialogs.memory_import import ask_file  # noqa: PLC0415 — loaded when it opens

        if self._chat.chat_id is not None:
            ask_file(self._window, self.open_file)

    def open_file(self, path: Path) -> QDialog | None:
        """Show what a file would add to the chat; None where no chat is open."""
        from memdesk.ui.dialogs.memory_import import MemoryImportDialog  # noqa: PLC0415 — loaded when it opens

        chat_id = self._chat.chat_id
        if chat_id is None:
            return None
        dialog = MemoryImportDialog(
            self._session.workspace, self._session.background, path, chat_id, self._window
        )
        dialog.imported.connect(self._imported)
        dialog.jobs = self._session.jobs
        self._open(dialog)
        return dialog

    @staticmethod
    def _open(dialog: QDialog) -> None:
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _say_exported(self, result: ExportResult) -> None:
        words = self.tr("Exported %n memory(s): {file}", "", result.memories)
        words = words.replace("{file}", result.path.name)
        if result.vectors_left_out:
            words += "\n" + self.tr("The vectors were left out: the file would be too large with them.")
        self._toast.say(words)

    def _imported(self, result: ImportResult, undo: Undo | None) -> None:
        if undo is None:
            self._toast.say(self.tr("No new recall memories were imported."))
            return
        # Through the session, so that Ctrl+Z knows of it too.
        self._session.act(lambda: undo, lambda done: self._offer(result, done))

    def _offer(self, result: ImportResult, undo: Undo) -> None:
        words = self.tr("Imported %n memory chunk(s).", "", result.imported)
        self._toast.say(words, self.tr("Undo"), lambda: self._session.undo(undo))
