"""All personas: who one can play, and what the model is told about them. What is typed is kept at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import shiboken6
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QLineEdit, QMenu, QVBoxLayout, QWidget

from memdesk.chats.model import Chat, Persona
from memdesk.chats.text import one_line
from memdesk.people import PersonaImport
from memdesk.store.errors import StoreError
from memdesk.ui.bidi import isolated
from memdesk.ui.dialogs.import_words import persona_words
from memdesk.ui.dialogs.persona_form import PersonaForm
from memdesk.ui.dialogs.pieces import (
    Notice,
    column,
    fit,
    line,
    plain_label,
    push_button,
    row,
    scrolled,
    tool_button,
)
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.models.people import PeopleModel, Row
from memdesk.ui.pictures import Pictures
from memdesk.ui.session import Session
from memdesk.ui.widgets.people_list import PeopleList
from memdesk.work.undo import Undo

SAVE_AFTER_MS: Final = 600
"""What is typed is stored when nobody has typed for so long, and when another persona or nothing is shown."""
RELOAD_MS: Final = 60
LIST_WIDTH: Final = 232

T = TypeVar("T")


class PersonasDialog(QDialog):
    """A list of personas, and the one that is marked as a form."""

    chosen = Signal(int)
    """The persona to be played from now on; carries its id"""

    def __init__(
        self, session: Session, pictures: Pictures, parent: QWidget | None = None, *, chat: Chat | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._people = session.workspace.people
        self._chat = chat
        self._personas: dict[int, Persona] = {}
        self._wanted: int | None = None
        self._fresh: int | None = None
        """The persona just made, whose name is to be typed"""
        self._played: int | None = None
        self._making = False
        self._touched: set[int] = set()
        """Personas that Ctrl+Z brings back to how they were when this was opened"""
        self._undo: Undo | None = None
        self._save_timer = self._timer(SAVE_AFTER_MS, self._store)
        self._reload_timer = self._timer(RELOAD_MS, self._reload)
        self.setWindowTitle(self.tr("Personas"))
        self._model = PeopleModel(pictures, self)
        self._build()
        fit(self, 780, 660)
        session.charactersChanged.connect(self._reload_timer.start)
        self._show(None)
        self._reload()

    def _timer(self, milliseconds: int, run: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(run)
        return timer

    def start_with(self, persona_id: int | None) -> None:
        """Mark the persona that is played, once the list is there."""
        self._wanted = self._played = persona_id

    # -- layout ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        upright = line()
        upright.setMaximumHeight(16_777_215)
        upright.setFixedWidth(1)
        upright.setMinimumHeight(0)
        body = row(self._left(), upright, self._right(), spacing=0)
        body.setStretch(2, 1)
        self._notice = Notice("info")
        self._take_back = push_button(self.tr("Undo"), parent=self)
        self._take_back.clicked.connect(self._run_undo)
        self._take_back.setVisible(False)
        close = push_button(self.tr("Close"), "primary", self)
        close.clicked.connect(self.accept)
        for button in (self._take_back, close):
            button.setAutoDefault(False)
        foot = row()
        foot.addWidget(self._notice, 1, Qt.AlignmentFlag.AlignVCenter)
        foot.addStretch(0)
        foot.addWidget(self._take_back)
        foot.addWidget(close)
        foot.setContentsMargins(16, 12, 16, 12)
        outer = column(parent=self, spacing=0)
        outer.addLayout(body, 1)
        outer.addWidget(line())
        outer.addLayout(foot)

    def _left(self) -> QWidget:
        left = QWidget(self)
        left.setFixedWidth(LIST_WIDTH)
        self._search = QLineEdit(left)
        self._search.setPlaceholderText(self.tr("Search"))
        self._search.setAccessibleName(self.tr("Search personas"))
        self._search.setClearButtonEnabled(True)
        self._search.textChanged.connect(self._model.set_needle)
        self._list = PeopleList(self._model, self.tr("Personas"), left, calm=True)
        self._list.marked.connect(self._mark)
        self._list.chosen.connect(lambda _id: self._form.begin())
        self._list.deleteRequested.connect(self._delete)
        self._list.menuRequested.connect(self._menu)
        self._empty = plain_label(
            self.tr(
                "Nobody yet. A persona is who you are in a chat: a name, and what characters know of you."
            ),
            "soft",
            left,
        )
        self._empty.setContentsMargins(18, 4, 18, 4)
        self._empty.hide()
        new = push_button(self.tr("New persona"), parent=left)
        new.setAutoDefault(False)
        new.clicked.connect(self._add)
        more = tool_button("more", self.tr("More about personas"), left)
        more.clicked.connect(lambda: self._menu(0, more.mapToGlobal(more.rect().bottomLeft())))
        top = row(self._search)
        top.setContentsMargins(12, 12, 12, 6)
        buttons = row(new, more)
        buttons.setStretch(0, 1)
        buttons.setContentsMargins(12, 8, 12, 12)
        layout = QVBoxLayout(left)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self._empty)
        layout.addWidget(self._list, 1)
        layout.addLayout(buttons)
        return left

    def _right(self) -> QWidget:
        page = self._page = QWidget(self)
        self._form = PersonaForm(self._session.workspace, self._session.background, page)
        self._form.edited.connect(self._save_timer.start)
        self._form.pictureChanged.connect(self._store)
        self._play = push_button(self.tr("Play in this chat"), parent=page)
        self._play.clicked.connect(self._choose)
        self._default = push_button(self.tr("Use in new chats"), parent=page)
        self._default.clicked.connect(self._make_default)
        self._facts = plain_label("", "soft", page)
        uses = row(self._play, self._default)
        for button in (self._play, self._default):
            button.setAutoDefault(False)
        uses.addStretch(1)
        layout = column(self._form, self._facts, parent=page, spacing=16)
        layout.addLayout(uses)
        layout.addStretch(1)
        layout.setContentsMargins(20, 20, 20, 20)
        return scrolled(page, self.tr("Persona"))

    # -- the list -------------------------------------------------------------------------------------------

    def _reload(self) -> None:
        workspace = self._session.workspace
        self._session.background.read(workspace.personas.all, self._take, failed=self._refuse, owner=self)

    def _take(self, personas: list[Persona]) -> None:
        self._personas = {persona.id: persona for persona in personas}
        self._model.set_rows([self._row(persona) for persona in personas])
        self._empty.setVisible(not personas)
        shown = self._form.shown
        wanted = self._wanted if self._wanted in self._personas else shown.id if shown else None
        if wanted not in self._personas:
            wanted = next(iter(self._personas), None)
        self._wanted = None
        if wanted is None:
            self._show(None)
            return
        self._list.select(wanted)
        if shown is None or shown.id != wanted or not self._form.is_changed():
            self._show(self._personas[wanted])
        if wanted == self._fresh:
            self._fresh = None
            self._form.begin()

    def _row(self, persona: Persona) -> Row:
        return Row(
            id=persona.id,
            title=one_line(persona.name, 120),
            face=persona.name,
            line=one_line(persona.description, 120) or self.tr("No description"),
            when=self.tr("default") if persona.default else "",
            avatar=persona.avatar,
        )

    def _mark(self, persona_id: int) -> None:
        persona, shown = self._personas.get(persona_id), self._form.shown
        if persona is not None and (shown is None or shown.id != persona_id):
            self._store()
            self._show(persona)

    def _show(self, persona: Persona | None) -> None:
        self._page.setEnabled(persona is not None)
        self._form.show_persona(persona)
        self._play.setVisible(self._chat is not None)
        self._say_facts()

    def _say_facts(self) -> None:
        persona = self._form.shown
        played = persona is not None and persona.id == self._played
        self._play.setEnabled(persona is not None and not played)
        self._default.setEnabled(persona is not None and not persona.default)
        words = []
        if played and self._chat is not None:
            words.append(self.tr("You play this persona in the open chat."))
        if persona is not None and persona.default:
            words.append(self.tr("New chats start with this persona."))
        self._facts.setText(" ".join(words))
        self._facts.setVisible(bool(words))

    # -- acts -----------------------------------------------------------------------------------------------

    def _do(self, act: Callable[[], T], done: Callable[[T], None] | None = None) -> None:
        """Do something in the background; what goes wrong is said here."""
        self._session.background.write(act, done, failed=self._refuse, owner=self)

    def _store(self) -> None:
        """Store what was changed; a blank name is not taken."""
        self._save_timer.stop()
        values, picture = self._form.values(), self._form.picture
        if values is None or not self._form.is_changed():
            return
        if not values.name.strip():
            self._form.refuse_name()
            return
        first = values.id not in self._touched
        self._touched.add(values.id)
        self._form.settled(values)

        def done(result: tuple[Persona, Undo | None]) -> None:
            if first and result[1] is not None:
                self._session.remember(result[1])

        def failed(error: Exception) -> None:
            (self._refuse if shiboken6.isValid(self) else self._session.report)(error)

        # The dialog may be closed by then, and what was typed is to be taken back all the same.
        self._session.background.write(
            lambda: self._people.save_persona(values, picture), done, failed=failed, owner=self._session
        )

    def _add(self) -> None:
        name = self.tr("New persona")
        self._make(lambda: self._people.add_persona(name))

    def _duplicate(self, persona_id: int) -> None:
        self._make(lambda: self._people.duplicate_persona(persona_id))

    def _make(self, act: Callable[[], tuple[Persona, Undo]]) -> None:
        # A second click on the way makes no second persona.
        if self._making:
            return
        self._making = True
        self._store()

        def failed(error: Exception) -> None:
            self._making = False
            self._refuse(error)

        def done(result: tuple[Persona, Undo]) -> None:
            self._making = False
            persona, undo = result
            self._session.remember(undo)
            self._search.clear()
            self._wanted = self._fresh = persona.id
            self._reload()

        self._session.background.write(act, done, failed=failed, owner=self)

    def _delete(self, persona_id: int) -> None:
        shown = self._form.shown
        if shown is not None and shown.id == persona_id:
            # What was typed goes with it, and comes back with it.
            self._store()

        def done(undo: Undo) -> None:
            self._session.remember(undo)
            self._offer(undo, self.tr("Moved to the trash: %1").replace("%1", isolated(undo.label)))

        self._do(lambda: self._people.delete_persona(persona_id), done)

    def _offer(self, undo: Undo | None, words: str, *, detail: str = "") -> None:
        self._undo = undo
        self._take_back.setVisible(undo is not None)
        self._notice.say(words, "info", detail)

    def _run_undo(self) -> None:
        undo = self._undo
        self._offer(None, "")
        self._list.setFocus()
        if undo is not None:
            self._session.undo(undo)

    def _choose(self) -> None:
        self._store()
        if self._form.shown is not None:
            self._played = self._form.shown.id
            self._list.setFocus()
            self.chosen.emit(self._played)
            self._say_facts()

    def _make_default(self) -> None:
        self._store()
        if self._form.shown is None:
            return
        persona_id = self._form.shown.id
        self._list.setFocus()
        self._do(
            lambda: self._people.make_default(persona_id),
            lambda undo: self._session.remember(undo) if undo is not None else None,
        )

    def _menu(self, persona_id: int, place: QPoint) -> None:
        shown = self._form.shown
        persona_id = persona_id or (shown.id if shown else 0)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if persona_id:
            menu.addAction(self.tr("Duplicate"), partial(self._duplicate, persona_id))
            menu.addAction(self.tr("Delete"), partial(self._delete, persona_id))
            menu.addSeparator()
        menu.addAction(self.tr("Import…"), self.import_file)
        menu.addAction(self.tr("Export all…"), self.export_file).setEnabled(bool(self._personas))
        menu.popup(place)

    # -- files ----------------------------------------------------------------------------------------------

    def _file_dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self, title)
        dialog.setNameFilter(self.tr("Personas") + " (*.json)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    def import_file(self) -> None:
        """Ask for a file of personas, and add those that are not here yet."""
        dialog = self._file_dialog(self.tr("Import personas"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.take_file(Path(name)))
        dialog.open()

    def take_file(self, path: Path) -> None:
        """Add the personas of a file."""
        self._store()

        def show(result: tuple[PersonaImport, Undo | None]) -> None:
            imported, undo = result
            if undo is not None:
                self._session.remember(undo)
            words = persona_words(imported)
            self._offer(undo, words[0], detail="\n".join(words[1:]))

        self._do(lambda: self._people.import_personas(path), show)

    def export_file(self) -> None:
        """Ask for a place, and write all personas there."""
        self._store()
        dialog = self._file_dialog(self.tr("Export personas"))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("json")
        dialog.selectFile("personas.json")
        dialog.fileSelected.connect(lambda name: self.write_file(Path(name)))
        dialog.open()

    def write_file(self, path: Path) -> None:
        """Write all personas into a file."""
        self._do(
            lambda: self._people.export_personas(path),
            lambda count: self._offer(None, self.tr("%n persona(s) written.", "", count)),
        )

    def _refuse(self, error: Exception) -> None:
        # What was just deleted cannot be deleted again: a second click came late.
        if not (isinstance(error, StoreError) and error.code == "not_found"):
            self._take_back.setVisible(False)
            self._notice.say(failure_words(error), "bad")

    # -- the dialog -----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in a line ends a dialog by default; here it is the way to the next field.
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.focusNextChild()
        else:
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """Close; what was typed is stored first."""
        self._store()
        super().done(result)
