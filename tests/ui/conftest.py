"""Windows without a screen, and a watch over what a test leaves running."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QLocale, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from memdesk.chats.model import Message, Swipe, SwipeState
from memdesk.ui.theme import current_theme

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let the offscreen platform say what it cannot do; every other warning of Qt fails a test."""
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"))


BEGINNING = datetime(2026, 3, 12, 20, 0, tzinfo=UTC)


def _running_timers() -> list[QTimer]:
    app = QApplication.instance()
    roots: list[Any] = [app, *QApplication.topLevelWidgets()] if app else []
    return [timer for root in roots for timer in root.findChildren(QTimer) if timer.isActive()]


@pytest.fixture(autouse=True)
def _nothing_left_running(qapp: QApplication) -> Iterator[None]:
    """Fail a test that leaves a repeating timer or a visible window behind."""
    QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom))
    current_theme().setMode("light")
    if not qapp.styleSheet():
        current_theme().apply()
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    qapp.processEvents()
    timers = [timer for timer in _running_timers() if not timer.isSingleShot()]
    windows = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible()]
    for widget in windows:
        widget.close()
    assert not timers, f"timers left running: {timers}"
    assert not windows, f"windows left open: {windows}"


def make_message(number: int, text: str = "", **more: Any) -> Message:
    """Return a message; odd numbers are the person's. `swipe_fields` goes to its swipe."""
    swipe_fields = more.pop("swipe_fields", {})
    at = BEGINNING + timedelta(minutes=number)
    swipe = Swipe(
        number * 10, number, text or f"Message *number* {number}.", SwipeState.DONE, at, tokens=number % 97
    )
    user = number % 2 == 1
    message = Message(
        id=number,
        chat_id=1,
        number=number,
        role="user" if user else "assistant",
        name="Jonas" if user else "Mira",
        character_id=None if user else 1,
        created_at=at,
        hidden=False,
        swipe=replace(swipe, **swipe_fields),
        swipe_number=1,
        swipe_count=1,
    )
    return replace(message, **more)


@pytest.fixture(name="make_message")
def _make_message() -> Any:
    return make_message


class Shelf:
    """A chat's messages as the store would give them out, page by page."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = list(messages)
        self.asked: list[tuple[int, int]] = []

    def page(self, first: int, limit: int) -> list[Message]:
        self.asked.append((first, limit))
        return self.messages[first - 1 : first - 1 + limit]


@pytest.fixture
def shelf() -> Any:
    return Shelf


def find(root: QWidget, kind: type, name: str) -> Any:
    """Return the one visible widget of a kind with this accessible name."""
    found = [
        widget for widget in root.findChildren(kind) if widget.accessibleName() == name and widget.isVisible()
    ]
    assert len(found) == 1, f"{len(found)} × {name!r}"
    return found[0]


@pytest.fixture(name="find")
def _find() -> Any:
    return find
