"""Data folders of the size that the limits speak of, made once, and a window on a copy of one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtWidgets import QApplication

from memdesk.ui.app import Running
from memdesk.workspace import Workspace
from tests.benchmarks import measuring
from tests.support.workspaces import wait_until


@pytest.fixture(scope="session")
def hundred_chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hundred")
    measuring.make_hundred_chats(folder)
    return folder


@pytest.fixture(scope="session")
def remembered_chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a long chat (1) that is remembered as a whole, and a short one (2)."""
    folder = tmp_path_factory.mktemp("remembered")
    measuring.make_long_chat(folder, remembered=True)
    return folder


@pytest.fixture(scope="session")
def new_chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a long chat (1) and a short one (2) of which nothing is remembered yet."""
    folder = tmp_path_factory.mktemp("new")
    measuring.make_long_chat(folder, remembered=False)
    return folder


@pytest.fixture
def copied(tmp_path: Path) -> Callable[[Path], Path]:
    """Copies a folder, so that the next test finds it as it was."""

    def copy(folder: Path) -> Path:
        return Path(shutil.copytree(folder, tmp_path / folder.name))

    return copy


@pytest.fixture
def open_window(qapp: QApplication) -> Iterator[Callable[[Path], Running]]:
    """Opens the whole window on a data folder, as the app does, with the Memories tab in front."""
    opened: list[Running] = []

    def open_on(folder: Path) -> Running:
        running = Running(Workspace(folder, samples=False), f"memdesk-benchmark-{os.getpid()}")
        opened.append(running)
        running.window.show()
        running.window.side.show_panel("memories")
        qapp.processEvents()
        return running

    yield open_on
    for running in opened:
        running.window.close()
        running.close()


@pytest.fixture
def until(qapp: QApplication) -> Callable[..., None]:
    """Waits in the window's thread, with its events running."""

    def wait(condition: Callable[[], Any], seconds: float = 60.0) -> None:
        def look() -> Any:
            qapp.processEvents()
            return condition()

        wait_until(look, seconds)

    return wait
