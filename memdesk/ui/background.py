"""The bridge between the window and everything that waits: disk, network, Chroma, ONNX."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

log = logging.getLogger(__name__)

T = TypeVar("T")

READERS = 3


class Background(QObject):
    """Runs functions off the window thread and brings their results back to it.

    `read` runs beside others, `write` one after the other in the order asked for, `long` on a thread of its
    own (a reply that streams). Results of a widget that is gone are dropped. A failure without a `failed`
    handler reaches the window through the `failure` signal, never silently.
    """

    failure = Signal(object)
    """An exception nobody else has dealt with."""

    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="memdesk-ui-read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="memdesk-ui-write")
        self._long = ThreadPoolExecutor(16, thread_name_prefix="memdesk-ui-long")
        self._open = True
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def read(
        self,
        function: Callable[[], T],
        done: Callable[[T], None] | None = None,
        *,
        failed: Callable[[Exception], None] | None = None,
        owner: QObject | None = None,
    ) -> None:
        """Run `function` beside others; `done` gets its result in the window thread."""
        self._start(self._readers, function, done, failed, owner)

    def write(
        self,
        function: Callable[[], T],
        done: Callable[[T], None] | None = None,
        *,
        failed: Callable[[Exception], None] | None = None,
        owner: QObject | None = None,
    ) -> None:
        """Run `function` after all earlier writes."""
        self._start(self._writer, function, done, failed, owner)

    def long(
        self,
        function: Callable[[], T],
        done: Callable[[T], None] | None = None,
        *,
        failed: Callable[[Exception], None] | None = None,
        owner: QObject | None = None,
    ) -> None:
        """Run `function` where it may take its time."""
        self._start(self._long, function, done, failed, owner)

    def post(self, function: Callable[[], None]) -> None:
        """Run `function` soon in the window thread; may be called from any thread."""
        if self._open:
            self._arrived.emit(function)

    def close(self) -> None:
        """Wait for what runs and deliver nothing more."""
        self._open = False
        for pool in (self._readers, self._long, self._writer):
            pool.shutdown(wait=True, cancel_futures=pool is not self._writer)

    def _start(
        self,
        pool: ThreadPoolExecutor,
        function: Callable[[], T],
        done: Callable[[T], None] | None,
        failed: Callable[[Exception], None] | None,
        owner: QObject | None,
    ) -> None:
        if not self._open:
            return

        def finished(future: Future[T]) -> None:
            if not future.cancelled():
                self.post(lambda: self._finish(future, done, failed, owner))

        pool.submit(function).add_done_callback(finished)

    def _finish(
        self,
        future: Future[Any],
        done: Callable[[Any], None] | None,
        failed: Callable[[Exception], None] | None,
        owner: QObject | None,
    ) -> None:
        if owner is not None and not shiboken6.isValid(owner):
            return
        error = future.exception()
        if error is None:
            if done is not None:
                done(future.result())
        elif not isinstance(error, Exception):
            raise error
        elif failed is not None:
            failed(error)
        else:
            log.error("a task of the window failed", exc_info=error)
            self.failure.emit(error)

    @Slot(object)
    def _deliver(self, function: Callable[[], None]) -> None:
        if self._open:
            function()
