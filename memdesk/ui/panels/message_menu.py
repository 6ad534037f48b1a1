"""The context menu of messages, to which every part of the window may add.

    chat.message_menu.add(40, lambda message: Entry(self.tr("Translate"), run, icon="book"))
The function is asked each time a menu opens, and returns None when its entry makes no sense for the message.
Tens are groups, ones the order in them; what a message has as buttons stands before all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu

from memdesk.chats.model import Message
from memdesk.ui.icons import icon
from memdesk.ui.models.messages import MessageWindowModel
from memdesk.ui.widgets.chat_view import ChatView


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the menu; `enabled` is False for what cannot be done just now."""

    text: str
    run: Callable[[], object]
    icon: str = ""
    enabled: bool = True


class MessageMenu(QObject):
    """Adds entries to the menus that messages open."""

    def __init__(self, view: ChatView, model: MessageWindowModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._asked: list[tuple[int, Callable[[Message], Entry | None]]] = []
        view.menuOpened.connect(self._fill)

    def add(self, place: int, entry: Callable[[Message], Entry | None]) -> None:
        """Take a function that makes an entry for a message."""
        self._asked.append((place, entry))
        self._asked.sort(key=lambda item: item[0])

    def _fill(self, menu: QMenu, message_id: int) -> None:
        message = self._model.find(message_id)
        if message is None:
            return
        group = None
        for place, ask in self._asked:
            entry = ask(message)
            if entry is None:
                continue
            if place // 10 != group:
                group = place // 10
                menu.addSeparator()
            action = menu.addAction(entry.text)
            if entry.icon:
                action.setIcon(icon(entry.icon))
            action.setEnabled(entry.enabled)
            action.triggered.connect(lambda _checked=False, run=entry.run: run())
