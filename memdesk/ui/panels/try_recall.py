"""Try recall: type anything and see at once what would be recalled, with which score, and why not."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QSlider, QWidget

from memdesk.memory.recall.settings import RecallSettings
from memdesk.ui.dialogs.pieces import Notice, column, plain_label, push_button, row
from memdesk.ui.sentences import said

if TYPE_CHECKING:
    from memdesk.prompt.parts import Contribution, Part
    from memdesk.ui.session import Session

PAUSE_MS = 150
"""A query is asked this long after the last key."""

CANDIDATES = 100
"""Candidates that are listed, winners and losers."""

MOST_SENT = 20
"""The slider's end; a chat that sends more gets a longer slider."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a query would bring: the candidates by chunk id, best first."""

    parts: dict[int, Part]
    threshold: float


class TryRecall(QWidget):
    """The sliders, the switch and the asking; the list above shows the candidates."""

    ranked = Signal(object)
    """A `Ranking`, or None while nothing is asked"""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: int | None = None
        self._settings = RecallSettings()
        self._query = ""
        self._fresh = True
        self._turn = 0
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE_MS)
        self._soon.timeout.connect(self._ask)
        self._threshold, self._threshold_words = self._slider(100, self.tr("Threshold"))
        self._threshold.setToolTip(self.tr("The lowest score that is recalled, from 0 to 1."))
        self._top, self._top_words = self._slider(MOST_SENT, self.tr("Memories sent at most"))
        self._top.setToolTip(self.tr("How many memories are sent with a reply at the most."))
        self._enabled = QCheckBox(self.tr("Enable Memory Recall"), self)
        self._enabled.setAccessibleName(self._enabled.text())
        self._enabled.setMinimumHeight(28)
        self._enabled.setToolTip(
            self.tr("Whether memories are sent with replies in this chat. Remembering goes on either way.")
        )
        self._enabled.clicked.connect(lambda on: self._store(enabled=on))
        self._use = push_button(self.tr("Use for this chat"), parent=self)
        self._use.clicked.connect(
            lambda: self._store(threshold=self._threshold.value() / 100, top_k=self._top.value())
        )
        self._outcome = plain_label("", "small")
        self._warning = Notice("wait")
        sliders = column(
            self._line(self.tr("Threshold"), self._threshold, self._threshold_words),
            self._line(self.tr("At most"), self._top, self._top_words),
            spacing=0,
        )
        layout = column(parent=self, spacing=4)
        layout.addWidget(self._outcome)
        layout.addWidget(self._warning)
        layout.addLayout(sliders)
        foot = row(self._enabled)
        foot.addStretch(1)
        foot.addWidget(self._use)
        layout.addLayout(foot)
        self._show_values()

    def _slider(self, maximum: int, name: str) -> tuple[QSlider, QLabel]:
        slider = QSlider(Qt.Orientation.Horizontal, self)
        slider.setRange(0, maximum)
        slider.setAccessibleName(name)
        slider.setMinimumHeight(28)
        slider.valueChanged.connect(self._slid)
        value = plain_label("", wrap=False, parent=self)
        value.setMinimumWidth(value.fontMetrics().horizontalAdvance("0.000"))
        value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return slider, value

    def _line(self, title: str, slider: QSlider, value: QLabel) -> QWidget:
        line = QWidget(self)
        layout = QHBoxLayout(line)
        layout.setContentsMargins(0, 0, 0, 0)
        label = plain_label(title, "soft", wrap=False)
        label.setMinimumWidth(64)
        layout.addWidget(label)
        layout.addWidget(slider, 1)
        layout.addWidget(value)
        return line

    # ── asked from outside ───────────────────────────────────────────────────────────────────────────

    def set_chat(self, chat_id: int | None) -> None:
        """Turn to another chat; its settings come with `set_settings`."""
        self._chat, self._query, self._fresh = chat_id, "", True
        self._turn += 1
        self._soon.stop()

    def set_settings(self, settings: RecallSettings) -> None:
        """Show the settings of the chat; sliders that were moved and not used stay where they are."""
        moved = self._moved() and not self._fresh
        self._settings, self._fresh = settings, False
        self._enabled.setChecked(settings.enabled)
        if not moved:
            self.reset()
        self._show_values()

    def reset(self) -> None:
        """Put the sliders where the chat's settings are."""
        blockers = [QSignalBlocker(slider) for slider in (self._threshold, self._top)]
        self._top.setMaximum(max(MOST_SENT, self._settings.top_k))
        self._threshold.setValue(round(self._settings.threshold * 100))
        self._top.setValue(self._settings.top_k)
        del blockers
        self._show_values()

    def ask(self, query: str) -> None:
        """Look for a query in a moment; the latest one counts."""
        self._query = query.strip()
        self._soon.start()

    def ask_again(self) -> None:
        """Look for the same query anew: memories changed."""
        if self._query and not self._soon.isActive():
            self._soon.start()

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────

    def _ask(self) -> None:
        self._turn += 1
        turn, chat_id, query = self._turn, self._chat, self._query
        if chat_id is None or not query:
            self._outcome.setText("")
            self._warning.say("")
            self.ranked.emit(None)
            return
        conversation = self._session.workspace.conversation
        tried = self._settings.model_copy(
            update={
                "enabled": True,
                "threshold": self._threshold.value() / 100,
                "top_k": self._top.value(),
            }
        )
        started = time.perf_counter()

        def read() -> list[Contribution]:
            return conversation.recall(chat_id, query, CANDIDATES, {"recall": tried.model_dump()})

        def done(contributions: list[Contribution]) -> None:
            if turn == self._turn:
                took = time.perf_counter() - started
                self._show_outcome(next(c for c in contributions if c.layer == "recall"), tried, took)

        self._session.background.read(read, done, owner=self)

    def _show_outcome(self, found: Contribution, tried: RecallSettings, seconds: float) -> None:
        parts = sorted(found.parts, key=lambda part: (not part.included, -(part.score or 0.0)))
        ranking = {int(part.source["chunk"]): part for part in parts}
        number = self.locale().toString
        sent = sum(part.included for part in parts)
        words = self.tr("{0} of {1} candidates would be sent · {2} ms").format(
            number(sent), number(len(parts)), number(round(seconds * 1000))
        )
        if not parts:
            words = self.tr("No memory has anything to do with this.")
        self._outcome.setText(words)
        self._warning.say(said(found.warning))
        self.ranked.emit(Ranking(ranking, tried.threshold))

    # ── settings ─────────────────────────────────────────────────────────────────────────────────────

    def _moved(self) -> bool:
        wanted = (round(self._settings.threshold * 100), self._settings.top_k)
        return (self._threshold.value(), self._top.value()) != wanted

    def _slid(self) -> None:
        self._show_values()
        self.ask_again()

    def _show_values(self) -> None:
        self._threshold_words.setText(f"{self._threshold.value() / 100:.2f}")
        self._top_words.setText(self.locale().toString(self._top.value()))
        self._use.setEnabled(self._chat is not None and self._moved())

    def _store(self, **values: object) -> None:
        chat_id, memories = self._chat, self._session.workspace.memories
        if chat_id is not None:
            self._session.act(lambda: memories.set_settings(chat_id, **values))
