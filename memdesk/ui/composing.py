"""An input method composes: until it is done, every key belongs to it, and no shortcut takes one away."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

_ITS_KEYS = frozenset(
    {
        Qt.Key.Key_Return,
        Qt.Key.Key_Enter,
        Qt.Key.Key_Escape,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
    }
)
"""What would send, close or leave. An input method takes these itself; some let them through as well."""


class Composing(QObject):
    """Watches the widget that has the keyboard; only that one, so that nothing else gets slower."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watched: QWidget | None = None
        self._composing = False
        app = QApplication.instance()
        assert isinstance(app, QApplication)  # noqa: S101 — there is no window without one
        app.focusChanged.connect(self._watch)
        self._watch(None, QApplication.focusWidget())

    def _watch(self, _old: QWidget | None, now: QWidget | None) -> None:
        if self._watched is not None and shiboken6.isValid(self._watched):
            self._watched.removeEventFilter(self)
        self._watched, self._composing = now, False
        if now is not None:
            now.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Keep keys from shortcuts and from the widget while something is being composed."""
        kind = event.type()
        if isinstance(event, QInputMethodEvent):
            self._composing = bool(event.preeditString())
        elif self._composing and isinstance(event, QKeyEvent):
            if kind == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            return kind == QEvent.Type.KeyPress and event.key() in _ITS_KEYS
        return False
