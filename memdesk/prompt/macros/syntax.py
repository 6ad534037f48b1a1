"""Reading macros: a text becomes literal pieces and macros, which may hold macros themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

MAX_DEPTH: Final = 40
"""How deep macros may stand in each other; what is deeper stays as it is written."""

_BRACES: Final = re.compile(r"\{\{|\}\}")
_HEAD: Final = re.compile(r"\s*(//|[A-Za-z_][A-Za-z0-9_]*)")
_SEPARATOR: Final = re.compile(r"::|:|\s+")


@dataclass(slots=True)
class Macro:
    """`{{…}}`: its inner pieces, in order."""

    pieces: list[Piece] = field(default_factory=list)


Piece = str | Macro


def parse(text: str) -> list[Piece]:
    """Split a text into literal pieces and macros. Takes linear time; braces without a partner are text."""
    # Each frame is a macro that has begun; the first holds the whole text.
    frames: list[Macro] = [Macro()]
    at = passed = 0
    while found := _BRACES.search(text, at):
        here = found.start()
        if found.group() == "{{":
            # Of three braces the last two begin a macro: {{{user}}} is a name in braces.
            if text.startswith("{", here + 2):
                _add(frames[-1], text[at : here + 1])
                at = here + 1
                continue
            if len(frames) > MAX_DEPTH:
                _add(frames[-1], text[at : here + 2])
                at, passed = here + 2, passed + 1
                continue
            _add(frames[-1], text[at:here])
            frames.append(Macro())
        elif passed:
            # The end of one that was too deep to be read.
            _add(frames[-1], text[at : here + 2])
            passed -= 1
        elif len(frames) > 1:
            _add(frames[-1], text[at:here])
            done = frames.pop()
            frames[-1].pieces.append(done)
        else:
            _add(frames[-1], text[at : here + 2])
        at = here + 2
    _add(frames[-1], text[at:])
    while len(frames) > 1:
        # Never closed: what was in it belongs to the text around it.
        inner = frames.pop()
        frames[-1].pieces += ["{{", *inner.pieces]
    return frames[0].pieces


def _add(frame: Macro, piece: str) -> None:
    if piece:
        frame.pieces.append(piece)


@dataclass(frozen=True, slots=True)
class Call:
    """What a macro asks for: its name (lower case), how its arguments are set off, and all of them."""

    name: str
    separator: str
    """“::”, “:”, a blank, or "" when nothing follows the name."""
    rest: tuple[Piece, ...] = ()

    def split(self, by: str = "::") -> list[tuple[Piece, ...]]:
        """Split the arguments at a separator, as far as it stands in the text itself."""
        parts: list[list[Piece]] = [[]]
        for piece in self.rest:
            if isinstance(piece, Macro):
                parts[-1].append(piece)
                continue
            first, *others = _split(piece, by)
            parts[-1].append(first)
            parts += [[other] for other in others]
        return [tuple(part) for part in parts]


def _split(text: str, by: str) -> list[str]:
    if by != ",":
        return text.split(by)
    # A comma with a backslash before it is part of what is listed.
    return [part.replace("\0", ",") for part in text.replace("\\,", "\0").split(",")]


def call_of(macro: Macro) -> Call | None:
    """Return what a macro asks for, None where it does not begin with a name."""
    if not macro.pieces or not isinstance(macro.pieces[0], str):
        return None
    first = macro.pieces[0]
    head = _HEAD.match(first)
    if head is None:
        return None
    name, left = head.group(1).lower(), first[head.end() :]
    more = macro.pieces[1:]
    if name == "//":
        return Call(name, "", (left, *more))
    if not left.strip() and not more:
        return Call(name, "")
    separator = _SEPARATOR.match(left)
    if separator is None:
        # A sign is no separator: {{time_UTC+2}}. Its macro looks at it.
        return Call(name, "", (left, *more))
    return Call(name, separator.group().strip() or " ", (left[separator.end() :], *more))
