"""What is done to all memories of a chat from the window: rebuild, clear, another grain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from memdesk.ui.models.memories import Mark
from memdesk.work.cancel import Cancelled, CancelToken

if TYPE_CHECKING:
    from memdesk.memory.recall.upkeep import Rebuilt
    from memdesk.ui.models.memories import Snapshot
    from memdesk.ui.session import Session
    from memdesk.work.undo import Undo


@dataclass(slots=True)
class _Rebuild:
    """A rebuild that runs."""

    cancel: CancelToken = field(default_factory=CancelToken)
    done: int = 0
    total: int = 0


class MemoryUpkeep(QObject):
    """Runs what takes its time, says how far it is, and lets it be stopped or taken back."""

    progressed = Signal(int)
    """A chat whose memories are being made"""
    told = Signal(str, object)
    """What came of it, and the `Undo` that is offered with it"""

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window
        self._running: dict[int, _Rebuild] = {}
        self._regrained: dict[int, Undo] = {}

    # ── rebuild ──────────────────────────────────────────────────────────────────────────────────────

    def running(self, chat_id: int | None) -> tuple[int, int] | None:
        """Return how far the rebuild of a chat is, in messages, None when none runs."""
        found = self._running.get(chat_id) if chat_id is not None else None
        return (found.done, found.total) if found else None

    def can_stop(self, chat_id: int | None) -> bool:
        """Return whether the making of a chat's memories can be stopped: a person began it just now."""
        return chat_id in self._running or chat_id in self._regrained

    def stop(self, chat_id: int | None) -> None:
        """Stop making memories; they are then what they were before."""
        running = self._running.get(chat_id) if chat_id is not None else None
        if running is not None:
            running.cancel.cancel()
        elif chat_id is not None and (undo := self._regrained.pop(chat_id, None)) is not None:
            self._session.undo(undo)

    def rebuild(self, chat_id: int | None) -> None:
        """Make the memories of a chat anew from its messages."""
        if chat_id is None or chat_id in self._running:
            return
        running = self._running[chat_id] = _Rebuild()
        upkeep, post = self._session.workspace.upkeep, self._session.background.post

        job = self._session.jobs.begin(self.tr("Making the memories anew"), running.cancel)

        def tell(done: int, total: int) -> None:
            running.done, running.total = done, total
            job.say(done, total)
            post(lambda: self.progressed.emit(chat_id))

        def ended(result: tuple[Rebuilt, Undo]) -> None:
            self._running.pop(chat_id, None)
            job.end()
            rebuilt, undo = result
            # Through the session, so that Ctrl+Z knows of it too.
            self._session.act(lambda: undo, lambda taken: self.told.emit(self._words(rebuilt), taken))
            self.progressed.emit(chat_id)

        def failed(error: Exception) -> None:
            self._running.pop(chat_id, None)
            job.end()
            self.progressed.emit(chat_id)
            if isinstance(error, Cancelled):
                self.told.emit(self.tr("Stopped. The memories are as they were."), None)
            else:
                self._session.report(error)

        self._session.background.long(
            lambda: upkeep.rebuild(chat_id, running.cancel, tell), ended, failed=failed, owner=self
        )
        self.progressed.emit(chat_id)

    def _words(self, rebuilt: Rebuilt) -> str:
        number = self._window.locale().toString
        words = [
            self.tr("{0} made anew").format(number(rebuilt.made)),
            self.tr("{0} as they were").format(number(rebuilt.unchanged)),
        ]
        if rebuilt.kept:
            words.append(self.tr("{0} kept for you").format(number(rebuilt.kept)))
        if rebuilt.again:
            words.append(self.tr("{0} imported are embedded again").format(number(rebuilt.again)))
        return self.tr("Memories rebuilt: {0}.").format(self.tr(", ").join(words))

    def stop_all(self) -> None:
        """Stop everything at once: the window closes."""
        for running in self._running.values():
            running.cancel.cancel()

    # ── clear ────────────────────────────────────────────────────────────────────────────────────────

    def ask_to_clear(self, shown: Snapshot) -> None:
        """Ask whether all memories of a chat shall go, and say how many of them are a person's work."""
        chat_id, count = shown.chat_id, shown.total
        if not chat_id or not count:
            return
        touched = {Mark.FROZEN, Mark.PINNED, Mark.EDITED}
        kept = sum(card.chunk.origin == "note" or not touched.isdisjoint(card.marks) for card in shown.cards)
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.Warning)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setWindowTitle(self.tr("Clear Memories"))
        number = self._window.locale().toString
        box.setText(self.tr("Clear all {0} memories of this chat?").format(number(count)))
        words = [self.tr("Imported memories go too. The messages of the chat are not deleted.")]
        if kept:
            words.append(
                self.tr("{0} of them are frozen, pinned, edited or written by you.").format(number(kept))
            )
        words.append(self.tr("For 30 days they can be brought back from the trash."))
        box.setInformativeText("\n".join(words))
        clear = box.addButton(self.tr("Clear"), QMessageBox.ButtonRole.DestructiveRole)
        cancel = box.addButton(self.tr("Cancel"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(cancel)
        box.setEscapeButton(cancel)
        clear.clicked.connect(lambda: self._clear(chat_id))
        box.open()

    def _clear(self, chat_id: int) -> None:
        upkeep = self._session.workspace.upkeep
        self._session.act(
            lambda: upkeep.clear(chat_id),
            lambda undo: self.told.emit(self.tr("All memories of this chat are in the trash."), undo),
        )

    # ── settings ─────────────────────────────────────────────────────────────────────────────────────

    def open_settings(self, chat_id: int | None) -> None:
        """Show how recall works in a chat, to be changed."""
        if chat_id is None:
            return
        # Imported where it opens: the first window does not wait for it.
        from memdesk.ui.dialogs.recall_settings import RecallSettingsDialog  # noqa: PLC0415 — see above

        memories = self._session.workspace.memories

        def show(settings: object) -> None:
            dialog = RecallSettingsDialog(settings, self._window)  # type: ignore[arg-type]
            dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            dialog.chosen.connect(lambda values, remade: self._store(chat_id, values, remade=remade))
            dialog.open()

        self._session.background.read(lambda: memories.settings(chat_id), show, owner=self)

    def _store(self, chat_id: int, values: dict[str, object], *, remade: bool) -> None:
        memories = self._session.workspace.memories

        def stored(undo: Undo) -> None:
            if not remade:
                return
            self._regrained[chat_id] = undo
            self.told.emit(self.tr("The memories are being made anew. What you keep stays."), undo)
            self.progressed.emit(chat_id)

        self._session.act(lambda: memories.set_settings(chat_id, **values), stored)

    def settled(self, chat_id: int) -> None:
        """Take note that nothing of a chat waits any more: there is nothing left to stop."""
        self._regrained.pop(chat_id, None)
