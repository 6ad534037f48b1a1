"""Text as people write it, made safe to keep: everything that enters a chat passes here once."""

from __future__ import annotations

import re

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """Return text that every part of memdesk can store: no NUL, no half characters, plain line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return _LONE_SURROGATE.sub("\ufffd", text)


def one_line(text: str, limit: int = 80) -> str:
    """Return text on one line, cut at `limit` characters with an ellipsis."""
    # Looking at a slice keeps this cheap for a message of a megabyte.
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


_MARKS = re.compile(r"(?<![A-Za-z0-9*])\*{1,3}(?=[^\s*])|(?<=[^\s*])\*{1,3}(?![A-Za-z0-9*])")


def without_marks(text: str) -> str:
    """Return text without the asterisks of emphasis, closed or not; those of a sum or a list stay."""
    return _MARKS.sub("", text)


def label_line(text: str, limit: int = 80) -> str:
    """Return the beginning of what somebody wrote as a label: on one line, without marks of emphasis."""
    return one_line(without_marks(text[: 8 * limit]), limit)
