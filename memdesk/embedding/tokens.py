"""Counting tokens: with the bundled tokenizer when it is in memory, by an estimate until then."""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

import regex  # type: ignore[import-untyped, unused-ignore]

from memdesk.embedding.base import EmbeddingError
from memdesk.embedding.tokenizer import tokenizer_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from memdesk.embedding.tokenizer import Tokenizer

PIECE_CHARS = 2_000
"""Texts are tokenised in pieces of about this size, cut at white space where there is some."""
EXACT_CHARS = 100_000
"""Longer texts are sampled: SAMPLES pieces are counted and the sum is scaled up."""
SAMPLES = 24
CACHE_FROM_CHARS = 200
CACHED_COUNTS = 4_096
CHARS_PER_TOKEN = 4.0
"""Rule of thumb for text in Latin, Cyrillic and other alphabets."""

_WIDE = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{So}]")
_GRAPHEME = regex.compile(r"\X")
_SPACE = regex.compile(r"\s")


def estimate_tokens(text: str) -> int:
    """Estimate tokens without a tokenizer: one per CJK character or emoji, else one per 4 characters."""
    wide = sum(1 for _ in _WIDE.finditer(text))
    return wide + math.ceil((len(text) - wide) / CHARS_PER_TOKEN)


class TokenCounter:
    """Counts the tokens of texts, without the special ones at begin and end; safe in every thread.

    Counting never loads the tokenizer, because it may happen in the window's thread: call `load` on a
    worker first. Until then, and when the file is missing or broken, counts are `estimate_tokens`.
    """

    def __init__(self, folder: Path) -> None:
        """Count with the tokenizer of a model folder, shared with the embedder."""
        self._file = tokenizer_file(folder)
        self._lock = threading.Lock()
        self._known: OrderedDict[bytes, int] = OrderedDict()

    @property
    def exact(self) -> bool:
        """Whether the tokenizer is in memory, so that counts are not estimates."""
        return self._file.loaded is not None

    def load(self) -> bool:
        """Load the tokenizer (about half a second at the first call) and say whether counts are exact now."""
        try:
            self._file.get()
        except EmbeddingError:
            return False
        return True

    def count(self, text: str) -> int:
        """Return the number of tokens; over 100,000 characters an extrapolation from samples."""
        tokenizer = self._file.loaded
        if not text:
            return 0
        if tokenizer is None:
            return estimate_tokens(text)
        if len(text) < CACHE_FROM_CHARS:
            return _count_pieces(tokenizer, text)
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known
        tokens = _count_pieces(tokenizer, text)
        with self._lock:
            self._known[key] = tokens
            while len(self._known) > CACHED_COUNTS:
                self._known.popitem(last=False)
        return tokens

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text."""
        return [self.count(text) for text in texts]

    def cut(self, text: str, max_tokens: int) -> str:
        """Return the longest beginning found with at most `max_tokens` tokens, whole graphemes only."""
        if max_tokens <= 0:
            return ""
        tokenizer = self._file.loaded
        end = _end_by_estimate(text, max_tokens) if tokenizer is None else _end(tokenizer, text, max_tokens)
        if end >= len(text):
            return text
        kept = text[: _grapheme_end(text, end)]
        # A shorter text may be divided differently, into more tokens.
        step = 1
        while kept and self.count(kept) > max_tokens:
            kept = kept[: _grapheme_end(kept, max(len(kept) - step, 0))]
            step *= 2
        return kept


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield consecutive places (start, end) of up to PIECE_CHARS characters, cut before white space."""
    start = 0
    while start < len(text):
        end = min(start + PIECE_CHARS, len(text))
        if end < len(text):
            last = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end))
            end = last if last > start else end
        yield start, end
        start = end


def _count_piece(tokenizer: Tokenizer, text: str) -> int:
    return tokenizer.count(text)


def _count_pieces(tokenizer: Tokenizer, text: str) -> int:
    if len(text) <= EXACT_CHARS:
        return sum(_count_piece(tokenizer, text[start:end]) for start, end in _pieces(text))
    step = (len(text) - PIECE_CHARS) / (SAMPLES - 1)
    starts = [round(number * step) for number in range(SAMPLES)]
    counted = sum(_count_piece(tokenizer, text[start : start + PIECE_CHARS]) for start in starts)
    return round(counted * len(text) / (SAMPLES * PIECE_CHARS))


def _end(tokenizer: Tokenizer, text: str, max_tokens: int) -> int:
    """Return where the token after the last allowed one begins."""
    left = max_tokens
    for start, end in _pieces(text):
        begins = tokenizer.begins(text[start:end])
        if len(begins) > left:
            return start + begins[left]
        left -= len(begins)
    return len(text)


def _end_by_estimate(text: str, max_tokens: int) -> int:
    low, high = 0, min(len(text), int(max_tokens * CHARS_PER_TOKEN))
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(text[:middle]) <= max_tokens:
            low = middle
        else:
            high = middle - 1
    return low


def _grapheme_end(text: str, end: int) -> int:
    """Return the last grapheme boundary at or before `end`."""
    # Clusters are rarely longer than a flag or a family; begin at white space to be sure.
    start = end
    while start > 0 and end - start < PIECE_CHARS and not _SPACE.match(text, start - 1):
        start -= 1
    boundary = start
    for match in _GRAPHEME.finditer(text, start, min(len(text), end + 64)):
        if match.end() > end:
            break
        boundary = match.end()
    return boundary
