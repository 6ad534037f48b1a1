"""What a person does to all memories of a chat at once: rebuild and clear."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memdesk.chats.changes import Change, ChangeKind
from memdesk.memory.recall.acts import RecallActs
from memdesk.memory.recall.chunker import Ledger
from memdesk.memory.recall.sync import RecallSync
from memdesk.store.chats import ChatStore
from memdesk.store.chunk_rows import WholeChunk
from memdesk.store.chunk_upkeep import ChunkUpkeep
from memdesk.store.chunks import ChunkStore
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo

Progress = Callable[[int, int], None]
"""Told (done, total) in messages."""


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild came to, in memories.

    `made` were made anew, `removed` went, `unchanged` say word for word what their messages say; `kept` are
    frozen, edited, pinned or switched off and stay as they are; `again` were imported and are embedded with
    the present embedder.
    """

    made: int
    removed: int
    unchanged: int
    kept: int
    again: int


class RecallUpkeep:
    """Rebuilds and clears the memories of chats. Every method blocks: call it on a worker."""

    def __init__(
        self,
        *,
        chats: ChatStore,
        chunks: ChunkStore,
        upkeep: ChunkUpkeep,
        sync: RecallSync,
        acts: RecallActs,
        notify: Callable[[Change], None],
        changed: Callable[[int], None],
    ) -> None:
        """Wire it; `changed` is told the chat whose vectors and index must follow."""
        self._chats = chats
        self._chunks = chunks
        self._upkeep = upkeep
        self._sync = sync
        self._acts = acts
        self._notify = notify
        self._changed = changed

    def rebuild(
        self,
        chat_id: int,
        cancel: CancelToken | None = None,
        progress: Progress = lambda _done, _total: None,
    ) -> tuple[Rebuilt, Undo]:
        """Make a chat's memories anew from its messages as they are now.

        What a person keeps stays, and so do notes and imported memories; imported ones get new vectors. What
        was forgotten is remembered again. A memory that says word for word what it should is left alone, with
        its history. Raises `StoreError` when the chat is gone, and `Cancelled`; then everything is as before.
        """
        chat = self._chats.get(chat_id)
        taken: list[WholeChunk] = []
        ledger = Ledger(take=lambda ids: taken.extend(self._upkeep.whole(ids)))
        forgotten, again = self._upkeep.begin_rebuild(chat_id, self._sync.space_of(chat_id))

        def take_back() -> None:
            self._upkeep.take_back(chat_id, ledger.added, taken, forgotten)
            self._tell(chat_id)

        try:
            self._sync.chunker.compare(
                chat_id, cancel or CancelToken(), afresh=True, ledger=ledger, progress=progress
            )
        except BaseException:
            take_back()
            raise
        self._tell(chat_id)
        rebuilt = Rebuilt(
            made=len(ledger.added),
            removed=len(ledger.removed),
            unchanged=ledger.stayed,
            kept=self._chunks.kept(chat_id),
            again=again,
        )
        return rebuilt, Undo(chat.title, take_back)

    def clear(self, chat_id: int, cancel: CancelToken | None = None) -> Undo | None:
        """Put all memories of a chat into the trash, imported ones too; its messages stay.

        They are not made again from the same messages until the chat is rebuilt; what is said from now on is
        remembered. None when there is nothing to clear. Raises `StoreError`, `Cancelled`.
        """
        # What waits to be remembered would come back a moment later.
        self._sync.chunk_stale(cancel or CancelToken(), chat_id)
        return self._acts.forget_all(chat_id, sorted(self._chunks.keys(chat_id)))

    def _tell(self, chat_id: int) -> None:
        self._changed(chat_id)
        self._notify(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
