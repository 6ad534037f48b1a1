"""The Search tab: every chat looked through, by words or by meaning; a hit leads to its message."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QStackedWidget, QVBoxLayout, QWidget

from memdesk.chats.changes import ChangeKind
from memdesk.chats.finding import read_query
from memdesk.finder import Found, Hit
from memdesk.ui.dialogs.pieces import plain_label
from memdesk.ui.errors import explain
from memdesk.ui.icons import icon
from memdesk.ui.models.found import FoundModel, FoundRow, Kind
from memdesk.ui.session import Session
from memdesk.ui.widgets.empty_page import EmptyPage
from memdesk.ui.widgets.find_bar import TYPING_MS
from memdesk.ui.widgets.found_list import FoundList

AGAIN_MS = 700
"""Pause after a change in a chat before what is shown is looked for again."""


_COME_AND_GO = {
    ChangeKind.CHAT_REMOVED,
    ChangeKind.CHAT_RESTORED,
    ChangeKind.MESSAGES_REMOVED,
    ChangeKind.MESSAGES_RESTORED,
}


class SearchPanel(QFrame):
    """A field, the switch from words to meaning, and what was found by chat."""

    chosen = Signal(int, int, object)
    """chat id, message id, `Query` whose words are marked"""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asked = 0
        self._found = Found("")
        self._composing = False
        self._model = FoundModel(self)
        self._build()
        self._typing = self._timer(TYPING_MS, self._look)
        self._again = self._timer(AGAIN_MS, self._look_again)
        session.messagesChanged.connect(self._changed)
        self._show(Found("", blank=True))

    def _timer(self, pause: int, act: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(pause)
        timer.timeout.connect(act)
        return timer

    def _build(self) -> None:
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Search all chats"))
        self.field.setAccessibleName(self.tr("Search all chats"))
        self.field.setToolTip(self.tr("Words in any order; “in quotation marks” as they stand."))
        self.field.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        clear = self.field.addAction(icon("close"), QLineEdit.ActionPosition.TrailingPosition)
        clear.setText(self.tr("Clear the search"))
        clear.setToolTip(clear.text())
        clear.setVisible(False)
        clear.triggered.connect(self.field.clear)
        self.field.textChanged.connect(lambda text: clear.setVisible(bool(text)))
        self.field.textChanged.connect(lambda _text: self._typing.start())
        self.field.installEventFilter(self)
        self.meaning = QCheckBox(self.tr("By meaning"), self)
        self.meaning.setAccessibleName(self.tr("Search all chats by meaning"))
        self.meaning.setToolTip(
            self.tr(
                "Find messages that say something like it, the nearest first. Needs memories with vectors."
            )
        )
        self.meaning.toggled.connect(lambda _on: self._look())
        self._count = plain_label("", "soft", wrap=False)
        self._count.setAccessibleName(self.tr("Messages found in all chats"))
        self._missing = plain_label("", "small")
        self.list = FoundList(self._model, self)
        self.list.chosen.connect(self._choose)
        self._empty = EmptyPage("search", self)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        line = QHBoxLayout()
        line.addWidget(self.meaning)
        line.addStretch(1)
        line.addWidget(self._count)
        head = QVBoxLayout()
        head.setContentsMargins(12, 12, 12, 6)
        head.setSpacing(6)
        head.addWidget(self.field)
        head.addLayout(line)
        head.addWidget(self._missing)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addLayout(head)
        box.addWidget(self._stack, 1)

    # -- looking ------------------------------------------------------------------------------------------

    def begin(self, text: str = "") -> None:
        """Put the cursor into the field; `text` is what to look for, "" for what stands there."""
        if text:
            self.field.setText(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _look(self) -> None:
        self._typing.stop()
        self._again.stop()
        self._asked += 1
        asked, text, meaning = self._asked, self.field.text(), self.meaning.isChecked()
        finder = self._session.workspace.finder

        def show(found: Found) -> None:
            if asked == self._asked:
                self._show(found)

        def failed(error: Exception) -> None:
            if asked == self._asked:
                self._show(Found(text))
                self._missing.setText(explain(error))
                self._missing.show()

        if meaning and text.strip():
            self._count.setText(self.tr("Looking…"))
        # Loading the embedder takes a second, which other reading must not wait for.
        run = self._session.background.long if meaning else self._session.background.read
        run(lambda: finder.search(text, meaning=meaning), show, failed=failed, owner=self)

    def _show(self, found: Found) -> None:
        row = self.list.currentIndex()
        current = self._model.row(row.row()).hit if row.isValid() else None
        self._found = found
        self._model.show(found)
        number = self.locale().toString
        blank = found.blank or not found.query
        self._count.setText("" if blank else self.tr("%n message(s)", "", found.total))
        self._missing.setVisible(found.missing > 0)
        if found.missing and self.meaning.isChecked():
            words = self.tr("{0} memories have no vector yet and were not compared.")
            self._missing.setText(words.format(number(found.missing)))
        elif found.missing:
            words = self.tr("{0} messages are still being read in and were not looked at.")
            self._missing.setText(words.format(number(found.missing)))
            # What is missing is there soon.
            self._again.start()
        if blank:
            self._empty.say(
                self.tr("Find what was said"),
                self.tr("Type a word, or several in any order. Every chat is looked through."),
            )
        else:
            self._empty.say(self.tr("Nothing found"), self.tr("No message that stands says that."))
        self._stack.setCurrentWidget(self.list if found.groups else self._empty)
        if current is not None:
            self._select(current)

    def _select(self, hit: Hit) -> None:
        place = self._model.place(hit.message_id)
        if place >= 0:
            self.list.setCurrentIndex(self._model.index(place))

    def _look_again(self) -> None:
        if self.field.text().strip() and self.isVisible():
            self._look()

    def _changed(self, _chat: int, kind: ChangeKind, _ids: list[int]) -> None:
        # What is new is found by the next search: whoever has asked for more hits keeps them meanwhile.
        if kind in _COME_AND_GO and self.field.text().strip() and not self._typing.isActive():
            self._again.start()

    # -- going there --------------------------------------------------------------------------------------

    def _choose(self, row: FoundRow) -> None:
        if row.kind is Kind.MORE:
            self._more(row.chat_id)
        elif row.hit is not None:
            query = read_query("" if self.meaning.isChecked() else self._found.query)
            self.chosen.emit(row.hit.chat_id, row.hit.message_id, query)

    def _more(self, chat_id: int) -> None:
        asked, text, finder = self._asked, self._found.query, self._session.workspace.finder
        if not chat_id:
            skip = len(self._model.groups)

            def show_chats(found: Found) -> None:
                if asked == self._asked:
                    self._model.add_chats(found)

            self._session.background.read(lambda: finder.search(text, skip=skip), show_chats, owner=self)
            return
        after = next((len(group.hits) for group in self._model.groups if group.chat_id == chat_id), 0)
        place = self.list.currentIndex().row()

        def show(hits: tuple[Hit, ...]) -> None:
            if asked == self._asked:
                self._model.add_hits(chat_id, hits)
                if place >= 0:
                    self.list.setCurrentIndex(self._model.index(min(place, self._model.rowCount() - 1)))

        self._session.background.read(lambda: finder.more(text, chat_id, after), show, owner=self)

    # -- keys ---------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QInputMethodEvent):
            self._composing = bool(event.preeditString())
        elif watched is self.field and event.type() == QEvent.Type.KeyPress and not self._composing:
            return (isinstance(event, QKeyEvent) and self._key(event)) or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._look()
            return True
        if event.key() == Qt.Key.Key_Down and self._model.rowCount() > 1:
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
            if not self.list.currentIndex().isValid():
                self.list.setCurrentIndex(self._model.index(1))
            return True
        return False
