"""Chats and characters as rows of a list: title, line below, picture, group."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QDateTime,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtGui import QImage

from memdesk.chats.model import Chat, Message, SwipeState
from memdesk.chats.text import one_line
from memdesk.ui.dates import short_day, short_time
from memdesk.ui.pictures import Pictures
from memdesk.ui.sentences import said

translate = QCoreApplication.translate


class Role(IntEnum):
    """What a row knows beyond its title."""

    ID = Qt.ItemDataRole.UserRole + 1
    LINE = Qt.ItemDataRole.UserRole + 2
    WHEN = Qt.ItemDataRole.UserRole + 3
    IMAGE = Qt.ItemDataRole.UserRole + 4
    GROUP = Qt.ItemDataRole.UserRole + 5
    """The heading above the row, "" when it is the same as that of the row before"""
    FACE = Qt.ItemDataRole.UserRole + 6
    """The name the avatar's initial and colour come from"""
    FAVOURITE = Qt.ItemDataRole.UserRole + 7
    DEPTH = Qt.ItemDataRole.UserRole + 8
    """How many rows it stands below, as a branch of a branch"""
    FOLD = Qt.ItemDataRole.UserRole + 9
    """"open" or "folded" for a row with others below it, "" for one without"""


@dataclass(frozen=True, slots=True)
class Row:
    """One chat or character in a list."""

    id: int
    title: str
    face: str
    line: str = ""
    when: str = ""
    avatar: str | None = None
    group: str = ""
    depth: int = 0
    faces: tuple[tuple[str, str | None], ...] = ()
    """Names and avatars of the members of a group chat"""


class PeopleModel(QAbstractListModel):
    """Rows of chats or characters, filtered by what is typed in the search field."""

    def __init__(self, pictures: Pictures, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._all: list[Row] = []
        self._rows: list[Row] = []
        self._parents: set[int] = set()
        self._needle = ""
        self._folded: set[int] = set()
        pictures.arrived.connect(self._repaint)

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Replace the rows."""
        if list(rows) != self._all:
            self._all = list(rows)
            self._filter()

    def set_needle(self, needle: str) -> None:
        """Show only rows whose title or line holds a text."""
        self._needle = needle.casefold().strip()
        self._filter()

    def _filter(self) -> None:
        self.beginResetModel()
        if self._needle:
            self._rows = [
                row for row in self._all if self._needle in f"{row.title}\n{row.face}\n{row.line}".casefold()
            ]
        else:
            self._rows = list(self._unfolded())
        self._parents = {row.id for row, below in itertools.pairwise(self._all) if below.depth > row.depth}
        self.endResetModel()

    def _unfolded(self) -> Iterator[Row]:
        """Yield the rows that stand below no folded one."""
        folded: int | None = None
        for row in self._all:
            if folded is not None and row.depth > folded:
                continue
            folded = row.depth if row.id in self._folded else None
            yield row

    def fold(self, item_id: int, *, folded: bool) -> None:
        """Fold away what stands below a row, or show it."""
        if folded != (item_id in self._folded):
            (self._folded.add if folded else self._folded.discard)(item_id)
            self._filter()

    def unfold_to(self, item_id: int) -> None:
        """Show a row, whatever is folded above it."""
        above: list[Row] = []
        for row in self._all:
            del above[row.depth :]
            if row.id == item_id:
                for parent in above:
                    self.fold(parent.id, folded=False)
                return
            above.append(row)

    def _fold_state(self, row: Row) -> str:
        if self._needle or row.id not in self._parents:
            return ""
        return "folded" if row.id in self._folded else "open"

    def _repaint(self) -> None:
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def row_of(self, item_id: int) -> int:
        """Return the row of an id, -1 when it is not shown."""
        return next((place for place, row in enumerate(self._rows) if row.id == item_id), -1)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """Return the number of rows shown."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | int | QImage | None:
        """Return what a row shows."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        row = self._rows[index.row()]
        before = self._rows[index.row() - 1].group if index.row() else ""
        if role == Role.IMAGE:
            return self._pictures.of_group(row.faces) if row.faces else self._pictures.get(row.avatar)
        values: dict[int, str | int] = {
            Qt.ItemDataRole.DisplayRole: row.title,
            Qt.ItemDataRole.AccessibleTextRole: ", ".join(filter(None, (row.title, row.line, row.when))),
            Role.ID: row.id,
            Role.LINE: row.line,
            Role.WHEN: row.when,
            Role.FACE: row.face,
            Role.DEPTH: 0 if self._needle else row.depth,
            Role.FOLD: self._fold_state(row),
            Role.GROUP: row.group if row.group != before else "",
        }
        return values.get(role)


def chat_rows(chats: Sequence[Chat], today: datetime, last: Mapping[int, Message] | None = None) -> list[Row]:
    """Return chats as rows, grouped by when they were last used; branches stand below what they left.

    A family of branches has the place of the one that was last used.
    `last` holds the last messages, by chat id, of chats whose `last_line` is blank: every row has two lines.
    """
    rows = []
    for chat, depth, used in _families(chats):
        local = chat.updated_at.astimezone()
        rows.append(
            Row(
                id=chat.id,
                title=one_line(chat.title, 120),
                face=chat.character_names[0] if chat.character_names else chat.title,
                line=one_line(chat.last_line.replace("*", ""), 120) or _no_words((last or {}).get(chat.id)),
                when=day_words(local, today),
                avatar=chat.avatar,
                group=_group(used.astimezone(), today),
                depth=depth,
                faces=_faces(chat),
            )
        )
    return rows


def _families(chats: Sequence[Chat]) -> Iterator[tuple[Chat, int, datetime]]:
    """Yield chats, last used first, before their branches: with depth, and when the family was last used."""
    known = {chat.id for chat in chats}
    below: dict[int | None, list[Chat]] = {}
    for chat in chats:
        parent = chat.branch_chat if chat.branch_chat in known else None
        below.setdefault(parent, []).append(chat)

    def walk(chat: Chat, depth: int) -> Iterator[tuple[Chat, int]]:
        yield chat, depth
        for branch in sorted(below.get(chat.id, []), key=lambda item: item.id):
            yield from walk(branch, depth + 1)

    families = [list(walk(chat, 0)) for chat in below.get(None, [])]
    places = {chat.id: place for place, chat in enumerate(chats)}
    families.sort(key=lambda family: min(places[chat.id] for chat, _depth in family))
    for family in families:
        used = max(chat.updated_at for chat, _depth in family)
        for chat, depth in family:
            yield chat, depth, used


def _faces(chat: Chat) -> tuple[tuple[str, str | None], ...]:
    """Return whose faces stand for a chat beside its title; a chat with one character has its avatar."""
    return tuple((item.name, item.avatar) for item in chat.members) if chat.kind == "group" else ()


def _no_words(message: Message | None) -> str:
    """Return what stands below the title of a chat whose last message has no words."""
    if message is None:
        return translate("PeopleModel", "No messages yet")
    if message.swipe.state is SwipeState.FAILED and message.swipe.error:
        return one_line(said(message.swipe.error), 120)
    return "…"


def _days_ago(moment: datetime, today: datetime) -> int:
    return (today.date() - moment.date()).days


def _group(moment: datetime, today: datetime) -> str:
    days = _days_ago(moment, today)
    if days <= 0:
        return translate("PeopleModel", "Today")
    if days == 1:
        return translate("PeopleModel", "Yesterday")
    if days < 7:
        return translate("PeopleModel", "This week")
    return translate("PeopleModel", "Earlier")


def day_words(moment: datetime, today: datetime) -> str:
    """Return when something was, as short as it can be told today."""
    locale = QLocale()
    shown = QDateTime.fromSecsSinceEpoch(int(moment.timestamp()))
    days = _days_ago(moment, today)
    if days <= 0:
        return short_time(shown)
    if days < 7:
        return locale.toString(shown.date(), "ddd")
    if shown.date().year() == today.year:
        return short_day(shown.date())
    return locale.toString(shown.date(), QLocale.FormatType.ShortFormat)
