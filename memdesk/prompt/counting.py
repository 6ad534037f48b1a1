"""Counting tokens ahead of time: a prompt looks sizes up, it does not compute them."""

from __future__ import annotations

from collections.abc import Callable

from memdesk.store.messages import MessageStore
from memdesk.work.cancel import CancelToken

BATCH = 200
"""Messages counted in one transaction."""


def count_missing(messages: MessageStore, count: Callable[[str], int], cancel: CancelToken) -> int:
    """Count the tokens of every message that has none yet; returns how many were counted."""
    done = 0
    while not cancel.cancelled and (batch := messages.uncounted(BATCH)):
        messages.set_tokens([(swipe_id, count(text)) for swipe_id, text in batch])
        done += len(batch)
    return done
