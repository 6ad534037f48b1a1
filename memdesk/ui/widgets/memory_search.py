"""How the memories of a chat are looked through: searched, sorted, tried, and seen as of a message."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from memdesk.ui.dialogs.pieces import CalmComboBox
from memdesk.ui.icons import icon
from memdesk.ui.models.memories import Sort

translate = QCoreApplication.translate


class MemorySearch(QWidget):
    """A search field, the order, and two switches; the panel listens to its parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit(self)
        self.field.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        clear = self.field.addAction(icon("close"), QLineEdit.ActionPosition.TrailingPosition)
        clear.setText(translate("MemoriesPanel", "Clear the search"))
        clear.setToolTip(clear.text())
        clear.setVisible(False)
        clear.triggered.connect(self.field.clear)
        self.field.textChanged.connect(lambda text: clear.setVisible(bool(text)))
        self.order = CalmComboBox(self)
        self.order.setAccessibleName(translate("MemoriesPanel", "Sort memories"))
        self.order.setMinimumContentsLength(3)
        self.order.addItem(translate("MemoriesPanel", "Newest"), Sort.NEWEST)
        self.order.addItem(translate("MemoriesPanel", "Oldest"), Sort.OLDEST)
        self.order.addItem(translate("MemoriesPanel", "Largest"), Sort.LARGEST)
        self.order.setToolTip(translate("MemoriesPanel", "By the time of the story, or by tokens"))
        self.trying = self._switch(
            translate("MemoriesPanel", "Try recall"),
            translate("MemoriesPanel", "Type anything and see what would be recalled, and why."),
        )
        self.timing = self._switch(
            translate("MemoriesPanel", "Known at a message"),
            translate("MemoriesPanel", "See what a reply at any message of the chat would know."),
        )
        first, second = QHBoxLayout(), QHBoxLayout()
        first.setSpacing(8)
        first.addWidget(self.field, 1)
        first.addWidget(self.order)
        second.setSpacing(8)
        second.addWidget(self.trying)
        second.addWidget(self.timing)
        second.addStretch(1)
        both = QVBoxLayout(self)
        both.setContentsMargins(0, 0, 0, 0)
        both.setSpacing(6)
        both.addLayout(first)
        both.addLayout(second)
        self.show_trying(on=False)

    def _switch(self, words: str, tip: str) -> QToolButton:
        button = QToolButton(self)
        button.setText(words)
        button.setAccessibleName(words)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.setMinimumHeight(28)
        return button

    def show_trying(self, *, on: bool) -> None:
        """Say what the field is for: to search, or to ask what would be recalled."""
        self.order.setVisible(not on)
        self.field.setPlaceholderText(
            translate("MemoriesPanel", "Say anything") if on else translate("MemoriesPanel", "Search")
        )
        self.field.setAccessibleName(
            translate("MemoriesPanel", "Try recall with")
            if on
            else translate("MemoriesPanel", "Search memories")
        )
