"""What was deleted in the last 30 days, and the way back."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QDateTime, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QDialog, QStackedWidget, QVBoxLayout, QWidget

from memdesk.chats.text import without_marks
from memdesk.store.errors import StoreError
from memdesk.store.trash import KEEP_DAYS, TrashEntry
from memdesk.ui.background import Background
from memdesk.ui.dates import short_moment
from memdesk.ui.dialogs.pieces import Notice, column, fit, plain_label, push_button, row
from memdesk.ui.dialogs.rows import DATA, RowList
from memdesk.ui.dialogs.words import failure_words
from memdesk.workspace import Workspace

_WRITTEN = ("messages", "version", "summaries", "memories")
"""Kinds that are called after the beginning of their text."""


class TrashDialog(QDialog):
    """Lists deleted characters, chats, messages and memories, newest first, to be restored."""

    restored = Signal(int)
    """So many things are back."""

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._asked = False
        self.setWindowTitle(self.tr("Trash"))
        self._build()
        fit(self, 520, 480)
        self.reload()

    def _build(self) -> None:
        self._list = RowList(self.tr("Deleted things"), self)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._list.itemSelectionChanged.connect(self._show_choice)
        # Enter reaches the default button by itself.
        self._list.itemDoubleClicked.connect(lambda _: self._restore())
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._list)
        self._pages.addWidget(self._empty())
        self._notice = Notice("info")
        close = push_button(self.tr("Close"), parent=self)
        close.clicked.connect(self.accept)
        self._button = push_button(self.tr("Restore"), "primary", self)
        self._button.setDefault(True)
        self._button.setEnabled(False)
        self._button.clicked.connect(self._restore)
        buttons = row()
        buttons.addWidget(self._notice, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addStretch(0)
        self._empty_button = push_button(self.tr("Empty trash"), "danger", self)
        self._empty_button.setEnabled(False)
        self._empty_button.clicked.connect(self._empty_trash)
        buttons.addWidget(self._empty_button)
        buttons.addWidget(close)
        buttons.addWidget(self._button)
        layout = column(self._pages, parent=self)
        layout.setStretch(0, 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)

    def _empty(self) -> QWidget:
        page = QWidget(self)
        layout = QVBoxLayout(page)
        layout.setSpacing(8)
        layout.addStretch(2)
        title = plain_label(self.tr("The trash is empty"), "title")
        title.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        # Qt gives it the focus that the list had.
        page.setAccessibleName(title.text())
        words = plain_label(
            self.tr(
                "Deleted characters, chats, messages and memories wait here for {days} days. Choose one and "
                "press Restore, and it is back where it was, with its memories."
            ).format(days=KEEP_DAYS),
            "soft",
        )
        words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(title)
        layout.addWidget(words)
        layout.addStretch(3)
        return page

    def reload(self) -> None:
        """Read the list anew."""
        self._background.read(self._workspace.trash.all, self._show, failed=self._refuse, owner=self)

    def _show(self, entries: list[TrashEntry]) -> None:
        self._list.clear()
        for entry in entries:
            label = entry.label[:200]
            if entry.kind in _WRITTEN:
                label = without_marks(label)
            self._list.add(f"{self._kind(entry)} · {label}", self._times(entry), entry.id)
        self._pages.setCurrentIndex(0 if entries else 1)
        if entries:
            self._list.setCurrentRow(0)
            self._list.setFocus()
        self._show_choice()

    def _kind(self, entry: TrashEntry) -> str:
        kinds = {
            "character": self.tr("Character"),
            "chat": self.tr("Chat"),
            "messages": self.tr("Messages"),
            "version": self.tr("Version"),
            "persona": self.tr("Persona"),
            "preset": self.tr("Preset"),
            "summaries": self.tr("Summaries"),
            "files": self.tr("Files of the Data Bank"),
            "memories": self.tr("Memories"),
        }
        return kinds.get(entry.kind, entry.kind)

    def _times(self, entry: TrashEntry) -> str:
        moment = QDateTime.fromSecsSinceEpoch(int(entry.deleted_at.timestamp()))
        when = short_moment(moment)
        left = entry.deleted_at + timedelta(days=KEEP_DAYS) - datetime.now(UTC)
        days = max(0, math.ceil(left / timedelta(days=1)))
        if days == 0:
            rest = self.tr("goes at the next start")
        elif days == 1:
            rest = self.tr("1 day left")
        else:
            rest = self.tr("{days} days left").format(days=days)
        return self.tr("deleted {when} · {rest}").format(when=when, rest=rest)

    def _show_choice(self) -> None:
        self._button.setEnabled(bool(self._list.selectedItems()))
        self._empty_button.setEnabled(self._list.count() > 0)

    def _empty_trash(self) -> None:
        """Ask once, in place; then delete everything in the trash for good."""
        if not self._asked:
            self._set_asked(asked=True)
            words = self.tr(
                "Everything in the trash goes for good, and from the disk. Only backups made before still "
                "have it."
            )
            self._notice.say(words, "wait")
            return
        workspace = self._workspace
        self._empty_button.setEnabled(False)
        self._button.setEnabled(False)
        self._notice.say(self.tr("Emptying the trash…"), "info")
        self._background.long(workspace.empty_trash, self._emptied, failed=self._not_emptied, owner=self)

    def _set_asked(self, *, asked: bool) -> None:
        self._asked = asked
        words = self.tr("Delete all for good") if asked else self.tr("Empty trash")
        self._empty_button.setText(words)
        self._empty_button.setAccessibleName(words)

    def _emptied(self, _count: int) -> None:
        self._set_asked(asked=False)
        self._notice.say(self.tr("The trash was emptied."), "ok")
        self.reload()

    def _not_emptied(self, error: Exception) -> None:
        self._set_asked(asked=False)
        self._empty_button.setEnabled(True)
        self._refuse(error)

    def _restore(self) -> None:
        """Bring back what is chosen, the first deleted first."""
        ids = sorted(int(item.data(DATA)) for item in self._list.selectedItems())
        if not ids or not self._button.isEnabled():
            return
        library = self._workspace.library

        def run() -> int:
            count = 0
            for trash_id in ids:
                try:
                    library.restore(trash_id)
                    count += 1
                except StoreError as error:
                    # Brought back or emptied meanwhile: the others can still come back.
                    if error.code != "not_found":
                        raise
            return count

        self._button.setEnabled(False)
        self._background.write(run, self._done, failed=self._refuse, owner=self)

    def _done(self, count: int) -> None:
        words = (
            self.tr("Restored.")
            if count == len(self._list.selectedItems())
            else self.tr("Some of it was not in the trash any more.")
        )
        self._notice.say(words, "ok")
        if count:
            self.restored.emit(count)
        self.reload()

    def _refuse(self, error: Exception) -> None:
        self._notice.say(failure_words(error), "bad")
        self._show_choice()
