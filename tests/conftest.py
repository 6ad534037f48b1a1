"""What every test may rely on: no network beyond this machine, nothing left running, a folder of its own."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Never the person's keyring: tests store keys in files of their own folder.
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"

LOOPBACK = ("127.", "::1", "localhost")

LINGER_SECONDS = 5.0
"""Threads that are ending get this long."""


@pytest.fixture(autouse=True)
def _only_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail every attempt to reach another machine."""
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex

    def check(sock: socket.socket, address: object) -> None:
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0]) if isinstance(address, tuple) else str(address)
            if not host.startswith(LOOPBACK):
                raise AssertionError(f"a test tried to reach {address}")

    def guarded_connect(sock: socket.socket, address: object) -> None:
        check(sock, address)
        connect(sock, address)

    def guarded_connect_ex(sock: socket.socket, address: object) -> int:
        check(sock, address)
        return connect_ex(sock, address)

    monkeypatch.setattr(socket.socket, "connect", guarded_connect)
    monkeypatch.setattr(socket.socket, "connect_ex", guarded_connect_ex)


@pytest.fixture(autouse=True)
def _no_leaked_threads() -> Iterator[None]:
    """Fail a test that leaves one of its threads running, and name the thread."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + LINGER_SECONDS
    while leaked := [t for t in threading.enumerate() if t not in before and _ours(t)]:
        if time.monotonic() > deadline:
            pytest.fail(f"threads left running: {[thread.name for thread in leaked]}")
        time.sleep(0.02)


def _ours(thread: threading.Thread) -> bool:
    """Tell our own threads from those that a library starts once and keeps (tqdm's monitor, for one)."""
    return thread.is_alive() and (not thread.daemon or thread.name.startswith("memdesk"))


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep every default path inside the test's folder."""
    home = tmp_path / "home"
    for name in (
        "HOME",
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "APPDATA",
        "LOCALAPPDATA",
    ):
        monkeypatch.setenv(name, str(home))
    monkeypatch.delenv("MEMDESK_MODEL_DIR", raising=False)
