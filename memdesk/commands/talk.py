"""What the command does in chats: sending, letting somebody reply, and beginning a group."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from typing import Any

from memdesk.chats.groups import GroupSettings
from memdesk.chats.model import Chat, Message
from memdesk.chats.text import clean
from memdesk.conversation import Event, NobodyReplies, ReplyEnded, ReplyGrew, ReplyStarted
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

Row = dict[str, Any]


class _Printer:
    """Prints replies as they come, in a group each below its speaker's name, and notes how they ended."""

    def __init__(self, *, group: bool, quiet: bool) -> None:
        self._group = group
        self._quiet = quiet
        self._printed = False
        self.replies: list[Message] = []
        self.nobody: NobodyReplies | None = None

    def listen(self, event: Event) -> None:
        """Take an event of the turn."""
        if isinstance(event, ReplyEnded) and event.message is not None:
            self.replies.append(event.message)
        elif isinstance(event, NobodyReplies):
            self.nobody = event
        elif self._quiet:
            return
        elif isinstance(event, ReplyStarted) and self._group:
            self.end()
            print(f"{chr(10) if self.replies else ''}{event.message.name}:")
        elif isinstance(event, ReplyGrew) and not event.reasoning:
            print(event.text, end="", flush=True)
            self._printed = True

    def end(self) -> None:
        """End the line of the last words."""
        if self._printed:
            print()
        self._printed = False


def send(
    workspace: Workspace, options: argparse.Namespace, cancel: CancelToken, say: Callable[[str], None]
) -> int:
    """Send a message and print what is replied as it comes; without a message, let somebody reply.

    With the command `continue`, the last reply grows instead. Returns the exit code: 0 only where the
    whole reply is there.
    """
    chat = workspace.chats.find(options.chat)
    printer = _Printer(group=chat.kind == "group", quiet=options.json)
    message = _turn(workspace, options, chat, printer, cancel)
    workspace.sync.chunk_stale(CancelToken(), chat.id)
    printer.end()
    nobody = printer.nobody
    if nobody is not None:
        words = "In this group you choose who replies: name a member with --as."
        say(str(nobody.reason) if nobody.reason else words)
    if options.json and (message is not None or chat.kind == "group"):
        print(json.dumps(_sent_row(workspace, chat, message, printer.replies), ensure_ascii=False, indent=2))
    if message is not None and message.swipe.error:
        say(message.swipe.error)
        return 1
    if cancel.cancelled:
        say("stopped before the end: what came of the reply is kept" if message is not None else "stopped")
        return 1
    # Where a person chooses who replies, all was done that was asked for.
    chosen_later = nobody is not None and nobody.reason is None
    return 0 if message is not None or chosen_later else 1


def _turn(
    workspace: Workspace, options: argparse.Namespace, chat: Chat, printer: _Printer, cancel: CancelToken
) -> Message | None:
    conversation, listen = workspace.conversation, printer.listen
    if options.command == "continue":
        last = workspace.messages.before(chat.id, None, 1)
        if not last:
            raise StoreError("nothing_to_continue", "There is nothing to continue: the chat is empty.")
        return conversation.continue_reply(last[0].id, listen, cancel)
    speaker = None if options.speaker is None else _member(chat, options.speaker)
    if options.text is None:
        return conversation.reply(chat.id, listen, cancel, speaker)
    return conversation.send(chat.id, options.text, listen, cancel, speaker)


def _sent_row(workspace: Workspace, chat: Chat, message: Message | None, replies: list[Message]) -> Row:
    row: Row = {"chat": chat.id, "message": None}
    if message is not None:
        row = _reply_row(workspace, message)
    if chat.kind == "group":
        row["replies"] = [_reply_row(workspace, reply) for reply in replies]
    return row


def _reply_row(workspace: Workspace, message: Message) -> Row:
    return {
        "chat": message.chat_id,
        "message": message.id,
        "name": message.name,
        "text": message.text,
        "state": str(message.swipe.state),
        "error": message.swipe.error,
        "receipt": workspace.receipts.get(message.swipe.id),
    }


def _member(chat: Chat, name: str) -> int:
    """Return the member with this name, or with this id; raises `StoreError` (`no_member`, `ambiguous`)."""
    wanted = clean(name).strip()
    found = [item.id for item in chat.members if item.name.strip().casefold() == wanted.casefold()]
    found = found or [item.id for item in chat.members if str(item.id) == wanted]
    if len(found) > 1:
        ids = ", ".join(str(item) for item in found)
        raise StoreError(
            "ambiguous", f"Several members are called “{wanted}” (ids {ids}): name one by its id."
        )
    if not found:
        names = ", ".join(item.name for item in chat.members) or "nobody"
        raise StoreError("no_member", f"“{wanted}” is not in this chat. In it: {names}.")
    return found[0]


def group(workspace: Workspace, options: argparse.Namespace) -> tuple[Row, list[str]]:
    """Begin a group chat; returns it as JSON values, and as lines to read."""
    ids = [workspace.characters.find(name).id for name in options.characters]
    settings = GroupSettings(order=options.order, replies="merged" if options.merged else "individual")
    chat = workspace.groups.new_group(
        ids, options.title or "", greetings=options.greetings, settings=settings
    )
    workspace.sync.chunk_stale(CancelToken(), chat.id)
    names = list(chat.character_names)
    row: Row = {"chat": chat.id, "title": chat.title, "characters": names, "messages": chat.messages}
    return row, [f"{', '.join(names)}: chat {chat.id} “{chat.title}”"]
