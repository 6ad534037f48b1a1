"""Characters as the gallery shows them: found by words, filtered by tags, in the order a person wants."""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, get_args

from PySide6.QtCore import QCollator, QCoreApplication, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QImage

from memdesk.chats.model import CharacterHead, Chat
from memdesk.chats.text import one_line
from memdesk.ui.models.people import PeopleModel, Role, Row, day_words
from memdesk.ui.pictures import Pictures

translate = QCoreApplication.translate

Order = Literal["name", "newest", "last_chat"]
ORDERS: Final[tuple[Order, ...]] = get_args(Order)

SHOWN_TITLE: Final = 120
MOST_TAGS: Final = 10_000
"""Tags of one character that are searched and counted."""


@dataclass(frozen=True, slots=True)
class GalleryRow(Row):
    """One character; `words` is what searching looks at, `name_place` its place by name."""

    favourite: bool = False
    tags: frozenset[str] = frozenset()
    words: str = ""
    created: float = 0.0
    last_chat: float = 0.0
    """Seconds since 1970, 0 for never"""
    name_place: int = 0


def gallery_rows(heads: Sequence[CharacterHead], chats: Sequence[Chat], today: datetime) -> list[GalleryRow]:
    """Return characters as rows, by name as the language sorts them; equal names are numbered by their age.

    Slow for a thousand (tens of milliseconds): for a worker.
    """
    last: dict[int, datetime] = {}
    for chat in chats:
        for character_id in chat.character_ids:
            last[character_id] = max(chat.updated_at, last.get(character_id, chat.updated_at))
    titles = _titles(heads)
    collator = QCollator()
    collator.setNumericMode(True)
    collator.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)

    def compare(one: CharacterHead, other: CharacterHead) -> int:
        return collator.compare(one.name[:SHOWN_TITLE], other.name[:SHOWN_TITLE]) or one.id - other.id

    places = sorted(heads, key=functools.cmp_to_key(compare))
    rows = []
    for place, head in enumerate(places):
        when = last.get(head.id)
        tags = head.tags[:MOST_TAGS]
        rows.append(
            GalleryRow(
                id=head.id,
                title=titles[head.id],
                face=head.name,
                line=one_line(head.line, 120),
                when=day_words(when.astimezone(), today) if when else "",
                avatar=head.avatar,
                favourite=head.favourite,
                tags=frozenset(folded(tag) for tag in tags if tag.strip()),
                words=folded("\n".join((titles[head.id], head.nickname, head.creator, head.line, *tags))),
                created=head.created_at.timestamp(),
                last_chat=when.timestamp() if when else 0.0,
                name_place=place,
            )
        )
    return rows


def tag_counts(heads: Sequence[CharacterHead]) -> list[tuple[str, int]]:
    """Return every tag as first written and how many characters have it, the most used ones first."""
    written: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for head in heads:
        own = {folded(tag): tag for tag in reversed(head.tags[:MOST_TAGS]) if tag.strip()}
        for key, tag in own.items():
            written.setdefault(key, one_line(tag, 80))
        counts.update(own.keys())
    return [
        (written[key], count) for key, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def folded(text: str) -> str:
    """Return text as it is compared: without case, width or way of writing."""
    return unicodedata.normalize("NFKC", text).casefold().strip()


def _titles(heads: Sequence[CharacterHead]) -> dict[int, str]:
    """Return what each character is called in the list: namesakes get a number, the oldest has none."""
    seen: Counter[str] = Counter()
    titles = {}
    for head in sorted(heads, key=lambda head: head.id):
        title = one_line(head.name, SHOWN_TITLE)
        seen[folded(title)] += 1
        number = seen[folded(title)]
        titles[head.id] = title if number == 1 else f"{title} ({number})"
    return titles


class GalleryModel(PeopleModel):
    """Rows of characters. Every word that is searched must be in a name, tag, creator or line."""

    def __init__(self, pictures: Pictures, parent: QObject | None = None) -> None:
        super().__init__(pictures, parent)
        self.order: Order = "name"
        self.favourites_first = True
        self.favourites_only = False
        self.tags: tuple[str, ...] = ()
        """Tags that a character must have, as written"""

    def arrange(
        self,
        *,
        order: Order | None = None,
        favourites_first: bool | None = None,
        favourites_only: bool | None = None,
        tags: Sequence[str] | None = None,
    ) -> None:
        """Change order and filters; None leaves one as it is."""
        self.order = self.order if order is None else order
        if favourites_first is not None:
            self.favourites_first = favourites_first
        if favourites_only is not None:
            self.favourites_only = favourites_only
        if tags is not None:
            self.tags = tuple(tags)
        self._filter()

    def _repaint(self) -> None:
        # The view paints itself anew when pictures come: no row has changed, and none is to be measured.
        return

    @property
    def narrowed(self) -> bool:
        """Whether some characters may be left out."""
        return bool(self._needle or self.favourites_only or self.tags)

    @property
    def total(self) -> int:
        """How many characters there are."""
        return len(self._all)

    def _filter(self) -> None:
        needles = folded(self._needle).split()
        wanted = {folded(tag) for tag in self.tags}
        rows = [
            row
            for row in self._all
            if isinstance(row, GalleryRow)
            and (row.favourite or not self.favourites_only)
            and wanted <= row.tags
            and all(needle in row.words for needle in needles)
        ]
        rows.sort(key=self._key)
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def _key(self, row: GalleryRow) -> tuple[bool, float, int]:
        later = self.favourites_first and not row.favourite
        if self.order == "newest":
            return (later, -row.created, -row.id)
        return (later, -row.last_chat if self.order == "last_chat" else 0.0, row.name_place)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | QImage | None:
        """Return what a row shows."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        favourite = isinstance(row, GalleryRow) and row.favourite
        if role == Role.FAVOURITE:
            return int(favourite)
        if role == Qt.ItemDataRole.ToolTipRole:
            return None
        if role == Qt.ItemDataRole.AccessibleTextRole and favourite:
            mark = translate("GalleryModel", "favourite")
            return f"{super().data(index, role)}, {mark}"
        return super().data(index, role)
