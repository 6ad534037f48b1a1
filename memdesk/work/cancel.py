"""Stopping work that runs in another thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Cancelled(Exception):  # noqa: N818 - it is news, not an error
    """The work was stopped on request."""

    def __init__(self) -> None:
        super().__init__("The work was cancelled.")


class CancelToken:
    """A switch that one thread turns on and others look at; it never turns off again."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: dict[int, Callable[[], None]] = {}
        self._next = 0

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def cancel(self) -> None:
        """Turn the switch on and call every registered callback once, in this thread.

        A second call does nothing. If callbacks raise, all of them are still called and the first
        exception is raised afterwards.
        """
        with self._lock:
            if self._event.is_set():
                return
            self._event.set()
            callbacks = list(self._callbacks.values())
            self._callbacks.clear()
        _call_all(callbacks)

    def raise_if_cancelled(self) -> None:
        """Raise `Cancelled` if the switch is on."""
        if self._event.is_set():
            raise Cancelled

    def on_cancel(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` when the switch is turned on, at once if it is on already.

        Returns a function that takes the callback back; calling it twice is harmless. It does not wait for
        a callback that another thread is running at that moment.
        """
        with self._lock:
            if not self._event.is_set():
                number = self._next
                self._next += 1
                self._callbacks[number] = callback
                return lambda: self._remove(number)
        callback()
        return lambda: None

    def wait(self, seconds: float) -> bool:
        """Sleep for at most `seconds`; return True as soon as the switch is on, else False."""
        return self._event.wait(max(0.0, seconds))

    def _remove(self, number: int) -> None:
        with self._lock:
            self._callbacks.pop(number, None)


def _call_all(callbacks: list[Callable[[], None]]) -> None:
    """Call them in order; `finally` makes sure that a failing one does not cost the next its turn."""
    for index, callback in enumerate(callbacks):
        try:
            callback()
        except BaseException:
            _call_all(callbacks[index + 1 :])
            raise
