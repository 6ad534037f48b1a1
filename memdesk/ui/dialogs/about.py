"""What memdesk is, and the licences of all it is built on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QSplitter, QWidget

from memdesk import __version__
from memdesk.licences import BuiltOn, built_on
from memdesk.ui.dialogs.pieces import column, fit, plain_label, push_button, row
from memdesk.ui.dialogs.rows import DATA, RowList
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.widgets.plain_text import PlainTextEdit

if TYPE_CHECKING:
    from memdesk.ui.background import Background


class AboutDialog(QDialog):
    """A few words; the licences are read when they are asked for."""

    def __init__(self, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self.setWindowTitle(self.tr("About memdesk"))
        words = plain_label(
            self.tr(
                "Roleplay chat with long-term memory that you can see, edit, freeze, explain and carry "
                "away.\n\nFree software under the GNU AGPL, version 3 or later."
            ),
            parent=self,
        )
        self._list = RowList(self.tr("Built on"), self)
        self._text = PlainTextEdit(self)
        self._text.setReadOnly(True)
        self._text.setTabChangesFocus(True)
        self._text.setAccessibleName(self.tr("Licence text"))
        self._list.currentItemChanged.connect(
            lambda item, _before: self._show(item.data(DATA) if item else None)
        )
        self._parts = QSplitter(Qt.Orientation.Horizontal, self)
        self._parts.addWidget(self._list)
        self._parts.addWidget(self._text)
        self._parts.setSizes([220, 420])
        self._parts.hide()
        self._open = push_button(self.tr("Licences of what it is built on"), "", self)
        self._open.setAutoDefault(False)
        self._open.clicked.connect(self._read)
        close = push_button(self.tr("Close"), "primary", self)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        buttons = row(self._open)
        buttons.addStretch(1)
        buttons.addWidget(close)
        layout = column(
            plain_label(f"memdesk {__version__}", "title", self, wrap=False), words, self._parts, parent=self
        )
        layout.setStretch(2, 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(20, 20, 20, 16)
        fit(self, 460, 220)

    def _read(self) -> None:
        self._open.setEnabled(False)
        self._background.read(built_on, self._fill, failed=self._refuse, owner=self)

    def _fill(self, parts: list[BuiltOn]) -> None:
        for part in parts:
            self._list.add(f"{part.name} {part.version}".strip(), part.licence, part)
        self._open.hide()
        self._parts.show()
        fit(self, 720, 560)
        self._list.setCurrentRow(0)
        self._list.setFocus()

    def _refuse(self, error: Exception) -> None:
        self._open.setEnabled(True)
        self._parts.show()
        self._text.setPlainText(failure_words(error))

    def _show(self, part: BuiltOn | None) -> None:
        if part is not None:
            nothing = self.tr("No licence text came with it; it says: {licence}").format(licence=part.licence)
            self._text.setPlainText(part.text or nothing)
