"""A workspace with the quick embedder, and its stores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, use_embedder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened
