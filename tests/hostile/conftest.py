"""A desk for every hostile test: an empty data folder, the command, and the real embedder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import Desk, real_embedder, use_embedder


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, real_embedder)
    return Desk(tmp_path / "data")


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with FakeLLM() as running:
        yield running
