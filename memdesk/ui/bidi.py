"""Names that run from right to left, kept from mixing with what stands beside them."""

from __future__ import annotations

import unicodedata

_MIXES = {"R", "AL", "AN", "LRE", "LRO", "RLE", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
_CONTROLS = dict.fromkeys(map(ord, "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))


def isolated(text: str) -> str:
    """Return a text that keeps its own direction inside a line, and leaves the line its own.

    What runs from left to right is returned as it is; anything else is set between U+2068 and U+2069
    (Unicode Standard Annex 9) without the controls it brought along, which could end the isolation.
    """
    if not any(unicodedata.bidirectional(sign) in _MIXES for sign in text):
        return text
    return f"\u2068{text.translate(_CONTROLS)}\u2069"
