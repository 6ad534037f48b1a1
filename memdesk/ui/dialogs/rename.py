"""Another title for a chat."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from memdesk.ui.dialogs.pieces import Field, column, fit, push_button, row


class RenameDialog(QDialog):
    """Asks for a title; it stays open, and says why, while the title is blank."""

    renamed = Signal(str)
    """The title, without white space around it"""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Rename chat"))
        self._title = QLineEdit(title, self)
        self._title.selectAll()
        self._title.textEdited.connect(self._check)
        self._field = Field(self.tr("Title"), self._title)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        save = push_button(self.tr("Rename"), "primary", self)
        save.setDefault(True)
        save.clicked.connect(self._accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(save)
        layout = column(self._field, parent=self)
        layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        fit(self, 420, 140)

    def _check(self) -> None:
        if self._title.text().strip():
            self._field.set_error("")

    def _accept(self) -> None:
        title = self._title.text().strip()
        if not title:
            self._field.set_error(self.tr("A chat needs a title."))
            self._title.setFocus()
            return
        self.renamed.emit(title)
        self.accept()
