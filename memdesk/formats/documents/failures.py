"""What can be wrong with a document, each a code and a sentence; where it happens, the name is not known."""

from __future__ import annotations

from typing import Final

from memdesk.formats.errors import FormatCode

SENTENCES: Final[dict[FormatCode, str]] = {
    "empty": "The file is empty.",
    "vanished": "The file is not there any more.",
    "unreadable": "The file cannot be read.",
    "too_large": "There is too much text in it: divide it into smaller files.",
    "unknown_format": "This kind of file is not supported.",
    "binary": "This is no text, whatever its name says.",
    "old_office": "Files of Office before 2007 cannot be read: save it as DOCX, XLSX or PPTX.",
    "encrypted": "It is protected by a password.",
    "wrong_password": "That is not its password.",
    "corrupt": "The file is damaged.",
    "no_pages": "There are no pages in it.",
    "no_text": "There is no text in it.",
    "scanned": "It holds pictures of pages without any text: a scan has to be recognised first.",
    "bomb": "It unpacks to far more than a document needs and was not opened.",
    "doctype": "It declares its own markup (DOCTYPE), which documents have no need for; it was not opened.",
    "too_slow": "Reading it took too long and was stopped.",
    "too_much_memory": "Reading it took too much memory and was stopped.",
}
"""English sentences; the window has them in its language."""


class Unreadable(Exception):  # noqa: N818 — it names the state
    """A document cannot be read, and why."""

    def __init__(self, code: FormatCode) -> None:
        super().__init__(SENTENCES[code])
        self.code: FormatCode = code
