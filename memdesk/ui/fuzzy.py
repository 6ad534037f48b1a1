"""Finding things by a few letters of their names, in any script."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

_WHOLE: Final = 120.0
_BEGINS: Final = 100.0
_WORD: Final = 80.0
_INSIDE: Final = 60.0
_INITIALS: Final = 50.0
_SCATTERED: Final = 30.0
_MOST_APART: Final = 24
"""Letters further apart than this in all are a coincidence."""

_FIRST_HAN: Final = "\u2e80"
"""From here on a character is a word, or part of one, that may be looked for by itself."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A text made ready to be searched: its letters without case and accents, and where its words begin."""

    text: str
    starts: tuple[int, ...]
    initials: str


def fold(text: str) -> Folded:
    """Return a text ready to be searched."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    # Korean syllables were taken apart above; put together they are as short as they are written.
    plain = unicodedata.normalize("NFC", plain)
    starts = tuple(
        place
        for place, char in enumerate(plain)
        if char.isalnum() and (place == 0 or char >= _FIRST_HAN or not plain[place - 1].isalnum())
    )
    return Folded(plain, starts, "".join(plain[place] for place in starts))


def score(needle: Folded, text: Folded) -> float | None:
    """Return how well a text fits what is searched, from about 0 to 120 for each word; None if it does not.

    Every word of the needle must be there, in any order: at the beginning, at the start of a word, inside,
    as the initials of words, or with its letters in order and not far apart. Shorter texts are better.
    """
    total = 0.0
    for word in needle.text.split():
        found = _word(word, text)
        if found is None:
            return None
        total += found
    return total - min(len(text.text), 200) * 0.05


def _word(word: str, text: Folded) -> float | None:
    if word == text.text:
        return _WHOLE
    place = text.text.find(word)
    if place == 0:
        return _BEGINS
    if place > 0:
        while place >= 0:
            if place in text.starts:
                return _WORD
            place = text.text.find(word, place + 1)
        return _INSIDE
    if len(word) > 1 and word in text.initials:
        return _INITIALS
    return _scattered(word, text.text)


def _scattered(word: str, text: str) -> float | None:
    """Score letters that stand in order with others between them; one letter alone is no match."""
    if len(word) < 2:
        return None
    first = place = text.find(word[0])
    for char in word[1:]:
        if place < 0:
            return None
        place = text.find(char, place + 1)
    if place < 0:
        return None
    apart = place - first + 1 - len(word)
    return _SCATTERED - apart if apart <= _MOST_APART else None
