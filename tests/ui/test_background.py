"""Work off the window thread: results come back to it, in order, or not at all when nobody is there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject

from memdesk.ui.background import Background


@pytest.fixture
def background(qtbot: Any) -> Iterator[Background]:  # noqa: ARG001
    made = Background()
    yield made
    made.close()
    made.deleteLater()


def test_results_arrive_in_the_window_thread(background: Background, qtbot: Any) -> None:
    seen: list[tuple[object, object]] = []
    for start in (background.read, background.write, background.long):
        start(threading.get_ident, lambda worker: seen.append((worker, threading.get_ident())))
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert all(worker != here == threading.get_ident() for worker, here in seen)


def test_writes_keep_their_order_though_the_first_is_slow(background: Background, qtbot: Any) -> None:
    done: list[int] = []
    for number in range(20):
        background.write(
            lambda number=number: (time.sleep(0.02 if number == 0 else 0), number)[1], done.append
        )
    qtbot.waitUntil(lambda: len(done) == 20)
    assert done == list(range(20))


def test_a_slow_read_does_not_hold_up_the_others(background: Background, qtbot: Any) -> None:
    hold = threading.Event()
    done: list[str] = []
    background.read(hold.wait, lambda _: done.append("slow"))
    background.read(lambda: "quick", done.append)
    qtbot.waitUntil(lambda: done == ["quick"])
    hold.set()
    qtbot.waitUntil(lambda: done == ["quick", "slow"])


def test_failures_reach_their_handler_or_everybody(background: Background, qtbot: Any) -> None:
    handled: list[Exception] = []
    told: list[Exception] = []
    background.failure.connect(told.append)
    background.read(lambda: 1 // 0, failed=handled.append)
    background.write(lambda: {}["nothing"])
    qtbot.waitUntil(lambda: bool(handled and told))
    assert isinstance(handled[0], ZeroDivisionError)
    assert isinstance(told[0], KeyError)
    assert len(handled) == len(told) == 1


def test_what_is_for_somebody_who_left_is_dropped(background: Background, qtbot: Any) -> None:
    hold = threading.Event()
    got: list[object] = []
    owner = QObject()
    background.read(hold.wait, got.append, failed=got.append, owner=owner)
    owner.deleteLater()
    with qtbot.waitSignal(owner.destroyed):
        pass
    hold.set()
    background.read(lambda: "after", got.append)
    qtbot.waitUntil(lambda: bool(got))
    qtbot.wait(50)
    assert got == ["after"]


def test_closing_finishes_writes_and_delivers_nothing_more(qtbot: Any) -> None:
    background = Background()
    written: list[int] = []
    told: list[object] = []
    for number in range(5):
        background.write(lambda number=number: (time.sleep(0.01), written.append(number))[1], told.append)
    background.close()
    assert written == [0, 1, 2, 3, 4]
    background.read(lambda: written.append(99))
    background.post(lambda: told.append("late"))
    qtbot.wait(50)
    assert written == [0, 1, 2, 3, 4]
    assert told == []
    background.deleteLater()


def test_five_thousand_posts_arrive(background: Background, qtbot: Any) -> None:
    count = [0]

    def add() -> None:
        count[0] += 1

    def many() -> None:
        for _ in range(5000):
            background.post(add)

    background.read(many)
    qtbot.waitUntil(lambda: count[0] == 5000, timeout=20_000)
