"""What a person does with characters and personas in the window; dialogs are loaded when they open."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from memdesk.chats.text import one_line
from memdesk.ui.bidi import isolated
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import paint_avatar

if TYPE_CHECKING:
    from memdesk.chats.model import Character, Chat, Persona
    from memdesk.ui.main_window import MainWindow
    from memdesk.ui.session import Session
    from memdesk.work.undo import Undo

MOST_IN_MENU: Final = 20
"""Personas that the menu names; the dialog has them all."""
FACE: Final = 20


class PeopleCarrier(QObject):
    """Connects the gallery and the persona row of a window with the acts behind them."""

    def __init__(self, session: Session, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._duplicating = False
        self._people = self._session.workspace.people
        self._gallery = window.library.gallery
        self._gallery.duplicateRequested.connect(self.duplicate)
        self._gallery.exportRequested.connect(self.export)
        self._gallery.favouriteRequested.connect(self.set_favourite)
        window.library.persona_row.switchRequested.connect(self._open_menu)
        window.openers.personasRequested.connect(self.open_personas)
        self._name_actions()

    def _name_actions(self) -> None:
        acts, gallery = self._window.acts, self._gallery

        def with_marked(run: Callable[[int], None]) -> Callable[[], None]:
            def act() -> None:
                marked = gallery.marked()
                if marked is not None:
                    run(marked)

            return act

        def is_marked() -> bool:
            return gallery.marked() is not None

        acts.add(
            "character.gallery",
            self.tr("Show the characters"),
            self.show_gallery,
            category="people",
            keys="Ctrl+G",
        )
        acts.add(
            "character.favourite",
            self.tr("Favourite or not"),
            with_marked(lambda item: self.set_favourite(item, not gallery.is_favourite(item))),
            category="people",
            keys="Ctrl+D",
            when=is_marked,
        )
        acts.add(
            "character.duplicate",
            self.tr("Duplicate character"),
            with_marked(self.duplicate),
            category="people",
            when=is_marked,
        )
        acts.add(
            "character.export",
            self.tr("Export character…"),
            with_marked(self.export),
            category="people",
            keys="Ctrl+Shift+E",
            when=is_marked,
        )
        acts.add(
            "persona.manage",
            self.tr("Personas…"),
            self.open_personas,
            category="people",
            keys="Ctrl+Shift+P",
            menus={"main": 12},
        )
        acts.add(
            "persona.switch",
            self.tr("Choose who you play…"),
            lambda: self._open_menu(self._window.library.persona_row.who),
            category="people",
            keys="Ctrl+U",
        )

    # ── characters ───────────────────────────────────────────────────────────────────────────────────

    def show_gallery(self) -> None:
        """Bring the characters into sight, and the keyboard with them."""
        self._window.folding.show(self._window.library)
        self._window.library.show_page(1)
        self._gallery.view.setFocus()

    def duplicate(self, character_id: int) -> None:
        """Make a second character of the same card, and mark it; a second click on the way makes no third."""
        if self._duplicating:
            return
        self._duplicating = True
        made: list[Character] = []

        def act() -> Undo:
            try:
                character, undo = self._people.duplicate(character_id)
            finally:
                self._session.background.post(self._duplicated)
            made.append(character)
            return undo

        def done(undo: Undo) -> None:
            self._gallery.view.select(made[0].id)
            words = self.tr("Duplicated: {name}").format(name=isolated(undo.label))
            self._window.toast.say(words, self.tr("Undo"), lambda: self._session.undo(undo))

        self._session.act(act, done)

    def _duplicated(self) -> None:
        self._duplicating = False

    def set_favourite(self, character_id: int, favourite: bool) -> None:
        """Mark a character as a favourite, or no longer."""
        self._session.act(lambda: self._people.set_favourite([character_id], favourite=favourite))

    def export(self, character_id: int) -> None:
        """Ask where to, and write a character into a PNG or JSON file."""
        from memdesk.people import file_name  # noqa: PLC0415 — loaded when it is used

        def ask(character: Character) -> None:
            dialog = QFileDialog(self._window, self.tr("Export character"))
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setNameFilters([self.tr("Picture with card") + " (*.png)", self.tr("Card") + " (*.json)"])
            dialog.setDefaultSuffix("png")
            dialog.filterSelected.connect(
                lambda chosen: dialog.setDefaultSuffix("json" if "json" in chosen else "png")
            )
            dialog.selectFile(file_name(character.name, ".png"))
            dialog.fileSelected.connect(lambda name: self._write_card(character_id, Path(name)))
            self._window.openers.open(dialog)

        characters = self._session.workspace.characters
        self._session.background.read(lambda: characters.get(character_id), ask, owner=self)

    def _write_card(self, character_id: int, path: Path) -> None:
        self._session.background.write(
            lambda: self._people.export_card(character_id, path), self._say_exported, owner=self
        )

    def _say_exported(self, path: Path) -> None:
        self._window.toast.say(self.tr("Written: {file}").format(file=isolated(path.name)))

    # ── personas ─────────────────────────────────────────────────────────────────────────────────────

    def open_personas(self) -> None:
        """Open the dialog of all personas, at the one that is played."""
        from memdesk.ui.dialogs.personas import PersonasDialog  # noqa: PLC0415 — loaded when it opens

        chat = self._window.chat.chat

        def show(present: Persona | None) -> None:
            dialog = PersonasDialog(self._session, self._window.pictures, self._window, chat=chat)
            dialog.start_with(present.id if present else None)
            dialog.chosen.connect(self.choose)
            self._window.openers.open(dialog)

        self._session.background.read(lambda: self._present(chat), show, owner=self)

    def _present(self, chat: Chat | None) -> Persona | None:
        workspace = self._session.workspace
        return workspace.conversation.persona(chat) if chat else workspace.personas.default()

    def choose(self, persona_id: int) -> None:
        """Play someone from now on: in the open chat, or without one in new chats."""
        chat_id = self._window.chat.chat_id
        if chat_id is None:
            self._session.act(lambda: self._people.make_default(persona_id))
        else:
            self._session.act(lambda: self._people.choose_persona(chat_id, persona_id))

    def _open_menu(self, button: QWidget) -> None:
        chat = self._window.chat.chat
        workspace = self._session.workspace

        def read() -> tuple[list[Persona], Persona | None]:
            return workspace.personas.all(), self._present(chat)

        def show(found: tuple[list[Persona], Persona | None]) -> None:
            self._show_menu(button, *found)

        self._session.background.read(read, show, owner=self)

    def _show_menu(self, button: QWidget, personas: list[Persona], present: Persona | None) -> None:
        menu = QMenu(self._window)
        menu.setAccessibleName(self.tr("Who you play"))
        theme = current_theme()
        # The one that is played and the default one are named in any case.
        near = sorted(personas, key=lambda one: (present is None or one.id != present.id, not one.default))
        named = {one.id for one in near[:MOST_IN_MENU]}
        for persona in [one for one in personas if one.id in named]:
            played = present is not None and persona.id == present.id
            words = [one_line(persona.name, 60)]
            words += [self.tr("default")] if persona.default else []
            words += [self.tr("played now")] if played else []
            name = " · ".join(words)
            # An ampersand alone would underline the letter after it.
            action = QAction(self._face(persona), name.replace("&", "&&"), menu)
            action.setCheckable(True)
            action.setChecked(played)
            if played:
                action.setFont(theme.font("strong"))
            action.triggered.connect(lambda _=False, item=persona.id: self.choose(item))
            menu.addAction(action)
        menu.addSeparator()
        menu.addAction(self._window.acts.act("persona.manage").action)
        menu.aboutToHide.connect(menu.deleteLater)
        self._window.folding.show(self._window.library)
        top = button.mapToGlobal(QPoint(0, 0))
        menu.popup(QPoint(top.x(), top.y() - menu.sizeHint().height()))

    def _face(self, persona: Persona) -> QIcon:
        scale = self._window.devicePixelRatioF()
        pixmap = QPixmap(QSize(FACE, FACE) * scale)
        pixmap.setDevicePixelRatio(scale)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        theme = current_theme()
        image = self._window.pictures.get(persona.avatar)
        paint_avatar(painter, QRectF(0, 0, FACE, FACE), persona.name, image, 5, theme.font("small"))
        painter.end()
        return QIcon(pixmap)
