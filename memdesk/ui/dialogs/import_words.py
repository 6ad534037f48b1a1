"""What an import of several files has to say: the first lines in a toast, all of them in a dialog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from memdesk.people import PersonaImport
from memdesk.ui.dialogs.pieces import column, fit, push_button, row
from memdesk.ui.sentences import said
from memdesk.ui.widgets.plain_text import PlainTextEdit
from memdesk.ui.widgets.toast import Toast

MOST_LINES: Final = 6
"""A toast says so many lines at once."""


def tell(toast: Toast, lines: Sequence[str]) -> None:
    """Say what went wrong or was repaired, if anything; more than a toast holds is offered as a list."""
    if not lines:
        return
    text, more = "\n".join(lines[:MOST_LINES]), len(lines) - MOST_LINES
    if more <= 0:
        toast.say(text, error=True)
        return
    rest = QCoreApplication.translate("ImportWords", "and %n more", "", more)
    action = QCoreApplication.translate("ImportWords", "Show all")
    toast.say(f"{text}\n{rest}", action, lambda: ImportWords(lines, toast.window()).open(), error=True)


def persona_words(result: PersonaImport) -> list[str]:
    """Return what came of a file of personas: how many were added, how many not, and what was repaired."""
    count, here = len(result.added), result.skipped
    added = QCoreApplication.translate("ImportWords", "%n persona(s) added.", "", count)
    skipped = QCoreApplication.translate("ImportWords", "%n persona(s) were here already.", "", here)
    counts = [words for words, number in ((added, count), (skipped, here)) if number]
    nothing = QCoreApplication.translate("ImportWords", "There are no personas in it.")
    return [" ".join(counts) or nothing, *(said(warning) for warning in result.warnings)]


class ImportWords(QDialog):
    """The whole list, to read and to copy."""

    def __init__(self, lines: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Import"))
        text = "\n".join(lines)
        reader = PlainTextEdit(self)
        reader.setReadOnly(True)
        reader.setTabChangesFocus(True)
        reader.setAccessibleName(self.tr("What the import says"))
        reader.setPlainText(text)
        copy = push_button(self.tr("Copy all"), parent=self)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(text))
        close = push_button(self.tr("Close"), "primary", self)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        buttons = row(copy, close)
        buttons.insertStretch(0, 1)
        layout = column(reader, parent=self)
        layout.addLayout(buttons)
        layout.setContentsMargins(16, 16, 16, 16)
        fit(self, 560, 420)
