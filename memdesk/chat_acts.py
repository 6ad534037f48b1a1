"""What a person does to messages: edit, hide, delete, choose a version, branch, name a place.

Every act is stored, announced, and returns how to take it back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memdesk.chats.changes import Change, ChangeBus, ChangeKind
from memdesk.chats.model import Chat, Message, SwipeState
from memdesk.chats.text import clean, label_line, one_line
from memdesk.store.branches import BranchStore
from memdesk.store.chats import ChatStore
from memdesk.store.checkpoints import CheckpointStore
from memdesk.store.errors import StoreError
from memdesk.store.message_edits import MessageEdits
from memdesk.store.messages import MessageStore
from memdesk.store.swipe_rows import WholeSwipe, being_written
from memdesk.store.trash import TrashEntry, TrashStore
from memdesk.work.undo import Undo

LABEL = 60
"""Characters of a message that name an act on it."""

NAME = 120
"""Longest name of a checkpoint, in characters."""

_BRANCHED = re.compile(r" #\d+(?: \(\d+\))?$")


class ChatActs:
    """The acts on messages. Every method blocks: call it on a worker.

    All raise `StoreError` with code `not_found`, and change nothing, when a message is gone.
    """

    def __init__(
        self,
        *,
        chats: ChatStore,
        messages: MessageStore,
        edits: MessageEdits,
        branches: BranchStore,
        checkpoints: CheckpointStore,
        trash: TrashStore,
        bus: ChangeBus,
        count: Callable[[str], int],
        branched: Callable[[int], None],
    ) -> None:
        """Wire the acts; `branched` is told the chat whose index must be filled from cached vectors."""
        self.chats = chats
        self.messages = messages
        self.edits = edits
        self.branches = branches
        self.checkpoints = checkpoints
        self.trash = trash
        self._bus = bus
        self._count = count
        self._branched = branched

    # ── text and versions ────────────────────────────────────────────────────────────────────────────

    def edit(self, message_id: int, text: str, swipe_id: int | None = None) -> Undo | None:
        """Change the text of a version, the one that stands unless one is named; None when nothing changed.

        Raises `StoreError` with code `being_written` while it is.
        """
        message = self.messages.get(message_id)
        swipe = message.swipe
        if swipe_id is not None and swipe_id != swipe.id:
            found = [item for item in self.messages.swipes(message_id) if item.id == swipe_id]
            if not found:
                raise StoreError("not_found", "That version of the message is not there any more.")
            swipe = found[0]
        if swipe.state is SwipeState.STREAMING:
            raise being_written()
        text = clean(text)
        if text == swipe.text:
            return None
        before = self.edits.read(swipe.id)
        self.messages.edit(swipe.id, text)
        self.messages.set_tokens([(swipe.id, self._count(text))])
        self._tell(ChangeKind.TEXT_CHANGED, message.chat_id, [message.id])
        return Undo(f"#{message.number}", lambda: self.put_back(before, message.chat_id))

    def put_back(self, swipe: WholeSwipe, chat_id: int) -> None:
        """Make a version what it was, its text now kept as a revision."""
        if self.edits.read(swipe.id).row["state"] == SwipeState.STREAMING:
            raise being_written()
        self.messages.edit(swipe.id, swipe.text, "undo")
        self.edits.put_back(swipe)
        self._tell(ChangeKind.TEXT_CHANGED, chat_id, [swipe.row["message_id"]])

    def choose(self, message_id: int, position: int) -> Undo | None:
        """Let another version of a message stand (counted from 0); None when it does already.

        Acts on the same message in a row are taken back as one.
        """
        before = self.messages.get(message_id)
        if position == before.swipe_number - 1:
            return None
        self.messages.choose_swipe(message_id, position)
        self._tell(ChangeKind.TEXT_CHANGED, before.chat_id, [message_id])
        return self.chosen_before(before)

    def chosen_before(self, message: Message) -> Undo:
        """Return how to let the version of `message` stand again."""

        def undo() -> None:
            self.edits.choose(message.id, message.swipe.id)
            self._tell(ChangeKind.TEXT_CHANGED, message.chat_id, [message.id])

        return Undo(f"#{message.number}", undo, ("version", message.id))

    def delete_version(self, message_id: int, swipe_id: int) -> Undo:
        """Put one of several versions of a message into the trash.

        Raises `StoreError` with code `last_version` for the only one, `being_written` while it is.
        """
        message = self.messages.get(message_id)
        place = [item.id for item in self.messages.swipes(message_id)]
        number = place.index(swipe_id) + 1 if swipe_id in place else 0
        text = self.edits.read(swipe_id).text
        label = f"#{message.number} {message.name} ({number}/{len(place)}): {label_line(text, LABEL)}"
        trash_id = self.trash.put("version", [swipe_id], label, message.chat_id)
        self._tell(ChangeKind.TEXT_CHANGED, message.chat_id, [message_id])
        return Undo(label, lambda: self.restore(trash_id))

    # ── coming and going ─────────────────────────────────────────────────────────────────────────────

    def delete(self, message_ids: Sequence[int]) -> Undo:
        """Put messages of one chat into the trash."""
        first = self.messages.get(message_ids[0])
        standing = self.messages.ids(first.chat_id)
        gone = set(message_ids) - set(standing)
        if gone:
            raise StoreError("not_found", f"Message {min(gone)} is not there any more.")
        label = f"#{first.number} {first.name}: {label_line(first.text, LABEL)}"
        if len(message_ids) > 1:
            label += f" (+{len(message_ids) - 1})"
        trash_id = self.trash.put("messages", message_ids, label, first.chat_id)
        self._tell(ChangeKind.MESSAGES_REMOVED, first.chat_id, message_ids)
        return Undo(label, lambda: self.restore(trash_id))

    def delete_from(self, message_id: int, *, after: bool = False) -> Undo | None:
        """Put a message and all after it into the trash (`after`: only those); None when there are none."""
        _chat, ids = self.edits.from_here(message_id, after=after)
        return self.delete(ids) if ids else None

    def restore(self, trash_id: int) -> TrashEntry:
        """Bring messages or a version back from the trash."""
        entry, ids = self.trash.restore(trash_id)
        kind = ChangeKind.MESSAGES_RESTORED if entry.kind == "messages" else ChangeKind.TEXT_CHANGED
        if entry.chat_id is not None:
            self._tell(kind, entry.chat_id, ids)
        return entry

    # ── hidden from the model ────────────────────────────────────────────────────────────────────────

    def hide(self, message_ids: Sequence[int], *, hidden: bool) -> Undo | None:
        """Hide messages of one chat from the model, or show them again; None when nothing changed.

        They stay in the chat, and so do their memories.
        """
        if not message_ids:
            return None
        chat_id, changed = self.edits.set_hidden(message_ids, hidden=hidden)
        if not changed:
            return None
        self._tell(ChangeKind.HIDDEN_CHANGED, chat_id, changed)
        first = self.messages.get(changed[0])
        label = f"#{first.number}" + (f" (+{len(changed) - 1})" if len(changed) > 1 else "")

        def undo() -> None:
            standing = [message.id for message in self.messages.get_many(changed)]
            self.edits.set_hidden(standing, hidden=not hidden)
            self._tell(ChangeKind.HIDDEN_CHANGED, chat_id, standing)

        return Undo(label, undo)

    def hide_range(self, chat_id: int, first: int, last: int, *, hidden: bool) -> Undo | None:
        """Hide the messages from number `first` to `last` (counted from 1), or show them again.

        Raises `StoreError` with code `no_such_message` for numbers that the chat does not have.
        """
        ids = self.messages.ids(chat_id)
        if not 1 <= first <= last <= len(ids):
            raise StoreError(
                "no_such_message", f"There are no messages {first} to {last}: this chat has {len(ids)}."
            )
        return self.hide(ids[first - 1 : last], hidden=hidden)

    # ── branches and checkpoints ─────────────────────────────────────────────────────────────────────

    def branch(self, message_id: int, title: str = "") -> tuple[Chat, Undo]:
        """Make a chat that shares everything up to a message, memories included; nothing is embedded.

        Raises `StoreError` with code `being_written` while one of the messages is.
        """
        message = self.messages.get(message_id)
        title = clean(title).strip() or self._branch_title(message)
        chat_id = self.branches.copy(message_id, title)
        self._bus.publish(Change(ChangeKind.CHAT_ADDED, chat_id))
        self._branched(chat_id)

        def undo() -> None:
            self.trash.put("chat", [chat_id], title, chat_id)
            self._bus.publish(Change(ChangeKind.CHAT_REMOVED, chat_id))

        return self.chats.get(chat_id), Undo(title, undo)

    def _branch_title(self, message: Message) -> str:
        stem = _BRANCHED.sub("", self.chats.get(message.chat_id).title)
        taken = {chat.title for chat in self.chats.all()}
        title, number = f"{stem} #{message.number}", 1
        while title in taken:
            number += 1
            title = f"{stem} #{message.number} ({number})"
        return title

    def add_checkpoint(self, message_id: int, name: str) -> Undo:
        """Give a message a name; raises `StoreError` with code `blank_name`."""
        name = _name(name)
        message = self.messages.get(message_id)
        checkpoint_id = self.checkpoints.add(message_id, name)
        self._tell(ChangeKind.MARKS_CHANGED, message.chat_id, [message_id])

        def undo() -> None:
            self.checkpoints.remove(checkpoint_id)
            self._tell(ChangeKind.MARKS_CHANGED, message.chat_id, [message_id])

        return Undo(name, undo)

    def rename_checkpoint(self, checkpoint_id: int, name: str) -> Undo | None:
        """Give a checkpoint another name; None when it has it. Raises `StoreError` (`blank_name`)."""
        name = _name(name)
        chat_id, message_id, before = self.checkpoints.get(checkpoint_id)
        if name == before:
            return None

        def store(text: str) -> None:
            self.checkpoints.rename(checkpoint_id, text)
            self._tell(ChangeKind.MARKS_CHANGED, chat_id, [message_id])

        store(name)
        return Undo(before, lambda: store(before))

    def delete_checkpoint(self, checkpoint_id: int) -> Undo:
        """Take a checkpoint away; its message stays."""
        chat_id, message_id, name = self.checkpoints.get(checkpoint_id)
        self.checkpoints.remove(checkpoint_id)
        self._tell(ChangeKind.MARKS_CHANGED, chat_id, [message_id])

        def undo() -> None:
            self.checkpoints.add(message_id, name, checkpoint_id)
            self._tell(ChangeKind.MARKS_CHANGED, chat_id, [message_id])

        return Undo(name, undo)

    def _tell(self, kind: ChangeKind, chat_id: int, message_ids: Sequence[int]) -> None:
        self._bus.publish(Change(kind, chat_id, tuple(message_ids)))


def _name(text: str) -> str:
    name = one_line(clean(text), NAME)
    if not name:
        raise StoreError("blank_name", "A checkpoint needs a name.")
    return name
