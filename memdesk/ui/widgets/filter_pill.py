"""A pill that filters, and the painting of pills where there is no widget.

FilterPill("59 Vectorized", "ok", name="…")   checkable; toggled(bool)
paint_pill(painter, rect, text, tone, dot=True)
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from memdesk.ui.icons import draw_icon
from memdesk.ui.theme import current_theme

PILL_HEIGHT = 20
PILL_PAD = 8
_GAP, _DOT, _ICON = 5, 7, 12


def pill_width(metrics: QFontMetrics, text: str, *, dot: bool = False, icon: bool = False) -> int:
    """Return the width of a pill; without text it is only as wide as its icon asks for."""
    lead = (_DOT if dot else 0) + (_ICON if icon else 0)
    gap = _GAP if lead and text else 0
    return 2 * (PILL_PAD if text else _GAP) + lead + gap + metrics.horizontalAdvance(text)


def paint_pill(
    painter: QPainter, rect: QRectF, text: str, ground: QColor, ink: QColor, *, dot: QColor | None, icon: str
) -> None:
    """Paint words with a dot or an icon on a rounded ground, in the painter's font."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ground)
    painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
    left = rect.left() + (PILL_PAD if text else _GAP)
    middle = rect.center().y()
    if dot is not None:
        painter.setBrush(dot)
        painter.drawEllipse(QRectF(left, middle - _DOT / 2, _DOT, _DOT))
        left += _DOT + _GAP
    if icon:
        draw_icon(painter, icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), ink.name())
        left += _ICON + _GAP
    if text:
        painter.setPen(ink)
        room = QRectF(left, rect.top(), rect.right() - left - PILL_PAD + 2, rect.height())
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room.width() + 1))
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)


class FilterPill(QAbstractButton):
    """Words with a dot that filter a list while they are pressed in. 28 pixels to hit, 21 to see.

    `tone` is ok, wait, bad or frozen (with its soft ground), or the name of a prompt source.
    """

    def __init__(self, tone: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tone = tone
        self.setCheckable(True)
        self.setFont(current_theme().font("small"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def say(self, text: str, why: str) -> None:
        """Show words, and explain them in a tool tip."""
        self.setText(text)
        self.setAccessibleName(text)
        self.setToolTip(why)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(pill_width(self.fontMetrics(), self.text(), dot=True) + 2, 28)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(48, self.sizeHint().width()), 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._tone in {"ok", "wait", "bad", "frozen"}:
            ground, ink = theme.color(f"{self._tone}_soft"), theme.color(self._tone)
            dot = ink
        else:
            ground, ink = theme.color("sunken"), theme.color("text_soft")
            dot = theme.context_color(self._tone)
        rect = QRectF(self.rect()).adjusted(1, 4, -1, -4)
        paint_pill(painter, rect, self.text(), ground, ink, dot=dot, icon="")
        if self.isChecked() or self.hasFocus() or self.underMouse():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            color = theme.color("accent") if self.hasFocus() else ink
            painter.setPen(QPen(color, 1.6 if self.isChecked() else 1))
            painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        painter.end()
