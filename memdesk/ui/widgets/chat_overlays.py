"""What floats over the page of a chat: the way back to the newest message, and words for an empty chat."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QToolButton

from memdesk.ui.icons import icon


class JumpButton(QToolButton):
    """A pill at the lower edge; `jumpRequested` when pressed."""

    jumpRequested = Signal()

    def __init__(self, parent: QAbstractScrollArea) -> None:
        super().__init__(parent)
        self._area = parent
        self.setProperty("kind", "pill")
        self.setText(self.tr("Newest message"))
        self.setIcon(icon("arrow-down", "text"))
        self.setIconSize(QSize(14, 14))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setAccessibleName(self.tr("Jump to the newest message"))
        self.clicked.connect(self.jumpRequested)
        self.hide()

    def place(self, *, shown: bool) -> None:
        """Show or hide, in the middle of the lower edge."""
        if shown:
            size, view = self.sizeHint(), self._area.viewport()
            left = (view.width() - size.width()) // 2
            self.setGeometry(left, view.height() - size.height() - 12, size.width(), size.height())
            self.raise_()
        self.setVisible(shown)


class EmptyText(QLabel):
    """Says what will appear here; plain text in the middle of the page."""

    def __init__(self, parent: QAbstractScrollArea) -> None:
        super().__init__(parent)
        self._area = parent
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", "soft")
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.hide()

    def place(self, *, shown: bool) -> None:
        """Show or hide, at most 420 pixels wide."""
        side = max(20, (self._area.viewport().width() - 420) // 2)
        self.setGeometry(self._area.viewport().rect().adjusted(side, 20, -side, -20))
        self.setVisible(shown and bool(self.text()))
