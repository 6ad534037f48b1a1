"""The rarer parts of a character's card: depth prompt, talkativeness, and what is only listed."""

from __future__ import annotations

from typing import Any, Final, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from memdesk.chats.model import Role
from memdesk.chats.text import one_line
from memdesk.formats.card_extras import (
    DEFAULT_TALKATIVENESS,
    MAX_DEPTH,
    DepthPrompt,
    assets_of,
    depth_prompt_of,
    other_notes_of,
    sources_of,
    talkativeness_of,
)
from memdesk.ui.dialogs.number_edit import NumberEdit
from memdesk.ui.dialogs.pieces import CalmComboBox, Field, TextBox, column, plain_label, row

MOST_SHOWN: Final = 40
"""Assets, sources and languages that are named; the others are counted."""


class DepthPromptField(QWidget):
    """A text, how deep in the chat it stands, and in whose name."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = TextBox(4)
        self._text.textChanged.connect(self.edited)
        self.field = Field(self.tr("Depth prompt"), self._text)
        self.field.set_hint(
            self.tr("Sent among the newest messages: what must not be forgotten while playing.")
        )
        self._depth = NumberEdit(MAX_DEPTH)
        self._role = CalmComboBox()
        for role, words in (
            ("system", self.tr("The system")),
            ("user", self.tr("You")),
            ("assistant", self.tr("The character")),
        ):
            self._role.addItem(words, role)
        depth = Field(self.tr("Depth"), self._depth, self.tr("How many messages follow it."))
        name = Field(self.tr("In the name of"), self._role)
        pair = row(depth, name, spacing=12)
        for at, part in enumerate((depth, name)):
            pair.setAlignment(part, Qt.AlignmentFlag.AlignTop)
            pair.setStretch(at, 1)
        layout = column(self.field, parent=self, spacing=8)
        layout.addLayout(pair)
        self.set_value(DepthPrompt())

    def value(self) -> DepthPrompt:
        """Return what is set."""
        role = cast("Role", self._role.currentData())
        return DepthPrompt(self._text.text(), self._depth.value(), role)

    def set_value(self, value: DepthPrompt) -> None:
        """Show a depth prompt."""
        self._text.setPlainText(value.text)
        self._depth.set_value(value.depth)
        self._role.setCurrentIndex(max(0, self._role.findData(value.role)))


class TalkativenessField(QWidget):
    """How readily a character speaks up in a group, in percent."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exact = DEFAULT_TALKATIVENESS
        self._box = NumberEdit(100, step=5)
        hint = self.tr("How readily the character speaks up in a group: 0 only when named, 100 always.")
        column(Field(self.tr("Talkativeness"), self._box, hint), parent=self)
        self.set_value(DEFAULT_TALKATIVENESS)

    def value(self) -> float:
        """Return a number from 0 to 1; one that was not changed is as exact as it came."""
        shown = self._box.value()
        return self._exact if shown == round(self._exact * 100) else shown / 100

    def set_value(self, value: float) -> None:
        """Show a number from 0 to 1."""
        self._exact = value
        self._box.set_value(round(value * 100))


class KeptParts(QWidget):
    """Names what a card holds that is kept as it is: files, sources, notes in other languages, a lorebook."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = plain_label(self.tr("Also in this card, kept as it is"), wrap=False)
        self._words = plain_label("", "small")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column(self._title, self._words, parent=self, spacing=4)
        self.show_card({})

    def show_card(self, card: dict[str, Any]) -> None:
        """Name what a card holds."""
        lines = []
        assets = [
            " · ".join(
                part
                for part in (one_line(item.kind, 40), one_line(item.name, 60), one_line(item.place))
                if part
            )
            for item in assets_of(card)
        ]
        lines += self._some(self.tr("File: {what}"), assets)
        lines += self._some(self.tr("Source: {what}"), [one_line(text, 200) for text in sources_of(card)])
        notes = [
            f"{one_line(language, 20)}: {one_line(text, 160)}"
            for language, text in other_notes_of(card).items()
        ]
        lines += self._some(self.tr("Creator notes, {what}"), notes)
        data = card.get("data")
        book = data.get("character_book") if isinstance(data, dict) else None
        entries = book.get("entries") if isinstance(book, dict) else None
        if isinstance(entries, list | dict) and entries:
            lines.append(self.tr("Lorebook with %n entry(s)", "", len(entries)))
        self._words.setText("\n".join(lines))
        self._words.setAccessibleName("\n".join([self._title.text(), *lines]))
        self.setVisible(bool(lines))

    def _some(self, words: str, items: list[str]) -> list[str]:
        lines = [words.replace("{what}", item) for item in items[:MOST_SHOWN]]
        if len(items) > MOST_SHOWN:
            lines.append(self.tr("and %n more", "", len(items) - MOST_SHOWN))
        return lines


def show_extras(
    card: dict[str, Any], depth: DepthPromptField, talk: TalkativenessField, kept: KeptParts
) -> None:
    """Show what a card holds of all these."""
    depth.set_value(depth_prompt_of(card))
    talk.set_value(talkativeness_of(card))
    kept.show_card(card)
