"""The line above a message: avatar, name, number, time and size, painted, and the same in words.

SourceCount(source, count)        how many things of a source went into a reply
MessageHead(message, image)       .paint(painter, left, top, width), .facts(), .explanation(), .facts_rect(…)
local_time(moment) -> QDateTime   in the zone of this machine
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPen

from memdesk.chats.text import one_line
from memdesk.ui.dates import short_time
from memdesk.ui.icons import icon
from memdesk.ui.reasons import model_name
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from PySide6.QtGui import QImage

    from memdesk.chats.model import Message

MARK = 18
"""Pixels that the mark of a hidden message takes."""
DIM = 0.5
"""How much is left of what the model does not see."""
HEIGHT = 22
"""Pixels from the top of the name to the top of the text."""


NOBODY = "You"
"""The name that is stored with messages of a person without a persona."""


@dataclass(frozen=True, slots=True)
class SourceCount:
    """How many things of a source (memory, summary, lore, databank) went into a reply."""

    source: str
    count: int


class MessageSignals(QObject):
    """What messages tell; one object for all messages of a view, connecting each of them would be slow."""

    editSaved = Signal(int, str)
    editChanged = Signal(object, int, object)
    """`Message`, the version that is edited, and its text so far; None when there is nothing to save"""
    deleteRequested = Signal(int)
    swipeRequested = Signal(int, int)
    regenerateRequested = Signal(int)
    receiptRequested = Signal(int)
    retryRequested = Signal(int)
    copyRequested = Signal(int)
    linkActivated = Signal(str)
    menuOpened = Signal(object, int)
    """the context menu of a message before it opens, to be added to, and the message's id"""
    heightChanged = Signal(object)
    focused = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.unsaved: Callable[[Message], tuple[int, str] | None] = lambda _message: None
        """knows the version and the text of an edit that was begun and not saved"""

    def pass_on(self, view: QObject) -> None:
        """Let the signals of a view tell what these tell; height and focus are its own affair."""
        for name in (
            *("editSaved", "deleteRequested", "swipeRequested", "regenerateRequested"),
            *("receiptRequested", "retryRequested", "copyRequested", "linkActivated", "menuOpened"),
        ):
            getattr(self, name).connect(getattr(view, name))


def shown_name(message: Message) -> str:
    """Return what the author of a message is called; who has no persona is “You” in the reader's language."""
    if message.role == "user" and message.name == NOBODY:
        return QCoreApplication.translate("MessageHead", "You")
    return message.name


def local_time(moment: datetime) -> QDateTime:
    """Return a moment in the zone of this machine."""
    return QDateTime.fromSecsSinceEpoch(int(moment.timestamp()))


def paint_ground(painter: QPainter, rect: QRectF, *, flashing: bool, focused: bool) -> None:
    """Paint what lies under a message: the mark of a jump, and the ring of the keyboard."""
    theme = current_theme()
    if flashing:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("accent_soft"))
        painter.drawRoundedRect(rect, theme.radius("card"), theme.radius("card"))
    if focused:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("accent"), 1))
        ring = rect.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(ring, theme.radius("card"), theme.radius("card"))


@dataclass(slots=True)
class MessageHead:
    """Who wrote a message, when, and how long it is."""

    message: Message
    image: QImage | None = None
    streaming: bool = False

    @property
    def name(self) -> str:
        """What the author is called."""
        return shown_name(self.message)

    @property
    def indent(self) -> int:
        """Pixels from the left edge of the avatar to the left edge of the text."""
        theme = current_theme()
        return theme.size("avatar") + theme.space(3)

    def facts(self) -> str:
        """Return number, time and size in words."""
        message, locale = self.message, QLocale()
        parts = [f"#{message.number}", short_time(local_time(message.created_at))]
        if self.streaming:
            parts.append(QCoreApplication.translate("MessageHead", "writing…"))
        elif message.swipe.tokens:
            parts.append(
                QCoreApplication.translate("MessageHead", "~{count} tokens").format(
                    count=locale.toString(message.swipe.tokens)
                )
            )
        if message.hidden:
            parts.append(QCoreApplication.translate("MessageHead", "hidden from the model"))
        if message.checkpoint:
            parts.append(
                QCoreApplication.translate("MessageHead", "checkpoint “{name}”").format(
                    name=one_line(message.checkpoint, 40)
                )
            )
        return " · ".join(parts)

    def explanation(self) -> str:
        """Return what the facts mean, as plain text."""
        message = self.message
        when = QLocale().toString(local_time(message.created_at), QLocale.FormatType.LongFormat)
        lines = [
            QCoreApplication.translate("MessageHead", "Message {number}, written {when}.").format(
                number=message.number, when=when
            )
        ]
        if message.swipe.tokens:
            lines.append(
                QCoreApplication.translate(
                    "MessageHead", "“~” marks an estimate: the server's own count may differ a little."
                )
            )
        if message.swipe.model:
            # A tool tip that begins like HTML would be shown as HTML; a model's name comes from outside.
            lines.append(
                QCoreApplication.translate("MessageHead", "Model: {model}").format(
                    model=model_name(message.swipe.model).replace("<", "‹")
                )
            )
        return "\n".join(lines)

    def _name_width(self, width: int) -> int:
        room = max(40, width - self.indent - 160)
        return min(
            room, QFontMetrics(current_theme().font("strong")).horizontalAdvance(shown_name(self.message))
        )

    def facts_rect(self, left: int, top: int, width: int) -> QRect:
        """Return where the facts stand in a column of `width` pixels."""
        start = left + self.indent + self._name_width(width) + 8
        start += MARK if self.message.hidden else 0
        words = QFontMetrics(current_theme().font("small")).horizontalAdvance(self.facts())
        return QRect(start, top, words + 4, HEIGHT - 2)

    def paint(self, painter: QPainter, left: int, top: int, width: int, taken: int = 0) -> None:
        """Paint avatar, name and facts; at the right end `taken` pixels belong to others."""
        theme = current_theme()
        side = theme.size("avatar")
        font = theme.font("strong")
        name = shown_name(self.message)
        painter.setOpacity(DIM if self.message.hidden else 1.0)
        paint_avatar(painter, QRectF(left, top, side, side), name, self.image, theme.radius("card"), font)
        room = self._name_width(width)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        shown = QFontMetrics(font).elidedText(name, Qt.TextElideMode.ElideRight, room + 1)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        painter.drawText(QRect(left + self.indent, top, room + 2, HEIGHT - 2), middle, shown)
        painter.setOpacity(1.0)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text_soft"))
        facts = self.facts_rect(left, top, width)
        if self.message.hidden:
            icon("eye-off").paint(painter, facts.left() - MARK, top + (HEIGHT - 2 - 14) // 2, 14, 14)
        room = min(facts.width(), left + width - taken - facts.left())
        words = painter.fontMetrics().elidedText(self.facts(), Qt.TextElideMode.ElideRight, room)
        painter.drawText(facts, middle, words)
