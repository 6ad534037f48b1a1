"""What recall asks for: the newest message first, what came before it as context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memdesk.chats.model import Message
from memdesk.memory.words import terms

ENOUGH_WORDS = 1.5
"""A query with fewer content words (“嗯”, “go on”, “然后呢”) says too little to search with.

A question with one whole word says enough: “When is your birthday?” must not be drowned by what came before.
"""

PAIR_WORDS = 0.5
"""Content words in a term that is a pair of Han, kana or hangul characters: pairs overlap, words do not."""

FIRST_PAIRED = "\u2e80"
"""From here on lie the scripts whose terms are pairs (the CJK radicals begin the block)."""

REACH_BACK = 8
"""How many messages a query may reach back at the most."""

QUERY_CHARS = 2000
"""A query is cut here: the embedder reads some 512 tokens, and words beyond add noise."""


QUESTION_TAIL = 60
"""Characters at the end of a message in which a question mark makes it a question."""

_QUESTION_MARKS = frozenset("?？؟;⸮")


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for, and what surrounds it: a long reply before a short question must not drown it."""

    text: str
    context: str = ""

    @property
    def shown(self) -> str:
        """The whole query, as a receipt shows it."""
        return "\n".join(filter(None, (self.text, self.context)))


def plain_query(text: str) -> Query:
    """Return a query for one text."""
    return Query(text.strip()[:QUERY_CHARS])


def query_from(history: Sequence[Message], newest: int, *, expand: bool = True) -> Query:
    """Build the query from the `newest` messages with text.

    The newest one is what is searched for; while it holds fewer than `ENOUGH_WORDS`, the ones before it join
    it, unless it is not to `expand`. The rest of the `newest` is context.
    """
    wanted: list[str] = []
    context: list[str] = []
    found: set[str] = set()
    for message in reversed(history[-max(newest, REACH_BACK) :]):
        text = message.text.strip()[:QUERY_CHARS]
        if message.hidden or not text:
            continue
        enough = _says_enough(wanted, found) if expand else bool(wanted)
        if len(wanted) + len(context) >= newest and enough:
            break
        (context if enough else wanted).append(text)
        found.update(terms(text))
    return Query("\n".join(wanted)[:QUERY_CHARS], "\n".join(context)[:QUERY_CHARS])


def _says_enough(wanted: Sequence[str], found: set[str]) -> bool:
    if wanted and ends_with_question(wanted[0]) and any(term[0] < FIRST_PAIRED for term in found):
        return True
    return _words(found) >= ENOUGH_WORDS


def _words(found: set[str]) -> float:
    """Return about how many content words a set of terms stands for."""
    return sum(1.0 if term[0] < FIRST_PAIRED else PAIR_WORDS for term in found)


def ends_with_question(text: str) -> bool:
    """Return whether a question mark of any script stands near the end of a text."""
    return not _QUESTION_MARKS.isdisjoint(text.rstrip()[-QUESTION_TAIL:])
