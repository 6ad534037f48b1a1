"""What the window does with an open data folder: every act in the background, its news as signals."""

from __future__ import annotations

import functools
import itertools
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, QTimer, Signal

from memdesk.chats.changes import Change, ChangeKind
from memdesk.conversation import (
    Event,
    Listener,
    NobodyReplies,
    Removed,
    ReplyEnded,
    ReplyGrew,
    ReplyStarted,
    ReplyTurned,
    UserMessageStored,
)
from memdesk.library import Undo
from memdesk.settings_acts import change_for_all
from memdesk.store.errors import StoreError
from memdesk.ui.background import Background
from memdesk.ui.running import Jobs
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

BATCH_MS = 40
"""Deltas are gathered this long before the window thread takes them."""

log = logging.getLogger(__name__)

UNDO_STEPS = 50


@dataclass(slots=True)
class Reply:
    """A reply that is being written."""

    chat_id: int
    generation: int
    cancel: CancelToken = field(default_factory=CancelToken)
    message_id: int | None = None
    text: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)


class Session(QObject):
    """The window's side of a `Workspace`. Signals arrive in the window thread."""

    chatsChanged = Signal()
    charactersChanged = Signal()
    messagesChanged = Signal(int, object, list)
    """chat id, `ChangeKind`, message ids"""
    memoriesChanged = Signal(int)
    userMessageStored = Signal(object)
    replyStarted = Signal(object, int, object)
    """message, generation, receipt or None"""
    replyGrew = Signal(int, str, int)
    """message id, text, generation"""
    replyThought = Signal(int, str, int)
    """message id, thoughts, generation"""
    replyTurned = Signal(int, str, int)
    """message id, the text so far, which was thoughts, generation"""
    replyEnded = Signal(int, int, object, int)
    """chat id, message id, message or None, generation"""
    turnGrew = Signal(int, str)
    """chat id, text of the person's own turn that a model writes"""
    removed = Signal(object)
    """`Undo` of messages that made way for a reply that is written anew"""
    nobodyReplies = Signal(int, object)
    """chat id, and a `StoreError` that says why, None where a person chooses who replies"""
    replyingChanged = Signal(int, bool)
    """chat id, whether a reply is being written there"""
    undoChanged = Signal(str)
    """What Ctrl+Z would take back, "" for nothing"""
    undone = Signal(str)
    failed = Signal(object)
    """An exception to be told in plain words"""
    settingsChanged = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.workspace = workspace
        self.background = background
        self._replies: dict[int, Reply] = {}
        self._generations = itertools.count(1)
        self.jobs = Jobs(background, self)
        self._undo: list[Undo] = []
        self._batches: dict[int, _Batch] = {}
        self._fetching = QTimer(self)
        self._fetching.setSingleShot(True)
        self._fetching.setInterval(BATCH_MS)
        self._fetching.timeout.connect(self._fetch)
        self._unsubscribe = workspace.bus.subscribe(
            lambda change: background.post(lambda: self._tell(change))
        )
        background.failure.connect(self.report)

    # ── replies ──────────────────────────────────────────────────────────────────────────────────────

    def replying(self, chat_id: int | None) -> bool:
        """Return whether a reply is being written in a chat."""
        return chat_id in self._replies

    def generation(self, chat_id: int) -> tuple[int | None, int]:
        """Return (message id, generation) of the reply being written in a chat."""
        reply = self._replies[chat_id]
        return reply.message_id, reply.generation

    def text_so_far(self, chat_id: int) -> str:
        """Return what has come of the reply being written in a chat."""
        return "".join(self._replies[chat_id].text)

    def thoughts_so_far(self, chat_id: int) -> str:
        """Return what has come of the thoughts of the reply being written in a chat."""
        return "".join(self._replies[chat_id].thoughts)

    def send(self, chat_id: int, text: str, rejected: Callable[[Exception], None]) -> bool:
        """Send a message and let the character reply; `rejected` is told when it could not be stored."""
        conversation = self.workspace.conversation
        return self._start(
            chat_id, lambda listen, cancel: conversation.send(chat_id, text, listen, cancel), rejected
        )

    def reply(self, chat_id: int, speaker: int | None = None) -> bool:
        """Let the character, or one member of a group, reply to the chat as it stands."""
        conversation = self.workspace.conversation
        return self._start(
            chat_id, lambda listen, cancel: conversation.reply(chat_id, listen, cancel, speaker)
        )

    def regenerate(self, chat_id: int, message_id: int) -> bool:
        """Write a reply anew as a further swipe."""
        conversation = self.workspace.conversation
        return self._start(
            chat_id, lambda listen, cancel: conversation.regenerate(message_id, listen, cancel)
        )

    def regenerate_from(self, chat_id: int, message_id: int) -> bool:
        """Put all that comes after a message into the trash, and write the reply there anew."""
        conversation = self.workspace.conversation
        return self._start(
            chat_id, lambda listen, cancel: conversation.regenerate_from(message_id, listen, cancel)
        )

    def continue_reply(self, chat_id: int, message_id: int) -> bool:
        """Let the last reply grow."""
        conversation = self.workspace.conversation
        return self._start(
            chat_id, lambda listen, cancel: conversation.continue_reply(message_id, listen, cancel)
        )

    def impersonate(self, chat_id: int, begun: str, rejected: Callable[[Exception], None]) -> bool:
        """Let the model write the person's turn, told by `turnGrew`; `rejected` is told why it failed."""
        conversation = self.workspace.conversation

        def turn(listen: Listener, cancel: CancelToken) -> None:
            conversation.impersonate(chat_id, begun, listen, cancel)

        return self._start(chat_id, turn, rejected)

    def stop(self, chat_id: int) -> None:
        """Stop the reply of a chat; what has come is kept."""
        reply = self._replies.get(chat_id)
        if reply is not None:
            # Closing a connection may block, so it is not the window that closes it.
            self.background.read(reply.cancel.cancel)

    def stop_all(self) -> None:
        """Stop every reply, at once: the window closes."""
        for reply in list(self._replies.values()):
            reply.cancel.cancel()

    def _start(
        self,
        chat_id: int,
        turn: Callable[[Listener, CancelToken], object],
        rejected: Callable[[Exception], None] | None = None,
    ) -> bool:
        if chat_id in self._replies:
            return False
        reply = Reply(chat_id, next(self._generations))
        batch = _Batch(self, reply)
        self._replies[chat_id] = reply
        self._batches[chat_id] = batch

        def ended(_result: object) -> None:
            self._end(reply)

        def failed(error: Exception) -> None:
            self._end(reply)
            (rejected or self.failed.emit)(error)

        self.background.long(lambda: turn(batch.listen, reply.cancel), ended, failed=failed, owner=self)
        self.replyingChanged.emit(chat_id, True)
        return True

    def _end(self, reply: Reply) -> None:
        if batch := self._batches.pop(reply.chat_id, None):
            # A turn has no end of its own that would bring its last words.
            batch.fetch()
        self._replies.pop(reply.chat_id, None)
        self.replyingChanged.emit(reply.chat_id, False)

    def fetch_soon(self) -> None:
        """Take what has been gathered of the replies in a moment."""
        if not self._fetching.isActive():
            self._fetching.start()

    def _fetch(self) -> None:
        for batch in list(self._batches.values()):
            batch.fetch()

    def hear(self, reply: Reply, event: Event) -> None:
        """Pass an event of a turn on, in the window thread."""
        if isinstance(event, UserMessageStored):
            self.userMessageStored.emit(event.message)
        elif isinstance(event, ReplyStarted):
            reply.message_id = event.message.id
            # A reply that is continued has begun long ago.
            reply.text = [event.message.text]
            self.replyStarted.emit(event.message, reply.generation, event.receipt)
        elif isinstance(event, ReplyGrew):
            if event.reasoning:
                reply.thoughts.append(event.text)
                self.replyThought.emit(event.message_id, event.text, reply.generation)
            elif not event.message_id:
                self.turnGrew.emit(reply.chat_id, event.text)
            else:
                reply.text.append(event.text)
                self.replyGrew.emit(event.message_id, event.text, reply.generation)
        elif isinstance(event, ReplyTurned):
            # What stood there before it was continued is none of it.
            turned = "".join(reply.text[1:])
            del reply.text[1:]
            reply.thoughts.append(turned)
            self.replyTurned.emit(event.message_id, turned, reply.generation)
        elif isinstance(event, Removed):
            self.remember(event.undo)
            self.removed.emit(event.undo)
        elif isinstance(event, NobodyReplies):
            self.nobodyReplies.emit(event.chat_id, event.reason)
        elif isinstance(event, ReplyEnded):
            # In a group another reply may follow; until then none is being written.
            reply.message_id = None
            reply.text.clear()
            reply.thoughts.clear()
            if event.undo is not None:
                self.remember(event.undo)
            self.replyEnded.emit(reply.chat_id, event.message_id, event.message, reply.generation)

    def report(self, error: Exception) -> None:
        """Tell of a failure that nobody has dealt with; asking for what was just deleted is none."""
        if isinstance(error, StoreError) and error.code == "not_found":
            log.info("too late: %s", error)
        else:
            self.failed.emit(error)

    # ── acts that can be undone ──────────────────────────────────────────────────────────────────────

    def act(
        self,
        function: Callable[[], Undo | None],
        done: Callable[[Undo], None] | None = None,
        *,
        removes: bool = False,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Do something in the background and remember how to take it back.

        What `removes` a thing has nothing to say when the thing is gone already: a second click came late.
        """

        def remember(undo: Undo | None) -> None:
            if undo is not None:
                self.remember(undo)
                if done is not None:
                    done(undo)

        def refused(error: Exception) -> None:
            if not (removes and isinstance(error, StoreError) and error.code == "not_found"):
                self.failed.emit(error)

        self.background.write(function, remember, failed=failed or refused, owner=self)

    def remember(self, undo: Undo) -> None:
        """Let Ctrl+Z take back what was just done."""
        # Acts in a row that are one act are taken back by the undo of the first.
        if undo.key is None or not self._undo or self._undo[-1].key != undo.key:
            self._undo.append(undo)
            del self._undo[:-UNDO_STEPS]
        self.undoChanged.emit(undo.label)

    def change_for_all(self, label: str, done: Callable[[], None] | None = None, **values: object) -> None:
        """Change settings that hold in every chat; taking it back is told as a change, too."""

        def act() -> Undo | None:
            undo = change_for_all(self.workspace, label, **values)
            return undo and Undo(label, lambda: self._told(undo.run))

        def changed(_undo: Undo | None) -> None:
            self.settingsChanged.emit()
            if done is not None:
                done()

        self.act(act, changed)

    def _told(self, back: Callable[[], object]) -> None:
        back()
        self.background.post(self.settingsChanged.emit)

    def edit_message(
        self,
        message_id: int,
        text: str,
        swipe_id: int | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Change the text of a message: of the version named, else of the one that stands."""
        self.act(lambda: self.workspace.library.edit_message(message_id, text, swipe_id), failed=failed)

    def delete_messages(self, ids: Sequence[int], done: Callable[[Undo], None] | None = None) -> None:
        """Put messages into the trash; one that is being written is stopped."""
        for reply in list(self._replies.values()):
            if reply.message_id in ids:
                self.stop(reply.chat_id)
        self.act(lambda: self.workspace.library.delete_messages(ids), done, removes=True)

    def delete_from(
        self,
        chat_id: int,
        message_id: int,
        done: Callable[[Undo], None] | None = None,
        *,
        after: bool = False,
    ) -> None:
        """Put a message and all after it into the trash (`after`: only those); a reply stops."""
        self.stop(chat_id)
        self.act(lambda: self.workspace.acts.delete_from(message_id, after=after), done, removes=True)

    def delete_chat(self, chat_id: int, done: Callable[[Undo], None] | None = None) -> None:
        """Put a chat into the trash."""
        self.act(lambda: self.workspace.library.delete_chat(chat_id), done, removes=True)

    def delete_character(self, character_id: int, done: Callable[[Undo], None] | None = None) -> None:
        """Put a character into the trash."""
        self.act(lambda: self.workspace.library.delete_character(character_id), done, removes=True)

    def rename_chat(self, chat_id: int, title: str) -> None:
        """Give a chat another title."""
        self.act(lambda: self.workspace.library.rename_chat(chat_id, title))

    def undo(self, wanted: Undo | None = None) -> None:
        """Take an act back, the last one unless another is named; one that is taken back already stays so."""
        undo = wanted or (self._undo[-1] if self._undo else None)
        if undo is not None and undo in self._undo:
            self._undo.remove(undo)
            self.undoChanged.emit(self._undo[-1].label if self._undo else "")
            self.background.write(undo.run, lambda _: self.undone.emit(undo.label), owner=self)

    def choose_swipe(self, message_id: int, position: int) -> None:
        """Let another version of a message stand (counted from 0)."""
        self.act(lambda: self.workspace.library.choose_swipe(message_id, position))

    # ── news ─────────────────────────────────────────────────────────────────────────────────────────

    def _tell(self, change: Change) -> None:
        if change.kind is ChangeKind.MEMORIES_CHANGED:
            self.memoriesChanged.emit(change.chat_id or 0)
            return
        if change.kind is ChangeKind.CHARACTER_CHANGED:
            self.charactersChanged.emit()
        if change.chat_id is not None:
            self.messagesChanged.emit(change.chat_id, change.kind, list(change.message_ids))
        self.chatsChanged.emit()

    def close(self) -> None:
        """Hear no more news."""
        self._unsubscribe()


class _Batch:
    """Gathers the deltas of one reply: the window hears of them a few times a second, not a hundred."""

    def __init__(self, session: Session, reply: Reply) -> None:
        self._session = session
        self._reply = reply
        self._lock = threading.Lock()
        self._text: list[str] = []
        self._thoughts: list[str] = []
        self._message_id = 0

    def listen(self, event: Event) -> None:
        """Take an event in the turn's thread."""
        post = self._session.background.post
        if isinstance(event, ReplyGrew):
            with self._lock:
                first = not (self._text or self._thoughts)
                self._message_id = event.message_id
                (self._thoughts if event.reasoning else self._text).append(event.text)
            if first:
                # The window fetches it: what comes before a long pause must not wait for what comes after.
                post(self._session.fetch_soon)
        else:
            # What was gathered belongs before this event: the next words may be another reply's.
            for rest in self._take():
                post(functools.partial(self._session.hear, self._reply, rest))
            post(lambda: self._session.hear(self._reply, event))

    def fetch(self) -> None:
        """Let the window hear what has been gathered; in the window thread."""
        with self._lock:
            # 0 stands for what is not stored, as a turn written for the person.
            early = bool(self._text or self._thoughts) and self._message_id not in (0, self._reply.message_id)
        if early:
            # The news that this reply has begun is still on its way.
            self._session.fetch_soon()
            return
        for gathered in self._take():
            self._session.hear(self._reply, gathered)

    def _take(self) -> list[ReplyGrew]:
        with self._lock:
            text, thoughts = "".join(self._text), "".join(self._thoughts)
            self._text.clear()
            self._thoughts.clear()
            found = [ReplyGrew(self._message_id, thoughts, reasoning=True)] if thoughts else []
            return [*found, ReplyGrew(self._message_id, text)] if text else found
