"""What the tests of the dialogs share: an open data folder, a bridge to the workers, a keyring in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import keyring
import keyring.backend
import keyring.backends.fail
import pytest
from PySide6.QtWidgets import QWidget

from memdesk.ui.background import Background
from memdesk.ui.theme import current_theme
from memdesk.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

W = TypeVar("W", bound=QWidget)


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring that works, for tests that need one."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.secrets: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.secrets[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self.secrets.pop((service, username), None)


@pytest.fixture(autouse=True)
def no_keyring() -> Iterator[None]:
    """No system keyring, unless a test asks for one."""
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())
    yield
    keyring.set_keyring(before)


@pytest.fixture
def memory_keyring(no_keyring: None) -> MemoryKeyring:  # noqa: ARG001 - puts the real one back
    ring = MemoryKeyring()
    keyring.set_keyring(ring)
    return ring


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


@pytest.fixture
def background(qtbot: QtBot) -> Iterator[Background]:  # noqa: ARG001 - makes the application
    """The bridge to the workers; a failure that no dialog deals with fails the test."""
    theme = current_theme()
    theme.setMode("light")
    bridge = Background()
    failures: list[Exception] = []
    bridge.failure.connect(failures.append)
    yield bridge
    bridge.close()
    theme.setMode("system")
    assert failures == []


@pytest.fixture
def show(qtbot: QtBot) -> Any:
    """Show a dialog, and close it at the end."""

    def shown(dialog: W) -> W:
        qtbot.addWidget(dialog)
        dialog.show()
        return dialog

    return shown
