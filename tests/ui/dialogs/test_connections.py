from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt
from PySide6.QtWidgets import (
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
)

from memdesk.llm.profile import DEMO_PROFILE, ConnectionProfile
from memdesk.ui.dialogs.connections import ConnectionsDialog
from tests.support.fake_llm import FakeLLM, Fault
from tests.ui.dialogs.helpers import controls_are_named, find, names, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace
    from tests.ui.dialogs.conftest import MemoryKeyring

LOCAL = ConnectionProfile(name="At home", base_url="http://127.0.0.1:9/v1", model="m1", temperature=0.7)
HOSTED = ConnectionProfile(name="Hosted 🦊", base_url="https://api.example.com/v1", model="big")


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with FakeLLM(models=[{"id": "small", "max_model_len": 4096}, "other"]) as fake:
        yield fake


@pytest.fixture
def dialog(workspace: Workspace, background: Background, show: Any, qtbot: QtBot) -> Any:
    """Open the dialog over these connections, with the first one chosen and shown."""

    def opened(*profiles: ConnectionProfile) -> ConnectionsDialog:
        chosen = profiles[0].id if profiles else DEMO_PROFILE.id
        workspace.change_settings(
            workspace.settings.model_copy(update={"connections": list(profiles), "connection": chosen})
        )
        shown = show(ConnectionsDialog(workspace, background))
        if profiles:
            qtbot.waitUntil(lambda: "kept in" in texts(shown))
        return shown

    return opened


def rows(dialog: ConnectionsDialog) -> list[str]:
    items = find(dialog, "Connections", QListWidget)
    return [items.item(n).data(Qt.ItemDataRole.AccessibleTextRole) for n in range(items.count())]


def go_to(dialog: ConnectionsDialog, row: int) -> None:
    find(dialog, "Connections", QListWidget).setCurrentRow(row)


def type_in(dialog: ConnectionsDialog, name: str, text: str) -> None:
    control = find(dialog, name)
    if isinstance(control, QComboBox):
        control.setEditText(text)
    elif isinstance(control, QPlainTextEdit):
        control.setPlainText(text)
    else:
        assert isinstance(control, QLineEdit)
        control.clear()
        control.insert(text)


def press(dialog: ConnectionsDialog, name: str) -> None:
    find(dialog, name, QPushButton).click()


def keep(dialog: ConnectionsDialog, qtbot: QtBot, button: str = "Save") -> str:
    with qtbot.waitSignal(dialog.connectionChanged, timeout=5000) as caught:
        press(dialog, button)
    assert dialog.isHidden()
    return str(caught.args[0])


def test_the_demo_voice_is_first_and_says_what_it_is(dialog: Any) -> None:
    shown = dialog()
    assert rows(shown) == ["Demo voice, no language model, in use"]
    assert "no language model" in texts(shown)
    assert not find(shown, "Delete connection").isEnabled()
    assert not find(shown, "Duplicate connection").isEnabled()


def test_the_small_buttons_say_what_they_do_or_why_not(dialog: Any) -> None:
    shown = dialog(LOCAL)
    buttons = [find(shown, f"{deed} connection") for deed in ("Add", "Duplicate", "Delete")]
    assert [button.toolTip() for button in buttons] == [button.accessibleName() for button in buttons]
    go_to(shown, 0)
    assert [button.isEnabled() for button in buttons] == [True, False, False]
    assert buttons[1].toolTip() == "The demo voice cannot be duplicated."
    assert buttons[2].toolTip() == "The demo voice cannot be deleted."


def test_typing_an_address_moves_nothing_below_it(dialog: Any, qtbot: QtBot) -> None:
    shown = dialog()
    find(shown, "Add connection").click()
    key = find(shown, "API key", QLineEdit)
    qtbot.waitUntil(lambda: key.mapTo(shown, key.pos()).y() > 0)
    before = key.mapTo(shown, QPoint()).y()
    type_in(shown, "Server address", "http://127.0.0.1:9/v1")
    qtbot.waitUntil(lambda: "On this computer" in texts(shown))
    QCoreApplication.processEvents()
    assert key.mapTo(shown, QPoint()).y() == before


@pytest.mark.parametrize(
    ("name", "text"),
    [("Server address", "http://127.0.0.1:8/v1"), ("Model", "other"), ("API key", "sk-x")],
)
def test_results_of_a_test_go_when_what_was_tested_changes(
    dialog: Any, server: FakeLLM, qtbot: QtBot, name: str, text: str
) -> None:
    shown = dialog(LOCAL.model_copy(update={"base_url": server.base_url, "model": "small"}))
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: "A server answers at" in texts(shown), timeout=10_000)
    type_in(shown, "Name", "Another name")
    assert "A server answers at" in texts(shown)
    control = find(shown, name)
    if isinstance(control, QLineEdit):
        control.clear()
        qtbot.keyClicks(control, text)
    else:
        type_in(shown, name, text)
    assert "A server answers at" not in texts(shown)


def test_every_control_is_named_and_large_enough(dialog: Any) -> None:
    shown = dialog(LOCAL, HOSTED)
    find(shown, "More: sampling, stop texts, time limit, embeddings", QToolButton).click()
    assert controls_are_named(shown) == []
    go_to(shown, 0)
    assert controls_are_named(shown) == []


def test_labels_never_read_markup(dialog: Any) -> None:
    shown = dialog(LOCAL.model_copy(update={"name": "<b>bold</b><img src='file:///x'>"}))
    labels = shown.findChildren(QLabel)
    assert labels
    assert all(label.textFormat() == Qt.TextFormat.PlainText for label in labels if label.text())
    assert "<b>bold</b>" in rows(shown)[1]


def test_a_new_connection_is_stored_and_used(dialog: Any, workspace: Workspace, qtbot: QtBot) -> None:
    shown = dialog()
    find(shown, "Add connection").click()
    type_in(shown, "Name", "艾莉亚 🦊")
    type_in(shown, "Server address", "localhost:11434")
    type_in(shown, "Model", "qwen3:8b")
    type_in(shown, "Context (tokens)", "16,384")
    find(shown, "More: sampling, stop texts, time limit, embeddings", QToolButton).click()
    type_in(shown, "Temperature", "0,8")
    type_in(shown, "Stop texts", "\\nUser:\n###")
    type_in(shown, "Extra fields of the request (JSON)", '{"mirostat": 2}')
    chosen = keep(shown, qtbot, "Use this connection")
    (stored,) = workspace.settings.connections
    assert workspace.profile() == stored
    assert stored.id == chosen
    assert (stored.name, stored.base_url) == ("艾莉亚 🦊", "http://localhost:11434/v1")
    assert (stored.model, stored.context_tokens) == ("qwen3:8b", 16384)
    assert (stored.temperature, stored.stop) == (0.8, ["\nUser:", "###"])
    assert stored.extra_body == {"mirostat": 2}


def test_saving_keeps_what_was_not_touched_and_the_chosen_one(
    dialog: Any, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = dialog(LOCAL, HOSTED)
    go_to(shown, 2)
    type_in(shown, "Name", "Renamed")
    assert keep(shown, qtbot) == LOCAL.id
    assert workspace.settings.connections == [LOCAL, HOSTED.model_copy(update={"name": "Renamed"})]


def test_enter_uses_the_connection_and_escape_changes_nothing(
    dialog: Any, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = dialog(LOCAL, HOSTED)
    go_to(shown, 2)
    type_in(shown, "Name", "Lost")
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert shown.isHidden()
    assert workspace.settings.connections == [LOCAL, HOSTED]
    shown = dialog(LOCAL, HOSTED)
    go_to(shown, 2)
    with qtbot.waitSignal(shown.connectionChanged, timeout=5000):
        qtbot.keyClick(find(shown, "Connections"), Qt.Key.Key_Return)
    assert workspace.profile() == HOSTED


def test_wrong_values_are_marked_and_nothing_is_stored(dialog: Any, workspace: Workspace) -> None:
    shown = dialog(LOCAL, HOSTED)
    type_in(shown, "Name", " ")
    type_in(shown, "Server address", "ftp://x")
    go_to(shown, 2)
    press(shown, "Save")
    assert find(shown, "Connections", QListWidget).currentRow() == 1
    assert find(shown, "Name").accessibleDescription() == "Give the connection a name."
    assert "must begin with http" in find(shown, "Server address").accessibleDescription()
    assert "Give the connection a name." in texts(shown)
    assert shown.isVisible()
    assert workspace.settings.connections == [LOCAL, HOSTED]
    type_in(shown, "Name", "x")
    assert find(shown, "Name").accessibleDescription() == ""


def test_an_error_under_more_opens_it(dialog: Any) -> None:
    shown = dialog(LOCAL)
    more = find(shown, "More: sampling, stop texts, time limit, embeddings", QToolButton)
    more.click()
    type_in(shown, "Top P", "7")
    more.click()
    assert "Top P" not in names(shown)
    press(shown, "Save")
    assert find(shown, "Top P").accessibleDescription() == "Must be 1 or less."


def test_delete_can_be_undone_until_it_is_saved(dialog: Any, workspace: Workspace, qtbot: QtBot) -> None:
    shown = dialog(LOCAL, HOSTED)
    find(shown, "Delete connection").click()
    assert [row.split(",")[0] for row in rows(shown)] == ["Demo voice", "Hosted 🦊"]
    press(shown, "Undo delete")
    assert [row.split(",")[0] for row in rows(shown)] == ["Demo voice", "At home", "Hosted 🦊"]
    assert "Undo delete" not in names(shown)
    find(shown, "Delete connection").click()
    assert keep(shown, qtbot) == DEMO_PROFILE.id
    assert workspace.settings.connections == [HOSTED]
    assert workspace.profile() == DEMO_PROFILE


def test_a_duplicate_is_another_connection(dialog: Any, workspace: Workspace, qtbot: QtBot) -> None:
    shown = dialog(LOCAL)
    find(shown, "Duplicate connection").click()
    find(shown, "Connections", QListWidget).setCurrentRow(1)
    find(shown, "Duplicate connection").click()
    keep(shown, qtbot)
    stored = workspace.settings.connections
    assert len({profile.id for profile in stored}) == len({profile.name for profile in stored}) == 3
    assert {profile.model for profile in stored} == {"m1"}


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("http://127.0.0.1:1/v1", "On this computer: chats do not leave it."),
        ("http://192.168.1.7:1/v1", "Chats are sent to 192.168.1.7 in your network."),
        ("https://api.example.com/v1", "Chats are sent over the internet to api.example.com."),
        ("http://api.example.com/v1", "without encryption"),
    ],
)
def test_it_says_where_chats_go(dialog: Any, address: str, words: str) -> None:
    shown = dialog(LOCAL)
    type_in(shown, "Server address", address)
    assert words in texts(shown)


# -- keys ----------------------------------------------------------------------------------------------------


def test_a_key_goes_to_the_file_with_a_warning_and_is_never_shown(
    dialog: Any, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = dialog(LOCAL)
    entry = find(shown, "API key", QLineEdit)
    assert entry.echoMode() == QLineEdit.EchoMode.Password
    qtbot.keyClicks(entry, "sk-secret")
    assert "unencrypted" in texts(shown)
    keep(shown, qtbot)
    assert workspace.keys.get(LOCAL.id) == "sk-secret"
    assert "sk-secret" not in (workspace.data_dir / "settings.toml").read_text()
    again = dialog(LOCAL)
    qtbot.waitUntil(lambda: "A key is kept." in texts(again))
    assert "API key" not in names(again)
    assert not any("sk-secret" in item.text() for item in again.findChildren(QLineEdit))
    assert keep(again, qtbot) == LOCAL.id
    assert workspace.keys.get(LOCAL.id) == "sk-secret"


def test_a_kept_key_is_replaced_removed_or_left(dialog: Any, workspace: Workspace, qtbot: QtBot) -> None:
    workspace.keys.set(LOCAL.id, "old")
    shown = dialog(LOCAL)
    qtbot.waitUntil(lambda: "Replace key" in names(shown))
    press(shown, "Remove key")
    assert "will be removed" in texts(shown)
    press(shown, "Keep the present key")
    assert "A key is kept." in texts(shown)
    press(shown, "Replace key")
    qtbot.keyClicks(find(shown, "API key", QLineEdit), "new")
    keep(shown, qtbot)
    assert workspace.keys.get(LOCAL.id) == "new"
    shown = dialog(LOCAL)
    qtbot.waitUntil(lambda: "Remove key" in names(shown))
    press(shown, "Remove key")
    keep(shown, qtbot)
    assert workspace.keys.get(LOCAL.id) is None


def test_with_a_keyring_the_key_goes_there(
    memory_keyring: MemoryKeyring, dialog: Any, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = dialog(LOCAL)
    assert "Keys are kept in the system keyring." in texts(shown)
    qtbot.keyClicks(find(shown, "API key", QLineEdit), "ring")
    keep(shown, qtbot)
    assert list(memory_keyring.secrets.values()) == ["ring"]
    assert not (workspace.data_dir / "keys.json").exists()


def test_deleting_a_connection_deletes_its_key(dialog: Any, workspace: Workspace, qtbot: QtBot) -> None:
    workspace.keys.set(LOCAL.id, "old")
    shown = dialog(LOCAL)
    find(shown, "Delete connection").click()
    assert workspace.keys.get(LOCAL.id) == "old"
    keep(shown, qtbot)
    assert workspace.keys.get(LOCAL.id) is None


def test_a_damaged_key_file_is_told_in_words(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot
) -> None:
    (workspace.data_dir / "keys.json").write_text("{broken sk-1")
    workspace.change_settings(workspace.settings.model_copy(update={"connections": [LOCAL]}))
    shown = show(ConnectionsDialog(workspace, background))
    qtbot.waitUntil(lambda: "is damaged" in texts(shown))
    assert "sk-1" not in texts(shown)


# -- models and test -----------------------------------------------------------------------------------------


def test_models_are_loaded_and_the_context_size_is_offered(
    dialog: Any, server: FakeLLM, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = dialog(server.profile(model="small"))
    press(shown, "Load models")
    box = find(shown, "Model", QComboBox)
    qtbot.waitUntil(lambda: box.count() == 2, timeout=20_000)
    assert [box.itemText(0), box.itemText(1)] == ["small", "other"]
    assert box.currentText() == "small"
    assert "The server takes 4,096 tokens with this model." in texts(shown)
    press(shown, "Use this context size")
    assert find(shown, "Context (tokens)", QLineEdit).text() == "4096"
    assert "Use this context size" not in names(shown)
    box.setCurrentIndex(1)
    assert "The server takes" not in texts(shown)
    keep(shown, qtbot)
    assert workspace.settings.connections[0].context_tokens == 4096
    assert workspace.settings.connections[0].model == "other"


def test_loading_uses_the_key_that_is_being_typed(dialog: Any, server: FakeLLM, qtbot: QtBot) -> None:
    server.api_key = "sk-right"
    shown = dialog(server.profile())
    press(shown, "Load models")
    qtbot.waitUntil(lambda: find(shown, "Model").accessibleDescription() != "", timeout=20_000)
    assert "key" in find(shown, "Model").accessibleDescription().lower()
    qtbot.keyClicks(find(shown, "API key", QLineEdit), "sk-right")
    press(shown, "Load models")
    box = find(shown, "Model", QComboBox)
    qtbot.waitUntil(lambda: box.count() == 2, timeout=20_000)
    assert box.accessibleDescription() == ""


def test_a_good_connection_passes_every_step(dialog: Any, server: FakeLLM, qtbot: QtBot) -> None:
    shown = dialog(server.profile(model="small", context_tokens=4096))
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: "A trial reply" in texts(shown), timeout=30_000)
    for step in ("Server", "Key", "Model", "Reply", "Context"):
        assert any(name.startswith(f"{step}: ") for name in names(shown)), step
    assert find(shown, "Test connection", QPushButton).isEnabled()


def test_a_context_that_is_too_large_can_be_taken_over_from_the_test(
    dialog: Any, server: FakeLLM, qtbot: QtBot
) -> None:
    shown = dialog(server.profile(model="small", context_tokens=8192))
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: "Context: smaller than set here" in texts(shown), timeout=30_000)
    press(shown, "Use this context size")
    assert find(shown, "Context (tokens)", QLineEdit).text() == "4096"


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nothing_listening_is_said_in_words(dialog: Any, qtbot: QtBot) -> None:
    shown = dialog(LOCAL.model_copy(update={"base_url": f"http://127.0.0.1:{closed_port()}/v1"}))
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: "Server: nothing listens there" in texts(shown), timeout=30_000)
    assert "Traceback" not in texts(shown)


def test_a_refused_key_is_said_in_words(dialog: Any, server: FakeLLM, qtbot: QtBot) -> None:
    server.api_key = "sk-right"
    shown = dialog(server.profile())
    qtbot.keyClicks(find(shown, "API key", QLineEdit), "sk-wrong")
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: "Key: refused" in texts(shown), timeout=30_000)
    assert "sk-wrong" not in texts(shown)


def test_a_missing_model_is_said_in_words(dialog: Any, server: FakeLLM, qtbot: QtBot) -> None:
    server.fault = Fault(
        status=404, body={"error": {"message": "model not found", "code": "model_not_found"}}
    )
    shown = dialog(server.profile(model="gone"))
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: "Model: not on this server" in texts(shown), timeout=30_000)
    assert "It has: small, other." in texts(shown)


def test_a_bad_address_is_not_even_asked(dialog: Any) -> None:
    shown = dialog(LOCAL)
    type_in(shown, "Server address", "http://exa mple")
    press(shown, "Test connection")
    press(shown, "Load models")
    assert "spaces" in find(shown, "Server address").accessibleDescription()
    assert find(shown, "Test connection", QPushButton).isEnabled()


def test_a_test_can_be_cancelled_and_closing_ends_it(dialog: Any, server: FakeLLM, qtbot: QtBot) -> None:
    server.fault = Fault(silent=True)
    shown = dialog(server.profile(timeout_seconds=300))
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: bool(server.chat_requests), timeout=30_000)
    press(shown, "Cancel test")
    assert "The test was cancelled." in texts(shown)
    assert find(shown, "Test connection", QPushButton).isEnabled()
    press(shown, "Test connection")
    qtbot.waitUntil(lambda: len(server.chat_requests) == 2, timeout=30_000)
    shown.reject()
    # The fixture's close waits for the thread: a request that went on would keep it for 300 seconds.


def test_results_of_another_connection_do_not_arrive(dialog: Any, server: FakeLLM, qtbot: QtBot) -> None:
    server.fault = Fault(first_byte_delay=0.4)
    shown = dialog(server.profile(), LOCAL)
    press(shown, "Test connection")
    go_to(shown, 2)
    qtbot.wait(900)
    assert "A trial reply" not in texts(shown)


def test_settings_that_cannot_be_written_keep_the_dialog_open(
    dialog: Any, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = dialog(LOCAL)
    path = workspace.data_dir / "settings.toml"
    path.unlink()
    (path / "in the way").mkdir(parents=True)
    type_in(shown, "Name", "New name")
    press(shown, "Save")
    qtbot.waitUntil(lambda: "settings.toml" in texts(shown))
    assert shown.isVisible()
    assert find(shown, "Save", QPushButton).isEnabled()
    assert workspace.settings.connections == [LOCAL]
