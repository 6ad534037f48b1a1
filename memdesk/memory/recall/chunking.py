"""From messages to chunks: which text of a message is remembered, and in which pieces."""

from __future__ import annotations

from collections.abc import Callable

from memdesk.chats.model import Message, SwipeState
from memdesk.memory.split import split_message
from memdesk.memory.words import index_text
from memdesk.store.chunks import NewChunk, Source
from memdesk.store.vectors import text_hash

HARD_TOKENS = 350
"""No piece is longer: the bundled embedder reads 512 tokens, and long texts blur into one meaning."""

HASH_BYTES = 16
"""How much of a source hash tells what was said."""


def remembered_text(message: Message) -> str:
    """Return the text of a message that is remembered, "" for none."""
    if message.swipe.state is SwipeState.STREAMING or message.role == "system":
        return ""
    return message.text.strip()


def source_hash(message: Message, chunk_chars: int, boundary: str = "") -> bytes:
    """Return a hash that changes when the message's chunks must be made anew.

    What was said comes first (16 bytes), then how it was cut: a chunk that a person keeps can tell whether
    its message changed, whatever the chat's settings are now.
    """
    cut = f"{chunk_chars}|{boundary}" if boundary else str(chunk_chars)
    return text_hash(f"{message.name}\0{remembered_text(message)}") + cut.encode("utf-8", "surrogatepass")


def same_source(one: bytes, other: bytes) -> bool:
    """Return whether two source hashes stand for the same speaker and text, however they were cut."""
    return one[:HASH_BYTES] == other[:HASH_BYTES]


def chunks_of(
    message: Message, chunk_chars: int, count: Callable[[str], int], boundary: str = ""
) -> list[NewChunk]:
    """Split a message into chunks, each line carrying its speaker: a memory must make sense alone."""
    text = remembered_text(message)
    if not text:
        return []
    source = source_hash(message, chunk_chars, boundary)
    chunks = []
    pieces = split_message(text, chunk_chars, boundary, hard_tokens=HARD_TOKENS, count=count)
    for number, piece in enumerate(pieces):
        line = f"{message.name}: {piece}"
        chunks.append(
            NewChunk(
                text=line,
                sources=(Source(message.id, source, number),),
                speakers=(message.name,),
                tokens=count(line),
                first_time=message.created_at,
                last_time=message.created_at,
                # The speaker has a boost of its own; as a word it would match half of the chat.
                words=index_text(piece),
            )
        )
    return chunks
