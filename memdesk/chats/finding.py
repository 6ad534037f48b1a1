"""Finding words in messages: what is asked for, how it is indexed, and where it stands in a text.

    wanted = read_query('dragon "red door" 魔王')    every part must occur, in any order
    wanted.expression                                for the FTS5 table that holds `index_words(text)`
    wanted.matches(text), spans(text, wanted), snippet(text, wanted)

A word finds words that begin with it, so "dragon" finds "dragons"; a single letter finds only itself. Text
between quotation marks is found as it stands, with whole words. Chinese, Japanese, Korean and South-East
Asian text is found anywhere, from one character on. Case, width, accents, Hebrew and Arabic points make no
difference, and neither does what stands between the words. Emoji can be found.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import regex  # type: ignore[import-untyped, unused-ignore]

from memdesk.chats.terms import KEPT_WHOLE, LETTER, LONGEST_TERM, MANY_MARKS, UNSPACED
from memdesk.chats.text import clean, without_marks

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_QUERY = 300
"""Characters of a query that count."""

MOST_PARTS = 16
"""Parts of a query that count, and runs of letters in each of them."""

MOST_SPANS = 2_000
"""Marked places in one text."""

SNIPPET = 160
"""Characters of a text that are shown around what was found."""

_SIGN = r"[\p{Extended_Pictographic}\p{Regional_Indicator}]"
_NOTHING = rf"[^\p{{L}}\p{{M}}\p{{N}}\p{{Extended_Pictographic}}\p{{Regional_Indicator}}{UNSPACED}]"
_RUN = regex.compile(
    rf"(?P<pairs>[{UNSPACED}]\p{{M}}*+(?:[{UNSPACED}]\p{{M}}*+)*+)|(?P<word>{LETTER}++)|(?P<sign>{_SIGN})",
    regex.V1,
)
_ASCII = regex.compile("[0-9a-z]++")
_UNIT = regex.compile(r"\X")
_PLAIN = regex.compile(r"[\u3041-\u3096\u30A1-\u30FA\u30FC\u3400-\u4DB5\u4E00-\u9FFF\uAC00-\uD7A3]++")
"""Characters that are always one unit."""
_PART = regex.compile(r'"([^"]*)("?)|[^\s"]+')
_QUOTES = str.maketrans("“”„«»", '"""""')
_SPACE = regex.compile(r"\s++")

_LEAD = 24
"""Characters that are shown before the first place, when the beginning is too far: Chinese ones are wide."""

_BLOCK = 1_000
"""Characters of a text that are levelled at a time while places in it are looked for."""


class _Levels(dict[int, int | str | None]):
    """What stands for a character when texts are compared, worked out when it is first met."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = found = self._level(chr(code))
        return found

    @staticmethod
    def _level(char: str) -> str | None:
        name = unicodedata.name(char, "")
        if "SOFT HYPHEN" in name or unicodedata.category(char) == "Cf":
            return None
        if unicodedata.combining(char) and name.startswith(("COMBINING", "HEBREW", "ARABIC")):
            return None
        if name.startswith("VARIATION SELECTOR"):
            return None
        if name.startswith(("LATIN", "GREEK")):
            base = unicodedata.normalize("NFKD", char)
            return "".join(part for part in base if not unicodedata.combining(part)) or char
        return "е" if char == "ё" else char


_LEVELS = _Levels()


def level(text: str) -> str:
    """Return the text as it is compared: case, width and accents are gone."""
    if text.isascii():
        return text.lower()
    tamed = MANY_MARKS.sub(r"\1", text)
    return unicodedata.normalize("NFKC", tamed).casefold().translate(_LEVELS)


def index_words(text: str) -> str:
    """Return the terms of a text for an FTS5 column with the unicode61 tokenizer, space-joined."""
    levelled = level(text)
    if levelled.isascii():
        return " ".join(term[:LONGEST_TERM] for term in _ASCII.findall(levelled))
    return " ".join(_index_terms(levelled))


def _index_terms(levelled: str) -> Iterator[str]:
    for run in _RUN.finditer(levelled):
        if run["pairs"] is None:
            yield _spelled(run[0][:LONGEST_TERM])
            continue
        units = _units(run[0])
        for first, second in pairwise(units):
            yield _spelled(first + second)
        # So that every character begins a term.
        yield _spelled(units[-1])


def _units(run: str) -> list[str]:
    """Return the characters of a run, each with the marks that belong to it."""
    return list(run) if _PLAIN.fullmatch(run) else _UNIT.findall(run)


@lru_cache(maxsize=65_536)
def _spelled(term: str) -> str:
    """Spell a term so that unicode61 keeps it whole, and that the beginning of a term is still one."""
    if KEPT_WHOLE.fullmatch(term):
        return term
    return "ǂ" + "".join(f"{ord(char):x}ǂ" for char in term[:LONGEST_TERM])


# -- what is asked for --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query:
    """What a person looks for. `expression` is None when there is no word in it."""

    text: str
    expression: str | None
    patterns: tuple[Any, ...]
    """One for each part, over levelled text"""
    any_pattern: Any
    """Finds any of the parts"""

    def matches(self, text: str) -> bool:
        """Tell whether a text holds every part."""
        if not self.patterns:
            return False
        levelled = level(text)
        return all(pattern.search(levelled) for pattern in self.patterns)


def read_query(text: str) -> Query:
    """Understand what was typed; anything is allowed, and no character has a power over the database."""
    text = clean(text).strip()[:LONGEST_QUERY]
    levelled = level(text.translate(_QUOTES))
    phrases: list[str] = []
    sources: list[str] = []
    for found in _PART.finditer(levelled):
        quoted = found[1] is not None
        runs = list(_RUN.finditer(found[1] if quoted else found[0]))[:MOST_PARTS]
        if runs and len(phrases) < MOST_PARTS:
            phrase, source = _part(runs, exact=quoted and bool(found[2]))
            if phrase not in phrases:
                phrases.append(phrase)
                sources.append(source)
    patterns = tuple(regex.compile(source, regex.V1) for source in sources)
    whole = "|".join(sorted(sources, key=len, reverse=True)) if sources else r"(?!)"
    return Query(text, " AND ".join(phrases) or None, patterns, regex.compile(whole, regex.V1))


def _part(runs: list[Any], *, exact: bool) -> tuple[str, str]:
    """Return the FTS5 phrase and the pattern of one part of a query."""
    terms: list[str] = []
    source: list[str] = []
    opens = False
    for place, run in enumerate(runs):
        last = place == len(runs) - 1
        text = run[0]
        if place:
            both = run["pairs"] is not None and runs[place - 1]["pairs"] is not None
            words = run["word"] is not None and runs[place - 1]["word"] is not None
            source.append(_NOTHING + ("++" if both or words else "*+"))
        if run["pairs"] is not None:
            units = _units(text)
            terms += [_spelled(first + second) for first, second in pairwise(units)]
            source.append(regex.escape(text, special_only=True))
            if not last:
                source.append(rf"(?![{UNSPACED}])")
            if not last or len(units) == 1:
                terms.append(_spelled(units[-1]))
            # A character in the middle of a run begins a pair, and so do the marks that belong to it.
            opens = last
        elif run["sign"] is not None:
            terms.append(_spelled(text))
            source.append(regex.escape(text, special_only=True))
            opens = False
        else:
            cut = text[:LONGEST_TERM]
            terms.append(_spelled(cut))
            opens = last and not exact and len(cut) > 1
            source.append(rf"(?<!{LETTER})" + regex.escape(cut, special_only=True))
            if len(text) > LONGEST_TERM and not opens:
                source.append(rf"{LETTER}*+")
            if not opens:
                source.append(rf"(?!{LETTER})")
    return f'"{" ".join(terms)}"' + (" *" if opens else ""), "".join(source)


# -- where it stands ----------------------------------------------------------------------------------------


def _one_for_one(piece: str) -> bool:
    """Tell whether every character of a text stands for itself when it is compared."""
    if piece.isascii():
        return True
    if len(piece.casefold()) != len(piece) or not unicodedata.is_normalized("NFKC", piece):
        return False
    return len(level(piece)) == len(piece)


class _Levelled:
    """A text as it is compared, and the way back to the places in the text as it was written."""

    def __init__(self, text: str) -> None:
        self._source = text
        self._starts: list[int] = []
        self._places: list[int] = []
        pieces: list[str] = []
        place = start = 0
        while start < len(text):
            end = self._cut(start)
            piece = level(text[start:end])
            self._starts.append(start)
            self._places.append(place)
            pieces.append(piece)
            place += len(piece)
            start = end
        self.text = "".join(pieces)
        self._ways: dict[int, list[int]] = {}

    def _cut(self, start: int) -> int:
        text, end = self._source, start + _BLOCK
        if end >= len(text):
            return len(text)
        space = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
        if space > start:
            return space + 1
        while end < len(text) and end < start + 2 * _BLOCK and unicodedata.category(text[end])[0] == "M":
            end += 1
        return end

    def place(self, at: int, *, end: bool = False) -> int:
        """Return where a levelled character stands in the source; with `end`, where one ends."""
        if not self._starts:
            return 0
        block = bisect_right(self._places, at - end) - 1
        begin = self._starts[block]
        stop = self._starts[block + 1] if block + 1 < len(self._starts) else len(self._source)
        piece = self._source[begin:stop]
        if _one_for_one(piece):
            return begin + at - self._places[block]
        way = self._ways.get(block)
        if way is None:
            way = self._ways[block] = self._way(piece)
        inside = at - self._places[block] - end
        if inside >= len(way) - 1:
            return stop
        found = way[inside]
        if not end:
            return begin + found
        later = next((item for item in way[inside + 1 :] if item != found), len(piece))
        return begin + later

    @staticmethod
    def _way(piece: str) -> list[int]:
        """Return for every levelled character where its cluster begins, and the end."""
        way: list[int] = []
        at = 0
        for unit in _UNIT.findall(piece):
            way += [at] * len(level(unit))
            at += len(unit)
        return [*way, len(piece)]


def spans(text: str, query: Query, limit: int = MOST_SPANS) -> list[tuple[int, int]]:
    """Return where a text has parts of the query, as (start, end) in order; at most `limit` places."""
    if not query.patterns:
        return []
    levelled = _Levelled(text)
    found = []
    for match in query.any_pattern.finditer(levelled.text):
        start, end = levelled.place(match.start()), levelled.place(match.end(), end=True)
        if end > start:
            found.append((start, end))
        if len(found) >= limit:
            break
    return found


def snippet(text: str, query: Query, width: int = SNIPPET) -> tuple[str, list[tuple[int, int]]]:
    """Return a line of about `width` characters around the first place found, and the places in it.

    Without one it is the beginning of the text.
    """
    first = next(iter(spans(text, query, 1)), None)
    start = 0
    if first is not None and first[0] > 2 * _LEAD:
        start = first[0] - _LEAD
        space = text.find(" ", start, first[0])
        start = space + 1 if 0 <= space < start + _LEAD // 2 else start
    line = _SPACE.sub(" ", text[start : start + 4 * width]).strip()
    plain = without_marks(line)
    if spans(plain, query) or not spans(line, query):
        line = plain
    cut = line if len(line) <= width else line[: width - 1].rstrip() + "…"
    if start:
        cut = "…" + cut
    return cut, spans(cut, query)


def in_utf16(text: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return places of a text in units of UTF-16, as Qt counts: characters beyond U+FFFF are two."""
    if text.isascii() or not places or max(text) <= "\uffff":
        return places
    found = []
    at = counted = 0
    for start, end in places:
        counted += len(text[at:start].encode("utf-16-le", "surrogatepass")) // 2
        length = len(text[start:end].encode("utf-16-le", "surrogatepass")) // 2
        found.append((counted, counted + length))
        counted, at = counted + length, end
    return found
