"""A real data folder with a session of the window on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from memdesk.ui.background import Background
from memdesk.ui.session import Session
from memdesk.workspace import Workspace
from tests.support.workspaces import real_embedder, use_embedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """An empty data folder without background work; its embedder is the real one, loaded once."""
    use_embedder(monkeypatch, lambda _folder: real_embedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


@pytest.fixture
def session(workspace: Workspace, qtbot: object) -> Iterator[Session]:  # noqa: ARG001
    background = Background()
    made = Session(workspace, background)
    yield made
    made.close()
    background.close()
    made.deleteLater()
    background.deleteLater()
