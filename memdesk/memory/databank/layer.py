"""The Data Bank layer: the chunks of files that fit the newest messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from memdesk.chats.changes import Change, ChangeKind
from memdesk.memory.databank.search import DataBankSearch, Hit
from memdesk.memory.databank.settings import DataBankSettings, databank_settings
from memdesk.memory.databank.sync import DataBankSync
from memdesk.memory.layer import ContributionRequest
from memdesk.memory.query import Query, plain_query, query_from
from memdesk.prompt.macros import expand
from memdesk.prompt.parts import Contribution, Kind, Part, Placement, Reason
from memdesk.store.attachments import Attachment, AttachmentStore, FileChunk
from memdesk.store.document import place_words

SHOWN_LOSERS = 20
"""Candidates that lost and are still listed in a receipt, best first."""

LINE_OVERHEAD = 20
"""Tokens of the line with name and place above a chunk; an estimate."""

_EMBEDDERS_MAY_DIFFER = {ChangeKind.FILES_CHANGED, ChangeKind.MEMORIES_CHANGED, ChangeKind.CHAT_RESTORED}


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk with its file, how well it fits, and whether it is sent and why."""

    chunk: FileChunk
    file: Attachment
    hit: Hit | None
    included: bool
    reason: Reason


@dataclass(slots=True)
class _Choice:
    """What is decided while candidates are looked at, best first."""

    room: int
    found: list[Found] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    taken: set[int] = field(default_factory=set)


class DataBankLayer:
    """A `MemoryLayer`: one search over all files that a chat may read in."""

    name = "databank"
    kind: Kind = "databank"
    early = True

    def __init__(
        self,
        *,
        store: AttachmentStore,
        search: DataBankSearch,
        sync: DataBankSync,
        count: Callable[[str], int],
    ) -> None:
        self._store = store
        self._search = search
        self._sync = sync
        self._count = count

    def observe(self, change: Change) -> None:
        """Queue embedding for files that came or changed, and when another embedder may be in charge."""
        if change.kind in _EMBEDDERS_MAY_DIFFER and change.chat_id is None:
            self._sync.queue()

    def contribute(self, request: ContributionRequest) -> Contribution:
        """Find the chunks that fit the newest messages, within the budget, by file in reading order."""
        settings = databank_settings(request.chat.settings)
        files = self.files(request)
        if request.query is not None or not settings.enabled or not files:
            return Contribution(self.name, "databank")
        query = query_from(request.history, settings.query_messages)
        found, warning = self._choose(files, query, settings, request)
        return self._contribution(found, query, warning, settings, request)

    def files(self, request: ContributionRequest) -> list[Attachment]:
        """Return the files that are switched on for who replies, most important first."""
        replying = request.chat.character_ids if request.character_id is None else (request.character_id,)
        return [file for file in self._store.reaching(request.chat.id, replying) if file.enabled]

    def look(self, request: ContributionRequest) -> tuple[list[Found], str]:
        """Return what a request's `query` would bring, winners and losers, best first, and a warning."""
        settings = databank_settings(request.chat.settings)
        query = plain_query(request.query or "")
        return self._choose(self.files(request), query, settings, request)

    def _choose(
        self,
        files: Sequence[Attachment],
        query: Query,
        settings: DataBankSettings,
        request: ContributionRequest,
    ) -> tuple[list[Found], str]:
        hits, warning = self._search.search(files, query)
        frame = self._count(expand(settings.template, {"text": ""}))
        choice = _Choice(request.room - request.budget.scaled(frame))
        by_id = {file.id: file for file in files}
        for file in files:
            if file.mode == "whole":
                self._take_whole(choice, file, None, Reason("always"), request)
        chunks = self._store.get_chunks(hit.chunk_id for hit in hits)
        place = losers = 0
        listed = SHOWN_LOSERS if request.losers is None else request.losers
        for hit in hits:
            chunk = chunks.get(hit.chunk_id)
            file_of = by_id.get(chunk.attachment_id) if chunk is not None else None
            if chunk is None or file_of is None or chunk.id in choice.taken or not chunk.enabled:
                continue
            reason = self._out(hit, chunk, choice, place, settings)
            if reason is None:
                place += 1
                chosen = Reason("chosen", {"score": hit.score, "place": place, "limit": settings.top_k})
                if file_of.mode == "auto" and file_of.chars <= settings.small_chars:
                    self._take_whole(choice, file_of, hit, chosen, request)
                else:
                    self._take(choice, chunk, file_of, hit, chosen, request)
            elif losers < listed:
                losers += 1
                choice.found.append(Found(chunk, file_of, hit, included=False, reason=reason))
            if place >= settings.top_k and losers >= listed:
                break
        return choice.found, warning

    @staticmethod
    def _out(
        hit: Hit, chunk: FileChunk, choice: _Choice, place: int, settings: DataBankSettings
    ) -> Reason | None:
        if hit.score < settings.threshold:
            return Reason("below_threshold", {"threshold": settings.threshold})
        if chunk.text in choice.texts:
            return Reason("in_prompt")
        if place >= settings.top_k:
            return Reason("over_limit", {"place": place + 1, "limit": settings.top_k})
        return None

    def _take_whole(
        self, choice: _Choice, file: Attachment, hit: Hit | None, reason: Reason, request: ContributionRequest
    ) -> None:
        for chunk in self._store.chunks(file.id):
            if chunk.id not in choice.taken and chunk.enabled and chunk.text not in choice.texts:
                own = hit if hit is not None and hit.chunk_id == chunk.id else None
                self._take(choice, chunk, file, own, reason, request)

    def _take(
        self,
        choice: _Choice,
        chunk: FileChunk,
        file: Attachment,
        hit: Hit | None,
        reason: Reason,
        request: ContributionRequest,
    ) -> None:
        tokens = request.budget.scaled(chunk.tokens + LINE_OVERHEAD)
        choice.taken.add(chunk.id)
        if tokens > choice.room:
            out = Reason("no_room", {"limit": request.room})
            choice.found.append(Found(chunk, file, hit, included=False, reason=out))
            return
        choice.room -= tokens
        choice.texts.add(chunk.text)
        choice.found.append(Found(chunk, file, hit, included=True, reason=reason))

    def _contribution(
        self,
        found: Sequence[Found],
        query: Query,
        warning: str,
        settings: DataBankSettings,
        request: ContributionRequest,
    ) -> Contribution:
        winners = [item for item in found if item.included]
        text, tokens = self._text(winners, settings, request)
        dropped: list[Found] = []
        while winners and tokens > request.room:
            # Sizes are estimates until the tokenizer has seen the whole.
            last = winners.pop()
            reason = Reason("no_room", {"limit": request.room})
            dropped.append(Found(last.chunk, last.file, last.hit, included=False, reason=reason))
            text, tokens = self._text(winners, settings, request)
        losers = [*dropped, *(item for item in found if not item.included)]
        return Contribution(
            layer=self.name,
            kind="databank",
            text=text,
            tokens=tokens,
            parts=tuple(_part(item, request) for item in [*in_reading_order(winners), *losers]),
            query=query.shown,
            warning=warning,
            placement=Placement(settings.where, settings.depth, settings.role),
        )

    def _text(
        self, winners: Sequence[Found], settings: DataBankSettings, request: ContributionRequest
    ) -> tuple[str, int]:
        if not winners:
            return "", 0
        text = expand(settings.template, {"text": told(winners)})
        return text, request.budget.scaled(self._count(text))


def in_reading_order(found: Iterable[Found]) -> list[Found]:
    """Return chunks by file, the most important file first, each in reading order."""
    items = list(found)
    files = {item.file.id: None for item in items}
    scopes = {"chat": 0, "character": 1, "global": 2}
    ranks = {file: place for place, file in enumerate(files)}
    return sorted(
        items, key=lambda item: (scopes[item.file.home.scope], ranks[item.file.id], item.chunk.position)
    )


def told(winners: Iterable[Found]) -> str:
    """Return what chunks say, under the name of their file and their place; neighbours are one stretch."""
    stretches: list[list[Found]] = []
    for item in in_reading_order(winners):
        before = stretches[-1][-1] if stretches else None
        if before and before.file.id == item.file.id and before.chunk.position + 1 == item.chunk.position:
            stretches[-1].append(item)
        else:
            stretches.append([item])
    return "\n\n".join(_stretch(items) for items in stretches)


def _stretch(items: Sequence[Found]) -> str:
    said = "\n\n".join(item.chunk.text for item in items)
    return f"[{title(items[0].file, items[0].chunk, items[-1].chunk)}]\n{said}"


def title(file: Attachment, first: FileChunk, last: FileChunk | None = None) -> str:
    """Return the name of a file and the place of a chunk, or of the stretch up to `last`."""
    place = place_words(first.first, (last or first).last)
    return f"{file.name}: {place}" if place else file.name


def _part(item: Found, request: ContributionRequest) -> Part:
    return Part(
        kind="databank",
        title=title(item.file, item.chunk),
        text=item.chunk.text,
        tokens=request.budget.scaled(item.chunk.tokens + LINE_OVERHEAD),
        included=item.included,
        reason=item.reason,
        score=item.hit.score if item.hit else None,
        scores=dict(item.hit.parts) if item.hit else {},
        source={"attachment": item.file.id, "file_chunk": item.chunk.id},
    )
