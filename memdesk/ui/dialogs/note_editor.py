"""The author's note as a form: its text, where it stands, how often it is sent."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from memdesk.chats.text import clean
from memdesk.prompt.note import AuthorsNote
from memdesk.ui.background import Background
from memdesk.ui.dialogs.pieces import Field, TextBox, column, write_text
from memdesk.ui.dialogs.placement_row import CountBox, PlacementRow
from memdesk.workspace import Workspace

COUNT_MS = 250
"""How long after the last key the tokens are counted."""

MOST_EVERY = 10_000


class NoteEditor(QWidget):
    """Edits a note; it changes nothing by itself."""

    edited = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._text = TextBox(5)
        self._field = Field(self.tr("Author's note"), self._text)
        self._field.set_hint(
            self.tr("A short reminder for the model: tone, what just changed, what must not be forgotten.")
        )
        self._place = PlacementRow(self)
        self._every = CountBox(0, MOST_EVERY, self)
        every = Field(self.tr("Every so many of your messages"), self._every)
        every.set_hint(self.tr("1 sends it each time, 3 every third time, 0 never."))
        layout = column(self._field, self._place, every, parent=self)
        layout.setContentsMargins(0, 0, 0, 0)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(COUNT_MS)
        self._wait.timeout.connect(self._count)
        self._text.textChanged.connect(self._wait.start)
        for signal in (self._text.textChanged, self._place.edited, self._every.valueChanged):
            signal.connect(lambda *_: self.edited.emit())

    def note(self) -> AuthorsNote:
        """Return the note as it stands in the form."""
        place = self._place.placement()
        return AuthorsNote(
            text=clean(self._text.text()),
            where=place.where,
            depth=place.depth,
            role=place.role,
            every=self._every.value(),
        )

    def show_note(self, note: AuthorsNote) -> None:
        """Show a note."""
        self.blockSignals(True)
        write_text(self._text, note.text)
        self._place.show_placement(note.placement)
        self._every.setValue(note.every)
        self.blockSignals(False)
        self._count()

    def _count(self) -> None:
        text = self._text.text()
        self._background.read(lambda: self._workspace.count(text), self._show_count, owner=self)

    def _show_count(self, tokens: int) -> None:
        number = self.locale().toString(tokens)
        self._field.set_aside(
            self.tr("~{0} tokens").format(number),
            self.tr("Counted with the bundled tokenizer; an estimate. Macros count as they are written."),
        )
