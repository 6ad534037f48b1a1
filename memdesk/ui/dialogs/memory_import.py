"""Files of memories in the window: what an import would do before it does it, and how an export is wanted."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFileDialog,
    QRadioButton,
    QStackedWidget,
    QWidget,
)
from shiboken6 import isValid

from memdesk.formats.errors import printable
from memdesk.memory_files import ExportResult, ImportPreview, ImportResult
from memdesk.ui.background import Background
from memdesk.ui.dates import short_moment
from memdesk.ui.dialogs.pieces import Notice, column, fit, plain_label, push_button, row
from memdesk.ui.dialogs.rows import RowList
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.running import Jobs
from memdesk.ui.sentences import said
from memdesk.ui.widgets.message_head import local_time
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.work.undo import Undo
from memdesk.workspace import Workspace

if TYPE_CHECKING:
    from memdesk.formats.memory_io import FileFormat
    from memdesk.store.chunks import NewChunk

translate = QCoreApplication.translate

MOST_ROWS = 200
"""Memories that the preview lists; a person reads no more of them."""

LINE = 200
"""Characters of a memory that its row looks at."""


class MemoryImportDialog(QDialog):
    """Shows what a file would add to a chat, and adds it when told to."""

    imported = Signal(object, object)
    """`ImportResult`, and `Undo` or None"""

    jobs: Jobs | None = None
    """Where what takes its time is named"""

    def __init__(
        self,
        workspace: Workspace,
        background: Background,
        path: Path,
        chat_id: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._path = path
        self._chat_id = chat_id
        self._busy: CancelToken | None = None
        self.setWindowTitle(self.tr("Import memories"))
        self._build()
        fit(self, 560, 560)
        self._read()

    def _build(self) -> None:
        self._title = plain_label(printable(self._path.name), "title")
        self._under = plain_label(self.tr("Reading the file…"), "soft")
        self._facts = column(spacing=6)
        self._added, self._skipped, self._vectors = Notice("ok"), Notice("info"), Notice("info")
        self._warnings = Notice("wait")
        for notice in (self._added, self._skipped, self._vectors, self._warnings):
            self._facts.addWidget(notice)
        self._list = RowList(self.tr("Memories to be added"), self)
        self._list.setSelectionMode(RowList.SelectionMode.NoSelection)
        self._more = plain_label("", "small")
        self._pages = QStackedWidget(self)
        self._pages.addWidget(QWidget())
        self._pages.addWidget(self._list)
        self._cancel = push_button(self.tr("Cancel"), parent=self)
        self._cancel.clicked.connect(self.reject)
        self._button = push_button(self.tr("Import"), "primary", self)
        self._button.setDefault(True)
        self._button.setEnabled(False)
        self._button.clicked.connect(self._import)
        buttons = row()
        buttons.addWidget(self._more, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._button)
        layout = column(column_widget(self._title, self._under), parent=self)
        layout.addLayout(self._facts)
        layout.addWidget(self._pages, 1)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)

    # ── looking ──────────────────────────────────────────────────────────────────────────────────────

    def _read(self) -> None:
        files, path, chat_id = self._workspace.memory_files, self._path, self._chat_id
        self._background.read(
            lambda: files.preview(path, chat_id), self._show, failed=self._failed, owner=self
        )

    def _show(self, preview: ImportPreview) -> None:
        kind = self.tr("memdesk file") if preview.format == "memdesk" else self.tr("Marinara file")
        name = " ".join(preview.title.split())[:LINE]
        if preview.same_chat:
            self._under.setText(self.tr("{kind} with memories of this very chat").format(kind=kind))
        elif name:
            words = self.tr("{kind} with memories of “{chat}”")
            self._under.setText(words.replace("{kind}", kind).replace("{chat}", name))
        else:
            self._under.setText(kind)
        if preview.add:
            self._added.say(
                self.tr("%n memory(s) will be added: {when}", "", preview.add).format(when=_span(preview))
            )
        else:
            self._added.say(self.tr("Nothing new would be added."), "info")
        if preview.skip:
            words = self.tr("%n will be skipped: {why}", "", preview.skip)
            self._skipped.say(words.replace("{why}", self._skip_words(preview)))
        self._vectors.say(self._vector_words(preview))
        self._warnings.say("\n".join(said(warning) for warning in preview.warnings))
        for chunk in preview.chunks[:MOST_ROWS]:
            self._list.add(_first_line(chunk), _facts(chunk), None)
        self._pages.setCurrentIndex(1)
        rest = preview.add - MOST_ROWS
        self._more.setText(self.tr("and %n more", "", rest) if rest > 0 else "")
        self._button.setEnabled(preview.add > 0)
        if preview.add:
            self._button.setFocus()
        else:
            self._nothing_to_do()

    def _nothing_to_do(self) -> None:
        self._cancel.setText(self.tr("Close"))
        self._cancel.setAccessibleName(self.tr("Close"))
        self._cancel.setFocus()
        self._button.setVisible(False)
        self._pages.setVisible(False)
        self.resize(self.width(), self.minimumSizeHint().height())

    def _skip_words(self, preview: ImportPreview) -> str:
        """Return "2 already here and 1 without text"."""
        known, empty = preview.reasons.get("known", 0), preview.reasons.get("empty", 0)
        long = preview.reasons.get("too_long", 0)
        words = []
        if known:
            words.append(self.tr("%n already here", "", known))
        if empty:
            words.append(self.tr("%n without text", "", empty))
        if long:
            words.append(self.tr("%n too long", "", long))
        return self.locale().createSeparatedList(words)

    def _vector_words(self, preview: ImportPreview) -> str:
        if not preview.add:
            return ""
        if preview.with_vector == preview.add:
            return self.tr("All bring a vector that fits: recalled by meaning at once.")
        if not preview.with_vector:
            return self.tr("None brings a vector that fits: they are embedded in the background.")
        return self.tr(
            "%n bring a vector that fits; the others are embedded in the background.", "", preview.with_vector
        )

    def _failed(self, error: Exception) -> None:
        self._busy = None
        self._under.setText(self.tr("Nothing was imported."))
        for notice in (self._added, self._skipped, self._vectors):
            notice.say("")
        self._warnings.say(failure_words(error), "bad")
        self._more.setText("")
        self._cancel.setEnabled(True)
        self._nothing_to_do()

    # ── doing ────────────────────────────────────────────────────────────────────────────────────────

    def _import(self) -> None:
        files, path, chat_id = self._workspace.memory_files, self._path, self._chat_id
        if self._busy is not None:
            return
        token = self._busy = CancelToken()
        self._button.setEnabled(False)
        self._more.setText(self.tr("Importing…"))
        background = self._background
        job = self.jobs.begin(self.tr("Importing memories"), token) if self.jobs else None

        def tell(done: int, total: int) -> None:
            if job is not None:
                job.say(done, total)
            background.post(lambda: self._show_progress(token, done, total))

        def work() -> tuple[ImportResult, Undo | None]:
            with job or contextlib.nullcontext():
                return files.import_file(path, chat_id, tell, token)

        background.long(work, self._done, failed=self._stopped, owner=self)

    def _show_progress(self, token: CancelToken, done: int, total: int) -> None:
        if isValid(self) and token is self._busy and not token.cancelled:
            words = self.tr("{done} of {total} are ready…")
            locale = self.locale()
            self._more.setText(words.format(done=locale.toString(done), total=locale.toString(total)))

    def _stopped(self, error: Exception) -> None:
        if not isinstance(error, Cancelled):
            self._failed(error)
            return
        self._busy = None
        self._cancel.setEnabled(True)
        self._button.setEnabled(True)
        self._more.setText(self.tr("Stopped. Nothing was imported."))

    def _done(self, outcome: tuple[ImportResult, Undo | None]) -> None:
        self._busy = None
        self.imported.emit(*outcome)
        self.accept()

    def reject(self) -> None:
        """Close; while memories go in, stop that first: then none of them is there."""
        if self._busy is None:
            super().reject()
            return
        self._busy.cancel()
        self._cancel.setEnabled(False)
        self._more.setText(self.tr("Stopping…"))


class MemoryExportDialog(QDialog):
    """Asks for the form of the file and whether vectors go with it, then where it goes; and writes it."""

    exported = Signal(object)
    """`ExportResult`"""
    jobs: Jobs | None = None
    """Where what takes its time is named"""

    SUFFIXES: ClassVar[dict[FileFormat, str]] = {"memdesk": ".memdesk.json", "marinara": ".marinara.json"}

    def __init__(
        self, workspace: Workspace, background: Background, chat_id: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._chat_id = chat_id
        self.setWindowTitle(self.tr("Export memories"))
        self._build()
        self.setMinimumWidth(440)

    def _build(self) -> None:
        own = QRadioButton(self.tr("Everything, for memdesk"), self)
        own.setChecked(True)
        theirs = QRadioButton(self.tr("For Marinara Engine"), self)
        # In parents of their own they would not give way to each other.
        group = QButtonGroup(self)
        group.addButton(own)
        group.addButton(theirs)
        self._forms: dict[FileFormat, QRadioButton] = {"memdesk": own, "marinara": theirs}
        self._vectors = QCheckBox(self.tr("With vectors"), self)
        self._vectors.setChecked(True)
        for control in (own, theirs, self._vectors):
            control.setAccessibleName(control.text())
            control.setMinimumHeight(28)
        hints: dict[QAbstractButton, str] = {
            own: self.tr("Text and original text, frozen, pinned, edited, notes, times and sources."),
            theirs: self.tr("Text, times and numbers of messages, as its Memory Recall reads them."),
            self._vectors: self.tr(
                "A larger file; where the embedder is the same, nothing has to be embedded again."
            ),
        }
        self._notice = Notice("bad")
        self._cancel = push_button(self.tr("Cancel"), parent=self)
        self._cancel.clicked.connect(self.reject)
        self._button = push_button(self.tr("Save as…"), "primary", self)
        self._button.setDefault(True)
        self._button.clicked.connect(self._ask)
        layout = column(parent=self, spacing=10)
        for button, hint in hints.items():
            button.setAccessibleDescription(hint)
            note = plain_label(hint, "small")
            note.setIndent(26)
            layout.addWidget(column_widget(button, note, spacing=0))
        layout.addWidget(self._notice)
        layout.addStretch(1)
        buttons = row()
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._button)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)

    def file_format(self) -> FileFormat:
        """Return the chosen form of the file."""
        return next(kind for kind, button in self._forms.items() if button.isChecked())

    def _ask(self) -> None:
        kind, files = self.file_format(), self._workspace.memory_files
        self._background.read(
            lambda: files.file_name(self._chat_id, kind), self._ask_where, failed=self._failed, owner=self
        )

    def _ask_where(self, name: str) -> None:
        dialog = QFileDialog(self, self.tr("Export memories"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(self.tr("Memories") + f" (*{self.SUFFIXES[self.file_format()]})")
        dialog.selectFile(name)
        dialog.fileSelected.connect(lambda chosen: self.export(Path(chosen)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def export(self, path: Path) -> None:
        """Write the file."""
        files, chat_id, kind = self._workspace.memory_files, self._chat_id, self.file_format()
        with_vectors = self._vectors.isChecked()
        self._notice.say("")
        self._button.setEnabled(False)
        job = self.jobs.begin(self.tr("Exporting memories")) if self.jobs else None

        def work() -> ExportResult:
            with job or contextlib.nullcontext():
                return files.export(chat_id, path, kind, with_vectors=with_vectors)

        self._background.long(work, self._done, failed=self._failed, owner=self)

    def _done(self, result: ExportResult) -> None:
        self.exported.emit(result)
        self.accept()

    def _failed(self, error: Exception) -> None:
        self._button.setEnabled(True)
        self._notice.say(failure_words(error))


def ask_file(parent: QWidget, chosen: Callable[[Path], object]) -> QFileDialog:
    """Ask for a file of memories."""
    dialog = QFileDialog(parent, translate("MemoryImport", "Import memories"))
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.setNameFilters(
        [
            translate("MemoryImport", "Memories") + " (*.json *.marinara)",
            translate("MemoryImport", "All files") + " (*)",
        ]
    )
    dialog.fileSelected.connect(lambda name: chosen(Path(name)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()
    return dialog


def column_widget(*parts: QWidget, spacing: int = 4) -> QWidget:
    """Return the widgets below each other as one."""
    whole = QWidget()
    column(*parts, spacing=spacing, parent=whole)
    return whole


def _first_line(chunk: NewChunk) -> str:
    return " ".join(chunk.text[: LINE * 2].split())[:LINE]


def _facts(chunk: NewChunk) -> str:
    names = ", ".join(" ".join(name.split()) for name in chunk.speakers)[:LINE]
    return " · ".join(part for part in (short_moment(local_time(chunk.first_time)), names) if part)


def _span(preview: ImportPreview) -> str:
    if preview.first is None or preview.last is None:
        return ""
    first, last = short_moment(local_time(preview.first)), short_moment(local_time(preview.last))
    return first if first == last else f"{first} – {last}"
