"""What stands around the text of a message: actions, swipes, sources, states, the editor.

ActionRow(kinds)          signals triggered(kind); kinds are `Action` values
SwipeControl              setSwipe(number, count); signal stepped(delta)
MessageEditor(text)       signals saved(text), cancelled
action_words(action)      the name of an action in the language of the window
"""

from __future__ import annotations

import enum

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.chats.model import Message
from memdesk.ui.icons import icon
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.once import OncePushButton, OnceToolButton
from memdesk.ui.widgets.plain_text import PlainTextEdit


class Action(enum.StrEnum):
    """What can be done to a message; the value is the name of its icon."""

    EDIT = "edit"
    PROMPT = "eye"
    REGENERATE = "regenerate"
    COPY = "copy"
    DELETE = "trash"
    MORE = "more"


def actions_of(message: Message) -> list[Action]:
    """Return what stands under a message as buttons, in order."""
    kinds = [Action.EDIT]
    if message.role == "assistant":
        if message.swipe.has_receipt:
            kinds.append(Action.PROMPT)
        kinds.append(Action.REGENERATE)
    return [*kinds, Action.COPY, Action.DELETE, Action.MORE]


def action_words(action: Action) -> str:
    """Return the name of an action in the language of the window."""
    return {
        Action.EDIT: QCoreApplication.translate("MessageAction", "Edit message"),
        Action.PROMPT: QCoreApplication.translate("MessageAction", "Show prompt"),
        Action.REGENERATE: QCoreApplication.translate("MessageAction", "Regenerate"),
        Action.COPY: QCoreApplication.translate("MessageAction", "Copy text"),
        Action.DELETE: QCoreApplication.translate("MessageAction", "Delete message"),
        Action.MORE: QCoreApplication.translate("MessageAction", "More actions"),
    }[action]


def _tool(name: str, words: str, parent: QWidget) -> QToolButton:
    # Versions are leafed through as fast as one likes.
    button = QToolButton(parent) if name in ("left", "right") else OnceToolButton(parent)
    button.setIcon(icon(name))
    button.setIconSize(QSize(16, 16))
    button.setFixedSize(28, 28)
    button.setAccessibleName(words)
    button.setToolTip(words)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def _row(parent: QWidget, spacing: int = 0) -> QHBoxLayout:
    layout = QHBoxLayout(parent)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(spacing)
    return layout


class ActionRow(QWidget):
    """The actions of a message as flat buttons."""

    triggered = Signal(Action)

    def __init__(self, actions: list[Action], parent: QWidget) -> None:
        super().__init__(parent)
        layout = _row(self)
        self._buttons: dict[Action, QToolButton] = {}
        for action in actions:
            button = _tool(action.value, action_words(action), self)
            button.clicked.connect(lambda _=False, action=action: self.triggered.emit(action))
            layout.addWidget(button)
            self._buttons[action] = button

    @property
    def actions_shown(self) -> list[Action]:
        """The actions in their order."""
        return list(self._buttons)


class SwipeControl(QWidget):
    """‹ 2 / 5 ›: which version of a reply is shown; the right arrow on the last one asks for another."""

    stepped = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        layout = _row(self)
        self._left = _tool("left", self.tr("Previous version"), self)
        self._right = _tool("right", self.tr("Next version"), self)
        self._label = QLabel(self)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setProperty("tone", "soft")
        self._label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for part in (self._left, self._label, self._right):
            layout.addWidget(part)
        self._left.clicked.connect(lambda: self.stepped.emit(-1))
        self._right.clicked.connect(lambda: self.stepped.emit(1))

    def setSwipe(self, number: int, count: int, *, may_add: bool) -> None:
        """Show version `number` (from 1) of `count`; `may_add`: stepping past the last makes a new one."""
        self._label.setText(f"{number} / {count}")
        self._label.setAccessibleName(
            self.tr("Version {number} of {count}").format(number=number, count=count)
        )
        self._left.setEnabled(number > 1)
        self._right.setEnabled(may_add or number < count)
        last = self.tr("Write another version") if number >= count else self.tr("Next version")
        self._right.setToolTip(last)
        self._right.setAccessibleName(last)


class _EditorText(PlainTextEdit):
    save = Signal()
    cancel = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._composing = False

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier and not self._composing:
            self.save.emit()
        elif event.key() == Qt.Key.Key_Escape and not self._composing:
            self.cancel.emit()
        else:
            super().keyPressEvent(event)


class MessageEditor(QFrame):
    """Editing in place: Ctrl+Enter saves, Esc cancels."""

    saved = Signal(str)
    cancelled = Signal()
    changed = Signal(str)
    heightChanged = Signal()

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._text = _EditorText(self)
        self._text.setFont(current_theme().font("message"))
        self._text.setPlainText(text)
        self._text.setTabChangesFocus(True)
        self._text.setAccessibleName(self.tr("Message text"))
        self._text.textChanged.connect(lambda: self.changed.emit(self.text()))
        self._text.save.connect(self._save)
        self._text.cancel.connect(self.cancelled)
        self._text.document().documentLayout().documentSizeChanged.connect(
            lambda _: self.heightChanged.emit()
        )
        hint = QLabel(self.tr("Ctrl+Enter saves · Esc cancels"), self)
        hint.setTextFormat(Qt.TextFormat.PlainText)
        hint.setProperty("tone", "small")
        save = OncePushButton(self.tr("Save"), self)
        save.setProperty("kind", "primary")
        save.clicked.connect(self._save)
        cancel = OncePushButton(self.tr("Cancel"), self)
        cancel.clicked.connect(self.cancelled)
        buttons = QHBoxLayout()
        buttons.addWidget(hint)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(save)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self._text, 1)
        layout.addLayout(buttons)

    def text(self) -> str:
        """Return the text as edited."""
        return self._text.text()

    def focusText(self) -> None:
        """Put the cursor at the end of the text."""
        self._text.moveCursor(self._text.textCursor().MoveOperation.End)
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _save(self) -> None:
        self.saved.emit(self.text())

    def height_for(self, limit: int) -> int:
        """Return the height that shows the text, up to `limit` pixels."""
        lines = int(self._text.document().size().height())
        text = (lines + 1) * self._text.fontMetrics().lineSpacing() + 24
        return max(96, min(text + 40, limit))
