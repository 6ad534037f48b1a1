"""The text of one memory, beside what it was made from: edit it, compare, go back to the original."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QSizePolicy, QWidget

from memdesk.memory.recall.acts import SourceState
from memdesk.ui.dialogs.pieces import Field, Notice, TextBox, column, fit, plain_label, push_button, row
from memdesk.ui.dialogs.unsaved import AskingDialog
from memdesk.ui.widgets.diff_box import DiffBox


class MemoryEditor(AskingDialog):
    """Edits the text of a memory, or writes a note. Ctrl+Enter saves."""

    saved = Signal(str)
    """The text as it is to be stored"""

    def __init__(
        self,
        text: str,
        original: str | None,
        source: SourceState | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """Open with `text`; without an `original` it is a note that is new."""
        super().__init__(parent)
        self._original = original
        note = original is None
        self.setWindowTitle(self.tr("Add a note") if note else self.tr("Edit memory"))
        self._text = TextBox(8, self)
        self._text.setPlainText(text)
        hint = (
            self.tr("Remembered like what was said, though no message says it.")
            if note
            else self.tr("Embedded again when it is saved. The original is kept.")
        )
        self._field = Field(self.tr("Note") if note else self.tr("Text of the memory"), self._text, hint)
        self._source = Notice("wait", self._source_words(source))
        self._changes = DiffBox(6, self)
        self._changes.setAccessibleName(self.tr("Changes from the original"))
        self._changes_title = plain_label(self.tr("Changes from the original"), wrap=False)
        self._below = QWidget(self)
        column(self._changes_title, self._changes, spacing=4, parent=self._below)
        self._below.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._revert = push_button(self.tr("Back to the original"), "quiet", self)
        self._revert.clicked.connect(lambda: self._text.setPlainText(self._original or ""))
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        self._save = push_button(self.tr("Add note") if note else self.tr("Save"), "primary", self)
        self._save.setDefault(True)
        self._save.clicked.connect(self._accept)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._accept)
        buttons = row(self._revert)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._save)
        layout = column(self._source, self._field, self._below, parent=self)
        layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        self._text.textChanged.connect(self._show)
        self._show()
        self._text.moveCursor(QTextCursor.MoveOperation.End)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        fit(self, 540, 300 if note else 420)
        self.opened()

    def _source_words(self, source: SourceState | None) -> str:
        if source is SourceState.CHANGED:
            return self.tr("Its message says something else by now. The memory was kept as it is.")
        if source is SourceState.GONE:
            return self.tr("Its message is not in the chat any more. The memory was kept.")
        return ""

    def _show(self) -> None:
        text = self._text.text().strip()
        self._save.setEnabled(bool(text))
        changed = self._original is not None and text != self._original.strip()
        self._below.setVisible(changed)
        self._revert.setVisible(changed)
        if changed and self._original is not None:
            self._mark(self._original, text)

    def _mark(self, before: str, after: str) -> None:
        """Show what changed; of texts that are too long to be compared, the original."""
        if self._changes.compare(before, after):
            self._changes_title.setText(self.tr("Changes from the original"))
        else:
            self._changes.setPlainText(before)
            self._changes_title.setText(self.tr("The original"))

    def form_state(self) -> object:
        return self._text.text().strip()

    def save_form(self) -> None:
        self._accept()

    def _accept(self) -> None:
        text = self._text.text().strip()
        if text:
            self.saved.emit(text)
            self.accept()
