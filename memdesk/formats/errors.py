"""The one error that every foreign format raises."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

FormatCode = Literal[
    "unreadable",
    "empty",
    "too_large",
    "unknown_format",
    "png_broken",
    "png_checksum",
    "png_no_card",
    "text_broken",
    "json_broken",
    "json_too_deep",
    "not_a_card",
    "image_unsupported",
    "image_broken",
    "image_too_large",
    "vanished",
    "binary",
    "old_office",
    "encrypted",
    "wrong_password",
    "corrupt",
    "no_pages",
    "no_text",
    "scanned",
    "bomb",
    "doctype",
    "too_slow",
    "too_much_memory",
]
"""Stable names of what can be wrong with a file; views translate by them."""

_SHOWN_NAME = 120
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")


class FormatError(Exception):
    """A file cannot be read or written; nothing of it was taken over.

    `name` is the file's (or the character's) name, `reason` an English sentence, `code` one of
    `FormatCode`, `path` the file when it came from one. The message is "name: reason" on one line.
    """

    def __init__(self, name: str, reason: str, *, code: FormatCode, path: Path | None = None) -> None:
        self.name = name
        self.reason = reason
        self.code: FormatCode = code
        self.path = path
        super().__init__(f"{printable(str(path) if path else name)}: {reason}")

    def at(self, path: Path) -> FormatError:
        """Return the same error, naming the file it was found in."""
        return FormatError(self.name, self.reason, code=self.code, path=path)


def printable(name: str) -> str:
    """Return a name as one printable line of at most 120 characters, its end kept; "(no name)" if blank."""
    line = _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", name).strip() or "(no name)"
    return line if len(line) <= _SHOWN_NAME else f"…{line[-_SHOWN_NAME + 1 :]}"
