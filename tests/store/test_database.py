from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.store.database import APPLICATION_ID, Database, from_text, migrations, to_text
from memdesk.store.errors import StoreError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memdesk.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database(path)
    yield opened
    opened.close()


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_a_new_file_gets_every_table_and_its_marks(database: Database, path: Path) -> None:
    with database.read() as db:
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(migrations())
        assert db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        assert db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert db.execute("PRAGMA foreign_keys").fetchone()[0] == 1
    assert path.is_file()


def test_a_write_is_all_or_nothing(database: Database) -> None:
    def fail() -> None:
        with database.write() as db:
            db.execute("INSERT INTO meta VALUES ('a', '1')")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    with database.read() as db:
        assert db.execute("SELECT count(*) FROM meta WHERE key = 'a'").fetchone()[0] == 0


def test_nested_writes_are_one_transaction(database: Database) -> None:
    def fail() -> None:
        with database.write() as db:
            db.execute("INSERT INTO meta VALUES ('a', '1')")
            with database.write() as inner:
                inner.execute("INSERT INTO meta VALUES ('b', '1')")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        fail()
    with database.read() as db:
        assert db.execute("SELECT count(*) FROM meta WHERE key IN ('a', 'b')").fetchone()[0] == 0


def test_readers_do_not_wait_for_a_writer(database: Database) -> None:
    seen: list[int] = []
    with database.write() as db:
        db.execute("INSERT INTO meta VALUES ('a', '1')")

        def look() -> None:
            with database.read() as other:
                seen.append(other.execute("SELECT count(*) FROM meta WHERE key = 'a'").fetchone()[0])

        thread = threading.Thread(target=look)
        thread.start()
        thread.join(5)
    assert seen == [0]


def test_a_reading_connection_cannot_write(database: Database) -> None:
    with pytest.raises(StoreError), database.read() as db:
        db.execute("INSERT INTO meta VALUES ('a', '1')")


def test_writers_of_many_threads_take_turns(database: Database) -> None:
    def work(number: int) -> None:
        for step in range(20):
            with database.write() as db:
                db.execute("INSERT INTO meta VALUES (?, '')", (f"{number}-{step}",))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with database.read() as db:
        assert db.execute("SELECT count(*) FROM meta WHERE key LIKE '%-%'").fetchone()[0] == 120


def test_a_constraint_is_our_own_mistake_and_stays_one(database: Database) -> None:
    with pytest.raises(sqlite3.IntegrityError), database.write() as db:
        db.execute("INSERT INTO chat_members (chat_id, character_id, position) VALUES (1, 1, 0)")


@pytest.mark.parametrize("version", [99, len(migrations()) + 1])
def test_a_newer_database_is_refused_and_not_changed(path: Path, version: int) -> None:
    Database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = dump(path)
    with pytest.raises(StoreError) as caught:
        Database(path)
    assert caught.value.code == "newer_database"
    assert caught.value.path == path
    assert str(version) in str(caught.value)
    assert dump(path) == before


def test_another_programs_database_is_refused_and_not_changed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE mine (x)")
    content = path.read_bytes()
    with pytest.raises(StoreError) as caught:
        Database(path)
    assert caught.value.code == "not_a_database"
    assert path.read_bytes() == content


def test_an_empty_file_is_a_new_database(path: Path) -> None:
    path.touch()
    Database(path).close()
    assert dump(path)


def test_an_older_database_is_migrated_after_a_backup(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Database(path)
    with first.write() as db:
        db.execute("INSERT INTO meta VALUES ('kept', 'yes')")
    first.close()
    newer = [
        *migrations(),
        "CREATE TABLE later (x); INSERT INTO later SELECT value FROM meta WHERE key = 'kept';",
    ]
    monkeypatch.setattr("memdesk.store.database.migrations", lambda: newer)
    second = Database(path)
    with second.read() as db:
        assert db.execute("SELECT x FROM later").fetchall()[0][0] == "yes"
        assert db.execute("PRAGMA user_version").fetchone()[0] == len(newer)
    second.close()
    (backup,) = (path.parent / "backups").iterdir()
    with closing(sqlite3.connect(backup)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(newer) - 1
        assert connection.execute("SELECT value FROM meta WHERE key = 'kept'").fetchone()[0] == "yes"


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(path).close()
    before = dump(path)
    broken = [*migrations(), "CREATE TABLE later (x); INSERT INTO nowhere VALUES (1);"]
    with monkeypatch.context() as patch:
        patch.setattr("memdesk.store.database.migrations", lambda: broken)
        with pytest.raises(StoreError):
            Database(path)
    assert [line for line in dump(path) if "meta" not in line] == [
        line for line in before if "meta" not in line
    ]
    Database(path).close()


def test_a_run_that_did_not_close_is_noticed(path: Path) -> None:
    first = Database(path)
    assert not first.recovered
    copy = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    first.close()
    again = Database(path)
    assert not again.recovered
    again.close()
    crashed = Database(copy)
    assert crashed.recovered
    crashed.close()


def test_a_full_disk_loses_nothing(database: Database) -> None:
    with database.write() as db:
        db.execute("INSERT INTO meta VALUES ('kept', 'yes')")
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    database._writer.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError) as caught, database.write() as db:
        db.execute("INSERT INTO meta VALUES ('large', ?)", ("x" * 100_000,))
    assert caught.value.code == "disk_full"
    with database.read() as db:
        keys = {row[0] for row in db.execute("SELECT key FROM meta")}
    assert "kept" in keys
    assert "large" not in keys
    database._writer.execute("PRAGMA max_page_count = 1000000")
    with database.write() as db:
        db.execute("INSERT INTO meta VALUES ('large', ?)", ("x" * 100_000,))


def test_a_closed_database_says_so_and_closes_twice(path: Path) -> None:
    database = Database(path)
    database.close()
    database.close()
    with pytest.raises(StoreError) as caught, database.read():
        pass
    assert caught.value.code == "closed"
    with pytest.raises(StoreError), database.write():
        pass


@given(st.datetimes(timezones=st.just(UTC)), st.integers(-12, 12))
def test_times_are_kept_to_the_millisecond_in_utc(moment: datetime, hours: int) -> None:
    text = to_text(moment)
    assert text.endswith("+00:00")
    assert timedelta(0) <= moment - from_text(text) < timedelta(milliseconds=1)
    if 1 < moment.year < 9999:
        assert to_text(moment.astimezone(timezone(timedelta(hours=hours)))) == text


@given(st.lists(st.datetimes(timezones=st.just(UTC)), max_size=8))
def test_text_order_is_time_order(moments: list[datetime]) -> None:
    assert sorted(to_text(moment) for moment in moments) == [to_text(moment) for moment in sorted(moments)]
