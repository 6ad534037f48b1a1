"""A workspace with the quick embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, use_embedder


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    made = WordEmbedder()
    use_embedder(monkeypatch, lambda _folder: made)
    return made


@pytest.fixture
def workspace(tmp_path: Path, embedder: WordEmbedder) -> Iterator[Workspace]:  # noqa: ARG001 — used by opening
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened
