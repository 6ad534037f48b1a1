"""What counts as a word in every script, and how SQLite's FTS5 is given it: shared by finding and recall."""

from __future__ import annotations

import regex  # type: ignore[import-untyped, unused-ignore]

LONGEST_TERM = 64
"""Characters of a term that are kept."""

# Written without spaces between words, so found by pairs of neighbouring characters: FTS5's own tokenizers
# find no two-character word inside Chinese text.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々〆〇"
LETTER = rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]"

# Python sorts runs of combining marks in quadratic time: half a million of them would take hours.
MANY_MARKS = regex.compile(r"(\p{M}{16})\p{M}++")

# Letters that unicode61 keeps together in every SQLite since 3.9 (its tables are those of Unicode 6.1).
KEPT_WHOLE = regex.compile(
    r"[0-9a-z\u00DF-\u00F6\u00F8-\u024F\u0370-\u0373\u0376\u0377\u037B-\u037D\u0386\u0388-\u03FF"
    r"\u0400-\u0481\u048A-\u0525\u05D0-\u05EA\u0620-\u064A\u3041-\u3096\u30A1-\u30FA\u30FC"
    r"\u3400-\u4DB5\u4E00-\u9FCC\uAC00-\uD7A3]++"
)


def encoded(term: str) -> str:
    """Spell a term so that unicode61 neither splits nor drops it: scripts it does not know become hex."""
    if KEPT_WHOLE.fullmatch(term):
        return term
    return "u" + "u".join(f"{ord(char):x}" for char in term)
