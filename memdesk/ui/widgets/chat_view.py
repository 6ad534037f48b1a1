"""The page with the chat: a sliding window of message widgets over a `MessageWindowModel`.

    view = ChatView(model)
    view.setImageProvider(lambda message: QImage | None)
    view.setSources(message_id, [SourceCount("memory", 3)])   pills; asked for with sourcesWanted([ids])
    view.setContextStart(number | None)       the line “context begins here” stands above that message
    view.setDaySeparators(True)
    view.jumpTo(number)   view.jumpToEnd()    view.startEditing(message_id)   view.editLast() -> bool
    view.swipeLast(delta)  view.current_id    view.widget_for(message_id)     view.setEmptyText(text)
    view.showRestored(message, focus=True)    a message that has come back: in sight, current
Signals: editSaved(id, text), deleteRequested(id), swipeRequested(id, delta), regenerateRequested(id),
receiptRequested(id), retryRequested(id), copyRequested(id), linkActivated(address), menuOpened(menu, id),
sourcesWanted(ids), visibleRangeChanged(first, last) in message numbers, currentChanged(id).

Keys: Up and Down go from message to message, Home and End to the ends, Page Up and Page Down scroll; on a
message F2 or Enter edits, Left and Right swipe, Del deletes, Ctrl+C copies.

While text streams in, the end stays in sight unless the reader has scrolled up; a button then leads back.
What is being read never moves when something above it changes its height. When the message that has the
keyboard goes away, the next one has it, else the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.chat_overlays import EmptyText, JumpButton
from memdesk.ui.widgets.chat_place import SPACING, anchor, column, pass_focus, reveal
from memdesk.ui.widgets.message_head import MessageSignals, SourceCount
from memdesk.ui.widgets.message_widget import PAD_X, MessageWidget
from memdesk.ui.widgets.separators import Separator, SeparatorLines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QImage

    from memdesk.chats.model import Message
    from memdesk.ui.models.messages import MessageWindowModel

_TOP, _BOTTOM = 18, 10
_MOST_SPARE = 60
"""Widgets kept for the next messages: making one costs some five times as much as filling it."""
_NEAR = 600
"""So close to an end in pixels, more messages are asked for."""


class ChatView(QScrollArea):
    """Shows what the model holds; asks it for more when the reader comes near an end."""

    editSaved = Signal(int, str)
    deleteRequested = Signal(int)
    swipeRequested = Signal(int, int)
    regenerateRequested = Signal(int)
    receiptRequested = Signal(int)
    retryRequested = Signal(int)
    copyRequested = Signal(int)
    linkActivated = Signal(str)
    menuOpened = Signal(object, int)
    sourcesWanted = Signal(list)
    visibleRangeChanged = Signal(int, int)
    currentChanged = Signal(int)

    def __init__(self, model: MessageWindowModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._theme = current_theme()
        self._widgets: list[MessageWidget] = []
        self._by_id: dict[int, MessageWidget] = {}
        self._spare: list[MessageWidget] = []
        self.signals = MessageSignals(self)
        self._sources: dict[int, list[SourceCount]] = {}
        self._image: Callable[[Message], QImage | None] = lambda _message: None
        self._follow = True
        self._target: int | None = None
        self._target_focus = False
        self._current = 0
        self._busy = self._arriving = False
        self._range = (0, 0)
        self._anchor: tuple[MessageWidget, int] | None = None
        self._build()
        self._connect(model)

    def _build(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Messages"))
        self._page = QWidget()
        self._page.setProperty("panel", "none")
        self.setWidget(self._page)
        self._lines = SeparatorLines(self._page)
        self.viewport().setAutoFillBackground(False)
        self._jump = JumpButton(self)
        self._jump.jumpRequested.connect(self.jumpToEnd)
        self._empty = EmptyText(self)
        self._tidy = QTimer(self, singleShot=True, interval=0)
        self._tidy.timeout.connect(self._relayout)
        self.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.verticalScrollBar().setSingleStep(48)
        self._theme.changed.connect(self._retheme)

    def _connect(self, model: MessageWindowModel) -> None:
        signals = self.signals
        signals.pass_on(self)
        signals.heightChanged.connect(self._height_changed)
        signals.focused.connect(self._focused)
        model.reset.connect(self._reset)
        model.prepended.connect(self._prepended)
        model.appended.connect(self._appended)
        model.headDropped.connect(lambda count: self._dropped(self._widgets[:count]))
        model.tailDropped.connect(lambda count: self._dropped(self._widgets[-count:]))
        model.changed.connect(self._changed)
        model.removed.connect(self._removed)
        model.restored.connect(self._restored)
        model.deltaAppended.connect(self._delta)
        model.streamingChanged.connect(self._streaming)
        model.countChanged.connect(lambda _count: self._tidy.start())
        self._reset()

    # -- what others set ----------------------------------------------------------------------------------

    def setImageProvider(self, provider: Callable[[Message], QImage | None]) -> None:
        """Take a function that knows the picture of a message's author."""
        self._image = provider
        for widget in self._widgets:
            widget.setImage(provider(widget.message))

    def setSources(self, message_id: int, sources: Sequence[SourceCount]) -> None:
        """Show what went into a reply."""
        self._sources[message_id] = list(sources)
        if widget := self._by_id.get(message_id):
            widget.setSources(sources)

    def setContextStart(self, number: int | None) -> None:
        """Mark the first message that is sent word by word; None or 1 for no mark."""
        if number != self._lines.context_start:
            self._lines.context_start = number
            self._tidy.start()

    def setDaySeparators(self, shown: bool) -> None:
        """Show a line with the date where a day begins."""
        self._lines.days = shown
        self._tidy.start()

    def setEmptyText(self, text: str) -> None:
        """Say what will appear here while there is nothing; plain text."""
        self._empty.setText(text)
        self._empty.setAccessibleName(text)
        self._place_overlays()

    # -- what others ask ----------------------------------------------------------------------------------

    @property
    def current_id(self) -> int:
        """The id of the message that has or had the focus, 0 for none."""
        return self._current

    @property
    def following(self) -> bool:
        """Whether the end is kept in sight."""
        return self._follow

    def widget_for(self, message_id: int) -> MessageWidget | None:
        """Return the widget of a message that is held."""
        return self._by_id.get(message_id)

    def startEditing(self, message_id: int) -> bool:
        """Edit a message in place; False when it is not held."""
        widget = self._by_id.get(message_id)
        if widget is None:
            return False
        widget.startEditing()
        self._relayout()
        self.ensureVisible(0, widget.y() + widget.height(), 0, 20)
        return True

    def editLast(self) -> bool:
        """Edit the newest message; False when there is none."""
        return bool(self._widgets) and self._model.at_end and self.startEditing(self._widgets[-1].message.id)

    def swipeLast(self, delta: int) -> bool:
        """Ask for another version of the newest message when it is a reply."""
        if not self._widgets or not self._model.at_end or self._widgets[-1].message.role != "assistant":
            return False
        self.swipeRequested.emit(self._widgets[-1].message.id, delta)
        return True

    def jumpTo(self, number: int) -> None:
        """Bring message `number` into sight and mark it, asking for it when it is not held."""
        number = max(1, min(number, self._model.count))
        self._follow = False
        self._target = number
        if not self._model.wantAround(number):
            self._show_number(number)

    def showRestored(self, message: Message, *, focus: bool) -> None:
        """Bring a message that has come back into sight; it is current, with `focus` for the keys, too."""
        if widget := self._by_id.get(message.id):
            self._select(widget, focus=focus)
            reveal(self, widget)
            widget.flash()
        else:
            self._target_focus = focus
            self.jumpTo(message.number)

    def jumpToEnd(self) -> None:
        """Go to the newest message and follow what comes."""
        self._target = None
        self._follow = True
        if self._model.at_end or not self._model.wantAround(self._model.count):
            self._relayout()

    def _show_number(self, number: int) -> None:
        self._target, self._arriving = None, True  # the layout must not ask for more at the old place
        self._relayout()
        self._arriving = False
        for widget in self._widgets:
            if widget.message.number == number:
                above = max(_TOP, (self.viewport().height() - widget.height()) // 3)
                self.verticalScrollBar().setValue(widget.y() - above)
                widget.flash()
                self._select(widget, focus=self._target_focus)
        self._target_focus = False

    # -- the model's news ---------------------------------------------------------------------------------

    def _make(self, message: Message) -> MessageWidget:
        streaming = self._model.streaming(message.id)
        text = self._model.text(message.id)
        if self._spare:
            widget = self._spare.pop()
            widget.reuse(message, text, self._image(message))
        else:
            widget = MessageWidget(message, text, self._image(message), self._page, self.signals)
        if streaming:
            widget.setStreaming(True, text)
        widget.setSources(self._sources.get(message.id, []))
        self._by_id[message.id] = widget
        return widget

    def _make_many(self, messages: Sequence[Message]) -> list[MessageWidget]:
        busy, self._busy = self._busy, True
        made, self._busy = [self._make(message) for message in messages], busy
        wanted = [m.id for m in messages if m.swipe.has_receipt and m.id not in self._sources]
        if wanted:
            self.sourcesWanted.emit(wanted)
        return made

    def _discard(self, widget: MessageWidget) -> None:
        busy, self._busy = self._busy, True
        self._by_id.pop(widget.message.id, None)
        if self._anchor is not None and self._anchor[0] is widget:
            self._anchor = None
        widget.hide()
        if len(self._spare) < _MOST_SPARE and not widget.editing and not widget.streaming:
            widget.setActionsPinned(False)
            self._spare.append(widget)
        else:
            widget.deleteLater()
        self._busy = busy

    def _reset(self) -> None:
        keep = {message.id for message in self._model.messages}
        held = pass_focus(self._widgets, self._widgets, self)
        for widget in self._widgets:
            self._discard(widget)
        if not keep & self._sources.keys():
            self._sources.clear()
        self._anchor = None
        self._widgets = self._make_many(self._model.messages)
        if not self._widgets:
            self._current, self._target, self._follow = 0, None, True
        if held and self._current in self._by_id:
            self._by_id[self._current].setFocus(Qt.FocusReason.OtherFocusReason)
        self._relayout() if self._target is None else self._show_number(self._target)

    def _prepended(self, count: int) -> None:
        self._widgets[:0] = self._make_many(self._model.messages[:count])
        self._relayout()

    def _appended(self, count: int) -> None:
        self._widgets.extend(self._make_many(self._model.messages[-count:]))
        self._relayout()

    def _dropped(self, widgets: list[MessageWidget]) -> None:
        self._keep_anchor()
        pass_focus(self._widgets, widgets, self)
        for widget in widgets:
            self._widgets.remove(widget)
            self._discard(widget)
        self._relayout()

    def _removed(self, message_ids: list[int]) -> None:
        self._dropped([self._by_id[message_id] for message_id in message_ids if message_id in self._by_id])
        for message_id in message_ids:
            self._sources.pop(message_id, None)
        self._renumber()
        current = self._by_id.get(self._current)
        if current is not None and current.hasFocus():
            reveal(self, current)

    def _restored(self, message_ids: list[int]) -> None:
        self._keep_anchor()
        for at, message in enumerate(self._model.messages):
            if message.id in message_ids:
                self._widgets[at:at] = self._make_many([message])
        self._renumber()

    def _renumber(self) -> None:
        busy, self._busy = self._busy, True
        for message in self._model.messages:
            self._by_id[message.id].setMessage(message, self._model.text(message.id))
        self._busy = busy
        self._relayout()

    def _changed(self, message_id: int) -> None:
        widget, message = self._by_id.get(message_id), self._model.find(message_id)
        if widget is None or message is None:
            return
        another = widget.message.swipe.id != message.swipe.id
        widget.setMessage(message, self._model.text(message_id))
        if another:
            self._sources.pop(message_id, None)
            widget.setSources([])
        if message.swipe.has_receipt and message_id not in self._sources:
            self.sourcesWanted.emit([message_id])

    def _delta(self, message_id: int, text: str) -> None:
        if widget := self._by_id.get(message_id):
            widget.appendDelta(text)

    def _streaming(self, message_id: int, streaming: bool) -> None:
        if widget := self._by_id.get(message_id):
            widget.setStreaming(streaming, self._model.text(message_id))

    # -- layout -------------------------------------------------------------------------------------------

    def _height_changed(self, widget: MessageWidget) -> None:
        if not self._busy and not self._grow_last(widget):
            self._relayout()

    def _grow_last(self, widget: MessageWidget) -> bool:
        """Give the lowest message its new height; False when other messages have to move as well."""
        if not self._widgets or widget is not self._widgets[-1] or self._tidy.isActive():
            return False
        height = widget.height_for(widget.width())
        total = widget.y() + height + _BOTTOM
        if widget.isHidden() or total < self.viewport().height():
            return False
        self._busy = True
        if height != widget.height():
            widget.resize(widget.width(), height)
            self._page.resize(self._page.width(), total)
        if self._follow and self._model.at_end:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self._busy = False
        self._place_overlays()
        return True

    def _keep_anchor(self) -> None:
        self._anchor = anchor(self._widgets, self.verticalScrollBar().value(), self.viewport().height())

    def _relayout(self) -> None:
        """Give every widget its place; what is being read stays where it is on the screen."""
        if self._busy:
            return
        self._busy = True
        if self._anchor is None:
            self._keep_anchor()
        kept, self._anchor = self._anchor, None
        left, width = column(self.viewport().width(), self._theme.size("message_column_max"))
        top = _TOP
        self._lines.begin()
        last = self._widgets[-1] if self._widgets and self._model.at_end else None
        for widget in self._widgets:
            if self._lines.place_before(widget.message, left + PAD_X, top, width - 2 * PAD_X):
                top += Separator.HEIGHT + SPACING
            widget.setActionsPinned(widget is last and not widget.editing)
            height = widget.height_for(width)
            widget.setGeometry(left, top, width, height)
            widget.show()
            top += height + SPACING
        self._lines.finish()
        total = top - SPACING + _BOTTOM if self._widgets else 0
        self._page.resize(self.viewport().width(), max(total, self.viewport().height()))
        self._restore(kept)
        self._busy = False
        self._place_overlays()
        self._look_around()

    def _restore(self, kept: tuple[MessageWidget, int] | None) -> None:
        bar = self.verticalScrollBar()
        if self._follow and self._model.at_end:
            bar.setValue(bar.maximum())
        elif kept is not None and kept[0] in self._widgets:
            bar.setValue(kept[0].y() - kept[1])

    def _place_overlays(self) -> None:
        bar = self.verticalScrollBar()
        away = not self._model.at_end or bar.maximum() - bar.value() > 240
        self._jump.place(shown=away and bool(self._widgets) and not self._follow)
        self._empty.place(shown=not self._model.count)

    # -- scrolling ----------------------------------------------------------------------------------------

    def _scrolled(self, value: int) -> None:
        if self._busy:
            return
        if not self._model.waiting:
            self._target = None
        bar = self.verticalScrollBar()
        self._follow = self._model.at_end and value >= bar.maximum() - 4
        self._place_overlays()
        self._look_around()

    def _look_around(self) -> None:
        bar = self.verticalScrollBar()
        value, height = bar.value(), self.viewport().height()
        seen = [w for w in self._widgets if w.y() < value + height and w.y() + w.height() > value]
        if seen:
            shown = (seen[0].message.number, seen[-1].message.number)
            if shown != self._range:
                self._range = shown
                self.visibleRangeChanged.emit(*shown)
        if not self._widgets or self._arriving or not self.isVisible():
            return
        if value < _NEAR:
            self._model.wantOlder()
        if bar.maximum() - value < _NEAR and not self._model.at_end:
            self._model.wantNewer()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._relayout()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tidy.start()

    def _retheme(self) -> None:
        self._busy = True
        for widget in [*self._widgets, *self._spare]:
            widget.refreshTheme()
        self._busy = False
        self._relayout()

    # -- keys ---------------------------------------------------------------------------------------------

    def _focused(self, message_id: int) -> None:
        if message_id != self._current:
            self._current = message_id
            self.currentChanged.emit(message_id)

    def _select(self, widget: MessageWidget, *, focus: bool = True) -> None:
        self._focused(widget.message.id)
        if focus:
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            self._follow = False
            reveal(self, widget)

    def _step(self, delta: int) -> None:
        if not self._widgets:
            return
        current = self._by_id.get(self._current)
        if current is None or not current.hasFocus():
            bottom = self.verticalScrollBar().value() + self.viewport().height()
            inside = [widget for widget in self._widgets if widget.y() < bottom - 20]
            self._select(current if current in inside else (inside or self._widgets)[-1])
            return
        at = self._widgets.index(current) + delta
        if 0 <= at < len(self._widgets):
            self._select(self._widgets[at])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Up | Qt.Key.Key_Down as key:
                self._step(-1 if key == Qt.Key.Key_Up else 1)
            case Qt.Key.Key_Home:
                self.jumpTo(1)
            case Qt.Key.Key_End:
                self.jumpToEnd()
            case _:
                super().keyPressEvent(event)
