"""The actions of the window itself: chats, dialogs, panels. What belongs to a panel is named there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from memdesk.ui.actions import Actions
    from memdesk.ui.main_window import MainWindow

translate = QCoreApplication.translate


def add_window_actions(window: MainWindow, actions: Actions) -> None:
    """Name everything that the main window can do."""
    _add_chats(window, actions)
    _add_memory(window, actions)
    _add_view(window, actions)
    _add_app(window, actions)


def _add_chats(window: MainWindow, actions: Actions) -> None:
    chat, openers = window.chat, window.openers

    def has_chat() -> bool:
        return chat.chat is not None

    def has_character() -> bool:
        return chat.chat is not None and bool(chat.chat.character_ids)

    def with_chat(run: Callable[[int], None]) -> Callable[[], None]:
        def act() -> None:
            if chat.chat_id is not None:
                run(chat.chat_id)

        return act

    def with_character(run: Callable[[int], None]) -> Callable[[], None]:
        def act() -> None:
            if chat.chat is not None and chat.chat.character_ids:
                run(chat.chat.character_ids[0])

        return act

    actions.add(
        "chat.rename",
        translate("MainWindow", "Rename…"),
        with_chat(openers.rename_chat),
        category="chat",
        when=has_chat,
        menus={"chat": 10},
    )
    actions.add(
        "chat.settings",
        translate("MainWindow", "Chat settings…"),
        with_chat(openers.open_chat_settings),
        category="chat",
        keys="Ctrl+Shift+,",
        when=has_chat,
        menus={"chat": 15},
    )
    actions.add(
        "chat.pictures",
        translate("MainWindow", "Show pictures from this computer in this chat, or hide them"),
        window.message_pictures.toggle,
        category="chat",
        icon="eye",
        when=has_chat,
        menus={"chat": 24},
    )
    actions.add(
        "chat.edit_character",
        translate("MainWindow", "Edit character…"),
        with_character(openers.edit_character),
        category="people",
        when=has_character,
        menus={"chat": 11},
    )
    actions.add(
        "chat.new_with_character",
        translate("MainWindow", "New chat with this character"),
        with_character(window.new_chat),
        category="chat",
        keys="Ctrl+N",
        when=has_character,
        menus={"chat": 12},
    )
    actions.add(
        "reply.regenerate",
        translate("MainWindow", "Regenerate the last reply"),
        chat.regenerate_last,
        category="reply",
        keys="Ctrl+R",
        when=has_chat,
        menus={"chat": 13},
    )
    actions.add(
        "chat.delete",
        translate("MainWindow", "Delete chat"),
        with_chat(window.delete_chat),
        category="chat",
        when=has_chat,
        menus={"chat": 90},
    )
    actions.add(
        "character.new",
        translate("MainWindow", "New character…"),
        openers.new_character,
        category="people",
        keys="Ctrl+Shift+N",
        menus={"main": 10},
    )
    actions.add(
        "character.import",
        translate("MainWindow", "Import files…"),
        openers.choose_files,
        category="people",
        keys="Ctrl+I",
        menus={"main": 11},
    )


def _add_memory(window: MainWindow, actions: Actions) -> None:
    def has_chat() -> bool:
        return window.chat.chat is not None

    for name, words, run in (
        ("summary.write", translate("MainWindow", "Write a summary…"), window.summaries.deeds.write),
        (
            "summary.generate",
            translate("MainWindow", "Generate a summary…"),
            window.summaries.deeds.open_generate,
        ),
    ):
        actions.add(
            name,
            words,
            functools.partial(window.ask_summaries, run),
            category="memory",
            when=has_chat,
        )
    actions.add(
        "memory.rebuild",
        translate("MainWindow", "Make the memories of this chat anew"),
        window.rebuild_memories,
        category="memory",
        keys="F5",
        when=has_chat,
    )
    actions.add(
        "memory.settings",
        translate("MainWindow", "Recall settings…"),
        lambda: window.memories.upkeep.open_settings(window.chat.chat_id),
        category="memory",
        icon="settings",
        when=has_chat,
        menus={"chat": 29},
    )
    actions.add(
        "memory.import",
        translate("MainWindow", "Import memories…"),
        window.carrier.import_memories,
        category="memory",
        icon="import",
        when=has_chat,
        menus={"chat": 30},
    )
    actions.add(
        "memory.export",
        translate("MainWindow", "Export memories…"),
        window.carrier.export_memories,
        category="memory",
        icon="export",
        when=has_chat,
        menus={"chat": 31},
    )


def _add_view(window: MainWindow, actions: Actions) -> None:
    actions.add(
        "app.palette",
        translate("MainWindow", "Find a command…"),
        window.commands.open,
        category="app",
        keys="Ctrl+K",
        icon="search",
        menus={"main": 5},
    )
    actions.add(
        "view.search",
        translate("MainWindow", "Search chats and characters"),
        window.find_chats,
        category="view",
        keys="Ctrl+E",
    )
    actions.add(
        "chat.find",
        translate("MainWindow", "Find in this chat"),
        window.finding.begin,
        category="chat",
        keys="Ctrl+F",
        icon="search",
        when=lambda: window.chat.chat is not None,
        menus={"chat": 14},
    )
    actions.add(
        "chat.find_everywhere",
        translate("MainWindow", "Search the messages of all chats"),
        window.find_everywhere,
        category="chat",
        keys="Ctrl+Shift+F",
        icon="search",
        menus={"main": 12},
    )
    for number, key in enumerate(window.side.keys(), 1):
        actions.add(
            f"view.panel.{key}",
            translate("MainWindow", "Panel: %1").replace("%1", window.side.title(key)),
            functools.partial(window.show_side, key),
            category="view",
            keys=f"Ctrl+{number}" if number < 10 else "",
        )
    actions.add(
        "view.left",
        translate("MainWindow", "Show or hide chats"),
        lambda: window.folding.toggle(window.library),
        category="view",
        keys="Ctrl+B",
    )
    actions.add(
        "view.right",
        translate("MainWindow", "Show or hide panels"),
        lambda: window.folding.toggle(window.side),
        category="view",
        keys="Ctrl+Shift+B",
    )


def _add_app(window: MainWindow, actions: Actions) -> None:
    openers = window.openers
    actions.add(
        "app.connections",
        translate("MainWindow", "Connections…"),
        openers.open_connections,
        category="app",
        keys="Ctrl+L",
        menus={"main": 20},
    )
    actions.add(
        "app.presets",
        translate("MainWindow", "Presets…"),
        openers.open_presets,
        category="app",
        keys="Ctrl+P",
        menus={"main": 22},
    )
    actions.add(
        "app.macros",
        translate("MainWindow", "Macros…"),
        lambda: openers.open_macros(window.chat.chat_id),
        category="app",
        menus={"main": 34},
    )
    actions.add(
        "app.find_model",
        translate("MainWindow", "Find a model on this computer…"),
        openers.open_wizard,
        category="app",
        menus={"main": 21},
    )
    actions.add(
        "app.undo",
        translate("MainWindow", "Undo"),
        window.undo,
        category="app",
        keys="Ctrl+Z",
        menus={"main": 30},
    )
    actions.add(
        "app.trash",
        translate("MainWindow", "Trash…"),
        openers.open_trash,
        category="app",
        menus={"main": 31},
    )
    actions.add(
        "app.preferences",
        translate("MainWindow", "Preferences…"),
        openers.open_preferences,
        category="app",
        keys="Ctrl+,",
        menus={"main": 32},
    )
    actions.add(
        "app.shortcuts",
        translate("MainWindow", "Keys…"),
        functools.partial(openers.open_shortcuts, actions),
        category="app",
        keys="F1; Ctrl+/",
        menus={"main": 33},
    )
    actions.add(
        "app.about",
        translate("MainWindow", "About memdesk"),
        openers.about,
        category="app",
        menus={"main": 80},
    )
    actions.add(
        "app.quit",
        translate("MainWindow", "Quit"),
        window.close_window,
        category="app",
        keys="Ctrl+Q",
        menus={"main": 90},
    )
