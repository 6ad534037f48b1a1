"""Which keys do what: the ones memdesk comes with, and the ones a person has chosen instead.

    current_keymap().learn("chat.find", "Ctrl+F")           what an action has by default
    current_keymap().matches(event, "message.edit")         for widgets that look at keys themselves
    current_keymap().choose({"chat.find": ["F3"]})          from the settings; unknown ids are kept there
Keys are written as Qt writes them on every system and in every language (`Ctrl+Shift+F`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

WINDOW: Final = "window"
"""The scope of keys that work wherever the focus is."""

PORTABLE: Final = QKeySequence.SequenceFormat.PortableText


class Keymap(QObject):
    """The keys by action id."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._defaults: dict[str, list[str]] = {}
        self._scopes: dict[str, str] = {}
        self._chosen: dict[str, list[str]] = {}

    def learn(self, act_id: str, keys: str, scope: str = WINDOW) -> None:
        """Take the default keys of an action, "; " between several; `scope` is where they are heard."""
        self._defaults[act_id] = [key for key in keys.split("; ") if key]
        self._scopes[act_id] = scope

    def choose(self, chosen: Mapping[str, Sequence[str]]) -> None:
        """Take what a person has chosen: id → keys, an empty list for none."""
        wanted = {act_id: [key for key in keys if _valid(key)] for act_id, keys in chosen.items()}
        if wanted != self._chosen:
            self._chosen = wanted
            self.changed.emit()

    def default(self, act_id: str) -> list[str]:
        """Return the keys an action comes with."""
        return list(self._defaults.get(act_id, []))

    def keys(self, act_id: str) -> list[str]:
        """Return the keys an action has now."""
        return list(self._chosen.get(act_id, self.default(act_id)))

    def sequences(self, act_id: str) -> list[QKeySequence]:
        """Return the keys an action has now, as Qt takes them."""
        return [QKeySequence.fromString(key, PORTABLE) for key in self.keys(act_id)]

    def shown(self, act_id: str) -> str:
        """Return the keys of an action in the words of the system, "" for none."""
        return ", ".join(
            sequence.toString(QKeySequence.SequenceFormat.NativeText) for sequence in self.sequences(act_id)
        )

    def matches(self, event: QKeyEvent, act_id: str) -> bool:
        """Return whether a key event is one of an action's keys."""
        modifiers = event.modifiers() & ~(
            Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.GroupSwitchModifier
        )
        try:
            pressed = QKeySequence(QKeyCombination(modifiers, Qt.Key(event.key())))
        except ValueError:
            # A key that Qt has no name for.
            return False
        return pressed in self.sequences(act_id)

    def clashes(self, act_id: str, key: str) -> list[str]:
        """Return the ids of other actions that hear the same key in the same place."""
        wanted = QKeySequence.fromString(key, PORTABLE)
        scope = self._scopes.get(act_id, WINDOW)
        return [
            other
            for other in self._defaults
            if other != act_id
            and (self._scopes[other] == scope or WINDOW in (scope, self._scopes[other]))
            and wanted in self.sequences(other)
        ]


def _valid(key: str) -> bool:
    sequence = QKeySequence.fromString(key, PORTABLE)
    return sequence.count() > 0 and sequence.toString(PORTABLE) != ""


_KEYMAP: list[Keymap] = []


def current_keymap() -> Keymap:
    """Return the application's keymap, made at first use."""
    if not _KEYMAP:
        _KEYMAP.append(Keymap())
    return _KEYMAP[0]
