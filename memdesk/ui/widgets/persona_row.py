"""The foot of the left side: who the person plays, and the menu."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from memdesk.chats.model import Persona
from memdesk.chats.text import one_line
from memdesk.ui.icons import draw_icon, icon
from memdesk.ui.pictures import Pictures
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar

FACE, ICON = 30, 16


class _Who(QAbstractButton):
    """Face, name and a caption; pressed, it lets another persona be chosen."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = ""
        self._image: QImage | None = None
        self.caption = ""
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_person(self, name: str, image: QImage | None) -> None:
        self._name, self._image = name, image
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(160, FACE + 12)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.update()
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.hasFocus() or self.isDown():
            painter.setBrush(theme.color("sunken"))
            painter.setPen(theme.color("accent") if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        top = (self.height() - FACE) / 2
        paint_avatar(painter, QRectF(6, top, FACE, FACE), self._name, self._image, 7, theme.font("strong"))
        left, room = FACE + 15, self.width() - FACE - 15 - ICON - 12
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine
        middle |= Qt.AlignmentFlag.AlignAbsolute
        half = self.height() / 2
        for role, color, text, y, height in (
            ("ui", "text", self._name, 4.0, half - 3),
            ("small", "text_soft", self.caption, half, half - 4),
        ):
            font = theme.font("small" if role == "small" else "ui")
            painter.setFont(font)
            painter.setPen(theme.color(color))
            shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(left, y, room, height), middle, shown)
        place = QRectF(self.width() - ICON - 6, (self.height() - ICON) / 2, ICON, ICON)
        draw_icon(painter, "chevron-up", place, theme.hex("text_soft"))
        painter.end()


class PersonaRow(QWidget):
    """Shows who the person plays in the open chat."""

    switchRequested = Signal(object)
    """The button that the choice opens above"""

    def __init__(self, pictures: Pictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("persona-row")
        self._pictures = pictures
        self._persona: Persona | None = None
        self.who = _Who(self)
        self.who.caption = self.tr("Persona")
        self.who.clicked.connect(lambda: self.switchRequested.emit(self.who))
        self.more_button = QToolButton(self)
        self.more_button.setIcon(icon("more"))
        self.more_button.setAccessibleName(self.tr("Menu"))
        self.more_button.setToolTip(self.tr("Menu"))
        self.more_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 12, 3)
        row.setSpacing(6)
        row.addWidget(self.who, 1)
        row.addWidget(self.more_button)
        pictures.arrived.connect(self._show)

    def set_persona(self, persona: Persona | None) -> None:
        """Show someone; None stands for nobody in particular."""
        self._persona = persona
        self._show()

    def _show(self) -> None:
        persona = self._persona
        name = one_line(persona.name, 80) if persona else self.tr("You")
        self.who.set_person(name, self._pictures.get(persona.avatar if persona else None))
        self.who.setAccessibleName(self.tr("You play {name}").format(name=name))
        self.who.setToolTip(self.tr("Choose who you play here"))
