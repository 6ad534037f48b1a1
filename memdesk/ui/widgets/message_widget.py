"""One message on the page.

    widget = MessageWidget(message, text=None, image=None)
    widget.setMessage(message, text)            new state
    widget.setStreaming(True); widget.appendDelta(text); widget.setStreaming(False)
    widget.setSources([SourceCount("memory", 3), …])    pills under the text
    widget.setImage(QImage | None)   widget.setActionsPinned(True)   widget.flash()
    widget.startEditing() / stopEditing(); widget.editing
    widget.height_for(width) -> int             the view gives it exactly this height
Signals carry the message id: editSaved(id, text), deleteRequested(id), swipeRequested(id, delta),
regenerateRequested(id), receiptRequested(id), retryRequested(id), copyRequested(id), linkActivated(str),
heightChanged().
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QToolTip, QWidget

from memdesk.chats.model import Message, SwipeState
from memdesk.ui.icons import icon
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar
from memdesk.ui.widgets.message_body import MessageBody
from memdesk.ui.widgets.message_parts import (
    Action,
    ActionRow,
    MessageEditor,
    StateLine,
    SwipeControl,
    action_words,
)
from memdesk.ui.widgets.pills import SourcePill, source_words

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = 22
"""Height of the line with the name."""
PAD_X, PAD_Y = 10, 6
"""Room around the contents for the focus ring and the mark of a jump."""
_GAP = 8
_FOOT = 28
_FLASH_MS = 1600
_BAD_ENDS = (SwipeState.STOPPED, SwipeState.INTERRUPTED, SwipeState.FAILED)


@dataclass(frozen=True, slots=True)
class SourceCount:
    """How many things of a source (memory, summary, lore, databank) went into a reply."""

    source: str
    count: int


class MessageWidget(QWidget):
    """Avatar, name and facts, text, and what can be done."""

    editSaved = Signal(int, str)
    deleteRequested = Signal(int)
    swipeRequested = Signal(int, int)
    regenerateRequested = Signal(int)
    receiptRequested = Signal(int)
    retryRequested = Signal(int)
    copyRequested = Signal(int)
    linkActivated = Signal(str)
    heightChanged = Signal()
    focused = Signal(int)

    def __init__(
        self,
        message: Message,
        text: str | None = None,
        image: QImage | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._message = message
        self._image = image
        self._sources: list[SourceCount] = []
        self._pills: list[SourcePill] = []
        self._actions: ActionRow | None = None
        self._swipes: SwipeControl | None = None
        self._state: StateLine | None = None
        self._fold: QPushButton | None = None
        self._editor: MessageEditor | None = None
        self._pinned = False
        self._streaming = False
        self._flashing = False
        self._theme = current_theme()
        self._flash_timer = QTimer(self)
        self._flash_timer.setSingleShot(True)
        self._flash_timer.timeout.connect(self._end_flash)
        self.body = MessageBody(self)
        self.body.linkActivated.connect(self.linkActivated)
        self.body.heightChanged.connect(self._grown)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMessage(message, text)

    # -- content ------------------------------------------------------------------------------------------

    @property
    def message(self) -> Message:
        """The message shown."""
        return self._message

    @property
    def editing(self) -> bool:
        """Whether the text is being edited."""
        return self._editor is not None

    @property
    def sources(self) -> list[SourceCount]:
        """What the pills say."""
        return list(self._sources)

    def setMessage(self, message: Message, text: str | None = None) -> None:
        """Show a message's new state; `text` stands in for its text while that is still growing."""
        kinds = self._kinds()
        self._message = message
        if self._kinds() != kinds:
            self._drop_actions()
        if not self._streaming:
            self.body.setText(message.text if text is None else text)
        self.setAccessibleName(self.tr("{name}, message {number}").format(name=message.name, number=message.number))
        self.setAccessibleDescription(self.meta())
        self.body.setAccessibleName(self.accessibleName())
        self._refresh_state()
        self._refresh_swipes()
        self._relayout()
        self.update()

    def setImage(self, image: QImage | None) -> None:
        """Show a picture, or the initial for None."""
        self._image = image
        self.update()

    def setSources(self, sources: Sequence[SourceCount]) -> None:
        """Show what went into this reply as pills."""
        if list(sources) == self._sources:
            return
        self._sources = list(sources)
        for pill in self._pills:
            pill.hide()
            pill.deleteLater()
        self._pills = []
        for entry in self._sources:
            pill = SourcePill(entry.source, source_words(entry.source, entry.count), self)
            pill.clicked.connect(lambda: self.receiptRequested.emit(self._message.id))
            pill.show()
            self._pills.append(pill)
        self._relayout()

    def meta(self) -> str:
        """Return number, time and size in words."""
        message = self._message
        local = message.created_at.astimezone()
        parts = [f"#{message.number}", self.locale().toString(local.time(), self.locale().FormatType.ShortFormat)]
        if self._streaming:
            parts.append(self.tr("writing…"))
        elif message.swipe.tokens is not None:
            count = self.locale().toString(message.swipe.tokens)
            parts.append(self.tr("~{count} tokens").format(count=count))
        if message.hidden:
            parts.append(self.tr("hidden from the model"))
        return " · ".join(parts)

    def _meta_help(self) -> str:
        message = self._message
        when = self.locale().toString(message.created_at.astimezone(), self.locale().FormatType.LongFormat)
        lines = [self.tr("Message {number}, written {when}.").format(number=message.number, when=when)]
        if message.swipe.tokens is not None:
            lines.append(self.tr("“~” marks an estimate: the server's own count may differ a little."))
        if message.swipe.model:
            lines.append(self.tr("Model: {model}").format(model=message.swipe.model.replace("<", "‹")))
        return "\n".join(lines)

    # -- streaming ----------------------------------------------------------------------------------------

    def setStreaming(self, streaming: bool, text: str = "") -> None:
        """Begin or end growing; `text` is what there is so far, or the finished text."""
        if streaming:
            self._streaming = True
            self.body.beginStreaming(text)
        elif self._streaming:
            self._streaming = False
            self.body.endStreaming(text or self._message.text)
        self._refresh_state()
        self._refresh_swipes()
        self._relayout()
        self.update()

    def appendDelta(self, text: str) -> None:
        """Add streamed text."""
        self.body.appendDelta(text)

    # -- parts --------------------------------------------------------------------------------------------

    def _kinds(self) -> list[Action]:
        kinds = [Action.EDIT]
        if self._message.role == "assistant":
            if self._message.swipe.has_receipt:
                kinds.append(Action.PROMPT)
            kinds.append(Action.REGENERATE)
        return [*kinds, Action.COPY, Action.DELETE]

    def _drop_actions(self) -> None:
        if self._actions is not None:
            self._actions.hide()
            self._actions.deleteLater()
            self._actions = None

    def _refresh_actions(self) -> None:
        wanted = not self.editing and not self._streaming and (self._pinned or self._near())
        if wanted and self._actions is None:
            self._actions = ActionRow(self._kinds(), self)
            self._actions.triggered.connect(self.trigger)
            self._place()
        if self._actions is not None:
            self._actions.setVisible(wanted)

    def _near(self) -> bool:
        focus = QApplication.focusWidget()
        return self.underMouse() or self.hasFocus() or (focus is not None and self.isAncestorOf(focus))

    def setActionsPinned(self, pinned: bool) -> None:
        """Show the actions all the time, as for the newest message."""
        if pinned != self._pinned:
            self._pinned = pinned
            self._refresh_actions()
            self._refresh_swipes()
            self._relayout()

    def _refresh_swipes(self) -> None:
        message = self._message
        several = message.swipe_count > 1
        wanted = not self._streaming and (several or (self._pinned and message.role == "assistant"))
        if wanted and self._swipes is None:
            self._swipes = SwipeControl(self)
            self._swipes.stepped.connect(lambda delta: self.swipeRequested.emit(self._message.id, delta))
        if self._swipes is not None:
            may_add = self._pinned and message.role == "assistant"
            self._swipes.setSwipe(message.swipe_number, message.swipe_count, may_add=may_add)
            self._swipes.setVisible(wanted)

    def _refresh_state(self) -> None:
        wanted = self._message.swipe.state in _BAD_ENDS and not self._streaming
        if wanted and self._state is None:
            self._state = StateLine(self)
            self._state.retryRequested.connect(lambda: self.retryRequested.emit(self._message.id))
        if self._state is not None:
            if wanted:
                self._state.setState(self._message.swipe.state, self._message.swipe.error)
            self._state.setVisible(wanted)

    def _refresh_fold(self) -> None:
        if self.body.folded and self._fold is None:
            self._fold = QPushButton(self)
            self._fold.setProperty("kind", "quiet")
            self._fold.clicked.connect(self.body.showAll)
        if self._fold is not None:
            count = self.locale().toString(len(self.body.source))
            words = self.tr("Show all {count} characters").format(count=count)
            self._fold.setText(words)
            self._fold.setAccessibleName(words)
            self._fold.setVisible(self.body.folded and not self.editing)

    # -- actions ------------------------------------------------------------------------------------------

    def trigger(self, action: Action) -> None:
        """Do what a button, a key or the context menu asks for."""
        message_id = self._message.id
        match action:
            case Action.EDIT:
                self.startEditing()
            case Action.PROMPT:
                self.receiptRequested.emit(message_id)
            case Action.REGENERATE:
                self.regenerateRequested.emit(message_id)
            case Action.COPY:
                self.copyRequested.emit(message_id)
            case Action.DELETE:
                self.deleteRequested.emit(message_id)

    def startEditing(self) -> None:
        """Edit the text in place; not while it is being written."""
        if self.editing or self._streaming:
            return
        editor = MessageEditor(self.body.source, self)
        editor.saved.connect(self._save)
        editor.cancelled.connect(self.stopEditing)
        editor.heightChanged.connect(self._grown)
        self._editor = editor
        self.body.hide()
        editor.show()
        self._refresh_actions()
        self._relayout()
        editor.focusText()

    def stopEditing(self) -> None:
        """Leave the editor without saving."""
        editor, self._editor = self._editor, None
        if editor is None:
            return
        editor.hide()
        editor.deleteLater()
        self.body.show()
        self._relayout()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._refresh_actions()

    def _save(self, text: str) -> None:
        changed = text != self.body.source
        self.stopEditing()
        if changed:
            self.body.setText(text)
            self.editSaved.emit(self._message.id, text)

    def flash(self) -> None:
        """Mark the message for a moment, as the place that was jumped to."""
        self._flashing = True
        self._flash_timer.start(_FLASH_MS)
        self.update()

    def _end_flash(self) -> None:
        self._flashing = False
        self.update()

    # -- place --------------------------------------------------------------------------------------------

    @property
    def _left(self) -> int:
        return PAD_X + self._theme.size("avatar") + self._theme.space(3)

    def _has_foot(self) -> bool:
        return bool(self._pills) or (self._swipes is not None and not self._swipes.isHidden()) or self._pinned

    def height_for(self, width: int) -> int:
        """Return the height this message needs at a width, in pixels."""
        column = max(80, width - self._left - PAD_X)
        if self._editor is not None:
            height = HEAD + 4 + self._editor.height_for(420)
        else:
            height = HEAD + self.body.height_for(column)
        if self._fold is not None and not self._fold.isHidden():
            height += _GAP + self._fold.sizeHint().height()
        if self._state is not None and not self._state.isHidden():
            height += _GAP + self._state.height_for(column)
        if self._has_foot():
            height += _GAP + _FOOT
        return max(height, self._theme.size("avatar")) + 2 * PAD_Y

    def _place(self) -> None:
        left, width = self._left, max(80, self.width() - self._left - PAD_X)
        top = PAD_Y + HEAD
        if self._editor is not None:
            height = self._editor.height_for(420)
            self._editor.setGeometry(left, top + 4, width, height)
            top += 4 + height
        else:
            height = self.body.height_for(width)
            self.body.setGeometry(left, top, width, height)
            top += height
        if self._fold is not None and not self._fold.isHidden():
            size = self._fold.sizeHint()
            self._fold.setGeometry(left, top + _GAP, size.width(), size.height())
            top += _GAP + size.height()
        if self._state is not None and not self._state.isHidden():
            height = self._state.height_for(width)
            self._state.setGeometry(left, top + _GAP, width, height)
            top += _GAP + height
        self._place_foot(left, top + _GAP, width)

    def _place_foot(self, left: int, top: int, width: int) -> None:
        right = left + width
        foot = self._has_foot()
        if self._actions is not None:
            size = self._actions.sizeHint()
            right -= size.width()
            self._actions.setGeometry(right, top if foot else PAD_Y - 4, size.width(), _FOOT)
        if self._swipes is not None and not self._swipes.isHidden():
            size = self._swipes.sizeHint()
            right -= size.width() + 4
            self._swipes.setGeometry(right, top, size.width(), _FOOT)
        at = left
        for pill in self._pills:
            size = pill.sizeHint()
            room = right - at
            pill.setVisible(room > 40)
            pill.setGeometry(at, top, min(size.width(), room), _FOOT)
            at += size.width() + 6

    def _grown(self) -> None:
        self._refresh_fold()
        self._place()
        self.heightChanged.emit()

    def _relayout(self) -> None:
        self._refresh_fold()
        self._refresh_actions()
        self._place()
        self.heightChanged.emit()

    def refreshTheme(self) -> None:
        """Take the theme's fonts and colours again."""
        self.body.refreshFont()
        self._relayout()
        self.update()

    # -- events -------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._place()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._refresh_actions()

    def leaveEvent(self, event: QEvent) -> None:
        self._refresh_actions()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._refresh_actions()
        self.focused.emit(self._message.id)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        QTimer.singleShot(0, self, self._refresh_actions)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.matches(QKeySequence.StandardKey.Copy):
            self.trigger(Action.COPY)
            return
        message_id = self._message.id
        match Qt.Key(event.key()):
            case Qt.Key.Key_F2 | Qt.Key.Key_Return if plain:
                self.startEditing()
            case Qt.Key.Key_Delete if plain:
                self.trigger(Action.DELETE)
            case Qt.Key.Key_Left if plain:
                self.swipeRequested.emit(message_id, -1)
            case Qt.Key.Key_Right if plain:
                self.swipeRequested.emit(message_id, 1)
            case _:
                super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(event.globalPos())

    def menu(self) -> QMenu:
        """Return a new context menu of this message."""
        menu = QMenu(self)
        menu.setAccessibleName(self.tr("Message actions"))
        if self.body.textCursor().hasSelection():
            menu.addAction(icon("copy"), self.tr("Copy selection"), self.body.copy)
        for action in self._kinds():
            entry = menu.addAction(icon(action.value), action_words(action))
            entry.triggered.connect(lambda _=False, action=action: self.trigger(action))
            entry.setEnabled(not self._streaming or action == Action.COPY)
        return menu

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            inside = self._meta_rect().contains(event.pos())
            QToolTip.showText(event.globalPos(), self._meta_help() if inside else "", self)
            return True
        return super().event(event)

    def _name_width(self) -> int:
        room = max(40, self.width() - self._left - PAD_X - 160)
        return min(room, QFontMetrics(self._theme.font("strong")).horizontalAdvance(self._message.name))

    def _meta_rect(self) -> QRect:
        left = self._left + self._name_width() + 8
        width = QFontMetrics(self._theme.font("small")).horizontalAdvance(self.meta()) + 4
        return QRect(left, PAD_Y, width, HEAD - 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self._flashing:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent_soft"))
            painter.drawRoundedRect(QRectF(self.rect()), theme.radius("card"), theme.radius("card"))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), 1))
            ring = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.drawRoundedRect(ring, theme.radius("card"), theme.radius("card"))
        side = theme.size("avatar")
        square = QRectF(PAD_X, PAD_Y, side, side)
        paint_avatar(painter, square, self._message.name, self._image, theme.radius("card"), theme.font("strong"))
        font = theme.font("strong")
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        width = self._name_width()
        name = QFontMetrics(font).elidedText(self._message.name, Qt.TextElideMode.ElideRight, width + 1)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(QRect(self._left, PAD_Y, width + 2, HEAD - 2), middle, name)
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text_soft"))
        painter.drawText(self._meta_rect(), middle, self.meta())
        painter.end()
