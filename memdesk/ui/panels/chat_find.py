"""Finding in the chat that is shown: the bar, the places, the marks in the messages, and going there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout

from memdesk.chats.changes import ChangeKind
from memdesk.chats.finding import Query, read_query
from memdesk.finder import InChat
from memdesk.ui.errors import explain
from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.session import Session
from memdesk.ui.widgets.find_bar import FindBar

AGAIN_MS = 700
"""Pause before what is still being read in is looked for again."""

_BEHIND_RULE = 2
"""Place of the bar in the panel: below the head and its line."""


class ChatFind(QObject):
    """Looks for what the bar asks, and shows it."""

    everywhere = Signal(str)
    """Text that is to be looked for in all chats"""

    def __init__(self, session: Session, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel
        self._asked = 0
        self._chat: int | None = None
        self._found: InChat | None = None
        self._at = 0
        self._query = read_query("")
        self._meant = False
        self._bottom = 0
        self._pending: tuple[int, int] | None = None
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self._look_again)
        self.bar = FindBar(panel)
        layout = panel.layout()
        if isinstance(layout, QVBoxLayout):
            layout.insertWidget(_BEHIND_RULE, self.bar)
        self.bar.changed.connect(self._look)
        self.bar.stepped.connect(self._step)
        self.bar.closed.connect(self.close)
        self.bar.everywhere.connect(self.everywhere)
        panel.view.visibleRangeChanged.connect(self._scrolled)
        model = panel.model
        model.reset.connect(self._page_changed)
        model.prepended.connect(self._mark)
        model.appended.connect(self._mark)
        model.changed.connect(self._mark)
        model.restored.connect(self._mark)
        session.messagesChanged.connect(self._messages_changed)

    # -- the bar ------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open the bar; what is selected in a message is looked for."""
        if self._panel.chat_id is None:
            return
        chosen = ""
        for message in self._panel.model.messages:
            widget = self._panel.view.widget_for(message.id)
            if widget is not None and widget.body.textCursor().hasSelection():
                chosen = widget.body.textCursor().selectedText()[:100]
        self.bar.begin(chosen)

    def close(self) -> None:
        """Put the bar away, and the marks with it; the reader stays at the place."""
        self.bar.hide()
        self._asked += 1
        self._found, self._pending = None, None
        self._show_marks(read_query(""))
        self._panel.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _look(self, text: str, meaning: bool, *, stay: bool = False) -> None:
        self._asked += 1
        asked, chat_id = self._asked, self._panel.chat_id
        self._meant = meaning
        if chat_id is None:
            return
        finder = self._session.workspace.finder

        def show(found: InChat) -> None:
            if asked == self._asked:
                self._show(chat_id, found, stay=stay)

        def failed(error: Exception) -> None:
            if asked == self._asked:
                self._show(chat_id, InChat(read_query(text)), stay=True)
                self.bar.setNotice(explain(error), explain(error))

        if meaning and text.strip():
            self.bar.setNotice(self.tr("Looking…"))
        # Loading the embedder takes a second, which other reading must not wait for.
        run = self._session.background.long if meaning else self._session.background.read
        run(lambda: finder.in_chat(chat_id, text, meaning=meaning), show, failed=failed, owner=self)

    def _show(self, chat_id: int, found: InChat, *, stay: bool) -> None:
        before = self._place()
        self._chat, self._found = chat_id, found
        self._show_marks(read_query("") if self._meant else found.query)
        if stay and before is not None:
            ids = [message_id for message_id, _number in found.places]
            self._at = ids.index(before) if before in ids else min(self._at, max(0, len(ids) - 1))
        else:
            self._at = 0 if self._meant else self._nearest(found)
            if found.places:
                self._go()
        self._tell()

    def _nearest(self, found: InChat) -> int:
        """Return the last place that is not below what is read: one looks back."""
        bottom = self._bottom or self._panel.model.count
        numbers = [number for _id, number in found.places]
        above = [at for at, number in enumerate(numbers) if number <= bottom]
        return above[-1] if above else 0

    def _scrolled(self, _first: int, last: int) -> None:
        self._bottom = last

    def _place(self) -> int | None:
        if self._found is None or not self._found.places:
            return None
        return self._found.places[min(self._at, len(self._found.places) - 1)][0]

    def _step(self, delta: int) -> None:
        if self._found is None or not self._found.places:
            return
        self._at = (self._at + delta) % len(self._found.places)
        self._go()
        self._tell()

    def _go(self) -> None:
        if self._found is not None and self._found.places:
            # Numbers move when messages go: the id is what counts.
            self._panel.jump_to_message(self._found.places[self._at][0])

    def _tell(self) -> None:
        found = self._found
        if found is None:
            return
        total = len(found.places)
        self.bar.setPlace(self._at + 1 if total else 0, total)
        if found.missing:
            number = self.bar.locale().toString(found.missing)
            if self._meant:
                tip = self.tr("{0} memories have no vector yet and were not compared.").format(number)
            else:
                # What is missing is there soon.
                self._again.start()
                tip = self.tr("{0} messages are still being read in and were not looked at.").format(number)
            self.bar.setNotice(self.bar.words() + " +", tip)

    # -- the messages -------------------------------------------------------------------------------------

    def _show_marks(self, query: Query) -> None:
        self._query = query
        self._mark()

    def _mark(self, *_news: object) -> None:
        for message in self._panel.model.messages:
            widget = self._panel.view.widget_for(message.id)
            if widget is not None:
                widget.body.setMarks(self._query)

    def _page_changed(self) -> None:
        self._mark()
        chat_id = self._panel.chat_id
        if self._pending is not None and self._pending[0] == chat_id:
            message_id, self._pending = self._pending[1], None
            self._panel.jump_to_message(message_id)
        if self._found is not None and chat_id != self._chat:
            # Another chat: what was looked for is looked for there.
            self._found, self._chat = None, chat_id
            if self.bar.isVisible() and chat_id is not None:
                self._look(self.bar.field.text(), self.bar.meaning.isChecked(), stay=True)
            elif chat_id is None:
                self.bar.hide()

    def _messages_changed(self, chat_id: int, kind: ChangeKind, _ids: list[int]) -> None:
        if chat_id == self._panel.chat_id and kind is not ChangeKind.CHAT_CHANGED:
            self._look_again()

    def _look_again(self) -> None:
        """Look for the same once more; the reader stays."""
        if self.bar.isVisible() and not self.bar.looking:
            self._look(self.bar.field.text(), self.bar.meaning.isChecked(), stay=True)

    # -- for the search in all chats ----------------------------------------------------------------------

    def go_to(self, chat_id: int, message_id: int, query: Query) -> None:
        """Show a message with marks in it; when its chat is not open, as soon as it is."""
        self._show_marks(query)
        if chat_id == self._panel.chat_id:
            self._pending = None
            self._panel.jump_to_message(message_id)
        else:
            self._pending = (chat_id, message_id)
