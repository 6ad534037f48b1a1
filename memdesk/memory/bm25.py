"""How well texts fit a query by their words, from 0 to 1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

K1 = 1.2
"""BM25's usual constant for repeated terms (Robertson and Zaragoza, 2009)."""

B = 0.5
"""How much length counts in BM25; the usual 0.75 is made for documents, and turns differ less in kind."""

PHRASE_SHARE = 0.3
"""Two terms that stand side by side as in the query count this much of their rarity on top."""

BREADTH = 0.3
"""Exponent of the share of the query's terms that are found: three words of five beat one said thrice."""

WORDS_FLOOR = 0.7
"""A best match by words counts in full only from this share of the ideal match on."""


def bm25(
    query: Sequence[str],
    documents: Mapping[int, Sequence[str]],
    total: int,
    frequency: Mapping[str, int],
) -> dict[int, float]:
    """Score documents by the terms of a query, in order, 0–1, by id.

    BM25 over `total` documents of which `frequency[term]` hold a term, with credit for phrases and for the
    share of the query that is found; divided by the better of the best score found and a floor: a weak
    best match must not look like a perfect one.
    """
    if not documents or not query:
        return {}
    weight = {term: _rarity(total, frequency.get(term, 0)) for term in set(query) if frequency.get(term, 0)}
    average = sum(len(words) for words in documents.values()) / len(documents) or 1.0
    present = {chunk_id: weight.keys() & set(words) for chunk_id, words in documents.items()}
    phrases = _phrases(query, documents, present, total)
    raw = {}
    for chunk_id, words in documents.items():
        norm = K1 * (1 - B + B * len(words) / average)
        held = present[chunk_id]
        found = [(idf, words.count(term)) for term, idf in weight.items() if term in held]
        score = sum(idf * count * (K1 + 1) / (count + norm) for idf, count in found)
        score += PHRASE_SHARE * phrases.get(chunk_id, 0.0)
        raw[chunk_id] = score * (len(found) / len(weight)) ** BREADTH if found else 0.0
    scale = max(*raw.values(), sum(weight.values()) * WORDS_FLOOR)
    return {chunk_id: score / scale for chunk_id, score in raw.items()} if scale > 0 else {}


def _rarity(total: int, frequency: int) -> float:
    return math.log(1 + max(0, total - frequency + 0.5) / (frequency + 0.5))


def _phrases(
    query: Sequence[str],
    documents: Mapping[int, Sequence[str]],
    present: Mapping[int, Collection[str]],
    total: int,
) -> dict[int, float]:
    """Return the rarity of the query's pairs of neighbouring terms, summed by document that holds them.

    `present` names the query's terms that each document holds: one with fewer than two holds no pair.
    """
    wanted = {pair for pair in pairwise(query) if pair[0] != pair[1]}
    held = {
        chunk_id: wanted.intersection(pairwise(documents[chunk_id]))
        for chunk_id, found in present.items()
        if wanted and len(found) > 1
    }
    frequency = Counter(pair for pairs in held.values() for pair in pairs)
    rarity = {pair: _rarity(max(total, len(documents)), count) for pair, count in frequency.items()}
    return {chunk_id: sum(rarity[pair] for pair in pairs) for chunk_id, pairs in held.items() if pairs}
