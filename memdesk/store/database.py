"""The SQLite file: opening, migrating, one writer at a time, a reading connection per thread."""

from __future__ import annotations

import logging
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path

from memdesk.store.errors import StoreError, store_error, translated

log = logging.getLogger(__name__)

APPLICATION_ID = 0x4D454D44
"""“MEMD”: tells a memdesk database from any other SQLite file."""

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
            self.backup(self.path.parent / "backups", f"before-format-{len(scripts)}")
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
                raise StoreError(
                    "corrupt",
                    f"{self.path} is damaged ({result}). Backups lie in {self.path.parent / 'backups'}.",
                    self.path,
                )
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

    def backup(self, folder: Path, label: str) -> Path:
        """Copy the database into `folder`; returns the copy's path."""
        folder.mkdir(parents=True, exist_ok=True)
        target = folder / f"memdesk-{now():%Y%m%d-%H%M%S}-{label}.db"
        with self._lock, translated(target):
            copy = sqlite3.connect(target)
            try:
                self._writer.backup(copy)
            finally:
                copy.close()
        return target

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
