"""Ctrl+C in the terminal, and the wish of the system to end: both close the window as its button does."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from types import FrameType

from PySide6.QtCore import QObject, QSocketNotifier

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts(QObject):
    """Calls a function in the window thread when the process is asked to end.

    Qt waits for events outside of Python, where handlers of signals do not run; so the number of a signal is
    written to a socket that Qt watches. On Windows only Ctrl+C arrives this way.
    """

    def __init__(self, asked: Callable[[], None]) -> None:
        super().__init__()
        self._asked = asked
        self._reading, self._writing = socket.socketpair()
        self._reading.setblocking(False)
        self._writing.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._arrived)
        self._before = {number: signal.signal(number, _note) for number in SIGNALS}
        self._wakeup = signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)

    def _arrived(self) -> None:
        try:
            numbers = self._reading.recv(256)
        except BlockingIOError:
            return
        # Other signals wake this socket, too.
        if any(number in SIGNALS for number in numbers):
            self._asked()

    def close(self) -> None:
        """Give the signals back to whom they belonged."""
        signal.set_wakeup_fd(self._wakeup)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()


def _note(_number: int, _frame: FrameType | None) -> None:
    """Keep Python from ending at once; the number is on its way through the socket."""
