"""Cards hold anything, and only those in view are laid out."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QRectF
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QToolTip

from memdesk.ui.models.memories import Card, MemoryModel, Query, Sort, arrange, load
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.memory_card import GAP, LINES, CardPainter
from memdesk.ui.widgets.memory_list import MemoryList
from memdesk.workspace import Workspace
from tests.support.workspaces import talk
from tests.ui.panels.helpers import (
    made,
    new_chunk,
    opened,
    spoken,
    the_list,
)


@pytest.fixture
def panel(session: Session, qtbot: Any) -> MemoriesPanel:
    shown = MemoriesPanel(session)
    qtbot.addWidget(shown)
    shown.resize(392, 640)
    shown.show()
    return shown


# ── bad input, and the painting of all of it ─────────────────────────────────────────────────────────

HOSTILE = [
    "x" * 1_000_000,
    "\n" * 5_000,
    "",
    "<b>bold</b><img src='file:///etc/passwd'>",
    "👩‍👩‍👧‍👦 *family* " * 60,
    "他说：“你好”，" * 200,
    "مرحبا *بالعالم* " * 40,
    "\ud800 lone \x00 control \ufdd0",
]


def test_hostile_texts_and_names_are_painted_as_they_are(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any
) -> None:
    chat = talk(workspace, "Hello")
    names = ("Ann\n<b>\"'👻",)
    workspace.chunks.replace(
        chat.id, [], [new_chunk(text, minute=at, speakers=names) for at, text in enumerate(HOSTILE[:-1])]
    )
    opened(panel, qtbot, chat.id, len(HOSTILE) - 1)
    assert "Ann <b>\"'👻" in spoken(panel, 0)
    assert all(len(spoken(panel, row)) < 600 for row in range(len(HOSTILE) - 1))
    view = the_list(panel)
    for mode in ("dark", "light"):
        current_theme().setMode(mode)  # type: ignore[arg-type]
        for row in range(len(HOSTILE) - 1):
            view.scrollTo(view.model().index(row, 0))
            assert not panel.grab().isNull()


@pytest.mark.parametrize("text", HOSTILE)
def test_a_card_is_six_lines_at_most_and_painted_inside(text: str, workspace: Workspace) -> None:
    chat = talk(workspace, "Hello")
    stored = text.encode("utf-8", "replace").decode()
    workspace.chunks.replace(chat.id, [], [new_chunk(stored)])
    card = load(workspace, chat.id).cards[0]
    painter = CardPainter(MemoryModel())
    height = painter.height(card, 366)
    short = painter.height(Card(card.chunk, card.status, 0, 0, None, 1, 0), 366)
    assert height == short
    assert height <= painter._frame() + LINES * painter._body_line
    image = QImage(366, height + 40, QImage.Format.Format_ARGB32)
    image.fill(0)
    canvas = QPainter(image)
    painter.paint(canvas, QRectF(0, 0, 366, height - GAP), card, selected=True, hovered=False, focused=True)
    canvas.end()
    below = [image.pixel(x, y) for y in range(height + 8, height + 40, 4) for x in range(0, 366, 3)]
    assert not any(below)


def test_a_cut_text_ends_with_an_ellipsis_and_a_whole_one_does_not(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello")
    texts_in = ["“short” *one*", "word " * 300, "👻" * 300]
    workspace.chunks.replace(chat.id, [], [new_chunk(text, minute=at) for at, text in enumerate(texts_in)])
    painter = CardPainter(MemoryModel())
    shown = {
        card.chunk.text[:4]: painter._text(card, 300).layout.text() for card in load(workspace, chat.id).cards
    }
    assert shown["“sho"] == "“short” one"
    assert shown["word"].endswith("word…")
    assert shown["👻👻👻👻"].endswith("👻…")


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_tool_tip_never_takes_an_error_for_markup(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any
) -> None:
    chat = talk(workspace, "Hello")
    (chunk_id,) = workspace.chunks.replace(chat.id, [], [new_chunk("one")])
    workspace.chunks.set_error([chunk_id], "<img src='file:///etc/passwd'>")
    opened(panel, qtbot, chat.id, 1)
    view = the_list(panel)
    point = view.visualRect(view.model().index(0, 0)).center()
    view.viewportEvent(QHelpEvent(QEvent.Type.ToolTip, point, view.mapToGlobal(point)))
    assert "&lt;img" in QToolTip.text()
    QToolTip.hideText()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lengths=st.lists(st.integers(0, 900), min_size=1, max_size=60),
    width=st.integers(200, 700),
    steps=st.lists(st.floats(0, 1), max_size=6),
)
def test_rows_never_overlap_and_each_can_be_reached(
    template: Card,
    lengths: list[int],
    width: int,
    steps: list[float],
) -> None:
    cards = [
        replace(
            template,
            chunk=replace(template.chunk, id=at, text="ab c" * (size // 4), text_hash=size.to_bytes(4)),
            units=size,
        )
        for at, size in enumerate(lengths)
    ]
    model = MemoryModel()
    view = MemoryList(model)
    view.resize(width, 300)
    model.setCards(cards)
    view.show()
    bar = view.verticalScrollBar()
    for step in steps:
        bar.setValue(round(step * bar.maximum()))
        rects = [view.visualRect(model.index(row)) for row in range(len(cards))]
        assert all(after.top() == before.bottom() + 1 + GAP for before, after in itertools.pairwise(rects))
        for row in view._seen():
            assert rects[row].height() + GAP == view._painter.height(cards[row], view._card_width())
    for row in range(len(cards)):
        view.scrollTo(model.index(row))
        rect = view.visualRect(model.index(row))
        assert rect.intersects(view.viewport().rect())
        assert view.indexAt(rect.center()).row() == row or rect.center().y() > 300
    view.close()
    view.deleteLater()
    model.deleteLater()


@pytest.fixture
def template(workspace: Workspace) -> Card:
    chat = talk(workspace, "Hello")
    workspace.chunks.replace(chat.id, [], [new_chunk("one")])
    return load(workspace, chat.id).cards[0]


def test_arranging_leaves_the_snapshot_alone(workspace: Workspace) -> None:
    chat_id = made(workspace)
    snapshot = load(workspace, chat_id)
    before = snapshot.cards
    assert arrange(snapshot, Query(sort=Sort.OLDEST)) == list(before[::-1])
    assert arrange(snapshot, Query(only=frozenset())) == []
    assert snapshot.cards == before
    first = load(workspace, chat_id, 2)
    assert (len(first.cards), first.total, first.tokens) == (2, 4, snapshot.tokens)
    assert first.counts[first.cards[0].status] == 4
    assert not first.complete
