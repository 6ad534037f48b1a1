"""The bar over a chat in which one looks for words.

    bar = FindBar(); bar.begin(); bar.setPlace(3, 17); bar.setNotice("…")
Signals: changed(text, by_meaning) a moment after the last key, stepped(delta), everywhere(text), closed().

Enter goes to the next place, Shift+Enter to the one before, Esc closes.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLineEdit, QPushButton, QToolButton, QWidget

from memdesk.ui.dialogs.pieces import plain_label
from memdesk.ui.icons import icon

TYPING_MS = 180
"""Pause in typing after which is looked."""


class FindBar(QFrame):
    """A field, how many places there are, and the way from one to the next."""

    changed = Signal(str, bool)
    stepped = Signal(int)
    everywhere = Signal(str)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "surface")
        self.setAccessibleName(self.tr("Find in this chat"))
        self._composing = False
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(TYPING_MS)
        self._typing.timeout.connect(self._look)
        self.field = QLineEdit(self)
        self.field.setPlaceholderText(self.tr("Find in this chat"))
        self.field.setAccessibleName(self.tr("Words to find"))
        self.field.setToolTip(self.tr("Words in any order; “in quotation marks” as they stand."))
        self.field.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.field.setMinimumWidth(120)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(lambda _text: self._typing.start())
        self._place = plain_label("", "soft", wrap=False)
        self._place.setAccessibleName(self.tr("Places found"))
        self._previous = self._tool("chevron-up", self.tr("Previous place"), -1)
        self._next = self._tool("chevron-down", self.tr("Next place"), 1)
        self.meaning = QCheckBox(self.tr("By meaning"), self)
        self.meaning.setAccessibleName(self.tr("Find by meaning"))
        self.meaning.setToolTip(
            self.tr(
                "Find messages that say something like it, the nearest first. Needs memories with vectors."
            )
        )
        self.meaning.toggled.connect(lambda _on: self._look())
        everywhere = QPushButton(self.tr("All chats"), self)
        everywhere.setProperty("kind", "quiet")
        everywhere.setAccessibleName(self.tr("Find in all chats"))
        everywhere.clicked.connect(lambda: self.everywhere.emit(self.field.text()))
        close = QToolButton(self)
        close.setIcon(icon("close"))
        close.setAccessibleName(self.tr("Close the find bar"))
        close.setToolTip(self.tr("Close (Esc)"))
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 10, 6)
        row.setSpacing(6)
        row.addWidget(self.field, 1)
        for widget in (self._place, self._previous, self._next, self.meaning, everywhere, close):
            row.addWidget(widget)
        self.setPlace(0, 0)
        self.hide()

    def _tool(self, name: str, words: str, delta: int) -> QToolButton:
        button = QToolButton(self)
        button.setIcon(icon(name))
        button.setAccessibleName(words)
        button.setToolTip(words)
        button.clicked.connect(lambda: self.stepped.emit(delta))
        return button

    @property
    def looking(self) -> bool:
        """Whether something was typed that has not been looked for yet."""
        return self._typing.isActive()

    def begin(self, text: str = "") -> None:
        """Show the bar with the cursor in it; `text` is what to look for, "" for what stands there."""
        self.show()
        if text:
            self.field.setText(text)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.field.text():
            self._look()

    def setPlace(self, at: int, total: int) -> None:
        """Say at which of how many places one is; 0 of 0 for none."""
        number = self.locale().toString
        if total:
            words = self.tr("{0} of {1}").format(number(at), number(total))
        else:
            words = self.tr("Nothing found") if self.field.text().strip() else ""
        self.setNotice(words)
        for button in (self._previous, self._next):
            button.setEnabled(total > 0)

    def setNotice(self, words: str, tip: str = "") -> None:
        """Say something in the place of the count."""
        self._place.setText(words)
        self._place.setToolTip(tip)
        self._place.setAccessibleDescription(words)

    def words(self) -> str:
        """Return what stands in the place of the count."""
        return self._place.text()

    def _look(self) -> None:
        self._typing.stop()
        if self.isVisible():
            self.changed.emit(self.field.text(), self.meaning.isChecked())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QInputMethodEvent):
            self._composing = bool(event.preeditString())
        elif watched is self.field and event.type() == QEvent.Type.KeyPress and not self._composing:
            return (isinstance(event, QKeyEvent) and self._key(event)) or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _key(self, event: QKeyEvent) -> bool:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if self.looking:
                    self._look()
                else:
                    back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                    self.stepped.emit(-1 if back else 1)
            case Qt.Key.Key_Down | Qt.Key.Key_Up as key:
                self.stepped.emit(1 if key == Qt.Key.Key_Down else -1)
            case _:
                return False
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Esc, wherever in the bar the focus is."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)
