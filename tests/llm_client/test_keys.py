from __future__ import annotations

import json
import logging
import os
import stat
import sys
from typing import TYPE_CHECKING

import keyring
import keyring.backend
import keyring.backends.fail
import keyring.backends.null
import keyring.errors
import pytest

from memdesk.llm.keys import KeyFileError, KeyStore

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "sk-very-secret"


class Memory(keyring.backend.KeyringBackend):
    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def _check(self) -> None:
        if self.locked:
            raise keyring.errors.KeyringLocked("locked")

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        if (service, username) not in self.kept:
            raise keyring.errors.PasswordDeleteError("none")
        del self.kept[service, username]


@pytest.fixture
def ring() -> Memory:
    memory = Memory()
    keyring.set_keyring(memory)
    return memory


def test_the_keyring_comes_first(ring: Memory, tmp_path: Path) -> None:
    keys = KeyStore(tmp_path)
    assert keys.location == "keyring"
    assert keys.set("a" * 32, SECRET) == "keyring"
    assert ring.kept == {("memdesk", "a" * 32): SECRET}
    assert KeyStore(tmp_path).get("a" * 32) == SECRET
    assert list(tmp_path.iterdir()) == []
    keys.delete("a" * 32)
    keys.delete("a" * 32)
    assert keys.get("a" * 32) is None


@pytest.mark.parametrize("backend", [keyring.backends.fail.Keyring, keyring.backends.null.Keyring])
def test_without_a_keyring_a_file_only_the_owner_reads(backend: type, tmp_path: Path) -> None:
    keyring.set_keyring(backend())
    keys = KeyStore(tmp_path / "data")
    assert keys.location == "file"
    old = os.umask(0)
    try:
        assert keys.set("one", SECRET) == "file"
    finally:
        os.umask(old)
    keys.set("two", "sk-2")
    file = tmp_path / "data" / "keys.json"
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {"one": SECRET, "two": "sk-2"}
    assert [path.name for path in file.parent.iterdir()] == ["keys.json"]
    keys.set("one", "")
    assert (keys.get("one"), keys.get("two")) == (None, "sk-2")


def test_a_key_moves_from_the_file_to_the_keyring(tmp_path: Path) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    keys = KeyStore(tmp_path)
    keys.set("one", SECRET)
    memory = Memory()
    keyring.set_keyring(memory)
    assert keys.get("one") == SECRET
    keys.set("one", "sk-new")
    assert "sk" not in (tmp_path / "keys.json").read_text()
    assert keys.get("one") == "sk-new"


def test_a_locked_keyring_counts_as_none(ring: Memory, tmp_path: Path) -> None:
    ring.locked = True
    keys = KeyStore(tmp_path)
    assert keys.get("one") is None
    assert keys.set("one", SECRET) == "file"
    assert keys.get("one") == SECRET
    keys.delete("one")
    assert keys.get("one") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"one": 1}', '{"one": "sk-very-secret"', "\xff"])
def test_a_damaged_file_says_so_and_shows_no_key(text: str, tmp_path: Path) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    (tmp_path / "keys.json").write_text(text, encoding="latin-1")
    with pytest.raises(KeyFileError) as caught:
        KeyStore(tmp_path).get("one")
    assert "keys.json" in str(caught.value)
    assert SECRET not in repr(caught.value) + repr(caught.value.__cause__)
    with pytest.raises(KeyFileError):
        KeyStore(tmp_path).set("one", "sk-2")
    assert (tmp_path / "keys.json").read_text(encoding="latin-1") == text


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())
    (tmp_path / "file").write_text("")
    with pytest.raises(KeyFileError):
        KeyStore(tmp_path / "file").set("one", SECRET)


def test_keys_are_never_logged(ring: Memory, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    keys = KeyStore(tmp_path)
    keys.set("one", SECRET)
    ring.locked = True
    keys.set("one", SECRET)
    keys.get("one")
    assert SECRET not in caplog.text
