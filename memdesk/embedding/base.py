"""What every embedder can do: turn texts into vectors of one embedding space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Which vectors may be compared with each other.

    `id` is a short ASCII name that changes whenever the vectors do; `prefix_profile` names how texts are
    introduced to the model ("e5": "query: " and "passage: ").
    """

    id: str
    model: str
    dimension: int
    prefix_profile: str


class EmbeddingError(Exception):
    """Text could not be embedded.

    `code` is stable: "model_missing", "model_broken" (file named in `message`), "runtime_missing" (the
    ONNX Runtime or the tokenizer package cannot be loaded), "embedding_failed", "server" (an embedding server
    failed), "wrong_dimension" (it makes other vectors than it did) or "source_gone".
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors. All methods may be called from any thread."""

    @property
    def space(self) -> EmbeddingSpace:
        """The space its vectors live in."""

    @property
    def max_tokens(self) -> int:
        """Longest text in tokens, prefix and special tokens included; the rest is cut off."""

    def available(self) -> bool:
        """Say cheaply whether embedding is likely to work now."""

    def calibrate(self, cosines: NDArray[np.float32], background: float | None = None) -> NDArray[np.float32]:
        """Map cosines of this space to similarities from 0 to 1 that mean the same for every model.

        `background` is the median cosine of the query with texts that were not chosen for it, if known.
        """

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors [texts, dimension] of texts to be found; raise EmbeddingError."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return the unit vector [dimension] of a text to search with; raise EmbeddingError."""
