"""The Memories tab: what is remembered of a chat, with its status, and what the selected reply made of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QProgressBar,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from memdesk.store.chunks import ChunkStatus
from memdesk.ui.dialogs.pieces import CalmComboBox, Notice, plain_label, tool_button
from memdesk.ui.icons import icon
from memdesk.ui.models.memories import Card, MemoryModel, Query, Snapshot, Sort, arrange, load
from memdesk.ui.sentences import said
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.empty_page import EmptyPage
from memdesk.ui.widgets.filter_pill import FilterPill
from memdesk.ui.widgets.flow_layout import FlowLayout
from memdesk.ui.widgets.memory_list import MemoryList

if TYPE_CHECKING:
    from memdesk.prompt.receipt import Receipt
    from memdesk.ui.session import Session

FIRST_PAGE = 100
"""Memories that are read before all others, so that a long chat shows at once."""

PAUSE_MS = 250
"""News are gathered this long: at most four looks a second."""

PAUSE_FACTOR = 4
"""And this many times as long as the last reading took, so that reading never fills a core."""

REST_MS = 120

TYPING_MS = 90


class MemoriesPanel(QWidget):
    """Shows the memories of one chat; reads only while it is seen."""

    jumpRequested = Signal(int)
    """A message id to scroll to"""
    rebuildRequested = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: int | None = None
        self._snapshot = Snapshot(0)
        self._status: ChunkStatus | None = None
        self._only_reply = False
        self._wanted: int | None = None
        self._stale = False
        self._loading = False
        self._turn = 0
        self._look = 0
        self._took = 0.0
        self._model = MemoryModel(self)
        self._build()
        self._soon = self._timer(PAUSE_MS, self._reload)
        self._typing = self._timer(TYPING_MS, self._rearrange)
        session.memoriesChanged.connect(self._hear)
        session.messagesChanged.connect(self._hear)
        self._show_facts()

    def _timer(self, pause: int, act: object) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(pause)
        timer.timeout.connect(act)
        return timer

    # ── building ─────────────────────────────────────────────────────────────────────────────────────

    def _build(self) -> None:
        theme = current_theme()
        side = theme.space(3)
        self._total = plain_label("", "strong", wrap=False)
        self._tokens = plain_label("", "soft", wrap=False)
        self._tokens.setToolTip(
            self.tr("All memories of this chat together, estimated. Only a few are sent with each reply.")
        )
        self._rebuild = tool_button("rebuild", self.tr("Rebuild memories"))
        self._rebuild.setToolTip(
            self.tr("Compare every message with its memories again and bring the index in step.")
        )
        self._rebuild.clicked.connect(self.rebuildRequested)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._total)
        head.addWidget(self._tokens)
        head.addStretch(1)
        head.addWidget(self._rebuild)

        self._pills = {
            ChunkStatus.VECTORIZED: FilterPill("ok", self),
            ChunkStatus.WAITING: FilterPill("wait", self),
            ChunkStatus.UNAVAILABLE: FilterPill("bad", self),
        }
        self._reply_pill = FilterPill("memory", self)
        pills = QWidget()
        flow = FlowLayout(pills, across=4)
        for status, pill in self._pills.items():
            pill.clicked.connect(lambda checked, status=status: self._filter(status if checked else None))
            flow.addWidget(pill)
        self._reply_pill.clicked.connect(self._filter_reply)
        flow.addWidget(self._reply_pill)

        self._notice = Notice("wait")
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search memories"))
        self._search.setAccessibleName(self.tr("Search memories"))
        self._search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        clear = self._search.addAction(icon("close"), QLineEdit.ActionPosition.TrailingPosition)
        clear.setText(self.tr("Clear the search"))
        clear.setToolTip(clear.text())
        clear.setVisible(False)
        clear.triggered.connect(self._search.clear)
        self._search.textChanged.connect(lambda text: clear.setVisible(bool(text)))
        self._search.textChanged.connect(self._typed)
        self._sort = CalmComboBox()
        self._sort.setAccessibleName(self.tr("Sort memories"))
        self._sort.setMinimumContentsLength(5)
        self._sort.addItem(self.tr("Newest"), Sort.NEWEST)
        self._sort.addItem(self.tr("Oldest"), Sort.OLDEST)
        self._sort.addItem(self.tr("Largest"), Sort.LARGEST)
        self._sort.setToolTip(self.tr("By the time of the story, or by tokens"))
        self._sort.currentIndexChanged.connect(self._typed)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        tools.addWidget(self._search, 1)
        tools.addWidget(self._sort)

        self._progress_words = plain_label("", "small", wrap=False)
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setFixedHeight(4)
        self._progress.setAccessibleName(self.tr("Embedding"))
        self._progress_line = QWidget()
        progress = QHBoxLayout(self._progress_line)
        progress.setContentsMargins(0, 0, 0, 0)
        progress.addWidget(self._progress_words)
        progress.addWidget(self._progress, 1)

        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(side, 8, side, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(pills)
        column.addWidget(self._notice)
        column.addLayout(tools)
        column.addWidget(self._progress_line)
        self._top = top
        self._build_body(side)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(top)
        whole.addLayout(self._body, 1)

    def _build_body(self, side: int) -> None:
        self._list = MemoryList(self._model)
        self._list.setAccessibleName(self.tr("Memories"))
        self._list.opened.connect(self._open)
        self._list.copyRequested.connect(self._copy)
        self._list.menuRequested.connect(self._menu)
        holder = QWidget()
        padded = QHBoxLayout(holder)
        padded.setContentsMargins(side, 0, 1, 0)
        padded.addWidget(self._list)
        self._empty = EmptyPage("memory")
        self._empty.pressed.connect(self._act_on_empty)
        self._body = QStackedLayout()
        self._body.addWidget(holder)
        self._body.addWidget(self._empty)

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────

    def setChat(self, chat_id: int | None) -> None:
        """Show the memories of another chat, or of none."""
        if chat_id == self._chat:
            return
        self._chat = chat_id
        self._wanted = None
        self._status, self._only_reply = None, False
        self._model.setParts({}, "")
        self._search.clear()
        self._typing.stop()
        self._took = 0.0
        self._take(Snapshot(chat_id or 0), [])
        self._list.scrollToTop()
        self._reload_now()

    def setReceipt(self, receipt: Receipt | None, number: int | None) -> None:
        """Show on every card what a reply's receipt says of it; without a number it is the next prompt's."""
        parts = (
            {part.source["chunk"]: part for part in receipt.parts if "chunk" in part.source}
            if receipt is not None
            else {}
        )
        if number is None:
            words = self.tr("in the next prompt")
        else:
            words = self.tr("in reply #{0}").format(self.locale().toString(number))
        self._model.setParts(parts, words if receipt is not None else "")
        if not parts:
            self._only_reply = False
        self._show_facts()
        if self._only_reply or not self._reply_pill.isVisible():
            self._rearrange()

    def showChunk(self, chunk_id: int) -> None:
        """Select a memory and bring it into view as soon as it is loaded; filters that hide it go."""
        self._wanted = chunk_id
        self._find_wanted()

    def cards(self) -> list[Card]:
        """Return what the list shows, in its order."""
        return list(self._model.cards())

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _hear(self, chat_id: int, *_details: object) -> None:
        if chat_id == self._chat:
            self._stale = True
            if self.isVisible() and not self._soon.isActive() and not self._loading:
                self._soon.start(max(PAUSE_MS, round(self._took * 1000 * PAUSE_FACTOR)))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._reload()

    def _reload_now(self) -> None:
        self._stale = self._chat is not None
        self._turn += 1
        self._loading = False
        self._soon.stop()
        if self.isVisible():
            self._reload()

    def _reload(self) -> None:
        chat_id = self._chat
        if chat_id is None or self._loading:
            return
        self._stale, self._loading = False, True
        turn, query = self._turn, self._query()
        workspace = self._session.workspace
        limit = FIRST_PAGE if self._snapshot.total == 0 else -1
        started = time.perf_counter()

        def read() -> tuple[Snapshot, list[Card]]:
            snapshot = load(workspace, chat_id, limit)
            return snapshot, arrange(snapshot, query)

        def done(result: tuple[Snapshot, list[Card]]) -> None:
            if turn != self._turn:
                return
            self._loading = False
            snapshot, cards = result
            if snapshot.complete:
                self._took = time.perf_counter() - started
            if query == self._query():
                self._take(snapshot, cards)
            else:
                self._snapshot = snapshot
                self._rearrange()
            if not snapshot.complete:
                # The window paints the first ones before reading the others takes its time.
                self._soon.start(REST_MS)
            elif self._stale:
                self._hear(chat_id)

        def failed(error: Exception) -> None:
            if turn == self._turn:
                self._loading = False
                self._session.failed.emit(error)

        self._session.background.read(read, done, failed=failed, owner=self)

    def _query(self) -> Query:
        only = None
        if self._only_reply:
            only = frozenset(
                card.id for card in self._snapshot.cards if self._model.part(card.id) is not None
            )
        return Query(self._search.text(), self._status, only, self._sort.currentData())

    def _rearrange(self) -> None:
        """Filter and sort what is loaded, off the window thread."""
        self._look += 1
        look, turn, snapshot, query = self._look, self._turn, self._snapshot, self._query()

        def done(cards: list[Card]) -> None:
            if look == self._look and turn == self._turn and snapshot is self._snapshot:
                self._take(snapshot, cards)

        self._session.background.read(lambda: arrange(snapshot, query), done, owner=self)

    def _take(self, snapshot: Snapshot, cards: list[Card]) -> None:
        self._look += 1
        self._snapshot = snapshot
        self._model.setCards(cards)
        self._show_facts()
        self._find_wanted()

    def _find_wanted(self) -> None:
        if self._wanted is None:
            return
        row = self._model.row_of(self._wanted)
        if row is not None:
            self._wanted = None
            index = self._model.index(row)
            self._list.setCurrentIndex(index)
            self._list.scrollTo(index, MemoryList.ScrollHint.PositionAtCenter)
        elif any(card.id == self._wanted for card in self._snapshot.cards):
            self._clear_filters()
        elif self._snapshot.complete and self._snapshot.total:
            self._wanted = None

    # ── filters ──────────────────────────────────────────────────────────────────────────────────────

    def _typed(self, _what: object) -> None:
        self._typing.start()

    def _filter(self, status: ChunkStatus | None) -> None:
        self._status, self._only_reply = status, False
        self._show_facts()
        self._rearrange()

    def _filter_reply(self, checked: bool) -> None:
        self._status, self._only_reply = None, checked
        self._show_facts()
        self._rearrange()

    def _clear_filters(self) -> None:
        self._status, self._only_reply = None, False
        self._search.clear()
        self._typing.stop()
        self._show_facts()
        self._rearrange()

    # ── words ────────────────────────────────────────────────────────────────────────────────────────

    def _show_facts(self) -> None:
        snapshot, number = self._snapshot, self.locale().toString
        count = snapshot.total
        self._total.setText(
            self.tr("1 memory") if count == 1 else self.tr("{0} memories").format(number(count))
        )
        self._total.setToolTip(
            self.tr("Pieces of this chat that can be found again: each message, split near 400 characters.")
        )
        self._tokens.setText(self.tr("· ~{0} tokens").format(number(snapshot.tokens)))
        self._show_pills()
        self._show_health()
        self._top.setVisible(bool(count))
        self._show_empty()

    def _show_pills(self) -> None:
        number = self.locale().toString
        why = {
            ChunkStatus.VECTORIZED: self.tr(
                "Have a vector for the current model: recalled by meaning and by words."
            ),
            ChunkStatus.WAITING: self.tr(
                "Will be embedded in the background; until then recalled by words only."
            ),
            ChunkStatus.UNAVAILABLE: self.tr(
                "The embedding model does not work at the moment; recalled by words only."
            ),
        }
        press = self.tr("Click to show only these.")
        for status, pill in self._pills.items():
            count = self._snapshot.counts.get(status, 0)
            words = self._model.status_words(status)
            pill.say(f"{number(count)} {words}", f"{why[status]} {press}")
            pill.setChecked(self._status is status)
            pill.setVisible(count > 0 or self._status is status)
        seen = sum(self._model.part(card.id) is not None for card in self._snapshot.cards)
        self._reply_pill.say(
            self.tr("{0} {1}").format(number(seen), self._model.reply_words()),
            self.tr("Looked at for this prompt: sent, or left out for a reason. {0}").format(press),
        )
        self._reply_pill.setChecked(self._only_reply)
        self._reply_pill.setVisible(seen > 0)

    def _show_health(self) -> None:
        snapshot, number = self._snapshot, self.locale().toString
        text = ""
        if not snapshot.available:
            cause = said(snapshot.failure) or self.tr("The embedding model is missing or cannot be used.")
            text = self.tr("{0} Until it works again, recall goes by words; nothing is lost.").format(
                cause if cause.endswith((".", "。", "!")) else cause + "."
            )
        self._notice.say(text)
        waiting = snapshot.counts.get(ChunkStatus.WAITING, 0)
        done = snapshot.counts.get(ChunkStatus.VECTORIZED, 0)
        self._progress_line.setVisible(waiting > 0)
        if waiting:
            self._progress.setRange(0, snapshot.total)
            self._progress.setValue(done)
            words = self.tr("embedding {0} of {1}").format(number(done), number(snapshot.total))
            self._progress_words.setText(words)
            self._progress_line.setToolTip(
                self.tr("Memories of this chat that have their vector. The rest follow in the background.")
            )

    def _show_empty(self) -> None:
        empty = not self._model.cards()
        loading = self._chat is not None and (self._stale or self._loading)
        if not empty or (loading and not self._snapshot.total):
            self._body.setCurrentIndex(0)
            return
        if self._snapshot.total:
            title = self.tr("Nothing found")
            text = self.tr("No memory of this chat matches the search and the filter.")
            action = self.tr("Show all memories")
        elif self._chat is None:
            title = self.tr("No chat is open")
            text = self.tr("Open a chat, and what memdesk remembers of it appears here.")
            action = ""
        else:
            title = self.tr("Nothing to remember yet")
            text = self.tr(
                "Each message becomes a memory a moment after it is written. When the chat grows longer "
                "than the model can read, the memories that fit are sent again with each reply. "
                "Write the first message to see one appear."
            )
            action = self.tr("Look again at all messages")
        self._empty.say(title, text, action)
        self._body.setCurrentIndex(1)

    def _act_on_empty(self) -> None:
        if self._snapshot.total:
            self._clear_filters()
        else:
            self.rebuildRequested.emit()

    # ── acts ─────────────────────────────────────────────────────────────────────────────────────────

    def _open(self, card: Card) -> None:
        if card.jump_to is not None:
            self.jumpRequested.emit(card.jump_to)

    @staticmethod
    def _copy(card: Card) -> None:
        QGuiApplication.clipboard().setText(card.chunk.text)

    def _menu(self, card: Card, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        jump = menu.addAction(icon("jump"), self.tr("Jump to source"), lambda: self._open(card))
        jump.setEnabled(card.jump_to is not None)
        menu.addAction(icon("copy"), self.tr("Copy text"), lambda: self._copy(card))
        menu.popup(place)
