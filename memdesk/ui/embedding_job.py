"""Embedding as a job of the status bar: how far this stretch of it is, to be paused and gone on with."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from memdesk.ui.icons import icon
from memdesk.ui.running import Job
from memdesk.ui.session import Session
from memdesk.ui.widgets.once import OnceToolButton
from memdesk.work.cancel import CancelToken


class EmbeddingJob(QObject):
    """Names embedding as a job while something waits and can be embedded; `button` lets it go on again."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        self._most = 0
        self.button = OnceToolButton(parent)
        self.button.setIcon(icon("play"))
        self.button.setAccessibleName(self.tr("Go on embedding"))
        self.button.setToolTip(self.tr("Embedding is paused. Memories without a vector are found by words."))
        self.button.clicked.connect(self._go_on)
        self.button.hide()

    def follow(self, waiting: int, *, available: bool) -> None:
        """Take how many memories wait for a vector, and whether something can make one."""
        resting = self._session.workspace.sync.resting
        self.button.setVisible(resting and waiting > 0)
        if not waiting or not available or resting:
            self._end()
            return
        if self._job is None:
            cancel = CancelToken()
            cancel.on_cancel(self._rest)
            self._job = self._session.jobs.begin(self.tr("Embedding"), cancel, pauses=True)
            self._most = waiting
        self._most = max(self._most, waiting)
        self._job.say(self._most - waiting, self._most)

    def _end(self) -> None:
        if self._job is not None:
            self._job.end()
            self._job = None

    def _rest(self) -> None:
        self._session.workspace.sync.rest(value=True)
        self.button.show()
        self._end()

    def _go_on(self) -> None:
        self.button.hide()
        self._session.workspace.sync.rest(value=False)
        self._session.memoriesChanged.emit(0)
