"""What stands where nothing is yet: what will appear, when, and the one action that makes it appear."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from memdesk.ui.dialogs.pieces import plain_label
from memdesk.ui.icons import draw_icon
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.once import OncePushButton


class _Picture(QWidget):
    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(28, 28)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        draw_icon(painter, self._name, QRectF(self.rect()), current_theme().hex("text_soft"))
        painter.end()


class EmptyPage(QWidget):
    """An icon, a title, a few sentences and at most one button; `pressed` when it is used."""

    pressed = Signal()

    def __init__(self, icon_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        middle = Qt.AlignmentFlag.AlignHCenter
        self._title = plain_label("", "strong")
        self._text = plain_label("", "soft")
        self._action = OncePushButton()
        self._action.clicked.connect(self.pressed)
        for label in (self._title, self._text):
            label.setAlignment(middle)
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 24, 32, 24)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(_Picture(icon_name), 0, middle)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addSpacing(4)
        column.addWidget(self._action, 0, middle)
        column.addStretch(3)

    def say(self, title: str, text: str, action: str = "") -> None:
        """Show other words; without an action there is no button."""
        self._title.setText(title)
        self._text.setText(text)
        self._action.setText(action)
        self._action.setAccessibleName(action)
        self._action.setVisible(bool(action))
