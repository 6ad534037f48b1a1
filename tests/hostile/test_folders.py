"""Data folders that cannot be used: a clear message, exit code 1, and nothing damaged."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace
from tests.support.workspaces import Desk, contents, read_only, say, small_disk, talk


def assert_refused(desk: Desk, *words: str) -> None:
    """Every job is refused in one sentence on stderr; nothing in the folder changes."""
    before = contents(desk.folder)
    for job in (("chats", "--json"), ("send", "1", "Hello."), ("sync", "--all"), ("doctor",)):
        outcome = desk.run(*job)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("memdesk: ")
        assert outcome.err.count("\n") == 1
        for word in words:
            assert word in outcome.err
    assert contents(desk.folder) == before


def test_a_newer_database(desk: Desk) -> None:
    desk.talk("Hello.")
    with closing(sqlite3.connect(desk.database)) as database:
        database.execute("PRAGMA user_version = 99")
    assert_refused(desk, "newer memdesk", "format 99", "memdesk.db")


def test_another_programs_database(desk: Desk) -> None:
    desk.folder.mkdir()
    with closing(sqlite3.connect(desk.database)) as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
        database.commit()
    assert_refused(desk, "not a memdesk database", "memdesk.db")


@pytest.mark.parametrize("content", [b"just some text, " * 200, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database(desk: Desk, content: bytes) -> None:
    desk.folder.mkdir()
    desk.database.write_bytes(content)
    assert_refused(desk, "memdesk.db")


def test_a_damaged_database(desk: Desk) -> None:
    desk.talk(*(f"Line {number}. " * 40 for number in range(200)))
    content = bytearray(desk.database.read_bytes())
    size = len(content)
    content[size // 3 : size - size // 3] = b"\xff" * (size - size // 3 - size // 3)
    desk.database.write_bytes(content)
    outcome = desk.run("doctor")
    assert outcome.code == 1
    assert "damaged" in outcome.err + outcome.out
    assert "Traceback" not in outcome.err


def test_a_database_cut_in_half(desk: Desk) -> None:
    desk.talk(*(f"Line {number}. " * 40 for number in range(200)))
    desk.database.write_bytes(desk.database.read_bytes()[: desk.database.stat().st_size // 2])
    outcome = desk.run("doctor")
    assert outcome.code == 1
    assert "damaged" in outcome.err + outcome.out
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("name", ["memdesk.db", "logs", "lock", "settings.toml"])
def test_something_else_stands_where_a_file_should(desk: Desk, name: str) -> None:
    desk.folder.mkdir()
    if name == "logs":
        (desk.folder / name).write_text("a file")
    else:
        (desk.folder / name).mkdir()
    outcome = desk.run("chats")
    assert (outcome.code, outcome.out) == (1, "")
    assert name in outcome.err
    assert outcome.err.count("\n") == 1


@pytest.mark.parametrize("below", [False, True])
def test_a_file_where_the_folder_should_be(tmp_path: Path, *, below: bool) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    outcome = Desk(file / "data" if below else file).run("chats")
    assert (outcome.code, outcome.out) == (1, "")
    assert "is not a folder" in outcome.err
    assert file.read_text() == "mine"


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_place_where_no_folder_can_be_made() -> None:
    outcome = Desk(Path("/proc/memdesk")).run("chats")
    assert (outcome.code, outcome.out) == (1, "")
    assert "/proc/memdesk" in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_read_only_folder(desk: Desk) -> None:
    desk.talk("Hello.")
    with read_only(desk.folder):
        before = contents(desk.folder, leave_out=())
        for job in (("chats",), ("send", "1", "Hello."), ("doctor",)):
            outcome = desk.run(*job)
            assert (outcome.code, outcome.out) == (1, "")
            assert "read-only" in outcome.err or "permission denied" in outcome.err
            assert outcome.err.count("\n") == 1
        assert contents(desk.folder, leave_out=()) == before
    assert desk.json("chats")[0]["messages"] == 1


def test_a_folder_locked_by_another_process(desk: Desk) -> None:
    desk.talk("Hello.")
    program = (
        "import sys; from pathlib import Path; from memdesk.workspace import Workspace\n"
        "with Workspace(Path(sys.argv[1]), samples=False): print('open', flush=True); sys.stdin.read()"
    )
    import subprocess

    with subprocess.Popen(
        [sys.executable, "-c", program, str(desk.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"open"
        assert_refused(desk, "in use by another memdesk", "--data-dir")
        other.communicate(timeout=30)
    assert other.returncode == 0
    assert desk.json("chats")[0]["messages"] == 1


def test_a_lock_of_a_killed_process_is_no_obstacle(desk: Desk) -> None:
    desk.talk("Hello.")
    program = (
        "import sys; from pathlib import Path; from memdesk.workspace import Workspace\n"
        "workspace = Workspace(Path(sys.argv[1]), samples=False); print('open', flush=True); sys.stdin.read()"
    )
    import subprocess

    with subprocess.Popen(
        [sys.executable, "-c", program, str(desk.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"open"
        other.kill()
        other.communicate(timeout=30)
    assert desk.json("chats")[0]["messages"] == 1
    with desk.open() as workspace:
        assert workspace.database.recovered is False


def test_a_full_disk_at_the_first_start(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        outcome = Desk(disk / "data").run("chats")
        assert (outcome.code, outcome.out) == (1, "")
        assert "disk is full" in outcome.err
        assert outcome.err.count("\n") == 1


def store_until_it_fails(workspace: Workspace, chat_id: int, texts: list[str]) -> tuple[int, StoreError]:
    """Store one text after the other; returns how many went in, and what the next one raised."""
    for stored, text in enumerate(texts):
        try:
            say(workspace, chat_id, text)
        except StoreError as error:
            return stored, error
    pytest.fail("the disk never filled up")


def test_a_disk_that_fills_up_keeps_what_was_there(tmp_path: Path) -> None:
    """Messages go in until none fits: the failing one says so, all others are there and whole."""
    with small_disk(tmp_path / "disk", "3m") as disk:
        desk = Desk(disk / "data")
        texts = [f"Message {number}: " + "long and longer " * 2000 for number in range(200)]
        with desk.open() as workspace:
            chat = talk(workspace)
            stored, error = store_until_it_fails(workspace, chat.id, texts)
            assert error.code == "disk_full"
            assert "disk is full" in str(error)
            assert 5 < stored < 200
            messages = workspace.messages.page(chat.id, 1, 300)
            assert [message.text for message in messages] == texts[:stored]
        # Room is made, and everything goes on.
        grown = tmp_path / "grown"
        shutil.copytree(desk.folder, grown)
    grown_desk = Desk(grown)
    assert grown_desk.json("chats")[0]["messages"] == stored
    assert grown_desk.json("send", str(chat.id), "Still here?")["state"] == "done"


def test_a_disk_that_is_full_when_a_message_is_sent(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "4m") as disk:
        desk = Desk(disk / "data")
        chat = desk.talk("Hello.", "Good day.")
        with (disk / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
            while ballast.write(b"\0" * 4096) == 4096:
                pass
        outcome = desk.run("send", str(chat), "A message that does not fit. " * 2000)
        assert (outcome.code, outcome.out) == (1, "")
        assert "disk is full" in outcome.err
        (disk / "ballast").unlink()
        assert desk.json("chats")[0]["messages"] == 2
        assert desk.json("doctor")["database"]["check"] == "ok"


def test_a_failed_open_leaves_nothing_running(desk: Desk) -> None:
    """The folder can be used at once by whoever comes next."""
    desk.talk("Hello.")
    with closing(sqlite3.connect(desk.database)) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError) as caught:
        Workspace(desk.folder, samples=False)
    assert caught.value.code == "newer_database"
    with closing(sqlite3.connect(desk.database)) as database:
        database.execute(f"PRAGMA user_version = {version}")
    assert desk.json("chats")[0]["messages"] == 1


def test_settings_that_cannot_be_read_are_moved_aside(desk: Desk) -> None:
    desk.talk("Hello.")
    (desk.folder / "settings.toml").write_bytes(b"theme = \xff")
    outcome = desk.run("chats")
    assert outcome.code == 0
    assert "settings.toml.broken" in outcome.err
    (kept,) = desk.folder.glob("settings.toml.broken-*")
    assert kept.read_bytes() == b"theme = \xff"
    assert desk.run("chats").err == ""


def test_settings_of_a_newer_memdesk_are_left_alone(desk: Desk) -> None:
    desk.talk("Hello.")
    (desk.folder / "settings.toml").write_text("schema_version = 99\nspaceship = true\n")
    assert_refused(desk, "newer memdesk", "settings.toml")
