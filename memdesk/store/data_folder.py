"""The data folder itself: where it is, whether it can be written, whose it is, and its log."""

from __future__ import annotations

import logging
import tempfile
from contextlib import ExitStack
from logging.handlers import RotatingFileHandler
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from memdesk.store.errors import StoreError, store_error, translated

LOG_BYTES = 1_000_000
LOG_FILES = 3
"""Logs stay small: three old files of a megabyte."""


def default_data_dir() -> Path:
    """Return where memdesk keeps its data when nothing else is said."""
    return user_data_path("memdesk", appauthor=False)


def make_writable(folder: Path) -> None:
    """Make the data folder, and see at once whether it can be written; raises `StoreError`."""
    with translated(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"\0" * 4096)


def lock_folder(folder: Path, closing: ExitStack) -> None:
    """Take the folder for this process until `closing` ends; raises `StoreError` with code `in_use`."""
    lock = FileLock(folder / "lock", blocking=False)
    try:
        lock.acquire()
    except Timeout as error:
        raise StoreError(
            "in_use",
            f"The data folder {folder} is in use by another memdesk. Close it first, or choose "
            "another folder with --data-dir.",
            folder,
        ) from error
    except OSError as error:
        raise store_error(error, folder / "lock") from error
    closing.callback(lock.release)


def start_log(folder: Path, closing: ExitStack) -> None:
    """Write what memdesk does into `logs/memdesk.log` until `closing` ends."""
    logs = folder / "logs"
    with translated(logs):
        logs.mkdir(exist_ok=True)
        handler = RotatingFileHandler(
            logs / "memdesk.log", maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8"
        )
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("memdesk")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    closing.callback(handler.close)
    closing.callback(logger.removeHandler, handler)
