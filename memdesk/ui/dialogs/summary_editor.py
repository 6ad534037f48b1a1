"""A summary on a page of its own: written by hand, combined from several, or approved."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor
from PySide6.QtWidgets import QCheckBox, QLineEdit, QSizePolicy, QWidget

from memdesk.memory.summaries.acts import TITLE
from memdesk.ui.dialogs.number_edit import NumberEdit
from memdesk.ui.dialogs.pieces import Field, TextBox, column, fit, plain_label, push_button, row
from memdesk.ui.dialogs.unsaved import AskingDialog
from memdesk.ui.widgets.diff_box import DiffBox

PAUSE_MS = 150


class SummaryEditor(AskingDialog):
    """Asks for title and text. Ctrl+Enter saves."""

    saved = Signal(str, str, int, int)
    """Title, text, and the first and last message that it covers, 0 for none"""
    modelRequested = Signal()
    """A model is to write it instead"""

    def __init__(
        self,
        heading: str,
        *,
        title: str = "",
        text: str = "",
        hint: str = "",
        messages: int = 0,
        before: str = "",
        compared: str = "",
        model: str = "",
        save: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """Open; with `messages` it can cover some of so many, with `before` changes from it are shown."""
        super().__init__(parent)
        self.setWindowTitle(heading)
        self._before = before
        self._title = QLineEdit(title, self)
        self._title.setMaxLength(TITLE)
        self._title.setMinimumHeight(28)
        self._text = TextBox(10, self)
        self._text.setPlainText(text)
        self._text.setMinimumHeight(160)
        self._text.setMaximumHeight(2000)
        self._covers = QCheckBox(self.tr("It covers messages"), self)
        self._covers.setAccessibleName(self._covers.text())
        self._covers.setToolTip(
            self.tr("A summary that covers messages says when they change, and can hide them.")
        )
        self._first, self._last = self._number(messages), self._number(messages)
        self._first.setAccessibleName(self.tr("First covered message"))
        self._last.setAccessibleName(self.tr("Last covered message"))
        self._first.set_value(1)
        self._last.set_value(messages)
        self._covers.toggled.connect(self._first.setEnabled)
        self._covers.toggled.connect(self._last.setEnabled)
        self._first.setEnabled(False)
        self._last.setEnabled(False)
        span = QWidget(self)
        line = row(self._covers, self._first, plain_label("–", wrap=False), self._last)
        line.addStretch(1)
        span.setLayout(line)
        span.setVisible(messages > 0)
        self._diff = DiffBox(6, self)
        self._diff.setAccessibleName(compared)
        below = QWidget(self)
        column(plain_label(compared, "small"), self._diff, spacing=4, parent=below)
        below.setVisible(bool(before))
        self._model = push_button(model, "quiet", self)
        self._model.setVisible(bool(model))
        self._model.clicked.connect(self._ask_model)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        self._save = push_button(save or self.tr("Save"), "primary", self)
        self._save.setDefault(True)
        self._save.clicked.connect(self._accept)
        for keys in ("Ctrl+Return", "Ctrl+Enter"):
            QShortcut(QKeySequence(keys), self, self._accept)
        buttons = row(self._model)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._save)
        body = Field(self.tr("Text of the summary"), self._text, hint)
        body.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        layout = column(Field(self.tr("Title"), self._title), body, span, below, parent=self)
        layout.setStretchFactor(body, 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        # Comparing long texts takes a moment: not with every key.
        self._soon = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._soon.timeout.connect(self._compare)
        self._text.textChanged.connect(self._show)
        self._show()
        self._text.moveCursor(QTextCursor.MoveOperation.End)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)
        fit(self, 560, 560 if before else 460)
        self.opened()

    @staticmethod
    def _number(most: int) -> NumberEdit:
        field = NumberEdit(max(1, most))
        field.setMinimumHeight(28)
        field.setMaximumWidth(80)
        return field

    def _show(self) -> None:
        text = self._text.text().strip()
        self._save.setEnabled(bool(text))
        if self._before:
            self._soon.start()

    def _compare(self) -> None:
        self._diff.compare(self._before, self._text.text().strip())

    def _ask_model(self) -> None:
        self.modelRequested.emit()
        self.discard()

    def form_state(self) -> object:
        covers = (self._first.value(), self._last.value()) if self._covers.isChecked() else None
        return self._title.text(), self._text.text().strip(), covers

    def save_form(self) -> None:
        self._accept()

    def _accept(self) -> None:
        text = self._text.text().strip()
        if not text:
            return
        covers = self._covers.isChecked()
        first, last = (max(1, self._first.value()), max(1, self._last.value())) if covers else (0, 0)
        self.saved.emit(self._title.text(), text, first, last)
        self.accept()
