"""The instructions that summaries are written by: those that come along, and the person's own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QSizePolicy, QWidget

from memdesk.memory.summaries.templates import NAME_CHARS, PROMPT_CHARS, Template
from memdesk.ui.dialogs.pieces import Field, Notice, TextBox, column, fit, plain_label, push_button, row
from memdesk.ui.errors import explain


class SummaryTemplatesDialog(QDialog):
    """Shows all templates, lets one be chosen for every chat, and the own ones be changed."""

    added = Signal(str, str)
    """Name and text of a new one"""
    saved = Signal(object)
    """A `Template` with another name or text"""
    deleted = Signal(str)
    chosen = Signal(str)
    undone = Signal()
    """Something was taken back: the list may be another one"""

    def __init__(self, templates: Sequence[Template], chosen: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._templates: list[Template] = []
        self._chosen = chosen
        self.setWindowTitle(self.tr("Templates for summaries"))
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Templates"))
        self._list.setMinimumWidth(190)
        self._list.setMaximumWidth(230)
        self._name = QLineEdit(self)
        self._name.setMaxLength(NAME_CHARS)
        self._name.setMinimumHeight(28)
        self._text = TextBox(14, self)
        self._text.setMinimumHeight(180)
        self._text.setMaximumHeight(4000)
        self._name_field = Field(self.tr("Name"), self._name)
        self._text_field = Field(
            self.tr("What the model is asked to do"),
            self._text,
            self.tr(
                "{{words}} is the length, {{char}} and {{user}} are the names in the chat. The messages "
                "follow by themselves. Asking for JSON with “title” and “summary” gives the entry a title; "
                "plain text works as well."
            ),
        )
        self._fixed = Notice("info")
        self._fixed.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._error = Notice("bad")
        self._use = push_button(self.tr("Use for all chats"), "", self)
        self._use.clicked.connect(lambda: self.chosen.emit(self.selected()))
        self._save = push_button(self.tr("Save"), "primary", self)
        self._save.clicked.connect(self._store)
        new = push_button(self.tr("New"), "quiet", self)
        new.clicked.connect(
            lambda: self.added.emit(self.tr("New template"), self._default().text if self._templates else "")
        )
        copy = push_button(self.tr("Duplicate"), "quiet", self)
        copy.clicked.connect(self._duplicate)
        self._delete = push_button(self.tr("Delete"), "quiet", self)
        self._delete.clicked.connect(lambda: self.deleted.emit(self.selected()))
        close = push_button(self.tr("Close"), parent=self)
        close.clicked.connect(self.reject)
        left = column(plain_label(self.tr("Templates"), "strong"), self._list, spacing=6)
        under = row(new, copy, self._delete, spacing=0)
        left.addLayout(under)
        right = column(self._fixed, self._name_field, self._text_field, self._error, spacing=8)
        right.setStretch(2, 1)
        both = row(spacing=16)
        both.addLayout(left)
        both.addLayout(right, 1)
        buttons = row(self._use)
        buttons.addStretch(1)
        buttons.addWidget(close)
        buttons.addWidget(self._save)
        for button in (self._use, self._save, new, copy, self._delete, close):
            # Enter belongs to the text that is being written.
            button.setAutoDefault(False)
        layout = column(parent=self)
        layout.addLayout(both, 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        self._list.currentRowChanged.connect(lambda _place: self._show())
        self._name.textChanged.connect(self._edited)
        self._text.textChanged.connect(self._edited)
        self.show_templates(templates, chosen, chosen)
        fit(self, 820, 560)

    def selected(self) -> str:
        """Return the id of the template on show."""
        item = self._list.currentItem()
        return str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""

    def show_templates(self, templates: Sequence[Template], chosen: str, select: str = "") -> None:
        """Show what there is now, and the template `select`, else the chosen one."""
        self._templates, self._chosen = list(templates), chosen
        self._list.blockSignals(True)
        self._list.clear()
        for template in self._templates:
            words = template.name
            if template.id == chosen:
                words = self.tr("{0} (in use)").format(words)
            item = QListWidgetItem(words, self._list)
            item.setData(Qt.ItemDataRole.UserRole, template.id)
        ids = [template.id for template in self._templates]
        wanted = select if select in ids else chosen
        self._list.setCurrentRow(ids.index(wanted) if wanted in ids else 0)
        self._list.blockSignals(False)
        self._show()

    def show_error(self, error: Exception) -> None:
        """Say why something was not stored."""
        self._error.say(explain(error))

    def heard_undo(self, _label: str) -> None:
        """Take note that something was taken back."""
        self.undone.emit()

    def _default(self) -> Template:
        return next((item for item in self._templates if item.id == self._chosen), self._templates[0])

    def _shown(self) -> Template | None:
        wanted = self.selected()
        return next((item for item in self._templates if item.id == wanted), None)

    def _show(self) -> None:
        template = self._shown()
        self._error.say("")
        if template is None:
            return
        for control in (self._name, self._text):
            control.setReadOnly(not template.own)
        self._name.setText(template.name)
        self._text.setPlainText(template.text)
        self._fixed.say(
            ""
            if template.own
            else self.tr("It comes with memdesk and stays as it is. Duplicate it to change it.")
        )
        self._delete.setEnabled(template.own)
        self._use.setEnabled(template.id != self._chosen)
        self._edited()

    def _edited(self) -> None:
        template = self._shown()
        text = self._text.text()
        number = self.locale().toString
        self._text_field.set_aside(
            self.tr("{0} of {1} characters").format(number(len(text)), number(PROMPT_CHARS))
        )
        changed = template is not None and (template.name, template.text) != (self._name.text(), text)
        whole = bool(self._name.text().strip() and text.strip()) and len(text) <= PROMPT_CHARS
        self._save.setEnabled(template is not None and template.own and changed and whole)

    def _duplicate(self) -> None:
        template = self._shown()
        if template is not None:
            name = self.tr("{0} (copy)").format(template.name)[:NAME_CHARS]
            self.added.emit(name, template.text)

    def _store(self) -> None:
        template = self._shown()
        if template is not None:
            self.saved.emit(Template(template.id, self._name.text(), self._text.text(), own=True))
