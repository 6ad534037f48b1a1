"""The word at the foot of the window: plain, readable, gone in time."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from memdesk.ui.theme import current_theme
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


def test_it_stands_over_the_page_it_is_given_and_not_over_what_is_below(ground: QWidget) -> None:
    page = QWidget(ground)
    page.setGeometry(300, 50, 400, 400)
    page.show()
    toast = Toast(ground, page)
    toast.say("word " * 40, "Undo", lambda: None)
    assert page.geometry().contains(toast.geometry())
    assert abs(toast.geometry().center().x() - page.geometry().center().x()) <= 1
    page.setGeometry(200, 50, 500, 300)
    QApplication.processEvents()
    assert page.geometry().contains(toast.geometry())


def test_an_error_looks_different(ground: QWidget) -> None:
    toast = Toast(ground)
    toast.say("Undone.")
    assert not toast._sign.isVisible()
    good = toast.grab().toImage().pixelColor(toast.width() // 2, 0)
    toast.say("The disk is full.", error=True)
    assert toast._sign.isVisible()
    assert not toast._sign.pixmap().isNull()
    bad = toast.grab().toImage().pixelColor(toast.width() // 2, 0)
    assert good == current_theme().color("line_strong")
    assert bad == current_theme().color("bad")
    toast.say("Undone.")
    assert not toast._sign.isVisible()


def test_it_does_not_take_the_keyboard_and_never_sends_it_astray(ground: QWidget, find: Any) -> None:
    field, page = QLineEdit(ground), QLineEdit(ground)
    page.move(0, 100)
    for widget in (field, page):
        widget.show()
    field.setFocus()
    toast = Toast(ground, page)
    toast.say("Gone.", "Undo", lambda: None)
    QTest.mouseClick(find(ground, QPushButton, "Undo"), Qt.MouseButton.LeftButton)
    assert field.hasFocus()
    toast.say("Gone.", "Undo", lambda: None)
    button = find(ground, QPushButton, "Undo")
    button.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert not toast.isVisible()
    assert page.hasFocus()
