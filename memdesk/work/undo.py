"""How an act is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undo:
    """How to take an act back: what the person reads, and what does it.

    Acts in a row with an equal `key` are one act: the undo of the first takes all of them back.
    """

    label: str
    run: Callable[[], object]
    key: object = None
