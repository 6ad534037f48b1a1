"""Which keys do what: the ones memdesk comes with, and the ones a person has chosen instead.

    current_keymap().learn("chat.find", "Ctrl+F")           what an action has by default
    current_keymap().matches(event, "message.edit")         for widgets that look at keys themselves
    current_keymap().choose({"chat.find": ["F3"]})          from the settings; unknown ids are kept there
Keys are written as Qt writes them on every system and in every language (`Ctrl+Shift+F`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QKeyCombination, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence

if TYPE_CHECKING:
    from memdesk.settings import Settings

WINDOW: Final = "window"
"""The scope of keys that work wherever the focus is."""

PORTABLE: Final = QKeySequence.SequenceFormat.PortableText

IN_PLACE: Final[dict[str, tuple[str, str]]] = {
    "composer.send": ("Return", "composer"),
    "composer.edit_last": ("Up", "composer"),
    "composer.previous_version": ("Left", "composer"),
    "composer.next_version": ("Right", "composer"),
    "composer.stop": ("Esc", "composer"),
    "message.edit": ("F2; Return", "message"),
    "message.delete": ("Del", "message"),
    "message.previous_version": ("Left", "message"),
    "message.next_version": ("Right", "message"),
    "memories.edit": ("F2", "memories"),
    "memories.freeze": ("F", "memories"),
    "memories.pin": ("P", "memories"),
    "memories.switch": ("O", "memories"),
    "memories.forget": ("Del", "memories"),
    "list.delete": ("Del", "list"),
}
"""Keys that a widget looks at itself, by id: what they are by default, and where they are heard."""

_MODIFIERS: Final = frozenset(
    {
        Qt.Key.Key_unknown,
        Qt.Key.Key_Shift,
        Qt.Key.Key_Control,
        Qt.Key.Key_Alt,
        Qt.Key.Key_AltGr,
        Qt.Key.Key_Meta,
        Qt.Key.Key_CapsLock,
        Qt.Key.Key_NumLock,
        Qt.Key.Key_Super_L,
        Qt.Key.Key_Super_R,
        Qt.Key.Key_Hyper_L,
        Qt.Key.Key_Hyper_R,
    }
)

_LONE: Final = frozenset(range(Qt.Key.Key_F1.value, Qt.Key.Key_F35.value + 1)) | frozenset(
    range(Qt.Key.Key_Back.value, Qt.Key.Key_MediaLast.value + 1)
)
"""Keys that may stand alone wherever the focus is: nobody writes with them."""


class Keymap(QObject):
    """The keys by action id."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._defaults: dict[str, list[str]] = {}
        self._scopes: dict[str, str] = {}
        self._chosen: dict[str, list[str]] = {}
        for act_id, (keys, scope) in IN_PLACE.items():
            self.learn(act_id, keys, scope)

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

    @property
    def chosen(self) -> dict[str, list[str]]:
        """What a person has chosen, for the settings."""
        return {act_id: list(keys) for act_id, keys in self._chosen.items()}

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
        key = pressed_key(event)
        return bool(key) and QKeySequence.fromString(key, PORTABLE) in self.sequences(act_id)

    def suits(self, act_id: str, key: str) -> bool:
        """Return whether an action may have a key: one that is heard everywhere must not be needed to write.

        A message is sent by Enter or by Ctrl+Enter, and by nothing else.
        """
        if act_id == "composer.send":
            return key in ("Return", "Ctrl+Return")
        if self._scopes.get(act_id, WINDOW) != WINDOW:
            return True
        pressed = QKeySequence.fromString(key, PORTABLE)[0]  # type: ignore[index]
        held = pressed.keyboardModifiers() & ~Qt.KeyboardModifier.ShiftModifier
        return held != Qt.KeyboardModifier.NoModifier or pressed.key().value in _LONE

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


def pressed_key(event: QKeyEvent) -> str:
    """Return the key of an event as it is written in settings, "" for a modifier alone or no known key.

    Enter on the number pad is Enter; Shift is left out where it is what makes the character (`?`).
    """
    modifiers = event.modifiers() & ~(
        Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.GroupSwitchModifier
    )
    try:
        key = Qt.Key(event.key())
    except ValueError:
        return ""
    if key in _MODIFIERS:
        return ""
    if key == Qt.Key.Key_Enter:
        key = Qt.Key.Key_Return
    text = event.text().strip()
    if text and text.isprintable() and not text.isalpha():
        modifiers &= ~Qt.KeyboardModifier.ShiftModifier
    return QKeySequence(QKeyCombination(modifiers, key)).toString(PORTABLE)


def _valid(key: str) -> bool:
    sequence = QKeySequence.fromString(key, PORTABLE)
    return sequence.count() > 0 and sequence.toString(PORTABLE) != ""


_KEYMAP: list[Keymap] = []


def current_keymap() -> Keymap:
    """Return the application's keymap, made at first use."""
    if not _KEYMAP:
        _KEYMAP.append(Keymap())
    return _KEYMAP[0]


def keys_of(settings: Settings) -> dict[str, list[str]]:
    """Return what a person has chosen: Enter has a setting of its own."""
    sends = {} if settings.enter_sends else {"composer.send": ["Ctrl+Return"]}
    return {act_id: keys for act_id, keys in settings.keys.items() if act_id != "composer.send"} | sends
