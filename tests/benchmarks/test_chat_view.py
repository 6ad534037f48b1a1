"""Opening and streaming in the chat view cost the same at any length of the chat.

Limits in milliseconds hold on a quiet machine with 2 cores; on a busy one they are stretched by the time
that a fixed piece of the same kind of work (laying out text) takes compared with a quiet machine.
"""

from __future__ import annotations

import os
import statistics
import time
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from memdesk.ui.models.messages import MessageWindowModel
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.chat_view import ChatView
from tests.ui.conftest import Shelf, make_message

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
]

OPEN_SECONDS = 0.3
DELTA_SECONDS = 0.016
QUIET_BASELINE = 0.004
"""Seconds that `baseline` takes on the quiet machine the limits are meant for."""
PACE_SECONDS = 0.03
PARAGRAPH = "*She turns* and says “no, I never did that” again, slowly, as if it were true.\n\n"


def baseline() -> float:
    """Return the best of five times of laying out twelve pages of text."""
    times = []
    for _ in range(5):
        started = time.thread_time()
        for _ in range(12):
            document = QTextDocument()
            document.setDefaultFont(current_theme().font("message"))
            document.setHtml(f"<p>{PARAGRAPH}</p>" * 8)
            document.setTextWidth(700)
            document.size()
        times.append(time.thread_time() - started)
    return statistics.median(times)


def stretch() -> float:
    return max(1.0, baseline() / QUIET_BASELINE)


@pytest.fixture
def open_view(qtbot: Any) -> Any:
    def make(count: int) -> tuple[ChatView, MessageWindowModel]:
        shelf = Shelf([make_message(number, PARAGRAPH * 2) for number in range(1, count + 1)])
        current_theme().apply()
        model = MessageWindowModel()
        model.pageWanted.connect(lambda first, limit: model.setPage(shelf.page(first, limit)))
        view = ChatView(model)
        model.setParent(view)
        qtbot.addWidget(view)
        view.resize(820, 700)
        view.show()
        QApplication.processEvents()
        return view, model

    return make


def test_opening_ten_thousand_messages(open_view: Any) -> None:
    seconds = []
    for _ in range(3):
        view, model = open_view(10_000)
        started = time.perf_counter()
        model.open(1, 10_000)
        QApplication.processEvents()
        view.viewport().repaint()
        seconds.append(time.perf_counter() - started)
    factor = stretch()
    print(f"opened in {min(seconds):.3f} s; this machine takes {factor:.1f} times as long as a quiet one")
    assert min(seconds) <= OPEN_SECONDS * factor


def stream(model: MessageWindowModel, deltas: int) -> list[float]:
    """Stream a reply at the pace of a fast server; return the window's work for each delta in seconds.

    It is the thread's own time that counts, without the time for which other programs had the processor.
    """
    number = model.count + 1
    model.append(make_message(number, swipe_fields={"text": ""}))
    model.startStream(number, number)
    words = (PARAGRAPH * 60).split(" ")
    times = []
    for at in range(deltas):
        started, spent = time.perf_counter(), time.thread_time()
        model.appendDelta(number, " ".join(words[at * 4 : at * 4 + 4]) + " ", number)
        model.flush()
        QApplication.processEvents()
        # Styles may come later than the words: their time counts for the delta that asked for them.
        while time.perf_counter() - started < PACE_SECONDS:
            time.sleep(0.002)
            QApplication.processEvents()
        times.append(time.thread_time() - spent)
    model.endStream(number, number)
    return times


@pytest.mark.parametrize("count", [10, 10_000])
def test_a_delta(open_view: Any, count: int) -> None:
    _view, model = open_view(count)
    model.open(1, count)
    QApplication.processEvents()
    times = stream(model, 200)
    p95 = statistics.quantiles(times, n=20)[-1]
    factor = stretch()
    print(f"a delta: {p95 * 1000:.1f} ms (p95); this machine takes {factor:.1f} times as long as a quiet one")
    assert p95 <= DELTA_SECONDS * factor


def test_a_delta_costs_the_same_in_a_long_chat(open_view: Any) -> None:
    medians = []
    for count in (100, 10_000, 100, 10_000):
        view, model = open_view(count)
        model.open(1, count)
        for _ in range(5):
            model.wantOlder()
        view.jumpToEnd()
        QApplication.processEvents()
        medians.append(statistics.median(stream(model, 60)))
    short, long = min(medians[0::2]), min(medians[1::2])
    print(f"a delta in 10,000 messages takes {long / short:.2f} times as long as in 100")
    assert long <= short * 2
