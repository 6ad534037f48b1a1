"""Small rounded words: statuses, badges, sources, facts.

    StatusPill(status, count=None)      status: "Vectorized" | "Waiting for vector" | "Embedding unavailable"
    Badge(text, icon_name)              Frozen, Pinned, Edited, Imported …: one shape
    InfoPill(text, source=None)         a fact on a quiet ground, with the dot of a prompt source
    SourcePill(source, text)            the same as a button (clicked)
All: setText(text); text(). They are plain text, named for screen readers, and explain themselves by tool tip.
"""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from memdesk.ui.icons import draw_icon
from memdesk.ui.theme import current_theme

Status = Literal["Vectorized", "Waiting for vector", "Embedding unavailable"]

HEIGHT = 21
_PAD, _GAP, _DOT, _ICON = 8, 5, 7, 12
_TONES: dict[str, str] = {
    "Vectorized": "ok",
    "Waiting for vector": "wait",
    "Embedding unavailable": "bad",
}


def _width(metrics: QFontMetrics, text: str, *, dot: bool, icon: bool) -> int:
    lead = (_DOT + _GAP if dot else 0) + (_ICON + _GAP if icon else 0)
    return 2 * _PAD + lead + metrics.horizontalAdvance(text)


def _paint(
    painter: QPainter, rect: QRectF, text: str, ground: QColor, ink: QColor, dot: QColor | None, icon: str
) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    left = rect.left() + _PAD
    if dot is not None:
        painter.setBrush(dot)
        painter.drawEllipse(QRectF(left, rect.center().y() - _DOT / 2, _DOT, _DOT))
        left += _DOT + _GAP
    if icon:
        draw_icon(painter, icon, QRectF(left, rect.center().y() - _ICON / 2, _ICON, _ICON), ink.name())
        left += _ICON + _GAP
    painter.setPen(ink)
    room = QRectF(left, rect.top(), rect.right() - left - _PAD + 2, rect.height())
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width() + 1))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)


class Pill(QWidget):
    """A word on a coloured ground; see the kinds below."""

    def __init__(self, text: str, ground: str, ink: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._ground, self._ink = ground, ink
        self._icon = ""
        self._dot: str | None = None
        self.setFont(current_theme().font("small"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def text(self) -> str:
        """Return the words."""
        return self._text

    def setText(self, text: str) -> None:
        """Show other words."""
        self._text = text
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(_width(metrics, self._text, dot=self._dot is not None, icon=bool(self._icon)), HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(48, self.sizeHint().width()), HEIGHT)

    def _dot_color(self) -> QColor | None:
        return current_theme().color(self._ink) if self._dot == "" else None

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        ground, ink = theme.color(self._ground), theme.color(self._ink)
        _paint(painter, QRectF(self.rect()), self._text, ground, ink, self._dot_color(), self._icon)
        painter.end()


class StatusPill(Pill):
    """One of the three statuses: a dot and its words, with a count in front when it sums up several."""

    def __init__(self, status: Status, count: int | None = None, parent: QWidget | None = None) -> None:
        super().__init__("", "ok_soft", "ok", parent)
        self._dot = ""
        self.setStatus(status, count)

    def setStatus(self, status: Status, count: int | None = None) -> None:
        """Show a status; KeyError for anything but the three phrases."""
        tone = _TONES[status]
        self._ground, self._ink = f"{tone}_soft", tone
        words, why = {
            "Vectorized": (
                self.tr("Vectorized"),
                self.tr("Has a vector for the current model: can be recalled by meaning and by words."),
            ),
            "Waiting for vector": (
                self.tr("Waiting for vector"),
                self.tr("Will be embedded in the background; until then it is recalled by words only."),
            ),
            "Embedding unavailable": (
                self.tr("Embedding unavailable"),
                self.tr("The embedding model does not work at the moment; it is recalled by words only."),
            ),
        }[status]
        self.setText(words if count is None else f"{self.locale().toString(count)} {words}")
        self.setToolTip(why)


class Badge(Pill):
    """A mark of a memory: Frozen, Pinned, Edited, Imported."""

    def __init__(self, text: str, icon_name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, "frozen_soft", "frozen", parent)
        self._icon = icon_name


class InfoPill(Pill):
    """A fact on a quiet ground."""

    def __init__(self, text: str, source: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(text, "sunken", "text_soft", parent)
        self._dot = source
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def _dot_color(self) -> QColor | None:
        return current_theme().context_color(self._dot) if self._dot else None


class SourcePill(QAbstractButton):
    """How much of a source went into a reply; a click asks for the receipt. 28 pixels to hit, 21 to see."""

    def __init__(self, source: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self.setFont(current_theme().font("small"))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(self.tr("What memdesk put into the prompt of this reply. Click to see why."))

    def sizeHint(self) -> QSize:
        return QSize(_width(self.fontMetrics(), self.text(), dot=True, icon=False), 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(48, self.sizeHint().width()), 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        rect = QRectF(self.rect()).adjusted(0.5, 3.5, -0.5, -3.5)
        hot = self.underMouse() or self.isDown()
        ground, ink = (
            theme.color("accent_soft" if hot else "sunken"),
            theme.color("text" if hot else "text_soft"),
        )
        _paint(painter, rect, self.text(), ground, ink, theme.context_color(self._source), "")
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.end()


def source_words(source: str, count: int) -> str:
    """Return "3 memories", "1 summary", …, in the language of the window."""
    phrases = {
        "memory": QCoreApplication.translate("SourcePill", "%n memories", "", count),
        "summary": QCoreApplication.translate("SourcePill", "%n summaries", "", count),
        "lore": QCoreApplication.translate("SourcePill", "%n lore", "", count),
        "databank": QCoreApplication.translate("SourcePill", "%n files", "", count),
    }
    if count == 1:
        phrases |= {
            "memory": QCoreApplication.translate("SourcePill", "1 memory"),
            "summary": QCoreApplication.translate("SourcePill", "1 summary"),
            "databank": QCoreApplication.translate("SourcePill", "1 file"),
        }
    return phrases[source]
