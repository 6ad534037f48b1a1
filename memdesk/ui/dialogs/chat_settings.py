"""What one chat has of its own: preset, connection, scenario, author's note, recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QCheckBox, QWidget

from memdesk.chats.model import Chat
from memdesk.chats.text import clean
from memdesk.llm.profile import DEMO_PROFILE
from memdesk.memory.recall.settings import recall_settings
from memdesk.presets import NamedPreset
from memdesk.prompt.note import AuthorsNote, read_note
from memdesk.ui.dialogs.embedder_choices import SourceBox
from memdesk.ui.dialogs.note_editor import NoteEditor
from memdesk.ui.dialogs.pieces import (
    ChoiceBox,
    Field,
    TextBox,
    column,
    fit,
    line,
    push_button,
    row,
    scrolled,
    write_text,
)
from memdesk.ui.dialogs.unsaved import AskingDialog
from memdesk.ui.session import Session


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """What the dialog opens with."""

    chat: Chat
    presets: list[NamedPreset]
    app_preset: str
    card_scenario: str


def chat_facts(session: Session, chat_id: int) -> ChatFacts:
    """Read what the dialog shows; blocks, for a worker."""
    workspace = session.workspace
    chat = workspace.chats.get(chat_id)
    card = workspace.characters.get(chat.character_ids[0]) if chat.character_ids else None
    return ChatFacts(
        chat, workspace.presets.all(), workspace.preset_key(), card.text("scenario") if card else ""
    )


class ChatSettingsDialog(AskingDialog):
    """Shows and keeps a chat's own choices; what is not chosen here is as in the whole app."""

    def __init__(self, session: Session, facts: ChatFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._facts = facts
        self.setWindowTitle(self.tr("Chat settings"))
        self._build()
        self._fill()
        fit(self, 620, 680)
        self._preset.setFocus()
        self.opened()

    def _build(self) -> None:
        self._preset = ChoiceBox(self)
        self._connection = ChoiceBox(self)
        preset = Field(self.tr("Preset"), self._preset)
        preset.set_hint(
            self.tr("Prompts and sampling. Where a preset sets a value, the connection's gives way.")
        )
        self._own_scenario = QCheckBox(self.tr("Scenario of its own"), self)
        self._own_scenario.setToolTip(self.tr("Stands in for the scenario of the character's card."))
        self._scenario = TextBox(4)
        scenario = Field(self.tr("Scenario"), self._scenario)
        self._own_scenario.toggled.connect(scenario.setVisible)
        scenario.hide()
        self._own_note = QCheckBox(self.tr("Author's note of its own"), self)
        self._own_note.setToolTip(self.tr("Otherwise the note for all chats is sent, if there is one."))
        self._note = NoteEditor(self._session.workspace, self._session.background, self)
        self._own_note.toggled.connect(self._note.setVisible)
        self._note.hide()
        unset = self.tr("As the connection or the preferences say")
        self._embedder = SourceBox(self._session.workspace.settings, unset, self)
        self._recall = QCheckBox(self.tr("Recall memories in this chat"), self)
        for box in (self._own_scenario, self._own_note, self._recall):
            box.setAccessibleName(box.text())
        page = QWidget(self)
        layout = column(
            preset,
            Field(self.tr("Connection"), self._connection),
            Field(self.tr("Embeddings"), self._embedder),
            self._own_scenario,
            scenario,
            self._own_note,
            self._note,
            self._recall,
            parent=page,
            spacing=14,
        )
        layout.setContentsMargins(20, 16, 20, 20)
        layout.addStretch(1)
        cancel = push_button(self.tr("Cancel"), parent=self)
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.reject)
        for_all = push_button(self.tr("Use this note in all chats"), "quiet", self)
        for_all.setAutoDefault(False)
        for_all.clicked.connect(self._note_for_all)
        for_all.setVisible(False)
        self._own_note.toggled.connect(for_all.setVisible)
        save = push_button(self.tr("Save"), "primary", self)
        save.setDefault(True)
        save.clicked.connect(self._keep)
        buttons = row(for_all)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(save)
        buttons.setContentsMargins(16, 12, 16, 12)
        whole = column(parent=self, spacing=0)
        whole.addWidget(scrolled(page, self.tr("Chat settings")), 1)
        whole.addWidget(line())
        whole.addLayout(buttons)

    def _fill(self) -> None:
        settings, workspace = self._facts.chat.settings, self._session.workspace
        names = {item.key: item.preset.name for item in self._facts.presets}
        app = names.get(self._facts.app_preset, names["default"])
        self._preset.addItem(self.tr("As in all chats: %1").replace("%1", app), "")
        for key, name in names.items():
            self._preset.addItem(name, key)
        self._preset.set_value(str(settings.get("preset") or ""))
        chosen = workspace.settings.profile()
        demo = self.tr("Demo voice")
        self._connection.addItem(
            self.tr("As in all chats: %1").replace("%1", demo if chosen.kind == "demo" else chosen.name), ""
        )
        self._connection.addItem(demo, DEMO_PROFILE.id)
        for profile in workspace.settings.connections:
            if profile.kind != "demo":
                self._connection.addItem(profile.name, profile.id)
        self._connection.set_value(str(settings.get("connection") or ""))
        scenario = settings.get("scenario")
        write_text(self._scenario, scenario if isinstance(scenario, str) else self._facts.card_scenario)
        self._own_scenario.setChecked(isinstance(scenario, str))
        default = workspace.settings.note
        self._note.show_note(read_note(settings.get("note"), default))
        self._own_note.setChecked(isinstance(settings.get("note"), dict))
        self._recall.setChecked(recall_settings(settings).enabled)
        self._embedder.set_value(recall_settings(settings).embedder)

    def _changes(self) -> dict[str, Any]:
        note = self._note.note().model_dump() if self._own_note.isChecked() else None
        recall = dict(self._facts.chat.settings.get("recall") or {})
        if self._recall.isChecked() != recall_settings(self._facts.chat.settings).enabled:
            recall["enabled"] = self._recall.isChecked()
        if self._embedder.value() != recall.get("embedder", ""):
            recall["embedder"] = self._embedder.value()
        return {
            "preset": self._preset.value() or None,
            "connection": self._connection.value() or None,
            "scenario": clean(self._scenario.text()) if self._own_scenario.isChecked() else None,
            "note": note,
            "recall": recall or None,
        }

    def form_state(self) -> object:
        return self._changes()

    def save_form(self) -> None:
        self._keep()

    def _keep(self) -> None:
        chat_id, changes, session = self._facts.chat.id, self._changes(), self._session
        presets = session.workspace.presets
        session.act(lambda: presets.choose(chat_id, changes), lambda _: session.settingsChanged.emit())
        self.accept()

    def _note_for_all(self) -> None:
        """Let every chat without a note of its own have this one; this chat follows it from now on."""
        note: AuthorsNote = self._note.note()
        self._session.change_for_all(self.tr("Author's note for all chats"), note=note)
        self._own_note.setChecked(False)
