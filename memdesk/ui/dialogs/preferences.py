"""What the person sets for the whole app; every choice counts at once, so there is nothing to save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from PySide6.QtCore import Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from memdesk.chats.model import Persona
from memdesk.samples import delete_samples, install_samples
from memdesk.ui.background import Background
from memdesk.ui.dialogs.embeddings import EmbeddingsDialog
from memdesk.ui.dialogs.pieces import (
    CalmComboBox,
    Field,
    Notice,
    TextBox,
    column,
    fit,
    line,
    plain_label,
    push_button,
    read_text,
    row,
    scrolled,
)
from memdesk.ui.dialogs.words import failure_words
from memdesk.ui.theme import current_theme
from memdesk.ui.theme.theme import Mode
from memdesk.workspace import Workspace

SAVE_AFTER_MS: Final = 600
"""Who you are is stored when nobody has typed for so long, and when the dialog closes."""


class PreferencesDialog(QDialog):
    """Language, theme, keys, who you are, samples, and where everything is kept."""

    settingsChanged = Signal()
    """Settings were stored: read `workspace.settings` anew."""
    personaChanged = Signal()
    restartRequested = Signal()
    personasRequested = Signal()
    """The dialog of all personas is wanted; this one has closed"""

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._persona: tuple[str, str] | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SAVE_AFTER_MS)
        self._timer.timeout.connect(self._store_persona)
        self.setWindowTitle(self.tr("Preferences"))
        self._build()
        fit(self, 560, 680)
        background.read(workspace.personas.default, self._show_persona, failed=self._refuse, owner=self)
        background.long(lambda: workspace.keys.location, self._show_key_place, owner=self)
        background.read(self._has_samples, self._show_samples, failed=self._refuse, owner=self)

    # -- layout ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        page = QWidget(self)
        layout = column(
            self._look(), line(), self._you(), line(), self._vectors(), line(), self._sample_part(), line(),
            self._places(),
            parent=page,
            spacing=20,
        )  # fmt: skip
        layout.setContentsMargins(20, 20, 20, 20)
        layout.addStretch(1)
        self._problem = Notice("bad")
        close = push_button(self.tr("Close"), "primary", self)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        buttons = row()
        buttons.addWidget(self._problem, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addStretch(0)
        buttons.addWidget(close)
        buttons.setContentsMargins(16, 12, 16, 12)
        outer = column(scrolled(page, self.tr("Preferences")), line(), parent=self, spacing=0)
        outer.setStretch(0, 1)
        outer.addLayout(buttons)

    def _look(self) -> QWidget:
        settings = self._workspace.settings
        self._language = self._choice(
            self.tr("Language"),
            {"system": self.tr("As the system"), "en": "English", "zh_CN": "简体中文"},
            settings.language,
        )
        self._theme = self._choice(
            self.tr("Colours"),
            {
                "system": self.tr("As the system"),
                "light": self.tr("Light"),
                "dark": self.tr("Dark"),
            },
            settings.theme,
        )
        self._enter = self._choice(
            self.tr("Sending a message"),
            {
                "enter": self.tr("Enter sends, Shift+Enter breaks the line"),
                "ctrl": self.tr("Ctrl+Enter sends, Enter breaks the line"),
            },
            "enter" if settings.enter_sends else "ctrl",
        )
        self._restart = push_button(self.tr("Restart now"), "", self)
        self._restart.setAutoDefault(False)
        self._restart.setToolTip(self.tr("Close memdesk and open it again as it is now"))
        self._restart.clicked.connect(self._start_again)
        self._restart.hide()
        self._language.control.currentIndexChanged.connect(self._take_language)  # type: ignore[attr-defined]
        self._theme.control.currentIndexChanged.connect(self._take_theme)  # type: ignore[attr-defined]
        self._enter.control.currentIndexChanged.connect(self._take_enter)  # type: ignore[attr-defined]
        part = QWidget()
        pair = row(self._language, self._theme, spacing=12)
        pair.setAlignment(self._language, Qt.AlignmentFlag.AlignTop)
        pair.setAlignment(self._theme, Qt.AlignmentFlag.AlignTop)
        pair.setStretch(0, 1)
        pair.setStretch(1, 1)
        layout = column(parent=part)
        layout.addLayout(pair)
        layout.addWidget(self._restart, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(self._enter)
        return part

    def _choice(self, title: str, options: dict[str, str], present: str) -> Field:
        box = CalmComboBox()
        for value, words in options.items():
            box.addItem(words, value)
        box.setCurrentIndex(max(0, box.findData(present)))
        return Field(title, box)

    def _you(self) -> QWidget:
        self._name = Field(self.tr("Your name"), QLineEdit(), self.tr("Who you are in new chats."))
        self._name.control.setEnabled(False)
        self._about = Field(self.tr("About you"), TextBox(4), self.tr("What characters know about you."))
        self._about.control.setEnabled(False)
        others = push_button(self.tr("Personas…"))
        others.setToolTip(self.tr("More of whom you play: pictures, and where their descriptions stand"))
        others.setAutoDefault(False)
        others.clicked.connect(self._open_personas)
        part = QWidget()
        layout = column(
            plain_label(self.tr("Who you are"), "strong", wrap=False), self._name, self._about, parent=part
        )
        layout.addWidget(others, 0, Qt.AlignmentFlag.AlignLeft)
        return part

    def _open_personas(self) -> None:
        # Both dialogs write the default persona: one after the other, never side by side.
        self.accept()
        self.personasRequested.emit()

    def _vectors(self) -> QWidget:
        button = push_button(self.tr("Embeddings and search index…"))
        button.clicked.connect(self._open_embeddings)
        part = QWidget()
        layout = column(
            plain_label(self.tr("Finding memories"), "strong", wrap=False),
            plain_label(self.tr("Which model turns text into vectors, and where they are searched."), "soft"),
            parent=part,
            spacing=8,
        )
        layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        return part

    def _open_embeddings(self) -> None:
        dialog = EmbeddingsDialog(self._workspace, self._background, self)
        dialog.settingsChanged.connect(self.settingsChanged)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _sample_part(self) -> QWidget:
        self._sample_words = Notice("info")
        self._remove_samples = push_button(self.tr("Remove samples"))
        self._remove_samples.clicked.connect(self._drop_samples)
        self._restore_samples = push_button(self.tr("Restore samples"))
        self._restore_samples.clicked.connect(self._bring_samples)
        part = QWidget()
        buttons = row(self._remove_samples, self._restore_samples)
        buttons.addStretch(1)
        layout = column(
            plain_label(self.tr("Samples"), "strong", wrap=False),
            plain_label(self.tr("Two characters with long chats that show what memory does."), "soft"),
            parent=part,
            spacing=8,
        )
        layout.addLayout(buttons)
        layout.addWidget(self._sample_words)
        return part

    def _places(self) -> QWidget:
        folder = QLineEdit(str(self._workspace.data_dir))
        folder.setReadOnly(True)
        folder.setCursorPosition(0)
        show = push_button(self.tr("Open folder"))
        show.clicked.connect(self._open_folder)
        self._keys = Notice("info")
        part = QWidget()
        column(
            Field(self.tr("Data folder"), folder, self.tr("Chats, memories and pictures are here."), show),
            self._keys,
            parent=part,
            spacing=12,
        )
        return part

    # -- settings -------------------------------------------------------------------------------------------

    def _change(self, **changes: Any) -> None:  # noqa: ANN401 - the fields of Settings
        workspace = self._workspace
        self._background.write(
            lambda: workspace.change_settings(workspace.settings.model_copy(update=changes)),
            lambda _: self._settled(),
            failed=self._refuse,
            owner=self,
        )

    def _settled(self) -> None:
        self._problem.say("")
        self.settingsChanged.emit()

    def _refuse(self, error: Exception) -> None:
        self._problem.say(failure_words(error), "bad")

    def _take_language(self) -> None:
        self._language.set_hint(self.tr("Takes effect the next time memdesk starts."))
        self._restart.show()
        self._change(language=_value(self._language))

    def _start_again(self) -> None:
        # What was chosen waits to be stored; the background is not closed before that is done.
        self._restart.setEnabled(False)
        self.accept()
        self.restartRequested.emit()

    def _take_theme(self) -> None:
        mode = _value(self._theme)
        current_theme().setMode(cast("Mode", mode))
        self._change(theme=mode)

    def _take_enter(self) -> None:
        self._change(enter_sends=_value(self._enter) == "enter")

    # -- who you are ----------------------------------------------------------------------------------------

    def _show_persona(self, persona: Persona | None) -> None:
        name, about = (persona.name, persona.description) if persona is not None else ("", "")
        entry, box = self._name.control, self._about.control
        if isinstance(entry, QLineEdit) and isinstance(box, TextBox):
            entry.setText(name)
            box.setPlainText(about)
            # Once there was a name, an empty field keeps it.
            empty = self.tr("While this is empty, you are called “{name}”").format(name=self.tr("You"))
            entry.setPlaceholderText(empty if persona is None else "")
            entry.setEnabled(True)
            box.setEnabled(True)
            self._persona = (read_text(entry), read_text(box))
            entry.textEdited.connect(lambda _: self._persona_edited())
            box.textChanged.connect(self._persona_edited)

    def _persona_edited(self) -> None:
        self._name.set_error("")
        self._timer.start()

    def _store_persona(self) -> None:
        """Store name and description when they changed; a blank name is not taken."""
        self._timer.stop()
        present = (read_text(self._name.control), read_text(self._about.control))
        if self._persona is None or present == self._persona:
            return
        name, about = present
        if not name.strip():
            self._name.set_error(self.tr("Without a name the one from before stays."))
            return
        self._persona = present
        library = self._workspace.library
        self._background.write(
            lambda: library.set_default_persona(name.strip(), about),
            lambda _: self.personaChanged.emit(),
            failed=self._persona_failed,
            owner=self,
        )

    def _persona_failed(self, error: Exception) -> None:
        self._persona = ("", "")
        self._refuse(error)

    # -- samples --------------------------------------------------------------------------------------------

    def _has_samples(self) -> bool:
        library = self._workspace.library
        return any(chat.sample for chat in library.chats.all()) or any(
            character.sample for character in library.characters.all()
        )

    def _show_samples(self, present: bool) -> None:
        self._remove_samples.setEnabled(present)
        self._restore_samples.setEnabled(True)

    def _drop_samples(self) -> None:
        library = self._workspace.library
        self._run_samples(
            lambda: delete_samples(library),
            self.tr("The samples are in the trash for 30 days."),
        )

    def _bring_samples(self) -> None:
        library, bus = self._workspace.library, self._workspace.bus
        self._run_samples(lambda: len(install_samples(library, bus)), self.tr("The samples are there."))

    def _run_samples(self, act: Callable[[], int], words: str) -> None:
        for button in (self._remove_samples, self._restore_samples):
            button.setEnabled(False)
        self._sample_words.say(self.tr("One moment…"), "info")

        def run() -> bool:
            act()
            return self._has_samples()

        def done(present: bool) -> None:
            self._sample_words.say(words, "ok")
            self._show_samples(present)

        def failed(error: Exception) -> None:
            self._sample_words.say(failure_words(error), "bad")
            self._show_samples(present=True)

        self._background.write(run, done, failed=failed, owner=self)

    # -- places ---------------------------------------------------------------------------------------------

    def _open_folder(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._workspace.data_dir))):
            self._problem.say(self.tr("No file manager could be opened for this folder."), "bad")

    def _show_key_place(self, place: str) -> None:
        if place == "keyring":
            self._keys.say(self.tr("API keys are kept in the system keyring."), "info")
        else:
            self._keys.say(
                self.tr(
                    "No system keyring works here: API keys are kept unencrypted in the file keys.json of "
                    "the data folder, readable only by you."
                ),
                "wait",
            )

    def done(self, result: int) -> None:
        """Close; what was typed is stored first."""
        self._store_persona()
        super().done(result)


def _value(field: Field) -> str:
    box = field.control
    return str(box.currentData()) if isinstance(box, CalmComboBox) else ""
