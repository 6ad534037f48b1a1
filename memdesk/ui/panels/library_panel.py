"""The left side: chats and characters, searchable; below, who the person plays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from memdesk.chats.model import CharacterHead, Chat, Message, Persona
from memdesk.ui.icons import icon
from memdesk.ui.models.gallery import GalleryRow, gallery_rows, tag_counts
from memdesk.ui.models.people import PeopleModel, chat_rows
from memdesk.ui.panels.characters_page import CharactersPage
from memdesk.ui.pictures import Pictures
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.people_list import PeopleList
from memdesk.ui.widgets.persona_row import PersonaRow

RELOAD_MS = 60
"""News is gathered this long before the lists are read again."""


@dataclass(frozen=True, slots=True)
class _Lists:
    """What both pages show, as it was read."""

    chats: list[Chat]
    characters: list[CharacterHead]
    last: dict[int, Message]
    """The last messages of chats whose last line is blank"""
    rows: list[GalleryRow]
    tags: list[tuple[str, int]]


class LibraryPanel(QWidget):
    """Lists chats and characters and asks the window for what a person wants with them."""

    chatChosen = Signal(int)
    newChatRequested = Signal(int)
    """character id"""
    newCharacterRequested = Signal()
    editCharacterRequested = Signal(int)
    importRequested = Signal()
    renameChatRequested = Signal(int)
    deleteChatRequested = Signal(int)
    deleteCharacterRequested = Signal(int)
    loaded = Signal()

    def __init__(self, session: Session, pictures: Pictures, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._names: dict[int, str] = {}
        self.chats: list[Chat] = []
        self.characters: list[CharacterHead] = []
        self._chat_model = PeopleModel(pictures, self)
        self.chat_list = PeopleList(self._chat_model, self.tr("Chats"), self)
        self.gallery = CharactersPage(pictures, self)
        self.character_list = self.gallery.view
        self.persona_row = PersonaRow(pictures, self)
        self.more_button = self.persona_row.more_button
        self._lay_out()
        self.chat_list.chosen.connect(self.chatChosen)
        self.chat_list.deleteRequested.connect(self.deleteChatRequested)
        self.chat_list.menuRequested.connect(self._chat_menu)
        self.gallery.newChatRequested.connect(self.newChatRequested)
        self.gallery.editRequested.connect(self.editCharacterRequested)
        self.gallery.deleteRequested.connect(self.deleteCharacterRequested)
        self._reload = QTimer(self)
        self._reload.setSingleShot(True)
        self._reload.setInterval(RELOAD_MS)
        self._reload.timeout.connect(self.reload)
        session.chatsChanged.connect(self._reload.start)
        session.charactersChanged.connect(self._reload.start)

    def _lay_out(self) -> None:
        theme = current_theme()
        self.setObjectName("library-panel")
        self.setMinimumWidth(theme.size("left") - 48)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 12, 0, 0)
        box.setSpacing(4)
        box.addLayout(self._search_row())
        box.addLayout(self._switch_row())
        self.stack = QStackedWidget(self)
        self.stack.addWidget(
            self._page(self.chat_list, self.tr("No chats yet. Choose a character to begin one."))
        )
        self.stack.addWidget(self.gallery)
        box.addWidget(self.stack, 1)
        box.addWidget(self.persona_row)

    def _search_row(self) -> QHBoxLayout:
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Search"))
        self.search.setAccessibleName(self.tr("Search chats and characters"))
        self.search.setClearButtonEnabled(True)
        self.search.addAction(icon("search"), QLineEdit.ActionPosition.LeadingPosition)
        self.search.textChanged.connect(self._chat_model.set_needle)
        self.search.textChanged.connect(self.gallery.model.set_needle)
        self.add_button = QToolButton(self)
        self.add_button.setIcon(icon("plus"))
        self.add_button.setProperty("kind", "bordered")
        self.add_button.setAccessibleName(self.tr("New or import"))
        self.add_button.setToolTip(self.tr("New or import"))
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.add_button)
        for text, signal in (
            (self.tr("New character…"), self.newCharacterRequested),
            (self.tr("Import files…"), self.importRequested),
        ):
            action = QAction(text, menu)
            action.triggered.connect(signal)
            menu.addAction(action)
        self.add_button.setMenu(menu)
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 4)
        row.setSpacing(8)
        row.addWidget(self.search, 1)
        row.addWidget(self.add_button)
        return row

    def _switch_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 0, 12, 2)
        row.setSpacing(4)
        self._switch = QButtonGroup(self)
        for place, text in enumerate((self.tr("Chats"), self.tr("Characters"))):
            button = QToolButton(self)
            button.setText(text)
            button.setCheckable(True)
            button.setChecked(place == 0)
            button.setAccessibleName(self.tr("Show %1").replace("%1", text.lower()))
            self._switch.addButton(button, place)
            row.addWidget(button)
        row.addStretch(1)
        self._switch.idClicked.connect(self.show_page)
        return row

    def show_page(self, place: int) -> None:
        """Show the chats (0) or the characters (1)."""
        self.stack.setCurrentIndex(place)
        self._switch.button(place).setChecked(True)

    def _page(self, view: PeopleList, empty: str) -> QWidget:
        page = QWidget(self)
        box = QVBoxLayout(page)
        box.setContentsMargins(0, 0, 0, 0)
        hint = QLabel(empty, page)
        hint.setTextFormat(Qt.TextFormat.PlainText)
        hint.setWordWrap(True)
        hint.setProperty("tone", "soft")
        hint.setContentsMargins(18, 12, 18, 12)
        hint.setVisible(False)
        nothing = QLabel(self.tr("Nothing is called that."), page)
        nothing.setTextFormat(Qt.TextFormat.PlainText)
        nothing.setProperty("tone", "soft")
        nothing.setContentsMargins(18, 12, 18, 12)
        nothing.setVisible(False)
        box.addWidget(hint)
        box.addWidget(nothing)
        box.addWidget(view, 1)

        def show_hint() -> None:
            empty_list = view.model().rowCount() == 0
            searching = bool(self.search.text().strip())
            hint.setVisible(empty_list and not searching and self._was_loaded)
            nothing.setVisible(empty_list and searching)

        view.model().modelReset.connect(show_hint)
        self.loaded.connect(show_hint)
        return page

    _was_loaded = False

    def set_persona(self, persona: Persona | None) -> None:
        """Show who the person plays."""
        self.persona_row.set_persona(persona)

    # ── data ─────────────────────────────────────────────────────────────────────────────────────────

    def reload(self) -> None:
        """Read both lists again."""
        workspace = self._session.workspace

        def read() -> _Lists:
            chats, heads = workspace.chats.all(), workspace.characters.heads()
            last: dict[int, Message] = {}
            for chat in chats:
                if chat.messages and not chat.last_line.replace("*", "").strip():
                    last.update(
                        (item.chat_id, item) for item in workspace.messages.page(chat.id, chat.messages, 1)
                    )
            rows = gallery_rows(heads, chats, datetime.now().astimezone())
            return _Lists(chats, heads, last, rows, tag_counts(heads))

        self._session.background.read(read, self._show, owner=self)

    def _show(self, lists: _Lists) -> None:
        self.chats, self.characters = lists.chats, lists.characters
        self._was_loaded = True
        self._chat_model.set_rows(chat_rows(self.chats, datetime.now().astimezone(), lists.last))
        self.gallery.set_rows(lists.rows, lists.tags)
        self.loaded.emit()

    # ── menus ────────────────────────────────────────────────────────────────────────────────────────

    def _chat_menu(self, chat_id: int, place: QPoint) -> None:
        self._menu(
            place,
            (self.tr("Open"), lambda: self.chatChosen.emit(chat_id)),
            (self.tr("Rename…"), lambda: self.renameChatRequested.emit(chat_id)),
            (self.tr("Delete"), lambda: self.deleteChatRequested.emit(chat_id)),
        )

    def _menu(self, place: QPoint, *items: tuple[str, object]) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, run in items:
            action = QAction(text, menu)
            action.triggered.connect(run)
            menu.addAction(action)
        menu.popup(place)
