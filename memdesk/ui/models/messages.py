"""The part of a chat that the chat view holds: about 100 messages around what is being read.

    model.open(chat_id, count)                 a chat with `count` messages; asks for the newest page
    model.pageWanted(first_number, limit)      signal: please read these messages and call setPage
    model.setPage(messages)                    consecutive messages of this chat, ascending by number
    model.pageFailed()                         the page could not be read; it may be asked for again
    model.wantOlder() / wantNewer() / wantAround(number)
    model.append(message)                      a new newest message
    model.change(message)                      edited, swiped, finished
    model.remove(message_ids)                  numbers close up
    model.restore(messages)                    they stand again where they were; the numbers make room
    model.startStream(message_id, generation, base="")   then appendDelta(message_id, text, generation)
    model.endStream(message_id, generation, message=None)    finished, stopped or failed; later deltas drop
    model.messages -> list[Message], model.text(message_id), model.count, model.first, model.last

Signals to the view: reset, prepended(n), appended(n), headDropped(n), tailDropped(n), changed(id),
removed(list of ids), restored(list of ids), deltaAppended(id, text), streamingChanged(id, bool),
countChanged(count).
Deltas are gathered for `BATCH_MS` before the view hears of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from memdesk.chats.model import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

PAGE = 24
"""Messages read at a time: more than one view holds, few enough to be laid out within two or three frames."""
MORE = 8
"""Messages read at a time while a person scrolls: to lay out a whole page takes as long as five frames."""
WINDOW = 100
"""Messages held; what lies beyond on the other side is let go."""
BATCH_MS = 40


@dataclass(slots=True)
class _Stream:
    generation: int
    base: str
    parts: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)


class MessageWindowModel(QObject):
    """A sliding window over the messages of one chat."""

    pageWanted = Signal(int, int)
    reset = Signal()
    prepended = Signal(int)
    appended = Signal(int)
    headDropped = Signal(int)
    tailDropped = Signal(int)
    changed = Signal(int)
    removed = Signal(list)
    restored = Signal(list)
    deltaAppended = Signal(int, str)
    streamingChanged = Signal(int, bool)
    countChanged = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chat_id: int | None = None
        self._count = 0
        self._messages: list[Message] = []
        self._streams: dict[int, _Stream] = {}
        self._asked: tuple[int, int] | None = None
        self._replace = False
        self.opensAt: Callable[[int | None], int] = lambda _chat_id: 0
        """Knows the number of the message that a chat opens at, 0 for its end; asked before it opens."""
        self._batch = QTimer(self)
        self._batch.setSingleShot(True)
        self._batch.setInterval(BATCH_MS)
        self._batch.timeout.connect(self.flush)

    # -- what is here -------------------------------------------------------------------------------------

    @property
    def chat_id(self) -> int | None:
        """The chat shown, None before the first `open`."""
        return self._chat_id

    @property
    def count(self) -> int:
        """How many messages the chat has."""
        return self._count

    @property
    def messages(self) -> list[Message]:
        """The messages held, oldest first."""
        return self._messages

    @property
    def first(self) -> int:
        """The number of the oldest message held, 0 when none is."""
        return self._messages[0].number if self._messages else 0

    @property
    def last(self) -> int:
        """The number of the newest message held, 0 when none is."""
        return self._messages[-1].number if self._messages else 0

    @property
    def at_end(self) -> bool:
        """Whether the newest message of the chat is held, or there is none."""
        return self.last == self._count

    @property
    def waiting(self) -> bool:
        """Whether a page was asked for and has not come yet."""
        return self._asked is not None

    def find(self, message_id: int) -> Message | None:
        """Return a message that is held, by id."""
        return next((message for message in self._messages if message.id == message_id), None)

    def text(self, message_id: int) -> str:
        """Return the text of a held message with all that has streamed in and been shown so far."""
        stream = self._streams.get(message_id)
        if stream is not None:
            return stream.base + "".join(stream.parts)
        message = self.find(message_id)
        return message.text if message else ""

    def streaming(self, message_id: int) -> bool:
        """Tell whether text is still coming in for a message."""
        return message_id in self._streams

    # -- pages --------------------------------------------------------------------------------------------

    def open(self, chat_id: int | None, count: int) -> None:
        """Show another chat: forget everything, ask for the newest page or the one that it opens at."""
        around = self.opensAt(chat_id)
        self._batch.stop()
        self._chat_id = chat_id
        self._messages = []
        self._streams.clear()
        self._asked = None
        self._set_count(count)
        self.reset.emit()
        if chat_id is not None and count:
            self.wantAround(around or count)

    def _set_count(self, count: int) -> None:
        if count != self._count:
            self._count = count
            self.countChanged.emit(count)

    def _ask(self, first: int, limit: int, *, replace_all: bool = False) -> None:
        if self._asked == (first, limit) or limit < 1:
            return
        self._asked = (first, limit)
        self._replace = replace_all
        self.pageWanted.emit(first, limit)

    def wantOlder(self) -> None:
        """Ask for the page before the oldest message held, if there is one."""
        if self._messages and self.first > 1 and self._asked is None:
            start = max(1, self.first - MORE)
            self._ask(start, self.first - start)

    def wantNewer(self) -> None:
        """Ask for the page after the newest message held, if there is one."""
        if self._messages and self.last < self._count and self._asked is None:
            self._ask(self.last + 1, min(MORE, self._count - self.last))

    def wantAround(self, number: int) -> bool:
        """Ask for the messages around a number; False when it is held already or the chat is empty."""
        number = max(1, min(number, self._count))
        if not self._count or (self._messages and self.first <= number <= self.last):
            return False
        start = max(1, min(number - PAGE // 2, self._count - PAGE + 1))
        self._ask(start, min(PAGE, self._count - start + 1), replace_all=True)
        return True

    def reload(self) -> None:
        """Ask again for what is held."""
        if self._messages:
            limit = min(len(self._messages), self._count - self.first + 1)
            self._asked = None
            self._ask(self.first, max(limit, 1), replace_all=True)

    def setPage(self, messages: Sequence[Message]) -> None:
        """Take messages that were asked for; pages of another chat or of an older question are dropped."""
        if messages and messages[0].chat_id != self._chat_id:
            return
        asked, self._asked = self._asked, None
        if not messages:
            return
        if asked is not None and not asked[0] <= messages[0].number < asked[0] + asked[1]:
            self._asked = asked
            return
        page = list(messages)
        self._set_count(max(self._count, page[-1].number))
        if self._replace or not self._messages:
            self._replace = False
            self._messages = page
            self.reset.emit()
        elif page[-1].number == self.first - 1:
            self._messages[:0] = page
            self.prepended.emit(len(page))
            self._drop_tail()
        elif page[0].number == self.last + 1:
            self._messages.extend(page)
            self.appended.emit(len(page))
            self._drop_head()

    def pageFailed(self) -> None:
        """Forget the page that was asked for, so that scrolling asks again."""
        self._asked = None

    def _drop_head(self) -> None:
        surplus = len(self._messages) - WINDOW
        if surplus > 0:
            del self._messages[:surplus]
            self.headDropped.emit(surplus)

    def _drop_tail(self) -> None:
        surplus = len(self._messages) - WINDOW
        if surplus > 0:
            del self._messages[-surplus:]
            self.tailDropped.emit(surplus)

    # -- changes ------------------------------------------------------------------------------------------

    def append(self, message: Message) -> None:
        """Take a new newest message; held only when the window reaches the end of the chat."""
        if message.chat_id != self._chat_id or self.find(message.id) is not None:
            return
        reached = self.at_end
        self._set_count(max(self._count, message.number))
        if reached:
            self._messages.append(message)
            self.appended.emit(1)
            self._drop_head()

    def change(self, message: Message) -> None:
        """Take a message's new state; ignored when it is not held.

        While it streams its text goes on as the stream has it: what is stored is always a little behind.
        """
        for at, held in enumerate(self._messages):
            if held.id == message.id:
                self._messages[at] = message
                self.changed.emit(message.id)
                return

    def remove(self, message_ids: Collection[int]) -> None:
        """Take messages away; the numbers after them close up.

        When some of them are not held, what is held is asked for again, because its numbers may have moved.
        """
        gone = set(message_ids)
        held = [message.id for message in self._messages if message.id in gone]
        self._set_count(max(0, self._count - len(gone)))
        for message_id in gone:
            self._streams.pop(message_id, None)
        if held:
            first = self.first
            kept = [message for message in self._messages if message.id not in gone]
            self._messages = [replace(message, number=first + at) for at, message in enumerate(kept)]
            self.removed.emit(held)
        if len(held) < len(gone):
            self.reload()
        elif not self._messages and self._count:
            self.wantAround(self._count)

    def restore(self, messages: Sequence[Message]) -> None:
        """Take messages that have come back, ascending by number; those after them are renumbered.

        What stands beside something that is held is held as well.
        """
        reached, back = self.at_end, []
        messages = [message for message in messages if self.find(message.id) is None]
        for message in messages:
            at = message.number - self.first if self._messages else 0
            joins = 0 <= at < len(self._messages) or (at == len(self._messages) and reached)
            after = self._messages[max(at, 0) :]
            self._messages[max(at, 0) :] = [message] if joins else []
            self._messages += [replace(held, number=held.number + 1) for held in after]
            back += [message.id] if joins else []
        self._set_count(self._count + len(messages))
        self.restored.emit(back)
        if self.waiting:
            # The numbers it was asked for by are others now.
            self.reload()

    # -- streaming ----------------------------------------------------------------------------------------

    def startStream(self, message_id: int, generation: int, base: str = "") -> None:
        """Expect deltas of this generation for a message whose text so far is `base`.

        Deltas of an older generation are dropped from now on.
        """
        self._streams[message_id] = _Stream(generation, base)
        self.streamingChanged.emit(message_id, True)

    def appendDelta(self, message_id: int, text: str, generation: int | None = None) -> None:
        """Add streamed text.

        A delta whose generation is not the running one is dropped; without a generation it belongs to the
        running one. A delta for a message that does not stream is dropped.
        """
        stream = self._streams.get(message_id)
        if stream is None or not text or (generation is not None and generation != stream.generation):
            return
        stream.pending.append(text)
        if not self._batch.isActive():
            self._batch.start()

    def flush(self) -> None:
        """Tell the view about the deltas gathered so far."""
        for message_id, stream in list(self._streams.items()):
            if stream.pending:
                text = "".join(stream.pending)
                stream.parts.append(text)
                stream.pending.clear()
                self.deltaAppended.emit(message_id, text)

    def endStream(self, message_id: int, generation: int, message: Message | None = None) -> None:
        """End a stream of this generation; `message`, when given, is the stored result."""
        stream = self._streams.get(message_id)
        if stream is None or stream.generation != generation:
            return
        self.flush()
        text = self.text(message_id)
        del self._streams[message_id]
        for at, held in enumerate(self._messages):
            if held.id == message_id:
                result = message or replace(held, swipe=replace(held.swipe, text=text))
                self._messages[at] = result
        self.streamingChanged.emit(message_id, False)
        self.changed.emit(message_id)
