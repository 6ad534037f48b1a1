"""Chroma's client as the search index uses it: opened without telemetry, never embedding by itself."""

from __future__ import annotations

import functools
import gc
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection
    from numpy.typing import NDArray

EF_SEARCH = 256
"""Candidates looked at per query. Chroma's 100 finds 99.5 % of the true ten nearest on real text; more is
cheap at our sizes (about 1 ms at 10,000 rows)."""


def created(client: ClientAPI, name: str, owner: str, space: str) -> Collection:
    """Return a collection, made when it is not there."""
    return client.get_or_create_collection(
        name,
        embedding_function=refusing_function(),
        metadata={"owner": owner, "space": space},
        configuration={"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
    )


def fill(collection: Collection, ids: Sequence[str], vectors: NDArray[np.float32], size: int) -> None:
    """Add vectors, `size` rows in a call."""
    for start in range(0, len(ids), size):
        collection.upsert(ids=list(ids[start : start + size]), embeddings=vectors[start : start + size])
        # The window gets its turn.
        time.sleep(0)


def open_client(folder: Path) -> ClientAPI:
    """Open the index in a folder, made when it is not there."""
    import chromadb  # noqa: PLC0415 - slow to import
    from chromadb.config import Settings  # noqa: PLC0415

    # A stray .env file in the working directory must not reconfigure the index.
    settings = Settings(_env_file=None, anonymized_telemetry=False)  # type: ignore[call-arg, unused-ignore]
    client: ClientAPI = chromadb.PersistentClient(path=str(folder), settings=settings)
    return client


def forget_client(folder: Path) -> None:
    """Drop a client that failed to open: Chroma keeps it, and would hand it out at the next try."""
    try:
        from chromadb.api.shared_system_client import SharedSystemClient  # noqa: PLC0415 - slow to import
    except ImportError:
        return
    SharedSystemClient._identifier_to_system.pop(str(folder), None)  # noqa: SLF001 - no public way
    gc.collect()


@functools.cache
def refusing_function() -> Any:  # noqa: ANN401 - a class of Chroma, imported lazily
    """Return an embedding function that refuses: Chroma's own would download a model."""
    from chromadb.api.types import EmbeddingFunction  # noqa: PLC0415 - slow to import
    from chromadb.utils.embedding_functions import register_embedding_function  # noqa: PLC0415

    class Refusing(EmbeddingFunction[Any]):  # type: ignore[misc, unused-ignore]
        def __init__(self) -> None:
            pass

        def __call__(self, input: Any) -> Any:  # noqa: A002, ANN401, ARG002 - as Chroma calls it
            raise RuntimeError("memdesk gives vectors to Chroma, never text")

        @staticmethod
        def name() -> str:
            return "memdesk-refusing"

        def get_config(self) -> dict[str, Any]:
            return {}

        @staticmethod
        def build_from_config(config: dict[str, Any]) -> Any:  # noqa: ANN401, ARG004 - as Chroma calls it
            return Refusing()

    # Known by name, it is found again when a collection is opened after a restart, without a warning.
    register_embedding_function(Refusing)
    return Refusing()
