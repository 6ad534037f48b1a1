"""A short word at the foot of the window, with at most one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from memdesk.ui.icons import icon
from memdesk.ui.theme import current_theme

SHOWN_MS = 8000
ERROR_MS = 20_000
"""An error stays longer: it takes time to read, and to act on."""

_MOST_WIDTH = 560


class Toast(QWidget):
    """Stands above its parent's lower edge, centred; a new word replaces the old one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._ground = parent
        self._action: Callable[[], None] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._button = QPushButton(self)
        self._button.clicked.connect(self._act)
        close = QToolButton(self)
        close.setIcon(icon("close"))
        close.setAccessibleName(self.tr("Dismiss"))
        close.setToolTip(self.tr("Dismiss"))
        close.clicked.connect(self.hide)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        parent.installEventFilter(self)
        self.hide()

    def say(
        self, text: str, action: str = "", run: Callable[[], None] | None = None, *, error: bool = False
    ) -> None:
        """Show a text; `action` is the word on a button that does `run`."""
        self._label.setText(text)
        # The words themselves: any other name would be read out in their place.
        self._label.setAccessibleName(text)
        self._button.setText(action)
        self._button.setAccessibleName(action)
        self._button.setVisible(bool(action))
        self._action = run
        self._place()
        self.show()
        self.raise_()
        self._timer.start(ERROR_MS if error else SHOWN_MS)

    def text(self) -> str:
        """Return what is said."""
        return self._label.text()

    def _act(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()

    def _place(self) -> None:
        parent = self._ground
        width = min(_MOST_WIDTH, parent.width() - 32)
        plain = self._label.fontMetrics().horizontalAdvance(self._label.text()) + 96
        if self._button.text():
            plain += self._button.sizeHint().width() + 12
        width = min(width, max(plain, 240))
        self.setFixedWidth(width)
        self.setFixedHeight(self._row.heightForWidth(width))
        self.move((parent.width() - width) // 2, parent.height() - self.height() - 48)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.color("raised"))
        painter.setPen(theme.color("line_strong"))
        radius = theme.radius("bubble")
        painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), radius, radius)
