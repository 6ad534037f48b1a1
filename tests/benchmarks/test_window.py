"""A long chat opens as fast as a short one, and a streamed delta costs the same in it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication

from memdesk.llm.client import ChatRequest, Finished, TextDelta
from memdesk.ui.app import Running
from memdesk.work.cancel import CancelToken
from tests.benchmarks.measuring import judge, lines, quantile, slowness, turn
from tests.benchmarks.test_chat_view import stretch

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.timeout(600),
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
]

OPEN_SECONDS = 0.3
DELTA_SECONDS = 0.016
LONG_CHAT, SHORT_CHAT = 1, 2
REPLY_TOKENS = 4_000
PACE_SECONDS = 0.01
"""Pause of the model between tokens: 100 a second is fast for a model on one's own machine."""


def shown(running: Running, chat_id: int) -> bool:
    chat = running.window.chat
    return chat.chat_id == chat_id and any(item.chat_id == chat_id for item in chat.model.messages)


def open_chat(running: Running, chat_id: int) -> float:
    """Open a chat as a click does; return the seconds until its newest messages are painted."""
    started = time.perf_counter()
    running.window.open_chat(chat_id)
    while not shown(running, chat_id):
        QCoreApplication.processEvents()
    running.window.chat.view.viewport().repaint()
    return time.perf_counter() - started


def test_opening_ten_thousand_messages(
    open_window: Callable[[Path], Running],
    remembered_chat: Path,
    copied: Callable[[Path], Path],
    until: Callable[..., None],
) -> None:
    before = slowness()
    running = open_window(copied(remembered_chat))
    until(lambda: running.window.chat.model.messages)
    turn(3.0)
    long, short = [], []
    for _ in range(6):
        short.append(open_chat(running, SHORT_CHAT))
        turn(1.0)
        long.append(open_chat(running, LONG_CHAT))
        turn(1.0)
    print(f"\nall runs: {[round(seconds, 3) for seconds in long]} s")
    judge(
        "opening 10,000 messages",
        min(long),
        OPEN_SECONDS,
        ("opening 100", min(short)),
        before,
    )


class Typist:
    """A model that replies with so many tokens, one after the other, at a pace."""

    def __init__(self, tokens: int, pace: float) -> None:
        words = " ".join(lines(tokens // 8)).split(" ")
        self._tokens = [f"{word} " for word in words[:tokens]]
        self._pace = pace

    def stream(self, request: ChatRequest, cancel: CancelToken) -> Iterator[Any]:  # noqa: ARG002
        for token in self._tokens:
            if cancel.wait(self._pace):
                break
            yield TextDelta(token)
        yield Finished("stop", None, "typist")

    def close(self) -> None:
        """Nothing is open."""


def stream(running: Running, chat_id: int, tokens: int, pace: float = PACE_SECONDS) -> list[float]:
    """Let a reply stream into a chat; return what the window's thread worked for each batch of deltas.

    It is the thread's own time, without that for which others had the processor; everything the window does
    between one batch and the next counts for the first: styles, the panels, the scroll.
    """
    typist = Typist(tokens, pace)
    running.workspace.conversation._writer._client = lambda _profile: typist
    spent: list[float] = []
    last: list[float] = []

    def note(*_details: object) -> None:
        now = time.thread_time()
        if last:
            spent.append(now - last[-1])
        last.append(now)

    running.session.replyGrew.connect(note)
    assert running.session.send(chat_id, "And then?", lambda error: pytest.fail(str(error)))
    ended = time.monotonic() + tokens * pace * 5 + 60
    while running.session.replying(chat_id):
        # Waits as the window does; a loop that turns without pause would count its own turning.
        QCoreApplication.processEvents()
        time.sleep(0.002)
        assert time.monotonic() < ended, "the reply did not end"
    running.session.replyGrew.disconnect(note)
    return spent


def test_a_streamed_delta(
    open_window: Callable[[Path], Running],
    remembered_chat: Path,
    copied: Callable[[Path], Path],
    until: Callable[..., None],
) -> None:
    running = open_window(copied(remembered_chat))
    until(lambda: running.window.chat.model.messages)
    running.window.open_chat(SHORT_CHAT)
    until(lambda: shown(running, SHORT_CHAT))
    turn(3.0)
    short = stream(running, SHORT_CHAT, 400)
    running.window.open_chat(LONG_CHAT)
    until(lambda: shown(running, LONG_CHAT))
    turn(3.0)
    long = stream(running, LONG_CHAT, REPLY_TOKENS)
    reply = running.window.chat.model.messages[-1]
    assert len(reply.text.split()) > REPLY_TOKENS * 0.9
    print(
        f"\n{len(long)} batches; median {statistics.median(long) * 1000:.1f} ms, most"
        f" {max(long) * 1000:.0f} ms; last quarter p95"
        f" {quantile(long[-len(long) // 4 :], 0.95) * 1000:.1f} ms"
    )
    judge(
        "a delta in 10,000 messages, reply of 4,000 tokens (p95)",
        quantile(long, 0.95),
        DELTA_SECONDS,
        ("a delta in 100 messages, reply of 400", quantile(short, 0.95)),
        stretch(),  # the thread's own time does not wait for others
    )
