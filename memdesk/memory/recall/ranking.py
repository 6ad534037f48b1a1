"""How well a memory fits a query: meaning, words and neighbours in one score from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memdesk.memory.words import index_text, terms

WEIGHT_DENSE = 0.5
WEIGHT_WORDS = 0.5
"""Shares of meaning and words. Scores are added: rank fusion with a weak half ruins the good half."""

CREDITS = {-1: 0.4, 1: 0.25, -2: 0.15, 2: 0.1}
"""Credit from the messages around, by distance: an answer stands beside its question."""

REACH = 2
"""How many messages away credit reaches."""

ASKED_FACTOR = 1.5
"""How much more the message before lends when it ends with a question."""

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


def without_names(query: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the indexed terms of a query but for those that name a speaker; all when nothing else is left.

    A name in a message is mostly somebody else speaking *to* its owner; what its owner says is found by
    the speaker.
    """
    owned = {term for name in names for term in index_text(name).split()}
    return [term for term in query if term not in owned] or list(query)


def with_context(
    scores: Mapping[int, float], context: Mapping[int, float], keys: Iterable[int]
) -> dict[int, float]:
    """Add what the surroundings of a query say to what the query says; both and the sum are 0–1."""
    return {key: min(1.0, scores.get(key, 0.0) + CONTEXT_SHARE * context.get(key, 0.0)) for key in keys}


def fuse(
    candidates: Sequence[Scored], query: str, options: Options | None = None, *, by_words: bool = False
) -> list[Scored]:
    """Combine the parts of every candidate into its score and sort, best first.

    Where nothing can be compared by meaning, words are all there is (`by_words`) and count in full.
    """
    options = options or Options()
    share = WEIGHT_DENSE + WEIGHT_WORDS if by_words else WEIGHT_WORDS
    base = {item.chunk_id: WEIGHT_DENSE * item.dense + share * item.words for item in candidates}
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
