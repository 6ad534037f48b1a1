from __future__ import annotations

import errno
import hashlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.store.errors import StoreError
from memdesk.store.files import FileStore, FileStoreError


def kept(root: Path) -> list[Path]:
    return sorted(path for path in root.rglob("*") if path.is_file())


def test_a_file_is_named_by_its_content(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "files")
    name = store.put(b"hello", ".png")
    assert name == hashlib.sha256(b"hello").hexdigest()
    path = store.path(name)
    assert path == tmp_path / "files" / name[:2] / name[2:4] / f"{name}.png"
    assert kept(tmp_path) == [path]
    assert store.read(name) == b"hello"


def test_the_same_content_is_kept_once(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    assert store.put(b"x", ".png") == store.put(b"x") == store.put(b"x", ".jpg")
    assert [path.suffix for path in kept(tmp_path)] == [".png"]


def test_another_store_on_the_folder_finds_it(tmp_path: Path) -> None:
    name = FileStore(tmp_path).put(b"x")
    assert FileStore(tmp_path).read(name) == b"x"


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(max_size=100), max_size=5))
def test_what_is_put_is_read(contents: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = FileStore(Path(folder))
        names = [store.put(content) for content in contents]
        assert [store.read(name) for name in names] == contents
        assert len(kept(Path(folder))) == len(set(contents))


def test_delete_removes_only_that_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    one, two = store.put(b"1", ".png"), store.put(b"2")
    assert store.delete(one) is True
    assert store.delete(one) is False
    assert store.path(one) is None
    assert store.read(two) == b"2"
    with pytest.raises(FileStoreError, match="missing") as caught:
        store.read(one)
    assert caught.value.code == "missing"


@pytest.mark.parametrize(
    "name", ["", "..", "../../etc/passwd", "a" * 63, "A" * 64, "*" * 64, "a" * 64 + "\n"]
)
def test_what_is_no_hash_leads_nowhere(tmp_path: Path, name: str) -> None:
    store = FileStore(tmp_path)
    assert store.path(name) is None
    assert store.delete(name) is False
    with pytest.raises(FileStoreError, match="missing"):
        store.read(name)


@pytest.mark.parametrize("suffix", ["png", ".", "./x", ".PNG", ".p/../x", ".toolongsuffix", ".png\n"])
def test_odd_suffixes_are_refused(tmp_path: Path, suffix: str) -> None:
    with pytest.raises(ValueError, match="Not a file suffix"):
        FileStore(tmp_path).put(b"x", suffix)
    assert kept(tmp_path) == []


def test_damage_is_told_and_healed_by_putting_it_again(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    name = store.put(b"hello", ".png")
    path = store.path(name)
    assert path is not None
    path.write_bytes(b"hellx")
    with pytest.raises(FileStoreError, match="changed or damaged") as caught:
        store.read(name)
    assert (caught.value.code, caught.value.path) == ("corrupt", path)
    assert store.put(b"hello") == name
    assert store.read(name) == b"hello"
    assert kept(tmp_path) == [path]


@pytest.mark.parametrize(
    ("number", "code", "reason"),
    [
        (errno.ENOSPC, "disk_full", "The disk is full"),
        (errno.EDQUOT, "disk_full", "The disk is full"),
        (errno.EROFS, "read_only", "cannot be written to"),
        (errno.EACCES, "read_only", "cannot be written to"),
        (errno.EIO, "failed", "cannot be written: "),
    ],
)
def test_a_failing_disk_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str, reason: str
) -> None:
    store = FileStore(tmp_path)

    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(StoreError, match=reason) as caught:
            store.put(b"hello")
    assert isinstance(caught.value, FileStoreError)
    assert caught.value.code == code
    assert str(caught.value.path) in str(caught.value)
    assert kept(tmp_path) == []
    assert store.read(store.put(b"hello")) == b"hello"


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    root = tmp_path / "files"
    root.write_bytes(b"")
    with pytest.raises(FileStoreError, match="cannot be written: ") as caught:
        FileStore(root).put(b"x")
    assert caught.value.code == "failed"


LIMITED = """
import os, pathlib, resource, sys
from memdesk.store.files import FileStore, FileStoreError
root = pathlib.Path(sys.argv[1])
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
elif os.geteuid() == 0:
    os.setuid(65534)
store = FileStore(root)
try:
    store.put(bytes(5000))
except FileStoreError as error:
    print(error.code, error.path.parent.parent.parent == root)
"""


@pytest.mark.skipif(os.name == "nt", reason="limits and modes of POSIX")
@pytest.mark.parametrize(("kind", "code"), [("full", "disk_full"), ("read-only", "read_only")])
def test_real_limits(kind: str, code: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "files"
        root.mkdir()
        # Root may write everywhere, so it becomes nobody, who must be able to reach the folder.
        Path(folder).chmod(0o755)
        root.chmod(0o555 if kind == "read-only" else 0o755)
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, str(root), kind], capture_output=True, text=True, check=True
        )
        root.chmod(0o755)
        assert done.stdout.split() == [code, "True"]
        assert kept(root) == []


def test_what_a_crash_left_is_cleared_but_not_what_is_being_written(tmp_path: Path) -> None:
    incoming = tmp_path / ".incoming"
    incoming.mkdir()
    old, new = incoming / "old", incoming / "new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    FileStore(tmp_path)
    assert kept(tmp_path) == [new]


def test_many_threads_put_the_same_and_different_files(tmp_path: Path) -> None:
    store = FileStore(tmp_path)

    def work(number: int) -> None:
        for n in range(20):
            assert store.read(store.put(b"shared %d" % n)) == b"shared %d" % n
            assert store.read(store.put(b"%d %d" % (number, n))) == b"%d %d" % (number, n)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(kept(tmp_path)) == 20 + 4 * 20
