"""What can go wrong with a data folder, in words a person can act on."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memdesk.store.backups import FOLDER, newest


class StoreError(Exception):
    """A data folder or database that cannot be used; `code` is stable, the message is for people."""

    def __init__(self, code: str, message: str, path: Path | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.path = path


_SQLITE = {
    sqlite3.SQLITE_FULL: ("disk_full", "The disk is full: {path} could not be written. Nothing was lost."),
    sqlite3.SQLITE_READONLY: ("read_only", "{path} cannot be written: the folder or file is read-only."),
    sqlite3.SQLITE_CANTOPEN: (
        "cannot_open",
        "{path} cannot be opened: check that the folder can be written.",
    ),
    sqlite3.SQLITE_BUSY: ("locked", "{path} is locked by another program."),
    sqlite3.SQLITE_LOCKED: ("locked", "{path} is locked by another program."),
    sqlite3.SQLITE_NOTADB: ("not_a_database", "{path} is not a memdesk database."),
    sqlite3.SQLITE_IOERR: ("disk_error", "The disk failed while {path} was read or written."),
    sqlite3.SQLITE_PERM: ("read_only", "{path} cannot be written: permission denied."),
}

_OS = {
    errno.ENOSPC: ("disk_full", "The disk is full: {path} could not be written."),
    errno.EDQUOT: ("disk_full", "The disk quota is used up: {path} could not be written."),
    errno.EROFS: ("read_only", "{path} cannot be written: the disk is read-only."),
    errno.EACCES: ("read_only", "{path} cannot be written: permission denied."),
    errno.EPERM: ("read_only", "{path} cannot be written: permission denied."),
    errno.ENOTDIR: ("cannot_open", "{path} is not a folder."),
    errno.EEXIST: ("cannot_open", "{path} is not a folder."),
}


def damaged(path: Path, reason: str) -> StoreError:
    """Return the error of a damaged database (`corrupt`): it says which backup there is and how to use it."""
    backup, name = newest(path.parent / FOLDER), path.name
    if backup is None:
        return StoreError("corrupt", f"{path} is damaged ({reason}). There is no backup of it.", path)
    # What lies in the old journal would be written into the backup.
    return StoreError(
        "corrupt",
        f"{path} is damaged ({reason}). The newest backup is {backup}. Close memdesk, put a copy of the "
        f"backup in the place of {name}, and delete {name}-wal if it is there.",
        path,
    )


def store_error(error: sqlite3.Error | OSError, path: Path) -> StoreError:
    """Translate a failure of SQLite or the file system into a `StoreError` that names `path`."""
    if isinstance(error, OSError):
        known = _OS.get(error.errno or 0)
        reason = error.strerror or str(error)
    else:
        # Extended codes carry the primary code in their low byte.
        number = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if number == sqlite3.SQLITE_CORRUPT:
            return damaged(path, str(error))
        known = _SQLITE.get(number)
        reason = str(error)
    code, message = known or ("failed", "{path} could not be used: {reason}")
    return StoreError(code, message.format(path=path, reason=reason), path)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn failures of SQLite and the file system inside the block into `StoreError`."""
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.DatabaseError, OSError) as error:
        if isinstance(error, sqlite3.IntegrityError | sqlite3.ProgrammingError):
            raise
        raise store_error(error, path) from error
