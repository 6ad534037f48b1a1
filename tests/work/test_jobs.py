from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from memdesk.work.cancel import CancelToken
from memdesk.work.jobs import READERS, Jobs


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


def blocker(jobs: Jobs) -> threading.Event:
    """Occupy the worker until the returned event is set."""
    gate, running = threading.Event(), threading.Event()

    def run(_cancel: CancelToken) -> None:
        running.set()
        gate.wait(10)

    jobs.submit("blocker", run)
    assert running.wait(5)
    return gate


def test_jobs_run_one_at_a_time_by_priority_then_in_order(jobs: Jobs) -> None:
    gate, done = blocker(jobs), []
    for name, priority in (("late", 2), ("first", 0), ("middle", 1), ("second", 0)):
        jobs.submit(name, lambda _cancel, name=name: done.append(name), priority=priority)
    gate.set()
    assert jobs.wait_idle(5)
    assert done == ["first", "second", "middle", "late"]


def test_a_waiting_job_is_not_queued_twice(jobs: Jobs) -> None:
    gate, done = blocker(jobs), []
    for _ in range(5):
        jobs.submit("same", lambda _cancel: done.append(1))
    gate.set()
    assert jobs.wait_idle(5)
    assert done == [1]
    jobs.submit("same", lambda _cancel: done.append(2))
    assert jobs.wait_idle(5)
    assert done == [1, 2]


def test_a_job_may_queue_itself_again(jobs: Jobs) -> None:
    done: list[int] = []

    def run(_cancel: CancelToken) -> None:
        done.append(1)
        if len(done) < 4:
            jobs.submit("again", run)

    jobs.submit("again", run)
    assert jobs.wait_idle(5)
    assert len(done) == 4


def test_a_delayed_job_waits_and_can_be_hurried(jobs: Jobs) -> None:
    done: list[float] = []
    started = time.monotonic()
    jobs.submit("late", lambda _cancel: done.append(time.monotonic() - started), delay=0.2)
    assert jobs.wait_idle(5), "what waits for its time does not count"
    assert done == []
    end = time.monotonic() + 5
    while not done and time.monotonic() < end:
        time.sleep(0.01)
    assert done[0] >= 0.2
    jobs.submit("hurried", lambda _cancel: done.append(0.0), delay=60)
    jobs.submit("hurried", lambda _cancel: done.append(9.0))
    assert jobs.wait_idle(5)
    assert done[1:] == [0.0], "the job that waited runs, and at once"


def test_a_failing_job_is_reported_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    failures: list[tuple[object, str]] = []
    jobs = Jobs(lambda key, error: failures.append((key, str(error))))
    try:
        done: list[int] = []

        def fail(_cancel: CancelToken) -> None:
            raise RuntimeError("too hot")

        jobs.submit("bad", fail)
        jobs.submit("good", lambda _cancel: done.append(1))
        assert jobs.wait_idle(5)
        assert done == [1]
        assert failures == [("bad", "too hot")]
        assert "background job 'bad' failed" in caplog.text
    finally:
        jobs.close()


def test_reading_runs_beside_the_worker(jobs: Jobs) -> None:
    gate = blocker(jobs)
    assert [jobs.read(lambda n=n: n * n) for n in range(8)][7].result(5) == 49
    names = {jobs.read(lambda: threading.current_thread().name).result(5) for _ in range(20)}
    assert all(name.startswith("memdesk-read") for name in names)
    assert len(names) <= READERS
    with pytest.raises(ZeroDivisionError):
        jobs.read(lambda: 1 // 0).result(5)
    gate.set()


def test_closing_cancels_what_runs_and_drops_what_waits() -> None:
    jobs, seen = Jobs(), []
    running = threading.Event()

    def run(cancel: CancelToken) -> None:
        running.set()
        seen.append(cancel.wait(10))

    jobs.submit("running", run)
    assert running.wait(5)
    jobs.submit("waiting", lambda _cancel: seen.append("never"))
    jobs.submit("later", lambda _cancel: seen.append("never"), delay=30)
    started = time.monotonic()
    jobs.close()
    assert time.monotonic() - started < 5
    assert seen == [True]
    jobs.submit("after", lambda _cancel: seen.append("never"))
    assert jobs.wait_idle(1)
    assert seen == [True]
    with pytest.raises(RuntimeError):
        jobs.read(lambda: 1)


def test_waiting_for_idle_has_an_end(jobs: Jobs) -> None:
    gate = blocker(jobs)
    assert jobs.wait_idle(0.1) is False
    gate.set()
    assert jobs.wait_idle(5) is True
