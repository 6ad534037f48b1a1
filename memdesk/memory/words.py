"""Finding by words: what counts as a word in every script, and how SQLite's FTS5 is asked for it."""

from __future__ import annotations

import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

import regex  # type: ignore[import-untyped, unused-ignore]

from memdesk.chats.terms import LETTER, LONGEST_TERM, MANY_MARKS, UNSPACED, encoded
from memdesk.memory.stemming import stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_RUN = regex.compile(
    rf"(?P<pairs>[{UNSPACED}]\p{{M}}*+(?:[{UNSPACED}]\p{{M}}*+)*+)|{LETTER}++(?:['’]{LETTER}++)*+",
    regex.V1,
)
_UNIT = regex.compile(r"\X")
# {{user}}, <br>, [text](address): how a message looks, not what it says.
_MARKUP = regex.compile(r"\{\{[^{}\n]{1,80}\}\}|</?[A-Za-z][^<>\n]{0,200}>|(?<=\])\([a-z]+:[^()\s]{1,500}\)")
_LATIN = regex.compile(r"\p{Latin}")

_ENGLISH = """
a about after again all also am an and any are aren't as at be because been before being but by can can't
cannot could couldn't did didn't do does doesn't doing don't down during each few for from further get got had
hadn't has hasn't have haven't having he he'd he'll he's her here here's hers herself him himself his how
how's i i'd i'll i'm i've if in into is isn't it it's its itself just let's me more most my myself no nor not
now of off oh on once only or other our ours ourselves out over own really same she she'd she'll she's should
shouldn't so some such than that that's the their theirs them themselves then there there's these they they'd
they'll they're they've this those through to too under until up very was wasn't we we'd we'll we're we've
were weren't what what's when when's where where's which while who who's whom why why's will with won't would
wouldn't yes you you'd you'll you're you've your yours yourself yourselves
"""
# Single characters and pairs that carry grammar, not content. Pairs that can be part of a name or a thing
# are left in.
_CHINESE = """
的 了 着 过 是 在 我 你 他 她 它 们 这 那 就 都 也 还 又 很 和 与 跟 吗 呢 吧 啊 呀 哦 嗯
把 被 给 对 从 到 有 没 不 个 地 得
我们 你们 他们 她们 它们 什么 怎么 这个 那个 这里 那里 一个 没有 不是 就是 还是 可以
因为 所以 但是 如果 已经 自己 这样 那样
的是 了吗 的吗 我的 你的 他的 她的 我是 你是 他是 她是 我在 你在 是我 是你 不了 是不 有没
這個 那個 這裡 那裡 一個 沒有 還是 因為 什麼 怎麼 這樣 那樣 們 這 個 嗎 沒 過 還 對 從 給
"""
STOP_WORDS = frozenset(word.replace("'", "") for word in _ENGLISH.split()) | frozenset(_CHINESE.split())
"""Words that are no terms. Own lists; English without apostrophes."""


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repeated as they occur.

    Compatibility forms, case and Latin accents are levelled; English endings are cut (`stemming`), stop
    words and markup are left out. Chinese, Japanese, Korean and South-East Asian text gives overlapping
    pairs of characters, and a single character where one stands alone. A term holds letters and digits
    only and has at most LONGEST_TERM characters.
    """
    return list(_terms(text))


def index_text(text: str) -> str:
    """Return the terms as text for an FTS5 column with the unicode61 tokenizer, one token for each term."""
    return " ".join(map(encoded, _terms(text)))


def match_query(text: str, limit_terms: int = 32) -> str | None:
    """Return an FTS5 expression that matches any term of the text, None when it has no terms.

    Of more than `limit_terms` different terms the longest are taken, earlier ones first: they are rarer.
    """
    found = list(dict.fromkeys(_terms(text)))
    if len(found) > limit_terms:
        longest = sorted(range(len(found)), key=lambda place: -len(found[place]))[: max(limit_terms, 0)]
        found = [found[place] for place in sorted(longest)]
    return " OR ".join(f'"{encoded(term)}"' for term in found) or None


def _terms(text: str) -> Iterator[str]:
    tamed = MANY_MARKS.sub(r"\1", _MARKUP.sub(" ", text))
    plain = unicodedata.normalize("NFKC", tamed).casefold()
    for match in _RUN.finditer(plain):
        if match["pairs"] is not None:
            yield from _pairs(match[0])
            continue
        word = _word(match[0][: 2 * LONGEST_TERM])
        if word not in STOP_WORDS and any(map(str.isalnum, word)):
            yield stem(word)[:LONGEST_TERM]


def _word(raw: str) -> str:
    """Take the possessive ending, apostrophes and Latin accents off a word."""
    word = raw.replace("’", "'").removesuffix("'s").replace("'", "")
    if word.isascii() or not _LATIN.search(word):
        return word
    bare = (char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))
    return "".join(bare)


def _pairs(run: str) -> Iterator[str]:
    units = _UNIT.findall(run)
    if len(units) == 1:
        candidates: Iterable[str] = units
    else:
        candidates = (first + second for first, second in pairwise(units))
    for pair in candidates:
        if pair not in STOP_WORDS:
            yield pair[:LONGEST_TERM]
