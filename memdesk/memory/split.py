"""Cutting a message into pieces that fit the embedder, at the best places the text offers."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import regex  # type: ignore[import-untyped, unused-ignore]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Span: TypeAlias = tuple[int, int]
"""Start and end of a part of the text, without white space at either side."""

# Possessive quantifiers, and a look behind where a run of marks may fail as a whole, keep every search
# linear: a message of a million full stops must not be tried from each of them.
_PARAGRAPH = regex.compile(r"(?>\r\n|\r|\n)[^\S\r\n]*+[\r\n]\s*+")
_LINE = regex.compile(r"[\r\n\x85\u2028\u2029]\s*+")
_CLOSERS = r"""["'”’»›」』）)\]】》〉*_~`]*+"""
_ABBREVIATION = r"(?<!\b(?:Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|vs|e\.g|i\.e)\.)"
_SPACED_END = rf"(?<![.!?…‽؟۔।॥։])[.!?…‽؟۔।॥։]++{_ABBREVIATION}{_CLOSERS}(?=\s)"
_WIDE_END = rf"(?P<wide>[。！？｡…]++[!?]*+)(?P<closers>{_CLOSERS})"
_SENTENCE = regex.compile(rf"{_SPACED_END}|{_WIDE_END}")
_SPACED_CLAUSE = rf"(?<![,;:،؛–])[,;:،؛–]++{_CLOSERS}(?=\s)"
_CLAUSE = regex.compile(rf"{_SPACED_CLAUSE}|(?P<wide>[，、；：—]++)(?P<closers>{_CLOSERS})")
_WORD = regex.compile(r"\s++")
_LEVELS = (_PARAGRAPH, _LINE, _SENTENCE, _CLAUSE, _WORD)
_GRAPHEME = regex.compile(r"\X")
_MAY_JOIN = regex.compile(
    r"[\p{M}\p{GCB=Extend}\p{GCB=Prepend}\p{GCB=SpacingMark}\p{GCB=ZWJ}\p{GCB=V}\p{GCB=T}\p{GCB=RI}\r]"
)
_BOTH_WAYS = frozenset("\"'*_~`")
"""Marks that look the same when they open and when they close."""


def split_message(
    text: str,
    limit: int = 400,
    boundary: str = "",
    hard_tokens: int = 350,
    count: Callable[[str], int] | None = None,
) -> list[str]:
    """Split a text into pieces of at most `limit` characters, none of them blank.

    Cuts are tried at paragraphs, lines, sentence ends, clause marks, words and graphemes, in this order;
    neighbours are then joined again while they fit. The pieces are parts of the text, in order, and
    together hold all of it but white space. Only a single grapheme may be longer than the limit.

    limit: characters (code points), 0 or less for the whole message in one piece. 400 is what
        SillyTavern's Vector Storage uses.
    boundary: a mark that always separates ("---", a blank line); it belongs to no piece.
    hard_tokens: pieces with more tokens by `count` are split further, whatever the limit; the embedder
        reads 512 and its count may differ.
    """
    cutter = _Cutter(text)
    pieces: list[str] = []
    for span in cutter.parts(boundary):
        size = limit if limit > 0 else span[1] - span[0]
        for found in cutter.split(span, size):
            if count is None:
                pieces.append(text[slice(*found)])
            else:
                pieces.extend(text[slice(*small)] for small in cutter.fit(found, hard_tokens, count))
    return pieces


class _Cutter:
    """Splits spans of one text; cuts only where a grapheme ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._inside: bytearray | None = None
        if _MAY_JOIN.search(text):
            inside = bytearray(b"\x01") * (len(text) + 1)
            inside[0] = 0
            for match in _GRAPHEME.finditer(text):
                inside[match.end()] = 0
            self._inside = inside

    def parts(self, boundary: str) -> list[Span]:
        """Return the spans between the custom boundaries."""
        whole = (0, len(self.text))
        if not boundary:
            return self._trimmed([whole])
        # A line break in the boundary stands for every kind of line break.
        lines = regex.split(r"\r\n|\r|\n", boundary)
        pattern = regex.compile(r"(?:\r\n|\r|\n)".join(regex.escape(line) for line in lines))
        spans, start = [], 0
        for match in pattern.finditer(self.text):
            if self._allowed(match.start()) and self._allowed(match.end()):
                spans.append((start, match.start()))
                start = match.end()
        return self._trimmed([*spans, (start, len(self.text))])

    def split(self, span: Span, size: int) -> list[Span]:
        """Return spans of at most `size` ≥ 1 characters that cover `span`."""
        return self._split(span, size, 0)

    def fit(self, span: Span, tokens: int, count: Callable[[str], int]) -> list[Span]:
        """Return spans with at most `tokens` tokens that cover `span`."""
        fitting: list[Span] = []
        waiting = [span]
        while waiting:
            start, end = waiting.pop()
            found = count(self.text[start:end])
            if found <= tokens:
                fitting.append((start, end))
                continue
            length = end - start
            size = max(1, min(length - 1, int(length * max(tokens, 1) / found * 0.95)))
            smaller = self.split((start, end), size)
            if len(smaller) == 1:
                fitting.append((start, end))  # a single grapheme
            else:
                waiting.extend(reversed(smaller))
        return fitting

    def _split(self, span: Span, size: int, level: int) -> list[Span]:
        if span[1] - span[0] <= size:
            return [span]
        if level == len(_LEVELS):
            return _merged(self._graphemes(span), size)
        cut = self._trimmed(list(pairwise([span[0], *self._ends(_LEVELS[level], span), span[1]])))
        pieces: list[Span] = []
        for part in cut:
            pieces.extend(self._split(part, size, level + 1))
        return _merged(pieces, size)

    def _graphemes(self, span: Span) -> list[Span]:
        places = [place for place in range(span[0] + 1, span[1]) if self._allowed(place)]
        return self._trimmed(list(pairwise([span[0], *places, span[1]])))

    def _ends(self, pattern: regex.Pattern[str], span: Span) -> list[int]:
        """Return where the matches end, taking back closing marks that open the next sentence."""
        start, end = span
        marks = _Marks(self.text, start)
        ends = []
        for match in pattern.finditer(self.text, start, end):
            place = match.end()
            if match.re.groups and match["wide"] is not None:
                place = marks.closed_until(match.start("closers"), match.end("closers"))
            if start < place < end and self._allowed(place):
                ends.append(place)
        return ends

    def _allowed(self, place: int) -> bool:
        return self._inside is None or not self._inside[place]

    def _trimmed(self, spans: Iterable[Span]) -> list[Span]:
        """Take white space off both sides and leave blank spans out."""
        trimmed = []
        for start, end in spans:
            part = self.text[start:end]
            left = start + len(part) - len(part.lstrip())
            right = start + len(part.rstrip())
            if left < right:
                # A space that carries a combining mark is a grapheme, not white space.
                trimmed.append(
                    (left if self._allowed(left) else start, right if self._allowed(right) else end)
                )
        return trimmed


class _Marks:
    """Counts marks like `"` and `*` from the start of a span, to know whether the next one closes."""

    def __init__(self, text: str, start: int) -> None:
        self._text = text
        self._seen = start
        self._open: dict[str, bool] = dict.fromkeys(_BOTH_WAYS, False)

    def closed_until(self, start: int, end: int) -> int:
        """Return where the closing marks among text[start:end] end."""
        for char in self._text[self._seen : start]:
            if char in _BOTH_WAYS:
                self._open[char] = not self._open[char]
        place = start
        while place < end:
            char = self._text[place]
            if char in _BOTH_WAYS:
                if not self._open[char]:
                    break
                self._open[char] = False
            place += 1
        self._seen = place
        return place


def _merged(spans: list[Span], size: int) -> list[Span]:
    """Join neighbours from left to right while they fit."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and end - merged[-1][0] <= size:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
