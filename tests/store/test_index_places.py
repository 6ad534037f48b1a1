"""The index on a Chroma server, shared by several machines, and an index that is put in another's place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable
from memdesk.store.index_server import IndexServer, installation_id
from tests.store.test_index import SPACE, names, vectors
from tests.support.chroma_server import ChromaServer, chroma_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as running:
        yield running


def on(server: ChromaServer, folder: Path, token: str = "") -> VectorIndex:
    place = IndexServer("127.0.0.1", server.port, token=token)
    return VectorIndex(folder / "index", lambda: place, lambda: installation_id(folder))


def test_machines_share_a_server_without_meeting(server: ChromaServer, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, two = on(server, tmp_path / "a", "secret-token"), on(server, tmp_path / "b")
    rows = vectors(60)
    try:
        one.upsert("chat-1", SPACE, names(60), rows)
        two.upsert("chat-1", SPACE, ["other"], rows[:1])
        assert one.count("chat-1", SPACE) == 60
        assert two.ids("chat-1", SPACE) == {"other"}
        assert one.query("chat-1", SPACE, rows[7], 3)[0][0] == "chunk-7"
        one.upsert("chat-2", SPACE, ["x"], rows[:1])
        assert one.owners() == {"chat-1": {SPACE}, "chat-2": {SPACE}}
        assert two.owners() == {"chat-1": {SPACE}}
        assert one.health().ok
        assert one.health().collections == 2
        assert not (tmp_path / "a" / "index").exists(), "nothing is made on this machine"
        two.reset()
        assert two.owners() == {}
        assert one.count("chat-1", SPACE) == 60
        one.replace(iter([("chat-1", SPACE, names(5), rows[:5])]))
        assert one.owners() == {"chat-1": {SPACE}}
        assert one.count("chat-1", SPACE) == 5
        one.drop("chat-1")
        assert one.owners() == {}
    finally:
        one.close()
        two.close()


def test_a_server_that_goes_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setattr("memdesk.store.index.RETRY_SECONDS", 0.2)
    rows = vectors(20)
    with chroma_server(tmp_path_factory.mktemp("chroma")) as server:
        index = on(server, tmp_path, "sk-secret")
        try:
            index.upsert("chat-1", SPACE, names(20), rows)
            server.stop()
            for _ in range(2):
                with pytest.raises(IndexUnavailable) as raised:
                    index.query("chat-1", SPACE, rows[0], 3)
                assert raised.value.code == "index_server"
                assert f"http://127.0.0.1:{server.port}" in str(raised.value)
                assert "sk-secret" not in str(raised.value)
            assert index.health().code == "index_server"
            server.start()
            deadline = 100
            while not index.health().ok and deadline:
                deadline -= 1
            assert index.count("chat-1", SPACE) == 20
            assert index.query("chat-1", SPACE, rows[3], 1)[0][0] == "chunk-3"
        finally:
            index.close()


def test_an_id_for_each_data_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = installation_id(tmp_path / "a")
    assert installation_id(tmp_path / "a") == first != installation_id(tmp_path / "b")
    (tmp_path / "a" / "installation").write_text("rubbish\x00")
    assert len(installation_id(tmp_path / "a")) == 32


# ── in place of another ──────────────────────────────────────────────────────────────────────────────────


def test_compaction_gives_room_back_and_finds_the_same(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path / "index")
    rows = vectors(1_500, 64)
    try:
        index.upsert("chat-1", SPACE, names(1_500), rows)
        index.delete("chat-1", SPACE, names(1_500)[200:])
        assert index.take_deleted() == 1_300
        assert index.take_deleted() == 0
        size = index.size_bytes()
        parts = (slice(start, start + 100) for start in range(0, 200, 100))
        index.replace(("chat-1", SPACE, names(200)[part], rows[part]) for part in parts)
        assert index.size_bytes() < size / 2
        for row in range(0, 200, 20):
            nearest = np.argsort(-(rows[:200] @ rows[row]))[:5]
            assert [key for key, _ in index.query("chat-1", SPACE, rows[row], 5)] == [
                f"chunk-{place}" for place in nearest
            ]
        assert [path.name for path in tmp_path.iterdir()] == ["index"]
    finally:
        index.close()
    again = VectorIndex(tmp_path / "index")
    assert again.count("chat-1", SPACE) == 200
    again.close()


def test_a_compaction_that_is_given_up_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path / "index")
    rows = vectors(300)

    def broken() -> Iterator[tuple[str, str, list[str], np.ndarray]]:
        yield "chat-1", SPACE, names(10), rows[:10]
        raise RuntimeError("enough")

    try:
        index.upsert("chat-1", SPACE, names(300), rows)
        with pytest.raises(IndexUnavailable):
            index.replace(broken())
        assert index.count("chat-1", SPACE) == 300
        assert [path.name for path in tmp_path.iterdir()] == ["index"]
    finally:
        index.close()


def test_what_a_kill_left_half_made_is_removed(tmp_path: Path) -> None:
    (tmp_path / "index.new-12345678").mkdir()
    (tmp_path / "index.new-12345678" / "chroma.sqlite3").write_bytes(b"half")
    (tmp_path / "index.old-12345678").mkdir()
    index = VectorIndex(tmp_path / "index")
    assert index.health().ok
    index.close()
    assert [path.name for path in tmp_path.iterdir()] == ["index"]
