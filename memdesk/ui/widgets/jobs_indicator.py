"""The place in the status bar that says what is being done, how far it is, and stops it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from memdesk.ui.dialogs.pieces import tool_button
from memdesk.ui.icons import icon
from memdesk.ui.running import Job, Jobs

BAR_WIDTH = 90


class JobsIndicator(QWidget):
    """Shows the job that began last; hidden while nothing takes longer than a second."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self._words = QLabel(self)
        self._words.setTextFormat(Qt.TextFormat.PlainText)
        self._words.setProperty("tone", "small")
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(BAR_WIDTH, 4)
        self._cancel = tool_button("close", self.tr("Cancel"), self)
        self._cancel.clicked.connect(self._stop)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._words)
        row.addWidget(self._bar)
        row.addWidget(self._cancel)
        jobs.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show what runs now."""
        shown = self._jobs.shown()
        self._job = shown[-1] if shown else None
        self.setVisible(self._job is not None)
        if self._job is None:
            return
        number = self.locale().toString
        job = self._job
        words = job.title
        if job.total:
            words = self.tr("{title}: {done} of {total}").format(
                title=job.title, done=number(job.done), total=number(job.total)
            )
        self.setToolTip("\n".join(item.title for item in shown))
        if len(shown) > 1:
            words += f" · +{number(len(shown) - 1)}"
        self._words.setText(words)
        self.setAccessibleName(words)
        self._bar.setRange(0, job.total)
        self._bar.setValue(min(job.done, job.total))
        self._bar.setAccessibleName(job.title)
        stoppable = job.cancel is not None and not job.cancel.cancelled
        self._cancel.setVisible(job.cancel is not None)
        self._cancel.setEnabled(stoppable)
        self._cancel.setIcon(icon("pause" if job.pauses else "close"))
        name = self.tr("Pause: {title}") if job.pauses else self.tr("Cancel: {title}")
        self._cancel.setAccessibleName(name.format(title=job.title))
        self._cancel.setToolTip(name.format(title=job.title))

    def _stop(self) -> None:
        if self._job is not None and self._job.cancel is not None:
            self._cancel.setEnabled(False)
            self._job.cancel.cancel()
