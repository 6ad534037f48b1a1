"""Tries a connection and shows every step with an icon and in words."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from memdesk.llm.discovery import CheckResult, Step, check
from memdesk.llm.profile import ConnectionProfile
from memdesk.ui.background import Background
from memdesk.ui.dialogs.pieces import Notice, NoticeKind, column, push_button, reveal, row
from memdesk.ui.dialogs.words import failure_words, step_title
from memdesk.ui.sentences import said
from memdesk.work.cancel import Cancelled, CancelToken


class CheckPanel(QWidget):
    """A Test button, progress with Cancel, and what came out of each step.

    `ask` returns what to test and its key (fetched on a worker, because a keyring may be slow), or None when
    the form is not ready. `checked` carries the result.
    """

    checked = Signal(object)
    ended = Signal()
    """A test came to no result: it was cancelled, or could not be made."""

    def __init__(
        self,
        background: Background,
        ask: Callable[[], tuple[ConnectionProfile, Callable[[], str | None]] | None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self._ask = ask
        self._cancel: CancelToken | None = None
        self.setAccessibleName(self.tr("Connection test"))
        self._start = push_button(self.tr("Test connection"), parent=self)
        self._start.clicked.connect(self.start)
        self._stop = push_button(self.tr("Cancel test"), "quiet", self)
        self._stop.clicked.connect(self.cancel)
        self._progress = QProgressBar(self)
        self._progress.setRange(0, 0)
        self._progress.setTextVisible(False)
        self._progress.setAccessibleName(self.tr("Testing the connection"))
        self._result = QVBoxLayout()
        self._result.setSpacing(8)
        buttons = row(self._start, self._stop, self._progress)
        buttons.addStretch(1)
        layout = column(parent=self, spacing=8)
        layout.addLayout(buttons)
        layout.addLayout(self._result)
        self._set_running(False)

    @property
    def running(self) -> bool:
        """Whether a test is under way."""
        return self._cancel is not None

    def start(self) -> None:
        """Begin a test, unless the form is not ready."""
        asked = self._ask()
        if asked is None:
            return
        profile, key = asked
        self.clear()
        token = self._cancel = CancelToken()
        self._set_running(True)
        self._background.long(
            lambda: check(profile, key(), token),
            lambda result: self._finish(token, result),
            failed=lambda error: self._fail(token, error),
            owner=self,
        )

    def cancel(self) -> None:
        """End a test that is under way; what it found so far is dropped."""
        if self._cancel is not None:
            self._cancel.cancel()
            self._cancel = None
            self._set_running(False)
            self._show([Notice("info", self.tr("The test was cancelled."))])
            self.ended.emit()

    def clear(self) -> None:
        """Forget results, and end a test that is under way."""
        if self._cancel is not None:
            self._cancel.cancel()
            self._cancel = None
        self._set_running(False)
        self._show([])

    def _finish(self, token: CancelToken, result: CheckResult) -> None:
        if token is not self._cancel:
            return
        self._cancel = None
        self._set_running(False)
        self._show([_notice(step) for step in result.steps])
        self.checked.emit(result)

    def _fail(self, token: CancelToken, error: Exception) -> None:
        if token is not self._cancel or isinstance(error, Cancelled):
            return
        self._cancel = None
        self._set_running(False)
        self._show([Notice("bad", failure_words(error))])
        self.ended.emit()

    def _show(self, notices: list[Notice]) -> None:
        while (item := self._result.takeAt(0)) is not None:
            old = item.widget()
            if old is not None:
                old.hide()
                old.deleteLater()
        for notice in notices:
            self._result.addWidget(notice)
            notice.show()
        if notices:
            reveal(notices[-1])

    def _set_running(self, running: bool) -> None:
        self._stop.setVisible(running)
        self._progress.setVisible(running)
        self._start.setEnabled(not running)


def _notice(step: Step) -> Notice:
    kind: NoticeKind = "bad" if not step.ok else "wait" if step.code else "ok"
    return Notice(kind, said(step.message), step_title(step.name, step.code))
