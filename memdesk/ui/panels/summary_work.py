"""What a model does for summaries while the person goes on: generate, backfill, combine."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.memory.summaries.due import Batch
from memdesk.memory.summaries.request import BadSummary
from memdesk.store.errors import StoreError
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.work.undo import Undo

if TYPE_CHECKING:
    from memdesk.memory.summaries.automatic import Progress
    from memdesk.ui.session import Session

TICK_MS = 1000

Range = tuple[int, int]
"""First and last message, from 1."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A piece of the work that failed, and how it is tried again."""

    where: str
    error: Exception
    again: Range | Batch | None
    """None stands for the newest messages"""


@dataclass(slots=True)
class Work:
    """What runs in a chat."""

    title: str
    total: int = 1
    done: int = 0
    began: float = field(default_factory=time.monotonic)
    cancel: CancelToken = field(default_factory=CancelToken)
    stopping: bool = False


@dataclass(slots=True)
class _Outcome:
    written: list[int] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    stopped: bool = False


class SummaryWork(QObject):
    """Runs one piece of work per chat at a time, says how far it is, and keeps what failed."""

    progressed = Signal(int)
    """A chat whose work goes on, has ended or has failed"""
    told = Signal(str, object)
    """What came of it, and the `Undo` of what was written, or None"""
    combined = Signal(int, list, object)
    """chat id, entry ids, the `Answer` that a model made of them"""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._running: dict[int, Work] = {}
        self._failures: dict[int, list[Failure]] = {}
        self._newest: dict[int, int] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    # ── what there is ────────────────────────────────────────────────────────────────────────────────

    def running(self, chat_id: int | None) -> Work | None:
        """Return what runs in a chat."""
        return self._running.get(chat_id) if chat_id is not None else None

    def failures(self, chat_id: int | None) -> list[Failure]:
        """Return what failed in a chat last."""
        return self._failures.get(chat_id, []) if chat_id is not None else []

    def forget_failures(self, chat_id: int) -> None:
        """Speak no more of what failed."""
        self._failures.pop(chat_id, None)
        self.progressed.emit(chat_id)

    def stop(self, chat_id: int | None) -> None:
        """Stop what runs in a chat; what is written stays."""
        work = self.running(chat_id)
        if work is not None and not work.stopping:
            work.stopping = True
            # Closing a connection may block, so it is not the window that closes it.
            self._session.background.read(work.cancel.cancel)
            self.progressed.emit(chat_id)

    def stop_all(self) -> None:
        """Stop everything at once: the window closes."""
        self._timer.stop()
        for work in self._running.values():
            work.cancel.cancel()

    # ── what can be done ─────────────────────────────────────────────────────────────────────────────

    def generate(self, chat_id: int, newest: int, ranges: Sequence[Range] = ()) -> None:
        """Write a summary of the newest messages, or one of each range, one after the other."""
        wanted: list[Range | None] = list(ranges) or [None]
        if newest:
            self._newest[chat_id] = newest
        newest = newest or self._newest.get(chat_id, 0)
        summarising = self._session.workspace.summarising

        def run(work: Work, step: Callable[[], None]) -> _Outcome:
            outcome = _Outcome()
            for item in wanted:
                first, last = item or (0, 0)
                try:
                    outcome.written.append(
                        summarising.generate(chat_id, work.cancel, first, last, newest=newest)
                    )
                except Cancelled:
                    outcome.stopped = True
                    break
                except (LLMError, KeyFileError, BadSummary, StoreError) as error:
                    where = self._where(first, last) if item else ""
                    outcome.failed.append(Failure(where, error, item))
                step()
            return outcome

        self._begin(chat_id, Work(self.tr("Writing a summary"), len(wanted)), run)

    def backfill(self, chat_id: int, only: Sequence[Batch] | None = None) -> None:
        """Summarise all that no summary covers, batch after batch; `only` those, if they are given."""
        summarising = self._session.workspace.summarising

        def run(work: Work, step: Callable[[], None]) -> _Outcome:
            def report(progress: Progress) -> None:
                work.done, work.total = progress.done, progress.total
                step()

            done = summarising.backfill(chat_id, work.cancel, report, only)
            failed = [
                Failure(self._where(batch.first, batch.last), error, batch) for batch, error in done.failed
            ]
            return _Outcome(list(done.written), failed, done.done < done.total)

        self._begin(chat_id, Work(self.tr("Summarising what came before"), 0), run, counts=False)

    def retry(self, chat_id: int) -> None:
        """Try again what failed, and nothing else."""
        failed = self._failures.pop(chat_id, [])
        batches = [item.again for item in failed if isinstance(item.again, Batch)]
        ranges = [item.again for item in failed if isinstance(item.again, tuple)]
        if batches:
            self.backfill(chat_id, batches)
        elif failed:
            self.generate(chat_id, 0, ranges)

    def combine(self, chat_id: int, ids: Sequence[int]) -> None:
        """Let a model make one of several; `combined` brings what it wrote."""
        summarising = self._session.workspace.summarising
        work = Work(self.tr("Combining summaries"))
        if chat_id in self._running:
            return
        self._start(chat_id, work)

        def ended(answer: object) -> None:
            self._end(chat_id)
            self.combined.emit(chat_id, list(ids), answer)

        def failed(error: Exception) -> None:
            self._end(chat_id)
            if not isinstance(error, Cancelled):
                self._session.report(error)

        self._session.background.long(
            lambda: summarising.combine(chat_id, ids, work.cancel), ended, failed=failed, owner=self
        )

    # ── how it runs ──────────────────────────────────────────────────────────────────────────────────

    def _begin(
        self,
        chat_id: int,
        work: Work,
        run: Callable[[Work, Callable[[], None]], _Outcome],
        *,
        counts: bool = True,
    ) -> None:
        if chat_id in self._running:
            return
        self._failures.pop(chat_id, None)
        self._start(chat_id, work)
        job = self._session.jobs.begin(work.title, work.cancel)
        post = self._session.background.post

        def step() -> None:
            if counts:
                work.done += 1
            job.say(work.done, work.total)
            post(lambda: self.progressed.emit(chat_id))

        def ended(outcome: _Outcome) -> None:
            job.end()
            self._end(chat_id)
            self._tell(chat_id, outcome)

        def failed(error: Exception) -> None:
            job.end()
            self._end(chat_id)
            self._session.report(error)

        self._session.background.long(lambda: run(work, step), ended, failed=failed, owner=self)

    def _start(self, chat_id: int, work: Work) -> None:
        self._running[chat_id] = work
        self._timer.start()
        self.progressed.emit(chat_id)

    def _end(self, chat_id: int) -> None:
        self._running.pop(chat_id, None)
        if not self._running:
            self._timer.stop()
        self.progressed.emit(chat_id)

    def _tick(self) -> None:
        for chat_id in list(self._running):
            self.progressed.emit(chat_id)

    def _tell(self, chat_id: int, outcome: _Outcome) -> None:
        if outcome.failed:
            self._failures[chat_id] = outcome.failed
            self.progressed.emit(chat_id)
        number = self._window.locale().toString
        count = len(outcome.written)
        undo = self._remember(outcome.written) if count else None
        if count == 1 and not outcome.stopped:
            self.told.emit(self.tr("A summary was written."), undo)
        elif count:
            self.told.emit(self.tr("{0} summaries were written.").format(number(count)), undo)
        elif outcome.stopped:
            self.told.emit(self.tr("Stopped. Nothing was written."), None)
        elif not outcome.failed:
            self.told.emit(self.tr("Everything is already summarised."), None)

    def _remember(self, written: list[int]) -> Undo:
        acts = self._session.workspace.summaries
        undo = Undo(self.tr("Writing a summary"), functools.partial(acts.delete_standing, written))
        self._session.remember(undo)
        return undo

    def _where(self, first: int, last: int) -> str:
        number = self._window.locale().toString
        return f"#{number(first)}–#{number(last)}"
