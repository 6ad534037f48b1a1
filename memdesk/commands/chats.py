"""What the command does with chats: branch, hide messages, name places."""

from __future__ import annotations

import argparse
from typing import Any

from memdesk.chats.text import one_line
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace


def branch(workspace: Workspace, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Make a chat that shares everything up to a message, memories included."""
    chat = workspace.chats.find(options.chat)
    ids = workspace.messages.ids(chat.id)
    number = len(ids) if options.at is None else options.at
    message_id = _message(ids, number)
    # What is not made yet could not come along.
    workspace.sync.chunk_stale(CancelToken(), chat.id)
    made, _undo = workspace.acts.branch(message_id, options.title)
    row = {"chat": made.id, "title": made.title, "branch_of": chat.id, "at": number}
    return row, [f"chat {made.id} “{made.title}” shares messages 1 to {number} of “{chat.title}”"]


def hide(workspace: Workspace, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """Hide messages from the model, or show them again."""
    chat = workspace.chats.find(options.chat)
    first, last = options.range
    workspace.acts.hide_range(chat.id, first, last, hidden=not options.show)
    row = {"chat": chat.id, "first": first, "last": last, "hidden": not options.show}
    words = "sent again" if options.show else "hidden from the model"
    return row, [f"{chat.title}: messages {first} to {last} are {words}"]


def checkpoints(workspace: Workspace, options: argparse.Namespace) -> tuple[Any, list[str]]:
    """List the checkpoints of a chat, add one, or take one away."""
    chat = workspace.chats.find(options.chat)
    marks = workspace.acts.checkpoints
    if options.add is not None:
        ids = workspace.messages.ids(chat.id)
        workspace.acts.add_checkpoint(_message(ids, options.at or len(ids)), options.add)
    elif options.remove is not None:
        found = [mark for mark in marks.all(chat.id) if str(mark.id) == options.remove]
        found = found or [mark for mark in marks.all(chat.id) if mark.name == options.remove.strip()]
        if len(found) != 1:
            code = "ambiguous" if found else "not_found"
            raise StoreError(code, f"{len(found)} checkpoints are called “{options.remove}”.")
        workspace.acts.delete_checkpoint(found[0].id)
    rows = [
        {
            "id": mark.id,
            "name": mark.name,
            "message": mark.message_id,
            "number": mark.number,
            "created": mark.created_at.isoformat(),
        }
        for mark in marks.all(chat.id)
    ]
    lines = [f"{row['id']:>5}  #{row['number']}  {one_line(str(row['name']))}" for row in rows]
    return rows, lines or ["No checkpoints yet."]


def _message(ids: list[int], number: int) -> int:
    if not 1 <= number <= len(ids):
        raise StoreError("no_such_message", f"There is no message {number}: this chat has {len(ids)}.")
    return ids[number - 1]
