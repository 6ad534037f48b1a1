"""Another title for a chat, a name for a place in it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from memdesk.ui.dialogs.pieces import Field, column, fit, push_button, row


class _NameDialog(QDialog):
    """Asks for a name; it stays open, and says why, while the name is blank."""

    renamed = Signal(str)
    """The name, without white space around it"""

    def __init__(
        self, window: str, label: str, button: str, blank: str, title: str, parent: QWidget | None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(window)
        self._blank = blank
        self._title = QLineEdit(title, self)
        self._title.selectAll()
        self._title.textEdited.connect(self._check)
        self._field = Field(label, self._title)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        save = push_button(button, "primary", self)
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
            self._field.set_error(self._blank)
            self._title.setFocus()
            return
        self.renamed.emit(title)
        self.accept()


class RenameDialog(_NameDialog):
    """Asks for a title."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(
            self.tr("Rename chat"),
            self.tr("Title"),
            self.tr("Rename"),
            self.tr("A chat needs a title."),
            title,
            parent,
        )


class CheckpointDialog(_NameDialog):
    """Asks what a place in a chat is called."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(
            self.tr("Rename checkpoint") if name else self.tr("New checkpoint"),
            self.tr("Name"),
            self.tr("Rename") if name else self.tr("Save"),
            self.tr("A checkpoint needs a name."),
            name,
            parent,
        )
