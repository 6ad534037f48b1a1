from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QFileDialog, QListWidget, QPushButton, QRadioButton

from memdesk.formats.memory_io import is_memory_file
from memdesk.ui.dialogs.memory_import import (
    MOST_ROWS,
    MemoryExportDialog,
    MemoryImportDialog,
    ask_file,
)
from memdesk.work.undo import Undo
from tests.support.workspaces import WordEmbedder, sync, talk, use_embedder
from tests.ui.dialogs.helpers import controls_are_named, find, names, texts

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from memdesk.ui.background import Background
    from memdesk.workspace import Workspace


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


@pytest.fixture
def chat(_quick: None, workspace: Workspace) -> int:
    made = talk(workspace, "The lamp went out.", "*She nods.*", "Let us repair it.", "Yes.", title="Lamp").id
    sync(workspace, made)
    return made


@pytest.fixture
def target(chat: int, workspace: Workspace) -> int:  # noqa: ARG001 - comes first
    return talk(workspace, "Hello.", "Good day.", title="Other", name="Ida").id


@pytest.fixture
def file(workspace: Workspace, chat: int, tmp_path: Path) -> Path:
    path = tmp_path / "lamp.memdesk.json"
    workspace.memory_files.export(chat, path, "memdesk")
    return path


def count(workspace: Workspace, chat: int) -> int:
    return len(workspace.chunks.page(chat, 0))


def opened(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, path: Path, chat: int
) -> MemoryImportDialog:
    dialog: MemoryImportDialog = show(MemoryImportDialog(workspace, background, path, chat))
    qtbot.waitUntil(lambda: "Reading the file…" not in texts(dialog))
    return dialog


def test_it_shows_what_would_be_added_and_adds_it_when_told(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, file: Path, target: int
) -> None:
    value = json.loads(file.read_text("utf-8"))
    value["memories"] += [{"text": " "}, value["memories"][0]]
    file.write_text(json.dumps(value), "utf-8")
    dialog = opened(workspace, background, show, qtbot, file, target)
    words = texts(dialog)
    assert "lamp.memdesk.json" in words
    assert "memdesk file with memories of “Lamp”" in words
    assert "5 memor" in words
    assert "1 will be skipped: 1 without text" in words
    assert "All bring a vector that fits" in words
    rows = find(dialog, "Memories to be added", QListWidget)
    assert rows.count() == 5
    assert "Alex: The lamp went out." in rows.item(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert controls_are_named(dialog) == []
    assert count(workspace, target) == 0
    with qtbot.waitSignal(dialog.imported, timeout=5000) as caught:
        qtbot.keyClick(dialog, Qt.Key.Key_Return)
    result, undo = caught.args
    assert (result.imported, count(workspace, target)) == (5, 5)
    assert isinstance(undo, Undo)
    undo.run()
    assert count(workspace, target) == 0


def test_nothing_to_add(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, file: Path, chat: int
) -> None:
    dialog = opened(workspace, background, show, qtbot, file, chat)
    assert "Nothing new would be added." in texts(dialog)
    assert "4 will be skipped: 4 already here" in texts(dialog)
    assert "memories of this very chat" in texts(dialog)
    assert "Import" not in names(dialog)
    qtbot.mouseClick(find(dialog, "Close", QPushButton), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_a_file_that_is_none_says_why(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, target: int, tmp_path: Path
) -> None:
    path = tmp_path / "<b>x.json"
    path.write_text('{"cats": 3}')
    dialog = opened(workspace, background, show, qtbot, path, target)
    assert "Choose a Memory Recall export file." in texts(dialog)
    assert "Nothing was imported." in texts(dialog)
    assert "<b>x.json" in texts(dialog)
    assert "Import" not in names(dialog)


def test_a_failing_import_is_told_in_the_dialog(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, file: Path, target: int
) -> None:
    dialog = opened(workspace, background, show, qtbot, file, target)
    file.unlink()
    qtbot.mouseClick(find(dialog, "Import", QPushButton), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "The file cannot be read" in texts(dialog))
    assert count(workspace, target) == 0
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_closing_it_while_memories_go_in_stops_that_first(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, file: Path, target: int
) -> None:
    dialog = opened(workspace, background, show, qtbot, file, target)
    before = workspace.chunks.keys(target)
    with workspace.database.write():
        # The worker waits for this writer.
        qtbot.mouseClick(find(dialog, "Import", QPushButton), Qt.MouseButton.LeftButton)
        assert "Importing…" in texts(dialog)
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)
        assert dialog.isVisible()
        assert "Stopping…" in texts(dialog)
    qtbot.waitUntil(lambda: "Nothing was imported." in texts(dialog))
    assert workspace.chunks.keys(target) == before
    with qtbot.waitSignal(dialog.imported, timeout=5000):
        qtbot.mouseClick(find(dialog, "Import", QPushButton), Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_many_memories_are_not_all_listed(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, target: int, tmp_path: Path
) -> None:
    items = [{"text": f"Mara: {n} " + "x" * 5_000} for n in range(MOST_ROWS + 7)]
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"type": "memdesk_memory", "version": 1, "memories": items}))
    dialog = opened(workspace, background, show, qtbot, path, target)
    assert find(dialog, "Memories to be added", QListWidget).count() == MOST_ROWS
    assert "and 7 more" in texts(dialog)
    assert "None brings a vector that fits" in texts(dialog)
    assert "memdesk file" in texts(dialog)


@pytest.mark.parametrize("marinara", [False, True])
@pytest.mark.parametrize("vectors", [False, True])
def test_an_export(
    workspace: Workspace,
    background: Background,
    show: Any,
    qtbot: QtBot,
    chat: int,
    tmp_path: Path,
    marinara: bool,
    vectors: bool,
) -> None:
    dialog: MemoryExportDialog = show(MemoryExportDialog(workspace, background, chat))
    assert controls_are_named(dialog) == []
    if marinara:
        find(dialog, "For Marinara Engine", QRadioButton).click()
    if not vectors:
        find(dialog, "With vectors", QCheckBox).click()
    qtbot.mouseClick(find(dialog, "Save as…", QPushButton), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(dialog.findChildren(QFileDialog)))
    (asked,) = dialog.findChildren(QFileDialog)
    name = "Lamp-memory-recall.marinara.json" if marinara else "Lamp-memories.memdesk.json"
    assert [Path(chosen).name for chosen in asked.selectedFiles()] == [name]
    asked.setDirectory(str(tmp_path))
    asked.selectFile(name)
    with qtbot.waitSignal(dialog.exported, timeout=5000) as caught:
        asked.accept()
    assert (caught.args[0].memories, caught.args[0].vectors) == (4, 4 if vectors else 0)
    assert is_memory_file(tmp_path / name)
    assert not dialog.isVisible()


def test_an_export_that_fails_is_told_in_the_dialog(
    workspace: Workspace, background: Background, show: Any, qtbot: QtBot, target: int, tmp_path: Path
) -> None:
    dialog: MemoryExportDialog = show(MemoryExportDialog(workspace, background, target))
    dialog.export(tmp_path / "x.json")
    qtbot.waitUntil(lambda: "This chat has no memories to export." in texts(dialog))
    assert find(dialog, "Save as…", QPushButton).isEnabled()
    assert list(tmp_path.glob("*.json")) == []


def test_a_file_is_asked_for(show: Any, tmp_path: Path) -> None:
    chosen: list[Path] = []
    parent = show(QPushButton("x"))
    dialog = ask_file(parent, chosen.append)
    assert dialog.fileMode() is QFileDialog.FileMode.ExistingFile
    path = tmp_path / "x.json"
    path.touch()
    dialog.setDirectory(str(tmp_path))
    dialog.selectFile("x.json")
    dialog.accept()
    assert chosen == [path]
