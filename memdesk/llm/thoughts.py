"""Thoughts inside a reply: what stands between `<think>`, `<thinking>` or `<reasoning>` and its end.

    splitter = ThoughtSplitter(); splitter.feed(delta) -> pieces; splitter.finish() -> pieces
    split_thoughts(text) -> (reply, thoughts)

A piece is `Said(text)`, `Thought(text)`, or `SaidWasThought()`: a closing tag without an opening one, as from
servers whose prompt template opens it, says that everything before was a thought.

Tags count wherever they stand, in any case, but not behind a backtick (somebody writes about them), and
inside a thought only its own end counts. Thoughts that never end stay thoughts. White space before the first
word of the reply is dropped when a thought comes first, and behind a thought when white space, or nothing,
stands before it. The result does not depend on how the text was cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

NAMES: Final = ("think", "thinking", "reasoning")
"""The names of tags that hold thoughts."""

_TAG = re.compile(f"<(/?)({'|'.join(NAMES)})>", re.IGNORECASE | re.ASCII)
_ENDS = {name: re.compile(f"</{name}>", re.IGNORECASE | re.ASCII) for name in NAMES}
_TAGS = tuple(f"<{slash}{name}>" for name in NAMES for slash in ("", "/"))
_LONGEST = max(map(len, _TAGS))

APART: Final = "\n\n"
"""What stands between two thoughts of one reply."""


@dataclass(frozen=True, slots=True)
class Said:
    """The next piece of the reply, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """The next piece of thoughts, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class SaidWasThought:
    """Everything that was `Said` so far was a thought."""


Piece = Said | Thought | SaidWasThought


class ThoughtSplitter:
    """Tells thoughts from the reply while both stream in."""

    def __init__(self) -> None:
        self._held = ""
        self._end = ""
        """The name of the tag that the present thought stands in, "" in the reply"""
        self._space = ""
        """White space before the first word: dropped when a thought comes first"""
        self._last = ""
        """The last character of the reply"""
        self._gap = False
        """Whether white space is dropped now"""
        self._thought = False
        """Whether there was a thought before"""
        self._fresh = False
        """Whether nothing has come of the present thought"""

    def feed(self, text: str) -> list[Piece]:
        """Return the pieces that are certain now."""
        self._held += text
        return self._read(at_end=False)

    def finish(self) -> list[Piece]:
        """Return what was held back."""
        pieces = self._read(at_end=True)
        if self._space:
            pieces.append(Said(self._space))
            self._space = ""
        return pieces

    def _read(self, *, at_end: bool) -> list[Piece]:
        pieces: list[Piece] = []
        while self._held:
            before = self._held, self._end
            if self._end:
                self._think(pieces, at_end=at_end)
            else:
                self._say(pieces, at_end=at_end)
            if (self._held, self._end) == before:
                break
        return pieces

    def _say(self, pieces: list[Piece], *, at_end: bool) -> None:
        start = 0
        while found := _TAG.search(self._held, start):
            previous = self._held[found.start() - 1] if found.start() else self._last
            orphan = bool(found[1]) and self._thought
            if previous != "`" and not orphan:
                break
            start = found.end()
        if found is None:
            keep = 0 if at_end else _unsure(self._held, start, _TAGS)
            self._emit(pieces, self._held[: len(self._held) - keep])
            self._held = self._held[len(self._held) - keep :]
            return
        self._emit(pieces, self._held[: found.start()])
        self._held = self._held[found.end() :]
        self._space = ""
        if found[1]:
            if self._last:
                pieces.append(SaidWasThought())
            self._last = ""
            self._gap = True
        else:
            self._end = found[2].lower()
            self._fresh = self._thought
        self._thought = True

    def _emit(self, pieces: list[Piece], text: str) -> None:
        if self._gap:
            text = text.lstrip()
        if not self._last:
            # Nothing was said yet: white space waits for what it stands before.
            bare = text.lstrip()
            if not self._gap:
                self._space += text[: len(text) - len(bare)]
            text = self._space + bare if bare else ""
            self._space = "" if bare else self._space
        if text:
            self._gap = False
            self._last = text[-1]
            pieces.append(Said(text))

    def _think(self, pieces: list[Piece], *, at_end: bool) -> None:
        if found := _ENDS[self._end].search(self._held):
            thought, self._held = self._held[: found.start()], self._held[found.end() :]
            self._end = ""
            self._gap = not self._last or self._last.isspace()
        else:
            keep = 0 if at_end else _unsure(self._held, 0, (f"</{self._end}>",))
            thought = self._held[: len(self._held) - keep]
            self._held = self._held[len(self._held) - keep :]
        if thought:
            pieces.append(Thought(APART + thought if self._fresh else thought))
            self._fresh = False


def _unsure(text: str, start: int, tags: tuple[str, ...]) -> int:
    """Return how many characters at the end of a text may be the beginning of a tag."""
    place = text.rfind("<", max(start, len(text) - _LONGEST + 1))
    if place < 0:
        return 0
    tail = text[place:].lower()
    return len(text) - place if any(tag.startswith(tail) for tag in tags) else 0


def split_thoughts(text: str) -> tuple[str, str]:
    """Return a whole text's reply and its thoughts."""
    said: list[str] = []
    thoughts: list[str] = []
    splitter = ThoughtSplitter()
    for piece in splitter.feed(text) + splitter.finish():
        if isinstance(piece, Said):
            said.append(piece.text)
        elif isinstance(piece, Thought):
            thoughts.append(piece.text)
        else:
            thoughts.extend(said)
            said.clear()
    return "".join(said), "".join(thoughts)
