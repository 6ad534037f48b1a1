"""How well a memory fits a query: meaning, words and neighbours in one score from 0 to 1."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from memdesk.memory.recall.words import index_text, terms

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

WEIGHT_DENSE = 0.5
WEIGHT_WORDS = 0.5
"""Shares of meaning and words. Scores are added: rank fusion with a weak half ruins the good half."""

CREDITS = {-1: 0.4, 1: 0.25, -2: 0.15, 2: 0.1}
"""Credit from the messages around, by distance: an answer stands beside its question."""

REACH = 2
"""How many messages away credit reaches."""

ASKED_FACTOR = 1.5
"""How much more the message before lends when it ends with a question."""

QUESTION_TAIL = 60
"""Characters at the end of a message in which a question mark makes it a question."""

SCENE_SECONDS = 6 * 3600.0
"""Messages further apart in time belong to different scenes and lend each other nothing."""

CONTEXT_SHARE = 0.25
"""What the surroundings of a query add to it at the most: alone they just reach the usual threshold."""

SPEAKER_FACTOR = 1.3
"""Boost for a speaker whom the query names."""


RECENCY = 0.02
"""What being the newest adds at the most where newer is better among equals: less than any difference."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a chat wants to count beside meaning and words; `pinned` chunks get no credit for being new."""

    neighbours: bool = True
    speakers: bool = True
    recency: bool = False
    pinned: frozenset[int] = frozenset()


@dataclass(slots=True)
class Scored:
    """A chunk with its score parts, each 0 or more.

    `turn` is the number of its first source message or None, `last` that of its last, `time` when it was
    said in seconds, `asks` whether it ends with a question.
    """

    chunk_id: int
    turn: int | None = None
    last: int | None = None
    speakers: Sequence[str] = ()
    dense: float = 0.0
    words: float = 0.0
    time: float = 0.0
    asks: bool = False
    neighbour: float = 0.0
    speaker: float = 0.0
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)


def ends_with_question(text: str) -> bool:
    """Return whether a question mark of any script stands near the end of a text."""
    return not _QUESTION_MARKS.isdisjoint(text.rstrip()[-QUESTION_TAIL:])


_QUESTION_MARKS = frozenset("?？؟;⸮")


def without_names(query: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the indexed terms of a query but for those that name a speaker; all when nothing else is left.

    A name in a message is mostly somebody else speaking *to* its owner; what its owner says is found by
    the speaker.
    """
    owned = {term for name in names for term in index_text(name).split()}
    return [term for term in query if term not in owned] or list(query)


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


def with_context(
    scores: Mapping[int, float], context: Mapping[int, float], keys: Iterable[int]
) -> dict[int, float]:
    """Add what the surroundings of a query say to what the query says; both and the sum are 0–1."""
    return {key: min(1.0, scores.get(key, 0.0) + CONTEXT_SHARE * context.get(key, 0.0)) for key in keys}


def fuse(candidates: Sequence[Scored], query: str, options: Options | None = None) -> list[Scored]:
    """Combine the parts of every candidate into its score and sort, best first."""
    options = options or Options()
    base = {item.chunk_id: WEIGHT_DENSE * item.dense + WEIGHT_WORDS * item.words for item in candidates}
    before = _best_at(candidates, base, lambda item: item.turn if item.last is None else item.last)
    after = _best_at(candidates, base, lambda item: item.turn)
    asking = {item.chunk_id for item in candidates if item.asks}
    named = _named({name for item in candidates for name in item.speakers}, query)
    newest = max((item.turn for item in candidates if item.turn is not None), default=0)
    for item in candidates:
        item.neighbour = _credit(item, before, after, asking, base) if options.neighbours else 0.0
        total = base[item.chunk_id] + item.neighbour
        boosted = options.speakers and not named.isdisjoint(item.speakers)
        item.speaker = total * (SPEAKER_FACTOR - 1) if boosted else 0.0
        item.parts = {"meaning": item.dense, "words": item.words, "neighbour": item.neighbour}
        if boosted:
            item.parts["speaker"] = item.speaker
        total += item.speaker
        if options.recency and item.turn is not None and item.chunk_id not in options.pinned:
            item.parts["recency"] = RECENCY * item.turn / newest
            total += item.parts["recency"]
        # Small sums stay what they are, large ones never meet at 1, where nothing could tell them apart.
        item.score = math.tanh(total)
    return sorted(candidates, key=lambda item: (-item.score, -item.chunk_id))


def _best_at(
    candidates: Iterable[Scored], base: Mapping[int, float], place: Callable[[Scored], int | None]
) -> dict[int, Scored]:
    """Return the best candidate at each place in the story."""
    found: dict[int, Scored] = {}
    for item in candidates:
        turn = place(item)
        if turn is not None:
            best = found.get(turn)
            if best is None or (base[item.chunk_id], item.chunk_id) > (base[best.chunk_id], best.chunk_id):
                found[turn] = item
    return found


def _credit(
    item: Scored,
    before: Mapping[int, Scored],
    after: Mapping[int, Scored],
    asking: Collection[int],
    base: Mapping[int, float],
) -> float:
    """Return what the memories around lend a candidate.

    `before` has the best one that ends at a message, `after` the best one that begins there: several
    messages in one memory are one place.
    """
    if item.turn is None:
        return 0.0
    credit = 0.0
    last = item.turn if item.last is None else item.last
    for distance, share in CREDITS.items():
        other = before.get(item.turn + distance) if distance < 0 else after.get(last + distance)
        if other is None or abs(other.time - item.time) > SCENE_SECONDS:
            continue
        factor = ASKED_FACTOR if distance == -1 and other.chunk_id in asking else 1.0
        credit += share * factor * base[other.chunk_id]
    return credit


def _named(speakers: set[str], query: str) -> set[str]:
    """Return the speakers whom a query names, in whole or in part; nobody when it names all of them."""
    asked = set(terms(query))
    named = {name for name in speakers if not asked.isdisjoint(terms(name))}
    return named if named != speakers else set()
