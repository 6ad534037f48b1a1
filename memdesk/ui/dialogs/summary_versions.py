"""What a summary said before: every version, what changed since, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QListWidget, QWidget

from memdesk.store.summaries import Summary, SummaryVersion
from memdesk.ui.dates import short_moment
from memdesk.ui.dialogs.pieces import Notice, column, fit, plain_label, push_button, row
from memdesk.ui.summary_words import shown_title
from memdesk.ui.widgets.diff_box import DiffBox
from memdesk.ui.widgets.message_head import local_time


class SummaryVersions(QDialog):
    """Shows the versions of a summary, newest first, each with what it would change."""

    restored = Signal(int)
    """The id of the version that is to stand again"""

    def __init__(
        self, summary: Summary, versions: Sequence[SummaryVersion], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._summary, self._versions = summary, list(versions)
        self.setWindowTitle(self.tr("Earlier versions of “{0}”").format(shown_title(summary.title)))
        self._none = Notice("info", self.tr("It has said the same since it was written."))
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.tr("Earlier versions"))
        self._list.setFixedHeight(120)
        for version in self._versions:
            when = short_moment(local_time(version.at))
            self._list.addItem(self.tr("until {0}: {1}").format(when, shown_title(version.title)))
        self._words = plain_label(self.tr("From what it says now to that version"), "small")
        self._diff = DiffBox(9, self)
        self._diff.setAccessibleName(self._words.text())
        close = push_button(self.tr("Close"), parent=self)
        close.clicked.connect(self.reject)
        self._restore = push_button(self.tr("Restore this version"), "primary", self)
        self._restore.clicked.connect(self._accept)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(close)
        buttons.addWidget(self._restore)
        layout = column(self._none, self._list, self._words, self._diff, parent=self, spacing=8)
        layout.addStretch(1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        some = bool(self._versions)
        self._none.setVisible(not some)
        for widget in (self._list, self._words, self._diff, self._restore):
            widget.setVisible(some)
        self._list.currentRowChanged.connect(self._show)
        self._list.itemActivated.connect(lambda _item: self._accept())
        self._list.setCurrentRow(0)
        fit(self, 540, 440 if some else 140)

    def _show(self, place: int) -> None:
        if 0 <= place < len(self._versions):
            self._diff.compare(self._summary.text, self._versions[place].text)

    def _accept(self) -> None:
        place = self._list.currentRow()
        if 0 <= place < len(self._versions):
            self.restored.emit(self._versions[place].id)
            self.accept()
