"""What can be done with the summaries of a chat as a whole, and with those that are selected."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from memdesk.ui.dialogs.pieces import plain_label, row, tool_button
from memdesk.ui.icons import icon
from memdesk.ui.models.summaries import Summaries


class SummaryTools(QWidget):
    """Tool buttons above the list."""

    writeRequested = Signal()
    generateRequested = Signal()
    backfillRequested = Signal()
    settingsRequested = Signal()
    templatesRequested = Signal()
    switchRequested = Signal()
    inactiveToggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._write = tool_button("plus", self.tr("Write a summary"))
        self._write.setToolTip(self.tr("Write a summary yourself."))
        self._write.clicked.connect(self.writeRequested)
        self._generate = tool_button("summary", self.tr("Generate a summary"))
        self._generate.setToolTip(self.tr("Let a model summarise the newest messages, or any others."))
        self._generate.clicked.connect(self.generateRequested)
        self._settings = tool_button("settings", self.tr("Summary settings"))
        self._settings.setToolTip(
            self.tr("When summaries are written, by whom and how, and where they stand in the prompt.")
        )
        self._settings.clicked.connect(self.settingsRequested)
        self._more = tool_button("more", self.tr("More for summaries"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self._inactive = menu.addAction(icon("eye"), self.tr("Show inactive summaries"))
        self._inactive.setCheckable(True)
        self._inactive.setChecked(True)
        self._inactive.toggled.connect(self.inactiveToggled)
        self._switch = menu.addAction(icon("eye-off"), "", self.switchRequested.emit)
        menu.addSeparator()
        self._backfill = menu.addAction(icon("rebuild"), self.tr("Backfill…"), self.backfillRequested.emit)
        menu.addAction(icon("file"), self.tr("Templates…"), self.templatesRequested.emit)
        self._more.setMenu(menu)
        layout = row(self._write, self._generate, self._settings, self._more, spacing=2)
        self.setLayout(layout)

    def show_inactive(self) -> None:
        """Show the inactive ones, too."""
        self._inactive.setChecked(True)

    def set_entries(self, shown: Summaries) -> None:
        """Offer what is possible now."""
        chat = bool(shown.chat_id)
        for button in (self._write, self._settings, self._more):
            button.setEnabled(chat)
        self._generate.setEnabled(shown.messages > 0)
        self._backfill.setEnabled(shown.messages > 1)
        any_on = any(entry.summary.enabled for entry in shown.entries)
        self._switch.setText(self.tr("Turn all off") if any_on else self.tr("Turn all on"))
        self._switch.setEnabled(bool(shown.entries))


class SummarySelection(QWidget):
    """Appears while summaries are ticked."""

    pressed = Signal(str)
    """`on`, `off`, `combine` or `delete`"""
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = plain_label("", "strong", wrap=False)
        layout = row(self._count, spacing=2)
        layout.addStretch(1)
        self._buttons = {}
        for deed, icon_name, words in (
            ("on", "eye", self.tr("Turn the selected summaries on")),
            ("off", "eye-off", self.tr("Turn the selected summaries off")),
            ("combine", "link", self.tr("Combine the selected summaries")),
            ("delete", "trash", self.tr("Delete the selected summaries")),
        ):
            button = tool_button(icon_name, words)
            button.clicked.connect(lambda _checked, deed=deed: self.pressed.emit(deed))
            layout.addWidget(button)
            self._buttons[deed] = button
        clear = tool_button("close", self.tr("Select nothing"))
        clear.clicked.connect(self.cleared)
        layout.addWidget(clear)
        self.setLayout(layout)
        self.show_count(0)

    def show_count(self, count: int) -> None:
        """Say how many are selected."""
        self._count.setText(self.tr("{0} selected").format(self.locale().toString(count)))
        self._buttons["combine"].setEnabled(count > 1)
        self.setVisible(count > 0)
