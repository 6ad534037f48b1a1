"""The head of the chat: who it is with, what it is called, and its menu."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from memdesk.ui.icons import icon
from memdesk.ui.widgets.avatar import Avatar
from memdesk.ui.widgets.elided_label import ElidedLabel


class ChatHead(QWidget):
    """A row above the page; the window adds buttons to `row`."""

    menuRequested = Signal(object)
    """the button under which the chat's menu opens"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedHeight(52)
        self._face = Avatar("?", parent=self)
        self._title = ElidedLabel(self)
        self._title.setProperty("tone", "strong")
        self._title.setObjectName("chat-title")
        self._subtitle = ElidedLabel(self)
        self._subtitle.setProperty("tone", "small")
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addStretch(1)
        words.addWidget(self._title)
        words.addWidget(self._subtitle)
        words.addStretch(1)
        self.menu_button = QToolButton(self)
        self.menu_button.setIcon(icon("more"))
        self.menu_button.setAccessibleName(self.tr("Chat menu"))
        self.menu_button.setToolTip(self.tr("Chat menu"))
        self.menu_button.clicked.connect(lambda: self.menuRequested.emit(self.menu_button))
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(18, 0, 12, 0)
        self.row.setSpacing(10)
        self.row.addWidget(self._face)
        self.row.addLayout(words, 1)
        self.branch_button = QToolButton(self)
        self.branch_button.setIcon(icon("branch"))
        self.branch_button.setAccessibleName(self.tr("Branches and checkpoints"))
        self.branch_button.setToolTip(self.tr("Branches and checkpoints"))
        self.branch_button.setVisible(False)
        self.row.addWidget(self.branch_button)
        self.row.addWidget(self.menu_button)

    def show_nothing(self) -> None:
        """Stand above no chat."""
        self._face.setVisible(False)
        self.menu_button.setEnabled(False)
        self.branch_button.setVisible(False)
        self._title.setText("memdesk")
        self._subtitle.setText("")

    def show_chat(self, face: str, image: QImage | None, title: str, subtitle: str) -> None:
        """Show whose chat it is, its title and a line of facts."""
        self._face.setVisible(True)
        self._face.setPerson(face, image)
        self.menu_button.setEnabled(True)
        self._title.setText(title)
        self._subtitle.setText(subtitle)
