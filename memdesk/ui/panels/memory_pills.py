"""The pills above the memories: how many there are of each kind; pressed in, they filter the list."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from memdesk.store.chunks import ChunkStatus
from memdesk.ui.models.memories import Mark, MemoryModel, Snapshot
from memdesk.ui.widgets.filter_pill import FilterPill
from memdesk.ui.widgets.flow_layout import FlowLayout


class MemoryPills(QWidget):
    """At most one pill is pressed in: a status, a mark, or what the selected reply looked at."""

    changed = Signal()

    def __init__(self, model: MemoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.status: ChunkStatus | None = None
        self.mark: Mark | None = None
        self.only_reply = False
        flow = FlowLayout(self, across=4)
        tones = {ChunkStatus.VECTORIZED: "ok", ChunkStatus.WAITING: "wait", ChunkStatus.UNAVAILABLE: "bad"}
        self._statuses = {status: FilterPill(tone, self) for status, tone in tones.items()}
        for status, pill in self._statuses.items():
            pill.clicked.connect(lambda on, status=status: self.choose(status=status if on else None))
            flow.addWidget(pill)
        self._reply = FilterPill("memory", self)
        self._reply.clicked.connect(lambda on: self.choose(only_reply=on))
        flow.addWidget(self._reply)
        self._marks = {mark: FilterPill("wait" if mark is Mark.CHANGED else "frozen", self) for mark in Mark}
        for mark, pill in self._marks.items():
            pill.clicked.connect(lambda on, mark=mark: self.choose(mark=mark if on else None))
            flow.addWidget(pill)

    def clear(self) -> None:
        """Let no pill filter."""
        self.status, self.mark, self.only_reply = None, None, False

    def offers_reply(self) -> bool:
        """Return whether the pill of the selected reply is there."""
        return not self._reply.isHidden()

    def choose(
        self, status: ChunkStatus | None = None, mark: Mark | None = None, *, only_reply: bool = False
    ) -> None:
        """Let one pill filter, or none."""
        self.status, self.mark, self.only_reply = status, mark, only_reply
        self.changed.emit()

    def show_counts(self, snapshot: Snapshot, *, sent: bool) -> None:
        """Say how many memories there are of each kind; `sent` says that the receipt on show is a reply's."""
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
        for status, pill in self._statuses.items():
            count = snapshot.counts.get(status, 0)
            pill.say(f"{number(count)} {self._model.status_words(status)}", f"{why[status]} {press}")
            pill.setChecked(self.status is status)
            pill.setVisible(count > 0 or self.status is status)
        seen = sum(self._model.part(card.id) is not None for card in snapshot.cards)
        self._reply.say(
            self._reply_words(seen, sent=sent),
            self.tr("Looked at for this prompt: sent, or left out for a reason. {0}").format(press),
        )
        self._reply.setChecked(self.only_reply)
        self._reply.setVisible(seen > 0)
        self._show_marks(snapshot, press)

    def _reply_words(self, seen: int, *, sent: bool) -> str:
        """Return "3 sent in reply #267 · 20 more considered"; the list does not hold more than were read."""
        number, count = self.locale().toString, min(seen, self._model.sent_count())
        words = self.tr("{0} sent {1}") if sent else self.tr("{0} {1}")
        words = words.format(number(count), self._model.reply_words())
        more = self.tr("{0} more considered").format(number(seen - count)) if seen > count else ""
        return f"{words} · {more}" if more else words

    def _show_marks(self, snapshot: Snapshot, press: str) -> None:
        number = self.locale().toString
        why = {
            Mark.FROZEN: self.tr("Kept as they are, whatever happens to their messages."),
            Mark.PINNED: self.tr("Always sent, as far as they fit."),
            Mark.EDITED: self.tr("Rewritten by you; the originals are kept."),
            Mark.IMPORTED: self.tr("Came from a file."),
            Mark.OFF: self.tr("Kept, but never sent."),
            Mark.CHANGED: self.tr("Kept by you, while their messages changed or went."),
        }
        for mark, pill in self._marks.items():
            count = snapshot.marks.get(mark, 0)
            pill.say(f"{number(count)} {self._model.mark_words(mark)}", f"{why[mark]} {press}")
            pill.setChecked(self.mark is mark)
            pill.setVisible(count > 0 or self.mark is mark)
