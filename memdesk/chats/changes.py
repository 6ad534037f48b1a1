"""What can happen to a chat: the news that memory layers and views listen to."""

from __future__ import annotations

import enum
import threading
from collections.abc import Callable
from dataclasses import dataclass


class ChangeKind(enum.Enum):
    """The kinds of change. Every write to a chat announces exactly one of them."""

    MESSAGES_ADDED = "messages added"
    TEXT_CHANGED = "text changed"
    """An edit, a new swipe, or another swipe chosen."""
    MESSAGES_REMOVED = "messages removed"
    MESSAGES_RESTORED = "messages restored"
    HIDDEN_CHANGED = "hidden changed"
    """Messages were hidden from the model, or are sent again."""
    MARKS_CHANGED = "marks changed"
    """A checkpoint was set, renamed or taken away."""
    CHAT_ADDED = "chat added"
    CHAT_CHANGED = "chat changed"
    """Title, settings, members or persona."""
    CHAT_REMOVED = "chat removed"
    CHAT_RESTORED = "chat restored"
    CHARACTER_CHANGED = "character changed"
    MEMORIES_CHANGED = "memories changed"
    """Chunks were made, embedded, edited or removed."""
    SUMMARIES_CHANGED = "summaries changed"
    """Summary entries were written, changed, ordered or removed."""
    FILES_CHANGED = "files changed"
    """Files of the Data Bank came, went, moved, were changed or got vectors."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `chat_id` is None for changes that concern no single chat."""

    kind: ChangeKind
    chat_id: int | None = None
    message_ids: tuple[int, ...] = ()


class ChangeBus:
    """Carries changes to whoever listens. Listeners run in the publishing thread, so they must be quick."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Change], None]] = []
        self._lock = threading.Lock()

    def subscribe(self, listener: Callable[[Change], None]) -> Callable[[], None]:
        """Call `listener` at every change; returns a function that ends this."""
        with self._lock:
            self._listeners.append(listener)

        def unsubscribe() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return unsubscribe

    def publish(self, change: Change) -> None:
        """Tell every listener."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener(change)
