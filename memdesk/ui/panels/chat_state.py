"""What the model has of every message of a chat, for the memory strip; and what a reply was made of."""

from __future__ import annotations

from memdesk.chats.model import Chat
from memdesk.prompt.receipt import Receipt, from_json
from memdesk.ui.panels.faces import Faces, read_faces
from memdesk.ui.widgets.memory_strip import State
from memdesk.ui.widgets.message_head import SourceCount
from memdesk.workspace import Workspace

PILLS = ("memory", "summary", "lore", "databank")
"""Sources that stand as pills under a reply, in this order."""


def strip_states(workspace: Workspace, chat_id: int, receipt: Receipt | None) -> bytes:
    """Return one `State` per message of a chat, oldest first."""
    ids = workspace.messages.ids(chat_id)
    remembered = workspace.chunks.remembered(chat_id, workspace.sync.space_of(chat_id))
    told = {
        message_id
        for entry in workspace.summary_store.all(chat_id)
        if entry.active
        for message_id in entry.message_ids
    }
    sent: set[int] = set()
    recalled: set[int] = set()
    if receipt is not None:
        for part in receipt.parts:
            if part.included and part.kind == "history":
                sent.update(part.source["messages"])
            elif part.included and part.kind == "memory":
                recalled.update(part.source["messages"])
    states = bytearray(len(ids))
    for place, message_id in enumerate(ids):
        if message_id in recalled:
            states[place] = State.RECALLED
        elif message_id in sent:
            states[place] = State.IN_CONTEXT
        elif message_id in told:
            states[place] = State.SUMMARIZED
        elif remembered.get(message_id):
            states[place] = State.VECTORIZED
    return bytes(states)


def source_counts(workspace: Workspace, message_ids: list[int]) -> dict[int, list[SourceCount]]:
    """Return what each reply was made of, by message id; replies without a receipt have an empty list."""
    found: dict[int, list[SourceCount]] = {}
    for message in workspace.messages.get_many(message_ids):
        body = workspace.receipts.get(message.swipe.id)
        receipt = from_json(body) if body else None
        counts = [(kind, receipt.sent(kind)) for kind in PILLS] if receipt else []  # type: ignore[arg-type]
        found[message.id] = [SourceCount(kind, count) for kind, count in counts if count]
    return found


def cast_of(workspace: Workspace, chat: Chat) -> tuple[Faces, str]:
    """Return the faces of everybody who speaks in a chat or has spoken there, and the person's name."""
    persona = workspace.conversation.persona(chat)
    return read_faces(workspace, chat), persona.name if persona else ""
