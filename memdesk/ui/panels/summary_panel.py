"""The Summary tab: the outline of a chat as the model gets it, in the person's order."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from memdesk.ui.dialogs.pieces import Notice, plain_label, push_button, row, scrolled
from memdesk.ui.models.summaries import Entry, Summaries, load_summaries
from memdesk.ui.panels.summary_deeds import SummaryDeeds
from memdesk.ui.panels.summary_notices import SummaryNotices
from memdesk.ui.panels.summary_work import SummaryWork
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.empty_page import EmptyPage
from memdesk.ui.widgets.summary_card import SummaryCard
from memdesk.ui.widgets.summary_tools import SummarySelection, SummaryTools

if TYPE_CHECKING:
    from memdesk.ui.session import Session

PAUSE_MS = 120
"""News are gathered this long."""

PAUSE_FACTOR = 4
"""And this many times as long as the last reading took, so that reading never fills a core."""

CARDS_AT_ONCE = 12
"""Cards that are made before the window may paint again."""


class SummaryPanel(QWidget):
    """Shows the summaries of one chat; reads only while it is seen."""

    jumpRequested = Signal(int)
    """A message id to scroll to"""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: int | None = None
        self._shown = Summaries(0)
        self._cards: dict[int, SummaryCard] = {}
        self._ticked: list[int] = []
        self._last_tick: int | None = None
        self._wanted: int | None = None
        self._inactive = True
        self._was_read = False
        self._waiting: Callable[[], None] | None = None
        self._turn = 0
        self._stale = False
        self.work = SummaryWork(session, self)
        self.deeds = SummaryDeeds(session, self.work, self)
        self._build()
        self._connect()
        self._soon = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._soon.timeout.connect(self._reload)
        self._rest = QTimer(self, singleShot=True, interval=0)
        self._rest.timeout.connect(self._lay_cards)
        self._take(Summaries(0))

    def _build(self) -> None:
        side = current_theme().space(3)
        self._total = plain_label("", "strong", wrap=False)
        self._tokens = plain_label("", "soft", wrap=False)
        self._tokens.setToolTip(self.tr("What the summaries that are on take of the prompt, estimated."))
        self.tools = SummaryTools()
        head = QHBoxLayout()
        head.setSpacing(4)
        head.addWidget(self._total)
        head.addWidget(self._tokens)
        head.addStretch(1)
        head.addWidget(self.tools)
        self._off = Notice("info")
        self._gap = Notice("info")
        self._backfill = push_button(self.tr("Backfill…"), "quiet")
        self._backfill.setToolTip(self.tr("Let a model summarise them, batch after batch."))
        self._gap_row = QWidget()
        gap = row(self._gap, self._backfill)
        gap.setStretch(0, 1)
        self._gap_row.setLayout(gap)
        self.notices = SummaryNotices(self.work)
        self.selection = SummarySelection()
        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(side, 8, side, 8)
        column.setSpacing(6)
        column.addLayout(head)
        for widget in (self._off, self._gap_row, self.notices, self.selection):
            column.addWidget(widget)
        holder = QWidget()
        self._list = QVBoxLayout(holder)
        self._list.setContentsMargins(side, 0, side, side)
        self._list.setSpacing(8)
        self._list.addStretch(1)
        self._area = scrolled(holder, self.tr("Summaries"))
        self._empty = EmptyPage("summary")
        self._body = QStackedLayout()
        self._body.addWidget(self._area)
        self._body.addWidget(self._empty)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(top)
        whole.addLayout(self._body, 1)

    def _connect(self) -> None:
        deeds, tools = self.deeds, self.tools
        deeds.jumpRequested.connect(self.jumpRequested)
        deeds.editRequested.connect(self._edit)
        tools.writeRequested.connect(deeds.write)
        tools.generateRequested.connect(deeds.open_generate)
        tools.settingsRequested.connect(deeds.open_settings)
        tools.templatesRequested.connect(deeds.open_templates)
        tools.backfillRequested.connect(deeds.open_backfill)
        tools.switchRequested.connect(deeds.switch_all)
        tools.inactiveToggled.connect(self._show_inactive)
        self._backfill.clicked.connect(deeds.open_backfill)
        self._empty.pressed.connect(self._act_on_empty)
        self.selection.pressed.connect(self._do_selected)
        self.selection.cleared.connect(lambda: self._select([]))
        self.notices.tryAgainRequested.connect(self._try_again)
        self.notices.stopRequested.connect(self._stop)
        self.work.progressed.connect(self._progressed)
        self._session.messagesChanged.connect(self._hear)
        self._session.settingsChanged.connect(self._heard_settings)

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────

    def setChat(self, chat_id: int | None) -> None:
        """Show the summaries of another chat, or of none."""
        if chat_id == self._chat:
            return
        self._chat = chat_id
        self._wanted, self._last_tick = None, None
        self._ticked = []
        self._was_read, self._waiting = False, None
        self._turn += 1
        self._take(Summaries(chat_id or 0))
        self._stale = chat_id is not None
        if self.isVisible():
            self._reload()

    def showSummary(self, entry_id: int) -> None:
        """Open a summary and bring it into view as soon as it is there."""
        self._wanted = entry_id
        self._find_wanted()

    def ask(self, act: Callable[[], None]) -> None:
        """Begin something that has to know what there is, as soon as it is read."""
        if self._was_read:
            act()
        else:
            self._waiting = act

    def cards(self) -> list[SummaryCard]:
        """Return the cards that show, from top to bottom."""
        order = [entry.id for entry in self._shown.entries]
        return [self._cards[item] for item in order if item in self._cards]

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────

    def _hear(self, chat_id: int, *_details: object) -> None:
        if chat_id == self._chat:
            self._stale = True
            if self.isVisible() and not self._soon.isActive():
                self._soon.start()

    def _heard_settings(self) -> None:
        if self._chat is not None:
            self._hear(self._chat)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._reload()

    def _reload(self) -> None:
        chat_id, workspace = self._chat, self._session.workspace
        if chat_id is None:
            return
        self._stale = False
        self._turn += 1
        turn = self._turn
        started = time.perf_counter()

        def done(found: Summaries) -> None:
            took = time.perf_counter() - started
            self._soon.setInterval(max(PAUSE_MS, round(took * 1000 * PAUSE_FACTOR)))
            if turn != self._turn:
                return
            self._take(found)
            self._was_read = True
            if self._waiting is not None:
                act, self._waiting = self._waiting, None
                act()

        self._session.background.read(lambda: load_summaries(workspace, chat_id), done, owner=self)

    def _take(self, shown: Summaries) -> None:
        self._shown = shown
        self.deeds.set_shown(shown)
        listed = {entry.id for entry in self._listed()}
        for item in [item for item in self._cards if item not in listed]:
            card = self._cards.pop(item)
            if card.is_editing() and any(entry.id == item for entry in shown.entries):
                self._cards[item] = card
                continue
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        self._ticked = [item for item in self._ticked if item in listed]
        self._lay_cards()
        self._show_facts()

    def _listed(self) -> list[Entry]:
        """Return the entries that show: without the inactive ones where these are not wanted."""
        entries = self._shown.entries
        if self._inactive:
            return list(entries)
        return [entry for entry in entries if entry.summary.active or entry.summary.proposed]

    def _lay_cards(self) -> None:
        """Bring the cards in step with what is listed, a few at a time."""
        made = 0
        for place, entry in enumerate(self._listed()):
            card = self._cards.get(entry.id)
            if card is None:
                if made >= CARDS_AT_ONCE:
                    self._rest.start()
                    return
                card = self._make(entry)
                made += 1
            elif card.entry() != entry:
                card.show_entry(entry)
            card.set_ticked(entry.id in self._ticked)
            if self._list.indexOf(card) != place:
                self._list.removeWidget(card)
                self._list.insertWidget(place, card)
        before = None
        for card in self.cards():
            # Tab goes on as the eye does, however they were moved.
            if before is not None:
                QWidget.setTabOrder(before, card)
            before = card
        self._find_wanted()

    def _make(self, entry: Entry) -> SummaryCard:
        card = SummaryCard(entry)
        card.deedRequested.connect(lambda deed, item: self.deeds.do(deed, [item]))
        card.ticked.connect(self._tick)
        card.saved.connect(self.deeds.save)
        card.menuRequested.connect(self._menu)
        card.stepped.connect(self._step)
        self._cards[entry.id] = card
        return card

    def _find_wanted(self) -> None:
        if self._wanted is None:
            return
        card = self._cards.get(self._wanted)
        if card is None:
            if any(entry.id == self._wanted for entry in self._shown.entries) and not self._inactive:
                self.tools.show_inactive()
            return
        self._wanted = None
        card.set_open(True)
        card.setFocus()
        QTimer.singleShot(0, card, lambda: self._area.ensureWidgetVisible(card))

    # ── words ────────────────────────────────────────────────────────────────────────────────────────

    def _show_facts(self) -> None:
        shown, number = self._shown, self.locale().toString
        count = len(shown.entries)
        self._total.setText(
            self.tr("1 summary") if count == 1 else self.tr("{0} summaries").format(number(count))
        )
        self._tokens.setText(self.tr("· ~{0} tokens").format(number(shown.tokens)))
        self._tokens.setVisible(count > 0)
        self._total.setVisible(count > 0)
        self.tools.set_entries(shown)
        self._off.say(
            ""
            if shown.settings.enabled or not shown.chat_id
            else self.tr("Summaries are off in this chat: none is sent. Writing them goes on.")
        )
        gap = shown.uncovered
        self._gap.say(
            ""
            if not gap or not shown.chat_id
            else self.tr("1 older message is covered by no summary.")
            if gap == 1
            else self.tr("{0} older messages are covered by no summary.").format(number(gap))
        )
        self._gap_row.setVisible(bool(self._gap.text()) and count > 0)
        self._backfill.setEnabled(self.work.running(self._chat) is None)
        self.notices.show_state(shown)
        self.selection.show_count(len(self._ticked))
        self._show_empty()

    def _show_empty(self) -> None:
        shown = self._shown
        if self._listed():
            self._body.setCurrentIndex(0)
            return
        if not shown.chat_id:
            words = (
                self.tr("No chat is open"),
                self.tr("Open a chat, and the outline that the model gets of it appears here."),
                "",
            )
        elif shown.entries:
            words = (
                self.tr("All summaries are turned off"),
                self.tr("They are kept, but none of them is sent or shown."),
                self.tr("Show inactive summaries"),
            )
        elif shown.messages < 2:
            words = (
                self.tr("Nothing to summarise yet"),
                self.tr(
                    "When a chat grows longer than the model's memory, summaries tell it what came before. "
                    "Write one yourself at any time."
                ),
                self.tr("Write a summary…"),
            )
        else:
            words = (
                self.tr("No summaries yet"),
                self.tr(
                    "A summary tells the model what happened in messages that it cannot see any more. You "
                    "can read, edit, order and freeze every one; each is sent with every prompt while it is "
                    "on. Write one yourself, let a model write it, or let memdesk do so after every few "
                    "messages (summary settings)."
                ),
                self.tr("Generate a summary…"),
            )
        self._empty.say(*words)
        self._body.setCurrentIndex(1)

    def _act_on_empty(self) -> None:
        if self._shown.entries:
            self.tools.show_inactive()
        elif self._shown.messages < 2:
            self.deeds.write()
        else:
            self.deeds.open_generate()

    def _progressed(self, chat_id: int) -> None:
        if chat_id == self._chat:
            self._show_facts()

    # ── selecting ────────────────────────────────────────────────────────────────────────────────────

    def _tick(self, entry_id: int, on: bool, shift: bool) -> None:
        """Tick one, or with Shift all from the one that was ticked last."""
        order = [entry.id for entry in self._listed()]
        meant = [entry_id]
        if shift and self._last_tick in order:
            first, last = sorted((order.index(self._last_tick), order.index(entry_id)))
            meant = order[first : last + 1]
        chosen = [item for item in self._ticked if item not in meant]
        self._last_tick = entry_id
        self._select([*chosen, *meant] if on else chosen)

    def _select(self, ids: list[int]) -> None:
        self._ticked = [entry.id for entry in self._listed() if entry.id in set(ids)]
        for item, card in self._cards.items():
            card.set_ticked(item in self._ticked)
        self.selection.show_count(len(self._ticked))

    def _do_selected(self, deed: str) -> None:
        self.deeds.do(deed, self._ticked)
        if deed in ("delete", "combine"):
            self._select([])

    def _show_inactive(self, on: bool) -> None:
        self._inactive = on
        self._take(self._shown)

    # ── acts ─────────────────────────────────────────────────────────────────────────────────────────

    def _edit(self, entry_id: int) -> None:
        if entry_id in self._cards:
            self._cards[entry_id].edit()

    def _menu(self, entry_id: int, place: object) -> None:
        for entry in self._shown.entries:
            if entry.id == entry_id:
                self.deeds.menu(entry, place)  # type: ignore[arg-type]

    def _step(self, entry_id: int, step: int) -> None:
        """Let the focus go on to another card."""
        cards = self.cards()
        place = next((at for at, card in enumerate(cards) if card.entry().id == entry_id), 0) + step
        if 0 <= place < len(cards):
            cards[place].setFocus()
            self._area.ensureWidgetVisible(cards[place])

    def _stop(self) -> None:
        if self._chat is None:
            return
        if self.work.running(self._chat) is not None:
            self.work.stop(self._chat)
        else:
            watcher, chat_id = self._session.workspace.summary_room.watcher, self._chat
            self._session.background.read(lambda: watcher.stop(chat_id))

    def _try_again(self) -> None:
        if self._chat is None:
            return
        if self.work.failures(self._chat):
            self.work.retry(self._chat)
        else:
            watcher, chat_id = self._session.workspace.summary_room.watcher, self._chat
            self._session.background.read(lambda: watcher.try_again(chat_id))
