"""The Memories tab: what is remembered of a chat, with its status, and what the selected reply made of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from memdesk.store.chunks import ChunkStatus
from memdesk.ui.dialogs.pieces import Notice, plain_label
from memdesk.ui.models.memories import Card, MemoryModel, Query, Snapshot, arrange, load
from memdesk.ui.panels.memory_deeds import MemoryDeeds
from memdesk.ui.panels.memory_pills import MemoryPills
from memdesk.ui.panels.memory_timeline import MemoryTimeline
from memdesk.ui.panels.memory_upkeep import MemoryUpkeep
from memdesk.ui.panels.memory_words import empty_words, health_words, total_tip
from memdesk.ui.panels.try_recall import Ranking, TryRecall
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.embedding_progress import EmbeddingProgress
from memdesk.ui.widgets.empty_page import EmptyPage
from memdesk.ui.widgets.memory_list import MemoryList
from memdesk.ui.widgets.memory_search import MemorySearch
from memdesk.ui.widgets.memory_tools import MemoryTools
from memdesk.ui.widgets.selection_bar import RerunButton, SelectionBar

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
    lookedAt = Signal(int)
    """The number of a message as of which the memory is shown, 0 when it is shown as it is"""
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
        self.upkeep = MemoryUpkeep(session, self)
        self.upkeep.progressed.connect(lambda _chat: self._show_facts())
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
        self.tools.rebuildRequested.connect(lambda: self.upkeep.rebuild(self._chat))
        self.tools.clearRequested.connect(lambda: self.upkeep.ask_to_clear(self._snapshot))
        self.tools.settingsRequested.connect(lambda: self.upkeep.open_settings(self._chat))
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._total)
        head.addWidget(self._tokens)
        head.addStretch(1)
        head.addWidget(self.tools)

        self.pills = MemoryPills(self._model)
        self.pills.changed.connect(self._filtered)

        self._notice = Notice("wait")
        tools = MemorySearch()
        self._search, self._sort = tools.field, tools.order
        self._try_button, self._time_button = tools.trying, tools.timing
        self._search.textChanged.connect(self._typed)
        self._sort.currentIndexChanged.connect(self._typed)
        self._try_button.toggled.connect(self._switch_try)
        self._time_button.toggled.connect(self._switch_time)
        self.search_row = tools
        self._time = MemoryTimeline(self._session)
        self._time.setVisible(False)
        self._time.moved.connect(self._move_in_time)
        self._time.jumpRequested.connect(self.jumpRequested)
        self._try = TryRecall(self._session)
        self._try.setVisible(False)
        self._try.ranked.connect(self._show_ranking)
        self._off = Notice("info")

        self._progress = EmbeddingProgress()
        self._progress.stopRequested.connect(lambda: self.upkeep.stop(self._chat))
        self._rerun = RerunButton()
        self._rerun.clicked.connect(self._run_again)
        self._session.replyingChanged.connect(lambda *_: self._show_rerun())
        self._selection = SelectionBar()
        self._selection.pressed.connect(lambda deed: self.deeds.do(deed, self._list.selectedCards()))
        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(side, 8, side, 8)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.pills)
        column.addWidget(self._notice)
        column.addWidget(self._off)
        column.addWidget(tools)
        column.addWidget(self._try)
        column.addWidget(self._time)
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
        self.pills.clear()
        self._receipt, self._reply = None, None
        self._model.setParts({}, "")
        self._try_button.setChecked(False)
        self._try.set_chat(chat_id)
        self._time_button.setChecked(False)
        self._time.set_chat(chat_id)
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
        if self.pills.only_reply and not self._model.part_ids():
            self.pills.clear()
        self._show_facts()
        if self.pills.only_reply or not self.pills.offers_reply():
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
            self._look_again()
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

    def _look_again(self) -> None:
        """Ask again what depends on all memories."""
        if self._try_button.isChecked():
            self._try.ask_again()
        if self._time_button.isChecked():
            self._time.read()

    def _query(self) -> Query:
        pills, only, ranked = self.pills, None, None
        if self._try_button.isChecked():
            ranked = tuple(self._ranked.parts) if self._ranked is not None else ()
        elif pills.only_reply:
            only = frozenset(self._model.part_ids())
        at = self._time.number() if self._time_button.isChecked() else 0
        return Query(
            text=self._search.text(),
            status=pills.status,
            only=only,
            sort=self._sort.currentData(),
            mark=pills.mark,
            ranked=ranked,
            since=self._time.since() if at else None,
            at=at,
        )

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
        waiting = snapshot.total - snapshot.counts.get(ChunkStatus.VECTORIZED, 0)
        if snapshot.complete and not waiting and snapshot.making is None:
            self.upkeep.settled(snapshot.chat_id)
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
        self._time_button.setChecked(False)
        self.pills.clear()
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
        self._total.setToolTip(total_tip(snapshot))
        self._tokens.setText(self.tr("· ~{0} tokens").format(number(snapshot.tokens)))
        self.pills.show_counts(snapshot, sent=self._reply is not None)
        self._show_health()
        self.tools.set_count(count)
        self._top.setVisible(bool(count))
        self._show_empty()

    def _show_health(self) -> None:
        snapshot, upkeep = self._snapshot, self.upkeep
        words, detail = health_words(snapshot)
        self._notice.say(words, detail=detail)
        off = self.tr("Memory Recall is off in this chat: nothing is sent. Remembering goes on.")
        self._off.say("" if snapshot.settings.enabled else off)
        waiting = snapshot.counts.get(ChunkStatus.WAITING, 0)
        done = snapshot.counts.get(ChunkStatus.VECTORIZED, 0)
        making = upkeep.running(self._chat) or snapshot.making
        can_stop = upkeep.can_stop(self._chat)
        if making is not None:
            self._progress.show_making(*making, can_stop=can_stop)
        else:
            self._progress.show_progress(done, snapshot.total, waiting=waiting > 0, can_stop=can_stop)

    def _show_empty(self) -> None:
        empty = not self._model.cards()
        loading = self._chat is not None and (self._stale or self._loading)
        if not empty or (loading and not self._snapshot.total):
            self._body.setCurrentIndex(0)
            return
        title, text, action = empty_words(
            self._snapshot, chat=self._chat is not None, trying=self._try_button.isChecked()
        )
        self._empty.say(title, text, action)
        self._body.setCurrentIndex(1)

    def _act_on_empty(self) -> None:
        if self._snapshot.total:
            self._clear_filters()
        else:
            self.upkeep.rebuild(self._chat)

    # ── acts ─────────────────────────────────────────────────────────────────────────────────────────

    def _open(self, card: Card) -> None:
        if card.jump_to is not None:
            self.jumpRequested.emit(card.jump_to)

    def _add_note(self) -> None:
        if self._chat is not None:
            self.deeds.add_note(self._chat)

    # ── what is known at a message ───────────────────────────────────────────────────────────────────

    def _switch_time(self, on: bool) -> None:
        """Show the memory as of a message, or as it is."""
        if on:
            self._try_button.setChecked(False)
            self._time.read()
        else:
            self.lookedAt.emit(0)
        self._time.setVisible(on)
        self._filtered()

    def _move_in_time(self, number: int) -> None:
        if self._time_button.isChecked():
            self.lookedAt.emit(number)
            self._rearrange()

    def _run_again(self) -> None:
        if self._reply is not None:
            self.rerunRequested.emit(self._reply[0])

    def _show_rerun(self) -> None:
        self._rerun.setVisible(self._reply is not None and not self._try_button.isChecked())
        self._rerun.setEnabled(not self._session.replying(self._chat))

    # ── trying recall ────────────────────────────────────────────────────────────────────────────────

    def _switch_try(self, on: bool) -> None:
        """Let the search field ask what would be recalled, or search again."""
        self._time_button.setChecked(self._time_button.isChecked() and not on)
        self._try.setVisible(on)
        self.search_row.show_trying(on=on)
        self._ranked = None
        self.pills.clear()
        self.pills.setVisible(not on)
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
