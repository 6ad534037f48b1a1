"""The memories of one chat as rows of a list.

snapshot = load(workspace, chat_id)            reads everything; for a worker thread
cards = arrange(snapshot, Query(text="lamp"))  filters and sorts; for a worker thread
model.setCards(cards)                          in the window thread
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QLocale, QModelIndex, QObject, QPersistentModelIndex, Qt

from memdesk.memory.recall.acts import SourceState
from memdesk.memory.recall.settings import RecallSettings
from memdesk.store.chunks import Chunk, ChunkStatus
from memdesk.ui.bidi import isolated
from memdesk.ui.dates import short_moment, short_time
from memdesk.ui.reasons import reason_text, score_sum, score_words
from memdesk.ui.sentences import said
from memdesk.ui.widgets.message_head import local_time

if TYPE_CHECKING:
    from memdesk.prompt.parts import Part
    from memdesk.store.chunk_edits import Recall
    from memdesk.workspace import Workspace

SPOKEN = 300
"""Characters of a memory that a screen reader is given at once."""

LOOKED_AT = 2_000
"""Characters of a memory that its card looks at; six lines hold far fewer."""


OWN = frozenset({"native", "note"})
"""Where memories come from that were made here."""


class Sort(enum.Enum):
    """The orders of the list."""

    NEWEST = enum.auto()
    OLDEST = enum.auto()
    LARGEST = enum.auto()


class Mark(enum.Enum):
    """What a person, a file or a changed message made of a memory; each has its badge and its filter."""

    FROZEN = "snow"
    PINNED = "pin"
    EDITED = "edit"
    IMPORTED = "import"
    OFF = "eye-off"
    CHANGED = "warning"


@dataclass(frozen=True, slots=True)
class Card:
    """A memory as the list shows it.

    `source` says how its messages stand to a memory that is kept, `recalls` lists the replies that it was
    sent for, newest first.

    `first` and `last` are the numbers of its source messages that still stand, 0 when there are none.
    `units` (half an em each) and `breaks` say how long its text is, for a guess at its height.
    """

    chunk: Chunk
    status: ChunkStatus
    first: int
    last: int
    jump_to: int | None
    units: int
    breaks: int
    source: SourceState | None = None
    recalls: tuple[Recall, ...] = ()

    @property
    def marks(self) -> list[Mark]:
        """The marks of the memory, in the order of their badges."""
        chunk = self.chunk
        touched = chunk.frozen or chunk.pinned or chunk.edited or not chunk.enabled
        if not touched and self.source is None and chunk.origin in OWN:
            # Most have none, and 10,000 are counted at a time.
            return []
        there = {
            Mark.FROZEN: chunk.frozen,
            Mark.PINNED: chunk.pinned,
            Mark.EDITED: chunk.edited,
            Mark.IMPORTED: chunk.origin not in OWN,
            Mark.OFF: not chunk.enabled,
            Mark.CHANGED: self.source is not None,
        }
        return [mark for mark, is_there in there.items() if is_there]

    @property
    def id(self) -> int:
        """The chunk's id."""
        return self.chunk.id


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What is remembered of a chat at one moment; `cards` are newest first.

    `total`, `tokens` and `counts` speak of the whole chat, also while only its newest cards are loaded.
    `failure` says why embedding does not work, "" when it does.
    """

    chat_id: int
    cards: tuple[Card, ...] = ()
    total: int = 0
    tokens: int = 0
    counts: Mapping[ChunkStatus, int] = field(default_factory=dict)
    available: bool = True
    failure: str = ""
    settings: RecallSettings = field(default_factory=RecallSettings)
    marks: Mapping[Mark, int] = field(default_factory=dict)
    """How many of the loaded cards bear each mark."""
    making: tuple[int, int] | None = None
    """How many messages of how many have become memories while they are being made, None otherwise."""

    @property
    def complete(self) -> bool:
        """Whether every card is loaded."""
        return len(self.cards) >= self.total


@dataclass(frozen=True, slots=True)
class Query:
    """Which memories are shown, and in which order; `only` None means all.

    `ranked` names the memories to show in their order, whatever the rest says.
    """

    text: str = ""
    status: ChunkStatus | None = None
    only: frozenset[int] | None = None
    sort: Sort = Sort.NEWEST
    mark: Mark | None = None
    ranked: tuple[int, ...] | None = None
    since: Mapping[int, int] | None = None
    """Since which message each memory is known; with it, only those known `at` a message are shown."""
    at: int = 0


def load(workspace: Workspace, chat_id: int, limit: int = -1) -> Snapshot:
    """Read the memories of a chat, at most `limit` of the newest (-1: all); for a worker thread."""
    space = workspace.sync.space_of(chat_id)
    available = workspace.sync.available_for(chat_id)
    chunks = workspace.chunks.page(chat_id, space, limit)
    numbers = {message_id: n for n, message_id in enumerate(workspace.messages.ids(chat_id), start=1)}
    sources, recalls = workspace.memories.sources(chat_id), workspace.memories.recalls(chat_id)
    cards = tuple(
        replace(
            _card(chunk, numbers, available=available),
            source=sources.get(chunk.id),
            recalls=tuple(recalls.get(chunk.id, ())),
        )
        if chunk.id in sources or chunk.id in recalls
        else _card(chunk, numbers, available=available)
        for chunk in chunks
    )
    if limit < 0:
        counts = Counter(card.status for card in cards)
        total, tokens = len(cards), sum(chunk.tokens for chunk in chunks)
    else:
        total, with_vector, tokens = workspace.chunks.counts(space, chat_id).get(chat_id, (0, 0, 0))
        rest = ChunkStatus.WAITING if available else ChunkStatus.UNAVAILABLE
        counts = Counter({ChunkStatus.VECTORIZED: with_vector, rest: total - with_vector})
    failure = "" if available else workspace.sync.failure
    settings = workspace.memories.settings(chat_id)
    marks = Counter(mark for card in cards for mark in card.marks)
    making = workspace.sync.chunker.making(chat_id)
    progress = (making.done, making.total) if making else None
    return Snapshot(chat_id, cards, total, tokens, counts, available, failure, settings, marks, progress)


def _card(chunk: Chunk, numbers: Mapping[int, int], *, available: bool) -> Card:
    standing = sorted((numbers[source], source) for source in chunk.source_messages if source in numbers)
    text = chunk.text[:LOOKED_AT]
    # Two bytes more than characters: a wide character (Han and most others beyond the Latin ones).
    wide = (len(text.encode("utf-8", "replace")) - len(text)) // 2
    return Card(
        chunk=chunk,
        status=chunk.status(embedding_available=available),
        first=standing[0][0] if standing else 0,
        last=standing[-1][0] if standing else 0,
        jump_to=standing[0][1] if standing else None,
        units=len(text) + wide,
        breaks=text.count("\n"),
    )


def arrange(snapshot: Snapshot, query: Query) -> list[Card]:
    """Return the cards of a query in its order; every word of its text must occur."""
    if query.ranked is not None:
        by_id = {card.id: card for card in snapshot.cards}
        return [by_id[chunk_id] for chunk_id in query.ranked if chunk_id in by_id]
    words = query.text.casefold().split()
    cards = [
        card
        for card in snapshot.cards
        if (query.status is None or card.status is query.status)
        and (query.only is None or card.id in query.only)
        and (query.mark is None or query.mark in card.marks)
        and (query.since is None or query.since.get(card.id, 1) <= query.at)
        and (not words or _holds(card, words))
    ]
    if query.sort is Sort.OLDEST:
        cards.reverse()
    elif query.sort is Sort.LARGEST:
        cards.sort(key=lambda card: -card.chunk.tokens)
    return cards


def _holds(card: Card, words: list[str]) -> bool:
    text = card.chunk.text.casefold()
    return all(word in text for word in words)


class MemoryModel(QAbstractListModel):
    """The cards in their order, with what the selected reply thought of them."""

    CardRole = Qt.ItemDataRole.UserRole

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards: list[Card] = []
        self._rows: dict[int, int] = {}
        self._parts: dict[int, Part] = {}
        self._reply = ""
        self._considered = ""
        self._threshold: float | None = None

    # ── content ──────────────────────────────────────────────────────────────────────────────────────

    def cards(self) -> list[Card]:
        """Return the rows; not to be changed."""
        return self._cards

    def card(self, row: int) -> Card:
        """Return a row."""
        return self._cards[row]

    def row_of(self, chunk_id: int) -> int | None:
        """Return where a memory stands, None when it is not shown."""
        return self._rows.get(chunk_id)

    def part(self, chunk_id: int) -> Part | None:
        """Return what the selected reply's receipt says of a memory."""
        return self._parts.get(chunk_id)

    def part_ids(self) -> list[int]:
        """Return the ids of the memories that the selected reply's receipt speaks of."""
        return list(self._parts)

    def reply_words(self, part: Part | None = None) -> str:
        """Return the words that stand before a score: "in reply #7", "considered for the next prompt".

        `part` is whose score it is; without one, the words are those of what was sent.
        """
        return self._reply if part is None or part.included else self._considered

    def sent_count(self) -> int:
        """Return how many of the memories that the receipt speaks of were sent."""
        return sum(part.included for part in self._parts.values())

    def threshold(self) -> float | None:
        """Return the score that is needed where recall is tried, None where it is not."""
        return self._threshold

    def setCards(self, cards: list[Card]) -> None:
        """Show other rows; when only their content changed, rows keep their place."""
        if [card.id for card in cards] == [card.id for card in self._cards]:
            changed = [row for row, card in enumerate(cards) if card != self._cards[row]]
            self._cards = cards
            if changed:
                self.dataChanged.emit(self.index(changed[0]), self.index(changed[-1]))
            return
        self.beginResetModel()
        self._cards = cards
        self._rows = {card.id: row for row, card in enumerate(cards)}
        self.endResetModel()

    def setParts(
        self, parts: dict[int, Part], reply: str, considered: str = "", threshold: float | None = None
    ) -> None:
        """Show what a receipt says of the memories, by chunk id.

        `reply` and `considered` say in a few words where they were sent and where they only might have been;
        without the second, the first says both.
        """
        considered = considered or reply
        known = (self._parts, self._reply, self._considered, self._threshold)
        if known == (parts, reply, considered, threshold):
            return
        self._parts, self._reply, self._considered, self._threshold = parts, reply, considered, threshold
        if self._cards:
            self.dataChanged.emit(self.index(0), self.index(len(self._cards) - 1))

    # ── Qt ───────────────────────────────────────────────────────────────────────────────────────────

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._cards)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = 0) -> Any:  # noqa: ANN401 — as Qt has it
        if not index.isValid() or index.row() >= len(self._cards):
            return None
        card = self._cards[index.row()]
        if role == self.CardRole:
            return card
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(card)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken(card)
        if role == Qt.ItemDataRole.AccessibleDescriptionRole:
            return self.explanation(card)
        return None

    # ── words ────────────────────────────────────────────────────────────────────────────────────────

    def title(self, card: Card) -> str:
        """Return "Messages 46–50", "Message 46", or what stands for messages that are not there."""
        if not card.first:
            gone = bool(card.chunk.source_messages)
            if gone:
                return self.tr("Source gone")
            return self.tr("A memory") if card.chunk.origin not in OWN else self.tr("A note")
        number = QLocale().toString
        if card.first == card.last:
            return self.tr("Message {0}").format(number(card.first))
        return self.tr("Messages {0}–{1}").format(number(card.first), number(card.last))

    def badges(self, card: Card) -> list[tuple[str, str]]:
        """Return (words, icon name) of the marks of a memory."""
        # That the source is gone stands in the title already.
        gone = card.source is SourceState.GONE and not card.first
        return [
            (self.mark_words(mark), mark.value) for mark in card.marks if not (mark is Mark.CHANGED and gone)
        ]

    def mark_words(self, mark: Mark) -> str:
        """Return a mark in the language of the window."""
        return {
            Mark.FROZEN: self.tr("Frozen"),
            Mark.PINNED: self.tr("Pinned"),
            Mark.EDITED: self.tr("Edited"),
            Mark.IMPORTED: self.tr("Imported"),
            Mark.OFF: self.tr("Off"),
            Mark.CHANGED: self.tr("Source changed"),
        }[mark]

    def status_words(self, status: ChunkStatus) -> str:
        """Return a status in the language of the window."""
        return {
            ChunkStatus.VECTORIZED: self.tr("Vectorized"),
            ChunkStatus.WAITING: self.tr("Waiting for vector"),
            ChunkStatus.UNAVAILABLE: self.tr("Embedding unavailable"),
        }[status]

    def facts(self, card: Card) -> str:
        """Return "12 Mar, 22:10 – 22:31 · Mira, Jonas · ~148 tokens"."""
        chunk = card.chunk
        start, end = local_time(chunk.first_time), local_time(chunk.last_time)
        when = short_moment(start)
        if end.date() != start.date():
            when += f" – {short_moment(end)}"
        elif short_time(end) != short_time(start):
            when += f" – {short_time(end)}"
        names = self.tr(", ").join(isolated(" ".join(name.split())) for name in chunk.speakers)
        tokens = self.tr("~{0} tokens").format(QLocale().toString(chunk.tokens))
        return " · ".join(words for words in (when, names, tokens, self.recalled(card)) if words)

    def recalled(self, card: Card) -> str:
        """Return "recalled 3 times", "" for a memory that no reply was given."""
        count = len(card.recalls)
        if count == 1:
            return self.tr("recalled once")
        return self.tr("recalled {0} times").format(QLocale().toString(count)) if count else ""

    def scores(self, part: Part) -> str:
        """Return "meaning 0.71 · words 0.52 · neighbour 0.14", "" for what was not ranked."""
        return score_words(part.scores)

    def verdict(self, part: Part) -> str:
        """Return why a memory was sent with the selected reply, or left out."""
        reason = reason_text(part.reason)
        if part.included:
            return self.tr("{0}: {1}").format(self._reply, reason)
        return self.tr("{0}, {1}").format(self._considered, self.loss(part))

    def loss(self, part: Part) -> str:
        """Return why a memory was not sent."""
        return self.tr("not sent: {0}").format(reason_text(part.reason))

    def spoken(self, card: Card) -> str:
        """Return a row for a screen reader: range, status, badges, facts, the beginning of the text."""
        words = [self.title(card), self.status_words(card.status)]
        words += [badge for badge, _ in self.badges(card)]
        part = self.part(card.id)
        if part is not None:
            words.append(self.verdict(part))
        text = " ".join(card.chunk.text[:SPOKEN].split())
        return ", ".join([*words, self.facts(card), text])

    def explanation(self, card: Card) -> str:
        """Return what the numbers and words of a card mean, line by line."""
        chunk = card.chunk
        status = {
            ChunkStatus.VECTORIZED: self.tr("Vectorized: can be recalled by meaning and by words."),
            ChunkStatus.WAITING: self.tr(
                "Waiting for vector: will be embedded in the background; until then it is recalled by words."
            ),
            ChunkStatus.UNAVAILABLE: self.tr(
                "Embedding unavailable: the model does not work at the moment; it is recalled by words."
            ),
        }
        lines = [status[card.status]]
        lines.append(self.tr("Tokens are estimated: what it takes in a prompt."))
        if not card.first and chunk.source_messages:
            lines.append(self.tr("The messages it was made from are not in the chat any more."))
        elif card.source is not None:
            lines.append(self.tr("Its message says something else by now; the memory was kept as it is."))
        if card.recalls:
            last = short_moment(local_time(card.recalls[0].at))
            lines.append(self.tr("Sent with a reply: {0}, last {1}.").format(self.recalled(card), last))
        if chunk.error and card.status is not ChunkStatus.VECTORIZED:
            lines.append(self.tr("The last try failed: {0}").format(said(chunk.error[:500])))
        part = self.part(card.id)
        if part is not None:
            lines.append(self.verdict(part))
            if part.score is not None:
                lines.append(score_sum(part) or self.scores(part))
                lines.append(
                    self.tr(
                        "The score (0 to 1) adds meaning (likeness to the query), words (shared with it), "
                        "neighbour (credit from the messages beside it) and speaker (named in the query), "
                        "each with its weight."
                    )
                )
        lines.append(self.tr("Click or press Enter to see its source in the chat."))
        return "\n".join(lines)
