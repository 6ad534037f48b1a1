from __future__ import annotations

import threading
import time

import pytest

from memdesk.work.cancel import Cancelled, CancelToken


def test_a_token_turns_on_once_and_stays_on() -> None:
    token = CancelToken()
    calls: list[str] = []
    token.on_cancel(lambda: calls.append("a"))
    assert not token.cancelled
    token.raise_if_cancelled()
    assert token.wait(0) is False
    token.cancel()
    token.cancel()
    assert token.cancelled
    assert token.wait(60) is True
    assert calls == ["a"]
    with pytest.raises(Cancelled):
        token.raise_if_cancelled()


def test_a_late_callback_is_called_at_once_and_a_removed_one_never() -> None:
    token = CancelToken()
    calls: list[str] = []
    remove = token.on_cancel(lambda: calls.append("removed"))
    remove()
    remove()
    token.cancel()
    token.on_cancel(lambda: calls.append("late"))()
    assert calls == ["late"]


def test_a_failing_callback_does_not_cost_the_others_their_turn() -> None:
    token = CancelToken()
    calls: list[str] = []

    def fail() -> None:
        raise ValueError("broken")

    token.on_cancel(fail)
    token.on_cancel(lambda: calls.append("second"))
    with pytest.raises(ValueError, match="broken"):
        token.cancel()
    assert calls == ["second"]


def test_a_callback_may_use_the_token() -> None:
    token = CancelToken()
    seen: list[bool] = []
    token.on_cancel(lambda: (token.cancel(), seen.append(token.cancelled)))  # type: ignore[func-returns-value]
    token.cancel()
    assert seen == [True]


def test_waiting_ends_when_another_thread_cancels() -> None:
    token = CancelToken()
    timer = threading.Timer(0.05, token.cancel)
    timer.start()
    begin = time.monotonic()
    assert token.wait(30)
    assert time.monotonic() - begin < 5
    timer.join()


def test_many_threads_cancel_and_register_at_once() -> None:
    token = CancelToken()
    calls: list[int] = []
    gate = threading.Barrier(8)

    def work(number: int) -> None:
        gate.wait()
        if number % 4 == 0:
            token.cancel()
        for _ in range(50):
            token.on_cancel(lambda: calls.append(1))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 400
