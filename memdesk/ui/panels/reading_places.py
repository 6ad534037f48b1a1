"""Where one was reading in each chat: found again when the chat is opened, also after a restart."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, QTimer

from memdesk.ui.models.messages import MessageWindowModel
from memdesk.ui.widgets.chat_view import ChatView
from memdesk.ui.window_state import WindowState

MOST = 500
"""Chats whose place is kept: those that were read last."""

REST_MS = 150
"""A place counts when one has stayed there so long."""

_KEY = "places"


class ReadingPlaces(QObject):
    """Follows what is in sight; a chat that was at its end opens at its end, whatever came meanwhile."""

    def __init__(self, view: ChatView, model: MessageWindowModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._model = model
        self._state: WindowState | None = None
        self._places: dict[int, tuple[int, int, int]] = {}
        """Chat id → (message id, its number, its distance from the upper edge in pixels), oldest first."""
        self._wanted: tuple[int, int, int] | None = None
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(self.look)
        view.verticalScrollBar().valueChanged.connect(self._rest.start)
        # Whoever jumps to a message does not want to be taken away again.
        view.currentChanged.connect(self._forget_wanted)
        model.reset.connect(self._arrive)
        model.opensAt = self.number

    def open(self, state: WindowState) -> None:
        """Read the places of the last run, and keep them in `state` from now on."""
        self._state = state
        for chat_id, place in state.get(_KEY, {}).items():
            whole = isinstance(place, list) and [type(part) for part in place] == [int] * 3
            if whole and chat_id.isascii() and chat_id.isdigit():
                self._places[int(chat_id)] = (place[0], place[1], place[2])
        state.keep(_KEY, lambda: {str(chat_id): list(place) for chat_id, place in self._places.items()})

    def only(self, chat_ids: Collection[int]) -> None:
        """Forget the places of all other chats: those are gone."""
        for chat_id in self._places.keys() - set(chat_ids):
            del self._places[chat_id]

    def look(self) -> None:
        """Take down where the reader is now."""
        self._rest.stop()
        chat_id = self._model.chat_id
        if chat_id is None or not self._model.messages or self._model.waiting or self._wanted is not None:
            return
        place = None if self._view.following else self._in_sight()
        if place == self._places.get(chat_id):
            return
        self._places.pop(chat_id, None)
        if place is not None:
            self._places[chat_id] = place
            for oldest in list(self._places)[:-MOST]:
                del self._places[oldest]
        if self._state is not None:
            self._state.touch()

    def _in_sight(self) -> tuple[int, int, int] | None:
        top = self._view.verticalScrollBar().value()
        for message in self._model.messages:
            widget = self._view.widget_for(message.id)
            if widget is not None and not widget.isHidden() and widget.y() + widget.height() > top:
                return message.id, message.number, widget.y() - top
        return None

    def number(self, chat_id: int | None) -> int:
        """Return the number of the message that a chat opens at, 0 for its end; the chat is about to open."""
        if self._rest.isActive():
            self.look()
        self._wanted = self._places.get(chat_id) if chat_id is not None else None
        return self._wanted[1] if self._wanted is not None else 0

    def _forget_wanted(self) -> None:
        self._wanted = None

    def _arrive(self) -> None:
        if self._wanted is None or not self._model.messages:
            return
        wanted, self._wanted = self._wanted, None
        message_id, number, distance = wanted
        widget = self._view.widget_for(message_id)
        if widget is None:
            # Gone since then: its neighbour stands where it stood.
            near = min(self._model.messages, key=lambda message: abs(message.number - number))
            widget = self._view.widget_for(near.id)
        if widget is not None:
            bar = self._view.verticalScrollBar()
            bar.setValue(widget.y() - distance)
            # Also where nothing had to move: the view must know that the end is not followed.
            bar.valueChanged.emit(bar.value())
