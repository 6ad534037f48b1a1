"""One preset as a form: prompts, sampling, how names are sent, further prompts."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ValidationError
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLineEdit, QWidget

from memdesk.chats.text import clean
from memdesk.prompt.presets import SAMPLING, Preset
from memdesk.ui.dialogs.further_prompts import FurtherPrompts
from memdesk.ui.dialogs.pieces import ChoiceBox, Field, Fold, TextBox, column, read_text, write_text
from memdesk.ui.dialogs.profile_values import (
    FieldErrors,
    escaped,
    number_of,
    number_text,
    sentence,
    unescaped,
)

NUMBERS: Final = (*SAMPLING, "reply_tokens")
TEXTS: Final = (
    "name",
    "main_prompt",
    "post_history",
    "personality_format",
    "scenario_format",
    "persona_format",
    "examples_format",
)


class PresetForm(QWidget):
    """The fields of one preset. It changes nothing by itself: read `preset()`."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fields: dict[str, Field] = {}
        self._names = ChoiceBox(self)
        for key, words in (
            ("groups", self.tr("In the text, where several characters talk")),
            ("none", self.tr("Not at all")),
            ("content", self.tr("In the text: “Name: …”")),
            ("field", self.tr("In the field “name”")),
        ):
            self._names.addItem(words, key)
        main = self._add("main_prompt", self.tr("Main prompt"), TextBox(7))
        main.set_hint(
            self.tr(
                "Stands first. A card's own system prompt takes its place; {{original}} in it means this one."
            )
        )
        after = self._add("post_history", self.tr("After the chat"), TextBox(3))
        after.set_hint(self.tr("The last thing the model reads. A card's own takes its place."))
        names = Field(self.tr("How names are sent"), self._names)
        self._prompts = FurtherPrompts(self)
        self._more = Fold(self.tr("Sampling, reply length, stop texts"), self._make_sampling(), self)
        further = Fold(self.tr("Further prompts"), self._prompts, self)
        formats = Fold(self.tr("How the card is introduced"), self._make_formats(), self)
        layout = column(
            self._add("name", self.tr("Name"), QLineEdit()),
            main,
            after,
            names,
            self._more,
            further,
            formats,
            parent=self,
            spacing=14,
        )
        layout.setContentsMargins(20, 16, 20, 20)
        layout.addStretch(1)
        for field in self._fields.values():
            self._listen(field)
        self._names.currentIndexChanged.connect(lambda _: self.edited.emit())
        self._prompts.edited.connect(self.edited)

    def show_preset(self, preset: Preset, *, built_in: bool) -> None:
        """Show a preset; a built-in one keeps its name."""
        self.blockSignals(True)
        for name, field in self._fields.items():
            value = getattr(preset, name)
            if name == "stop":
                text = "\n".join(escaped(item) for item in value)
            elif name in NUMBERS:
                text = "" if value is None else number_text(value)
            else:
                text = value
            write_text(field.control, text)
            field.set_error("")
        self._names.set_value(preset.names)
        self._prompts.show_prompts(preset.prompts)
        name_entry = self._fields["name"].control
        name_entry.setEnabled(not built_in)
        self._fields["name"].set_hint(
            self.tr("A built-in preset keeps its name. Duplicate it to have your own.") if built_in else ""
        )
        self.blockSignals(False)

    def preset(self) -> Preset:
        """Return the preset that the form describes; shows what is wrong and raises FieldErrors."""
        values: dict[str, Any] = {name: clean(read_text(self._fields[name].control)) for name in TEXTS}
        values["name"] = " ".join(values["name"].split())
        values["stop"] = [
            unescaped(line) for line in clean(read_text(self._fields["stop"].control)).split("\n") if line
        ]
        values["names"] = self._names.value()
        values["prompts"] = self._prompts.prompts()
        wrong: dict[str, str] = {}
        if not values["name"]:
            wrong["name"] = self.tr("A preset needs a name.")
        for name in NUMBERS:
            try:
                values[name] = number_of(name, read_text(self._fields[name].control))
            except ValueError as error:
                wrong[name] = str(error)
        if not wrong:
            try:
                return Preset.model_validate(values)
            except ValidationError as error:
                for item in error.errors():
                    name = str(item["loc"][0]) if item["loc"] else "name"
                    wrong.setdefault(name, sentence(name, item["type"], item.get("ctx", {})))
        self._show_errors(wrong)
        raise FieldErrors(wrong)

    def focus_name(self) -> None:
        """Go to the name, all of it selected."""
        entry = self._fields["name"].control
        entry.setFocus()
        if isinstance(entry, QLineEdit):
            entry.selectAll()

    def _show_errors(self, wrong: dict[str, str]) -> None:
        for name, field in self._fields.items():
            field.set_error(wrong.get(name, ""))
        first = next((name for name in self._fields if name in wrong), "")
        if first in (*NUMBERS, "stop"):
            self._more.open()
        if first:
            self._fields[first].control.setFocus()

    def _make_sampling(self) -> QWidget:
        titles = {
            "temperature": self.tr("Temperature"),
            "top_p": self.tr("Top P"),
            "min_p": self.tr("Min P"),
            "top_k": self.tr("Top K"),
            "repetition_penalty": self.tr("Repetition penalty"),
            "frequency_penalty": self.tr("Frequency penalty"),
            "presence_penalty": self.tr("Presence penalty"),
            "seed": self.tr("Seed"),
            "reply_tokens": self.tr("Reply length (tokens)"),
        }
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(12)
        for place, (name, title) in enumerate(titles.items()):
            entry = QLineEdit()
            entry.setPlaceholderText(self.tr("as the connection"))
            grid.addWidget(self._add(name, title, entry), place // 3, place % 3, Qt.AlignmentFlag.AlignTop)
        for place in range(3):
            grid.setColumnStretch(place, 1)
        stop = self._add("stop", self.tr("Stop texts"), TextBox(3))
        stop.set_hint(self.tr("One per line, in place of the connection's. Write \\n for a line break."))
        page = QWidget()
        layout = column(parent=page)
        layout.addLayout(grid)
        layout.addWidget(stop)
        return page

    def _make_formats(self) -> QWidget:
        page = QWidget()
        layout = column(parent=page)
        for name, title in (
            ("personality_format", self.tr("Personality")),
            ("scenario_format", self.tr("Scenario")),
            ("persona_format", self.tr("Persona")),
            ("examples_format", self.tr("Example messages")),
        ):
            layout.addWidget(self._add(name, title, TextBox(2)))
        self._fields["examples_format"].set_hint(self.tr("What is blank is not sent."))
        return page

    def _add(self, name: str, title: str, control: QWidget) -> Field:
        field = self._fields[name] = Field(title, control)
        return field

    def _listen(self, field: Field) -> None:
        control = field.control
        if isinstance(control, QComboBox):
            return
        control.textChanged.connect(lambda *_: self._edited(field))  # type: ignore[attr-defined]

    def _edited(self, field: Field) -> None:
        field.set_error("")
        self.edited.emit()
