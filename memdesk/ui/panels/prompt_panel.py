"""The Prompt tab: the receipt of the selected reply, or the prompt that would be sent next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.receipt import Receipt, from_json
from memdesk.store.errors import StoreError
from memdesk.ui.dialogs.pieces import plain_label, scrolled
from memdesk.ui.errors import explain
from memdesk.ui.panels.receipt_view import ReceiptView
from memdesk.ui.reasons import too_large_words
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.empty_page import EmptyPage

if TYPE_CHECKING:
    from memdesk.ui.session import Session

PAUSE_MS = 400
"""The next prompt is built anew this long after the last change of the chat."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """The reply whose receipt is asked for."""

    message_id: int
    swipe_id: int
    number: int


class PromptPanel(QWidget):
    """Shows why the model was told what it was told."""

    jumpRequested = Signal(int)
    """A message id to scroll to"""
    chunkRequested = Signal(int)
    """A chunk id to show among the memories"""
    summaryRequested = Signal(int)
    """A summary to show in its tab"""
    receiptShown = Signal(object)
    """The `Receipt` on show, of the reply or of the next prompt"""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: int | None = None
        self._reply: _Reply | None = None
        self._next = False
        self._draft = ""
        self._turn = 0
        self._shown: tuple[Receipt, str] | None = None
        self._built = False
        self._place = ""
        self._opened: dict[str, bool] = {}
        self._view: ReceiptView | None = None
        self._build()
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE_MS)
        self._soon.timeout.connect(self._refresh)
        session.messagesChanged.connect(self._hear)
        session.settingsChanged.connect(self._soon.start)
        self._show_empty()

    def _build(self) -> None:
        side = current_theme().space(3)
        self._reply_button = self._switch(self.tr("Reply"), self.tr("Show the prompt of the selected reply"))
        self._next_button = self._switch(
            self.tr("Next prompt"), self.tr("Show the prompt that would be sent next")
        )
        group = QButtonGroup(self)
        group.addButton(self._reply_button)
        group.addButton(self._next_button)
        self._reply_button.setChecked(True)
        self._reply_button.clicked.connect(self._show_reply)
        self._next_button.clicked.connect(lambda: self.showPreview(self._draft))
        top = QHBoxLayout()
        top.setContentsMargins(side, 8, side, 4)
        top.setSpacing(4)
        top.addWidget(self._reply_button)
        top.addWidget(self._next_button)
        top.addStretch(1)

        holder = QWidget()
        self._held = QVBoxLayout(holder)
        self._held.setContentsMargins(0, 0, 0, 0)
        self._area = scrolled(holder, self.tr("Receipt"))
        self._empty = EmptyPage("info")
        self._empty.pressed.connect(lambda: self.showPreview(self._draft))
        self._stack = QStackedLayout()
        self._stack.addWidget(self._area)
        self._stack.addWidget(self._empty)
        waiting = plain_label(self.tr("One moment…"), "soft")
        waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(waiting)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(top)
        whole.addLayout(self._stack, 1)

    @staticmethod
    def _switch(words: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setText(words)
        button.setCheckable(True)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.setMinimumHeight(28)
        return button

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────

    def setChat(self, chat_id: int | None) -> None:
        """Turn to another chat; no reply of it is selected yet."""
        if chat_id == self._chat:
            return
        self._chat, self._reply, self._draft = chat_id, None, ""
        self._soon.stop()
        if self._next:
            self._load_preview()
        else:
            self._load_receipt()

    def showReply(self, message_id: int, swipe_id: int, number: int) -> None:
        """Show the receipt of a version of a reply; `number` is the message's number in the chat."""
        self._reply = _Reply(message_id, swipe_id, number)
        self._show_reply()

    def showPreview(self, text: str = "") -> None:
        """Show the prompt that would be sent next, as if `text` had been written."""
        self._draft = text
        self._next = True
        self._next_button.setChecked(True)
        self._load_preview()

    def receipt(self) -> Receipt | None:
        """Return the receipt on show."""
        return self._shown[0] if self._shown else None

    def shown_reply(self) -> tuple[int, int] | None:
        """Return (message id, number) of the reply whose receipt is on show, None for the next prompt."""
        if self._next or self._reply is None or self._shown is None:
            return None
        return self._reply.message_id, self._reply.number

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _show_reply(self) -> None:
        self._next = False
        self._reply_button.setChecked(True)
        self._load_receipt()

    def _load_receipt(self) -> None:
        self._turn += 1
        turn, reply = self._turn, self._reply
        if self._chat is None or reply is None:
            self._show_empty()
            return
        receipts = self._session.workspace.receipts
        self._wait()

        def read() -> Receipt | None:
            body = receipts.get(reply.swipe_id)
            return None if body is None else from_json(body)

        def done(receipt: Receipt | None) -> None:
            if turn != self._turn:
                return
            number = self.locale().toString(reply.number)
            if receipt is None:
                self._say(
                    self.tr("Message #{0} has no receipt").format(number),
                    self.tr(
                        "Receipts are kept for replies that memdesk asked a model for. First messages, your "
                        "own messages and imported ones have none."
                    ),
                )
            else:
                self._show(receipt, self.tr("Reply #{0}").format(number))

        self._session.background.read(read, done, owner=self)

    def _load_preview(self) -> None:
        self._turn += 1
        turn, chat_id, draft = self._turn, self._chat, self._draft
        if chat_id is None:
            self._show_empty()
            return
        conversation = self._session.workspace.conversation
        self._wait()

        def done(receipt: Receipt) -> None:
            if turn == self._turn:
                self._show(receipt, self.tr("Next prompt"))

        def failed(error: Exception) -> None:
            if turn != self._turn:
                return
            if isinstance(error, PromptTooLarge):
                self._say(self.tr("The next prompt does not fit"), too_large_words(error))
            elif isinstance(error, StoreError):
                self._say(self.tr("There is no next prompt"), explain(error))
            else:
                self._session.report(error)

        self._session.background.read(
            lambda: conversation.preview(chat_id, draft), done, failed=failed, owner=self
        )

    def _hear(self, chat_id: int, *_details: object) -> None:
        if chat_id == self._chat and self._next:
            self._soon.start()

    def _refresh(self) -> None:
        if self._next:
            self._load_preview()

    # ── showing ──────────────────────────────────────────────────────────────────────────────────────

    def _show(self, receipt: Receipt, title: str) -> None:
        if self._shown != (receipt, title):
            self._shown, self._built = (receipt, title), False
        if self.isVisible():
            self._build_view()
        self.receiptShown.emit(receipt)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._build_view()

    def _build_view(self) -> None:
        if self._shown is None:
            return
        if not self._built:
            self._drop_view()
            receipt, title = self._shown
            view = ReceiptView(receipt, title, self._opened)
            view.jumpRequested.connect(self.jumpRequested)
            view.chunkRequested.connect(self.chunkRequested)
            view.summaryRequested.connect(self.summaryRequested)
            self._held.addWidget(view)
            self._view, self._built = view, True
            if title != self._place:
                self._area.verticalScrollBar().setValue(0)
            self._place = title
        self._stack.setCurrentIndex(0)

    def _drop_view(self) -> None:
        if self._view is not None:
            self._held.removeWidget(self._view)
            self._view.hide()
            self._view.deleteLater()
            self._view = None

    def _wait(self) -> None:
        """Leave what is shown until its successor is there; words about another question would be wrong."""
        if self._shown is None:
            self._stack.setCurrentIndex(2)

    def _say(self, title: str, text: str) -> None:
        self._shown, self._built = None, False
        self._drop_view()
        offered = not self._next and self._chat is not None
        self._empty.say(title, text, self.tr("Show the next prompt") if offered else "")
        self._stack.setCurrentIndex(1)

    def _show_empty(self) -> None:
        if self._chat is None:
            self._say(
                self.tr("No chat is open"),
                self.tr("Open a chat, and what the model is told for each reply appears here."),
            )
        else:
            self._say(
                self.tr("No reply is selected"),
                self.tr(
                    "Select a reply in the chat to see everything the model was given for it: each part with "
                    "its tokens and its reason, what was left out, and the exact messages."
                ),
            )
