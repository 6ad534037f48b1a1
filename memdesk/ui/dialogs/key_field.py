"""The API key of a connection: entered, kept, replaced, removed, and never shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from memdesk.ui.dialogs.pieces import Field, Notice, column, plain_label, push_button, row


class KeyField(QWidget):
    """A password field, or the word that a key is kept with Replace and Remove.

    `change` is what saving has to do: None nothing, "" remove the key, else keep this one.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kept = False
        self._change: str | None = None
        self._place: Literal["keyring", "file"] | None = None
        self._entry = QLineEdit(self)
        self._entry.setEchoMode(QLineEdit.EchoMode.Password)
        self._entry.setPlaceholderText(self.tr("only if the server asks for one"))
        self._entry.textEdited.connect(self._typed)
        self.field = Field(self.tr("API key"), self._entry)
        self._state = plain_label("", parent=self)
        self._replace = push_button(self.tr("Replace key"), parent=self)
        self._replace.clicked.connect(self._begin)
        self._remove = push_button(self.tr("Remove key"), "danger", self)
        self._remove.clicked.connect(self._drop)
        self._undo = push_button(self.tr("Keep the present key"), "quiet", self)
        self._undo.clicked.connect(self._restore)
        self._held = QWidget(self)
        held = row(self._state, self._replace, self._remove)
        held.setStretch(0, 1)
        self._held.setLayout(
            column(plain_label(self.tr("API key"), wrap=False), self._held_line(held), spacing=4)
        )
        self._where = Notice("info")
        layout = column(self.field, self._held, parent=self, spacing=4)
        under = row(self._where, self._undo)
        under.setStretch(0, 1)
        layout.addLayout(under)
        self._show()

    @staticmethod
    def _held_line(layout: object) -> QWidget:
        holder = QWidget()
        holder.setLayout(layout)  # type: ignore[arg-type]
        return holder

    @property
    def change(self) -> str | None:
        """What saving has to do: None nothing, "" remove the key, else keep this one."""
        return self._change

    def set_key(self, change: str | None, *, kept: bool) -> None:
        """Show another connection's key: whether one is kept, and what was decided about it."""
        self._kept, self._change = kept, change
        self._entry.setText(change or "")
        self._show()

    def set_place(self, place: Literal["keyring", "file"]) -> None:
        """Say where a key would be kept."""
        self._place = place
        self._show()

    def source(self, stored: Callable[[], str | None]) -> Callable[[], str | None]:
        """Return how to get the key to use now, on a worker: what was typed, else what is `stored`."""
        change = self._change
        return stored if change is None else lambda: change or None

    def _typed(self, text: str) -> None:
        text = text.strip()
        self._change = text if text or self._kept else None
        self._show()
        self.edited.emit()

    def _begin(self) -> None:
        self._change = ""
        self._entry.clear()
        self._show()
        self._entry.setFocus()
        self.edited.emit()

    def _drop(self) -> None:
        self._begin()
        self._undo.setFocus()

    def _restore(self) -> None:
        self._change = None
        self._entry.clear()
        self._show()
        self._replace.setFocus()
        self.edited.emit()

    def _show(self) -> None:
        holding = self._kept and self._change is None
        self._held.setVisible(holding)
        self.field.setVisible(not holding)
        self._undo.setVisible(self._kept and self._change is not None)
        in_file = self._place == "file"
        state = self.tr("A key is kept.")
        self._state.setText(state)
        self._state.setAccessibleName(state)
        if self._kept and self._change == "":
            self._where.say(self.tr("The key will be removed when you save."), "wait")
        elif in_file and (holding or self._change):
            self._where.say(
                self.tr(
                    "No system keyring works here: the key is kept in a file in the data folder that only "
                    "your account can read, unencrypted."
                ),
                "wait",
            )
        elif in_file:
            self._where.say(
                self.tr("No system keyring works here: keys are kept in a file that only you can read."),
                "info",
            )
        elif self._place == "keyring":
            self._where.say(self.tr("Keys are kept in the system keyring."), "info")
        else:
            self._where.say("")
