"""What a turn reads from and writes to."""

from __future__ import annotations

from dataclasses import dataclass

from memdesk.store.chats import ChatStore
from memdesk.store.chunk_edits import ChunkEdits
from memdesk.store.messages import MessageStore
from memdesk.store.people import CharacterStore, PersonaStore
from memdesk.store.receipts import ReceiptStore
from memdesk.store.token_scale import TokenScale
from memdesk.store.variables import VariableStore


@dataclass(frozen=True, slots=True)
class Stores:
    """The shelves a turn reads from and writes to."""

    chats: ChatStore
    messages: MessageStore
    characters: CharacterStore
    personas: PersonaStore
    receipts: ReceiptStore
    memories: ChunkEdits
    scale: TokenScale
    variables: VariableStore
