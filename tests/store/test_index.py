from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memdesk.store.index import VectorIndex
from memdesk.store.index_errors import IndexUnavailable, explain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SPACE = "test-16"


def vectors(rows: int, dimension: int = 16, seed: int = 1) -> np.ndarray:
    found = np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def names(rows: int) -> list[str]:
    return [f"chunk-{number}" for number in range(rows)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def index(folder: Path) -> Iterator[VectorIndex]:
    found = VectorIndex(folder)
    yield found
    found.close()


def test_nearest_first_with_exact_cosines(index: VectorIndex) -> None:
    rows = vectors(500)
    index.upsert("chat:1", SPACE, names(500), rows)
    found = index.query("chat:1", SPACE, rows[7], 5)
    cosines = rows @ rows[7]
    best = np.argsort(-cosines)[:5]
    assert [key for key, _ in found] == [f"chunk-{place}" for place in best]
    assert [cosine for _, cosine in found] == pytest.approx(cosines[best].tolist(), abs=1e-5)


def test_owners_and_spaces_are_apart(index: VectorIndex) -> None:
    rows = vectors(3)
    index.upsert("chat:1", SPACE, names(3), rows)
    index.upsert("chat:2", SPACE, ["other"], rows[:1])
    index.upsert("chat:1", "second-8", ["small"], vectors(1, 8))
    assert index.owners() == {"chat:1": {SPACE, "second-8"}, "chat:2": {SPACE}}
    assert [key for key, _ in index.query("chat:2", SPACE, rows[1], 10)] == ["other"]
    index.drop("chat:1", SPACE)
    assert index.owners() == {"chat:1": {"second-8"}, "chat:2": {SPACE}}
    assert index.ids("chat:1", SPACE) == set()
    index.drop("chat:1")
    assert index.owners() == {"chat:2": {SPACE}}


def test_unknown_owner_and_empty_input(index: VectorIndex) -> None:
    assert index.query("chat:9", SPACE, vectors(1)[0], 5) == []
    assert index.count("chat:9", SPACE) == 0
    index.delete("chat:9", SPACE, ["nothing"])
    index.drop("chat:9")
    index.upsert("chat:9", SPACE, [], np.zeros((0, 16), np.float32))
    assert index.owners() == {}


def test_upsert_replaces_and_delete_removes(index: VectorIndex) -> None:
    rows = vectors(4)
    index.upsert("chat:1", SPACE, names(3), rows[:3])
    index.upsert("chat:1", SPACE, ["chunk-0"], rows[3:])
    assert index.count("chat:1", SPACE) == 3
    assert index.query("chat:1", SPACE, rows[3], 1)[0] == ("chunk-0", pytest.approx(1.0, abs=1e-5))
    index.delete("chat:1", SPACE, ["chunk-0", "unknown"])
    assert index.ids("chat:1", SPACE) == {"chunk-1", "chunk-2"}
    assert len(index.query("chat:1", SPACE, rows[3], 10)) == 2


def test_more_rows_than_a_batch_survive_reopening(folder: Path) -> None:
    rows = vectors(6_000)
    first = VectorIndex(folder)
    first.upsert("chat:1", SPACE, names(6_000), rows)
    first.close()
    second = VectorIndex(folder)
    assert second.count("chat:1", SPACE) == 6_000
    assert second.ids("chat:1", SPACE) == set(names(6_000))
    assert second.query("chat:1", SPACE, rows[5_900], 1)[0][0] == "chunk-5900"
    second.delete("chat:1", SPACE, names(5_990))
    assert second.count("chat:1", SPACE) == 10
    second.close()


def test_wrong_dimension_has_its_code(index: VectorIndex) -> None:
    index.upsert("chat:1", SPACE, names(2), vectors(2))
    with pytest.raises(IndexUnavailable) as caught:
        index.upsert("chat:1", SPACE, ["x"], vectors(1, 8))
    assert caught.value.code == "index_wrong_dimension"
    with pytest.raises(IndexUnavailable) as caught:
        index.query("chat:1", SPACE, vectors(1, 8)[0], 1)
    assert caught.value.code == "index_wrong_dimension"
    assert index.count("chat:1", SPACE) == 2


@pytest.mark.parametrize(
    ("ids", "rows"),
    [
        (["a"], vectors(2)),
        (["a", "a"], vectors(2)),
        ([""], vectors(1)),
        (["a"], vectors(1)[0]),
        (["a"], np.full((1, 16), np.nan, np.float32)),
    ],
)
def test_senseless_rows_are_refused(index: VectorIndex, ids: list[str], rows: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"vector|ids"):
        index.upsert("chat:1", SPACE, ids, rows)


def test_owner_names_must_be_ascii(index: VectorIndex) -> None:
    with pytest.raises(ValueError, match="ASCII"):
        index.count("聊天", SPACE)
    index.upsert("x" * 2_000 + "/../'\"", SPACE, ["a"], vectors(1))
    assert index.count("x" * 2_000 + "/../'\"", SPACE) == 1


def _garbage(folder: Path) -> None:
    (folder / "chroma.sqlite3").write_bytes(b"this is no database" * 500)


def _half(folder: Path) -> None:
    path = folder / "chroma.sqlite3"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _graph_cut(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file() and path.name != "chroma.sqlite3":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])


def _folder_there(folder: Path) -> None:
    (folder / "chroma.sqlite3").unlink()
    (folder / "chroma.sqlite3").mkdir()


@pytest.mark.parametrize("damage", [_garbage, _half, _graph_cut, _folder_there])
def test_damage_is_noticed_and_reset_heals(folder: Path, damage) -> None:  # noqa: ANN001
    rows = vectors(3_000)
    first = VectorIndex(folder)
    first.upsert("chat:1", SPACE, names(3_000), rows)
    first.close()
    damage(folder)
    second = VectorIndex(folder)
    try:
        health = second.health()
        assert not health.ok
        assert health.code == "index_broken"
        assert str(folder) in health.message
        with pytest.raises(IndexUnavailable) as caught:
            second.query("chat:1", SPACE, rows[0], 3)
        assert caught.value.code == "index_broken"
        second.reset()
        assert second.owners() == {}
        second.upsert("chat:1", SPACE, ["a"], rows[:1])
        assert second.health().vectors == 1
        assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    finally:
        second.close()


def test_a_file_in_place_of_the_folder(folder: Path) -> None:
    folder.write_text("not a folder")
    index = VectorIndex(folder)
    assert index.health().code == "index_broken"
    index.reset()
    assert index.health().ok
    index.close()


def test_reset_removes_everything(index: VectorIndex, folder: Path) -> None:
    index.upsert("chat:1", SPACE, names(2_000), vectors(2_000))
    full = index.size_bytes()
    index.reset()
    assert index.owners() == {}
    assert 0 < index.size_bytes() < full
    assert folder.is_dir()


def test_only_ids_and_vectors_are_written(folder: Path) -> None:
    index = VectorIndex(folder)
    index.upsert("chat:1", SPACE, ["chunk-marker"], vectors(1))
    index.delete("chat:1", SPACE, ["chunk-marker"])
    collection = index._call(lambda: index._collection(index._list().popitem()[0]), 30)
    assert collection is not None
    with pytest.raises(Exception, match="never text"):
        index._call(lambda: collection.upsert(ids=["x"], documents=["UNIQUE-SECRET-TEXT"]), 30)
    index.close()
    assert not any(b"UNIQUE-SECRET-TEXT" in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_many_threads_share_one(index: VectorIndex) -> None:
    rows = vectors(80)
    failures: list[IndexUnavailable] = []

    def work(number: int) -> None:
        try:
            mine = slice(number * 10, number * 10 + 10)
            index.upsert("chat:1", SPACE, names(80)[mine], rows[mine])
            index.query("chat:1", SPACE, rows[number], 3)
        except IndexUnavailable as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert index.count("chat:1", SPACE) == 80


def test_closing_ends_the_thread(folder: Path) -> None:
    index = VectorIndex(folder)
    assert not folder.exists()
    index.count("chat:1", SPACE)
    assert "memdesk-index" in {thread.name for thread in threading.enumerate()}
    index.close()
    index.close()
    assert "memdesk-index" not in {thread.name for thread in threading.enumerate()}
    with pytest.raises(IndexUnavailable) as caught:
        index.count("chat:1", SPACE)
    assert caught.value.code == "index_closed"


def test_a_slow_index_does_not_hold_its_callers(index: VectorIndex) -> None:
    release = threading.Event()
    blocker = threading.Thread(target=index._call, args=(lambda: release.wait(20), 30))
    blocker.start()
    with pytest.raises(IndexUnavailable) as caught:
        index.count("chat:1", SPACE, timeout=0.05)
    assert caught.value.code == "index_timeout"
    release.set()
    blocker.join()
    assert index.count("chat:1", SPACE) == 0


def test_more_collections_than_are_kept_open(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdesk.store.index.OPENED", 3)
    rows = vectors(8)
    for number in range(8):
        index.upsert(f"chat:{number}", SPACE, [f"id-{number}"], rows[number : number + 1])
    assert len(index._collections) == 3
    assert [index.query(f"chat:{n}", SPACE, rows[n], 1)[0][0] for n in range(8)] == [
        f"id-{n}" for n in range(8)
    ]
    assert index.health().collections == 8


def run(code: str, folder: Path, **options: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        **options,
    )  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


BEGIN = """
import sys, numpy as np
from pathlib import Path
from memdesk.store.index import VectorIndex
index = VectorIndex(Path(sys.argv[1]))
"""


def test_no_network_and_no_model_download(folder: Path) -> None:
    code = f"""
import socket
def refuse(*a, **k): print("NETWORK", a); raise OSError("refused")
socket.socket.connect = refuse
socket.getaddrinfo = refuse
{BEGIN}
index.upsert("a", "s", ["1", "2"], np.eye(2, 4, dtype=np.float32))
print(index.query("a", "s", np.eye(4, dtype=np.float32)[0], 1)[0][0])
index.close()
"""
    assert run(code, folder) == "1"


def test_without_chroma(folder: Path) -> None:
    assert run(f"import sys; sys.modules['chromadb'] = None{BEGIN}print(index.health().code)", folder) == (
        "index_module_missing"
    )


def test_importing_the_module_does_not_import_chroma(folder: Path) -> None:
    assert run(f"{BEGIN}print('chromadb' in sys.modules)", folder) == "False"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX file limits")
def test_a_write_that_fails_half_way_is_reported_and_reset_heals(folder: Path) -> None:
    code = f"""
{BEGIN}
import resource
rows = np.random.default_rng(1).normal(size=(4000, 384)).astype(np.float32)
index.upsert("a", "s", ["first"], rows[:1])
resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, resource.RLIM_INFINITY))
try:
    index.upsert("a", "s", [str(n) for n in range(4000)], rows)
except Exception as error:
    print(type(error).__name__, error.code, error.message, file=sys.stderr)
    print(type(error).__name__, error.code)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
index.reset()
index.upsert("a", "s", ["again"], rows[:1])
print(index.count("a", "s"))
index.close()
"""
    lines = run(code, folder).splitlines()
    assert lines[0] in {"IndexUnavailable index_full", "IndexUnavailable index_broken"}
    assert lines[1] == "1"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModuleNotFoundError("No module named 'chromadb'"), "index_module_missing"),
        (PermissionError(13, "Permission denied"), "index_read_only"),
        (RuntimeError("(code: 8) attempt to write a readonly database"), "index_read_only"),
        (OSError(28, "No space left on device"), "index_full"),
        (RuntimeError("(code: 13) database or disk is full"), "index_full"),
        (RuntimeError("Error deserializing pickle file"), "index_broken"),
    ],
)
def test_codes(folder: Path, error: Exception, code: str) -> None:
    assert explain(error, folder).code == code


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="becomes another user, needs root"
)
def test_a_folder_without_permission_to_write(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    first = VectorIndex(folder)
    first.upsert("a", SPACE, ["1"], vectors(1))
    first.close()
    code = f"""
import os, sys
{BEGIN}
warm = VectorIndex(Path(sys.argv[1]).with_name("warm"))
warm.upsert("a", "s", ["1"], np.eye(1, 16, dtype=np.float32))
warm.close()
os.setgid(65534); os.setuid(65534)
try:
    index.upsert("a", "{SPACE}", ["2"], np.eye(1, 16, dtype=np.float32))
    print("written")
except Exception as error:
    print(error.message, file=sys.stderr)
    print(error.code)
index.close()
"""
    for path in [folder, *folder.parents]:
        if path == tmp_path.parent.parent.parent:
            break
        path.chmod(0o755)
    assert run(code, folder) == "index_read_only"
    again = VectorIndex(folder)
    assert again.ids("a", SPACE) == {"1"}
    again.close()
