from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QPushButton, QWidget

from memdesk.settings import load_settings
from memdesk.ui.dialogs.preferences import PreferencesDialog
from memdesk.ui.theme import current_theme
from tests.ui.dialogs.helpers import controls_are_named, find, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytestqt.qtbot import QtBot

    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace
    from tests.ui.dialogs.conftest import MemoryKeyring


@pytest.fixture
def preferences(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> Callable[[], PreferencesDialog]:
    def opened() -> PreferencesDialog:
        dialog: PreferencesDialog = show(PreferencesDialog(workspace, background))
        qtbot.waitUntil(lambda: find(dialog, "Your name").isEnabled())
        return dialog

    return opened


def choose(dialog: PreferencesDialog, name: str, value: str, qtbot: QtBot) -> None:
    box = find(dialog, name, QComboBox)
    with qtbot.waitSignal(dialog.settingsChanged, timeout=5000):
        box.setCurrentIndex(box.findData(value))


def test_every_control_is_named_and_large_enough(preferences: Callable[[], PreferencesDialog]) -> None:
    assert controls_are_named(preferences()) == []


def test_choices_count_at_once_and_are_stored(
    preferences: Callable[[], PreferencesDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    dialog = preferences()
    choose(dialog, "Colours", "dark", qtbot)
    assert current_theme().mode == "dark"
    assert "next time memdesk starts" not in texts(dialog)
    choose(dialog, "Language", "zh_CN", qtbot)
    assert "next time memdesk starts" in texts(dialog)
    choose(dialog, "Sending a message", "ctrl", qtbot)
    stored, notice = load_settings(workspace.data_dir / "settings.toml")
    assert notice == ""
    assert (stored.theme, stored.language, stored.enter_sends) == ("dark", "zh_CN", False)
    again = preferences()
    assert find(again, "Language", QComboBox).currentText() == "简体中文"
    assert find(again, "Sending a message", QComboBox).currentData() == "ctrl"


def test_a_failure_to_store_is_said_in_words(
    preferences: Callable[[], PreferencesDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    dialog = preferences()
    path = workspace.data_dir / "settings.toml"
    (path / "in the way").mkdir(parents=True)
    box = find(dialog, "Sending a message", QComboBox)
    box.setCurrentIndex(box.findData("ctrl"))
    qtbot.waitUntil(lambda: "settings.toml" in texts(dialog))
    assert workspace.settings.enter_sends is True


def test_who_you_are_is_stored_after_typing_and_at_the_end(
    preferences: Callable[[], PreferencesDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    dialog = preferences()
    with qtbot.waitSignal(dialog.personaChanged, timeout=5000):
        qtbot.keyClicks(find(dialog, "Your name", QLineEdit), "Jonas")
    persona = workspace.personas.default()
    assert persona is not None
    assert persona.name == "Jonas"
    find(dialog, "About you", QPlainTextEdit).setPlainText("守灯人 🏮\n" + "x" * 1_000_000)
    with qtbot.waitSignal(dialog.personaChanged, timeout=5000):
        find(dialog, "Close", QPushButton).click()
    persona = workspace.personas.default()
    assert persona is not None
    assert persona.description == "守灯人 🏮\n" + "x" * 1_000_000


def test_a_blank_name_is_not_taken(
    preferences: Callable[[], PreferencesDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    workspace.library.set_default_persona("Jonas", "")
    dialog = preferences()
    entry = find(dialog, "Your name", QLineEdit)
    assert entry.text() == "Jonas"
    entry.selectAll()
    qtbot.keyClick(entry, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: "Without a name" in entry.accessibleDescription())
    dialog.reject()
    persona = workspace.personas.default()
    assert persona is not None
    assert persona.name == "Jonas"


def test_an_empty_name_says_what_is_used(preferences: Callable[[], PreferencesDialog]) -> None:
    entry = find(preferences(), "Your name", QLineEdit)
    assert entry.placeholderText() == "While this is empty, you are called “You”"


def test_it_fits_into_a_small_window(workspace: Workspace, background: Background, show: Any) -> None:
    window = show(QWidget())
    window.resize(1024, 640)
    dialog = PreferencesDialog(workspace, background, window)
    assert dialog.height() <= 640
    assert dialog.minimumSizeHint().height() <= 640
    dialog.close()


def test_samples_go_and_come_back(
    preferences: Callable[[], PreferencesDialog], workspace: Workspace, qtbot: QtBot
) -> None:
    dialog = preferences()
    remove = find(dialog, "Remove samples", QPushButton)
    qtbot.waitUntil(lambda: not remove.isEnabled())
    find(dialog, "Restore samples", QPushButton).click()
    qtbot.waitUntil(lambda: "The samples are there." in texts(dialog), timeout=20_000)
    assert any(chat.sample for chat in workspace.chats.all())
    assert remove.isEnabled()
    remove.click()
    qtbot.waitUntil(lambda: "in the trash" in texts(dialog), timeout=20_000)
    assert workspace.chats.all() == []
    assert not remove.isEnabled()


def test_the_data_folder_is_shown_and_opened(
    preferences: Callable[[], PreferencesDialog], workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return len(opened) == 1

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    dialog = preferences()
    folder = find(dialog, "Data folder", QLineEdit)
    assert folder.text() == str(workspace.data_dir)
    assert folder.isReadOnly()
    find(dialog, "Open folder", QPushButton).click()
    assert opened == [workspace.data_dir.as_posix()]
    assert "No file manager" not in texts(dialog)
    find(dialog, "Open folder", QPushButton).click()
    assert "No file manager" in texts(dialog)


def test_it_says_where_keys_are_kept(preferences: Callable[[], PreferencesDialog], qtbot: QtBot) -> None:
    dialog = preferences()
    qtbot.waitUntil(lambda: "unencrypted in the file keys.json" in texts(dialog))


def test_it_says_when_keys_are_in_the_keyring(
    memory_keyring: MemoryKeyring, preferences: Callable[[], PreferencesDialog], qtbot: QtBot
) -> None:
    dialog = preferences()
    qtbot.waitUntil(lambda: "kept in the system keyring" in texts(dialog))
    assert memory_keyring.secrets == {}
