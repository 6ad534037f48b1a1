"""Everything a person can do in the window, to be found in a menu, by a key, and by its name.

A panel adds an action wherever the window's `Actions` is at hand:
    actions.add("chat.continue", self.tr("Continue the reply"), self.continue_last, category="chat",
                keys="Ctrl+Shift+Return", when=lambda: self.chat_id is not None, menus={"chat": 22})
The id is for ever: people's own keys are stored under it. In `menus`, tens are groups, ones their order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from memdesk.ui.icons import icon as icon_of
from memdesk.ui.keymap import current_keymap

translate = QCoreApplication.translate

CATEGORIES: Final = ("chat", "reply", "memory", "people", "view", "app")
"""What actions are about, in the order of the shortcut window."""


def category_title(category: str) -> str:
    """Return the heading of a category."""
    return {
        "chat": translate("Actions", "Chats"),
        "reply": translate("Actions", "Messages and replies"),
        "memory": translate("Actions", "Memory"),
        "people": translate("Actions", "Characters and personas"),
        "view": translate("Actions", "Window"),
        "app": translate("Actions", "memdesk"),
    }.get(category, category)


@dataclass(slots=True)
class Act:
    """An action and what the window knows of it."""

    id: str
    category: str
    action: QAction
    run: Callable[[], object]
    when: Callable[[], bool] | None = None
    menus: Mapping[str, int] = field(default_factory=dict)
    """Menu name (`main`, `chat`) → its place there."""

    @property
    def title(self) -> str:
        """What the action is called, without the dots that announce a dialog."""
        return self.action.text().rstrip("…")

    @property
    def possible(self) -> bool:
        """Whether it can be done now."""
        return self.action.isEnabled() if self.when is None else self.when()


class Actions(QObject):
    """The actions of a window; their keys follow the keymap."""

    added = Signal(str)
    """id"""
    ran = Signal(str)
    """id of an action that a person has just used, by whatever way"""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._windows = [window]
        self._acts: dict[str, Act] = {}
        current_keymap().changed.connect(self._take_keys)

    def add(
        self,
        act_id: str,
        text: str,
        run: Callable[[], object],
        *,
        category: str,
        keys: str = "",
        icon: str = "",
        when: Callable[[], bool] | None = None,
        menus: Mapping[str, int] | None = None,
    ) -> QAction:
        """Add an action; returns its QAction, for its text, its icon and, without `when`, its enabled state.

        `keys` are the shortcuts it has until a person chooses others, "; " between several. `when` says
        whether it can be done now; it is asked before a menu opens and before the action runs.
        Raises ValueError for an id that is taken or an unknown category.
        """
        if act_id in self._acts:
            raise ValueError(f"the action {act_id} is taken")
        if category not in CATEGORIES:
            raise ValueError(f"there is no category {category}")
        action = QAction(text, self)
        action.setObjectName(act_id)
        # A key that is held down does a thing once.
        action.setAutoRepeat(False)
        action.setShortcutVisibleInContextMenu(True)
        if icon:
            action.setIcon(icon_of(icon))
        action.triggered.connect(lambda _checked=False: self._run(act_id))
        self._acts[act_id] = Act(act_id, category, action, run, when, dict(menus or {}))
        keymap = current_keymap()
        keymap.learn(act_id, keys)
        action.setShortcuts(keymap.sequences(act_id))
        for window in self._windows:
            window.addAction(action)
        self.added.emit(act_id)
        return action

    def act(self, act_id: str) -> Act:
        """Return an action; raises KeyError."""
        return self._acts[act_id]

    def all(self) -> list[Act]:
        """Return every action, by category, in the order they were added."""
        return sorted(self._acts.values(), key=lambda act: CATEGORIES.index(act.category))

    def run(self, act_id: str) -> None:
        """Do something as if its key had been pressed; what cannot be done now is not done."""
        self._run(act_id)

    def _run(self, act_id: str) -> None:
        act = self._acts[act_id]
        if act.possible:
            self.ran.emit(act_id)
            act.run()

    # ── menus ────────────────────────────────────────────────────────────────────────────────────────

    def menu(self, name: str, parent: QWidget) -> QMenu:
        """Return a menu of the actions that belong into it; it is gone when it is closed."""
        menu = QMenu(parent)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._fill(menu, name)
        menu.aboutToHide.connect(self._wake)
        return menu

    def follow(self, menu: QMenu, name: str) -> None:
        """Keep a menu that stays filled with what belongs there at every opening."""
        self._fill(menu, name)
        self._wake()
        menu.aboutToShow.connect(lambda: self._fill(menu, name))
        menu.aboutToHide.connect(self._wake)

    def _fill(self, menu: QMenu, name: str) -> None:
        menu.clear()
        last = None
        placed = [act for act in self._acts.values() if name in act.menus]
        for act in sorted(placed, key=lambda act: act.menus[name]):
            group = act.menus[name] // 10
            if last not in (None, group):
                menu.addSeparator()
            last = group
            if act.when is not None:
                act.action.setEnabled(act.when())
            menu.addAction(act.action)

    def _wake(self) -> None:
        # An action that is off has no key either; whether it can be done is asked again when it runs.
        for act in self._acts.values():
            if act.when is not None:
                act.action.setEnabled(True)

    # ── keys ─────────────────────────────────────────────────────────────────────────────────────────

    def share(self, window: QWidget) -> None:
        """Let the keys work in a further window, as long as it lives."""
        window.addActions([act.action for act in self._acts.values()])
        self._windows.append(window)
        window.destroyed.connect(lambda: self._windows.remove(window))

    def _take_keys(self) -> None:
        keymap = current_keymap()
        for act in self._acts.values():
            act.action.setShortcuts(keymap.sequences(act.id))
