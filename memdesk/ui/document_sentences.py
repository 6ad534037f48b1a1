"""What can be wrong with a document, for the table of sentences."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QT_TRANSLATE_NOOP

DOCUMENTS: Final = (
    QT_TRANSLATE_NOOP("Library", "The file is not there any more."),
    QT_TRANSLATE_NOOP("Library", "The file cannot be read."),
    QT_TRANSLATE_NOOP("Library", "There is too much text in it: divide it into smaller files."),
    QT_TRANSLATE_NOOP("Library", "This kind of file is not supported."),
    QT_TRANSLATE_NOOP("Library", "This is no text, whatever its name says."),
    QT_TRANSLATE_NOOP(
        "Library", "Files of Office before 2007 cannot be read: save it as DOCX, XLSX or PPTX."
    ),
    QT_TRANSLATE_NOOP("Library", "It is protected by a password."),
    QT_TRANSLATE_NOOP("Library", "That is not its password."),
    QT_TRANSLATE_NOOP("Library", "The file is damaged."),
    QT_TRANSLATE_NOOP("Library", "There are no pages in it."),
    QT_TRANSLATE_NOOP("Library", "There is no text in it."),
    QT_TRANSLATE_NOOP(
        "Library", "It holds pictures of pages without any text: a scan has to be recognised first."
    ),
    QT_TRANSLATE_NOOP("Library", "It unpacks to far more than a document needs and was not opened."),
    QT_TRANSLATE_NOOP(
        "Library",
        "It declares its own markup (DOCTYPE), which documents have no need for; it was not opened.",
    ),
    QT_TRANSLATE_NOOP("Library", "Reading it took too long and was stopped."),
    QT_TRANSLATE_NOOP("Library", "Reading it took too much memory and was stopped."),
    QT_TRANSLATE_NOOP("Library", "There is no file {number} in the Data Bank."),
    QT_TRANSLATE_NOOP("Library", "{name} is in the Data Bank already, as “{other}”."),
    QT_TRANSLATE_NOOP("Library", "The Data Bank is searched by words only."),
    QT_TRANSLATE_NOOP("Library", "The Data Bank is searched by words only: {reason}"),
)
