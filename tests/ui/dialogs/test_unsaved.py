"""Closing a form in which something was typed: it asks, and what is answered happens."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QMessageBox, QPlainTextEdit

from memdesk.memory.recall.settings import RecallSettings
from memdesk.memory.summaries.settings import SummarySettings
from memdesk.ui.dialogs.chat_settings import ChatSettingsDialog
from memdesk.ui.dialogs.memory_editor import MemoryEditor
from memdesk.ui.dialogs.recall_settings import RecallSettingsDialog
from memdesk.ui.dialogs.summary_editor import SummaryEditor
from memdesk.ui.dialogs.summary_settings import SummarySettingsDialog
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]


def answer(window: OpenDesk, name: str) -> None:
    window.wait(lambda: window.has(QMessageBox, "Unsaved changes"))
    window.press(name, window.find(QMessageBox, "Unsaved changes"))
    window.wait(lambda: not window.has(QMessageBox, "Unsaved changes"))


def settings_of(window: OpenDesk) -> Any:
    window.window.openers.open_chat_settings(window.chat_id)
    window.wait(lambda: window.window.findChildren(ChatSettingsDialog))
    dialog = window.window.findChildren(ChatSettingsDialog)[-1]
    window.wait(dialog.isVisible)
    return dialog


def test_a_typed_note_is_not_thrown_away(desk: Desk) -> None:
    desk.prepare("Hello.")
    window = desk.open()
    dialog = settings_of(window)
    window.find(QCheckBox, "Author's note of its own").setChecked(True)
    note = window.find(QPlainTextEdit, "Author's note")
    note.setPlainText("Keep it slow.")
    window.key(Qt.Key.Key_Escape, on=dialog)
    answer(window, "Go on editing")
    assert dialog.isVisible()
    assert note.toPlainText() == "Keep it slow."
    dialog.close()
    answer(window, "Save changes")
    window.wait(
        lambda: (
            window.workspace.chats.get(window.chat_id).settings.get("note", {}).get("text") == "Keep it slow."
        )
    )


def test_forms_ask_only_when_something_changed(qtbot: Any) -> None:
    memory, summary = MemoryEditor("She hums.", "She hums."), SummaryEditor("Write", text="It rained.")
    forms = (
        memory,
        summary,
        RecallSettingsDialog(RecallSettings()),
        SummarySettingsDialog(SummarySettings(), [], [("default", "Default")], "default"),
    )
    for form in forms:
        qtbot.addWidget(form)
        form.show()
        QTest.keyClick(form, Qt.Key.Key_Escape)
        assert not form.isVisible()
    for form, name in ((memory, "Text of the memory"), (summary, "Text of the summary")):
        form.show()
        (text,) = [box for box in form.findChildren(QPlainTextEdit) if box.accessibleName() == name]
        text.insertPlainText("Loudly. ")
        QTest.keyClick(form, Qt.Key.Key_Escape)
        assert form.isVisible()
        (box,) = form.findChildren(QMessageBox)
        (discard,) = [button for button in box.buttons() if button.text() == "Discard changes"]
        discard.click()
        assert not form.isVisible()
        del box, discard
        qtbot.waitUntil(lambda form=form: not form.findChildren(QMessageBox))
