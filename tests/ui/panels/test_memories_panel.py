"""The Memories tab tells the truth about what is remembered, at any size and in every state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QProgressBar, QPushButton

from memdesk.chats.changes import Change, ChangeKind
from memdesk.prompt.parts import Part, Reason
from memdesk.prompt.receipt import Receipt
from memdesk.ui.background import Background
from memdesk.ui.models.memories import Card, MemoryModel
from memdesk.ui.panels.memories_panel import MemoriesPanel
from memdesk.ui.session import Session
from memdesk.ui.widgets.filter_pill import FilterPill
from memdesk.ui.widgets.memory_card import GAP, score_shares
from memdesk.ui.widgets.memory_list import MemoryList
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import say, sync, talk
from tests.ui.panels.helpers import (
    LINES_OF_TALK,
    labels,
    made,
    new_chunk,
    opened,
    pills,
    spoken,
    texts,
    the_list,
)


@pytest.fixture
def panel(session: Session, qtbot: Any) -> MemoriesPanel:
    shown = MemoriesPanel(session)
    qtbot.addWidget(shown)
    shown.resize(392, 640)
    shown.show()
    return shown


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
    with qtbot.waitSignal(panel.upkeep.told):
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


@pytest.mark.qt_log_ignore("This plugin does not support")
@pytest.mark.parametrize("reason", [QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard])
def test_the_menu_jumps_and_copies(
    panel: MemoriesPanel, workspace: Workspace, qtbot: Any, reason: QContextMenuEvent.Reason
) -> None:
    chat_id = made(workspace)
    opened(panel, qtbot, chat_id, 4)
    view = the_list(panel)
    view.setCurrentIndex(view.model().index(1, 0))
    place = view.visualRect(view.model().index(1, 0)).center()
    view.contextMenuEvent(QContextMenuEvent(reason, place, view.viewport().mapToGlobal(place)))
    (menu,) = [menu for menu in panel.findChildren(QMenu) if menu.isVisible()]
    actions = {action.text(): action for action in menu.actions()}
    actions["Copy text"].trigger()
    assert QGuiApplication.clipboard().text() == texts(panel)[1]
    with qtbot.waitSignal(panel.jumpRequested) as jump:
        actions["Jump to source"].trigger()
    assert jump.args == [workspace.messages.ids(chat_id)[2]]
    menu.close()


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
    panel.setReceipt(receipt_for(panel.cards()), (7, 312))
    after = [view.visualRect(view.model().index(row, 0)).height() for row in range(4)]
    assert after[0] > before[0]
    assert after[1] > after[0] - before[0] + before[1] - 1
    assert after[2:] == before[2:]
    assert "considered for reply #312, not sent: below threshold 0.25" in spoken(panel, 1)
    model = view.model()
    assert isinstance(model, MemoryModel)
    part = model.part(panel.cards()[0].id)
    assert part is not None
    assert model.scores(part) == "meaning 0.71 · words 0.52 · neighbour 0.14"
    assert sum(share for _, share in score_shares(part)) == pytest.approx(0.76)
    lost = model.part(panel.cards()[1].id)
    assert lost is not None
    assert [model.reply_words(one) for one in (part, lost)] == [
        "in reply #312",
        "considered for reply #312",
    ]
    pill = find(panel, FilterPill, "1 sent in reply #312 · 1 more considered")
    qtbot.mouseClick(pill, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(panel.cards()) == 2)
    panel.setReceipt(None, None)
    qtbot.waitUntil(lambda: len(panel.cards()) == 4)
    assert pills(panel) == ["4 Waiting for vector"]
    panel.setReceipt(receipt_for(panel.cards()), None)
    assert "in the next prompt" in spoken(panel, 0)
    assert "considered for the next prompt, not sent" in spoken(panel, 1)
    assert "1 in the next prompt · 1 more considered" in pills(panel)


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
