"""What can be done to several selected memories at once, and with the reply that they are shown for."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from memdesk.ui.dialogs.pieces import plain_label, tool_button
from memdesk.ui.icons import icon

translate = QCoreApplication.translate


class SelectionBar(QWidget):
    """Appears while more than one memory is selected."""

    pressed = Signal(str)
    """A deed: `freeze`, `pin`, `switch`, `copy` or `forget`"""
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = plain_label("", "strong", wrap=False)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addWidget(self._count)
        layout.addStretch(1)
        for deed, icon_name, words in (
            ("freeze", "snow", self.tr("Freeze or unfreeze the selected memories")),
            ("pin", "pin", self.tr("Pin or unpin the selected memories")),
            ("switch", "eye-off", self.tr("Turn the selected memories off or on")),
            ("copy", "copy", self.tr("Copy the selected memories")),
            ("forget", "trash", self.tr("Forget the selected memories")),
        ):
            button = tool_button(icon_name, words)
            button.clicked.connect(lambda _checked, deed=deed: self.pressed.emit(deed))
            layout.addWidget(button)
        clear = tool_button("close", self.tr("Select nothing"))
        clear.clicked.connect(self.cleared)
        layout.addWidget(clear)
        self.show_count(0)

    def show_count(self, count: int) -> None:
        """Say how many are selected; one is no selection to speak of."""
        self._count.setText(self.tr("{0} selected").format(self.locale().toString(count)))
        self.setVisible(count > 1)


class RerunButton(QPushButton):
    """Writes the reply whose memories are shown once more; hidden where no reply is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(translate("MemoriesPanel", "Run the reply again"), parent)
        self.setAccessibleName(self.text())
        self.setProperty("kind", "quiet")
        self.setIcon(icon("regenerate", "accent"))
        self.setToolTip(
            translate(
                "MemoriesPanel",
                "Write the reply whose memories are shown once more, with the memories as they are now.",
            )
        )
        self.setVisible(False)
