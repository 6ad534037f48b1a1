"""The design tokens as typed values, and the arithmetic of contrast.

`load_tokens()` reads `resources/themes/tokens.json` once. Colours are (light, dark) pairs of `#rrggbb`.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from memdesk.assets import asset

CONTEXT_SOURCES = (
    "instructions",
    "character",
    "summary",
    "memory",
    "databank",
    "lore",
    "history",
    "reply",
)
"""The sources of a prompt in the order in which the context bar shows them."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The values of tokens.json; sizes in device-independent pixels at 100 %, times in milliseconds."""

    color: dict[str, tuple[str, str]]
    context: dict[str, tuple[str, str]]
    space: tuple[int, ...]
    radius: dict[str, int]
    font: dict[str, str | float]
    size: dict[str, int]
    motion: dict[str, int]


def _pairs(raw: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {name: (pair[0], pair[1]) for name, pair in raw.items() if isinstance(pair, list)}


@functools.cache
def load_tokens() -> Tokens:
    """Read the shipped tokens.

    Raises OSError or ValueError when the installation is damaged.
    """
    raw = json.loads(asset("themes", "tokens.json").read_text(encoding="utf-8"))
    return Tokens(
        color=_pairs(raw["color"]),
        context=_pairs(raw["context"]),
        space=tuple(raw["space"]),
        radius=dict(raw["radius"]),
        font=dict(raw["font"]),
        size=dict(raw["size"]),
        motion=dict(raw["motion"]),
    )


def luminance(color: str) -> float:
    """Return the relative luminance (0 to 1) of `#rrggbb`, as WCAG 2.2 defines it."""

    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(color[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio (1 to 21) of two `#rrggbb` colours, as WCAG 2.2 defines it."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)
