"""The backups of a database: what they are called, when one is due, and which ones stay."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

FOLDER: Final = "backups"
"""Beside the database."""

APART: Final = timedelta(minutes=30)
"""Least time between two backups, around midnight; as Anki has it."""

DAYS: Final = 7
WEEKS: Final = 4
MONTHS: Final = 6
"""The newest backup of so many days, weeks and months that have one is kept."""

PART: Final = ".part"
"""Ends the name of a backup that is being written."""

_NAME = re.compile(r"memdesk-(\d{8}-\d{6})(-[\w-]+)?\.db")


def backup_name(moment: datetime, label: str = "") -> str:
    """Return the file name of a backup made at a time (UTC); a label tells it from the daily ones."""
    return f"memdesk-{moment.astimezone(UTC):%Y%m%d-%H%M%S}{'-' if label else ''}{label}.db"


def backups(folder: Path, *, daily: bool = False) -> list[tuple[datetime, Path]]:
    """Return the backups of a folder with their times, oldest first; `daily` leaves out the labelled ones.

    Raises OSError when the folder is there but cannot be read.
    """
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        name = _NAME.fullmatch(path.name)
        if name is None or (daily and name[2]):
            continue
        try:
            moment = datetime.strptime(name[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            # Somebody else's file, or one that was renamed: no such date.
            continue
        found.append((moment, path))
    return sorted(found)


def newest(folder: Path) -> Path | None:
    """Return the newest backup of a folder, None when there is none or the folder cannot be read."""
    try:
        return backups(folder)[-1][1]
    except (IndexError, OSError):
        return None


def is_due(folder: Path, moment: datetime) -> bool:
    """Return whether a backup should be made at a time: none that day (UTC), and none for half an hour.

    Backups of the future, from a clock that was wrong, do not count.
    """
    past = [when for when, _path in backups(folder, daily=True) if when <= moment]
    return not past or (past[-1].date() != moment.date() and moment - past[-1] >= APART)


def surplus(folder: Path) -> list[Path]:
    """Return the daily backups that need not stay: all but the newest of 7 days, 4 weeks and 6 months."""
    newest_first = backups(folder, daily=True)[::-1]
    periods: list[tuple[int, Callable[[datetime], tuple[int, ...]]]] = [
        (DAYS, lambda when: (when.year, when.month, when.day)),
        (WEEKS, lambda when: tuple(when.isocalendar()[:2])),
        (MONTHS, lambda when: (when.year, when.month)),
    ]
    kept: set[Path] = set()
    for count, period in periods:
        seen: dict[tuple[int, ...], Path] = {}
        for when, path in newest_first:
            seen.setdefault(period(when), path)
        kept.update(list(seen.values())[:count])
    return [path for _when, path in newest_first if path not in kept]
