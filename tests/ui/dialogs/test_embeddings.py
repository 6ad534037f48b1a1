"""The person sets up an embedding server, tests it, chooses it, takes it away; and looks after the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QComboBox, QLineEdit, QListWidget, QPushButton, QToolButton

from memdesk.llm.profile import ConnectionProfile
from memdesk.store.index import IndexHealth
from memdesk.ui.dialogs.connections import ConnectionsDialog
from memdesk.ui.dialogs.embeddings import EmbeddingsDialog
from tests.support.embedding import english_only, nonsense, source
from tests.support.fake_llm import FakeLLM, Fault
from tests.ui.dialogs.helpers import controls_are_named, find, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with FakeLLM(embeddings=lambda text: list(english_only(text)), models=["bge-m3", "other"]) as fake:
        yield fake


@pytest.fixture
def dialog(workspace: Workspace, background: Background, show: Any) -> Any:
    return lambda: show(EmbeddingsDialog(workspace, background))


def fill(dialog: EmbeddingsDialog, server: FakeLLM) -> None:
    find(dialog, "Add an embedding server", QToolButton).click()
    find(dialog, "Server address", QLineEdit).setText(server.root)


def test_a_server_is_tested_saved_and_chosen(
    workspace: Workspace, dialog: Any, server: FakeLLM, qtbot: QtBot
) -> None:
    server.api_key = "sk-mine"
    shown = dialog()
    fill(shown, server)
    assert controls_are_named(shown) == []
    find(shown, "Test and save", QPushButton).click()
    qtbot.waitUntil(lambda: "wants a valid API key" in texts(shown), timeout=10_000)
    assert workspace.settings.embedders == []
    find(shown, "API key", QLineEdit).textEdited.emit("sk-mine")
    find(shown, "Load models", QPushButton).click()
    box = find(shown, "Embedding model", QComboBox)
    qtbot.waitUntil(lambda: box.currentText() == "bge-m3", timeout=10_000)
    find(shown, "Test and save", QPushButton).click()
    qtbot.waitUntil(lambda: "It works and was saved." in texts(shown), timeout=30_000)
    assert "384 dimensions" in texts(shown)
    assert "English: what belongs together scores above" in texts(shown)
    assert "Chinese: this model hardly tells sentences apart" in texts(shown)
    (profile,) = workspace.settings.embedders
    assert profile.tested
    assert profile.weak == ["zh"]
    assert workspace.keys.get(profile.id) == "sk-mine"
    assert "sk-mine" not in texts(shown)
    default = find(shown, "Source where nothing else is chosen", QComboBox)
    default.setCurrentIndex(default.findData(profile.id))
    qtbot.waitUntil(lambda: workspace.settings.embedder == profile.id)
    assert "in the background" in texts(shown)
    assert workspace.embedders.chosen().space.model == "bge-m3"
    # Deleting gives the place to the bundled model, and can be taken back with all that was chosen.
    find(shown, "Embedding sources", QListWidget).setCurrentRow(1)
    find(shown, "Delete this source", QToolButton).click()
    qtbot.waitUntil(lambda: workspace.settings.embedder == "bundled")
    assert workspace.settings.embedders == []
    find(shown, "Undo delete", QPushButton).click()
    qtbot.waitUntil(lambda: workspace.settings.embedder == profile.id)
    assert workspace.settings.embedders == [profile]
    assert workspace.keys.get(profile.id) == "sk-mine"


def test_a_model_without_sense_is_not_saved(
    workspace: Workspace, dialog: Any, server: FakeLLM, qtbot: QtBot
) -> None:
    server.embeddings = lambda text: list(nonsense(text))
    shown = dialog()
    fill(shown, server)
    find(shown, "Test and save", QPushButton).click()
    qtbot.waitUntil(lambda: "It was not saved." in texts(shown), timeout=20_000)
    assert workspace.settings.embedders == []
    server.embedding_fault = Fault(silent=True)
    find(shown, "Test and save", QPushButton).click()
    find(shown, "Stop", QPushButton).click()
    assert "Nothing was saved" in texts(shown)


def test_wrong_fields_are_marked(dialog: Any, server: FakeLLM) -> None:
    shown = dialog()
    fill(shown, server)
    find(shown, "Server address", QLineEdit).setText("ftp://nowhere")
    find(shown, "Name", QLineEdit).setText("  \u202e ")
    find(shown, "More: prefixes and limits", QToolButton).click()
    find(shown, "Texts in a request", QLineEdit).setText("９９")
    find(shown, "Longest text (tokens)", QLineEdit).setText("-1")
    find(shown, "Test and save", QPushButton).click()
    assert "http" in find(shown, "Server address").accessibleDescription()
    assert "whole number" in find(shown, "Texts in a request").accessibleDescription()
    assert "whole number" in find(shown, "Longest text (tokens)").accessibleDescription()
    assert server.requests == []


def test_a_connection_names_its_source(
    workspace: Workspace, background: Background, show: Any, server: FakeLLM, qtbot: QtBot
) -> None:
    mine = source(server)
    connection = ConnectionProfile(name="Here", base_url=server.base_url)
    changes = {"connections": [connection], "connection": connection.id, "embedders": [mine]}
    workspace.change_settings(workspace.settings.model_copy(update=changes))
    shown = show(ConnectionsDialog(workspace, background))
    find(shown, "More: sampling, stop texts, time limit, embeddings", QToolButton).click()
    box = find(shown, "Embeddings", QComboBox)
    assert box.itemText(0) == "As set in the preferences"
    box.setCurrentIndex(box.findData(mine.id))
    find(shown, "Save", QPushButton).click()
    qtbot.waitUntil(lambda: workspace.profile().embedder == mine.id)
    assert workspace.embedders.chosen().space.model == "words"


def test_the_index_counts_as_the_rest_of_the_window_does(
    workspace: Workspace, dialog: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    health = IndexHealth(ok=True, code="", message="", collections=2, vectors=1673, size_bytes=9_000_000)
    monkeypatch.setattr(type(workspace.index), "health", lambda *_args: health)
    shown = dialog()
    qtbot.waitUntil(lambda: "The index works: 1,673 vector" in texts(shown), timeout=20_000)


def test_the_index_moves_to_a_server_and_says_when_it_cannot(
    workspace: Workspace, dialog: Any, qtbot: QtBot
) -> None:
    shown = dialog()
    qtbot.waitUntil(lambda: "The index works" in texts(shown), timeout=20_000)
    place = find(shown, "Place of the index", QComboBox)
    place.setCurrentIndex(place.findData("server"))
    host = find(shown, "Chroma host", QLineEdit)
    host.setText("http://127.0.0.1")
    find(shown, "Use this place", QPushButton).click()
    assert "without http://" in host.accessibleDescription()
    host.setText("127.0.0.1")
    find(shown, "Chroma port", QLineEdit).setText("9")
    find(shown, "Use this place", QPushButton).click()
    qtbot.waitUntil(lambda: "The index cannot be used now" in texts(shown), timeout=20_000)
    assert "http://127.0.0.1:9" in texts(shown)
    assert workspace.settings.index.kind == "server"
    place.setCurrentIndex(place.findData("embedded"))
    find(shown, "Use this place", QPushButton).click()
    qtbot.waitUntil(lambda: "The index works" in texts(shown), timeout=20_000)
    find(shown, "Rebuild and compact", QPushButton).click()
    qtbot.waitUntil(lambda: "The index works" in texts(shown), timeout=20_000)
