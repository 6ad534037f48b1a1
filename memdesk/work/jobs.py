"""Work in the background: one serial worker for what changes things, a small pool for what reads."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from memdesk.work.cancel import CancelToken

log = logging.getLogger(__name__)

T = TypeVar("T")

READERS = 3
"""Threads that read. On two cores more would only queue behind each other."""


@dataclass(order=True)
class _Entry:
    ready: float
    priority: int
    order: int
    key: object = field(compare=False)
    run: Callable[[CancelToken], None] = field(compare=False)


class Jobs:
    """Runs background work.

    `submit` puts a job on the serial worker; a job whose key already waits is not queued twice.
    `read` runs a function beside it on the reading pool. Failures of a job are logged and reported to
    `on_failure`, never swallowed, and never end the worker.
    """

    def __init__(self, on_failure: Callable[[object, BaseException], None] | None = None) -> None:
        self._heap: list[_Entry] = []
        self._keys: set[object] = set()
        self._count = itertools.count()
        self._wake = threading.Condition()
        self._stop = CancelToken()
        self._busy = False
        self._on_failure = on_failure
        self._pool = ThreadPoolExecutor(READERS, thread_name_prefix="memdesk-read")
        self._thread = threading.Thread(target=self._loop, name="memdesk-jobs", daemon=True)
        self._thread.start()

    def submit(
        self, key: object, run: Callable[[CancelToken], None], *, priority: int = 0, delay: float = 0.0
    ) -> None:
        """Queue a job: lower priorities first, not before `delay` seconds have passed.

        A waiting job with the same key is kept, and moves forward when this one would run sooner.
        """
        ready = time.monotonic() + delay
        with self._wake:
            if self._stop.cancelled:
                return
            if key in self._keys:
                for entry in self._heap:
                    if entry.key == key and entry.ready > ready:
                        entry.ready = ready
                heapq.heapify(self._heap)
            else:
                self._keys.add(key)
                heapq.heappush(self._heap, _Entry(ready, priority, next(self._count), key, run))
            self._wake.notify_all()

    def read(self, function: Callable[[], T]) -> Future[T]:
        """Run a function on the reading pool."""
        return self._pool.submit(function)

    def wait_idle(self, timeout: float = 60.0) -> bool:
        """Wait until nothing is due or running; jobs that wait for their time do not count."""
        deadline = time.monotonic() + timeout
        with self._wake:
            while self._busy or self._due() is not None:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._wake.wait(min(left, 0.5))
        return True

    def close(self) -> None:
        """Cancel what runs, drop what waits, and join every thread."""
        self._stop.cancel()
        with self._wake:
            self._heap.clear()
            self._keys.clear()
            self._wake.notify_all()
        self._thread.join()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _due(self) -> _Entry | None:
        """Return the most urgent entry whose time has come."""
        moment = time.monotonic()
        ready = [entry for entry in self._heap if entry.ready <= moment]
        return min(ready, key=lambda entry: (entry.priority, entry.order)) if ready else None

    def _loop(self) -> None:
        while not self._stop.cancelled:
            with self._wake:
                entry = self._due()
                if entry is None:
                    left = self._heap[0].ready - time.monotonic() if self._heap else None
                    self._wake.wait(None if left is None else max(left, 0.001))
                    continue
                self._heap.remove(entry)
                heapq.heapify(self._heap)
                self._keys.discard(entry.key)
                self._busy = True
            try:
                entry.run(self._stop)
            except Exception as error:  # the worker must outlive any job
                if not self._stop.cancelled:
                    log.exception("background job %r failed", entry.key)
                    if self._on_failure is not None:
                        self._on_failure(entry.key, error)
            finally:
                with self._wake:
                    self._busy = False
                    self._wake.notify_all()
