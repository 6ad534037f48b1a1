from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListWidget, QPushButton

from memdesk.llm.profile import DEMO_PROFILE
from memdesk.ui.dialogs.connections import ConnectionsDialog
from memdesk.ui.dialogs.wizard import FindModelDialog
from tests.support.fake_llm import FakeLLM, Fault
from tests.ui.dialogs.helpers import controls_are_named, find, names, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace

PATIENT = 30_000


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with FakeLLM(models=[{"id": "small 🦊", "max_model_len": 4096}, "other"]) as fake:
        yield fake


@pytest.fixture
def free_port() -> int:
    """A port at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def wizard(workspace: Workspace, background: Background, show: Any) -> Callable[..., FindModelDialog]:
    return lambda *ports: show(FindModelDialog(workspace, background, ports=ports))


def rows(wizard: FindModelDialog) -> list[str]:
    items = find(wizard, "Found models", QListWidget)
    return [items.item(n).text() for n in range(items.count())]


def wait_for_models(wizard: FindModelDialog, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: "Found models" in names(wizard), timeout=PATIENT)


def test_it_says_that_it_only_looks_here_and_can_be_cancelled(
    wizard: Callable[..., FindModelDialog], server: FakeLLM
) -> None:
    server.fault = Fault(silent=True, everywhere=True)
    shown = wizard(server.port)
    assert "only looks at this computer" in texts(shown)
    assert "Looking for servers" in names(shown)
    find(shown, "Cancel", QPushButton).click()
    assert shown.isHidden()


def test_a_found_model_is_tested_and_used(
    wizard: Callable[..., FindModelDialog], server: FakeLLM, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = wizard(server.port)
    wait_for_models(shown, qtbot)
    assert rows(shown) == ["small 🦊", "other"]
    assert controls_are_named(shown) == []
    qtbot.keyClick(find(shown, "Found models"), Qt.Key.Key_Return)
    assert not find(shown, "Use this model", QPushButton).isEnabled()
    assert "chats do not leave it" in texts(shown)
    qtbot.waitUntil(lambda: "A trial reply" in texts(shown), timeout=PATIENT)
    assert workspace.settings.connections == []
    with qtbot.waitSignal(shown.profileCreated, timeout=5000) as caught:
        find(shown, "Use this model", QPushButton).click()
    (stored,) = workspace.settings.connections
    assert caught.args == [stored]
    assert workspace.profile() == stored
    assert (stored.model, stored.base_url, stored.context_tokens) == ("small 🦊", server.base_url, 4096)
    assert stored.reply_tokens < stored.context_tokens
    assert shown.isHidden()


def test_a_model_that_fails_says_why_and_may_be_used_all_the_same(
    wizard: Callable[..., FindModelDialog], server: FakeLLM, workspace: Workspace, qtbot: QtBot
) -> None:
    server.fault = Fault(status=500)
    shown = wizard(server.port)
    wait_for_models(shown, qtbot)
    find(shown, "Test this model", QPushButton).click()
    qtbot.waitUntil(lambda: "Reply: the server failed" in texts(shown), timeout=PATIENT)
    find(shown, "Back", QPushButton).click()
    assert rows(shown) == ["small 🦊", "other"]
    find(shown, "Found models", QListWidget).setCurrentRow(1)
    server.fault = None
    find(shown, "Test this model", QPushButton).click()
    qtbot.waitUntil(lambda: "A trial reply" in texts(shown), timeout=PATIENT)
    assert workspace.settings.connections == []


def test_a_silent_model_can_be_cancelled(
    wizard: Callable[..., FindModelDialog], server: FakeLLM, qtbot: QtBot
) -> None:
    server.fault = Fault(silent=True)
    shown = wizard(server.port)
    wait_for_models(shown, qtbot)
    find(shown, "Test this model", QPushButton).click()
    qtbot.waitUntil(lambda: bool(server.chat_requests), timeout=PATIENT)
    find(shown, "Cancel test", QPushButton).click()
    assert find(shown, "Use it all the same", QPushButton).isEnabled()


def test_a_server_with_a_key_asks_for_it(
    wizard: Callable[..., FindModelDialog], server: FakeLLM, workspace: Workspace, qtbot: QtBot
) -> None:
    server.api_key = "sk-right"
    shown = wizard(server.port)
    wait_for_models(shown, qtbot)
    assert "asks for an API key" in find(shown, "Found models", QListWidget).item(0).data(
        Qt.ItemDataRole.AccessibleTextRole
    )
    assert not find(shown, "Test this model", QPushButton).isEnabled()
    entry = find(shown, "API key for this server", QLineEdit)
    entry.setText("sk-wrong")
    find(shown, "Show its models", QPushButton).click()
    qtbot.waitUntil(lambda: "key" in entry.accessibleDescription(), timeout=PATIENT)
    entry.setText("sk-right")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: rows(shown) == ["small 🦊", "other"], timeout=PATIENT)
    find(shown, "Test this model", QPushButton).click()
    qtbot.waitUntil(lambda: "A trial reply" in texts(shown), timeout=PATIENT)
    with qtbot.waitSignal(shown.profileCreated, timeout=5000):
        find(shown, "Use this model", QPushButton).click()
    assert workspace.keys.get(workspace.profile().id) == "sk-right"


def test_a_key_for_one_server_keeps_the_others(
    wizard: Callable[..., FindModelDialog], server: FakeLLM, qtbot: QtBot
) -> None:
    with FakeLLM(models=["locked"], api_key="sk-right") as second:
        shown = wizard(server.port, second.port)
        wait_for_models(shown, qtbot)
        assert rows(shown)[:2] == ["small 🦊", "other"]
        find(shown, "Found models", QListWidget).setCurrentRow(2)
        find(shown, "API key for this server", QLineEdit).setText("sk-right")
        find(shown, "Show its models", QPushButton).click()
        qtbot.waitUntil(lambda: rows(shown) == ["locked", "small 🦊", "other"], timeout=PATIENT)
        second.models = []
        find(shown, "Show its models", QPushButton).click()
        entry = find(shown, "API key for this server", QLineEdit)
        qtbot.waitUntil(lambda: "lists no models" in entry.accessibleDescription(), timeout=PATIENT)


def test_nothing_found_teaches_what_to_do(
    wizard: Callable[..., FindModelDialog], free_port: int, workspace: Workspace, qtbot: QtBot
) -> None:
    shown = wizard(free_port)
    qtbot.waitUntil(lambda: "No language model is running here" in texts(shown), timeout=PATIENT)
    for program in ("Ollama", "LM Studio", "KoboldCpp", "llama.cpp", "text-generation-webui", "Jan", "vLLM"):
        assert program in texts(shown)
    assert "demo voice stays available" in texts(shown)
    assert controls_are_named(shown) == []
    assert workspace.profile() == DEMO_PROFILE


def test_an_address_by_hand_leads_to_its_models(
    wizard: Callable[..., FindModelDialog], server: FakeLLM, free_port: int, qtbot: QtBot
) -> None:
    shown = wizard(free_port)
    qtbot.waitUntil(lambda: "Server address" in names(shown), timeout=PATIENT)
    entry = find(shown, "Server address", QLineEdit)
    entry.setText("gopher://x")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    assert "must begin with http" in entry.accessibleDescription()
    entry.setText(f"127.0.0.1:{free_port}")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Nothing listens" in entry.accessibleDescription(), timeout=PATIENT)
    entry.setText(f"127.0.0.1:{server.port}")
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    wait_for_models(shown, qtbot)
    assert rows(shown) == ["small 🦊", "other"]


def test_looking_again_finds_what_was_started_meanwhile(
    wizard: Callable[..., FindModelDialog], free_port: int, qtbot: QtBot
) -> None:
    shown = wizard(free_port)
    qtbot.waitUntil(lambda: "Look again" in names(shown), timeout=PATIENT)
    with FakeLLM(port=free_port):
        find(shown, "Look again", QPushButton).click()
        wait_for_models(shown, qtbot)
    assert rows(shown) == ["fake-model"]


def test_the_list_of_connections_takes_over_what_was_found(
    workspace: Workspace, background: Background, show: Any, server: FakeLLM
) -> None:
    shown = show(ConnectionsDialog(workspace, background))
    find(shown, "Find a model on this computer…", QPushButton).click()
    (wizard,) = shown.findChildren(FindModelDialog)
    profile = server.profile(name="Found", model="m")
    changed: list[str] = []
    shown.connectionChanged.connect(changed.append)
    wizard.profileCreated.emit(profile)
    wizard.reject()
    assert changed == [profile.id]
    accessible = Qt.ItemDataRole.AccessibleTextRole
    items = find(shown, "Connections", QListWidget)
    assert items.item(1).data(accessible) == "Found, 127.0.0.1 · m, in use"
