"""One persona as a form: picture, name, description, and where the description goes."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from memdesk.chats.model import Persona, PersonaPlace, Role
from memdesk.formats.card_extras import MAX_DEPTH
from memdesk.ui.background import Background
from memdesk.ui.dialogs.avatar_field import AvatarField
from memdesk.ui.dialogs.number_edit import NumberEdit
from memdesk.ui.dialogs.pieces import CalmComboBox, Field, TextBox, column, read_text, row, write_text
from memdesk.workspace import Workspace

LONGEST_NAME = 256


class PersonaForm(QWidget):
    """Shows a persona and what of it is typed anew; whoever listens to `edited` keeps it."""

    edited = Signal()
    pictureChanged = Signal()

    def __init__(self, workspace: Workspace, background: Background, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._counting = 0
        self.shown: Persona | None = None
        self._avatar = AvatarField(background, self)
        self._avatar.changed.connect(self.pictureChanged)
        self._name = QLineEdit()
        self._name.setMaxLength(LONGEST_NAME)
        self._name.textChanged.connect(self._avatar.set_name)
        self._name.textEdited.connect(lambda _: self._edited())
        self._name_field = Field(self.tr("Name"), self._name)
        self._about = TextBox(9)
        self._about.textChanged.connect(self._edited)
        hint = self.tr("What the model is told about you. {{user}} stands for the name.")
        self._about_field = Field(self.tr("Description"), self._about, hint)
        self._place = self._choice(
            {
                "prompt": self.tr("In the prompt, with the character"),
                "note_top": self.tr("Above the author's note"),
                "note_bottom": self.tr("Below the author's note"),
                "depth": self.tr("In the chat, at a depth"),
                "none": self.tr("Nowhere"),
            }
        )
        self._depth = NumberEdit(MAX_DEPTH)
        self._depth.changed.connect(lambda _: self._edited())
        self._role = self._choice(
            {"system": self.tr("The system"), "user": self.tr("You"), "assistant": self.tr("The character")}
        )
        depth = Field(self.tr("Depth"), self._depth, self.tr("How many messages follow it."))
        role = Field(self.tr("In the name of"), self._role)
        self._deep = QWidget(self)
        pair = row(depth, role, spacing=12)
        for at, field in enumerate((depth, role)):
            pair.setAlignment(field, Qt.AlignmentFlag.AlignTop)
            pair.setStretch(at, 1)
        self._deep.setLayout(pair)
        place = Field(self.tr("Where the description goes"), self._place)
        column(self._avatar, self._name_field, self._about_field, place, self._deep, parent=self, spacing=16)
        self.show_persona(None)

    def _choice(self, options: dict[str, str]) -> CalmComboBox:
        box = CalmComboBox()
        for value, words in options.items():
            box.addItem(words, value)
        box.currentIndexChanged.connect(lambda _: self._edited())
        return box

    def show_persona(self, persona: Persona | None) -> None:
        """Show someone; what was typed about another one is forgotten."""
        before, self.shown = self.shown, None
        other = persona is None or before is None or before.id != persona.id
        if other:
            self._avatar.start_over(persona.name if persona else "")
        wanted = persona or Persona(0, "", "", None)
        if other or self._name.text() != wanted.name:
            write_text(self._name, wanted.name)
        if other or self._about.text() != wanted.description:
            write_text(self._about, wanted.description)
        _pick(self._place, wanted.place)
        self._depth.set_value(wanted.depth)
        _pick(self._role, wanted.role)
        self._deep.setVisible(wanted.place == "depth")
        self._name_field.set_error("")
        self.shown = persona
        if persona is not None and (other or before is None or before.avatar != persona.avatar):
            self._show_face(persona)
        self._count()

    def _show_face(self, persona: Persona) -> None:
        avatar, files = persona.avatar, self._workspace.files
        if avatar is None:
            self._avatar.show_none()
            return

        def show(data: bytes) -> None:
            if self.shown is not None and self.shown.id == persona.id:
                self._avatar.show_kept(data)

        # A picture that is gone costs the picture: the initial stands in for it.
        self._background.read(lambda: files.read(avatar), show, failed=lambda _: None, owner=self)

    @property
    def picture(self) -> bytes | None:
        """A new picture as PNG bytes, None when none was chosen."""
        return self._avatar.picture

    def values(self) -> Persona | None:
        """Return the persona as it is typed, None while none is shown."""
        if self.shown is None:
            return None
        return replace(
            self.shown,
            name=self._name.text(),
            description=self._about.text(),
            place=cast("PersonaPlace", self._place.currentData()),
            depth=self._depth.value(),
            role=cast("Role", self._role.currentData()),
            avatar=None if self._avatar.removed else self.shown.avatar,
        )

    def is_changed(self) -> bool:
        """Whether what is typed differs from what is kept."""
        picture = self._avatar.picture is not None or self._avatar.removed
        return self.shown is not None and (picture or self.values() != self.shown)

    def settled(self, persona: Persona) -> None:
        """Take what is typed for what is kept: it is being stored."""
        self._avatar.settled()
        self.shown = persona

    def refuse_name(self) -> None:
        """Say that a persona needs a name."""
        self._name_field.set_error(self.tr("A persona needs a name."))

    def begin(self) -> None:
        """Put the keyboard into the name, all of it marked."""
        self._name.setFocus()
        self._name.selectAll()

    def _edited(self) -> None:
        if self.shown is not None:
            self._deep.setVisible(self._place.currentData() == "depth")
            self._name_field.set_error("")
            self._count()
            self.edited.emit()

    def _count(self) -> None:
        self._counting += 1
        text, turn = read_text(self._about), self._counting
        tokens = self._workspace.tokens

        def count() -> int:
            if text:
                tokens.load()
            return tokens.count(text) if text else 0

        def show(found: int) -> None:
            if turn == self._counting:
                number = QLocale().toString(found)
                words = self.tr("~ 1 token") if found == 1 else self.tr("~ {count} tokens")
                self._about_field.set_aside(words.format(count=number) if found else "")

        self._background.read(count, show, failed=lambda _: None, owner=self)


def _pick(box: CalmComboBox, value: str) -> None:
    box.setCurrentIndex(max(0, box.findData(value)))
