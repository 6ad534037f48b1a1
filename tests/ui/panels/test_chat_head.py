"""The head of the chat: titles of every length and direction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QLabel, QWidget

from memdesk.ui.models.memories import MemoryModel
from memdesk.ui.panels.chat_head import ChatHead
from tests.ui.windows import Desk, desk_fixture

__all__ = ["desk_fixture"]


@pytest.fixture
def head(qtbot: Any) -> Iterator[ChatHead]:
    ground = QWidget()
    ground.resize(500, 52)
    qtbot.addWidget(ground)
    made = ChatHead(ground)
    made.setGeometry(0, 0, 500, 52)
    ground.show()
    yield made
    ground.close()


def ink(label: QLabel) -> tuple[int, int]:
    """Return the first and the last column of a label that something is painted in."""
    picture = QImage(label.size(), QImage.Format.Format_RGB32)
    picture.fill(QColor("white"))
    label.render(picture)
    ground = picture.pixel(picture.width() - 1, 0)
    used = [
        x
        for x in range(picture.width())
        if any(picture.pixel(x, y) != ground for y in range(picture.height()))
    ]
    return used[0], used[-1]


def test_a_long_title_ends_in_an_ellipsis_and_a_tool_tip_says_it_whole(head: ChatHead, qtbot: Any) -> None:
    title = head.findChild(QLabel, "chat-title")
    long = "A very long title " * 12
    head.show_chat("Mira", None, long, "3 messages")
    assert title.text() == title.accessibleName() == title.toolTip() == long
    assert title.shown().endswith("…")
    assert title.fontMetrics().horizontalAdvance(title.shown()) <= title.width()
    before = len(title.shown())
    head.setGeometry(0, 0, 300, 52)
    qtbot.waitUntil(lambda: len(title.shown()) < before)
    head.show_chat("Mira", None, "<b>Short</b>", "")
    assert title.shown() == "<b>Short</b>"
    assert title.toolTip() == ""
    head.show_chat("Mira", None, "<b>Long</b> " * 30, "")
    assert title.toolTip().startswith("&lt;b&gt;Long")


@pytest.mark.parametrize("words", ["Mira", "ليلى", "שלום", "ليلى " * 60])
def test_a_title_begins_beside_the_picture_in_every_script(head: ChatHead, words: str) -> None:
    head.show_chat("Mira", None, words, "")
    title = head.findChild(QLabel, "chat-title")
    first, last = ink(title)
    assert first <= 8
    if len(words) < 10:
        assert last < title.width() // 2


def test_a_memory_card_keeps_a_name_from_right_to_left_in_its_place(desk: Desk) -> None:
    desk.prepare("Where is the key?", "In your pocket.", name="ليلى")
    window = desk.open()
    window.wait(window.window.memories.cards)
    facts = MemoryModel().facts(window.window.memories.cards()[0])
    # Otherwise the size would be drawn on the wrong side of the name: numbers go along with Arabic.
    assert "\u2068ليلى\u2069 · ~" in facts
