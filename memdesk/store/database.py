"""The SQLite file: opening, migrating, one writer at a time, a reading connection per thread."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from memdesk.store.backups import FOLDER, PART, backup_name, is_due, surplus
from memdesk.store.errors import StoreError, damaged, store_error, translated
from memdesk.work.cancel import CancelToken

log = logging.getLogger(__name__)

APPLICATION_ID = 0x4D454D44
"""“MEMD”: tells a memdesk database from any other SQLite file."""

BACKUP_PAGES = 200
BACKUP_PAUSE = 0.005
"""A backup copies so many pages (of 4 KiB), then leaves the disk to others for so many seconds."""

_CHECK_STEPS = 20_000
"""Instructions of SQLite between two looks at whether the check was stopped; some milliseconds."""

_SCRUB_TRIES = 20
_SCRUB_PAUSE = 0.05
"""Attempts at emptying the log of writes, and seconds between them."""

_BUSY_MS = 5000
_PRAGMAS = ("PRAGMA foreign_keys = ON", f"PRAGMA busy_timeout = {_BUSY_MS}", "PRAGMA synchronous = NORMAL")


def now() -> datetime:
    """Return the present time in UTC."""
    return datetime.now(UTC)


def to_text(moment: datetime) -> str:
    """Write a time as stored: ISO 8601 in UTC, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")


def from_text(text: str) -> datetime:
    """Read a stored time."""
    return datetime.fromisoformat(text)


def migrations() -> list[str]:
    """Return the SQL scripts, the first leading to version 1."""
    folder = resources.files("memdesk.store.migrations")
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    return [folder.joinpath(name).read_text("utf-8") for name in names]


class Database:
    """One open database file.

    Writes run one at a time inside `write()`, each a transaction that is durable when the block ends.
    Reads run in `read()` on a connection of the calling thread and never wait for writers (WAL).
    Raises `StoreError` for everything that the disk or another program can do to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        # Not the writers' lock: the first reading of a thread must not wait for a long transaction.
        self._readers_lock = threading.Lock()
        self._closed = False
        self.recovered = False
        """Whether the last run ended without closing the database."""
        try:
            self._writer = self._connect()
            # What is deleted is overwritten at once: nobody reads it out of the file afterwards.
            self._writer.execute("PRAGMA secure_delete = ON")
        except (sqlite3.Error, OSError) as error:
            raise store_error(error, path) from error
        try:
            with translated(path):
                self._prepare()
        except BaseException:
            self._writer.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        for pragma in _PRAGMAS:
            connection.execute(pragma)
        return connection

    def _prepare(self) -> None:
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        identity = self._writer.execute("PRAGMA application_id").fetchone()[0]
        tables = self._writer.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if tables and identity != APPLICATION_ID:
            raise StoreError("not_a_database", f"{self.path} is not a memdesk database.", self.path)
        scripts = migrations()
        if version > len(scripts):
            raise StoreError(
                "newer_database",
                f"{self.path} was written by a newer memdesk (format {version}, this one reads up to "
                f"{len(scripts)}). Please update memdesk. Nothing was changed.",
                self.path,
            )
        # Asking for WAL writes to the file, so a read-only folder shows itself here, before anything else.
        self._writer.execute("PRAGMA journal_mode = WAL")
        if version and version < len(scripts):
            self.backup(f"before-format-{len(scripts)}")
        if version:
            self._check_last_exit()
        for number, script in enumerate(scripts[version:], start=version + 1):
            self._writer.executescript(
                f"BEGIN IMMEDIATE;\n{script}\nPRAGMA application_id = {APPLICATION_ID};\n"
                f"PRAGMA user_version = {number};\nCOMMIT;"
            )
            log.info("database migrated to format %d", number)
        self._writer.execute("INSERT OR REPLACE INTO meta VALUES ('open', ?)", (to_text(now()),))

    def _check_last_exit(self) -> None:
        row = self._writer.execute("SELECT value FROM meta WHERE key = 'open'").fetchone()
        if row is not None:
            self.recovered = True
            result = self._writer.execute("PRAGMA quick_check(1)").fetchone()[0]
            if result != "ok":
                raise damaged(self.path, result)
            log.warning("the last run did not close the database; it was checked and is sound")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Run a block as one transaction: all of it is on disk at the end, or none of it."""
        with self._lock:
            self._ensure_open()
            with translated(self.path):
                nested = self._writer.in_transaction
                if not nested:
                    self._writer.execute("BEGIN IMMEDIATE")
                try:
                    yield self._writer
                    if not nested:
                        self._writer.execute("COMMIT")
                except BaseException:
                    # A full disk may have rolled the transaction back already.
                    if not nested and self._writer.in_transaction:
                        self._writer.execute("ROLLBACK")
                    raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Give the calling thread's own reading connection."""
        self._ensure_open()
        with translated(self.path):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._connect()
                connection.execute("PRAGMA query_only = ON")
                self._local.connection = connection
                with self._readers_lock:
                    self._readers.append(connection)
            yield connection

    def backup(self, label: str = "", cancel: CancelToken | None = None) -> Path:
        """Copy the database into the folder `backups` beside it, as it is now; returns the copy's path.

        Others read and write meanwhile. The copy has its name only when it is whole and on the disk.
        Raises `StoreError`, and `Cancelled`.
        """
        folder = self.path.parent / FOLDER
        target = folder / backup_name(now(), label)
        part = target.with_name(target.name + PART)
        with translated(target):
            folder.mkdir(parents=True, exist_ok=True)
            try:
                self._copy(part, cancel)
                with part.open("rb+") as file:
                    os.fsync(file.fileno())
                part.replace(target)
                _sync_folder(folder)
            finally:
                for rest in folder.glob(f"memdesk-*{PART}*"):
                    with contextlib.suppress(OSError):
                        rest.unlink()
        log.info("backup made: %s", target.name)
        return target

    def _copy(self, target: Path, cancel: CancelToken | None) -> None:
        source = self._connect()
        try:
            copy = sqlite3.connect(target, isolation_level=None)
            try:
                # The copy is flushed once, at its end.
                copy.execute("PRAGMA synchronous = OFF")
                # One view of the database for all steps; without it, every write would begin the copy anew.
                source.execute("BEGIN")
                source.execute("SELECT count(*) FROM sqlite_master").fetchone()

                def step(_status: int, left: int, _total: int) -> None:
                    if cancel is not None and left:
                        cancel.wait(BACKUP_PAUSE)
                        cancel.raise_if_cancelled()

                source.backup(copy, pages=BACKUP_PAGES, progress=step)
            finally:
                copy.close()
        finally:
            source.close()

    def back_up_now_and_then(self, cancel: CancelToken) -> Path | None:
        """Make the backup of the day, if it is due, and thin the older ones; returns it, or None.

        An empty database is not worth one. Raises `StoreError`, with code `corrupt` for a damaged database:
        it never takes the place of a good backup. Raises `Cancelled`.
        """
        folder = self.path.parent / FOLDER
        with translated(folder):
            if not is_due(folder, now()):
                return None
            size = self.path.stat().st_size
            if shutil.disk_usage(self.path.parent).free < 2 * size:
                raise StoreError("disk_full", f"The disk is too full for a backup of {self.path}.", self.path)
        if not self._check(cancel):
            return None
        made = self.backup(cancel=cancel)
        with translated(folder):
            for path in surplus(folder):
                path.unlink()
                log.info("old backup removed: %s", path.name)
        return made

    def _check(self, cancel: CancelToken) -> bool:
        """Check the whole database; returns whether there is anything in it, raises when it is damaged."""
        with translated(self.path), contextlib.closing(self._connect()) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.set_progress_handler(lambda: int(cancel.cancelled), _CHECK_STEPS)
            try:
                result = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                filled = connection.execute("SELECT 1 FROM messages LIMIT 1").fetchone() is not None
            except sqlite3.OperationalError:
                cancel.raise_if_cancelled()
                raise
        if result != "ok":
            raise damaged(self.path, result)
        return filled

    def scrub(self, *, vacuum: bool) -> bool:
        """Empty the log of writes; with `vacuum` write the whole file anew before, without its free pages.

        Returns whether the log is empty; readers can hold it for a moment. Raises `StoreError`.
        """
        self._ensure_open()
        with self._lock, translated(self.path):
            if vacuum:
                self._writer.execute("VACUUM")
            for _ in range(_SCRUB_TRIES):
                busy = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
                if not busy:
                    return True
                time.sleep(_SCRUB_PAUSE)
        return False

    def _ensure_open(self) -> None:
        if self._closed:
            raise StoreError("closed", f"{self.path} is closed.", self.path)

    def close(self) -> None:
        """Close every connection and note that this run ended well."""
        with self._lock:
            if self._closed:
                return
            try:
                with translated(self.path):
                    self._writer.execute("DELETE FROM meta WHERE key = 'open'")
                    self._writer.execute("PRAGMA optimize")
            except StoreError as error:
                log.warning("closing: %s", error)
            self._closed = True
            with self._readers_lock:
                for connection in [*self._readers, self._writer]:
                    connection.close()
                self._readers.clear()


def _sync_folder(folder: Path) -> None:
    """Put a new name on the disk, too; Windows knows no such thing."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
