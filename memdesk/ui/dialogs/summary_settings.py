"""How summaries work in one chat: when, by whom, how long, and where they stand in the prompt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from memdesk.memory.summaries.settings import DEFAULT_INTERVAL, SummarySettings
from memdesk.ui.dialogs.number_edit import NumberEdit
from memdesk.ui.dialogs.pieces import (
    CalmComboBox,
    ChoiceBox,
    Field,
    Notice,
    column,
    fit,
    line,
    plain_label,
    push_button,
    row,
    scrolled,
)
from memdesk.ui.dialogs.unsaved import AskingDialog

FEWEST_WORDS = 25

Named = Sequence[tuple[str, str]]
"""(id, name)"""


class SummarySettingsDialog(AskingDialog):
    """Changes the summary settings of a chat; what is as it was is not stored."""

    chosen = Signal(dict)
    """Settings that differ, by name"""
    templateChosen = Signal(str)
    """The template for all chats"""
    templatesRequested = Signal()

    def __init__(
        self,
        settings: SummarySettings,
        connections: Named,
        templates: Named,
        template: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._before, self._template_before = settings, template
        self.setWindowTitle(self.tr("Summary settings"))
        page = QWidget(self)
        layout = column(
            self._when(), line(), self._how(connections, templates), line(), self._hiding(), line(),
            self._where(), parent=page, spacing=16,
        )  # fmt: skip
        layout.setContentsMargins(20, 16, 20, 16)
        layout.addStretch(1)
        defaults = push_button(self.tr("Defaults"), "quiet", self)
        defaults.clicked.connect(lambda: self._write(SummarySettings(), self._template_before))
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        save = push_button(self.tr("Save"), "primary", self)
        save.setDefault(True)
        save.clicked.connect(self._accept)
        buttons = row(defaults)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(save)
        foot = QWidget(self)
        inside = column(parent=foot)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.addLayout(buttons)
        outer = column(scrolled(page, self.tr("Summary settings")), line(), foot, parent=self, spacing=0)
        outer.setStretch(0, 1)
        self._write(settings, template)
        fit(self, 520, 680)
        self.opened()

    # ── building ─────────────────────────────────────────────────────────────────────────────────────

    def _when(self) -> QWidget:
        self._automatic = self._check(
            self.tr("Write summaries automatically"),
            self.tr("After a reply, in the background; a reply never waits for it."),
        )
        self._mode = ChoiceBox()
        self._mode.addItem(self.tr("Rolling: each takes the one before in"), "rolling")
        self._mode.addItem(self.tr("Entries: each covers messages of its own"), "entries")
        self._mode.currentIndexChanged.connect(self._mode_chosen)
        self._every = self._never(200)
        self._counted = CalmComboBox()
        self._counted.setMinimumContentsLength(16)
        self._counted.setAccessibleName(self.tr("Messages that are counted"))
        self._counted.addItem(self.tr("of your messages"), True)
        self._counted.addItem(self.tr("of all messages"), False)
        self._words_due = self._never(100_000)
        self._idle = Notice("wait")
        for signal in (self._every.changed, self._words_due.changed, self._automatic.toggled):
            signal.connect(self._show)
        return self._part(
            self.tr("When"),
            self._automatic,
            Field(self.tr("How they follow each other"), self._mode),
            Field(self.tr("Write one after so many"), self._every, "", self._counted),
            Field(
                self.tr("Or after so many words"),
                self._words_due,
                self.tr("Chinese and Japanese are counted by character."),
            ),
            self._idle,
        )

    def _how(self, connections: Named, templates: Named) -> QWidget:
        self._words = self._number(5000)
        self._tokens = self._number(32_768)
        self._review = self._check(
            self.tr("Review what the model writes"),
            self.tr("What a model wrote waits until you approve it; nothing of it is sent before."),
        )
        self._connection = ChoiceBox()
        self._connection.addItem(self.tr("the connection of the chat"), "")
        for item, name in connections:
            self._connection.addItem(name, item)
        self._template = ChoiceBox()
        for item, name in templates:
            self._template.addItem(name, item)
        edit = push_button(self.tr("Templates…"), "quiet", self)
        edit.clicked.connect(self._open_templates)
        return self._part(
            self.tr("How they are written"),
            Field(self.tr("Length in words, about"), self._words),
            Field(
                self.tr("Most tokens of an answer"),
                self._tokens,
                self.tr("An answer that is longer is cut off, and not kept. Models that think need more."),
            ),
            Field(self.tr("Written by"), self._connection),
            Field(self.tr("Template"), self._template, self.tr("For all chats."), edit),
            self._review,
        )

    def _hiding(self) -> QWidget:
        self._hide = self._check(
            self.tr("Hide summarised messages from the model"),
            self.tr("They stay in the chat. What you hid yourself is never touched."),
        )
        self._tail = self._number(100_000)
        return self._part(
            self.tr("Summarised messages"),
            self._hide,
            Field(
                self.tr("Recent message tail"),
                self._tail,
                self.tr("So many of the newest messages are never hidden by a summary."),
            ),
        )

    def _where(self) -> QWidget:
        self._enabled = self._check(
            self.tr("Send summaries"), self.tr("Whether they are sent in this chat at all.")
        )
        self._place = ChoiceBox()
        self._place.addItem(self.tr("before the main prompt"), "before_prompt")
        self._place.addItem(self.tr("after the main prompt"), "after_prompt")
        self._place.addItem(self.tr("in the chat"), "in_chat")
        self._place.addItem(self.tr("at the very end"), "after_chat")
        self._depth = self._number(999)
        self._role = ChoiceBox()
        for role, words in (
            ("system", self.tr("as system")),
            ("user", self.tr("as user")),
            ("assistant", self.tr("as assistant")),
        ):
            self._role.addItem(words, role)
        self._role.setAccessibleName(self.tr("Role"))
        self._depth_field = Field(
            self.tr("Messages below it"), self._depth, self.tr("0 is the very end."), self._role
        )
        self._place.currentIndexChanged.connect(self._show_depth)
        self._around = QLineEdit(self)
        self._around.setMinimumHeight(28)
        self._around.setMaxLength(2000)
        self._scan = self._check(
            self.tr("Lorebooks look into summaries"),
            self.tr("Whether keys of lorebooks are found in summaries, too."),
        )
        return self._part(
            self.tr("Where they stand in the prompt"),
            self._enabled,
            Field(self.tr("Place"), self._place),
            self._depth_field,
            Field(self.tr("Text around them"), self._around, self.tr("{{summary}} is where they go.")),
            self._scan,
        )

    def _part(self, title: str, *parts: QWidget) -> QWidget:
        whole = QWidget(self)
        column(plain_label(title, "strong"), *parts, spacing=10, parent=whole)
        return whole

    def _check(self, title: str, tip: str) -> QCheckBox:
        box = QCheckBox(title, self)
        box.setAccessibleName(title)
        box.setAccessibleDescription(tip)
        box.setToolTip(tip)
        box.setMinimumHeight(28)
        return box

    def _never(self, most: int) -> NumberEdit:
        """Return a field for a number that may be left out."""
        field = self._number(most)
        field.setPlaceholderText(self.tr("never"))
        return field

    @staticmethod
    def _number(most: int) -> NumberEdit:
        field = NumberEdit(most)
        field.setMinimumHeight(28)
        return field

    # ── values ───────────────────────────────────────────────────────────────────────────────────────

    def values(self) -> dict[str, Any]:
        """Return the settings as they stand in the dialog."""
        mode = self._mode.value()
        interval = self._every.value()
        return {
            "automatic": self._automatic.isChecked(),
            "mode": mode,
            "every_messages": None if interval == DEFAULT_INTERVAL[mode] else interval,
            "user_messages": bool(self._counted.currentData()),
            "every_words": self._words_due.value(),
            "words": max(FEWEST_WORDS, self._words.value()),
            "max_tokens": max(1, self._tokens.value()),
            "review": self._review.isChecked(),
            "connection": self._connection.value(),
            "hide": self._hide.isChecked(),
            "tail": self._tail.value(),
            "enabled": self._enabled.isChecked(),
            "where": self._place.value(),
            "depth": self._depth.value(),
            "role": self._role.value(),
            "template": self._around.text(),
            "scan": self._scan.isChecked(),
        }

    def _write(self, settings: SummarySettings, template: str) -> None:
        self._automatic.setChecked(settings.automatic)
        self._mode.set_value(settings.mode)
        self._set_never(self._every, settings.interval)
        self._counted.setCurrentIndex(0 if settings.user_messages else 1)
        self._set_never(self._words_due, settings.every_words)
        self._words.set_value(settings.words)
        self._tokens.set_value(settings.max_tokens)
        self._review.setChecked(settings.review)
        self._connection.set_value(settings.connection)
        self._template.set_value(template)
        self._hide.setChecked(settings.hide)
        self._tail.set_value(settings.tail)
        self._enabled.setChecked(settings.enabled)
        self._place.set_value(settings.where)
        self._depth.set_value(settings.depth)
        self._role.set_value(settings.role)
        self._around.setText(settings.template)
        self._scan.setChecked(settings.scan)
        self._show()
        self._show_depth()

    @staticmethod
    def _set_never(field: NumberEdit, value: int) -> None:
        field.setText(str(value) if value else "")

    def _mode_chosen(self, _place: int) -> None:
        """Let the interval follow the mode, as long as it is the default of the other one."""
        if self._every.value() in DEFAULT_INTERVAL.values():
            self._every.set_value(DEFAULT_INTERVAL[self._mode.value()])

    def _show(self) -> None:
        idle = self._automatic.isChecked() and not self._every.value() and not self._words_due.value()
        self._idle.say(
            self.tr("With both set to never, no summary is written automatically.") if idle else ""
        )

    def _show_depth(self) -> None:
        self._depth_field.setVisible(self._place.value() == "in_chat")

    def _open_templates(self) -> None:
        self._accept()
        self.templatesRequested.emit()

    def form_state(self) -> object:
        return self.values(), self._template.value()

    def save_form(self) -> None:
        self._accept()

    def _accept(self) -> None:
        before = self._before.model_dump()
        changed = {name: value for name, value in self.values().items() if value != before[name]}
        if changed:
            self.chosen.emit(changed)
        if self._template.value() != self._template_before:
            self.templateChosen.emit(self._template.value())
        self.accept()
