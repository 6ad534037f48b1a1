"""The word at the foot of the window: plain, readable, gone in time."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QToolButton, QWidget

from memdesk.ui.widgets.toast import ERROR_MS, SHOWN_MS, Toast


@pytest.fixture
def ground(qtbot: Any) -> QWidget:
    widget = QWidget()
    widget.resize(800, 600)
    qtbot.addWidget(widget)
    widget.show()
    return widget


def test_it_says_plain_words_to_eyes_and_ears(ground: QWidget, find: Any) -> None:
    toast = Toast(ground)
    assert not toast.isVisible()
    words = "<b>Bold</b> & <img src='file:///etc/passwd'>\nsecond line"
    toast.say(words, error=True)
    label = find(ground, QLabel, words)
    assert label.text() == words
    assert label.textFormat() == Qt.TextFormat.PlainText
    assert toast._timer.interval() == ERROR_MS
    find(ground, QToolButton, "Dismiss").click()
    assert not toast.isVisible()


def test_what_is_offered_is_done_once(ground: QWidget, find: Any) -> None:
    done: list[str] = []
    toast = Toast(ground)
    toast.say("Gone.", "Undo", lambda: done.append("undo"))
    assert toast._timer.interval() == SHOWN_MS
    QTest.mouseClick(find(ground, QPushButton, "Undo"), Qt.MouseButton.LeftButton)
    assert done == ["undo"]
    assert not toast.isVisible()
    toast.say("Another word.")
    assert not [b for b in ground.findChildren(QPushButton) if b.isVisible()]


@pytest.mark.parametrize("width", [720, 1400])
@pytest.mark.parametrize("words", ["Short.", "word " * 120, "字" * 300, "\n".join(["line"] * 6)])
def test_it_stays_inside_its_window_and_shows_every_line(ground: QWidget, width: int, words: str) -> None:
    ground.resize(width, 600)
    toast = Toast(ground)
    toast.say(words, "Undo", lambda: None)
    assert ground.rect().contains(toast.geometry())
    label = toast._label
    assert label.height() >= label.heightForWidth(label.width())
    ground.resize(width, 500)
    assert ground.rect().contains(toast.geometry())
