"""How an act is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undo:
    """How to take an act back: what the person reads, and what does it."""

    label: str
    run: Callable[[], object]
