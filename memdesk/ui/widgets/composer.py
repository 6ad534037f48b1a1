"""Where one writes.

    composer = Composer()
    composer.setPersonaName("Jonas")                 placeholder “Write as Jonas…”
    composer.setEnterSends(True)                     else Ctrl+Enter sends and Enter breaks the line
    composer.setGenerating(True)                     the button becomes Stop, Esc stops
    composer.setPrompt(5140, 8192)                   “next prompt ≈ 5,140 of 8,192”; None, None hides it
    composer.setTooLarge("About 9,000 tokens …")     “does not fit”, explained on hover, until setPrompt
    composer.setRecall(3)                            “would recall 3”; None hides it
    composer.setClosed("Open a chat to write.")      takes nothing, and says why; "" opens it
    composer.text(), setText(text), focusText()
    composer.setDraft(text, sent)                    another chat's draft; `sent` is being stored
    composer.accept()                                the text sent is safe: clear what was sent
    composer.refuse(reason="")                       it was not taken: everything stays, the reason is shown
Signals: sendRequested(text), stopRequested, editLastRequested, swipeRequested(delta), textEdited.

The text is cleared only by `accept()`, and only as far as it is what was sent: words typed meanwhile stay.
Enter while an input method composes belongs to the input method.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.ui.icons import icon
from memdesk.ui.keymap import current_keymap
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.once import OnceToolButton
from memdesk.ui.widgets.pills import InfoPill
from memdesk.ui.widgets.plain_text import PlainTextEdit

MOST_LINES = 8


class _Input(PlainTextEdit):
    send = Signal()
    stop = Signal()
    editLast = Signal()
    swipe = Signal(int)
    focusChanged = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.enter_sends = True
        self.composing = False
        self.setProperty("bare", True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)
        self.setFont(current_theme().font("message"))
        # The margin and the font count as something to undo until now.
        self.document().clearUndoRedoStacks()

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl+Z to the window when there is nothing to take back here."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            undo = event.matches(QKeySequence.StandardKey.Undo)
            if undo and not self.document().availableUndoSteps():
                event.ignore()
                return False
        return super().event(event)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        self.composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.composing or not self._handle(event):
            super().keyPressEvent(event)

    def _handle(self, event: QKeyEvent) -> bool:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            wanted = (
                Qt.KeyboardModifier.NoModifier if self.enter_sends else Qt.KeyboardModifier.ControlModifier
            )
            if modifiers == wanted or modifiers == Qt.KeyboardModifier.ControlModifier:
                self.send.emit()
            else:
                self.insertPlainText("\n")
            return True
        keys = current_keymap()
        if keys.matches(event, "composer.stop"):
            self.stop.emit()
            return True
        # A key alone moves the cursor while there is a text.
        if modifiers & ~Qt.KeyboardModifier.ShiftModifier or not self.text():
            if keys.matches(event, "composer.edit_last"):
                self.editLast.emit()
                return True
            for delta, name in ((-1, "composer.previous_version"), (1, "composer.next_version")):
                if keys.matches(event, name):
                    self.swipe.emit(delta)
                    return True
        return False

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focusChanged.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focusChanged.emit()


class Composer(QWidget):
    """A page-wide card with the text, what the next prompt would hold, and Send."""

    sendRequested = Signal(str)
    stopRequested = Signal()
    editLastRequested = Signal()
    swipeRequested = Signal(int)
    textEdited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._generating = False
        self._sent: str | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Composer"))
        self._input = _Input(self)
        self._input.setAccessibleName(self.tr("Message"))
        self._input.send.connect(self._send)
        self._input.stop.connect(self._stop)
        self._input.editLast.connect(self.editLastRequested)
        self._input.swipe.connect(self.swipeRequested)
        self._input.focusChanged.connect(self.update)
        self._input.textChanged.connect(self._edited)
        self._prompt = InfoPill("", None, self)
        self._prompt_tip = self.tr(
            "How many tokens of the context the next prompt takes with what you wrote: an estimate."
        )
        self._prompt.setToolTip(self._prompt_tip)
        self._recall = InfoPill("", "memory", self)
        self._recall.setToolTip(
            self.tr("How many memories would be recalled for what you have written so far.")
        )
        self._hint = QLabel(self)
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._hint.setFont(self._theme.font("small"))
        self._hint.setProperty("tone", "soft")
        self._problem = QLabel(self)
        self._problem.setTextFormat(Qt.TextFormat.PlainText)
        self._problem.setProperty("tone", "bad")
        self._problem.setWordWrap(True)
        self._problem.hide()
        self._more = QToolButton(self)
        self._more.setIcon(icon("more"))
        self._more.setFixedSize(30, 30)
        self._more.setAccessibleName(self.tr("More to write"))
        self._more.setToolTip(self.tr("Continue the reply, or let the model write your turn"))
        self._more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._more.hide()
        self._button = OnceToolButton(self)
        self._button.setProperty("kind", "primary")
        self._button.setIconSize(QSize(16, 16))
        self._button.setFixedSize(34, 30)
        self._button.clicked.connect(self._press)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        for part in (self._prompt, self._recall):
            part.hide()
            foot.addWidget(part)
        foot.addStretch(1)
        foot.addWidget(self._hint)
        foot.addWidget(self._more)
        foot.addWidget(self._button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(13, 11, 11, 11)
        layout.setSpacing(8)
        layout.addWidget(self._input)
        layout.addWidget(self._problem)
        layout.addLayout(foot)
        self.setPersonaName("")
        self.setEnterSends(True)
        self._refresh_button()
        self._fit()
        self._input.document().documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        self._theme.changed.connect(self._retheme)
        self.setFocusProxy(self._input)

    # -- settings -----------------------------------------------------------------------------------------

    def setPersonaName(self, name: str) -> None:
        """Say as whom one writes; "" for nobody in particular."""
        words = self.tr("Write as {name}…").format(name=name) if name else self.tr("Write a message…")
        self._say(words)

    def setClosed(self, reason: str) -> None:
        """Take nothing, and say why; "" takes words again."""
        self.setEnabled(not reason)
        self.setPrompt(None, None)
        self.setRecall(None)
        self.setPersonaName("")
        if reason:
            self._say(reason)

    def _say(self, words: str) -> None:
        self._input.setPlaceholderText(words)
        # Qt paints it anew when it comes or goes, but not when it only changes.
        self._input.viewport().update()

    def setEnterSends(self, sends: bool) -> None:
        """Choose whether Enter sends and Shift+Enter breaks the line, or Ctrl+Enter sends."""
        self._input.enter_sends = sends
        self._hint.setText(
            self.tr("Enter sends · Shift+Enter new line")
            if sends
            else self.tr("Ctrl+Enter sends · Enter new line")
        )

    def setGenerating(self, generating: bool) -> None:
        """Turn the button into Stop, or back."""
        self._generating = generating
        self._refresh_button()

    def setPrompt(self, used: int | None, context: int | None) -> None:
        """Show the estimated tokens of the next prompt and the context; None hides them."""
        shown = False
        if used is not None and context is not None:
            shown = True
            number = self.locale().toString
            words = self.tr("next prompt ≈ {used} of {context}")
            self._prompt.setText(words.format(used=number(used), context=number(context)))
            self._prompt.setToolTip(self._prompt_tip)
            self._prompt.setAccessibleDescription("")
        self._prompt.setVisible(shown)

    def setTooLarge(self, why: str) -> None:
        """Say in place of the tokens that the next prompt does not fit; `why` explains it on hover."""
        self._prompt.setText(self.tr("does not fit"))
        self._prompt.setToolTip(why)
        self._prompt.setAccessibleDescription(why)
        self._prompt.setVisible(True)
        self._recall.setVisible(False)

    def setRecall(self, count: int | None) -> None:
        """Show how many memories would be recalled; None hides it."""
        if count is not None:
            self._recall.setText(self.tr("would recall {count}").format(count=self.locale().toString(count)))
        self._recall.setVisible(count is not None)

    # -- text ---------------------------------------------------------------------------------------------

    def text(self) -> str:
        """Return what is written."""
        return self._input.text()

    def setText(self, text: str) -> None:
        """Write something, for instance a draft that was kept."""
        self._input.setPlainText(text)
        self._input.moveCursor(self._input.textCursor().MoveOperation.End)

    def append(self, text: str) -> None:
        """Write on at the end of what stands here, as a model does; one's own cursor stays where it is."""
        own = self._input.textCursor()
        at_end = own.atEnd() and not own.hasSelection()
        cursor = QTextCursor(self._input.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        if at_end:
            self._input.moveCursor(QTextCursor.MoveOperation.End)
        self._input.ensureCursorVisible()

    def setTurnMenu(self, menu: QMenu) -> None:
        """Offer what a model can write here beside the reply."""
        self._more.setMenu(menu)
        self._more.show()

    def setDraft(self, text: str, sent: str | None = None) -> None:
        """Show what was written for another chat; `sent` was handed over and is neither taken nor refused."""
        self._sent = sent
        if text != self.text():
            self.setText(text)
        self._problem.hide()
        self._refresh_button()

    def focusText(self) -> None:
        """Put the cursor into the text."""
        self._input.setFocus(Qt.FocusReason.OtherFocusReason)

    def accept(self) -> None:
        """Clear the text that was sent; text typed since then stays."""
        sent, self._sent = self._sent, None
        if sent is None:
            return
        now = self.text()
        if now == sent:
            # What was sent stands in the chat: Ctrl+Z must not bring it back here.
            self._input.setPlainText("")
        elif now.startswith(sent):
            cursor = self._input.textCursor()
            cursor.setPosition(0)
            cursor.setPosition(len(sent.encode("utf-16-le")) // 2, cursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
        self._refresh_button()

    def refuse(self, reason: str = "") -> None:
        """Keep everything, because it was not taken, and say why."""
        self._sent = None
        self._problem.setText(reason)
        self._problem.setAccessibleName(reason)
        self._problem.setVisible(bool(reason))
        self._refresh_button()

    @property
    def waiting(self) -> bool:
        """Whether a text was sent and neither accepted nor refused yet."""
        return self._sent is not None

    def _send(self) -> None:
        text = self.text()
        if text.strip() and not self._generating and self._sent is None:
            self._sent = text
            self._problem.hide()
            self.sendRequested.emit(text)
            self._refresh_button()

    def _stop(self) -> None:
        if self._generating:
            self.stopRequested.emit()

    def _press(self) -> None:
        if self._generating:
            self._stop()
        else:
            self._send()
        self.focusText()

    def _edited(self) -> None:
        self._problem.hide()
        self._refresh_button()
        self.textEdited.emit()

    # -- look ---------------------------------------------------------------------------------------------

    def _refresh_button(self) -> None:
        words = self.tr("Stop") if self._generating else self.tr("Send")
        self._button.setIcon(icon("stop" if self._generating else "send", "on_accent"))
        self._button.setAccessibleName(words)
        self._button.setToolTip(self.tr("Stop (Esc)") if self._generating else self.tr("Send"))
        self._button.setEnabled(self._generating or (bool(self.text().strip()) and self._sent is None))

    def _fit(self) -> None:
        line = self._input.fontMetrics().lineSpacing()
        lines = max(1, int(self._input.document().size().height()))
        height = min(MOST_LINES, lines) * line + 6
        policy = Qt.ScrollBarPolicy
        bar = policy.ScrollBarAsNeeded if lines > MOST_LINES else policy.ScrollBarAlwaysOff
        self._input.setVerticalScrollBarPolicy(bar)
        if height != self._input.height():
            self._input.setFixedHeight(height)

    def _retheme(self) -> None:
        self._input.setFont(self._theme.font("message"))
        self._fit()
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hint.setVisible(self.width() > 640)
        self._fit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(theme.color("raised"))
        painter.setPen(QPen(theme.color("accent" if self._input.hasFocus() else "line_strong"), 1))
        radius = theme.radius("bubble")
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()
