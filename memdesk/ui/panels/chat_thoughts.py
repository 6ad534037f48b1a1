"""Thoughts of a reply while it is written: from the session to the message on the page."""

from __future__ import annotations

from PySide6.QtCore import QObject

from memdesk.ui.panels.chat_panel import ChatPanel
from memdesk.ui.session import Session


class ChatThoughts(QObject):
    """Shows thoughts as they come in the chat that is open."""

    def __init__(self, session: Session, panel: ChatPanel) -> None:
        super().__init__(panel)
        self._session = session
        self._panel = panel
        session.replyThought.connect(self._think)
        session.replyTurned.connect(self._turn)
        for change in (panel.model.reset, panel.model.appended, panel.model.prepended):
            change.connect(self._join)

    def _running(self) -> tuple[int, int] | None:
        """Return (message id, generation) of the reply that is written in the open chat."""
        chat_id = self._panel.chat_id
        if chat_id is None or not self._session.replying(chat_id):
            return None
        message_id, generation = self._session.generation(chat_id)
        return None if message_id is None else (message_id, generation)

    def _think(self, message_id: int, text: str, generation: int) -> None:
        widget = self._panel.view.widget_for(message_id)
        if widget is None or self._running() != (message_id, generation):
            return
        fold = widget.thoughts(made=bool(text.strip()))
        if fold is not None:
            fold.grow(text)

    def _turn(self, message_id: int, text: str, generation: int) -> None:
        """Move what stood in the reply to the thoughts."""
        if self._running() == (message_id, generation):
            before = self._session.text_so_far(self._panel.chat_id or 0)
            self._panel.model.startStream(message_id, generation, before)
            self._think(message_id, text, generation)

    def _join(self, *_news: object) -> None:
        """Show what was thought before the message came into sight."""
        running = self._running()
        widget = self._panel.view.widget_for(running[0]) if running else None
        chat_id = self._panel.chat_id
        if widget is None or chat_id is None or not widget.streaming:
            return
        thoughts = self._session.thoughts_so_far(chat_id)
        fold = widget.thoughts(made=bool(thoughts.strip()))
        if fold is not None and fold.text != thoughts:
            fold.beginThinking(thoughts)
            if self._session.text_so_far(chat_id):
                fold.settle()
