"""The Memories tab tells the truth about what is remembered, at any size and in every state."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QHelpEvent, QImage, QPainter
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QProgressBar, QPushButton, QToolTip

from memdesk.chats.changes import Change, ChangeKind
from memdesk.prompt.parts import Part, Reason
from memdesk.prompt.receipt import Receipt
from memdesk.store.chunks import NewChunk, Source
from memdesk.ui.background import Background
from memdesk.ui.models.memories import Card, MemoryModel, Query, Sort, arrange, load
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.filter_pill import FilterPill
from memdesk.ui.widgets.memory_card import GAP, LINES, CardPainter, score_shares
from memdesk.ui.widgets.memory_list import MemoryList
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import say, sync, talk

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
LINES_OF_TALK = (
    "My birthday is the fifteenth of March, you know.",
    '*She looks at the dead lamp.* "The year it failed."',
    "Let us repair it before winter.",
    "I do not believe you, but thank you.",
)


def new_chunk(text: str, *, minute: int = 0, sources: tuple[int, ...] = (), **more: Any) -> NewChunk:
    at = NOON + timedelta(minutes=minute)
    named = tuple(Source(message_id, b"hash") for message_id in sources)
    fields: dict[str, Any] = {"speakers": ("Mara",), "tokens": 7, "words": "", **more}
    return NewChunk(text=text, sources=named, first_time=at, last_time=at, **fields)


def made(workspace: Workspace, *lines: str) -> int:
    """Make a chat whose messages have chunks without vectors."""
    chat = talk(workspace, *(lines or LINES_OF_TALK))
    workspace.sync.chunk_stale(CancelToken())
    return chat.id


@pytest.fixture
def panel(session: Session, qtbot: Any) -> MemoriesPanel:
    shown = MemoriesPanel(session)
    qtbot.addWidget(shown)
    shown.resize(392, 640)
    shown.show()
    return shown


def opened(panel: MemoriesPanel, qtbot: Any, chat_id: int, count: int) -> None:
    panel.setChat(chat_id)
    qtbot.waitUntil(lambda: len(panel.cards()) == count)


def the_list(panel: MemoriesPanel) -> MemoryList:
    return next(view for view in panel.findChildren(MemoryList) if view.accessibleName() == "Memories")


def pills(panel: MemoriesPanel) -> list[str]:
    return [pill.accessibleName() for pill in panel.findChildren(FilterPill) if pill.isVisible()]


def labels(panel: MemoriesPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible() and label.text()]


def spoken(panel: MemoriesPanel, row: int) -> str:
    return str(the_list(panel).model().index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole))


def texts(panel: MemoriesPanel) -> list[str]:
    return [card.chunk.text for card in panel.cards()]


# ── what it says ─────────────────────────────────────────────────────────────────────────────────────


def test_it_shows_every_memory_of_the_sample_newest_first(tmp_path: Path, qtbot: Any) -> None:
    with Workspace(tmp_path / "samples", background=False) as workspace:
        workspace.sync.chunk_stale(CancelToken())
        chat = workspace.chats.all()[0]
        chunks, vectors, tokens = workspace.chunks.counts(workspace.sync.space_id, chat.id)[chat.id]
        background = Background()
        session = Session(workspace, background)
        panel = MemoriesPanel(session)
        qtbot.addWidget(panel)
        panel.resize(392, 640)
        panel.show()
        opened(panel, qtbot, chat.id, chunks)
        assert chunks > 100
        assert vectors == 0
        assert f"{chunks} memories" in labels(panel)
        assert f"· ~{panel.locale().toString(tokens)} tokens" in labels(panel)
        assert pills(panel) == [f"{chunks} Waiting for vector"]
        times = [card.chunk.last_time for card in panel.cards()]
        assert times == sorted(times, reverse=True)
        assert f"Message {chat.messages}" in spoken(panel, 0)
        panel.close()
        session.close()
        background.close()


def test_vectors_make_it_vectorized_and_end_the_progress(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    chat_id = made(workspace)
    opened(panel, qtbot, chat_id, 4)
    assert "embedding 0 of 4" in labels(panel)
    assert find(panel, QProgressBar, "Embedding").maximum() == 4
    workspace.sync._embed(workspace.chunks.without_vector(workspace.sync.space_id, chat_id, 1))
    workspace.bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
    qtbot.waitUntil(lambda: "embedding 1 of 4" in labels(panel))
    assert pills(panel) == ["1 Vectorized", "3 Waiting for vector"]
    sync(workspace, chat_id)
    qtbot.waitUntil(lambda: pills(panel) == ["4 Vectorized"])
    assert not any(words.startswith("embedding") for words in labels(panel))
    assert "Vectorized" in spoken(panel, 0)


def test_a_missing_model_is_said_calmly_with_its_reason(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat_id = made(workspace)
    workspace.sync.failure = "The model file model.onnx is missing"
    opened(panel, qtbot, chat_id, 4)
    assert pills(panel) == ["4 Embedding unavailable"]
    assert "Embedding unavailable" in spoken(panel, 0)
    notice = next(words for words in labels(panel) if words.startswith("The model file"))
    assert "model.onnx is missing." in notice
    assert "recall goes by words" in notice
    workspace.sync.failure = ""
    monkeypatch.setattr(type(workspace.embedder), "available", lambda _self: False)
    workspace.bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
    qtbot.waitUntil(lambda: any("model is missing or cannot" in words for words in labels(panel)))


def test_it_teaches_while_there_is_nothing(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    assert "No chat is open" in labels(panel)
    chat = talk(workspace)
    panel.setChat(chat.id)
    qtbot.waitUntil(lambda: "Nothing to remember yet" in labels(panel))
    with qtbot.waitSignal(panel.rebuildRequested):
        qtbot.mouseClick(find(panel, QPushButton, "Look again at all messages"), Qt.MouseButton.LeftButton)
    say(workspace, chat.id, "Hello there")
    workspace.sync.chunk_stale(CancelToken())
    workspace.bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat.id))
    qtbot.waitUntil(lambda: len(panel.cards()) == 1)
    assert "1 memory" in labels(panel)
    panel.setChat(None)
    assert "No chat is open" in labels(panel)
    assert panel.cards() == []


def test_marks_ranges_and_gone_sources_are_in_words(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any
) -> None:
    chat = talk(workspace, *LINES_OF_TALK)
    ids = workspace.messages.ids(chat.id)
    made_ids = workspace.chunks.replace(
        chat.id,
        [],
        [
            new_chunk("several", minute=9, sources=tuple(ids[:3])),
            new_chunk("gone", minute=8, sources=(987654,)),
            new_chunk("note", minute=7),
            new_chunk("foreign", minute=6, origin="chroma"),
        ],
    )
    for flag in ("frozen", "pinned"):
        workspace.chunks.set_flag(made_ids[0], flag, value=True)
    workspace.chunks.set_flag(made_ids[1], "enabled", value=False)
    opened(panel, qtbot, chat.id, 4)
    assert spoken(panel, 0).startswith("Messages 1–3, Waiting for vector, Frozen, Pinned, ")
    assert spoken(panel, 1).startswith("Source gone, Waiting for vector, Off, ")
    assert spoken(panel, 2).startswith("A note, ")
    assert spoken(panel, 3).startswith("A memory, Waiting for vector, Imported, ")
    described = the_list(panel).model().index(1, 0).data(Qt.ItemDataRole.AccessibleDescriptionRole)
    assert "not in the chat any more" in described
    assert "~7 tokens" in spoken(panel, 2)


def test_a_screen_reader_gets_rows_with_range_status_and_text(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any
) -> None:
    opened(panel, qtbot, made(workspace), 4)
    view = QAccessible.queryAccessibleInterface(the_list(panel))
    assert view.text(QAccessible.Text.Name) == "Memories"
    names = [view.child(at).text(QAccessible.Text.Name) for at in range(view.childCount())]
    rows = [name for name in names if name.startswith("Message")]
    assert len(rows) == 4
    assert all("Waiting for vector" in name for name in rows)
    assert "the fifteenth of March" in rows[-1]


# ── finding ──────────────────────────────────────────────────────────────────────────────────────────


def test_search_filters_live_and_can_be_taken_back(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    opened(panel, qtbot, made(workspace), 4)
    search = find(panel, QLineEdit, "Search memories")
    qtbot.keyClicks(search, "MARCH birthday")
    qtbot.waitUntil(lambda: len(panel.cards()) == 1)
    assert "birthday" in texts(panel)[0]
    qtbot.keyClicks(search, " zebra")
    qtbot.waitUntil(lambda: "Nothing found" in labels(panel))
    qtbot.mouseClick(find(panel, QPushButton, "Show all memories"), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert search.text() == ""


def test_pills_filter_by_status(panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any) -> None:
    chat_id = made(workspace)
    workspace.sync._embed(workspace.chunks.without_vector(workspace.sync.space_id, chat_id, 1))
    opened(panel, qtbot, chat_id, 4)
    pill = find(panel, FilterPill, "1 Vectorized")
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(panel.cards()) == 1)
    assert panel.cards()[0].chunk.has_vector
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)


def test_it_sorts_by_time_and_by_size(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    opened(panel, qtbot, made(workspace), 4)
    newest = texts(panel)
    order = find(panel, QComboBox, "Sort memories")
    order.setCurrentIndex(order.findText("Oldest"))
    qtbot.waitUntil(lambda: texts(panel) == newest[::-1])
    order.setCurrentIndex(order.findText("Largest"))
    qtbot.waitUntil(lambda: texts(panel) not in (newest, newest[::-1]))
    sizes = [card.chunk.tokens for card in panel.cards()]
    assert sizes == sorted(sizes, reverse=True)


# ── acting ───────────────────────────────────────────────────────────────────────────────────────────


def test_click_enter_and_copy(panel: MemoriesPanel, workspace: Workspace, qtbot: Any) -> None:
    chat_id = made(workspace)
    ids = workspace.messages.ids(chat_id)
    opened(panel, qtbot, chat_id, 4)
    view = the_list(panel)
    middle = view.visualRect(view.model().index(1, 0)).center()
    with qtbot.waitSignal(panel.jumpRequested) as jump:
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert jump.args == [ids[2]]
    qtbot.keyClick(view, Qt.Key.Key_Down)
    with qtbot.waitSignal(panel.jumpRequested) as jump:
        qtbot.keyClick(view, Qt.Key.Key_Return)
    assert jump.args == [ids[1]]
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == texts(panel)[2]
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.currentIndex().row() == 3
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.currentIndex().row() == 0


def test_a_click_beside_the_cards_or_on_a_gone_source_goes_nowhere(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any
) -> None:
    chat = talk(workspace, "Hello")
    workspace.chunks.replace(chat.id, [], [new_chunk("gone", sources=(4711,))])
    opened(panel, qtbot, chat.id, 1)
    view = the_list(panel)
    card = view.visualRect(view.model().index(0, 0))
    with qtbot.assertNotEmitted(panel.jumpRequested, wait=80):
        qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=card.center())
        qtbot.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, pos=card.bottomLeft() + QPoint(9, GAP + 20)
        )


def test_show_chunk_finds_it_behind_a_filter_and_before_it_is_loaded(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    chat = talk(workspace, "Hello")
    many = [new_chunk(f"memory number {at}", minute=at) for at in range(160)]
    ids = workspace.chunks.replace(chat.id, [], many)
    panel.setChat(chat.id)
    panel.showChunk(ids[3])
    view = the_list(panel)
    qtbot.waitUntil(lambda: view.currentCard() is not None and view.currentCard().id == ids[3])
    assert view.viewport().rect().contains(view.visualRect(view.currentIndex()))
    find(panel, QLineEdit, "Search memories").setText("number 77")
    qtbot.waitUntil(lambda: len(panel.cards()) == 1)
    panel.showChunk(ids[80])
    qtbot.waitUntil(lambda: view.currentCard() is not None and view.currentCard().id == ids[80])
    assert len(panel.cards()) == 160


# ── what the selected reply made of it ───────────────────────────────────────────────────────────────


def receipt_for(cards: list[Card]) -> Receipt:
    scores = {"meaning": 0.71, "words": 0.52, "neighbour": 0.14}
    reasons = [
        (True, Reason("chosen", {"score": 0.76, "place": 1, "limit": 3})),
        (False, Reason("below_threshold", {"threshold": 0.25})),
    ]
    parts = [
        Part("memory", "#1", card.chunk.text, 9, included, reason, 0.76, scores, {"chunk": card.id})
        for card, (included, reason) in zip(cards, reasons, strict=False)
    ]
    return Receipt(8192, 512, 100, tuple(parts), ())


def test_candidates_of_a_reply_show_score_and_reason(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    opened(panel, qtbot, made(workspace), 4)
    view = the_list(panel)
    before = [view.visualRect(view.model().index(row, 0)).height() for row in range(4)]
    panel.setReceipt(receipt_for(panel.cards()), 312)
    after = [view.visualRect(view.model().index(row, 0)).height() for row in range(4)]
    assert after[0] > before[0]
    assert after[1] > after[0] - before[0] + before[1] - 1
    assert after[2:] == before[2:]
    assert "in reply #312: below threshold 0.25" in spoken(panel, 1)
    model = view.model()
    assert isinstance(model, MemoryModel)
    part = model.part(panel.cards()[0].id)
    assert part is not None
    assert model.scores(part) == "meaning 0.71 · words 0.52 · neighbour 0.14"
    assert sum(share for _, share in score_shares(part)) == pytest.approx(0.76)
    pill = find(panel, FilterPill, "2 in reply #312")
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(panel.cards()) == 2)
    panel.setReceipt(None, None)
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert pills(panel) == ["4 Waiting for vector"]
    panel.setReceipt(receipt_for(panel.cards()), None)
    assert "in the next prompt" in spoken(panel, 0)


# ── living ───────────────────────────────────────────────────────────────────────────────────────────


def test_news_keep_selection_and_place(panel: MemoriesPanel, workspace: Workspace, qtbot: Any) -> None:
    chat = talk(workspace, "Hello")
    workspace.chunks.replace(
        chat.id, [], [new_chunk(f"{at} " + "long words " * (at % 40), minute=at) for at in range(90)]
    )
    opened(panel, qtbot, chat.id, 90)
    view = the_list(panel)
    index = view.model().index(40, 0)
    view.setCurrentIndex(index)
    view.scrollTo(index, MemoryList.ScrollHint.PositionAtCenter)
    chosen, place = view.currentCard(), view.visualRect(view.currentIndex()).top()
    assert chosen is not None
    workspace.chunks.replace(chat.id, [], [new_chunk(f"new {at}", minute=200 + at) for at in range(7)])
    workspace.bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat.id))
    qtbot.waitUntil(lambda: len(panel.cards()) == 97)
    assert view.currentIndex().row() == 47
    assert view.currentCard() is not None
    assert view.currentCard().id == chosen.id
    assert view.visualRect(view.currentIndex()).top() == place


def test_many_news_are_read_a_few_times(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat_id = made(workspace)
    opened(panel, qtbot, chat_id, 4)
    reads: list[int] = []
    page = workspace.chunks.page
    monkeypatch.setattr(workspace.chunks, "page", lambda *args: reads.append(1) or page(*args))
    for _ in range(200):
        workspace.bus.publish(Change(ChangeKind.MEMORIES_CHANGED, chat_id))
        qtbot.wait(2)
    qtbot.waitUntil(lambda: len(reads) > 0)
    qtbot.wait(300)
    assert 1 <= len(reads) <= 5


def test_a_hidden_panel_reads_nothing_until_it_is_seen(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any
) -> None:
    panel.hide()
    panel.setChat(made(workspace))
    qtbot.wait(120)
    assert panel.cards() == []
    panel.show()
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)


def test_results_of_another_chat_are_dropped(panel: MemoriesPanel, workspace: Workspace, qtbot: Any) -> None:
    first, second = made(workspace), made(workspace, "Only one line here")
    panel.setChat(first)
    panel.setChat(second)
    qtbot.waitUntil(lambda: texts(panel) == ["Alex: Only one line here"])
    qtbot.wait(150)
    assert texts(panel) == ["Alex: Only one line here"]


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
