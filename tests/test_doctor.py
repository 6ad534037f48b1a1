from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memdesk.doctor import PACKAGES, examine
from memdesk.memory.recall.search import owner
from memdesk.store.index_errors import IndexUnavailable
from memdesk.workspace import Workspace
from tests.support.workspaces import real_embedder, sync, talk, use_embedder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, real_embedder)
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


def test_a_healthy_folder(workspace: Workspace) -> None:
    talk(workspace, "Hello there.", "Good day.")
    sync(workspace)
    report = examine(workspace)
    assert report["ok"] is True
    assert report["problems"] == []
    assert set(PACKAGES) <= report["versions"].keys()
    assert "missing" not in report["versions"].values()
    assert report["database"]["messages"] == report["database"]["vectors"] == 2
    assert report["keys"] == "file"
    assert "Demo voice" in report["connection"]
    for path in report["paths"].values():
        assert str(workspace.data_dir) in path


def test_an_index_that_is_behind_or_ahead(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello there.", "Good day.")
    sync(workspace)
    space = workspace.embedder.space
    ids = sorted(workspace.index.ids(owner(chat.id), space.id))
    workspace.index.delete(owner(chat.id), space.id, ids[:1])
    workspace.index.upsert(owner(chat.id), space.id, ["99-abc"], np.ones((1, space.dimension), np.float32))
    report = examine(workspace)
    assert (report["index"]["missing"], report["index"]["surplus"]) == (1, 1)
    assert report["ok"] is False
    assert "memdesk sync --all" in report["problems"][0]
    sync(workspace)
    assert examine(workspace)["ok"] is True


def test_an_index_that_cannot_be_used(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(workspace, "Hello there.")

    def fail(*_: object, **__: object) -> Any:
        raise IndexUnavailable("index_broken", "It is torn.")

    monkeypatch.setattr(workspace.index, "ids", fail)
    report = examine(workspace)
    assert report["index"]["available"] is False
    assert report["index"]["reason"] == "It is torn."
    assert report["ok"] is False


def test_an_embedder_that_computes_something_else(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace.embedder, "self_test", lambda: 0.5)
    report = examine(workspace)
    assert report["ok"] is False
    assert "0.500" in report["problems"][0]
