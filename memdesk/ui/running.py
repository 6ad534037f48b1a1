"""What takes its time: named, with how far it is and a way to stop it, in the status bar.

    job = session.jobs.begin(self.tr("Importing characters"), CancelToken())     in the window thread
    with job:                 in a worker: it is over at the end of the block, also when that failed
        job.say(3, 12)        from any thread; total 0 when nobody knows how much there is
What is over within a second is never shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from PySide6.QtCore import QObject, QTimer, Signal

from memdesk.ui.background import Background
from memdesk.work.cancel import CancelToken

SHOWN_AFTER_MS = 1000


@dataclass(eq=False, slots=True)
class Job:
    """One piece of work, as the person sees it."""

    title: str
    cancel: CancelToken | None
    jobs: Jobs = field(repr=False)
    pauses: bool = False
    """Whether stopping it only lets it rest"""
    done: int = 0
    total: int = 0
    shown: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_details: object) -> None:
        self.end()

    def say(self, done: int, total: int) -> None:
        """Tell how far it is, in steps; may be called from any thread."""
        self.jobs.post(self, done, total)

    def end(self) -> None:
        """Tell that it is over; may be called from any thread."""
        self.jobs.post_end(self)


class Jobs(QObject):
    """The jobs that run, oldest first. Its signal comes in the window thread."""

    changed = Signal()

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._jobs: list[Job] = []

    def begin(self, title: str, cancel: CancelToken | None = None, *, pauses: bool = False) -> Job:
        """Name a job that begins; called in the window thread."""
        job = Job(title, cancel, self, pauses)
        self._jobs.append(job)
        QTimer.singleShot(SHOWN_AFTER_MS, self, lambda: self._show(job))
        return job

    def shown(self) -> list[Job]:
        """Return the jobs that have run for more than a second."""
        return [job for job in self._jobs if job.shown]

    def post(self, job: Job, done: int, total: int) -> None:
        """Take how far a job is, from any thread."""

        def take() -> None:
            job.done, job.total = done, total
            if job.shown:
                self.changed.emit()

        self._background.post(take)

    def post_end(self, job: Job) -> None:
        """Take that a job is over, from any thread."""

        def take() -> None:
            if job in self._jobs:
                self._jobs.remove(job)
                self.changed.emit()

        self._background.post(take)

    def _show(self, job: Job) -> None:
        if job in self._jobs:
            job.shown = True
            self.changed.emit()
