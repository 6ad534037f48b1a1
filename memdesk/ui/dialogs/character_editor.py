"""A character as a form: who they are, how they begin, and what the model is told about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QLocale, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QWidget

from memdesk.chats.model import Character
from memdesk.chats.text import clean
from memdesk.formats.card_extras import DepthPrompt
from memdesk.formats.cards import new_card, with_fields
from memdesk.formats.errors import printable
from memdesk.people import CardEdit
from memdesk.ui.background import Background
from memdesk.ui.dialogs.avatar_field import AvatarField
from memdesk.ui.dialogs.card_details import DepthPromptField, KeptParts, TalkativenessField, show_extras
from memdesk.ui.dialogs.greetings import GreetingsEditor
from memdesk.ui.dialogs.pieces import (
    Field,
    Fold,
    Notice,
    TextBox,
    column,
    fit,
    line,
    push_button,
    read_text,
    reveal,
    row,
    scrolled,
    write_text,
)
from memdesk.ui.dialogs.unsaved import ask_unsaved
from memdesk.ui.dialogs.words import failure_words
from memdesk.work.undo import Undo
from memdesk.workspace import Workspace

COUNT_AFTER_MS: Final = 400
"""Tokens are counted when nobody has typed for so long."""
LONGEST_NAME: Final = 256
"""What a card keeps of a name, in characters."""
LONGEST_LINE: Final = 10_000_000

Values = dict[str, Any]


class CharacterEditorDialog(QDialog):
    """Makes a character (`character` None) or changes one; fields of the card it does not show are kept."""

    saved = Signal(int)
    """The character was stored; carries its id."""
    changed = Signal(object)
    """A character that was there was changed; carries the `Undo`."""

    def __init__(
        self,
        workspace: Workspace,
        background: Background,
        parent: QWidget | None = None,
        *,
        character: Character | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._background = background
        self._character = character
        self._saving = False
        self._fields: dict[str, Field] = {}
        self._counted: dict[Field, int] = {}
        self._to_count: set[Field] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(COUNT_AFTER_MS)
        self._timer.timeout.connect(self._count)
        self._build()
        self._load()
        self._before, self._extras_before = self._values(), self._extras()
        self._name_window()
        fit(self, 680, 720)
        background.read(workspace.tokens.load, lambda _: self._count_all(), owner=self)
        self._fields["name"].control.setFocus()

    # -- layout ---------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._avatar = AvatarField(self._background, self)
        self._greetings = GreetingsEditor(self)
        self._group_greetings = GreetingsEditor(self, group=True)
        for editor in (self._greetings, self._group_greetings):
            editor.edited.connect(self._greetings_edited)
        page = QWidget(self)
        layout = column(self._avatar, parent=page, spacing=16)
        layout.setContentsMargins(20, 20, 20, 20)
        names = row(
            self._line("name", self.tr("Name")), self._line("nickname", self.tr("Nickname")), spacing=12
        )
        self._fields["nickname"].set_hint(self.tr("What {{char}} becomes instead of the name."))
        for at, part in enumerate(("name", "nickname")):
            names.setAlignment(self._fields[part], Qt.AlignmentFlag.AlignTop)
            names.setStretch(at, 3 - at)
        layout.addLayout(names)
        description = self._text("description", self.tr("Description"), 7)
        description.set_hint(self.tr("Looks, history, manners. Sent every time, so every word costs."))
        layout.addWidget(description)
        layout.addWidget(self._text("personality", self.tr("Personality"), 3))
        layout.addWidget(self._text("scenario", self.tr("Scenario"), 3))
        first = self._text("first_mes", self.tr("First message"), 6)
        first.set_hint(self.tr("How a chat begins. {{user}} stands for you, {{char}} for the character."))
        layout.addWidget(first)
        layout.addWidget(self._greetings)
        layout.addWidget(self._in_the_prompt())
        layout.addWidget(self._in_groups())
        layout.addWidget(self._about_the_card())
        layout.addStretch(1)
        self._problem = Notice("bad")
        self._save = push_button(self.tr("Save"), "primary", self)
        self._save.setDefault(True)
        self._save.clicked.connect(self.save)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        buttons = row()
        buttons.addWidget(self._problem, 1, Qt.AlignmentFlag.AlignVCenter)
        buttons.addStretch(0)
        buttons.addWidget(cancel)
        buttons.addWidget(self._save)
        buttons.setContentsMargins(16, 12, 16, 12)
        outer = column(scrolled(page, self.tr("Character")), line(), parent=self, spacing=0)
        outer.setStretch(0, 1)
        outer.addLayout(buttons)

    def _in_the_prompt(self) -> QWidget:
        inside = QWidget(self)
        examples = self._text("mes_example", self.tr("Example messages"), 5)
        examples.set_hint(self.tr("Show the way of speaking. Begin each example with <START>."))
        system = self._text("system_prompt", self.tr("System prompt"), 4)
        system.set_hint(self.tr("Replaces memdesk's own for this character."))
        after = self._text("post_history_instructions", self.tr("Instructions after the chat"), 4)
        after.set_hint(self.tr("Sent behind the newest message, where models listen best."))
        self._depth = DepthPromptField(self)
        self._depth.edited.connect(lambda: self._count_soon(self._depth.field))
        column(examples, system, after, self._depth, parent=inside, spacing=16)
        return Fold(self.tr("Examples and prompts"), inside, self)

    def _in_groups(self) -> QWidget:
        inside = QWidget(self)
        self._talk = TalkativenessField(self)
        column(self._talk, self._group_greetings, parent=inside, spacing=16)
        return Fold(self.tr("In groups"), inside, self)

    def _about_the_card(self) -> QWidget:
        inside = QWidget(self)
        tags = self._line("tags", self.tr("Tags"))
        tags.set_hint(self.tr("Separated by commas."))
        notes = self._text("creator_notes", self.tr("Creator notes"), 4)
        notes.set_hint(self.tr("For people. Never sent to a model."))
        creator = self._line("creator", self.tr("Creator"))
        version = self._line("character_version", self.tr("Version"))
        self._kept = KeptParts(self)
        layout = column(tags, notes, parent=inside, spacing=16)
        pair = row(creator, version, spacing=12)
        pair.setStretch(0, 2)
        pair.setStretch(1, 1)
        layout.addLayout(pair)
        layout.addWidget(self._kept)
        return Fold(self.tr("About the card: tags, notes, creator"), inside, self)

    def _line(self, name: str, title: str) -> Field:
        entry = QLineEdit()
        # Qt cuts at 32,767 characters without a word: ten thousand tags have more.
        entry.setMaxLength(LONGEST_LINE)
        field = self._fields[name] = Field(title, entry)
        if name == "name":
            entry.setMaxLength(LONGEST_NAME)
            entry.textChanged.connect(self._avatar.set_name)
        entry.textChanged.connect(lambda: field.set_error(""))
        return field

    def _text(self, name: str, title: str, lines: int) -> Field:
        box = TextBox(lines)
        field = self._fields[name] = Field(title, box)
        box.textChanged.connect(lambda: self._count_soon(field))
        return field

    def _name_window(self) -> None:
        if self._character is None:
            self.setWindowTitle(self.tr("New character"))
        else:
            name = printable(self._character.name)
            self.setWindowTitle(self.tr("Edit {name}").format(name=name))

    # -- values ---------------------------------------------------------------------------------------------

    def _load(self) -> None:
        character = self._character
        if character is None:
            return
        for name, field in self._fields.items():
            text = ", ".join(_texts(character.data.get("tags"))) if name == "tags" else character.text(name)
            write_text(field.control, character.name if name == "name" else text)
        self._greetings.set_texts(_texts(character.data.get("alternate_greetings")))
        self._group_greetings.set_texts(_texts(character.data.get("group_only_greetings")))
        show_extras(character.card, self._depth, self._talk, self._kept)
        avatar, files = character.avatar, self._workspace.files
        if avatar is not None:
            # A picture that is gone costs the picture, not the editor: the initial stands in for it.
            self._background.read(
                lambda: files.read(avatar), self._avatar.show_kept, failed=lambda _: None, owner=self
            )

    def _values(self) -> Values:
        values: Values = {name: read_text(field.control) for name, field in self._fields.items()}
        values["tags"] = [tag for tag in (part.strip() for part in values["tags"].split(",")) if tag]
        values["alternate_greetings"] = self._greetings.texts()
        values["group_only_greetings"] = self._group_greetings.texts()
        return values

    def _extras(self) -> tuple[DepthPrompt, float]:
        return self._depth.value(), self._talk.value()

    def is_changed(self) -> bool:
        """Whether closing now would lose something."""
        picture = self._avatar.picture is not None or self._avatar.removed
        return picture or (self._values(), self._extras()) != (self._before, self._extras_before)

    # -- tokens ---------------------------------------------------------------------------------------------

    def _count_all(self) -> None:
        self._to_count.update(field for field in self._all_fields() if read_text(field.control))
        self._count()

    def _all_fields(self) -> list[Field]:
        texts = [field for field in self._fields.values() if isinstance(field.control, TextBox)]
        return [
            *texts,
            self._depth.field,
            *self._greetings.fields(),
            *self._group_greetings.fields(),
        ]

    def _count_soon(self, field: Field) -> None:
        self._to_count.add(field)
        self._timer.start()

    def _greetings_edited(self) -> None:
        self._to_count.update((*self._greetings.fields(), *self._group_greetings.fields()))
        self._timer.start()

    def _count(self) -> None:
        fields, self._to_count = self._to_count, set()
        count = self._workspace.tokens.count
        for field in fields & set(self._all_fields()):
            turn = self._counted[field] = self._counted.get(field, 0) + 1
            self._background.read(
                partial(count, read_text(field.control)),
                partial(self._show_tokens, field, turn),
                owner=field,
            )

    def _show_tokens(self, field: Field, turn: int, tokens: int) -> None:
        if self._counted.get(field) != turn:
            return
        words = ""
        if tokens:
            number = QLocale().toString(tokens)
            words = self.tr("~ 1 token") if tokens == 1 else self.tr("~ {count} tokens").format(count=number)
        field.set_aside(
            words, self.tr("Counted with memdesk's own tokenizer; your model may count a little differently.")
        )

    # -- saving ---------------------------------------------------------------------------------------------

    def save(self) -> None:
        """Store the character and close; stays open and says why when that fails."""
        if self._saving:
            return
        values = {name: _cleaned(value) for name, value in self._values().items()}
        try:
            # Also tells what a card cannot hold, before anything is stored.
            with_fields(new_card("-"), name=values["name"])
        except ValueError:
            field = self._fields["name"]
            field.set_error(self.tr("A character needs a name."))
            field.control.setFocus()
            reveal(field)
            return
        self._saving = True
        self._save.setEnabled(False)
        self._problem.say("")
        self._background.write(self._keeper(values), self._stored, failed=self._not_stored, owner=self)

    def _keeper(self, values: Values) -> Callable[[], tuple[int, Undo | None]]:
        """Return what stores the character and returns its id and the way back; runs on a worker."""
        workspace, character, before = self._workspace, self._character, self._before
        depth, talk = self._extras()
        depth_before, talk_before = self._extras_before
        edit = CardEdit(
            {name: value for name, value in values.items() if value != before[name]},
            depth if depth != depth_before else None,
            talk if talk != talk_before else None,
            self._avatar.picture,
            self._avatar.removed,
        )

        def add() -> tuple[int, Undo | None]:
            # An empty nickname is none: it would replace the name by nothing elsewhere.
            own = {name: value for name, value in values.items() if name != "nickname" or value.strip()}
            card = replace(edit, fields=own).applied(new_card(values["name"]))
            avatar = workspace.files.put(edit.avatar, ".png") if edit.avatar is not None else None
            return workspace.library.add_character(str(card["data"]["name"]), card, avatar).id, None

        def change(character_id: int) -> tuple[int, Undo | None]:
            changed, undo = workspace.people.edit(character_id, edit)
            return changed.id, undo

        return add if character is None else lambda: change(character.id)

    def _stored(self, result: tuple[int, Undo | None]) -> None:
        character_id, undo = result
        self._saving = False
        self._before, self._extras_before = self._values(), self._extras()
        self._avatar.settled()
        if undo is not None:
            self.changed.emit(undo)
        self.saved.emit(character_id)
        self.accept()

    def _not_stored(self, error: Exception) -> None:
        self._saving = False
        self._save.setEnabled(True)
        self._problem.say(failure_words(error), "bad")

    # -- closing --------------------------------------------------------------------------------------------

    def reject(self) -> None:
        """Close; asks first when something would be lost."""
        if self._saving:
            return
        if self.is_changed():
            self._ask()
        else:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.isVisible() and (self._saving or self.is_changed()):
            event.ignore()
            self.reject()
        else:
            super().closeEvent(event)

    def _ask(self) -> None:
        question = self.tr("Save the changes to this character?")
        ask_unsaved(self, question, self.save, lambda: QDialog.reject(self))


def _texts(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _cleaned(value: str | list[str]) -> str | list[str]:
    return clean(value) if isinstance(value, str) else [clean(item) for item in value]
