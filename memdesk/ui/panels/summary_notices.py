"""What is being done for the summaries of a chat, and what went wrong with it."""

from __future__ import annotations

import time

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from memdesk.ui.dialogs.pieces import Notice, column, push_button, row, tool_button
from memdesk.ui.errors import explain
from memdesk.ui.models.summaries import Summaries
from memdesk.ui.panels.summary_work import Failure, SummaryWork
from memdesk.ui.widgets.work_bar import WorkBar

LISTED = 5
"""Failures that are told one by one."""


class SummaryNotices(QWidget):
    """Hidden while all is well and nothing runs."""

    tryAgainRequested = Signal()
    stopRequested = Signal()

    def __init__(self, work: SummaryWork, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._work = work
        self._chat = 0
        self._bar = WorkBar()
        self._bar.stopRequested.connect(self.stopRequested)
        self._trouble = Notice("bad")
        self._again = push_button(self.tr("Try again now"), "quiet")
        self._again.clicked.connect(self.tryAgainRequested)
        self._close = tool_button("close", self.tr("Hide what failed"))
        self._close.clicked.connect(lambda: self._work.forget_failures(self._chat))
        self._row = QWidget()
        line = row(self._trouble, self._again, self._close, spacing=4)
        line.setStretch(0, 1)
        self._row.setLayout(line)
        column(self._bar, self._row, spacing=6, parent=self)

    def show_state(self, shown: Summaries) -> None:
        """Show what runs in a chat and what failed there."""
        self._chat = shown.chat_id
        work = self._work.running(shown.chat_id)
        if work is not None:
            seconds = time.monotonic() - work.began
            self._bar.show_work(work.title, work.done, work.total, seconds, stopping=work.stopping)
        elif shown.writing:
            self._bar.show_work(self.tr("Writing an automatic summary"), 0, 0, 0.0)
        else:
            self._bar.hide()
        failures = self._work.failures(shown.chat_id)
        trouble = shown.trouble
        if work is not None:
            self._trouble.say("")
        elif failures:
            self._trouble.say(self._failed(failures), detail=self._each(failures))
        elif trouble is not None and not shown.writing:
            minutes = max(1, round((trouble.again - time.monotonic()) / 60))
            self._trouble.say(
                self.tr("The automatic summary failed. {0}").format(explain(trouble.error)),
                detail=self.tr("It is tried again in about {0} min.").format(self.locale().toString(minutes)),
            )
        else:
            self._trouble.say("")
        self._row.setVisible(bool(self._trouble.text()))
        self._close.setVisible(bool(failures))
        self.setVisible(not self._bar.isHidden() or not self._row.isHidden())

    def _failed(self, failures: list[Failure]) -> str:
        if len(failures) == 1:
            return self.tr("The summary was not written. {0}").format(explain(failures[0].error))
        number = self.locale().toString(len(failures))
        return self.tr("{0} summaries were not written.").format(number)

    def _each(self, failures: list[Failure]) -> str:
        if len(failures) == 1:
            return failures[0].where
        lines = [f"{item.where}: {explain(item.error)}" for item in failures[:LISTED]]
        if len(failures) > LISTED:
            lines.append(self.tr("and {0} more").format(self.locale().toString(len(failures) - LISTED)))
        return "\n".join(lines)
