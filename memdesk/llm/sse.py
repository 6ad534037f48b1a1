"""From bytes to text: server-sent events, split characters, and thoughts between `<think>` tags."""

from __future__ import annotations

import json
import re
from typing import Final

MAX_LINE_BYTES: Final = 4 * 1024 * 1024
"""The longest line of a stream that is accepted; a delta is rarely longer than a kilobyte."""

_THINK_TAGS: Final = ("<think>", "<thinking>")
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


class ThinkSplitter:
    """Tells thoughts from the reply: `<think>…</think>` (or `<thinking>`) at the very beginning of a text.

    White space before the tag and between `</think>` and the reply is dropped; tags that come later are
    part of the reply. Thoughts that never end stay thoughts. The result does not depend on how the text
    was cut.
    """

    def __init__(self) -> None:
        self._space: list[str] = []
        self._held = ""
        self._end = ""
        self._state = "start"

    def feed(self, text: str) -> list[tuple[bool, str]]:
        """Return pieces that are certain now, as (is a thought, text)."""
        self._held += text
        pieces: list[tuple[bool, str]] = []
        if self._state == "start":
            self._begin()
        if self._state == "thought":
            self._think(pieces)
        if self._state == "gap":
            self._held = self._held.lstrip()
            self._state = "reply" if self._held else "gap"
        if self._state == "reply" and self._held:
            pieces.append((False, self._held))
            self._held = ""
        return pieces

    def finish(self) -> list[tuple[bool, str]]:
        """Return what was held back."""
        held = self._held if self._state == "thought" else "".join([*self._space, self._held])
        self._held, self._space = "", []
        return [(self._state == "thought", held)] if held else []

    def _begin(self) -> None:
        text = self._held.lstrip()
        self._space.append(self._held[: len(self._held) - len(text)])
        self._held = text
        for tag in _THINK_TAGS:
            if text.startswith(tag):
                self._state, self._end, self._held = "thought", f"</{tag[1:]}", text.removeprefix(tag)
                self._space = []
                return
        if text and not any(tag.startswith(text) for tag in _THINK_TAGS):
            self._state, self._held, self._space = "reply", "".join([*self._space, text]), []

    def _think(self, pieces: list[tuple[bool, str]]) -> None:
        thought, found, rest = self._held.partition(self._end)
        if found:
            self._state, self._held = "gap", rest
        else:
            # Hold back what may be the beginning of the end tag.
            keep = next((n for n in range(len(self._end) - 1, 0, -1) if thought.endswith(self._end[:n])), 0)
            self._held = thought[len(thought) - keep :]
            thought = thought[: len(thought) - keep]
        if thought:
            pieces.append((True, thought))
