"""The Memories tab: what is remembered of a chat, with its status, and what the selected reply made of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.store.chunks import ChunkStatus
from memdesk.ui.dialogs.pieces import CalmComboBox, Notice, plain_label, push_button
from memdesk.ui.icons import icon
from memdesk.ui.models.memories import Card, MemoryModel, Query, Snapshot, Sort, arrange, load
from memdesk.ui.panels.memory_deeds import MemoryDeeds
from memdesk.ui.panels.memory_pills import MemoryPills
from memdesk.ui.panels.try_recall import Ranking, TryRecall
from memdesk.ui.sentences import said
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.embedding_progress import EmbeddingProgress
from memdesk.ui.widgets.empty_page import EmptyPage
from memdesk.ui.widgets.memory_list import MemoryList
from memdesk.ui.widgets.memory_tools import MemoryTools
from memdesk.ui.widgets.selection_bar import SelectionBar

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
    rerunRequested = Signal(int)
    """A message id: the reply that is to be written again"""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: int | None = None
        self._snapshot = Snapshot(0)
        self._ranked: Ranking | None = None
        self._receipt: Receipt | None = None
        self._reply: tuple[int, int] | None = None
        self._wanted: int | None = None
        self._stale = False
        self._loading = False
        self._turn = 0
        self._look = 0
        self._took = 0.0
        self._model = MemoryModel(self)
        self.deeds = MemoryDeeds(session, self)
        self.deeds.jumpRequested.connect(self.jumpRequested)
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
        self.tools = MemoryTools()
        self.tools.noteRequested.connect(self._add_note)
        self.tools.rebuildRequested.connect(self.rebuildRequested)
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._total)
        head.addWidget(self._tokens)
        head.addStretch(1)
        head.addWidget(self.tools)

        self._pills = MemoryPills(self._model)
        self._pills.changed.connect(self._filtered)

        self._notice = Notice("wait")
        self._search = QLineEdit()
        self._search.setPlaceholderText(self.tr("Search"))
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
        self._sort.setMinimumContentsLength(3)
        self._sort.addItem(self.tr("Newest"), Sort.NEWEST)
        self._sort.addItem(self.tr("Oldest"), Sort.OLDEST)
        self._sort.addItem(self.tr("Largest"), Sort.LARGEST)
        self._sort.setToolTip(self.tr("By the time of the story, or by tokens"))
        self._sort.currentIndexChanged.connect(self._typed)
        tools = QHBoxLayout()
        tools.setSpacing(8)
        self._try_button = QToolButton()
        self._try_button.setText(self.tr("Try recall"))
        self._try_button.setAccessibleName(self.tr("Try recall"))
        self._try_button.setToolTip(self.tr("Type anything and see what would be recalled, and why."))
        self._try_button.setCheckable(True)
        self._try_button.setMinimumHeight(28)
        self._try_button.toggled.connect(self._switch_try)
        tools.addWidget(self._search, 1)
        tools.addWidget(self._sort)
        tools.addWidget(self._try_button)
        self._try = TryRecall(self._session)
        self._try.setVisible(False)
        self._try.ranked.connect(self._show_ranking)
        self._off = Notice("info")

        self._progress = EmbeddingProgress()
        self._rerun = push_button(self.tr("Run the reply again"), "quiet")
        self._rerun.setIcon(icon("regenerate", "accent"))
        self._rerun.setToolTip(
            self.tr("Write the reply whose memories are shown once more, with the memories as they are now.")
        )
        self._rerun.clicked.connect(self._run_again)
        self._rerun.setVisible(False)
        self._session.replyingChanged.connect(lambda *_: self._show_rerun())
        self._selection = SelectionBar()
        self._selection.pressed.connect(lambda deed: self.deeds.do(deed, self._list.selectedCards()))
        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(side, 8, side, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._pills)
        column.addWidget(self._notice)
        column.addWidget(self._off)
        column.addLayout(tools)
        column.addWidget(self._try)
        column.addWidget(self._progress)
        column.addWidget(self._rerun)
        column.addWidget(self._selection)
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
        self._list.deedRequested.connect(self.deeds.do)
        self._list.menuRequested.connect(lambda card, place: self.deeds.menu(self._list.meant(card), place))
        self._list.chosen.connect(self._selection.show_count)
        self._selection.cleared.connect(self._list.clearSelection)
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
        self._pills.clear()
        self._receipt, self._reply = None, None
        self._model.setParts({}, "")
        self._try_button.setChecked(False)
        self._try.set_chat(chat_id)
        self._show_rerun()
        self._search.clear()
        self._typing.stop()
        self._took = 0.0
        self._take(Snapshot(chat_id or 0), [])
        self._list.scrollToTop()
        self._reload_now()

    def setReceipt(self, receipt: Receipt | None, reply: tuple[int, int] | None) -> None:
        """Show on every card what a receipt says of it.

        `reply` is the message id and the number of the reply it belongs to; without, it is the next prompt's.
        """
        self._receipt, self._reply = receipt, reply if receipt is not None else None
        self._show_parts()
        self._show_rerun()
        if self._pills.only_reply and not self._model.part_ids():
            self._pills.clear()
        self._show_facts()
        if self._pills.only_reply or not self._pills.offers_reply():
            self._rearrange()

    def _show_parts(self) -> None:
        if self._try_button.isChecked():
            ranked = self._ranked
            parts, threshold = (ranked.parts, ranked.threshold) if ranked is not None else ({}, None)
            self._model.setParts(parts, self.tr("in this try") if parts else "", threshold=threshold)
            return
        words, considered = self.tr("in the next prompt"), self.tr("considered for the next prompt")
        if self._reply is not None:
            number = self.locale().toString(self._reply[1])
            words = self.tr("in reply #{0}").format(number)
            considered = self.tr("considered for reply #{0}").format(number)
        listed = self._receipt.parts if self._receipt is not None else ()
        parts = {part.source["chunk"]: part for part in listed if "chunk" in part.source}
        self._model.setParts(parts, words, considered)

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
            if self._try_button.isChecked():
                self._try.ask_again()
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
                self._session.report(error)

        self._session.background.read(read, done, failed=failed, owner=self)

    def _query(self) -> Query:
        pills, only, ranked = self._pills, None, None
        if self._try_button.isChecked():
            ranked = tuple(self._ranked.parts) if self._ranked is not None else ()
        elif pills.only_reply:
            only = frozenset(self._model.part_ids())
        return Query(self._search.text(), pills.status, only, self._sort.currentData(), pills.mark, ranked)

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
        if snapshot.chat_id:
            self._try.set_settings(snapshot.settings)
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
        if self._try_button.isChecked():
            self._try.ask(self._search.text())
        else:
            self._typing.start()

    def _filtered(self) -> None:
        self._show_facts()
        self._rearrange()

    def _clear_filters(self) -> None:
        self._try_button.setChecked(False)
        self._pills.clear()
        self._search.clear()
        self._typing.stop()
        self._filtered()

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
        self._pills.show_counts(snapshot, sent=self._reply is not None)
        self._show_health()
        self.tools.set_count(count)
        self._top.setVisible(bool(count))
        self._show_empty()

    def _show_health(self) -> None:
        snapshot = self._snapshot
        text = ""
        if not snapshot.available:
            cause = said(snapshot.failure) or self.tr("The embedding model is missing or cannot be used.")
            text = self.tr("{0} Until it works again, recall goes by words; nothing is lost.").format(
                cause if cause.endswith((".", "。", "!")) else cause + "."
            )
        self._notice.say(text)
        off = self.tr("Memory Recall is off in this chat: nothing is sent. Remembering goes on.")
        self._off.say("" if snapshot.settings.enabled else off)
        waiting = snapshot.counts.get(ChunkStatus.WAITING, 0)
        done = snapshot.counts.get(ChunkStatus.VECTORIZED, 0)
        self._progress.show_progress(done, snapshot.total, waiting=waiting > 0)

    def _show_empty(self) -> None:
        empty = not self._model.cards()
        loading = self._chat is not None and (self._stale or self._loading)
        if not empty or (loading and not self._snapshot.total):
            self._body.setCurrentIndex(0)
            return
        if self._snapshot.total and self._try_button.isChecked():
            title = self.tr("What would be recalled?")
            text = self.tr(
                "Write a line above, as if it were the next message. The memories that fit appear at once, "
                "each with its score and with what speaks for it or against it."
            )
            action = self.tr("Show all memories")
        elif self._snapshot.total:
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

    def _add_note(self) -> None:
        if self._chat is not None:
            self.deeds.add_note(self._chat)

    def _run_again(self) -> None:
        if self._reply is not None:
            self.rerunRequested.emit(self._reply[0])

    def _show_rerun(self) -> None:
        self._rerun.setVisible(self._reply is not None and not self._try_button.isChecked())
        self._rerun.setEnabled(not self._session.replying(self._chat))

    # ── trying recall ────────────────────────────────────────────────────────────────────────────────

    def _switch_try(self, on: bool) -> None:
        """Let the search field ask what would be recalled, or search again."""
        self._try.setVisible(on)
        self._sort.setVisible(not on)
        self._search.setPlaceholderText(self.tr("Say anything") if on else self.tr("Search"))
        self._search.setAccessibleName(self.tr("Try recall with") if on else self.tr("Search memories"))
        self._ranked = None
        self._pills.clear()
        self._pills.setVisible(not on)
        if on:
            self._try.reset()
            self._try.ask(self._search.text())
        self._search.setFocus()
        self._show_parts()
        self._filtered()

    def _show_ranking(self, ranked: Ranking | None) -> None:
        if self._try_button.isChecked():
            self._ranked = ranked
            self._show_parts()
            self._rearrange()
