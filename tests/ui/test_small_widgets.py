"""Pills, the context bar, the memory strip, avatars."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.avatar import Avatar
from memdesk.ui.widgets.context_bar import ContextBar
from memdesk.ui.widgets.memory_strip import MemoryStrip, State
from memdesk.ui.widgets.pills import Badge, InfoPill, SourcePill, StatusPill, source_words


@pytest.mark.parametrize("status", ["Vectorized", "Waiting for vector", "Embedding unavailable"])
def test_a_status_is_words_and_a_reason(qtbot: QtBot, status: Any) -> None:
    pill = StatusPill(status)
    qtbot.addWidget(pill)
    assert pill.text() == pill.accessibleName() == status
    assert pill.toolTip()
    pill.setStatus(status, 1234)
    assert pill.text() == f"1,234 {status}"


def test_unknown_statuses_are_an_error(qtbot: QtBot) -> None:
    pill = StatusPill("Vectorized")
    qtbot.addWidget(pill)
    with pytest.raises(KeyError):
        pill.setStatus("fine")  # type: ignore[arg-type]


def test_badges_and_facts_paint_in_both_modes(qtbot: QtBot) -> None:
    for pill in (Badge("Frozen", "snow"), InfoPill("would recall 3", "memory"), SourcePill("lore", "2 lore")):
        qtbot.addWidget(pill)
        pill.resize(pill.sizeHint())
        light = pill.grab().toImage()
        current_theme().setMode("dark")
        assert pill.grab().toImage() != light
        current_theme().setMode("light")


@pytest.mark.parametrize(
    ("source", "count", "words"),
    [
        ("memory", 1, "1 memory"),
        ("memory", 3, "3 memories"),
        ("summary", 1, "1 summary"),
        ("databank", 2, "2 files"),
    ],
)
def test_source_words(source: str, count: int, words: str) -> None:
    assert source_words(source, count) == words


def test_the_context_bar_in_words_and_colours(qtbot: QtBot) -> None:
    bar = ContextBar()
    qtbot.addWidget(bar)
    bar.setParts({"history": 4096, "memory": 1024, "lore": 0}, 8192)
    assert bar.used == 5120
    assert bar.accessibleDescription().splitlines() == [
        "The next prompt takes about 5,120 of 8,192 tokens (estimated).",
        "Memories: ~1,024",
        "Messages: ~4,096",
    ]
    bar.resize(bar.sizeHint())
    image = bar.grab().toImage()
    colors = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
    theme = current_theme()
    assert {theme.context_color("memory").name(), theme.context_color("history").name()} <= colors
    assert theme.context_color("lore").name() not in colors


def test_a_context_of_unknown_size(qtbot: QtBot) -> None:
    bar = ContextBar()
    qtbot.addWidget(bar)
    bar.setParts({"memory": 10}, 0)
    assert not bar.grab().isNull()
    assert bar.accessibleDescription() == "Memories: ~10"


@pytest.fixture
def strip(qtbot: QtBot) -> MemoryStrip:
    widget = MemoryStrip()
    qtbot.addWidget(widget)
    widget.resize(18, 400)
    widget.show()
    return widget


def _colors(strip: MemoryStrip) -> list[str]:
    image = strip.grab().toImage()
    return [QColor(image.pixel(9, y)).name() for y in range(8, 392)]


def test_the_strip_shows_states(strip: MemoryStrip) -> None:
    theme = current_theme()
    strip.setStates(bytes([State.SUMMARIZED] * 50 + [State.IN_CONTEXT] * 50))
    colors = _colors(strip)
    assert colors[10] == theme.context_color("summary").name()
    softened = QColor(colors[-10])
    assert softened.name() not in {theme.color("accent").name(), theme.context_color("memory").name()}
    assert softened.blue() > softened.green()
    assert strip.accessibleDescription() == "summarised: 50, in the context, sent as it is: 50"


def test_a_single_recalled_message_is_seen_among_a_hundred_thousand(strip: MemoryStrip) -> None:
    states = bytearray([State.VECTORIZED] * 100_000)
    states[60_000] = State.SUMMARIZED
    strip.setStates(states)
    assert current_theme().context_color("summary").name() in _colors(strip)


@pytest.mark.parametrize("states", [b"", b"\x00", bytes([255, 9, 4]), [0, 1, 2, 3, 4]])
def test_the_strip_takes_any_states(strip: MemoryStrip, states: Any) -> None:
    strip.setStates(states)
    strip.setVisibleRange(1, len(states))
    assert not strip.grab().isNull()


def test_the_strip_frames_only_a_part(strip: MemoryStrip) -> None:
    strip.setStates(bytes([State.IN_CONTEXT] * 40))
    bare = strip.grab().toImage()
    strip.setVisibleRange(1, 40)
    assert strip.grab().toImage() == bare
    strip.setVisibleRange(1, 20)
    framed = strip.grab().toImage()
    assert framed != bare
    found = {framed.pixelColor(x, y).name() for x in range(framed.width()) for y in range(framed.height())}
    assert current_theme().color("text").name() not in found


def test_the_strip_says_what_its_colours_mean(strip: MemoryStrip) -> None:
    strip.setStates(bytes([State.VECTORIZED] * 1200 + [State.RECALLED]))
    words = strip._words(1200)
    assert words.startswith("Message #1,200: in the memory, can be recalled\n")
    assert "\nlight violet: in the context, sent as it is" in words
    assert "\nviolet: recalled for this reply" in words
    assert "summarised" not in words
    assert strip._words(0) == ""


def test_a_click_on_the_strip_jumps(strip: MemoryStrip, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(strip.jumpRequested):
        qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(9, 100))
    strip.setStates(bytes(1000))
    for y, number in ((0, 1), (100, 251), (399, 998)):
        with qtbot.waitSignal(strip.jumpRequested) as heard:
            qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(9, y))
        assert heard.args == [number]


def test_keys_on_the_strip(strip: MemoryStrip, qtbot: QtBot) -> None:
    strip.setStates(bytes(100))
    strip.setVisibleRange(50, 55)
    for key, number in (
        (Qt.Key.Key_Up, 49),
        (Qt.Key.Key_PageDown, 70),
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_End, 100),
    ):
        with qtbot.waitSignal(strip.jumpRequested) as heard:
            qtbot.keyClick(strip, key)
        assert heard.args == [number]


def test_avatars_show_a_picture_or_an_initial(qtbot: QtBot) -> None:
    avatar = Avatar("Mira")
    qtbot.addWidget(avatar)
    first = avatar.grab().toImage()
    picture = QImage(20, 40, QImage.Format.Format_RGB32)
    picture.fill(QColor("#ff0000"))
    avatar.setPerson("Mira", picture)
    assert avatar.grab().toImage() != first
    assert avatar.grab().toImage().pixelColor(18, 18).red() > 250
    avatar.setPerson("Kaito", QImage())
    assert avatar.accessibleName() == "Kaito"
