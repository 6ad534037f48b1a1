"""What recall asks for: the newest messages, and further back while they carry too little."""

from __future__ import annotations

from collections.abc import Sequence

from memdesk.chats.model import Message
from memdesk.memory.recall.words import terms

ENOUGH_TERMS = 4
"""A query with fewer content words (“嗯”, “go on”) says too little to search with."""

REACH_BACK = 8
"""How many messages a query may reach back at the most."""

QUERY_CHARS = 2000
"""A query is cut here: the embedder reads some 512 tokens, and words beyond add noise."""


def query_from(history: Sequence[Message], newest: int) -> str:
    """Build the query from the newest messages with text, newest first."""
    texts: list[str] = []
    found: set[str] = set()
    for message in reversed(history[-max(newest, REACH_BACK) :]):
        text = message.text.strip()
        if message.hidden or not text:
            continue
        if len(texts) >= newest and len(found) >= ENOUGH_TERMS:
            break
        texts.append(text[:QUERY_CHARS])
        found.update(terms(text[:QUERY_CHARS]))
    return "\n".join(texts)[:QUERY_CHARS]
