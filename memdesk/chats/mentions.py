"""Who is mentioned in a text: whole names and nicknames in any script, and unmistakable parts of names."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

MOST_CHARS = 20_000
"""Of a longer text the end is looked at: what is asked stands there."""

_SMALL_WORDS = frozenset({
    "a", "an", "and", "da", "dame", "das", "de", "del", "den", "der", "di", "die", "do", "dr", "du",
    "el", "for", "from", "in", "la", "lady", "le", "lord", "los", "madam", "miss", "mr", "mrs", "ms",
    "no", "of", "old", "on", "prof", "sir", "st", "the", "to", "van", "von", "y", "young",
})  # fmt: skip
"""Parts of names that are words of their own: “the” in a sentence calls nobody."""

_BETWEEN = re.compile("[\\s·・‧•]+")
"""What stands between the parts of a name: transliterated ones have a dot."""

_SPACELESS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x309F),  # hiragana
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),  # Hangul: particles stand right behind a name
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
"""Scripts whose words are not divided by spaces."""

_KATAKANA = ((0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF))


def mentioned(text: str, names: Mapping[int, Sequence[str]]) -> list[int]:
    """Return whose names stand in a text, in the order of their first mention.

    `names` holds everything somebody is called by, by id. Case and width of letters do not count. Where one
    name holds another (“Anna Lee”, “Anna”), the longer one is meant. A single word of a longer name counts
    when it belongs to one of them only. Those of equal name are mentioned together.
    """
    folded = _fold(text[-MOST_CHARS:])
    wanted: dict[str, list[int]] = {}
    for called, ids in _all_names(names).items():
        wanted.setdefault(called, []).extend(ids)
    found: dict[int, int] = {}
    taken = [False] * len(folded)
    # The longest first: what it covers is not another's.
    for called in sorted(wanted, key=lambda item: (-len(item), item)):
        at = folded.find(called)
        while at >= 0:
            end = at + len(called)
            if not any(taken[at:end]) and _stands_alone(folded, at, end):
                taken[at:end] = [True] * (end - at)
                for who in wanted[called]:
                    found[who] = min(found.get(who, at), at)
            at = folded.find(called, at + 1)
    order = {who: place for place, who in enumerate(names)}
    return sorted(found, key=lambda who: (found[who], order[who]))


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKC", text).casefold())


def _all_names(names: Mapping[int, Sequence[str]]) -> dict[str, list[int]]:
    """Return whole names, and words that belong to the names of one person only, with whom they mean."""
    whole: dict[str, list[int]] = {}
    words: dict[str, set[int]] = {}
    for who, given in names.items():
        for name in given:
            called = " ".join(_fold(name).split())
            if not called:
                continue
            if who not in whole.setdefault(called, []):
                whole[called].append(who)
            parts = _BETWEEN.split(called)
            for part in parts if len(parts) > 1 else ():
                word = part.strip(".,;:!?'\"()[]“”‘’«»")
                if len(word) > 1 and word not in _SMALL_WORDS:
                    words.setdefault(word, set()).add(who)
    counts = Counter({word: len(owners) for word, owners in words.items()})
    for word, owners in words.items():
        if counts[word] == 1 and word not in whole:
            whole[word] = list(owners)
    return whole


def _within(char: str, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(first <= ord(char) <= last for first, last in ranges)


def _glued(inside: str, outside: str, *, after: bool) -> bool:
    """Return whether a character beside a name belongs to the same word, as far as one can tell."""
    if _within(inside, _KATAKANA):
        return _within(outside, _KATAKANA)
    if _within(inside, _SPACELESS):
        # A mark belongs to the letter before it.
        return after and unicodedata.category(outside)[0] == "M"
    if unicodedata.category(inside)[0] not in "LNM":
        return False
    if _within(outside, _SPACELESS) or _within(outside, _KATAKANA):
        return False
    return outside == "_" or unicodedata.category(outside)[0] in "LNM"


def _stands_alone(text: str, at: int, end: int) -> bool:
    if at and _glued(text[at], text[at - 1], after=False):
        return False
    if end < len(text) and _glued(text[end - 1], text[end], after=True):
        return False
    # A single Han character is part of countless words: no other may stand beside it.
    one = end - at == 1 and _within(text[at], _SPACELESS)
    beside = text[max(at - 1, 0) : at] + text[end : end + 1]
    return not one or not any(_within(char, _SPACELESS) for char in beside)
