"""Where API keys are kept: in the system's keyring, or in a file that only its owner can read."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from keyring.backend import KeyringBackend

SERVICE: Final = "memdesk"
FILE_NAME: Final = "keys.json"


class KeyFileError(Exception):
    """The file with the keys cannot be read or written; `code` is "key_file"."""

    code: Final = "key_file"


class KeyStore:
    """API keys by profile id. Keys are never logged and never part of an error message.

    The system's keyring is used when there is one that works, else `keys.json` in `folder` (mode 0600). A key
    is in one place only: storing it in one removes it from the other. Talking to a keyring may take seconds
    or ask the person for a password, so call this from a worker.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE_NAME
        self._lock = threading.RLock()

    @property
    def location(self) -> Literal["keyring", "file"]:
        """Where a key that is stored now would go, so that the window can warn about the file."""
        return "keyring" if _backend() is not None else "file"

    def get(self, profile_id: str) -> str | None:
        """Return the key, None when there is none. Raises KeyFileError when the file is damaged."""
        with self._lock:
            backend = _backend()
            if backend is not None:
                with _keyring_errors():
                    key = backend.get_password(SERVICE, profile_id)
                    if key:
                        return key
            return self._read().get(profile_id)

    def set(self, profile_id: str, key: str) -> Literal["keyring", "file"]:
        """Keep a key and return where it went. An empty key is deleted. Raises KeyFileError."""
        if not key:
            self.delete(profile_id)
            return self.location
        with self._lock:
            backend = _backend()
            if backend is not None:
                with _keyring_errors():
                    backend.set_password(SERVICE, profile_id, key)
                    self._drop_from_file(profile_id)
                    return "keyring"
            self._write(self._read() | {profile_id: key})
            return "file"

    def delete(self, profile_id: str) -> None:
        """Forget a key everywhere; nothing happens when there is none. Raises KeyFileError."""
        with self._lock:
            backend = _backend()
            if backend is not None:
                with _keyring_errors():
                    backend.delete_password(SERVICE, profile_id)
            self._drop_from_file(profile_id)

    def _drop_from_file(self, profile_id: str) -> None:
        keys = self._read()
        if keys.pop(profile_id, None) is not None:
            self._write(keys)

    def _read(self) -> dict[str, str]:
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise KeyFileError(f"The file with the API keys cannot be read: {self._file}") from error
        try:
            keys = json.loads(text)
        except ValueError:
            # No "from error": a JSON error carries the whole text, keys and all.
            keys = None
        if not isinstance(keys, dict) or not all(isinstance(key, str) for key in keys.values()):
            raise KeyFileError(
                f"The file with the API keys is damaged: {self._file}. Delete it and enter the keys again."
            )
        return keys

    def _write(self, keys: dict[str, str]) -> None:
        """Replace the file in one step; mkstemp creates it with mode 0600 before anything is in it."""
        name = ""
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self._file.parent, prefix=".keys-", suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(keys, file, indent=1, sort_keys=True)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self._file)  # noqa: PTH105 - both are plain paths
        except OSError as error:
            if name:
                with contextlib.suppress(OSError):
                    os.unlink(name)  # noqa: PTH108
            raise KeyFileError(f"The file with the API keys cannot be written: {self._file}") from error


def _backend() -> KeyringBackend | None:
    """Return the system's keyring; None when there is none, or only one that fails or forgets."""
    import keyring  # noqa: PLC0415
    import keyring.backends.fail  # noqa: PLC0415
    import keyring.backends.null  # noqa: PLC0415

    with _keyring_errors():
        backend = keyring.get_keyring()
        if not isinstance(backend, keyring.backends.fail.Keyring | keyring.backends.null.Keyring):
            return backend
    return None


@contextlib.contextmanager
def _keyring_errors() -> Iterator[None]:
    """Treat a keyring that fails as one that is not there: the caller goes on behind the block."""
    import keyring.errors  # noqa: PLC0415

    # RuntimeError and ValueError: what backends raise that cannot start or read their settings.
    with contextlib.suppress(keyring.errors.KeyringError, OSError, RuntimeError, ValueError):
        yield
