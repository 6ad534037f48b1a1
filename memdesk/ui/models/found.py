"""What a search over all chats found, as rows of a list: a heading for each chat, its hits, and “more”."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)

from memdesk.chats.text import one_line
from memdesk.finder import Found, Group, Hit
from memdesk.ui.dates import short_moment
from memdesk.ui.widgets.message_head import local_time

translate = QCoreApplication.translate


class Kind(enum.Enum):
    """What a row is."""

    CHAT = "chat"
    HIT = "hit"
    MORE = "more"


class FoundRole(IntEnum):
    """What a row knows beyond its words."""

    ROW = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A heading with its count, a hit, or the row that brings more hits of a chat (0: more chats)."""

    kind: Kind
    chat_id: int
    title: str = ""
    aside: str = ""
    hit: Hit | None = None

    def spoken(self) -> str:
        """Return the row for a screen reader."""
        if self.hit is None:
            return ", ".join(words for words in (self.title, self.aside) if words)
        return f"{self.title}, {self.aside}: {self.hit.snippet}"


class FoundModel(QAbstractListModel):
    """The rows of a search; more can be put in."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._groups: list[Group] = []
        self._rows: list[FoundRow] = []
        self._more_chats = 0

    @property
    def groups(self) -> list[Group]:
        """What is shown, by chat."""
        return self._groups

    def show(self, found: Found) -> None:
        """Show what a search found."""
        self._groups, self._more_chats = list(found.groups), found.chats
        self._make_rows()

    def add_chats(self, found: Found) -> None:
        """Put the next chats behind those that are shown."""
        known = {group.chat_id for group in self._groups}
        self._groups += [group for group in found.groups if group.chat_id not in known]
        self._more_chats = found.chats
        self._make_rows()

    def add_hits(self, chat_id: int, hits: Sequence[Hit]) -> None:
        """Put the next hits behind those of a chat."""
        for at, group in enumerate(self._groups):
            if group.chat_id == chat_id:
                known = {hit.message_id for hit in group.hits}
                fresh = tuple(hit for hit in hits if hit.message_id not in known)
                total = group.total if fresh else len(group.hits)
                self._groups[at] = replace(group, hits=group.hits + fresh, total=total)
        self._make_rows()

    def _make_rows(self) -> None:
        self.beginResetModel()
        number = QLocale().toString
        self._rows = []
        for group in self._groups:
            title = one_line(group.title, 80)
            self._rows.append(FoundRow(Kind.CHAT, group.chat_id, title, number(group.total)))
            self._rows += [FoundRow(Kind.HIT, hit.chat_id, *_words(hit), hit) for hit in group.hits]
            if group.total > len(group.hits):
                left = number(group.total - len(group.hits))
                words = translate("FoundModel", "{0} more in this chat").format(left)
                self._rows.append(FoundRow(Kind.MORE, group.chat_id, words))
        if self._more_chats:
            words = translate("FoundModel", "{0} more chats").format(number(self._more_chats))
            self._rows.append(FoundRow(Kind.MORE, 0, words))
        self.endResetModel()

    def row(self, at: int) -> FoundRow:
        """Return a row."""
        return self._rows[at]

    def place(self, message_id: int) -> int:
        """Return the row of a message, -1 when it is not there."""
        for at, row in enumerate(self._rows):
            if row.hit is not None and row.hit.message_id == message_id:
                return at
        return -1

    def rowCount(self, _parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return len(self._rows)

    def data(
        self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        row = self._rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return row.spoken()
        return row if role == FoundRole.ROW else None


def _words(hit: Hit) -> tuple[str, str]:
    """Return who said it, and when with what else there is to know."""
    parts = [short_moment(local_time(hit.created_at))]
    if hit.score is not None:
        parts.append(f"{hit.score:.2f}")
    if hit.hidden:
        parts.append(translate("FoundModel", "hidden from the model"))
    return one_line(hit.name, 40), " · ".join(parts)
