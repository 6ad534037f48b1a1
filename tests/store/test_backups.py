"""Backups: made while others write, never of damage, thinned, and good for what they are made for."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.store import database as database_module
from memdesk.store.backups import backup_name, backups, is_due, newest, surplus
from memdesk.store.database import Database
from memdesk.store.errors import StoreError, damaged
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, small_disk, talk, use_embedder, wait_until

NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def workspace(folder: Path) -> Iterator[Workspace]:
    with Workspace(folder, samples=False, background=False) as opened:
        talk(opened, *(f"Line {number}. " * 100 for number in range(200)))
        yield opened


def write(folder: Path, *moments: datetime, label: str = "") -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / backup_name(moment, label) for moment in moments]
    for path in paths:
        path.write_bytes(b"")
    return paths


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []


def texts(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return [row[0] for row in db.execute("SELECT text FROM swipes ORDER BY id")]


def break_file(path: Path) -> None:
    """Overwrite the middle of a database file, as a failing disk does."""
    content = bytearray(path.read_bytes())
    third = len(content) // 3
    content[third : 2 * third] = b"\xff" * third
    path.write_bytes(content)


# ── when ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("ago", "due"),
    [
        (timedelta(minutes=5), False),
        (timedelta(hours=11), False),
        (timedelta(hours=13), True),
        (timedelta(days=3), True),
        (timedelta(days=-3), True),
    ],
)
def test_once_a_day(folder: Path, ago: timedelta, *, due: bool) -> None:
    assert is_due(folder, NOON)
    write(folder, NOON - ago)
    assert is_due(folder, NOON) is due


def test_half_an_hour_apart_at_midnight(folder: Path) -> None:
    write(folder, datetime(2026, 3, 10, 23, 50, tzinfo=UTC))
    assert not is_due(folder, datetime(2026, 3, 11, 0, 10, tzinfo=UTC))
    assert is_due(folder, datetime(2026, 3, 11, 0, 20, tzinfo=UTC))


def test_a_backup_before_a_migration_is_not_the_one_of_the_day(folder: Path) -> None:
    (path,) = write(folder, NOON - timedelta(hours=1), label="before-format-2")
    assert is_due(folder, NOON)
    assert newest(folder) == path


def test_other_files_are_no_backups(folder: Path) -> None:
    folder.mkdir()
    for name in ("memdesk.db", "memdesk-20261399-000000.db", "memdesk-20260310-120000.db.part", "x.db"):
        (folder / name).write_bytes(b"")
    assert backups(folder) == []
    assert newest(folder) is None
    assert newest(folder / "x.db") is None


# ── which ones stay ──────────────────────────────────────────────────────────────────────────────────


def test_days_weeks_and_months_stay(folder: Path) -> None:
    for day in range(400):
        write(folder, NOON + timedelta(days=day))
        for path in surplus(folder):
            path.unlink()
    kept = [when for when, _path in backups(folder)][::-1]
    last = NOON + timedelta(days=399)
    assert kept[:7] == [last - timedelta(days=day) for day in range(7)]
    assert 11 <= len(kept) <= 17
    assert len({(when.year, when.month) for when in kept}) == 6
    weeks = {when.isocalendar()[:2] for when in kept}
    assert {(last - timedelta(weeks=number)).isocalendar()[:2] for number in range(4)} <= weeks


@settings(deadline=None)
@given(st.lists(st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1)), max_size=60))  # noqa: DTZ001
def test_the_newest_and_all_that_is_not_ours_stay(moments: list[datetime]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made = write(folder, *(moment.replace(tzinfo=UTC) for moment in moments))
        others = write(folder, NOON, label="before-format-2")
        (folder / "notes.txt").write_bytes(b"")
        gone = surplus(folder)
        assert set(gone) <= set(made) - set(others)
        assert len(set(made)) - len(gone) <= 17
        if made:
            assert max(made) not in gone


# ── how ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_copy_is_whole_though_others_write(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every step of the copy is followed by a write; the copy is as the database was when it began."""
    before = texts(workspace.database.path)
    written = 0

    class Writing(CancelToken):
        def wait(self, _seconds: float) -> bool:
            nonlocal written
            written += 1
            with workspace.database.write() as db:
                db.execute("UPDATE swipes SET text = text || '!' ")
            return False

    monkeypatch.setattr(database_module, "BACKUP_PAGES", 20)
    made = workspace.database.backup(cancel=Writing())
    assert written >= 5
    assert texts(made) == before
    assert texts(workspace.database.path) == [text + "!" * written for text in before]
    assert names(made.parent) == [made.name]


def test_a_copy_that_is_stopped_leaves_nothing(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopping(CancelToken):
        def wait(self, _seconds: float) -> bool:
            self.cancel()
            return True

    monkeypatch.setattr(database_module, "BACKUP_PAGES", 20)
    with pytest.raises(Cancelled):
        workspace.database.back_up_now_and_then(Stopping())
    assert names(workspace.data_dir / "backups") == []
    cancelled = CancelToken()
    cancelled.cancel()
    with pytest.raises(Cancelled):
        workspace.database.back_up_now_and_then(cancelled)


def test_the_rest_of_a_copy_that_was_cut_off_goes(workspace: Workspace) -> None:
    folder = workspace.data_dir / "backups"
    folder.mkdir()
    (folder / "memdesk-20200101-000000.db.part").write_bytes(b"x")
    (folder / "memdesk-20200101-000000.db.part-journal").write_bytes(b"x")
    made = workspace.database.back_up_now_and_then(CancelToken())
    assert made is not None
    assert names(folder) == [made.name]


def test_one_a_day_and_old_ones_go(workspace: Workspace) -> None:
    folder = workspace.data_dir / "backups"
    write(folder, *(NOON - timedelta(days=day) for day in range(40)))
    made = workspace.database.back_up_now_and_then(CancelToken())
    assert made is not None
    assert made.name in names(folder)
    assert len(names(folder)) <= 17
    assert workspace.database.back_up_now_and_then(CancelToken()) is None


def test_an_empty_database_is_not_worth_a_backup(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as opened:
        assert opened.database.back_up_now_and_then(CancelToken()) is None
    assert not (folder / "backups").exists()


def test_a_damaged_database_never_takes_the_place_of_a_backup(workspace: Workspace) -> None:
    folder = workspace.data_dir / "backups"
    old = write(folder, *(NOON - timedelta(days=day) for day in range(40)))
    with closing(sqlite3.connect(workspace.database.path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    break_file(workspace.database.path)
    with pytest.raises(StoreError) as caught:
        workspace.database.back_up_now_and_then(CancelToken())
    assert caught.value.code == "corrupt"
    assert names(folder) == sorted(path.name for path in old)


def test_a_disk_that_is_nearly_full_is_left_alone(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "3m") as disk:
        with Workspace(disk / "data", samples=False, background=False) as opened:
            talk(opened, *("long and longer " * 2000 for _ in range(32)))
        with Workspace(disk / "data", samples=False, background=False) as opened:
            with pytest.raises(StoreError) as caught:
                opened.database.back_up_now_and_then(CancelToken())
            assert caught.value.code == "disk_full"
            assert names(disk / "data" / "backups") == []


# ── from start to end ────────────────────────────────────────────────────────────────────────────────


def test_opening_makes_one_in_the_background(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as opened:
        talk(opened, "Hello.")
    for _ in range(2):
        with Workspace(folder, samples=False) as opened:
            opened.jobs.wait_idle(20)
    (name,) = names(folder / "backups")
    assert texts(folder / "backups" / name) == ["Hello."]


def test_damage_found_in_the_background_is_told(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as opened:
        talk(opened, *(f"Line {number}. " * 100 for number in range(200)))
    with Workspace(folder, samples=False, begin=False) as opened:
        break_file(opened.database.path)
        told: list[str] = []
        heard = threading.Event()
        opened.tell = lambda text: (told.append(text), heard.set())
        opened._back_up(CancelToken())
        wait_until(heard.is_set)
    assert "is damaged" in told[0]
    assert "There is no backup of it." in told[0]


def test_what_a_damaged_database_says_to_do_works(folder: Path) -> None:
    path = folder / "memdesk.db"
    with Workspace(folder, samples=False, background=False) as opened:
        talk(opened, *(f"Line {number}. " * 100 for number in range(200)))
        made = opened.database.backup()
    before = texts(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO meta VALUES ('open', '2026')")
        db.commit()
    break_file(path)
    with pytest.raises(StoreError) as caught:
        Database(path)
    assert caught.value.code == "corrupt"
    assert f"The newest backup is {made}. Close memdesk" in str(caught.value)
    assert "memdesk.db-wal" in str(caught.value)
    shutil.copyfile(made, path)
    path.with_name("memdesk.db-wal").unlink(missing_ok=True)
    with Workspace(folder, samples=False, background=False):
        pass
    assert texts(path) == before


def test_without_a_backup_it_says_so(tmp_path: Path) -> None:
    error = damaged(tmp_path / "memdesk.db", "a reason")
    assert str(error) == f"{tmp_path / 'memdesk.db'} is damaged (a reason). There is no backup of it."
    assert (error.code, error.path) == ("corrupt", tmp_path / "memdesk.db")
