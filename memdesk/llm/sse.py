"""From bytes to text: server-sent events and split characters."""

from __future__ import annotations

import json
import re
from typing import Final

MAX_LINE_BYTES: Final = 4 * 1024 * 1024
"""The longest line of a stream that is accepted; a delta is rarely longer than a kilobyte."""

_NEWLINE: Final = re.compile(rb"\r\n|\n|\r")


class LineTooLong(ValueError):  # noqa: N818
    """A line of a stream went on beyond `MAX_LINE_BYTES`."""


class EventParser:
    r"""Collects the `data` of server-sent events (WHATWG HTML, 9.2) from bytes in any cut.

    Differences that real servers need: events that follow each other without an empty line are taken apart
    when the first is complete JSON, an event at the very end needs no empty line, and bytes that are not
    UTF-8 become U+FFFD. Lines end with \n, \r\n or \r.
    """

    def __init__(self) -> None:
        self._rest = bytearray()
        self._data: list[str] = []
        self._start = True

    def feed(self, chunk: bytes) -> list[str]:
        """Take the next bytes and return the data of every event that is complete now.

        Raises LineTooLong.
        """
        searched = max(0, len(self._rest) - 1)
        self._rest += chunk
        events: list[str] = []
        begin = 0
        while match := _NEWLINE.search(self._rest, max(begin, searched)):
            if match.group() == b"\r" and match.end() == len(self._rest):
                break  # the other half of \r\n may come next
            self._line(bytes(self._rest[begin : match.start()]), events)
            begin = match.end()
        del self._rest[:begin]
        if len(self._rest) > MAX_LINE_BYTES:
            raise LineTooLong
        return events

    def finish(self) -> list[str]:
        """Return the events that the end of the stream completes."""
        events: list[str] = []
        if self._rest:
            self._line(bytes(self._rest.rstrip(b"\r")), events)
            self._rest.clear()
        self._line(b"", events)
        return events

    def _line(self, line: bytes, events: list[str]) -> None:
        if self._start:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._start = False
        if not line:
            if self._data:
                events.append("\n".join(self._data))
                self._data = []
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            if self._data and _complete("\n".join(self._data)):
                events.append("\n".join(self._data))
                self._data = []
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))


def _complete(text: str) -> bool:
    if text == "[DONE]":
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


class SurrogateJoiner:
    """Puts characters together whose halves came in two deltas; a half that stays alone becomes U+FFFD."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        """Return what is complete now."""
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._half, text = text[-1], text[:-1]
        return _whole(text)

    def finish(self) -> str:
        """Return what was held back."""
        text, self._half = self._half, ""
        return _whole(text)


def _whole(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
