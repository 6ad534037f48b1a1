"""Files in the data folder, named by their content: avatars, attachments."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import tempfile
import time
from typing import TYPE_CHECKING, Literal

from memdesk.store.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

FileStoreCode = Literal["disk_full", "read_only", "missing", "corrupt", "failed"]

_HASH = re.compile(r"[0-9a-f]{64}")
_SUFFIX = re.compile(r"(\.[a-z0-9]{1,10})?")
_INCOMING = ".incoming"
# A file being written is younger than this, in seconds; an older one was left by a crash.
_ABANDONED_AFTER = 3600.0


class FileStoreError(StoreError):
    """A file could not be kept or read.

    `path` is the file, `reason` an English sentence, `code` one of `FileStoreCode`.
    """

    def __init__(self, path: Path, reason: str, *, code: FileStoreCode) -> None:
        super().__init__(code, f"{path}: {reason}", path)
        self.reason = reason


class FileStore:
    """A folder of files named by the SHA-256 of their content, in two levels of subfolders (`ab/cd/abcd…`).

    The same content is kept once. A file is there whole or not at all. Safe to use from several threads.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._clear_abandoned()

    def put(self, data: bytes, suffix: str = "") -> str:
        """Keep a file durably and return its hash, 64 hexadecimal digits.

        `suffix` ("" or a dot and up to 10 lower-case letters or digits) helps other programs to open the
        file; content that is there already keeps the suffix it has. Raises FileStoreError (`disk_full`,
        `read_only`, `failed`), ValueError for a bad suffix.
        """
        if not _SUFFIX.fullmatch(suffix):
            raise ValueError(f"Not a file suffix: {suffix!r}")
        name = hashlib.sha256(data).hexdigest()
        target = self._folder(name) / f"{name}{suffix}"
        try:
            there = self.path(name)
            if there is not None and there.read_bytes() == data:
                return name
            self._write(there or target, data)
        except OSError as error:
            raise _write_error(target, error) from error
        return name

    def path(self, name: str) -> Path | None:
        """Return where the file with this hash lies, None if it is not there or `name` is no hash."""
        if not _HASH.fullmatch(name):
            return None
        plain = self._folder(name) / name
        if plain.is_file():
            return plain
        return next((file for file in plain.parent.glob(f"{name}.*") if file.is_file()), None)

    def read(self, name: str) -> bytes:
        """Return the content of the file with this hash.

        Raises FileStoreError: `missing`, `corrupt` (the content is no longer what was kept), `failed`.
        """
        path = self.path(name)
        if path is None:
            raise FileStoreError(self.root / name, "The file is missing.", code="missing")
        try:
            data = path.read_bytes()
        except OSError as error:
            reason = f"The file cannot be read: {error.strerror or error}."
            raise FileStoreError(path, reason, code="failed") from error
        if hashlib.sha256(data).hexdigest() != name:
            raise FileStoreError(path, "The file was changed or damaged on the disk.", code="corrupt")
        return data

    def delete(self, name: str) -> bool:
        """Remove the file with this hash; return whether it was there.

        Raises FileStoreError: `read_only`, `failed` (for example in use on Windows).
        """
        path = self.path(name)
        if path is None:
            return False
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise _write_error(path, error) from error
        return True

    def _folder(self, name: str) -> Path:
        return self.root / name[:2] / name[2:4]

    def _write(self, target: Path, data: bytes) -> None:
        incoming = self.root / _INCOMING
        incoming.mkdir(parents=True, exist_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=incoming)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)  # noqa: PTH105 - mkstemp gives a string
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
            raise
        _sync_folder(target.parent)

    def _clear_abandoned(self) -> None:
        """Remove what a crash left half-written; a folder that cannot be written is no matter here."""
        with contextlib.suppress(OSError):
            for file in (self.root / _INCOMING).iterdir():
                if time.time() - file.stat().st_mtime > _ABANDONED_AFTER:
                    file.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable, where the system can do that (not on Windows)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_error(path: Path, error: OSError) -> FileStoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return FileStoreError(path, "The disk is full; free some space and try again.", code="disk_full")
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return FileStoreError(path, "The data folder cannot be written to.", code="read_only")
    return FileStoreError(path, f"The file cannot be written: {error.strerror or error}.", code="failed")
