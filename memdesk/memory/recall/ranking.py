"""How well a memory fits a query: meaning, words and neighbours in one score from 0 to 1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

K1 = 1.2
B = 0.75
"""BM25's usual constants (Robertson and Zaragoza, 2009)."""

WORDS_FLOOR = 0.3
"""A best match by words counts in full only from this share of the ideal match on."""

WEIGHT_DENSE = 0.55
WEIGHT_WORDS = 0.45
"""Shares of meaning and words. Scores are added: rank fusion with a weak half ruins the good half."""

PREVIOUS_CREDIT = 0.25
NEXT_CREDIT = 0.15
"""Credit from the message before and after: an answer stands beside its question."""

CONTEXT_SHARE = 0.25
"""What the surroundings of a query add to it at the most: alone they just reach the usual threshold."""

SPEAKER_FACTOR = 1.2
"""Boost for a speaker whom the query names."""


@dataclass(slots=True)
class Scored:
    """A chunk with its score parts, each 0–1. `turn` is the number of its first source message, or None."""

    chunk_id: int
    turn: int | None = None
    speakers: Sequence[str] = ()
    dense: float = 0.0
    words: float = 0.0
    neighbour: float = 0.0
    speaker: float = 0.0
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)


def bm25(
    query: Sequence[str],
    documents: Mapping[int, Sequence[str]],
    total: int,
    frequency: Mapping[str, int],
) -> dict[int, float]:
    """Score documents by the terms of a query, 0–1, by id.

    Plain BM25 over `total` documents of which `frequency[term]` hold a term, divided by the better of the
    best score found and a floor: a weak best match must not look like a perfect one.
    """
    if not documents or not query:
        return {}
    weight = {
        term: math.log(1 + (total - frequency.get(term, 0) + 0.5) / (frequency.get(term, 0) + 0.5))
        for term in set(query)
        if frequency.get(term, 0)
    }
    average = sum(len(words) for words in documents.values()) / len(documents) or 1.0
    raw = {}
    for chunk_id, words in documents.items():
        counts = Counter(words)
        norm = K1 * (1 - B + B * len(words) / average)
        raw[chunk_id] = sum(
            idf * counts[term] * (K1 + 1) / (counts[term] + norm)
            for term, idf in weight.items()
            if term in counts
        )
    scale = max(*raw.values(), sum(weight.values()) * WORDS_FLOOR)
    return {chunk_id: score / scale for chunk_id, score in raw.items()} if scale > 0 else {}


def with_context(
    scores: Mapping[int, float], context: Mapping[int, float], keys: Iterable[int]
) -> dict[int, float]:
    """Add what the surroundings of a query say to what the query says; both and the sum are 0–1."""
    return {key: min(1.0, scores.get(key, 0.0) + CONTEXT_SHARE * context.get(key, 0.0)) for key in keys}


def fuse(candidates: Sequence[Scored], query: str) -> list[Scored]:
    """Combine the parts of every candidate into its score and sort, best first."""
    base = {item.chunk_id: WEIGHT_DENSE * item.dense + WEIGHT_WORDS * item.words for item in candidates}
    best_at: dict[int, float] = {}
    for item in candidates:
        if item.turn is not None:
            best_at[item.turn] = max(best_at.get(item.turn, 0.0), base[item.chunk_id])
    folded = query.casefold()
    for item in candidates:
        if item.turn is not None:
            item.neighbour = PREVIOUS_CREDIT * best_at.get(item.turn - 1, 0.0)
            item.neighbour += NEXT_CREDIT * best_at.get(item.turn + 1, 0.0)
        named = any(name and name.casefold() in folded for name in item.speakers)
        total = base[item.chunk_id] + item.neighbour
        item.speaker = total * (SPEAKER_FACTOR - 1) if named else 0.0
        item.score = min(1.0, total + item.speaker)
        item.parts = {"meaning": item.dense, "words": item.words, "neighbour": item.neighbour}
        if named:
            item.parts["speaker"] = item.speaker
    return sorted(candidates, key=lambda item: (-item.score, -item.chunk_id))
