"""What can be done with the memories of a chat as a whole: from a note to clearing them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from memdesk.ui.dialogs.pieces import tool_button


class MemoryTools(QWidget):
    """Tool buttons; nothing can be exported or cleared where there is nothing."""

    noteRequested = Signal()
    exportRequested = Signal()
    importRequested = Signal()
    rebuildRequested = Signal()
    clearRequested = Signal()
    settingsRequested = Signal()

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
            self.tr("Make memories anew from the messages as they are now. What you froze or edited stays.")
        )
        rebuild.clicked.connect(self.rebuildRequested)
        self._clear = tool_button("clear", self.tr("Clear memories"), self)
        self._clear.setToolTip(self.tr("Put all memories of this chat into the trash; its messages stay."))
        self._clear.clicked.connect(self.clearRequested)
        settings = tool_button("settings", self.tr("Recall settings"), self)
        settings.setToolTip(self.tr("What a memory is in this chat, how it is found and where it is sent."))
        settings.clicked.connect(self.settingsRequested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for button in (note, self._export, take, rebuild, self._clear, settings):
            layout.addWidget(button)

    def set_count(self, count: int) -> None:
        """Say how many memories there are."""
        self._export.setEnabled(count > 0)
        self._clear.setEnabled(count > 0)
