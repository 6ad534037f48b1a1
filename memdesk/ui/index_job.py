"""Reading messages into the index of the search as a job of the status bar."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from memdesk.ui.running import Job
from memdesk.ui.session import Session

LOOK_MS = 1000


class IndexJob(QObject):
    """Names the indexing while it takes longer than a moment; it goes on by itself and needs no stop."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        self._most = 0
        self._reading = False
        timer = QTimer(self)
        timer.setInterval(LOOK_MS)
        timer.timeout.connect(self.look)
        timer.start()

    def look(self) -> None:
        """See whether messages are being read in, and how many are left."""
        finder = self._session.workspace.finder
        if not finder.indexing:
            self._end()
        elif not self._reading:
            self._reading = True
            self._session.background.read(finder.waiting, self._show, failed=self._failed, owner=self)

    def _show(self, waiting: int) -> None:
        self._reading = False
        if not waiting:
            self._end()
            return
        if self._job is None:
            self._job = self._session.jobs.begin(self.tr("Reading messages in for the search"))
            self._most = waiting
        self._most = max(self._most, waiting)
        self._job.say(self._most - waiting, self._most)

    def _failed(self, _error: Exception) -> None:
        # The search itself says what it could not look through.
        self._reading = False
        self._end()

    def _end(self) -> None:
        if self._job is not None:
            self._job.end()
            self._job = None
