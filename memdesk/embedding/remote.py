"""An embedder on a server: prefixes, cuts and batches that the server takes, and vectors that are checked."""

from __future__ import annotations

import hashlib
import re
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from memdesk.embedding.base import EmbeddingError, EmbeddingSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from memdesk.embedding.pairs import Calibration
    from memdesk.embedding.prefixes import Prefixes

CHARS_PER_TOKEN: Final = 4
"""Latin letters in a token, about; a text of more characters is cut before the server sees it."""

SHORTEST: Final = 200
"""Characters that a server must take: a model that reads less is of no use."""

CACHED_QUERIES: Final = 64


class LimitError(EmbeddingError):
    """A request was beyond a limit of the server: too many `texts` at once, or the `length` of a text."""

    def __init__(self, limit: Literal["texts", "length"], message: str) -> None:
        super().__init__("server", message)
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server was found to take: texts in a request, characters in a text."""

    texts: int
    chars: int


def space_of(base_url: str, model: str, dimension: int, prefixes: Prefixes) -> EmbeddingSpace:
    """Return the space of a server's model; it changes with whatever changes the vectors."""
    maker = "\0".join((base_url, model, str(dimension), prefixes.query, prefixes.passage))
    digest = hashlib.blake2b(maker.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    stem = re.sub(r"[^a-z0-9.]+", "-", model.casefold().split("/")[-1]).strip("-.")[:40] or "model"
    return EmbeddingSpace(f"{stem}-{dimension}-{prefixes.name}-{digest}", model, dimension, prefixes.name)


class RemoteEmbedder:
    """Embeds by asking a server; every method may be called from any thread.

    Limits are found by trying: what is refused for its size is halved, and what works is remembered. Vectors
    are taken whole or not at all: as many as texts, of the space's dimension, finite, of unit length.
    """

    def __init__(
        self,
        space: EmbeddingSpace,
        ask: Callable[[Sequence[str]], list[list[float]]],
        prefixes: Prefixes,
        calibration: Calibration,
        limits: Limits,
        *,
        max_tokens: int = 512,
        remember: Callable[[Limits], None] = lambda _limits: None,
    ) -> None:
        """Wire it; `remember` is told when other limits were found."""
        self._space = space
        self._ask = ask
        self._prefixes = prefixes
        self._calibration = calibration
        self._max_tokens = max_tokens
        self._remember = remember
        self._lock = threading.Lock()
        self._limits = limits
        self._queries: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""
        return self._space

    @property
    def max_tokens(self) -> int:
        """Longest text in tokens that the model reads, as the person set it."""
        return self._max_tokens

    @property
    def limits(self) -> Limits:
        """What the server takes, as far as it is known."""
        return self._limits

    def available(self) -> bool:
        """Say yes: only asking the server would tell, and that takes long."""
        return True

    def calibrate(self, cosines: NDArray[np.float32], background: float | None = None) -> NDArray[np.float32]:
        """Map cosines of this space to similarities from 0 to 1 that mean the same for every model."""
        return self._calibration.apply(cosines, background)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors [texts, dimension] of texts to be found; raise EmbeddingError."""
        return self._embed([self._prefixes.passage + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors [texts, dimension] of texts to search with; raise EmbeddingError."""
        return self._embed([self._prefixes.query + text for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector [dimension] of a text to search with, read-only; raise EmbeddingError."""
        with self._lock:
            known = self._queries.get(text)
            if known is not None:
                self._queries.move_to_end(text)
                return known
        vector: NDArray[np.float32] = self.embed_queries([text])[0]
        vector.setflags(write=False)
        with self._lock:
            self._queries[text] = vector
            while len(self._queries) > CACHED_QUERIES:
                self._queries.popitem(last=False)
        return vector

    def _embed(self, texts: list[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), self._space.dimension), np.float32)
        done = 0
        while done < len(texts):
            limits = self._limits
            part = [text[: limits.chars] for text in texts[done : done + limits.texts]]
            rows = self._some(part)
            vectors[done : done + len(rows)] = rows
            done += len(rows)
        return vectors

    def _some(self, texts: list[str]) -> NDArray[np.float32]:
        """Embed as many of the first texts as the server takes at once, at least one."""
        found = self._limits
        while True:
            try:
                rows = self._ask([text[: found.chars] for text in texts[: found.texts]])
            except LimitError as error:
                smaller = self._smaller(found, texts, error)
                if smaller is None:
                    raise
                found = smaller
                continue
            vectors = self._checked(rows)
            self._settle(found)
            return vectors

    @staticmethod
    def _smaller(found: Limits, texts: list[str], error: LimitError) -> Limits | None:
        """Return smaller limits to try next, None when there are none."""
        sent = min(len(texts), found.texts)
        if sent > 1:
            return replace(found, texts=sent // 2)
        length = min(len(texts[0]), found.chars)
        if error.limit == "length" and length > SHORTEST:
            return replace(found, chars=max(SHORTEST, length // 2))
        return None

    def _settle(self, found: Limits) -> None:
        if found == self._limits:
            return
        with self._lock:
            self._limits = found
        self._remember(found)

    def _checked(self, rows: list[list[float]]) -> NDArray[np.float32]:
        vectors = np.asarray(rows, np.float32)
        if vectors.shape[1] != self._space.dimension:
            raise EmbeddingError(
                "wrong_dimension",
                f"The embedding server makes vectors of {vectors.shape[1]} numbers now, not of"
                f" {self._space.dimension}. Test it again in the preferences.",
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(vectors).all() or not np.isfinite(lengths).all() or not (lengths > 0).all():
            raise EmbeddingError(
                "embedding_failed", "The embedding server sent a vector without any direction."
            )
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit


class GoneEmbedder:
    """Stands for an embedding source that is chosen or whose vectors are there, but that cannot be asked."""

    def __init__(self, space: EmbeddingSpace, message: str, calibration: Calibration) -> None:
        self._space = space
        self._message = message
        self._calibration = calibration

    @property
    def space(self) -> EmbeddingSpace:
        """The space whose vectors are there."""
        return self._space

    @property
    def max_tokens(self) -> int:
        """As the bundled model; nothing is embedded."""
        return 512

    def available(self) -> bool:
        """Say no."""
        return False

    def calibrate(self, cosines: NDArray[np.float32], background: float | None = None) -> NDArray[np.float32]:
        """Map cosines as its space was calibrated."""
        return self._calibration.apply(cosines, background)

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:  # noqa: ARG002 - as every embedder
        """Raise EmbeddingError."""
        raise EmbeddingError("source_gone", self._message)

    def embed_query(self, text: str) -> NDArray[np.float32]:  # noqa: ARG002 - as every embedder
        """Raise EmbeddingError."""
        raise EmbeddingError("source_gone", self._message)
