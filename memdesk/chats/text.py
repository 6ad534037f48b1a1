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


_RUN = re.compile(r"\*{1,3}")


def with_whole_marks(text: str) -> str:
    """Return a piece of a message with the asterisks that the cut has left on the other side of it.

    Only the first and the last paragraph can have lost one.
    """
    first, last = text.find("\n\n"), text.rfind("\n\n") + 1
    before, _ = _lost(text[: first if first >= 0 else len(text)])
    _, after = _lost(text[last:])
    return before + text + after


def _lost(paragraph: str) -> tuple[str, str]:
    """Return the mark that a paragraph closes and never opens, and the one that it never closes."""
    missing = opened = ""
    for run in _RUN.finditer(paragraph):
        start, end = run.span()
        after_word = start > 0 and not paragraph[start - 1].isspace()
        before_word = end < len(paragraph) and not paragraph[end].isspace()
        if opened and after_word:
            opened = ""
        elif not opened and before_word:
            opened = run.group()
        elif not opened and after_word and not missing:
            missing = run.group()
    return missing, opened
