"""Presets, chat settings and macros through the window, as a person uses them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QSpinBox,
    QTableWidget,
    QWidget,
)

from memdesk.formats.sillytavern_preset import LEFT_OUT, LeftOut
from memdesk.prompt.macros.catalogue import CATALOGUE
from memdesk.prompt.presets import BUILT_IN, ENGLISH
from memdesk.ui.dialogs.chat_settings import ChatSettingsDialog
from memdesk.ui.dialogs.macros import MacrosDialog, macro_words
from memdesk.ui.dialogs.preset_import import PresetImportDialog, left_out_words
from memdesk.ui.dialogs.presets import PresetsDialog
from tests.formats.test_sillytavern_preset import PRESET
from tests.support.fake_llm import FakeLLM
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


def choose(box: QComboBox, text: str) -> None:
    index = next(n for n in range(box.count()) if text in box.itemText(n))
    box.setCurrentIndex(index)


def write(widget: Any, text: str) -> None:
    widget.setFocus()
    widget.selectAll()
    if isinstance(widget, QPlainTextEdit):
        widget.insertPlainText(text)
    else:
        QTest.keyClicks(widget, text)


def open_dialog(opened: OpenDesk, kind: type, run: Any) -> Any:
    run()
    opened.wait(lambda: opened.all(kind))
    return opened.all(kind)[0]


def presets(opened: OpenDesk) -> PresetsDialog:
    dialog = open_dialog(opened, PresetsDialog, opened.window.openers.open_presets)
    opened.wait(lambda: names(opened))
    return dialog


def names(opened: OpenDesk) -> list[str]:
    found = opened.all(QListWidget, "Presets")
    return [found[0].item(row).text() for row in range(found[0].count())] if found else []


def settings_of(opened: OpenDesk) -> dict[str, Any]:
    return opened.workspace.chats.get(opened.chat_id).settings


def test_a_chat_gets_its_own_note_scenario_and_preset(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    desk.prepare("Hello.", "Hi.", scenario="A calm.")
    opened = desk.open()
    bold, _ = opened.workspace.presets.add(ENGLISH.model_copy(update={"name": "Bold", "temperature": 1.5}))
    dialog = open_dialog(opened, ChatSettingsDialog, lambda: opened.window.acts.run("chat.settings"))
    unnamed = [w for w in dialog.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
    assert all(w.accessibleName() or w.parent().accessibleName() for w in unnamed if w.isVisible())
    choose(opened.find(QComboBox, "Preset"), "Bold")
    opened.find(QCheckBox, "Scenario of its own").click()
    assert opened.find(QPlainTextEdit, "Scenario").toPlainText() == "A calm."
    write(opened.find(QPlainTextEdit, "Scenario"), "A storm.")
    opened.find(QCheckBox, "Author's note of its own").click()
    write(opened.find(QPlainTextEdit, "Author's note"), "{{char}} limps.")
    opened.wait(lambda: any("tokens" in label.text() for label in dialog.findChildren(QLabel)))
    opened.find(QSpinBox, "Depth").setValue(0)
    choose(opened.find(QComboBox, "Said by"), "User")
    opened.find(QSpinBox, "Every so many of your messages").setValue(2)
    opened.press("Save")
    opened.wait(lambda: settings_of(opened))
    assert settings_of(opened)["preset"] == bold.key
    opened.say("And now?")
    sent = server.requests[-1]
    assert sent.body["temperature"] == 1.5
    assert "Scenario: A storm." in sent.messages[0]["content"]
    assert sent.messages[-1] == {"role": "user", "content": "Mara limps."}
    opened.say("And then?")
    assert server.requests[-1].messages[-1]["content"] == "And then?"
    # Ctrl+Z takes the settings back.
    opened.window.undo()
    opened.wait(lambda: not settings_of(opened))


def test_a_note_for_all_chats_and_what_is_at_a_place(desk: Desk) -> None:
    desk.prepare("Hello.")
    opened = desk.open()
    open_dialog(opened, ChatSettingsDialog, lambda: opened.window.openers.open_chat_settings(opened.chat_id))
    opened.find(QCheckBox, "Author's note of its own").click()
    write(opened.find(QPlainTextEdit, "Author's note"), "Rain.")
    place, depth = opened.find(QComboBox, "Place"), opened.find(QSpinBox, "Depth")
    choose(place, "Before the main prompt")
    assert not depth.isEnabled()
    assert not opened.find(QComboBox, "Said by").isEnabled()
    choose(place, "After the chat")
    assert not depth.isEnabled()
    assert opened.find(QComboBox, "Said by").isEnabled()
    opened.press("Use this note in all chats")
    opened.wait(lambda: opened.workspace.settings.note.text == "Rain.")
    opened.find(QCheckBox, "Recall memories in this chat").setChecked(False)
    opened.press("Save")
    opened.wait(lambda: settings_of(opened))
    assert settings_of(opened) == {"recall": {"enabled": False}}
    opened.wait(lambda: not opened.all(ChatSettingsDialog))
    assert opened.workspace.conversation.preview(opened.chat_id).messages[-1]["content"] == "Rain."


def test_presets_are_made_changed_reset_deleted_and_chosen(desk: Desk) -> None:
    desk.prepare("Hello.")
    opened = desk.open()
    acts = opened.workspace.presets
    dialog = presets(opened)
    assert names(opened) == ["Default", "默认"]
    assert not opened.find(QLineEdit, "Name").isEnabled()
    opened.press("New preset")
    opened.wait(lambda: "New preset" in names(opened))
    write(opened.find(QLineEdit, "Name"), "Mine")
    write(opened.find(QPlainTextEdit, "Main prompt"), "Be {{char}}.")
    opened.press("Sampling, reply length, stop texts")
    write(opened.find(QLineEdit, "Temperature"), "99")
    write(opened.find(QLineEdit, "Top P"), "0,9")
    write(opened.find(QPlainTextEdit, "Stop texts"), "\\nAlex:")
    # What is wrong stays where it is, and says so.
    listed = opened.find(QListWidget, "Presets")
    opened.click_row(listed, 0)
    assert listed.currentItem().text() == "New preset"
    assert "5" in opened.find(QLineEdit, "Temperature").accessibleDescription()
    write(opened.find(QLineEdit, "Temperature"), "0.5")
    opened.press("Further prompts")
    opened.press("Add prompt")
    write(opened.find(QLineEdit, "Name of the prompt"), "Style")
    write(opened.find(QPlainTextEdit, "Text of the prompt"), "Short.")
    choose(opened.find(QComboBox, "Place"), "After the chat")
    opened.press("Use in all chats")
    opened.wait(lambda: not opened.all(PresetsDialog))
    opened.wait(lambda: opened.workspace.settings.preset)
    mine = acts.get(opened.workspace.settings.preset).preset
    assert (mine.name, mine.temperature, mine.top_p, mine.stop) == ("Mine", 0.5, 0.9, ["\nAlex:"])
    receipt = opened.workspace.conversation.preview(opened.chat_id)
    assert receipt.messages[0]["content"] == "Be Mara."
    assert receipt.messages[-1]["content"] == "Short."
    dialog = presets(opened)
    assert dialog._shown == opened.workspace.settings.preset
    opened.press("Duplicate preset")
    opened.wait(lambda: "Mine 2" in names(opened))
    opened.press("Reset")
    opened.wait(lambda: any(p.preset.name == "Mine 2" and not p.preset.prompts for p in acts.all()))
    session = opened.window._session
    steps = len(session._undo)
    opened.press("Delete preset")
    opened.wait(lambda: "Mine 2" not in names(opened) and len(session._undo) > steps)
    session.undo()
    opened.wait(lambda: "Mine 2" in names(opened))
    opened.press("Close")


def test_a_built_in_preset_is_changed_and_put_back(desk: Desk) -> None:
    desk.prepare("Hello.")
    opened = desk.open()
    presets(opened)
    write(opened.find(QPlainTextEdit, "Main prompt"), "Other.")
    opened.click_row(opened.find(QListWidget, "Presets"), 1)
    opened.wait(lambda: opened.workspace.presets.get("default").changed)
    assert opened.find(QPlainTextEdit, "Main prompt").toPlainText() == BUILT_IN["default-zh"].main_prompt
    opened.click_row(opened.find(QListWidget, "Presets"), 0)
    opened.press("Reset")
    opened.wait(lambda: not opened.workspace.presets.get("default").changed)
    opened.wait(lambda: opened.find(QPlainTextEdit, "Main prompt").toPlainText() == ENGLISH.main_prompt)
    opened.key(Qt.Key.Key_Escape)
    opened.wait(lambda: not opened.all(PresetsDialog))


def test_a_file_is_looked_at_before_it_is_kept(desk: Desk, tmp_path: Path) -> None:
    desk.prepare("Hello.")
    opened = desk.open()
    path = tmp_path / "Bold <b>.json"
    path.write_text(json.dumps(PRESET))
    dialog = presets(opened)
    dialog.read_file(path)
    opened.wait(lambda: opened.all(PresetImportDialog))
    shown = " ".join(label.text() for label in opened.all(PresetImportDialog)[0].findChildren(QLabel))
    assert "“new_chat_prompt” is not used" in shown
    assert "32000" in shown
    opened.press("Cancel", opened.all(PresetImportDialog)[0])
    opened.wait(lambda: not opened.all(PresetImportDialog))
    assert len(opened.workspace.presets.all()) == 2
    dialog.read_file(path)
    opened.wait(lambda: opened.all(PresetImportDialog))
    opened.press("Keep preset")
    opened.wait(lambda: "Bold <b>" in names(opened))
    target = tmp_path / "out.json"
    dialog.write_file(target)
    opened.wait(target.exists)
    assert json.loads(target.read_text())["memdesk_preset"] == 1
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    dialog.read_file(bad)
    opened.wait(lambda: "bad.json" in dialog._problem.text())
    assert len(opened.workspace.presets.all()) == 3
    dialog.reject()


def test_macros_say_what_they_give_now(desk: Desk) -> None:
    desk.prepare("Hello.", "Good evening.", description="<b>Keeper</b> of {{user}}")
    opened = desk.open()
    dialog = open_dialog(opened, MacrosDialog, lambda: opened.window.openers.open_macros(opened.chat_id))
    table = opened.find(QTableWidget, "Macros")
    rows = {table.item(row, 0).text(): row for row in range(table.rowCount())}
    opened.wait(lambda: table.item(rows["{{char}}"], 2).text())
    assert table.item(rows["{{char}}"], 2).text() == "Mara"
    assert table.item(rows["{{lastMessage}}"], 2).text() == "Good evening."
    assert table.item(rows["{{description}}"], 2).text() == "<b>Keeper</b> of Alex"
    assert "&lt;b&gt;" in table.item(rows["{{description}}"], 2).toolTip()
    assert table.item(rows["{{getvar::mood}}"], 2).text() == "calm"
    write(opened.find(QPlainTextEdit, "Try it"), "{{setvar::x::1}}{{getvar::x}} {{nothing}}")
    opened.wait(lambda: opened.find(QLabel, "What the model would read").text() == "1 {{nothing}}")
    assert opened.workspace.variables.read(opened.chat_id) == ({}, {})
    dialog.reject()


def test_what_is_left_out_is_said_as_the_library_says_it(qapp: Any) -> None:
    del qapp
    values = {"name": "n", "role": "r", "value": "v", "count": 2, "names": "a, b"}
    for known in LEFT_OUT:
        item = LeftOut(known, values)
        assert left_out_words(item) == str(item)
    assert all(macro_words(kind) for _, kind in CATALOGUE)
