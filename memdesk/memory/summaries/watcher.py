"""When automatic summaries are written: after replies, on a thread of their own, one at a time."""

from __future__ import annotations

import functools
import logging
import threading
import time
from collections.abc import Callable

from memdesk.chats.changes import Change, ChangeKind
from memdesk.memory.summaries.automatic import Summarising
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken

log = logging.getLogger(__name__)

LISTENED = frozenset({ChangeKind.MESSAGES_ADDED, ChangeKind.MESSAGES_RESTORED, ChangeKind.CHAT_CHANGED})
"""What can make a summary due."""


class SummaryWatcher:
    """Looks at chats in which something was said, and lets `Summarising` write what is due.

    Replies come first: nothing is begun while one is being written in any chat, what runs is given up when
    one begins, and is tried again after it. Failures are tried again at their time. The thread begins with
    the first chat to look at.
    """

    def __init__(self, summarising: Summarising, changed: Callable[[int], None]) -> None:
        """Watch; `changed` hears of a chat whose summary begins or ends, in the watcher's thread."""
        self._summarising = summarising
        self._changed = changed
        self._wanted: dict[int, float] = {}
        self._turns: set[int] = set()
        self._running: tuple[int, CancelToken] | None = None
        self._wake = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def observe(self, change: Change) -> None:
        """Remember the chat of a change."""
        if change.kind in LISTENED and change.chat_id is not None:
            self.look(change.chat_id)

    def look(self, chat_id: int, delay: float = 0.0) -> None:
        """Look at a chat as soon as no reply is being written, not before `delay` seconds have passed."""
        at = time.monotonic() + delay
        with self._wake:
            if self._closed:
                return
            self._wanted[chat_id] = min(at, self._wanted.get(chat_id, at))
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="memdesk-summaries", daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def turn(self, chat_id: int, begins: bool) -> None:
        """Make way for a reply that begins; go on when it has ended."""
        cancel = None
        with self._wake:
            if not begins:
                self._turns.discard(chat_id)
                self._wake.notify_all()
                return
            self._turns.add(chat_id)
            if self._running is not None:
                waiting, cancel = self._running
                self._wanted.setdefault(waiting, time.monotonic())
        if cancel is not None:
            cancel.cancel()

    def try_again(self, chat_id: int) -> None:
        """Try at once what failed, instead of at its time."""
        self._summarising.forget_trouble(chat_id)
        self.look(chat_id)

    def running(self) -> int | None:
        """Return the chat whose summary is being written."""
        with self._wake:
            return self._running[0] if self._running else None

    def stop(self, chat_id: int) -> None:
        """Give up the summary that is being written in a chat; it is due again after the next message."""
        with self._wake:
            running = self._running
        if running is not None and running[0] == chat_id:
            running[1].cancel()

    def close(self) -> None:
        """Give up what runs and end the thread."""
        with self._wake:
            self._closed = True
            self._wanted.clear()
            running, thread = self._running, self._thread
            self._wake.notify_all()
        if running is not None:
            running[1].cancel()
        if thread is not None:
            thread.join()

    def _next(self) -> tuple[int, CancelToken] | None:
        """Wait for the next chat to look at; None when it is over."""
        with self._wake:
            while not self._closed:
                due = min(self._wanted, key=self._wanted.__getitem__, default=None)
                left = None if due is None or self._turns else self._wanted[due] - time.monotonic()
                if due is not None and left is not None and left <= 0:
                    del self._wanted[due]
                    self._running = (due, CancelToken())
                    return self._running
                self._wake.wait(left)
        return None

    def _loop(self) -> None:
        while (found := self._next()) is not None:
            chat_id, cancel = found
            try:
                self._summarising.if_due(chat_id, cancel, functools.partial(self._changed, chat_id))
            except StoreError as error:
                # The chat may be gone by now; a disk that fails says so wherever else it is used.
                log.warning("no summary was written: %s", error.code)
            except Exception:
                # The thread must outlive any summary.
                log.exception("an automatic summary failed")
            with self._wake:
                self._running = None
            trouble = self._summarising.trouble(chat_id)
            if trouble is not None:
                self.look(chat_id, max(0.0, trouble.again - time.monotonic()))
            if not self._closed:
                self._changed(chat_id)
