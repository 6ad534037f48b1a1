"""Keeping the chunks of a chat what its messages imply (`grains.implied`), with little work."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import Message
from memdesk.memory.recall.chunking import same_source, source_hash
from memdesk.memory.recall.grains import Group, Grouping, place_in_exchange, wanted
from memdesk.memory.recall.settings import RecallSettings, recall_settings
from memdesk.store.chats import ChatStore
from memdesk.store.chunk_upkeep import ChunkUpkeep
from memdesk.store.chunks import ChunkStore, NewChunk, SourceChunk, StaleMessage
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.work.cancel import CancelToken

PAGE = 200
"""Messages that are chunked in one transaction."""

LOOK_BACK = 60
"""Messages before a change among which the beginning of an exchange is looked for."""

LONG = 1_000
"""From this many messages on it is told how far the making of memories has come."""


@dataclass(frozen=True, slots=True)
class Making:
    """How far the making of a chat's memories has come, in messages."""

    done: int
    total: int


@dataclass(slots=True)
class Ledger:
    """What a comparison changed: ids of chunks that were removed and added, and how many stayed."""

    removed: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    stayed: int = 0
    take: Callable[[Sequence[int]], None] = lambda _ids: None
    """Told the ids of chunks before they are removed."""


@dataclass(slots=True)
class _Difference:
    remove: dict[int, None] = field(default_factory=dict)
    add: list[NewChunk] = field(default_factory=list)
    stay: int = 0


class Chunker:
    """Compares chunks with messages. May be called from several threads; one page is done at a time."""

    def __init__(
        self,
        chats: ChatStore,
        messages: MessageStore,
        chunks: ChunkStore,
        upkeep: ChunkUpkeep,
        count: Callable[[str], int],
        notify: Callable[[Change], None],
        changed: Callable[..., None],
    ) -> None:
        """Wire it; `changed` is told (chat id, added chunks, removed=) after every page that changed."""
        self._chats = chats
        self._messages = messages
        self._chunks = chunks
        self._upkeep = upkeep
        self._count = count
        self._notify = notify
        self._changed = changed
        self._lock = threading.RLock()
        self._turns: dict[int, int] = {}
        self._making: dict[int, Making] = {}

    def making(self, chat_id: int) -> Making | None:
        """Return how far the making of a chat's memories has come, None when nothing is being made."""
        return self._making.get(chat_id)

    def begin_anew(self, chat_id: int) -> None:
        """Let a comparison that runs end early: what it goes by has changed, and another one will follow."""
        self._turns[chat_id] = self._turns.get(chat_id, 0) + 1

    # ── whole chats ──────────────────────────────────────────────────────────────────────────────────

    def compare(
        self,
        chat_id: int,
        cancel: CancelToken,
        *,
        afresh: bool = False,
        ledger: Ledger | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> bool:
        """Bring all chunks of a chat in step with its messages; returns whether anything changed.

        With `afresh`, chunks are made again and compared word for word, not only by what they were made
        from. Raises `Cancelled`; what was done until then is right, and the rest follows at the next time.
        """
        settings = self._settings(chat_id)
        if settings is None:
            return False
        ledger = ledger if ledger is not None else Ledger()
        self._regroup(chat_id, settings, 1, cancel, afresh=afresh, ledger=ledger, progress=progress)
        with self._lock:
            self._apply(chat_id, _Difference(dict.fromkeys(self._upkeep.orphans(chat_id))), ledger)
        return bool(ledger.removed or ledger.added)

    def catch_up(self, cancel: CancelToken, chat_id: int | None = None) -> set[int]:
        """Bring the chunks of changed messages in step; returns the chats whose memories changed."""
        changed: set[int] = set()
        while stale := self._chunks.stale(PAGE, chat_id):
            cancel.raise_if_cancelled()
            for chat, group in groupby(stale, key=lambda item: item.chat_id):
                settings = self._settings(chat)
                listed = list(group)
                ledger = Ledger()
                if settings is None:
                    # The chat is in the trash or gone; its memories rest or go with it.
                    pass
                elif settings.grain == "messages":
                    self._chunk_messages(chat, listed, settings, ledger)
                else:
                    # One change moves every exchange after it, so all changes of the chat are one.
                    listed = self._chunks.stale(-1, chat)
                    if not self._regroup_from(chat, listed, settings, cancel, ledger):
                        continue
                self._chunks.settle(listed)
                if ledger.removed or ledger.added:
                    changed.add(chat)
        return changed

    def _settings(self, chat_id: int) -> RecallSettings | None:
        try:
            return recall_settings(self._chats.get(chat_id).settings)
        except StoreError:
            return None

    def _chunk_messages(
        self, chat_id: int, stale: Sequence[StaleMessage], settings: RecallSettings, ledger: Ledger
    ) -> None:
        ids = [item.message_id for item in stale]
        with self._lock:
            present = self._messages.get_many(ids)
            forgotten = self._chunks.forgotten(ids)
            groups = Grouping(settings).feed(present, forgotten)
            known = self._chunks.sources(chat_id, ids)
            difference = _difference(present, list(groups), known, forgotten, self._count)
            alive = {message.id for message in present}
            _drop_gone(difference, known, alive)
            self._apply(chat_id, difference, ledger)

    # ── exchanges ────────────────────────────────────────────────────────────────────────────────────

    def _regroup_from(
        self,
        chat_id: int,
        stale: Sequence[StaleMessage],
        settings: RecallSettings,
        cancel: CancelToken,
        ledger: Ledger,
    ) -> bool:
        """Make the exchanges anew from the first changed message on; returns whether it came to its end."""
        ids = [item.message_id for item in stale]
        first = self._first_to_regroup(chat_id, ids)
        if not self._regroup(chat_id, settings, first, cancel, ledger=ledger):
            return False
        with self._lock:
            alive = {message.id for message in self._messages.get_many(ids)}
            difference = _Difference()
            _drop_gone(difference, self._chunks.sources(chat_id, ids), alive)
            self._apply(chat_id, difference, ledger)
        return True

    def _first_to_regroup(self, chat_id: int, changed: Sequence[int]) -> int:
        """Return the number of a message that begins an exchange, at or before everything that changed."""
        ids = self._messages.ids(chat_id)
        places = {message_id: place for place, message_id in enumerate(ids)}
        gone = [message_id for message_id in changed if message_id not in places]
        earliest = min((places[item] for item in changed if item in places), default=len(ids))
        if gone:
            # Where a message was that is not there any more, its exchange tells.
            known = self._chunks.sources(chat_id, gone)
            chunks = self._chunks.get_many(
                sorted({chunk.chunk_id for found in known.values() for chunk in found}), 0
            )
            around = [
                places[item] for chunk in chunks.values() for item in chunk.source_messages if item in places
            ]
            if len(known) < len(gone) or not around:
                return 1
            earliest = min(earliest, *around)
        near = ids[max(0, earliest - LOOK_BACK) : earliest + 1]
        begins = [
            places[message_id]
            for message_id, found in self._chunks.sources(chat_id, near).items()
            if any(not chunk.alone and place_in_exchange(chunk.source_hash) == 0 for chunk in found)
        ]
        return max(begins, default=0) + 1

    def _regroup(
        self,
        chat_id: int,
        settings: RecallSettings,
        first: int,
        cancel: CancelToken,
        *,
        afresh: bool = False,
        ledger: Ledger,
        progress: Callable[[int, int], None] | None = None,
    ) -> bool:
        """Compare the messages from number `first` on; returns whether it came to its end."""
        turn, total = self._turns.get(chat_id, 0), self._messages.count(chat_id)
        tell = total - first >= LONG
        grouping, waiting = Grouping(settings), list[Message]()
        try:
            for page in self._pages(chat_id, first):
                cancel.raise_if_cancelled()
                if turn != self._turns.get(chat_id, 0):
                    return False
                with self._lock:
                    forgotten = self._chunks.forgotten([message.id for message in page])
                    groups = list(grouping.feed(page, forgotten))
                    waiting, judged = grouping.open, _without([*waiting, *page], grouping.open)
                    self._judge(chat_id, judged, groups, forgotten, ledger, afresh=afresh)
                first += len(page)
                done = min(first - 1, total)
                if progress is not None:
                    progress(done, total)
                if tell:
                    self._making[chat_id] = Making(done, total)
                    self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
            with self._lock:
                self._judge(chat_id, waiting, [], set(), ledger)
        finally:
            self._making.pop(chat_id, None)
        return True

    def _pages(self, chat_id: int, first: int) -> Iterator[list[Message]]:
        while page := self._messages.page(chat_id, first, PAGE):
            yield page
            first += len(page)

    # ── one page ─────────────────────────────────────────────────────────────────────────────────────

    def _judge(
        self,
        chat_id: int,
        messages: Sequence[Message],
        groups: Sequence[Group],
        forgotten: set[tuple[int, bytes, int]],
        ledger: Ledger,
        *,
        afresh: bool = False,
    ) -> None:
        known = self._chunks.sources(chat_id, [message.id for message in messages])
        difference = _difference(messages, groups, known, forgotten, self._count)
        if afresh:
            self._look_closer(known, groups, forgotten, difference)
        self._apply(chat_id, difference, ledger)

    def _look_closer(
        self,
        known: dict[int, list[SourceChunk]],
        groups: Sequence[Group],
        forgotten: set[tuple[int, bytes, int]],
        difference: _Difference,
    ) -> None:
        """Replace chunks that are not word for word what would be made now."""
        contents = self._upkeep.contents(
            sorted({chunk.chunk_id for found in known.values() for chunk in found})
        )
        for group in groups:
            time.sleep(0)
            current = [
                chunk
                for message, source in zip(group.messages, group.hashes, strict=True)
                for chunk in known.get(message.id, ())
                if chunk.source_hash == source and chunk.chunk_id not in difference.remove
            ]
            own = {chunk.piece: chunk.chunk_id for chunk in current if not chunk.alone}
            if not own:
                continue
            made = {chunk.sources[0].piece: chunk for chunk in wanted(group.chunks(self._count), forgotten)}
            for piece, chunk_id in own.items():
                new = made.get(piece)
                if new is None or contents.get(chunk_id) != _sorted(new):
                    difference.remove[chunk_id] = None
                    difference.stay -= 1
                    if new is not None:
                        difference.add.append(new)
            held = {chunk.piece for chunk in current}
            difference.add.extend(chunk for piece, chunk in made.items() if piece not in held)

    def _apply(self, chat_id: int, difference: _Difference, ledger: Ledger) -> None:
        remove, add = list(difference.remove), difference.add
        ledger.stayed += difference.stay
        if not remove and not add:
            return
        if remove:
            ledger.take(remove)
        ledger.added += self._chunks.replace(chat_id, remove, add)
        ledger.removed += remove
        self._changed(chat_id, add, removed=bool(remove))


def _difference(
    messages: Sequence[Message],
    groups: Sequence[Group],
    known: dict[int, list[SourceChunk]],
    forgotten: set[tuple[int, bytes, int]],
    count: Callable[[str], int],
) -> _Difference:
    """Compare the chunks that messages have with those that they imply."""
    found = _Difference()
    sources = {
        message.id: source
        for group in groups
        for message, source in zip(group.messages, group.hashes, strict=True)
    }
    for message in messages:
        said: bytes | None = None
        for chunk in known.get(message.id, ()):
            source = sources.get(message.id)
            in_step = chunk.source_hash == source
            if chunk.kept or (in_step and (message.id, source, chunk.piece) not in forgotten):
                continue
            if chunk.alone:
                # Switched off by a person: stays while what was said stays, however it is cut now.
                said = said or source_hash(message, 0)
                if same_source(chunk.source_hash, said):
                    continue
            found.remove[chunk.chunk_id] = None
    for group in groups:
        current = [
            chunk
            for message, source in zip(group.messages, group.hashes, strict=True)
            for chunk in known.get(message.id, ())
            if chunk.source_hash == source and chunk.chunk_id not in found.remove
        ]
        # Chunks come and go together, but for those that a person keeps: they may stand alone.
        together = {chunk.chunk_id for chunk in current if not chunk.alone}
        found.stay += len(together)
        if not together:
            # Splitting is pure Python and holds its lock: the window gets a turn before every group.
            time.sleep(0)
            pieces = {chunk.piece for chunk in current}
            made = wanted(group.chunks(count), forgotten)
            found.add.extend(chunk for chunk in made if chunk.sources[0].piece not in pieces)
    return found


def _drop_gone(difference: _Difference, known: dict[int, list[SourceChunk]], alive: set[int]) -> None:
    """Note the chunks of messages that are gone as to be removed."""
    for message_id, chunks in known.items():
        if message_id not in alive:
            difference.remove.update((chunk.chunk_id, None) for chunk in chunks if not chunk.kept)


def _sorted(chunk: NewChunk) -> NewChunk:
    """Return a chunk with its sources in the order in which they are read."""
    return replace(chunk, sources=tuple(sorted(chunk.sources, key=lambda item: item.message_id)))


def _without(messages: Iterable[Message], others: Iterable[Message]) -> list[Message]:
    left = {message.id for message in others}
    return [message for message in messages if message.id not in left]
