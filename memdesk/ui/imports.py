"""One way in for every kind of file: characters, personas, presets, memories.

What is only added goes in at once, and one message says what came of it all. What has to be looked at first,
a preset or memories, is shown afterwards, one file at a time. Everything can be undone in one step.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QWidget

from memdesk.chats.model import Chat
from memdesk.chats.text import one_line
from memdesk.formats.memory_io import is_memory_file
from memdesk.formats.personas import is_personas_file
from memdesk.formats.sillytavern_preset import FoundPreset, is_preset_file
from memdesk.people import PersonaImport
from memdesk.ui.bidi import isolated
from memdesk.ui.errors import explain
from memdesk.ui.running import Job
from memdesk.ui.sentences import said
from memdesk.ui.session import Session
from memdesk.ui.widgets.toast import Toast
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo

FILTER = "*.png *.json *.settings *.preset *.marinara"


@dataclass(slots=True)
class Outcome:
    """What came of the files: what is new, what there is to tell, and what is to be looked at first."""

    chat: Chat | None = None
    characters: list[str] = field(default_factory=list)
    personas: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    undos: list[Undo] = field(default_factory=list)
    presets: list[tuple[Path, FoundPreset]] = field(default_factory=list)
    memories: list[Path] = field(default_factory=list)

    def undo(self) -> Undo | None:
        """Return how to take all of it back, the last first."""
        if not self.undos:
            return None
        label = ", ".join(one_line(undo.label, 40) for undo in self.undos[:3])
        undos = self.undos[::-1]

        def back() -> None:
            for undo in undos:
                undo.run()

        return Undo(label if len(undos) <= len(self.undos[:3]) else f"{label}, …", back)


class Imports(QObject):
    """Takes files that were chosen or dropped."""

    def __init__(
        self,
        session: Session,
        toast: Toast,
        window: QWidget,
        open_dialog: Callable[[QDialog], None],
        made: Callable[[Chat], None],
    ) -> None:
        super().__init__(window)
        self._session = session
        self._workspace = session.workspace
        self._toast = toast
        self._window = window
        self._open = open_dialog
        self._made = made
        self._waiting: list[Callable[[], QDialog | None]] = []
        self.open_memories: Callable[[Path], QDialog | None] = lambda _path: None
        """Shows what a file of memories would add to the open chat; None where no chat is open."""

    def take(self, paths: list[Path]) -> None:
        """Import files one by one; a bad one is named, the others go in."""
        cancel = CancelToken()
        job = self._session.jobs.begin(self.tr("Importing files"), cancel)
        stopped = self.tr("Stopped after {done} of {total} files.")

        def work() -> Outcome:
            with job:
                return self._read_all(paths, job, cancel, stopped)

        self._session.background.write(work, self._show, owner=self)

    def _read_all(self, paths: list[Path], job: Job, cancel: CancelToken, stopped: str) -> Outcome:
        outcome = Outcome()
        for done, path in enumerate(paths):
            job.say(done, len(paths))
            if cancel.cancelled:
                outcome.words.insert(0, stopped.format(done=done, total=len(paths)))
                break
            try:
                self._read(path, outcome)
            except Exception as error:  # noqa: BLE001 — told to the person, with the file's name
                outcome.words.append(explain(error))
        return outcome

    def _read(self, path: Path, outcome: Outcome) -> None:
        """Take one file as what it is. Runs on a worker."""
        if path.suffix.casefold() != ".png":
            if is_memory_file(path):
                outcome.memories.append(path)
                return
            if is_personas_file(path):
                result, undo = self._workspace.people.import_personas(path)
                self._take_personas(path, result, outcome)
                outcome.undos += [undo] if undo else []
                return
            if is_preset_file(path):
                outcome.presets.append((path, self._workspace.presets.read_file(path)))
                return
        library = self._workspace.library
        character, warnings = library.import_card(path)
        outcome.characters.append(character.name)
        outcome.words += [f"{character.name}: {said(warning)}" for warning in warnings]
        chat = outcome.chat = library.new_chat(character.id)

        def back() -> None:
            library.delete_chat(chat.id)
            library.delete_character(character.id)

        outcome.undos.append(Undo(character.name, back))

    @staticmethod
    def _take_personas(path: Path, result: PersonaImport, outcome: Outcome) -> None:
        from memdesk.ui.dialogs.import_words import persona_words  # noqa: PLC0415 — loaded when it is used

        outcome.personas += [f"{path.name}: {words}" for words in persona_words(result)]

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────

    def _show(self, outcome: Outcome) -> None:
        from memdesk.ui.dialogs.import_words import tell  # noqa: PLC0415 — loaded when it is used

        undo = outcome.undo()
        if undo is not None:
            self._session.remember(undo)
        if outcome.chat is not None:
            self._made(outcome.chat)
        news = [self._character_words(outcome.characters)] if outcome.characters else []
        news += outcome.personas
        if outcome.words:
            tell(self._toast, [*outcome.words, *news])
        elif news and undo is not None:
            self._toast.say("\n".join(news), self.tr("Undo"), lambda: self._session.undo(undo))
        elif news:
            self._toast.say("\n".join(news))
        self._waiting += [functools.partial(self._preset, *item) for item in outcome.presets]
        self._waiting += [functools.partial(self._memories, path) for path in outcome.memories]
        self._next()

    def _character_words(self, names: list[str]) -> str:
        if len(names) == 1:
            return self.tr("Character imported: {name}").format(name=isolated(one_line(names[0], 60)))
        return self.tr("%n character(s) imported.", "", len(names))

    # ── what is looked at first ──────────────────────────────────────────────────────────────────────

    def _next(self) -> None:
        """Show what waits to be looked at; the one after it when that is closed."""
        while self._waiting:
            dialog = self._waiting.pop(0)()
            if dialog is not None:
                dialog.finished.connect(lambda _result: self._next())
                return

    def _preset(self, path: Path, found: FoundPreset) -> QDialog:
        from memdesk.ui.dialogs.preset_import import PresetImportDialog  # noqa: PLC0415 — as above

        dialog = PresetImportDialog(found, path.name, self._window)
        dialog.wanted.connect(lambda: self._keep_preset(found))
        self._open(dialog)
        return dialog

    def _keep_preset(self, found: FoundPreset) -> None:
        presets = self._workspace.presets

        def done(undo: Undo) -> None:
            words = self.tr("Preset kept: {name}. It is under Presets, to be used.")
            name = isolated(one_line(undo.label, 60))
            self._toast.say(words.format(name=name), self.tr("Undo"), lambda: self._session.undo(undo))

        self._session.act(lambda: presets.add(found.preset)[1], done)

    def _memories(self, path: Path) -> QDialog | None:
        dialog = self.open_memories(path)
        if dialog is None:
            words = self.tr("{file} holds memories: open the chat that they go into first.")
            self._toast.say(words.format(file=isolated(path.name)), error=True)
        return dialog
