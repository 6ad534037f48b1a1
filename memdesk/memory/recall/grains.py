"""What memories the visible past implies: the one rule that every edit, swipe, hiding and return obeys.

implied(messages, settings, count)      every memory that a chat's messages make, in order

Whatever happened before, after a sync a chat has exactly these memories, but for what a person keeps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from memdesk.chats.model import Message
from memdesk.memory.recall.chunking import (
    HARD_TOKENS,
    HASH_BYTES,
    chunks_of,
    remembered_text,
    source_hash,
)
from memdesk.memory.recall.settings import RecallSettings
from memdesk.memory.split import split_message
from memdesk.memory.words import index_text
from memdesk.store.chunks import NewChunk, Source
from memdesk.store.vectors import text_hash

EXCHANGE = 5
"""Messages in an exchange (Marinara Engine's number)."""

Forgotten = Collection[tuple[int, bytes, int]]
"""What a person forgot: (message id, source hash, piece)."""


@dataclass(frozen=True, slots=True)
class Group:
    """Messages that become memories together; `hashes` are their source hashes, in order."""

    messages: tuple[Message, ...]
    hashes: tuple[bytes, ...]
    settings: RecallSettings

    def chunks(self, count: Callable[[str], int]) -> list[NewChunk]:
        """Make the memories of the group."""
        if self.settings.grain == "messages":
            (message,) = self.messages
            return chunks_of(message, self.settings.chunk_chars, count, self.settings.boundary)
        return _exchange(self.messages, self.hashes, count)


class Grouping:
    """Takes the messages of a chat in order, a page at a time, and says which become memories together."""

    def __init__(self, settings: RecallSettings) -> None:
        self._settings = settings
        self._open: list[tuple[Message, bool]] = []

    @property
    def open(self) -> list[Message]:
        """Messages that wait for their group to be complete."""
        return [message for message, _ in self._open]

    def feed(self, messages: Iterable[Message], forgotten: Forgotten = ()) -> Iterator[Group]:
        """Take further messages; yields the groups that are complete.

        What a person forgot when memories were cut in another way is left out. In an exchange its place
        stays, so that the exchanges around remain what they are.
        """
        settings = self._settings
        said: dict[int, list[bytes]] = {}
        for message_id, source, _piece in forgotten:
            said.setdefault(message_id, []).append(source)
        for message in messages:
            if not remembers(message, settings):
                continue
            if settings.grain == "messages":
                source = source_hash(message, settings.chunk_chars, settings.boundary)
                if not any(_same_text(item, source) and item != source for item in said.get(message.id, ())):
                    yield Group((message,), (source,), settings)
                continue
            whole = source_hash(message, 0)
            self._open.append((message, any(_same_text(item, whole) for item in said.get(message.id, ()))))
            if len(self._open) == EXCHANGE:
                group = _grouped(self._open, settings)
                self._open.clear()
                if group.messages:
                    yield group


def remembers(message: Message, settings: RecallSettings) -> bool:
    """Return whether a message becomes part of the memory."""
    return bool(remembered_text(message)) and (settings.remember_hidden or not message.hidden)


def implied(
    messages: Iterable[Message],
    settings: RecallSettings,
    count: Callable[[str], int],
    forgotten: Forgotten = (),
) -> list[NewChunk]:
    """Return every memory that the messages of a chat make, in order: what a chat that is in step holds.

    messages: those that still stand, in order, each with the version that was chosen.
    forgotten: (message id, source hash, piece) of what a person forgot; it is not made again.
    """
    groups = Grouping(settings).feed(messages, forgotten)
    return [chunk for group in groups for chunk in wanted(group.chunks(count), forgotten)]


def wanted(made: Sequence[NewChunk], forgotten: Forgotten) -> list[NewChunk]:
    """Leave out what a person forgot, as long as its messages are as they were then."""
    if not forgotten:
        return list(made)
    return [
        chunk
        for chunk in made
        if not all((item.message_id, item.source_hash, item.piece) in forgotten for item in chunk.sources)
    ]


def place_in_exchange(source: bytes) -> int | None:
    """Return which message of its exchange (from 0) a source hash stands for, None in another grain."""
    cut = source[HASH_BYTES:]
    return cut[-1] if cut.startswith(b"x") else None


def _same_text(one: bytes, other: bytes) -> bool:
    return one[:HASH_BYTES] == other[:HASH_BYTES]


def _grouped(opened: Sequence[tuple[Message, bool]], settings: RecallSettings) -> Group:
    """Make a group of what is not left out; each hash tells the whole group, and the place in it."""
    kept = [(place, message) for place, (message, left_out) in enumerate(opened) if not left_out]
    said = [source_hash(message, 0)[:HASH_BYTES] for _, message in kept]
    whole = ";".join(f"{message.id}:{what.hex()}" for (_, message), what in zip(kept, said, strict=True))
    mark = b"x" + text_hash(whole)[:8]
    hashes = tuple(what + mark + bytes([place]) for (place, _), what in zip(kept, said, strict=True))
    return Group(tuple(message for _, message in kept), hashes, settings)


def _exchange(
    messages: Sequence[Message], hashes: Sequence[bytes], count: Callable[[str], int]
) -> list[NewChunk]:
    """Join messages line by line into as few memories as the embedder's window allows."""
    pieces: list[list[tuple[int, str]]] = [[]]
    size = 0
    for place, message in enumerate(messages):
        text = remembered_text(message)
        for part in split_message(text, 0, hard_tokens=HARD_TOKENS, count=count):
            tokens = count(f"{message.name}: {part}") + 1
            if pieces[-1] and size + tokens > HARD_TOKENS:
                pieces.append([])
                size = 0
            pieces[-1].append((place, part))
            size += tokens
    made = []
    for number, lines in enumerate(pieces):
        places = list(dict.fromkeys(place for place, _ in lines))
        text = "\n".join(f"{messages[place].name}: {part}" for place, part in lines)
        times = [messages[place].created_at for place in places]
        made.append(
            NewChunk(
                text=text,
                sources=tuple(Source(messages[place].id, hashes[place], number) for place in places),
                speakers=tuple(dict.fromkeys(messages[place].name for place in places)),
                tokens=count(text),
                first_time=min(times),
                last_time=max(times),
                words=index_text("\n".join(part for _, part in lines)),
            )
        )
    return made
