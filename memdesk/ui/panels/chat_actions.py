"""The actions of the chat that is shown: replies, turns, messages, branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

if TYPE_CHECKING:
    from memdesk.chats.model import Message
    from memdesk.ui.actions import Actions
    from memdesk.ui.panels.chat_panel import ChatPanel

translate = QCoreApplication.translate


def add_chat_actions(panel: ChatPanel, actions: Actions) -> None:
    """Name everything that can be done in a chat."""
    acts = panel.acts

    def current() -> Message | None:
        """Return the message that the keyboard is or was on, else the newest."""
        found = panel.model.find(panel.view.current_id)
        return found or (panel.model.messages[-1] if panel.model.messages else None)

    def on_current(run: Callable[[Message], object]) -> Callable[[], None]:
        def act() -> None:
            message = current()
            if message is not None:
                run(message)

        return act

    def has_message() -> bool:
        return panel.chat is not None and current() is not None

    actions.add(
        "reply.continue",
        translate("ChatActions", "Continue the last reply"),
        acts.continue_last,
        category="reply",
        keys="Alt+Return",
        icon="redo",
        when=lambda: acts.may_continue,
        menus={"turn": 10},
    )
    actions.add(
        "reply.my_turn",
        translate("ChatActions", "Let the model write my turn"),
        acts.impersonate,
        category="reply",
        keys="Alt+Shift+Return",
        icon="user",
        when=lambda: acts.may_impersonate,
        menus={"turn": 11},
    )
    actions.add(
        "reply.regenerate_from",
        translate("ChatActions", "Regenerate from the marked message"),
        on_current(lambda message: acts.regenerate_from(message.id)),
        category="reply",
        when=has_message,
    )
    actions.add(
        "message.hide",
        translate("ChatActions", "Hide the marked message from the model, or show it again"),
        on_current(lambda message: acts.hide(message, hidden=not message.hidden)),
        category="reply",
        keys="Ctrl+H",
        when=has_message,
    )
    actions.add(
        "message.hide_range",
        translate("ChatActions", "Hide a range of messages…"),
        on_current(lambda message: acts.hide_range(message.number)),
        category="reply",
        icon="eye-off",
        when=has_message,
        menus={"chat": 22},
    )
    actions.add(
        "message.delete_from",
        translate("ChatActions", "Delete from the marked message on"),
        on_current(acts.delete_from),
        category="reply",
        when=has_message,
    )
    actions.add(
        "message.delete_version",
        translate("ChatActions", "Delete the version shown of the marked message"),
        on_current(acts.delete_version),
        category="reply",
        when=lambda: has_message() and (current() or panel.model.messages[-1]).swipe_count > 1,
    )
    actions.add(
        "chat.branch",
        translate("ChatActions", "Branch from the marked message"),
        on_current(lambda message: acts.branch(message.id)),
        category="chat",
        icon="branch",
        when=has_message,
        menus={"chat": 20},
    )
    actions.add(
        "chat.checkpoint",
        translate("ChatActions", "Checkpoint at the marked message…"),
        on_current(lambda message: acts.add_checkpoint(message.id)),
        category="chat",
        icon="pin",
        when=has_message,
        menus={"chat": 21},
    )
    actions.add(
        "chat.branches",
        translate("ChatActions", "Branches and checkpoints"),
        panel.branches.open_menu,
        category="chat",
        when=lambda: panel.chat is not None,
        menus={"chat": 23},
    )
