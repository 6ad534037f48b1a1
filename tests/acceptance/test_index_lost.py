"""The search index is disposable: deleted, corrupt, half, read-only, recall gives the same."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memdesk.memory.recall.search import owner
from tests.support.workspaces import CountingEmbedder, Desk, read_only, real_embedder, use_embedder

LINES = [
    "The brass key is in the biscuit tin on the mantelpiece.",
    "A strange place for a key, if you ask me.",
    "My lighthouse burned down in the winter of 1987.",
    "That must have been a terrible night for you.",
    *(f"The ferry number {number} leaves at {number} o'clock from the old pier." for number in range(16)),
]
QUERY = "When did the fire happen?"


def results(desk: Desk) -> list[dict[str, Any]]:
    rows = desk.json("recall", str(1), "--query", QUERY, "--top", "5")["results"]
    return [{key: value for key, value in row.items() if key != "parts"} for row in rows]


def delete(index: Path) -> None:
    shutil.rmtree(index)


def overwrite(index: Path) -> None:
    for path in index.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\x00rubbish\xff" * (path.stat().st_size // 9 + 1))


def truncate(index: Path) -> None:
    for path in index.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def file_instead(index: Path) -> None:
    shutil.rmtree(index)
    index.write_text("not a folder")


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.talk(*LINES)
    desk.json("sync", "--all")
    return desk


@pytest.mark.parametrize("harm", [delete, overwrite, truncate, file_instead])
def test_recall_gives_the_same_and_sync_rebuilds(
    filled: Desk, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None]
) -> None:
    before = results(filled)
    assert "1987" in before[0]["text"]
    harm(filled.folder / "index")
    assert results(filled) == before
    counting = CountingEmbedder(real_embedder())
    use_embedder(monkeypatch, lambda _folder: counting)
    filled.json("sync", "--all")
    assert counting.passages == [], "vectors are cached: nothing is embedded again"
    report = filled.json("doctor")
    assert report["ok"] is True, report["problems"]
    assert report["index"]["wanted"] == 20
    assert results(filled) == before


def test_an_index_that_lost_half_gives_the_same(filled: Desk) -> None:
    before = results(filled)
    with filled.open() as workspace:
        space = workspace.embedder.space.id
        ids = workspace.index.ids(owner(1), space)
        best = {item for item in ids if item.split("-")[0] in {str(row["id"]) for row in before}}
        workspace.index.delete(owner(1), space, sorted(best))
    assert filled.run("doctor").code == 1
    assert results(filled) == before
    filled.json("sync", "--all")
    assert filled.run("doctor").code == 0


@contextmanager
def _read_only_index(desk: Desk) -> Iterator[None]:
    with read_only(desk.folder / "index"):
        yield


def test_a_read_only_index_gives_the_same(filled: Desk) -> None:
    before = results(filled)
    with _read_only_index(filled):
        assert results(filled) == before
        filled.run("send", "1", "Good morning.")
        assert filled.json("memories", "1")["counts"]["waiting"] > 0
        assert filled.json("sync", "--all")[0]["memories"]["waiting"] == 0
        assert filled.run("doctor").code == 1
    filled.json("sync", "--all")
    report = filled.json("doctor")
    assert report["ok"] is True, report["problems"]
