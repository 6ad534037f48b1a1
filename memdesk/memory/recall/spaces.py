"""Which embedding space a chat is recalled by, and which one is being made to take its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from memdesk.embedding.base import Embedder
from memdesk.embedding.remote import GoneEmbedder, RemoteEmbedder
from memdesk.memory.embedders import OWN_CONNECTION, Embedders
from memdesk.memory.recall.settings import recall_settings
from memdesk.store.chats import ChatStore
from memdesk.store.chunks import Chunk, ChunkStore
from memdesk.store.errors import StoreError
from memdesk.store.spaces import SpaceStore
from memdesk.store.vectors import VectorStore

KEEP_LEFT = timedelta(days=14)
"""How long vectors stay that no chat uses any more: until then, changing back costs nothing."""

WINDOW = 64
"""Chunks that are looked at together, to embed those of like length at once."""

BATCH = 8
"""Chunks that are embedded before newer work, or the end, gets its turn; half a second on one core."""


@dataclass(slots=True)
class Work:
    """Chunks that wait for a vector of one embedder, oldest first; the newest are taken first."""

    embedder: Embedder
    space_id: int
    ids: list[int]
    window: list[Chunk] = field(default_factory=list)
    touched: set[int] = field(default_factory=set)
    """Chats of the window."""

    def take(self, chunks: ChunkStore) -> list[Chunk]:
        """Return the next few chunks that really wait, of like length; none when all is done."""
        while not self.window and self.ids:
            ids, self.ids = self.ids[-WINDOW:], self.ids[:-WINDOW]
            found = chunks.get_many(ids, self.space_id).values()
            self.window = sorted(
                (chunk for chunk in found if not chunk.has_vector), key=lambda c: -len(c.text)
            )
            self.touched.update(chunk.chat_id for chunk in self.window)
        size = self.embedder.limits.texts if isinstance(self.embedder, RemoteEmbedder) else BATCH
        batch, self.window = self.window[:size], self.window[size:]
        return batch


@dataclass(frozen=True, slots=True)
class SpaceChange:
    """A change of embedders that is under way: of so many memories, `done` have their new vector."""

    name: str
    model: str
    done: int
    total: int


class ChatSpaces:
    """Knows for every chat the embedder that is wanted and the one whose vectors serve until then."""

    def __init__(
        self,
        *,
        embedders: Embedders,
        store: SpaceStore,
        vectors: VectorStore,
        chats: ChatStore,
        chunks: ChunkStore,
    ) -> None:
        self.embedders = embedders
        self.store = store
        self._vectors = vectors
        self._chats = chats
        self._chunks = chunks
        self._noted: set[int] = set()

    def default(self) -> Embedder:
        """Return the embedder of chats that have not chosen one."""
        return self.embedders.chosen()

    def id_of(self, embedder: Embedder) -> int:
        """Return the number of an embedder's space."""
        space_id = self._vectors.space_id(embedder.space.id, embedder.space.dimension)
        if space_id not in self._noted:
            self._noted.add(space_id)
            if source := self.embedders.source_json(embedder):
                self.store.note_source(space_id, source)
        return space_id

    def target(self, chat_id: int) -> Embedder:
        """Return the embedder that a chat shall have; raises `StoreError` for a chat that is gone."""
        settings = self._chats.get(chat_id).settings
        choice = recall_settings(settings).embedder
        if not choice and settings.get("connection"):
            choice = OWN_CONNECTION + str(settings["connection"])
        return self.embedders.chosen(choice)

    def serving(self, chat_id: int) -> Embedder:
        """Return the embedder whose vectors a chat is recalled by now."""
        found = self.store.serving(chat_id)
        if found is None:
            try:
                return self.target(chat_id)
            except StoreError:
                return self.default()
        return self.embedders.of_space(found.name, found.dimension)

    def serving_id(self, chat_id: int) -> int:
        """Return the number of the space that a chat is recalled by now."""
        found = self.store.serving(chat_id)
        return found.space_id if found is not None else self.id_of(self.serving(chat_id))

    def used(self, chat_id: int) -> list[Embedder]:
        """Return the embedders whose vectors a chat needs in the index: of now, and of soon."""
        serving = self.serving(chat_id)
        try:
            target = self.target(chat_id)
        except StoreError:
            return [serving]
        return [serving] if target.space.id == serving.space.id else [serving, target]

    def counts(self, chat_id: int | None = None) -> dict[int, tuple[int, int, int]]:
        """Return (chunks, chunks with a vector, tokens) by chat id; each by the space that serves it."""
        if chat_id is not None:
            return self._chunks.counts(self.serving_id(chat_id), chat_id)
        ids: dict[int, list[int]] = {}
        serving = self.store.all_serving()
        for chat, choice in self.store.choices().items():
            there = serving.get(chat)
            space = there.space_id if there else self.id_of(self.embedders.chosen(choice))
            ids.setdefault(space, []).append(chat)
        found: dict[int, tuple[int, int, int]] = {}
        for space, chats in ids.items():
            counted = self._chunks.counts(space)
            found |= {chat: counted[chat] for chat in chats if chat in counted}
        return found

    # ── making vectors ───────────────────────────────────────────────────────────────────────────────

    def plan(self, chat_ids: Sequence[int] | None = None) -> list[Work]:
        """Return what waits for a vector in all chats or in some, what serves now first."""
        choices = self.store.choices()
        if chat_ids is not None:
            choices = {chat: choices[chat] for chat in chat_ids if chat in choices}
        wanted: dict[str, list[int]] = {}
        for chat, choice in choices.items():
            wanted.setdefault(self.embedders.choice(choice), []).append(chat)
        plan: list[Work] = []
        everything = len(wanted) == 1 and chat_ids is None
        serving = self.store.all_serving()
        for choice, chats in wanted.items():
            embedder = self.embedders.chosen(choice)
            space_id = self.id_of(embedder)
            self._note_changes(chats, space_id, plan)
            ids = self.store.waiting(space_id, None if everything else chats)
            plan.append(Work(embedder, space_id, ids))
            # The first vectors of a chat say what it is recalled by.
            new = [chat for chat in chats if chat not in serving]
            if new and not isinstance(embedder, GoneEmbedder):
                self.store.serve(new, space_id)
        return [work for work in plan if work.ids]

    def _note_changes(self, chats: Sequence[int], wanted: int, plan: list[Work]) -> None:
        """Begin the changes of some chats to a space; memories that come meanwhile get vectors of both."""
        for chat_id, present in self.store.all_serving(chats).items():
            if present.space_id == wanted:
                if present.through:
                    self.store.end_change(chat_id)
                continue
            if not present.through:
                self.store.begin_change(chat_id)
                continue
            embedder = self.embedders.of_space(present.name, present.dimension)
            if embedder.available():
                late = self.store.waiting(present.space_id, [chat_id], present.through)
                plan.append(Work(embedder, present.space_id, late))

    def settle(self, chat_ids: Sequence[int]) -> list[int]:
        """Let chats be recalled by the wanted space where it is complete; returns those that changed."""
        changed = []
        for chat_id in chat_ids:
            present = self.store.serving(chat_id)
            try:
                target = self.target(chat_id)
            except StoreError:
                continue
            space_id = self.id_of(target)
            if present is None or present.space_id == space_id or isinstance(target, GoneEmbedder):
                continue
            if not self.store.waiting(space_id, [chat_id]):
                self.store.serve([chat_id], space_id)
                changed.append(chat_id)
        return changed

    def changing(self) -> list[int]:
        """Return the chats that are recalled by another space than is wanted."""
        serving = self.store.all_serving()
        return [
            chat
            for chat, choice in self.store.choices().items()
            if chat in serving and serving[chat].name != self.embedders.chosen(choice).space.id
        ]

    def change(self) -> SpaceChange | None:
        """Return how far a change of embedders is, None when there is none."""
        chats = self.changing()
        done = total = 0
        name = model = ""
        choices = self.store.choices()
        wanted: dict[str, list[int]] = {}
        for chat in chats:
            wanted.setdefault(self.embedders.choice(choices.get(chat, "")), []).append(chat)
        for choice, some in wanted.items():
            embedder = self.embedders.chosen(choice)
            if isinstance(embedder, GoneEmbedder):
                continue
            counted = self._chunks.counts(self.id_of(embedder))
            total += sum(counted[chat][0] for chat in some if chat in counted)
            done += sum(counted[chat][1] for chat in some if chat in counted)
            name, model = self.embedders.name(embedder), embedder.space.model
        return SpaceChange(name, model, done, total) if total else None

    def drop_left(self) -> int:
        """Remove vectors that no chat has used for `KEEP_LEFT`, unless they are wanted again."""
        wanted = {
            self.id_of(self.embedders.chosen(choice)) for choice in {"", *self.store.choices().values()}
        }
        return self.store.drop_left(KEEP_LEFT, wanted)
