"""Embedding servers for tests: the fake server with vectors that make sense, or are quick."""

from __future__ import annotations

import functools
import hashlib
from typing import Any

from memdesk.llm.embedder_profile import EmbedderProfile
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import real_embedder

DIMENSION = 48


@functools.lru_cache(4096)
def sensible(text: str) -> tuple[float, ...]:
    """The bundled model's vector: what belongs together is near."""
    return tuple(float(number) for number in real_embedder().embed_passages([text])[0])


@functools.lru_cache(4096)
def english_only(text: str) -> tuple[float, ...]:
    """The same, but every Chinese text is noise."""
    return sensible(text) if text.isascii() else nonsense(text)


@functools.lru_cache(4096)
def nonsense(text: str) -> tuple[float, ...]:
    """A direction that has nothing to do with what is said."""
    digest = hashlib.shake_128(text.encode("utf-8", "surrogatepass")).digest(384)
    return tuple(byte - 127.5 for byte in digest)


def by_words(text: str) -> list[float]:
    """Equal words give equal directions, in another space than `WordEmbedder`."""
    vector = [0.01] + [0.0] * (DIMENSION - 1)
    for word in text.casefold().split():
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=2).digest()
        vector[int.from_bytes(digest) % DIMENSION] += 1.0
    return vector


def source(server: FakeLLM, **changes: Any) -> EmbedderProfile:
    """A source at the server that is tested already, for `by_words`."""
    values: dict[str, Any] = {
        "name": "Home server",
        "base_url": server.base_url,
        "model": "words",
        "dimension": DIMENSION,
        "background": 0.0,
        "certain": 1.0,
        "timeout_seconds": 10.0,
    }
    return EmbedderProfile(**(values | changes))
