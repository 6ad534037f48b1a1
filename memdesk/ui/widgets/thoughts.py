"""What a model thought before and while it replied: one quiet line that opens, above the reply.

    fold = ThoughtsFold(parent); fold.setThoughts(text, seconds=12.4)
    fold.beginThinking(text); fold.grow(text); fold.settle()
    fold.height_for(width) -> int;  signal heightChanged
    Thoughtful                      a widget that has such a fold when there are thoughts

While thoughts come in they are in sight; when the reply begins, or ends, they fold away.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from memdesk.chats.model import Swipe
from memdesk.ui.icons import icon
from memdesk.ui.roleplay_text import clean
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.plain_text import PlainTextEdit

SHOWN = 50_000
"""Of longer thoughts the end is shown while they come, later the beginning."""

_HEAD, _GAP = 28, 4
_GROWING, _MOST = 96, 260
"""Highest text in pixels while it grows, and when it was opened."""


class ThoughtsFold(QWidget):
    """A head with duration and size, and the thoughts below it while it is open."""

    heightChanged = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = ""
        self._seconds: float | None = None
        self._growing = False
        self._head = QToolButton(self)
        self._head.setCheckable(True)
        self._head.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._head.setIconSize(QSize(12, 12))
        self._head.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._head.setToolTip(self.tr("What the model thought. It is never sent back and never remembered."))
        self._head.toggled.connect(self._toggled)
        self._body: PlainTextEdit | None = None
        self._describe()

    @property
    def text(self) -> str:
        """The thoughts."""
        return self._text

    @property
    def open(self) -> bool:
        """Whether they are in sight."""
        return self._head.isChecked()

    def setThoughts(self, text: str, seconds: float | None = None) -> None:
        """Show whole thoughts; `seconds` is how long they took, None when nobody knows."""
        same = text == self._text and seconds == self._seconds and not self._growing
        if same:
            return
        if self._growing:
            self._growing = False
            self._head.setChecked(False)
        self._text, self._seconds = text, seconds
        if self._body is not None:
            self._body.setPlainText(clean(text[:SHOWN]))
        self._describe()
        self.heightChanged.emit()

    def beginThinking(self, text: str) -> None:
        """Show thoughts that are still coming in."""
        self._growing = True
        self._text, self._seconds = text, None
        self._head.setChecked(True)
        if self._body is not None:
            self._body.setPlainText(clean(text[-SHOWN:]))
            self._to_end()
        self._describe()
        self.heightChanged.emit()

    def grow(self, text: str) -> None:
        """Add to thoughts that are coming in."""
        if not self._growing:
            self.beginThinking(self._text + text)
            return
        self._text += text
        if self._body is not None:
            before = self._body.height()
            cursor = QTextCursor(self._body.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(clean(text))
            self._to_end()
            if self.open and before < _GROWING:
                self.heightChanged.emit()
        self._describe()

    def settle(self) -> None:
        """Fold away, because the reply has begun."""
        if self._growing:
            self._growing = False
            self._head.setChecked(False)
            self._describe()

    def _to_end(self) -> None:
        if self._body is not None:
            bar = self._body.verticalScrollBar()
            bar.setValue(bar.maximum())

    def _describe(self) -> None:
        number = self.locale().toString
        size = self.tr("{0} characters").format(number(len(self._text)))
        if self._growing:
            words = self.tr("Thinking…") + f" · {size}"
        elif self._seconds is not None:
            took = self.tr("{0} s").format(number(self._seconds, "f", 1 if self._seconds < 10 else 0))
            words = " · ".join((self.tr("Thoughts"), took, size))
        else:
            words = " · ".join((self.tr("Thoughts"), size))
        self._head.setText(words)
        self._head.setAccessibleName(words)
        self._head.setIcon(icon("chevron-down" if self.open else "right"))
        self._head.resize(self._head.sizeHint().width(), _HEAD)

    def _toggled(self, opened: bool) -> None:
        if opened and self._body is None:
            self._body = PlainTextEdit(self)
            self._body.setReadOnly(True)
            self._body.setTabChangesFocus(True)
            self._body.setFont(current_theme().font("ui"))
            self._body.setAccessibleName(self.tr("Thoughts of the model"))
            self._body.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self._body.setPlainText(clean(self._text[:SHOWN]))
        if self._body is not None:
            self._body.setVisible(opened)
        self._describe()
        self.heightChanged.emit()

    def height_for(self, width: int) -> int:
        """Return the height in a column of `width` pixels, and lay the parts out."""
        self._head.move(0, 0)
        if self._body is None or not self.open:
            return _HEAD + _GAP
        self._body.setGeometry(0, _HEAD, width, max(40, self._body.height()))
        lines = max(1, round(self._body.document().size().height()))
        wanted = lines * self._body.fontMetrics().lineSpacing() + 20
        height = max(40, min(wanted, _GROWING if self._growing else _MOST))
        self._body.setGeometry(0, _HEAD, width, height)
        return _HEAD + height + _GAP + 4


class Thoughtful(QWidget):
    """A widget that shows a message's thoughts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._thoughts: ThoughtsFold | None = None

    def thoughts(self, *, made: bool = True) -> ThoughtsFold | None:
        """Return the fold with the thoughts; when it is not there it is made, if it may be."""
        if self._thoughts is None and made:
            self._thoughts = ThoughtsFold(self)
            self._thoughts.heightChanged.connect(self._grown)
            self._thoughts.show()
        return self._thoughts

    def showThoughts(self, swipe: Swipe) -> None:
        """Show the thoughts of a reply that is not being written, or none."""
        fold = self.thoughts(made=bool(swipe.reasoning))
        if fold is not None and swipe.reasoning:
            seconds = swipe.generation.get("thought_seconds")
            fold.setThoughts(swipe.reasoning, seconds if isinstance(seconds, int | float) else None)
        elif fold is not None:
            self._keep_focus(fold)
            fold.hide()
            fold.deleteLater()
            self._thoughts = None

    def _keep_focus(self, child: QWidget) -> None:
        """Take the keyboard over from a part that goes away: Qt would give it to anything in the window."""
        focus = QApplication.focusWidget()
        if focus is not None and (focus is child or child.isAncestorOf(focus)):
            self.setFocus(Qt.FocusReason.OtherFocusReason)

    def _grown(self) -> None:
        """Take another height."""
        raise NotImplementedError
