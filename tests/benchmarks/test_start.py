"""The first window stands quickly, however many chats there are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memdesk.store.database import Database
from tests.benchmarks.first_window import EMPTY
from tests.benchmarks.measuring import judge, slowness

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

FIRST_WINDOW_SECONDS = 1.5
RUNS = 5
SCRIPT = Path(__file__).with_name("first_window.py")
ROOT = Path(__file__).parents[2]


def start(*arguments: str) -> dict[str, tuple[float, float]]:
    """Start a window in a process of its own.

    Returns for "painted" and "filled" (seconds from the start of the process, processor seconds until then).
    """
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # Compiled modules are kept, as they are where memdesk is installed.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        values = json.loads(line)
        found[values["what"]] = (values["at"] - started, values["cpu"])
    return found


def test_the_first_window_with_a_hundred_chats(hundred_chats: Path, qapp: object) -> None:  # noqa: ARG001
    start(str(hundred_chats))  # compiles what has changed, reads the disk
    before = slowness()
    empty, real = [], []
    for _ in range(RUNS):
        empty.append(start(EMPTY)["painted"])
        real.append(start(str(hundred_chats)))
    best = min(run["painted"][0] for run in real)
    filled = min(run["filled"][0] for run in real)
    print(f"\nall runs: {[round(run['painted'][0], 2) for run in real]} s")
    print(f"processor time until the first window: {min(run['painted'][1] for run in real):.2f} s")
    print(f"a chat is shown after {filled:.2f} s (no limit)")
    judge(
        "first window",
        best,
        FIRST_WINDOW_SECONDS,
        ("an empty window", min(run[0] for run in empty)),
        (before + slowness()) / 2,
    )


def test_the_first_window_with_work_left_over(hundred_chats: Path, copied: object, qapp: object) -> None:  # noqa: ARG001
    folder = copied(hundred_chats)  # type: ignore[operator]
    database = Database(folder / "memdesk.db")
    with database.write() as db:
        db.execute("INSERT INTO stale_messages SELECT id, chat_id, random() FROM messages")
        db.execute("UPDATE swipes SET tokens = NULL")
        db.execute("DELETE FROM vectors")
    database.close()
    before = slowness()
    empty, real = [], []
    for _ in range(RUNS):
        empty.append(start(EMPTY)["painted"][0])
        real.append(start(str(folder))["painted"][0])
    print(f"\nall runs: {[round(run, 2) for run in real]} s")
    judge(
        "first window, nothing embedded yet",
        min(real),
        FIRST_WINDOW_SECONDS,
        ("an empty window", min(empty)),
        (before + slowness()) / 2,
    )
