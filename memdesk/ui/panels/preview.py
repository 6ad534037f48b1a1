"""The next prompt, weighed while one writes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.receipt import Receipt
from memdesk.ui.session import Session

PREVIEW_MS = 500
"""Pause in typing after which the next prompt is weighed."""


class Preview(QObject):
    """Asks for the next prompt of the chat that `asked` names, with the text written for it so far."""

    changed = Signal(object)
    """`Receipt` of the next prompt, or None"""
    tooLarge = Signal(object)
    """`PromptTooLarge`, after `changed` with None"""

    def __init__(
        self, session: Session, asked: Callable[[], tuple[int | None, str]], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._asked = asked
        self._wanted = 0
        self._timer = QTimer(self, singleShot=True, interval=PREVIEW_MS)
        self._timer.timeout.connect(self._ask)

    def soon(self) -> None:
        """Weigh it after a pause."""
        self._timer.start(PREVIEW_MS)

    def now(self) -> None:
        """Weigh it as soon as the window has time."""
        self._timer.start(0)

    def _ask(self) -> None:
        chat_id, text = self._asked()
        if chat_id is None or self._session.replying(chat_id):
            return
        self._wanted += 1
        wanted, conversation = self._wanted, self._session.workspace.conversation

        def current() -> bool:
            return wanted == self._wanted and chat_id == self._asked()[0]

        def show(receipt: Receipt | None) -> None:
            if current():
                self.changed.emit(receipt)

        def failed(error: Exception) -> None:
            show(None)
            if isinstance(error, PromptTooLarge) and current():
                self.tooLarge.emit(error)

        self._session.background.read(
            lambda: conversation.preview(chat_id, text), show, failed=failed, owner=self
        )
