"""How recall works in one chat: what a memory is, how it is found, and where it stands in the prompt."""

from __future__ import annotations

from typing import Any, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from memdesk.memory.recall.settings import LONGEST_BOUNDARY, TOP_K, Grain, RecallSettings
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
    row,
    scrolled,
)
from memdesk.ui.dialogs.placement_row import CountBox
from memdesk.ui.dialogs.unsaved import AskingDialog

BREAK = "\\n"
"""How a line break is written in the field of the boundary."""


class RecallSettingsDialog(AskingDialog):
    """Changes the recall settings of a chat; what is as it was is not stored."""

    chosen = Signal(dict, bool)
    """Settings that differ by name (None: the default), and whether memories are made anew by them"""

    def __init__(self, settings: RecallSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = settings
        self.setWindowTitle(self.tr("Recall settings"))
        page = QWidget(self)
        layout = column(self._what(), line(), self._how(), line(), self._where(), parent=page, spacing=16)
        layout.setContentsMargins(20, 16, 20, 16)
        layout.addStretch(1)
        self._remade = Notice("info")
        self._defaults = push_button(self.tr("Defaults"), "quiet", self)
        self._defaults.clicked.connect(lambda: self._write(RecallSettings()))
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.clicked.connect(self.reject)
        save = push_button(self.tr("Save"), "primary", self)
        save.setDefault(True)
        save.clicked.connect(self._accept)
        buttons = row(self._defaults)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(save)
        foot = column(self._remade, spacing=8)
        foot.setContentsMargins(16, 12, 16, 12)
        foot.addLayout(buttons)
        outer = column(scrolled(page, self.tr("Recall settings")), line(), parent=self, spacing=0)
        outer.setStretch(0, 1)
        outer.addLayout(foot)
        self._write(settings)
        fit(self, 520, 640)
        self.opened()

    # ── building ─────────────────────────────────────────────────────────────────────────────────────

    def _what(self) -> QWidget:
        self._enabled = self._check(
            self.tr("Enable Memory Recall"),
            self.tr("Whether memories are sent with replies in this chat. Remembering goes on either way."),
        )
        self._grain = CalmComboBox()
        self._grain.addItem(self.tr("Messages, split near a length"), "messages")
        self._grain.addItem(self.tr("Exchanges: five messages in a row"), "exchanges")
        self._grain.currentIndexChanged.connect(self._grain_chosen)
        self._chars = self._spin(0, 10_000, self.tr(" characters"))
        self._chars.setSpecialValueText(self.tr("whole messages"))
        self._chars.setSingleStep(50)
        self._boundary = QLineEdit()
        self._boundary.setMaxLength(LONGEST_BOUNDARY)
        self._boundary.setMinimumHeight(28)
        self._chars_field = Field(
            self.tr("Length of a memory"),
            self._chars,
            self.tr("A message is cut at paragraphs, sentences and words so that its pieces come near this."),
        )
        self._boundary_field = Field(
            self.tr("Boundary"),
            self._boundary,
            self.tr("A mark that always ends a memory, for example --- (write \\n for a line break)."),
        )
        self._hidden = self._check(
            self.tr("Remember hidden messages"),
            self.tr("Messages that are hidden from the model can be recalled all the same."),
        )
        for signal in (self._chars.valueChanged, self._boundary.textChanged, self._hidden.toggled):
            signal.connect(self._show_remade)
        return self._part(
            self.tr("What is remembered"),
            self._enabled,
            Field(self.tr("A memory is made of"), self._grain),
            self._chars_field,
            self._boundary_field,
            self._hidden,
        )

    def _how(self) -> QWidget:
        self._threshold = QDoubleSpinBox()
        self._threshold.setRange(0, 1)
        self._threshold.setSingleStep(0.05)
        self._threshold.setDecimals(2)
        self._threshold.setMinimumHeight(28)
        self._top = self._spin(0, 100)
        self._query = self._spin(1, 20)
        self._expand = self._check(
            self.tr("Widen short queries"),
            self.tr("A message that says too little (“go on”) is searched for with those before it."),
        )
        self._neighbours = self._check(
            self.tr("Credit from neighbours"), self.tr("An answer stands beside its question.")
        )
        self._speakers = self._check(
            self.tr("Credit for named speakers"),
            self.tr("What somebody said counts more when the query names them."),
        )
        self._recency = self._check(
            self.tr("Newer first among equals"),
            self.tr("A very small credit for what was said later; pinned memories get none."),
        )
        return self._part(
            self.tr("How it is found"),
            Field(self.tr("Lowest score"), self._threshold),
            Field(self.tr("Memories sent at most"), self._top),
            Field(self.tr("Messages in the query"), self._query),
            self._expand,
            self._neighbours,
            self._speakers,
            self._recency,
        )

    def _where(self) -> QWidget:
        self._protect = self._spin(1, 1000)
        self._move = CalmComboBox()
        self._move.addItem(self.tr("stays where it is"), False)
        self._move.addItem(self.tr("moves into the recalled part"), True)
        self._template = TextBox(3, self)
        return self._part(
            self.tr("Where it stands in the prompt"),
            Field(
                self.tr("Newest messages that are always sent"),
                self._protect,
                self.tr("They give way to nothing and are never recalled."),
            ),
            Field(
                self.tr("A recalled message that is in the context"),
                self._move,
                self.tr("It is never sent twice."),
            ),
            Field(self.tr("Text around the memories"), self._template, self.tr("{{text}} is where they go.")),
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

    @staticmethod
    def _spin(low: int, high: int, suffix: str = "") -> QSpinBox:
        spin = CountBox(low, high)
        spin.setSuffix(suffix)
        spin.setMinimumHeight(28)
        return spin

    # ── values ───────────────────────────────────────────────────────────────────────────────────────

    def values(self) -> RecallSettings:
        """Return the settings as they stand in the dialog."""
        return self._before.model_copy(
            update={
                "enabled": self._enabled.isChecked(),
                "grain": self._grain_now(),
                "chunk_chars": self._chars.value(),
                "boundary": self._boundary.text().replace(BREAK, "\n"),
                "remember_hidden": self._hidden.isChecked(),
                "threshold": round(self._threshold.value(), 2),
                "top_k": self._top.value(),
                "query_messages": self._query.value(),
                "expand_short": self._expand.isChecked(),
                "neighbours": self._neighbours.isChecked(),
                "speakers": self._speakers.isChecked(),
                "recency": self._recency.isChecked(),
                "protect": self._protect.value(),
                "move_recalled": bool(self._move.currentData()),
                "template": self._template.text(),
            }
        )

    def _write(self, settings: RecallSettings) -> None:
        self._enabled.setChecked(settings.enabled)
        self._grain.setCurrentIndex(self._grain.findData(settings.grain))
        self._chars.setValue(settings.chunk_chars)
        self._boundary.setText(settings.boundary.replace("\n", BREAK))
        self._hidden.setChecked(settings.remember_hidden)
        self._threshold.setValue(settings.threshold)
        self._top.setValue(settings.top_k)
        self._query.setValue(settings.query_messages)
        self._expand.setChecked(settings.expand_short)
        self._neighbours.setChecked(settings.neighbours)
        self._speakers.setChecked(settings.speakers)
        self._recency.setChecked(settings.recency)
        self._protect.setValue(settings.protect)
        self._move.setCurrentIndex(int(settings.move_recalled))
        self._template.setPlainText(settings.template)
        self._show_remade()

    def _grain_now(self) -> Grain:
        return cast("Grain", self._grain.currentData())

    def _grain_chosen(self, _place: int) -> None:
        """Let the number of memories follow the grain, as long as it is the default of the other one."""
        grain = self._grain_now()
        if self._top.value() in TOP_K.values():
            self._top.setValue(TOP_K[grain])
        self._show_remade()

    def _show_remade(self) -> None:
        whole = self._grain_now() == "exchanges"
        self._chars_field.setEnabled(not whole)
        self._boundary_field.setEnabled(not whole)
        words = self.tr(
            "The memories of this chat are made anew in the background. What you froze, pinned, edited or "
            "wrote stays; text that was embedded before costs nothing."
        )
        self._remade.say("" if self.values().same_cut(self._before) else words)

    def form_state(self) -> object:
        return self.values()

    def save_form(self) -> None:
        self._accept()

    def _accept(self) -> None:
        after = self.values()
        default = RecallSettings.model_validate({"grain": after.grain})
        changed: dict[str, Any] = {}
        for name in RecallSettings.model_fields:
            value = getattr(after, name)
            if value != getattr(self._before, name):
                changed[name] = None if value == getattr(default, name) and name != "grain" else value
        if after.top_k == TOP_K[after.grain] and after.grain != self._before.grain:
            changed["top_k"] = None
        if changed:
            self.chosen.emit(changed, not after.same_cut(self._before))
        self.accept()
