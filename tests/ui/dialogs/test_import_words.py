"""What an import says is never cut off without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from memdesk.ui.dialogs.import_words import MOST_LINES, ImportWords, tell
from memdesk.ui.widgets.toast import Toast
from tests.ui.dialogs.helpers import controls_are_named, find

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LINES = [f"card <b>{number}</b>.png: The file is empty." for number in range(MOST_LINES + 2)]


@pytest.fixture
def toast(show: Any) -> Toast:
    window = show(QWidget())
    window.resize(900, 700)
    return Toast(window)


def test_a_few_lines_are_all_said(toast: Toast) -> None:
    tell(toast, [])
    assert not toast.isVisible()
    tell(toast, LINES[:MOST_LINES])
    assert toast.text() == "\n".join(LINES[:MOST_LINES])
    assert not find(toast, "Dismiss").isHidden()


@pytest.mark.parametrize("more", [1, 2])
def test_what_is_left_out_is_counted_and_can_be_read_and_copied(
    toast: Toast, qtbot: QtBot, more: int
) -> None:
    lines = LINES[: MOST_LINES + more]
    tell(toast, lines)
    assert toast.text().splitlines() == [*LINES[:MOST_LINES], f"and {more} more"]
    find(toast, "Show all", QPushButton).click()
    (dialog,) = toast.window().findChildren(ImportWords)
    qtbot.waitUntil(dialog.isVisible)
    assert find(dialog, "What the import says", QPlainTextEdit).toPlainText() == "\n".join(lines)
    assert controls_are_named(dialog) == []
    find(dialog, "Copy all", QPushButton).click()
    assert QGuiApplication.clipboard().text() == "\n".join(lines)
    find(dialog, "Close", QPushButton).click()
