"""A short word over the foot of the page, with at most one thing to do about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QToolButton, QWidget

from memdesk.ui.icons import icon
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.once import OncePushButton

SHOWN_MS = 8000
ERROR_MS = 20_000
"""An error stays longer: it takes time to read, and to act on."""

_MOST_WIDTH = 560
_ICON = 16
_ABOVE = 48
"""Pixels between the word and the lower edge: the way to the newest message stays free."""


class Toast(QWidget):
    """Stands above its parent's lower edge, or that of a widget in it; a new word replaces the old one.

    It never takes the keyboard by itself, and gives it back to where it was.
    """

    def __init__(self, parent: QWidget, page: QWidget | None = None) -> None:
        """Stand over the lower part of `page`, a widget inside the window `parent`; else of the window."""
        super().__init__(parent)
        self._ground = parent
        self._page = page or parent
        self._error = False
        self._action: Callable[[], None] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._sign = QLabel(self)
        self._sign.setFixedSize(_ICON, _ICON)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setWordWrap(True)
        self._button = OncePushButton(self)
        self._button.clicked.connect(self._act)
        close = QToolButton(self)
        close.setIcon(icon("close"))
        close.setAccessibleName(self.tr("Dismiss"))
        close.setToolTip(self.tr("Dismiss"))
        close.clicked.connect(self.hide)
        for button in (self._button, close):
            # A click must not take the keyboard away from the message or the composer it is on.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(12)
        row.addWidget(self._sign)
        row.addWidget(self._label, 1)
        row.addWidget(self._button)
        row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
        for watched in {parent, self._page}:
            watched.installEventFilter(self)
        self.hide()

    def say(
        self, text: str, action: str = "", run: Callable[[], None] | None = None, *, error: bool = False
    ) -> None:
        """Show a text; `action` is the word on a button that does `run`. An error is marked as one."""
        self._error = error
        self._sign.setVisible(error)
        if error:
            ratio = self.devicePixelRatioF()
            self._sign.setPixmap(icon("warning", "bad").pixmap(QSize(_ICON, _ICON), ratio))
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

    @property
    def is_error(self) -> bool:
        """Whether what is said is an error."""
        return self._error

    def hideEvent(self, event: QHideEvent) -> None:
        """Give the keyboard back: Qt would give it to whatever comes next in the window."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._page.setFocus(Qt.FocusReason.OtherFocusReason)
        super().hideEvent(event)

    def _act(self) -> None:
        self.hide()
        if self._action is not None:
            self._action()

    def _place(self) -> None:
        page = self._page
        room = QRect(
            page.mapTo(self._ground, QPoint()) if page is not self._ground else QPoint(), page.size()
        )
        width = min(_MOST_WIDTH, room.width() - 32)
        plain = self._label.fontMetrics().horizontalAdvance(self._label.text()) + 96
        if self._error:
            plain += _ICON + 12
        if self._button.text():
            plain += self._button.sizeHint().width() + 12
        width = min(width, max(plain, 240))
        self.setFixedWidth(width)
        self.setFixedHeight(self._row.heightForWidth(width))
        # A long word in a low page grows upwards over the edge of the page, never out of the window.
        top = max(0, room.bottom() + 1 - self.height() - _ABOVE)
        self.move(room.left() + (room.width() - width) // 2, top)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and self.isVisible():
            self._place()
        return False

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.color("raised"))
        painter.setPen(theme.color("bad" if self._error else "line_strong"))
        radius = theme.radius("bubble")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
