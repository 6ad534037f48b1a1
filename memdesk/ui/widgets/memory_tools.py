"""What can be done with the memories of a chat as a whole: add a note, export, import, rebuild."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from memdesk.ui.dialogs.pieces import tool_button


class MemoryTools(QWidget):
    """Four tool buttons; nothing can be exported where there is nothing."""

    noteRequested = Signal()
    exportRequested = Signal()
    importRequested = Signal()
    rebuildRequested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        note = tool_button("plus", self.tr("Add a note"), self)
        note.setToolTip(self.tr("Add a memory that no message says."))
        note.clicked.connect(self.noteRequested)
        self._export = tool_button("export", self.tr("Export memories"), self)
        self._export.setToolTip(self.tr("Export the memories of this chat into a file."))
        self._export.clicked.connect(self.exportRequested)
        take = tool_button("import", self.tr("Import memories"), self)
        take.setToolTip(self.tr("Add memories from a file; it is shown first what would be added."))
        take.clicked.connect(self.importRequested)
        rebuild = tool_button("rebuild", self.tr("Rebuild memories"), self)
        rebuild.setToolTip(
            self.tr("Compare every message with its memories again and bring the index in step.")
        )
        rebuild.clicked.connect(self.rebuildRequested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for button in (note, self._export, take, rebuild):
            layout.addWidget(button)

    def set_count(self, count: int) -> None:
        """Say how many memories there are."""
        self._export.setEnabled(count > 0)
