"""Memories as files in the real window: from the buttons of the tab to the toast, and back by its Undo."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QDialog, QFileDialog, QLabel, QMenu, QToolButton

from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]


def memory_file(path: Path) -> Path:
    chunk = {"content": "Mara: The harbour sings.", "firstMessageAt": "2026-03-12T12:00:00Z"}
    data = {"sourceChat": {"id": "abc", "name": "Harbour"}, "chunks": [chunk]}
    path.write_text(json.dumps({"type": "marinara_memory_recall", "version": 1, "data": data}))
    return path


def opened(desk: Desk) -> OpenDesk:
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    window.wait(lambda: len(window.window.memories.cards()) == 2)
    return window


def dialog(window: OpenDesk, title: str) -> QDialog:
    window.wait(lambda: any(item.windowTitle() == title for item in window.all(QDialog)))
    return next(item for item in window.all(QDialog) if item.windowTitle() == title)


def texts(window: OpenDesk) -> list[str]:
    return [card.chunk.text for card in window.window.memories.cards()]


def test_an_import_and_its_undo(desk: Desk, tmp_path: Path) -> None:
    window = opened(desk)
    window.press("Import memories")
    asked = dialog(window, "Import memories")
    assert isinstance(asked, QFileDialog)
    asked.setDirectory(str(tmp_path))
    asked.selectFile(memory_file(tmp_path / "x.json").name)
    asked.accept()
    window.wait(lambda: window.has(QToolButton, "Import memories"))
    window.wait(lambda: any("Harbour" in label.text() for label in window.all(QLabel)))
    window.press("Import", dialog(window, "Import memories"))
    window.wait(lambda: "Mara: The harbour sings." in texts(window))
    window.wait(window.window.toast.isVisible)
    assert window.window.toast.text().startswith("Imported 1 memory")
    window.press("Undo", window.window.toast)
    window.wait(lambda: "Mara: The harbour sings." not in texts(window))
    assert len(texts(window)) == 2


def test_a_dropped_file_of_memories_is_looked_at_and_ctrl_z_takes_it_back(desk: Desk, tmp_path: Path) -> None:
    window = opened(desk)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(memory_file(tmp_path / "x.marinara.json")))])
    drop = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.window.dropEvent(drop)
    shown = dialog(window, "Import memories")
    window.wait(lambda: any("Harbour" in label.text() for label in window.all(QLabel)))
    window.press("Import", shown)
    window.wait(lambda: "Mara: The harbour sings." in texts(window))
    window.wait(window.window._undo_action.isEnabled)
    window.window._undo_action.trigger()
    window.wait(lambda: "Mara: The harbour sings." not in texts(window))


def test_an_export_says_where_it_went(desk: Desk, tmp_path: Path) -> None:
    window = opened(desk)
    window.press("Export memories")
    shown = dialog(window, "Export memories")
    shown.export(tmp_path / "out.memdesk.json")  # type: ignore[attr-defined]
    window.wait(window.window.toast.isVisible)
    assert window.window.toast.text().endswith("out.memdesk.json")
    assert len(json.loads((tmp_path / "out.memdesk.json").read_text("utf-8"))["memories"]) == 2


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_chat_without_memories_can_be_imported_into_from_its_menu(desk: Desk) -> None:
    desk.prepare()
    window = desk.open()
    assert not window.has(QToolButton, "Export memories")
    window.press("Chat menu")
    menu = next(menu for menu in window.all(QMenu) if menu.isVisible())
    acts = {action.text(): action for action in menu.actions()}
    assert "Export memories…" in acts
    menu.close()
    acts["Import memories…"].trigger()
    dialog(window, "Import memories").reject()
