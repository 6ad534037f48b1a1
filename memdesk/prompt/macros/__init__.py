"""Macros: {{user}}, {{char}} and their kin, replaced when a prompt or a greeting is made."""

from __future__ import annotations

from collections.abc import Callable

from memdesk.prompt.macros.engine import Surroundings, expand
from memdesk.prompt.macros.variables import Changes, Variables

__all__ = ["Changes", "Surroundings", "Variables", "expand", "expander"]


def expander(
    user: str, char: str, *, around: Surroundings | None = None, **more: str
) -> Callable[[str], str]:
    """Return a function that expands {{user}}, {{char}} and the given others.

    With `around` it also expands what tells the time, rolls dice and the like.
    """
    values = {"user": user, "char": char, **more}
    return lambda text: expand(text, values, around=around)
