"""The foot of the window: which model answers, how full its context is, what is being embedded."""

from __future__ import annotations

import html
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from memdesk.chats.model import Chat
from memdesk.llm.embedder_profile import EmbedderProfile
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.recall.spaces import SpaceChange
from memdesk.prompt.receipt import Receipt
from memdesk.ui.embedding_job import EmbeddingJob
from memdesk.ui.icons import icon
from memdesk.ui.index_job import IndexJob
from memdesk.ui.sentences import headline
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.context_bar import ContextBar
from memdesk.ui.widgets.jobs_indicator import JobsIndicator

REFRESH_MS = 400
"""News of embedding is gathered this long before it is counted again."""

LEAST_NAME = 120
"""Pixels that the name of the connection keeps where there is little room."""


class StatusBar(QWidget):
    """Thirty pixels of facts; every one explains itself."""

    connectionRequested = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chat: Chat | None = None
        self.setObjectName("status-bar")
        self.setFixedHeight(32)
        self._connection = QToolButton(self)
        self._connection.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._connection.setFont(current_theme().font("small"))
        # The context bar gives way first: who answers must stay readable.
        self._connection.setMinimumWidth(LEAST_NAME)
        self._connection.clicked.connect(self.connectionRequested)
        self._bar = ContextBar(self)
        self._waiting = QLabel(self)
        self._embedder = QLabel(self)
        for label in (self._waiting, self._embedder):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("tone", "small")
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 14, 0)
        row.setSpacing(16)
        row.addWidget(self._connection)
        row.addWidget(self._bar)
        row.addStretch(1)
        self._embedding = EmbeddingJob(session, self)
        self._indexing = IndexJob(session, self)
        row.addWidget(JobsIndicator(session.jobs, self))
        row.addWidget(self._embedding.button)
        row.addWidget(self._waiting)
        row.addWidget(self._embedder)
        self._refresh = QTimer(self)
        self._refresh.setSingleShot(True)
        self._refresh.setInterval(REFRESH_MS)
        self._refresh.timeout.connect(self._count)
        session.memoriesChanged.connect(self._later)
        session.settingsChanged.connect(self.show_connection)
        self.show_connection()
        self._count()

    def _later(self) -> None:
        # A running timer is not started anew: while embedding goes on, news never pauses that long.
        if not self._refresh.isActive():
            self._refresh.start()

    def show_connection(self) -> None:
        """Name the connection that replies come from."""
        settings = self._session.workspace.settings
        own = str(self._chat.settings.get("connection") or "") if self._chat is not None else ""
        profile = settings.profile(own)
        text = self._connection_text(profile)
        self._connection.setIcon(icon("plug", "ok" if profile.kind == "openai" else "wait"))
        self._connection.setText(text.replace("&", "&&"))
        self._connection.setAccessibleName(self.tr("Connection: %1").replace("%1", text))
        if profile.kind == "demo":
            tip = self.tr(
                "The demo voice answers from templates and memories. Click to connect a language model."
            )
        elif profile.is_local:
            tip = self.tr("Replies come from this computer. Click to change the connection.")
        else:
            tip = self.tr("Chats are sent to %1. Click to change the connection.").replace("%1", profile.host)
        if profile.id == own:
            tip = self.tr("This chat has a connection of its own.") + " " + tip
        self._connection.setToolTip(tip)

    def set_chat(self, chat: Chat | None) -> None:
        """Name the connection of a chat, which may have one of its own."""
        self._chat = chat
        self.show_connection()

    def _connection_text(self, profile: ConnectionProfile) -> str:
        if profile.kind == "demo":
            return self.tr("Demo voice · no language model")
        where = self.tr("local") if profile.is_local else profile.host
        return " · ".join(filter(None, (where, profile.name, profile.model)))

    def show_receipt(self, receipt: Receipt | None) -> None:
        """Fill the context bar with the sources of a prompt."""
        if receipt is None:
            self._bar.setParts({}, 0)
        else:
            self._bar.setParts({str(kind): size for kind, size in receipt.by_kind().items()}, receipt.context)

    def _count(self) -> None:
        workspace = self._session.workspace

        def read() -> _Embedding:
            counts = workspace.sync.counts().values()
            embedder = workspace.embedders.chosen()
            return _Embedding(
                waiting=sum(total - ready for total, ready, _ in counts),
                available=workspace.sync.embedding_available,
                failure=workspace.sync.failure,
                model=embedder.space.model.split("/")[-1],
                source=workspace.embedders.profile_of(embedder),
                change=workspace.sync.change(),
            )

        self._session.background.read(read, self._show, owner=self)

    def _show(self, found: _Embedding) -> None:
        waiting, failure = found.waiting, found.failure
        self._embedding.follow(waiting, available=found.available)
        if found.change is not None:
            done, total = (self.locale().toString(n) for n in (found.change.done, found.change.total))
            words = self.tr("new vectors: %1 of %2").replace("%2", total).replace("%1", done)
            tip = self.tr("Until all are there, memories are found by the vectors of before.")
        else:
            words = self.tr("%n waiting for vector", "", waiting) if waiting else ""
            tip = ""
        if found.available:
            self._waiting.setText(words)
            self._waiting.setToolTip(tip)
            self._show_source(found)
        else:
            left = self.tr("%n without a vector", "", waiting) if waiting else ""
            self._waiting.setText(words if found.change is not None else left)
            self._waiting.setToolTip(tip)
            self._embedder.setText(self.tr("Embedding unavailable"))
            sentence, detail = headline(failure)
            until = self.tr("Until then memories are found by words.")
            missing = self.tr("The embedding model is missing. Recall works by words.")
            tip = f"{sentence} {until}\n{detail}".strip() if sentence else missing
            self._embedder.setToolTip(_plain(tip))

    def _show_source(self, found: _Embedding) -> None:
        """Name what makes vectors, and say whether texts leave this computer for it."""
        if found.source is None:
            self._embedder.setText(self.tr("%1 · bundled").replace("%1", found.model))
            self._embedder.setToolTip(
                self.tr("Turns messages into vectors on this computer; nothing is sent.")
            )
            return
        where = self.tr("local") if found.source.is_local else found.source.host
        self._embedder.setText(" · ".join(part for part in (found.model, where) if part)[:80])
        if found.source.is_local:
            tip = self.tr("A server on this computer turns messages into vectors.")
        else:
            tip = self.tr("Messages are sent to %1 to be turned into vectors.")
        self._embedder.setToolTip(_plain(tip.replace("%1", found.source.host)))


@dataclass(frozen=True)
class _Embedding:
    """What is to be told about embedding."""

    waiting: int
    available: bool
    failure: str
    model: str
    source: EmbedderProfile | None
    change: SpaceChange | None


def _plain(text: str) -> str:
    """Return a tool tip that shows a text as it is: paths and the words of the system may hold anything."""
    return f"<p style='white-space:pre-wrap'>{html.escape(text)}</p>"
