"""Chats and characters as rows of a list: title, line below, picture, group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class PeopleModel(QAbstractListModel):
    """Rows of chats or characters, filtered by what is typed in the search field."""

    def __init__(self, pictures: Pictures, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pictures = pictures
        self._all: list[Row] = []
        self._rows: list[Row] = []
        self._needle = ""
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
        self._rows = [
            row
            for row in self._all
            if not self._needle or self._needle in f"{row.title}\n{row.face}\n{row.line}".casefold()
        ]
        self.endResetModel()

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
            return self._pictures.get(row.avatar)
        values: dict[int, str | int] = {
            Qt.ItemDataRole.DisplayRole: row.title,
            Qt.ItemDataRole.AccessibleTextRole: ", ".join(filter(None, (row.title, row.line, row.when))),
            Role.ID: row.id,
            Role.LINE: row.line,
            Role.WHEN: row.when,
            Role.FACE: row.face,
            Role.GROUP: row.group if row.group != before else "",
        }
        return values.get(role)


def chat_rows(chats: Sequence[Chat], today: datetime, last: Mapping[int, Message] | None = None) -> list[Row]:
    """Return chats as rows, grouped by when they were last used.

    `last` holds the last messages, by chat id, of chats whose `last_line` is blank: every row has two lines.
    """
    rows = []
    for chat in chats:
        local = chat.updated_at.astimezone()
        rows.append(
            Row(
                id=chat.id,
                title=one_line(chat.title, 120),
                face=chat.character_names[0] if chat.character_names else chat.title,
                line=one_line(chat.last_line.replace("*", ""), 120) or _no_words((last or {}).get(chat.id)),
                when=day_words(local, today),
                avatar=chat.avatar,
                group=_group(local, today),
            )
        )
    return rows


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
