"""One message on the page.

    widget = MessageWidget(message, text=None, image=None, parent=None, signals=None)
    widget.reuse(message, text, image)          become another message's widget
    widget.setMessage(message, text)            new state
    widget.setStreaming(True); widget.appendDelta(text); widget.setStreaming(False)
    widget.setSources([SourceCount("memory", 3), …])    pills under the text
    widget.setImage(QImage | None)   widget.setActionsPinned(True)   widget.flash()
    widget.startEditing() / stopEditing(); widget.editing
    widget.height_for(width) -> int             the view gives it exactly this height
Signals are those of `widget.signals`, shared or its own, and carry the message id: editSaved(id, text),
deleteRequested(id), swipeRequested(id, delta), regenerateRequested(id), receiptRequested(id),
retryRequested(id), copyRequested(id), focused(id), menuOpened(menu, id); and linkActivated(address),
heightChanged(widget). `widget.edited_swipe` is the version that the text of editSaved is meant for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, QTimer
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QToolTip, QWidget

from memdesk.chats.model import Message, SwipeState
from memdesk.ui.icons import icon
from memdesk.ui.keymap import current_keymap
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.editable import Editable
from memdesk.ui.widgets.message_body import MessageBody
from memdesk.ui.widgets.message_head import HEIGHT as HEAD
from memdesk.ui.widgets.message_head import MessageHead, MessageSignals, SourceCount, paint_ground
from memdesk.ui.widgets.message_parts import (
    Action,
    ActionRow,
    SwipeControl,
    action_words,
    actions_of,
)
from memdesk.ui.widgets.pills import SourcePill, source_words
from memdesk.ui.widgets.state_line import StateLine

if TYPE_CHECKING:
    from collections.abc import Sequence

PAD_X, PAD_Y = 10, 6
"""Room around the contents for the focus ring and the mark of a jump."""
_GAP = 8
_FOOT = 28
_FLASH_MS = 1600
_BAD_ENDS = (SwipeState.STOPPED, SwipeState.INTERRUPTED, SwipeState.FAILED)


class MessageWidget(Editable):
    """Avatar, name and facts, text, and what can be done."""

    def __init__(
        self,
        message: Message,
        text: str | None = None,
        image: QImage | None = None,
        parent: QWidget | None = None,
        signals: MessageSignals | None = None,
    ) -> None:
        super().__init__(parent)
        self.signals = signals or MessageSignals(self)
        self._sized = False
        self._message = message
        self._head = MessageHead(message, image)
        self._sources: list[SourceCount] = []
        self._pills: list[SourcePill] = []
        self._actions: ActionRow | None = None
        self._swipes: SwipeControl | None = None
        self._state: StateLine | None = None
        self._fold: QPushButton | None = None
        self._pinned = False
        self._streaming = False
        self._flashing = False
        self._theme = current_theme()
        self.body = MessageBody(self)
        self.body.linkActivated.connect(self.signals.linkActivated)
        self.body.heightChanged.connect(self._grown)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setMessage(message, text)
        self.resumeEditing()

    # -- content ------------------------------------------------------------------------------------------

    @property
    def message(self) -> Message:
        """The message shown."""
        return self._message

    def reuse(self, message: Message, text: str, image: QImage | None) -> None:
        """Become the widget of another message; not while editing or streaming."""
        self._head.image = image
        self._flashing = False
        self.body.reset()
        self.setSources([])
        self.setMessage(message, text)
        self.resumeEditing()

    @property
    def streaming(self) -> bool:
        """Whether text is still coming in."""
        return self._streaming

    @property
    def sources(self) -> list[SourceCount]:
        """What the pills say."""
        return list(self._sources)

    def setMessage(self, message: Message, text: str | None = None) -> None:
        """Show a message's new state; `text` stands in for its text while that is still growing."""
        kinds = self._kinds()
        self._message = self._head.message = message
        if self._kinds() != kinds:
            self._drop_actions()
        if not self._streaming:
            self.body.setText(message.text if text is None else text)
        self.setAccessibleName(
            self.tr("{name}, message {number}").format(name=self._head.name, number=message.number)
        )
        self.body.setDimmed(message.hidden)
        self.setAccessibleDescription(self.meta())
        self.body.setAccessibleName(self.accessibleName())
        if not self._streaming:
            self.showThoughts(message.swipe)
        self._refresh_state()
        self._refresh_swipes()
        self._relayout()
        self.update()

    def setImage(self, image: QImage | None) -> None:
        """Show a picture, or the initial for None."""
        self._head.image = image
        self.update()

    def setSources(self, sources: Sequence[SourceCount]) -> None:
        """Show what went into this reply as pills."""
        if list(sources) == self._sources:
            return
        self._sources = list(sources)
        for pill in self._pills:
            self._keep_focus(pill)
            pill.hide()
            pill.deleteLater()
        self._pills = []
        for entry in self._sources:
            pill = SourcePill(entry.source, source_words(entry.source, entry.count), self)
            pill.clicked.connect(lambda: self.signals.receiptRequested.emit(self._message.id))
            pill.show()
            self._pills.append(pill)
        self._relayout()

    def meta(self) -> str:
        """Return number, time and size in words."""
        return self._head.facts()

    # -- streaming ----------------------------------------------------------------------------------------

    def setStreaming(self, streaming: bool, text: str = "") -> None:
        """Begin or end growing; `text` is what there is so far, or the finished text."""
        if streaming:
            self._streaming = self._head.streaming = True
            self.body.beginStreaming(text)
        elif self._streaming:
            self._streaming = self._head.streaming = False
            self.body.endStreaming(text or self._message.text)
        self._refresh_state()
        self._refresh_swipes()
        self._relayout()
        self.update()

    def appendDelta(self, text: str) -> None:
        """Add streamed text."""
        if self._thoughts is not None:
            self._thoughts.settle()
        self.body.appendDelta(text)

    # -- parts --------------------------------------------------------------------------------------------

    def _kinds(self) -> list[Action]:
        return actions_of(self._message)

    def _drop_actions(self) -> None:
        if self._actions is not None:
            self._keep_focus(self._actions)
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
            if not wanted:
                self._keep_focus(self._actions)
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
            self._swipes.stepped.connect(
                lambda delta: self.signals.swipeRequested.emit(self._message.id, delta)
            )
        if self._swipes is not None:
            may_add = self._pinned and message.role == "assistant"
            self._swipes.setSwipe(message.swipe_number, message.swipe_count, may_add=may_add)
            if not wanted:
                self._keep_focus(self._swipes)
            self._swipes.setVisible(wanted)

    def _refresh_state(self) -> None:
        wanted = self._message.swipe.state in _BAD_ENDS and not self._streaming
        if wanted and self._state is None:
            self._state = StateLine(self)
            self._state.retryRequested.connect(lambda: self.signals.retryRequested.emit(self._message.id))
            self._state.heightChanged.connect(lambda: self.signals.heightChanged.emit(self))
        if self._state is not None:
            if wanted:
                self._state.setState(self._message.swipe.state, self._message.swipe.error)
            else:
                self._keep_focus(self._state)
            self._state.setVisible(wanted)

    def _refresh_fold(self) -> None:
        if self.body.folded and self._fold is None:
            self._fold = QPushButton(self)
            self._fold.setProperty("kind", "quiet")
            self._fold.clicked.connect(self.body.showAll)
        if self._fold is not None:
            count = self.locale().toString(len(self.body.written))
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
                self.signals.receiptRequested.emit(message_id)
            case Action.REGENERATE:
                self.signals.regenerateRequested.emit(message_id)
            case Action.COPY:
                self.signals.copyRequested.emit(message_id)
            case Action.DELETE:
                self.signals.deleteRequested.emit(message_id)
            case Action.MORE:
                row = self._actions or self
                self._open_menu(row.mapToGlobal(row.rect().bottomRight()))

    def flash(self) -> None:
        """Mark the message for a moment, as the place that was jumped to."""
        self._flashing = True
        QTimer.singleShot(_FLASH_MS, self, self._end_flash)
        self.update()

    def _end_flash(self) -> None:
        self._flashing = False
        self.update()

    # -- place --------------------------------------------------------------------------------------------

    @property
    def _left(self) -> int:
        return PAD_X + self._head.indent

    def _has_foot(self) -> bool:
        return bool(self._pills) or (self._swipes is not None and not self._swipes.isHidden()) or self._pinned

    def height_for(self, width: int) -> int:
        """Return the height this message needs at a width, in pixels."""
        column = max(80, width - self._left - PAD_X)
        if self._editor is not None:
            height = HEAD + 4 + self._editor.height_for(420)
        else:
            height = HEAD + self.body.height_for(column)
        if self._thoughts is not None:
            height += self._thoughts.height_for(column)
        if self._fold is not None and not self._fold.isHidden():
            height += _GAP + self._fold.sizeHint().height()
        if self._state is not None and not self._state.isHidden():
            height += _GAP + self._state.height_for(column)
        if self._has_foot():
            height += _GAP + _FOOT
        return max(height, self._theme.size("avatar")) + 2 * PAD_Y

    def _place(self) -> None:
        if not self._sized:
            return
        left, width = self._left, max(80, self.width() - self._left - PAD_X)
        top = PAD_Y + HEAD
        if self._thoughts is not None:
            height = self._thoughts.height_for(width)
            self._thoughts.setGeometry(left, top, width, height)
            top += height
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
        self.signals.heightChanged.emit(self)

    def _relayout(self) -> None:
        self._refresh_fold()
        self._refresh_actions()
        self._place()
        self.signals.heightChanged.emit(self)

    def refreshTheme(self) -> None:
        """Take the theme's fonts and colours again."""
        self.body.refreshFont()
        self._relayout()
        self.update()

    # -- events -------------------------------------------------------------------------------------------

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._sized = True
        self._place()

    def enterEvent(self, _event: QEnterEvent) -> None:
        self._refresh_actions()

    def leaveEvent(self, _event: QEvent) -> None:
        self._refresh_actions()

    def focusInEvent(self, _event: QFocusEvent) -> None:
        self._refresh_actions()
        self.signals.focused.emit(self._message.id)
        self.update()

    def focusOutEvent(self, _event: QFocusEvent) -> None:
        QTimer.singleShot(0, self, self._refresh_actions)
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = current_keymap()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.trigger(Action.COPY)
        elif keys.matches(event, "message.edit"):
            self.startEditing()
        elif keys.matches(event, "message.delete"):
            self.trigger(Action.DELETE)
        elif keys.matches(event, "message.previous_version"):
            self.signals.swipeRequested.emit(self._message.id, -1)
        elif keys.matches(event, "message.next_version"):
            self.signals.swipeRequested.emit(self._message.id, 1)
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self._open_menu(event.globalPos())

    def _open_menu(self, place: QPoint) -> None:
        self.menu().popup(place)

    def menu(self) -> QMenu:
        """Return a new context menu of this message; `menuOpened` lets others add to it."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setAccessibleName(self.tr("Message actions"))
        if self.body.textCursor().hasSelection():
            menu.addAction(icon("copy"), self.tr("Copy selection"), self.body.copy)
        for action in self._kinds()[:-1]:
            entry = menu.addAction(icon(action.value), action_words(action))
            entry.triggered.connect(lambda _=False, action=action: self.trigger(action))
            entry.setEnabled(not self._streaming or action == Action.COPY)
        self.signals.menuOpened.emit(menu, self._message.id)
        return menu

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            facts = self._head.facts_rect(PAD_X, PAD_Y, self.width() - 2 * PAD_X)
            inside = facts.contains(event.pos())
            QToolTip.showText(event.globalPos(), self._head.explanation() if inside else "", self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_ground(painter, QRectF(self.rect()), flashing=self._flashing, focused=self.hasFocus())
        beside = self._actions is not None and self._actions.isVisible() and not self._has_foot()
        taken = self._actions.width() if self._actions and beside else 0
        self._head.paint(painter, PAD_X, PAD_Y, self.width() - 2 * PAD_X, taken)
        painter.end()
