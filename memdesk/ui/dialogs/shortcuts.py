"""Every key of memdesk: found by a word, changed by pressing another one.

A key that is pressed for an action takes the place of those it had. One that another action has is not taken
from it without asking. What is chosen counts at once and is stored in the settings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from memdesk.ui.actions import CATEGORIES, Actions, category_title
from memdesk.ui.dialogs.pieces import (
    Notice,
    column,
    fit,
    line,
    plain_label,
    push_button,
    reveal,
    row,
    scrolled,
    tool_button,
)
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.icons import icon
from memdesk.ui.keymap import IN_PLACE, PORTABLE, current_keymap, pressed_key

if TYPE_CHECKING:
    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace

translate = QCoreApplication.translate

SCOPES = ("composer", "message", "memories", "list")


def _scope_title(scope: str) -> str:
    return {
        "composer": translate("Shortcuts", "While you write"),
        "message": translate("Shortcuts", "On a message"),
        "memories": translate("Shortcuts", "On a memory"),
        "list": translate("Shortcuts", "In the lists of chats and characters"),
    }[scope]


def in_place_title(act_id: str) -> str:
    """Return what a key does that a widget looks at itself."""
    return {
        "composer.send": translate("Shortcuts", "Send the message"),
        "composer.edit_last": translate("Shortcuts", "Edit the last message, while nothing is written"),
        "composer.previous_version": translate(
            "Shortcuts", "Previous version of the reply, while nothing is written"
        ),
        "composer.next_version": translate(
            "Shortcuts", "Next version of the reply or a new one, while nothing is written"
        ),
        "composer.stop": translate("Shortcuts", "Stop the reply"),
        "message.edit": translate("Shortcuts", "Edit"),
        "message.delete": translate("Shortcuts", "Delete"),
        "message.previous_version": translate("Shortcuts", "Previous version"),
        "message.next_version": translate("Shortcuts", "Next version or a new one"),
        "memories.edit": translate("Shortcuts", "Edit"),
        "memories.freeze": translate("Shortcuts", "Freeze or unfreeze"),
        "memories.pin": translate("Shortcuts", "Pin or unpin"),
        "memories.switch": translate("Shortcuts", "Turn on or off"),
        "memories.forget": translate("Shortcuts", "Forget"),
        "list.delete": translate("Shortcuts", "Delete"),
    }.get(act_id, act_id)


class KeyButton(QPushButton):
    """Shows the keys of an action; pressed, it waits for another one. Del takes the keys away."""

    recorded = Signal(str)
    """The key that was pressed, as settings write it; "" for none at all"""

    def __init__(self, act_id: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._act_id = act_id
        self._title = title
        self._recording = False
        self.setMinimumWidth(150)
        self.setAutoDefault(False)
        self.setToolTip(translate("Shortcuts", "Press to choose another key; Del takes it away."))
        self.clicked.connect(self.record)
        self.show_keys()

    def show_keys(self) -> None:
        """Show the keys the action has now."""
        shown = current_keymap().shown(self._act_id)
        self.setText((shown or translate("Shortcuts", "none")).replace("&", "&&"))
        self.setAccessibleName(f"{self._title}: {shown or translate('Shortcuts', 'none')}")

    def record(self) -> None:
        """Wait for a key; Esc ends the waiting."""
        self._recording = True
        self.setText(translate("Shortcuts", "Press a key…"))
        self.setFocus()

    def _stop(self) -> None:
        self._recording = False
        self.show_keys()

    def event(self, event: QEvent) -> bool:
        """Take every key while one is waited for, Tab and shortcuts of the window, too."""
        if self._recording and isinstance(event, QKeyEvent):
            if event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self._take(event)
                return True
        return super().event(event)

    def _take(self, event: QKeyEvent) -> None:
        key = pressed_key(event)
        if key in ("Esc", "Tab", "Shift+Tab", "Shift+Backtab"):
            self._stop()
        elif key:
            self._stop()
            self.recorded.emit(key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.recorded.emit("")
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if self._recording:
            self._stop()
        super().focusOutEvent(event)


class _Row(QWidget):
    """An action, its keys, and the way back to the ones it came with."""

    chosen = Signal(str, str)
    """id, key"""
    resetRequested = Signal(str)
    takenOver = Signal(str, str)
    """id, key that is to be taken from whoever has it"""

    def __init__(self, act_id: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.act_id = act_id
        self.title = title
        self._key = ""
        self.button = KeyButton(act_id, title, self)
        self.button.recorded.connect(lambda key: self.chosen.emit(act_id, key))
        self._reset = tool_button("undo", translate("Shortcuts", "Reset: {title}").format(title=title), self)
        self._reset.setToolTip(translate("Shortcuts", "Give back the key it came with"))
        self._reset.clicked.connect(lambda: self.resetRequested.emit(act_id))
        policy = self._reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._reset.setSizePolicy(policy)
        self._notice = Notice("wait")
        self._take = push_button(translate("Shortcuts", "Use it here"), "", self)
        self._take.clicked.connect(lambda: self.takenOver.emit(act_id, self._key))
        self._take.setAutoDefault(False)
        self._take.hide()
        head = row(plain_label(title, wrap=True), self.button, self._reset)
        head.setStretch(0, 1)
        foot = row(self._notice, self._take)
        foot.setStretch(0, 1)
        layout = column(parent=self, spacing=4)
        layout.addLayout(head)
        layout.addLayout(foot)
        self.refresh()

    def refresh(self) -> None:
        """Show what holds now, and no question any more."""
        keymap = current_keymap()
        self.button.show_keys()
        self._reset.setVisible(keymap.keys(self.act_id) != keymap.default(self.act_id))
        self._notice.say("")
        self._take.hide()

    def refuse(self, why: str) -> None:
        """Say why a key was not taken."""
        self._notice.say(why, "bad")
        self._take.hide()
        reveal(self)

    def ask(self, key: str, others: str) -> None:
        """Ask whether a key is to be taken from others."""
        self._key = key
        shown = QKeySequence.fromString(key, PORTABLE).toString(QKeySequence.SequenceFormat.NativeText)
        words = translate("Shortcuts", "{key} is taken: {others}.").format(key=shown, others=others)
        self._notice.say(words, "wait")
        self._take.show()
        reveal(self)

    def fits(self, needle: str) -> bool:
        """Return whether the row has a word or a key that is searched for."""
        return needle in f"{self.title} {current_keymap().shown(self.act_id)}".casefold()


class ShortcutsDialog(QDialog):
    """All actions by category, their keys, and the keys that only count in one place."""

    settingsChanged = Signal()

    def __init__(
        self,
        workspace: Workspace,
        background: Background,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._rows: dict[str, _Row] = {}
        self._sections: list[tuple[QLabel, list[_Row]]] = []
        self.setWindowTitle(self.tr("Keys"))
        self._search = QLineEdit(self)
        self._search.setPlaceholderText(self.tr("Search by name or key"))
        self._search.setAccessibleName(self.tr("Search keys"))
        self._search.setClearButtonEnabled(True)
        self._search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self._search.textChanged.connect(self._filter)
        self._nothing = plain_label(self.tr("Nothing is called that."), "soft", self)
        self._nothing.hide()
        page = QWidget(self)
        layout = column(parent=page, spacing=6)
        layout.setContentsMargins(20, 12, 20, 20)
        layout.addWidget(self._nothing)
        for category in CATEGORIES:
            acts = [act for act in actions.all() if act.category == category]
            self._add(layout, category_title(category), {act.id: act.title for act in acts})
        for scope in SCOPES:
            ids = [act_id for act_id, (_keys, place) in IN_PLACE.items() if place == scope]
            self._add(layout, _scope_title(scope), {act_id: in_place_title(act_id) for act_id in ids})
        layout.addStretch(1)
        self._build(page)
        fit(self, 640, 720)
        self._search.setFocus()

    def _add(self, layout: QVBoxLayout, title: str, acts: dict[str, str]) -> None:
        if not acts:
            return
        heading = plain_label(title, "strong", self, wrap=False)
        heading.setContentsMargins(0, 12, 0, 0)
        layout.addWidget(heading)
        rows = []
        for act_id, words in acts.items():
            made = _Row(act_id, words, self)
            made.chosen.connect(self._choose)
            made.resetRequested.connect(self._reset)
            made.takenOver.connect(self._take_over)
            layout.addWidget(made)
            rows.append(made)
            self._rows[act_id] = made
        self._sections.append((heading, rows))

    def _build(self, page: QWidget) -> None:
        self._problem = Notice("bad")
        everything = push_button(self.tr("Reset all"), "", self)
        everything.clicked.connect(self._reset_all)
        everything.setAutoDefault(False)
        close = push_button(self.tr("Close"), "primary", self)
        close.setAutoDefault(False)
        close.clicked.connect(self.accept)
        top = row(self._search)
        top.setContentsMargins(20, 16, 20, 4)
        buttons = row(everything, self._problem)
        buttons.setStretch(1, 1)
        buttons.addStretch(0)
        buttons.addWidget(close)
        buttons.setContentsMargins(16, 12, 16, 12)
        outer = column(parent=self, spacing=0)
        outer.addLayout(top)
        outer.addWidget(scrolled(page, self.tr("Keys")), 1)
        outer.addWidget(line())
        outer.addLayout(buttons)

    def _filter(self, text: str) -> None:
        needle = " ".join(text.casefold().split())
        any_shown = False
        for heading, rows in self._sections:
            shown = [made for made in rows if needle in heading.text().casefold() or made.fits(needle)]
            for made in rows:
                made.setVisible(made in shown)
            heading.setVisible(bool(shown))
            any_shown = any_shown or bool(shown)
        self._nothing.setVisible(not any_shown)

    # ── choosing ─────────────────────────────────────────────────────────────────────────────────────

    def _choose(self, act_id: str, key: str) -> None:
        made, keymap = self._rows[act_id], current_keymap()
        made.refresh()
        if not key:
            if act_id == "composer.send":
                made.refuse(self.tr("A message is sent by Enter or by Ctrl+Enter."))
            else:
                self._put({act_id: []})
            return
        if not keymap.suits(act_id, key):
            made.refuse(
                self.tr("A message is sent by Enter or by Ctrl+Enter.")
                if act_id == "composer.send"
                else self.tr("You could not write with this key any more. Hold Ctrl or Alt with it.")
            )
        elif others := keymap.clashes(act_id, key):
            made.ask(key, self.tr(", ").join(self._name(other) for other in others))
        else:
            self._put({act_id: [key]})

    def _name(self, act_id: str) -> str:
        made = self._rows.get(act_id)
        return f"“{made.title}”" if made is not None else act_id

    def _take_over(self, act_id: str, key: str) -> None:
        keymap = current_keymap()
        wanted = QKeySequence.fromString(key, PORTABLE)
        changes = {
            other: [had for had in keymap.keys(other) if QKeySequence.fromString(had, PORTABLE) != wanted]
            for other in keymap.clashes(act_id, key)
        }
        self._put(changes | {act_id: [key]})

    def _reset(self, act_id: str) -> None:
        keymap, made = current_keymap(), self._rows[act_id]
        clashing = [other for key in keymap.default(act_id) for other in keymap.clashes(act_id, key)]
        if clashing:
            made.refresh()
            made.ask(keymap.default(act_id)[0], self.tr(", ").join(self._name(item) for item in clashing))
        else:
            self._put({act_id: keymap.default(act_id)})
            made.button.setFocus()

    def _reset_all(self) -> None:
        self._store({})

    def _put(self, changes: dict[str, list[str]]) -> None:
        keymap = current_keymap()
        self._store(
            {
                act_id: keys
                for act_id, keys in (keymap.chosen | changes).items()
                if act_id not in self._rows or keys != keymap.default(act_id)
            }
        )

    def _store(self, chosen: dict[str, list[str]]) -> None:
        current_keymap().choose(chosen)
        for made in self._rows.values():
            made.refresh()
        workspace = self._workspace
        sends = chosen.get("composer.send", ["Return"]) == ["Return"]
        keys = {act_id: kept for act_id, kept in chosen.items() if act_id != "composer.send"}

        def write() -> None:
            changes = {"keys": keys, "enter_sends": sends}
            workspace.change_settings(workspace.settings.model_copy(update=changes))

        def refused(error: Exception) -> None:
            self._problem.say(failure_words(error), "bad")

        def settled(_: None) -> None:
            self._problem.say("")
            self.settingsChanged.emit()

        self._background.write(write, settled, failed=refused, owner=self)
