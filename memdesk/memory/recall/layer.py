"""The recall layer: exact words from the past, found again by meaning and by words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from memdesk.chats.changes import Change, ChangeKind
from memdesk.embedding.base import Embedder
from memdesk.memory.layer import ContributionRequest
from memdesk.memory.query import plain_query, query_from
from memdesk.memory.recall.ranking import Options, Scored
from memdesk.memory.recall.search import Found, RecallSearch
from memdesk.memory.recall.settings import RecallSettings, recall_settings
from memdesk.memory.recall.spaces import ChatSpaces
from memdesk.memory.recall.sync import RecallSync
from memdesk.prompt.budget import Budget
from memdesk.prompt.macros import expand
from memdesk.prompt.parts import Contribution, Kind, Part, Reason
from memdesk.store.chunks import Chunk, ChunkStore
from memdesk.store.messages import MessageStore

SHOWN_LOSERS = 20
"""Candidates that lost and are still listed in a receipt, best first."""

PAGE = 40
"""Candidates whose chunks are read at a time; the first page mostly holds all that a receipt lists."""

LINE_OVERHEAD = 10
"""Tokens of the date before a recalled line and the line break after it; an estimate."""


OFF = "Memory Recall is off in this chat; this is what would be recalled if it were on."

_WHAT_IS_SAID = {
    ChangeKind.MESSAGES_ADDED,
    ChangeKind.TEXT_CHANGED,
    ChangeKind.HIDDEN_CHANGED,
    ChangeKind.MESSAGES_REMOVED,
    ChangeKind.MESSAGES_RESTORED,
    ChangeKind.CHAT_ADDED,
}
_WHOLE_CHAT = {ChangeKind.CHAT_CHANGED, ChangeKind.CHAT_RESTORED}
"""After these, every message is compared with its chunks: a chat in the trash was left alone."""


@dataclass(slots=True)
class _Packing:
    """What is decided while candidates are packed, best first."""

    room: int
    winners: list[tuple[Chunk, Part]]
    losers: list[Part]
    full: bool = False


class RecallLayer:
    """A `MemoryLayer`: chunks are made as messages arrive, the best few are sent with each reply."""

    name = "recall"
    kind: Kind = "memory"
    early = False

    def __init__(
        self,
        *,
        search: RecallSearch,
        sync: RecallSync,
        chunks: ChunkStore,
        messages: MessageStore,
        count: Callable[[str], int],
        spaces: ChatSpaces,
        search_with: Callable[[Embedder], RecallSearch],
    ) -> None:
        """Wire it; `search` searches by the bundled model, `search_with` makes one for another embedder."""
        self._search = search
        self._spaces = spaces
        self._search_with = search_with
        self._searches: dict[str, tuple[Embedder, RecallSearch]] = {}
        self._sync = sync
        self._chunks = chunks
        self._messages = messages
        self._count = count

    def observe(self, change: Change) -> None:
        """Queue chunking and embedding for what changed."""
        if change.kind in _WHOLE_CHAT and change.chat_id is not None:
            self._sync.queue_chat(change.chat_id)
        elif change.kind in _WHAT_IS_SAID:
            self._sync.queue()

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Find the memories that fit the newest messages, within the budget, in story order."""
        settings = recall_settings(request.chat.settings)
        if request.query is not None:
            query = plain_query(request.query)
        else:
            query = query_from(request.history, settings.query_messages, expand=settings.expand_short)
        if not settings.enabled and request.query is None:
            return Contribution(self.name, "memory")
        search, space = self._search_of(request.chat.id)
        pinned = {chunk.id: chunk for chunk in self._chunks.pinned(request.chat.id, space)}
        options = Options(settings.neighbours, settings.speakers, settings.recency, frozenset(pinned))
        found = search.search(request.chat.id, query, _stays(request, settings), options)
        always = {source for chunk in pinned.values() for source in chunk.source_messages}
        turns = {**found.turns, **self._messages.numbers(request.chat.id, always)}
        frame = expand(settings.template, {"text": ""})
        packing = _Packing(request.room - request.budget.scaled(self._count(frame)), [], [])
        scores = {item.chunk_id: item for item in found.ranked}
        for chunk in pinned.values():
            self._pack(packing, chunk, scores.get(chunk.id), None, request, settings, turns)
        place = 0
        for item, chunk in self._ranked(found, packing, settings, request, space):
            if chunk.id in pinned:
                continue
            reason = self._out_of_question(chunk, item, request, settings, turns)
            if reason is None:
                place += 1
            fresh = chunk if reason is not None else self._unsent(chunk, request)
            self._pack(packing, fresh, item, reason, request, settings, turns, place)
            if place >= settings.top_k and len(packing.losers) >= _listed_losers(request):
                break
        warning = found.warning if settings.enabled else f"{OFF} {found.warning}".strip()
        return self._contribution(packing, query.shown, warning, settings, request)

    def _search_of(self, chat_id: int) -> tuple[RecallSearch, int]:
        """Return what searches a chat by the vectors that serve it, and the number of their space."""
        embedder = self._spaces.serving(chat_id)
        space_id = self._spaces.id_of(embedder)
        if embedder is self._spaces.embedders.bundled:
            return self._search, space_id
        known = self._searches.get(embedder.space.id)
        if known is None or known[0] is not embedder:
            known = self._searches[embedder.space.id] = (embedder, self._search_with(embedder))
        return known[1], space_id

    def _ranked(
        self,
        found: Found,
        packing: _Packing,
        settings: RecallSettings,
        request: ContributionRequest,
        space: int,
    ) -> Iterator[tuple[Scored, Chunk]]:
        """Yield candidates with their chunks, best first, while one may win or is to be listed as a loser."""
        listed = _listed_losers(request)
        ahead = iter(found.ranked)
        while True:
            enough = len(packing.losers) >= listed
            page = list(islice(ahead, PAGE))
            if not page:
                return
            worth = [
                item
                for item in page
                if not enough or (item.score >= settings.threshold and item.chunk_id not in found.in_prompt)
            ]
            chunks = self._chunks.get_many([item.chunk_id for item in worth], space)
            # One that was removed a moment ago is a candidate no more.
            yield from ((item, chunks[item.chunk_id]) for item in worth if item.chunk_id in chunks)

    def _out_of_question(
        self,
        chunk: Chunk,
        item: Scored,
        request: ContributionRequest,
        settings: RecallSettings,
        turns: Mapping[int, int],
    ) -> Reason | None:
        """Return why a chunk cannot be sent whatever its place, None when it can."""
        sources = chunk.source_messages
        if not chunk.enabled:
            return Reason("disabled")
        if _too_new(chunk, request, turns):
            return Reason("too_new")
        if sources and request.protected.issuperset(sources):
            return Reason("protected", {"count": settings.protect})
        if sources and request.in_prompt.issuperset(sources) and not _can_move(chunk, request, settings):
            return Reason("in_prompt")
        if item.score < settings.threshold:
            return Reason("below_threshold", {"threshold": settings.threshold})
        return None

    def _unsent(self, chunk: Chunk, request: ContributionRequest) -> Chunk:
        """Leave the messages of a memory out that are sent in their place anyway: the rest is news."""
        sent = request.in_prompt.intersection(chunk.source_messages)
        if chunk.edited or not sent or request.in_prompt.issuperset(chunk.source_messages):
            return chunk
        text = f"{chunk.text}\n"
        for message in request.history:
            if message.id in sent:
                text = text.replace(f"{message.name}: {message.text.strip()}\n", "", 1)
        text = text.strip()
        if not text or text == chunk.text:
            return chunk
        return replace(chunk, text=text, tokens=self._count(text))

    def _pack(
        self,
        packing: _Packing,
        chunk: Chunk,
        item: Scored | None,
        reason: Reason | None,
        request: ContributionRequest,
        settings: RecallSettings,
        turns: Mapping[int, int],
        place: int = 0,
    ) -> None:
        """Decide about one chunk and note the decision with its reason."""
        tokens = request.budget.scaled(chunk.tokens + LINE_OVERHEAD)
        included = False
        if reason is None:
            if not place:
                reason, included = self._pin_reason(chunk, request, turns)
            elif place > settings.top_k:
                reason = Reason("over_limit", {"place": place, "limit": settings.top_k})
            else:
                values = {"score": item.score if item else 0.0, "place": place, "limit": settings.top_k}
                reason, included = Reason("chosen", values), True
            if included and tokens > packing.room:
                reason, included = Reason("no_room", {"limit": request.room}), False
        part = Part(
            kind="memory",
            title=_title(chunk, turns),
            text=chunk.text,
            tokens=tokens,
            included=included,
            reason=reason,
            score=item.score if item else None,
            scores=dict(item.parts) if item else {},
            source={"chunk": chunk.id, "messages": list(chunk.source_messages)},
        )
        if included:
            packing.room -= tokens
            packing.winners.append((chunk, part))
        else:
            packing.losers.append(part)

    @staticmethod
    def _pin_reason(
        chunk: Chunk, request: ContributionRequest, turns: Mapping[int, int]
    ) -> tuple[Reason, bool]:
        if not chunk.enabled:
            return Reason("disabled"), False
        if _too_new(chunk, request, turns):
            return Reason("too_new"), False
        return Reason("pinned"), True

    def _contribution(
        self,
        packing: _Packing,
        query: str,
        warning: str,
        settings: RecallSettings,
        request: ContributionRequest,
    ) -> Contribution:
        text, tokens = self._text(packing, settings, request.budget)
        while tokens > request.room:
            # Chunks' sizes are estimates until the tokenizer has seen them; the whole text tells.
            _, part = packing.winners.pop()
            reason = Reason("no_room", {"limit": request.room})
            packing.losers.insert(0, replace(part, included=False, reason=reason))
            text, tokens = self._text(packing, settings, request.budget)
        in_story_order = sorted(packing.winners, key=lambda pair: (pair[0].first_time, pair[0].id))
        return Contribution(
            layer=self.name,
            kind="memory",
            text=text,
            tokens=tokens,
            parts=(*(part for _, part in in_story_order), *packing.losers[: _listed_losers(request)]),
            query=query,
            warning=warning,
            moved=frozenset(
                source
                for chunk, _ in packing.winners
                if _can_move(chunk, request, settings)
                for source in chunk.source_messages
            ),
        )

    def _text(self, packing: _Packing, settings: RecallSettings, budget: Budget) -> tuple[str, int]:
        """Return what is sent, in story order, and its tokens."""
        in_story_order = sorted(packing.winners, key=lambda pair: (pair[0].first_time, pair[0].id))
        lines = [f"[{chunk.first_time:%Y-%m-%d}] {chunk.text}" for chunk, _ in in_story_order]
        text = expand(settings.template, {"text": "\n".join(lines)}) if lines else ""
        return text, budget.scaled(self._count(text)) if text else 0


def _stays(request: ContributionRequest, settings: RecallSettings) -> frozenset[int]:
    """Return the messages that stand in the prompt as they are, whatever is recalled."""
    return request.protected if settings.move_recalled else request.in_prompt


def _can_move(chunk: Chunk, request: ContributionRequest, settings: RecallSettings) -> bool:
    """Return whether the messages of a chunk can stand in the recalled part instead of in their place.

    They must all be in the prompt, none of them protected, and the chunk must hold all that they say: of a
    message in pieces, the rest would be lost.
    """
    sources = frozenset(chunk.source_messages)
    if not settings.move_recalled or not sources or not request.in_prompt.issuperset(sources):
        return False
    if not request.protected.isdisjoint(sources):
        return False
    said = [message.text.strip() for message in request.history if message.id in sources]
    return len(said) == len(sources) and all(text in chunk.text for text in said)


def _listed_losers(request: ContributionRequest) -> int:
    return SHOWN_LOSERS if request.losers is None else request.losers


def _too_new(chunk: Chunk, request: ContributionRequest, turns: Mapping[int, int]) -> bool:
    """Return whether a chunk comes from the message that is being answered anew, or from later ones."""
    numbers = [turns[source] for source in chunk.source_messages if source in turns]
    if numbers or not chunk.source_messages or request.query is not None:
        return any(number >= request.before_number for number in numbers)
    # Its messages are gone, so that only the time tells what came first.
    return not request.history or chunk.last_time > request.history[-1].created_at


def _title(chunk: Chunk, turns: Mapping[int, int]) -> str:
    """Name a chunk by the numbers of its source messages, as the window shows them."""
    numbers = sorted(turns[source] for source in chunk.source_messages if source in turns)
    if not numbers:
        return "Note" if not chunk.source_messages else "Source gone"
    if numbers[0] == numbers[-1]:
        return f"#{numbers[0]}"
    return f"#{numbers[0]}–{numbers[-1]}"
