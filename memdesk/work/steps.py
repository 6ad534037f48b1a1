"""Telling how far a long piece of work is, and ending it between two steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from memdesk.work.cancel import CancelToken

Item = TypeVar("Item")

Progress = Callable[[int, int], None]
"""Told (done, total), on the thread that works."""

TOLD_EVERY = 100


def quiet(_done: int, _total: int) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class Steps:
    """Passes things on one by one, in `rounds` of `total`, and tells how far that is.

    Raises `Cancelled` before the next one when that is wanted.
    """

    total: int
    progress: Progress
    cancel: CancelToken
    rounds: int = 1
    done: int = 0

    def __call__(self, items: Iterable[Item]) -> Iterator[Item]:
        """Pass on the items of one round."""
        for item in items:
            self.cancel.raise_if_cancelled()
            yield item
            self.done += 1
            if self.done % TOLD_EVERY == 0 or self.done == self.total * self.rounds:
                self.progress(self.done // self.rounds, self.total)
