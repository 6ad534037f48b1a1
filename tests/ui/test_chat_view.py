"""The page: what stands where, what moves, what the reader can do."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt, QUrl
from PySide6.QtGui import QEnterEvent, QTextDocument
from PySide6.QtWidgets import QApplication, QLabel, QPlainTextEdit, QPushButton, QToolButton
from pytestqt.qtbot import QtBot

from memdesk.chats.model import SwipeState
from memdesk.ui.models.messages import PAGE, WINDOW, MessageWindowModel
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.chat_view import ChatView
from memdesk.ui.widgets.message_head import MessageHead, SourceCount
from memdesk.ui.widgets.message_parts import Action
from memdesk.ui.widgets.pills import SourcePill
from memdesk.ui.widgets.separators import Separator


@pytest.fixture
def open_view(qtbot: QtBot, make_message: Any, shelf: Any) -> Any:
    def make(
        count: int, size: tuple[int, int] = (820, 640), **last: Any
    ) -> tuple[ChatView, MessageWindowModel, Any]:
        store = shelf([make_message(number) for number in range(1, count + 1)])
        if last:
            store.messages[-1] = make_message(count, **last)
        model = MessageWindowModel()
        model.pageWanted.connect(lambda first, limit: model.setPage(store.page(first, limit)))
        view = ChatView(model)
        model.setParent(view)
        qtbot.addWidget(view)
        view.resize(*size)
        view.show()
        model.open(1, count)
        settle()
        return view, model, store

    return make


def settle() -> None:
    for _ in range(4):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.processEvents()


def shown(view: ChatView) -> list[int]:
    return [widget.message.number for widget in view._widgets]


def screen_y(view: ChatView, message_id: int) -> int:
    return view.widget_for(message_id).y() - view.verticalScrollBar().value()


def at_bottom(view: ChatView) -> bool:
    return view.verticalScrollBar().value() == view.verticalScrollBar().maximum()


def test_opens_at_the_newest_message(open_view: Any) -> None:
    view, _, _ = open_view(500)
    assert shown(view)[-1] == 500
    assert at_bottom(view)
    assert view.following
    assert [widget.y() for widget in view._widgets] == sorted(widget.y() for widget in view._widgets)
    assert all(w.height() == w.height_for(w.width()) for w in view._widgets)


def test_nothing_overlaps_and_the_column_is_narrow(open_view: Any) -> None:
    view, _, _ = open_view(30, (1600, 700))
    view.setContextStart(20)
    view.setDaySeparators(True)
    settle()
    items = [*view._widgets, *(line for line in view.findChildren(Separator) if not line.isHidden())]
    items.sort(key=lambda item: item.y())
    for upper, lower in itertools.pairwise(items):
        assert upper.y() + upper.height() <= lower.y()
    assert all(item.width() <= 780 for item in items)
    centre = view.viewport().width() / 2
    assert all(abs(item.x() + item.width() / 2 - centre) <= 1 for item in items)


def test_a_short_chat_stands_at_the_top(open_view: Any) -> None:
    view, _, _ = open_view(1)
    widget = view._widgets[0]
    assert widget.y() <= 24


def test_an_empty_chat_teaches(open_view: Any, find: Any) -> None:
    view, _, _ = open_view(0)
    view.setEmptyText("Write <b>something</b>.")
    label = find(view, QLabel, "Write <b>something</b>.")
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_scrolling_up_loads_older_and_keeps_the_place(open_view: Any) -> None:
    view, model, store = open_view(500)
    bar = view.verticalScrollBar()
    bar.setValue(500)
    watched = view._widgets[5].message.id
    assert len(store.asked) == 2
    before = screen_y(view, watched)
    settle()
    model.wantOlder()
    settle()
    assert screen_y(view, watched) == before
    assert len(view._widgets) <= WINDOW


def test_scrolling_through_the_whole_chat_and_back(open_view: Any) -> None:
    view, model, _ = open_view(300)
    bar = view.verticalScrollBar()
    for _ in range(400):
        if model.first == 1 and bar.value() == 0:
            break
        bar.setValue(max(0, bar.value() - 500))
    assert shown(view)[0] == 1
    assert len(view._widgets) <= WINDOW
    for _ in range(400):
        if model.at_end and at_bottom(view):
            break
        bar.setValue(min(bar.maximum(), bar.value() + 500))
    assert shown(view)[-1] == 300
    assert view.following
    settle()
    assert len(view.findChildren(type(view._widgets[0]))) <= WINDOW + 60


def test_reading_place_stays_when_something_above_grows(open_view: Any, make_message: Any) -> None:
    view, model, _ = open_view(100)
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    index = next(i for i, w in enumerate(view._widgets) if w.y() > bar.value())
    watched = view._widgets[index].message.id
    above = view._widgets[index - 3].message
    before = screen_y(view, watched)
    model.change(make_message(above.number, "long\n\n" * 30))
    assert screen_y(view, watched) == before
    view.resize(500, 640)
    settle()
    view.resize(820, 640)
    settle()
    assert abs(screen_y(view, watched) - before) <= 2


def stream(model: MessageWindowModel, make_message: Any, number: int) -> None:
    model.append(make_message(number, swipe_fields={"text": "", "state": SwipeState.STREAMING}))
    model.startStream(number, 1)


def test_follows_the_stream_until_the_reader_scrolls_up(
    open_view: Any, make_message: Any, find: Any, qtbot: QtBot
) -> None:
    view, model, _ = open_view(99)
    stream(model, make_message, 100)
    for _ in range(30):
        model.appendDelta(100, "*She turns* and says “no” again. \n\n", 1)
        model.flush()
        assert at_bottom(view)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() - 700)
    place = view.verticalScrollBar().value()
    for _ in range(10):
        model.appendDelta(100, "More and more.\n\n", 1)
        model.flush()
        assert view.verticalScrollBar().value() == place
    assert not view.following
    qtbot.mouseClick(find(view, QToolButton, "Jump to the newest message"), Qt.MouseButton.LeftButton)
    assert at_bottom(view)
    model.appendDelta(100, "end", 1)
    model.endStream(100, 1)
    assert at_bottom(view)
    assert view.widget_for(100).body.toPlainText().endswith("end")


def test_marks_are_never_seen_while_streaming(open_view: Any, make_message: Any) -> None:
    view, model, _ = open_view(1)
    stream(model, make_message, 2)
    text = "*She turns slowly.* “I **never** meant it,” *she says.*\n\nThen `code`."
    body = view.widget_for(2).body
    for char in text:
        model.appendDelta(2, char, 1)
        model.flush()
        assert not set(body.toPlainText()) & set("*`")
    model.endStream(2, 1)
    assert body.toPlainText() == "She turns slowly. “I never meant it,” she says.\nThen code."


def test_plain_deltas_keep_the_look_they_grow_in(open_view: Any, make_message: Any, qtbot: QtBot) -> None:
    view, model, _ = open_view(1)
    stream(model, make_message, 2)
    body = view.widget_for(2).body
    for piece in ("*She", " tur", "ns and goes"):
        model.appendDelta(2, piece, 1)
        model.flush()
    qtbot.waitUntil(lambda: body.toPlainText() == "She turns and goes")
    cursor = body.textCursor()
    cursor.movePosition(cursor.MoveOperation.End)
    assert cursor.charFormat().fontItalic()
    assert cursor.charFormat().foreground().color() == current_theme().color("action")


def test_a_growing_text_ends_as_the_finished_one(open_view: Any, make_message: Any) -> None:
    view, model, _ = open_view(1)
    text = "*One.*\n\n“Two *and* three.”\n\n```\ncode\n\nmore\n```\n\n***\n\nLast “one”.\n\n\n\nEnd *here*."
    stream(model, make_message, 2)
    body = view.widget_for(2).body
    for at in range(0, len(text), 3):
        model.appendDelta(2, text[at : at + 3], 1)
        model.flush()
        body._render()
    growing = body.toHtml()
    model.endStream(2, 1)
    assert body.toHtml() == growing
    assert body.toPlainText() == "One.\n“Two and three.”\ncode\n\nmore\n***\nLast “one”.\nEnd here."


def test_a_stream_survives_leaving_the_window(open_view: Any, make_message: Any) -> None:
    view, model, store = open_view(300)
    store.messages.append(make_message(301, swipe_fields={"text": ""}))
    model.append(store.messages[-1])
    model.startStream(301, 1)
    model.appendDelta(301, "one ", 1)
    model.flush()
    view.jumpTo(5)
    assert view.widget_for(301) is None
    model.appendDelta(301, "two", 1)
    model.flush()
    view.jumpToEnd()
    assert view.widget_for(301).body.toPlainText() == "one two"


def test_jump_to_a_far_message_marks_it(open_view: Any) -> None:
    view, _, _ = open_view(1000)
    view.jumpTo(123)
    widget = next(w for w in view._widgets if w.message.number == 123)
    assert 0 <= screen_y(view, 123) < view.viewport().height()
    assert widget._flashing
    assert not view.following
    assert view.current_id == 123
    view.jumpTo(130)
    assert 0 <= screen_y(view, 130) < view.viewport().height()


def test_a_jump_that_never_arrives_does_not_hold_up_the_reader(open_view: Any, make_message: Any) -> None:
    view, model, store = open_view(1000)
    answer, store.page = store.page, lambda _first, _limit: []
    view.jumpTo(5)
    store.page = answer
    view.verticalScrollBar().setValue(0)
    settle()
    assert model.first < 1001 - PAGE
    view.jumpTo(7)
    store.messages = [make_message(number) for number in range(1, 51)]
    model.open(1, 50)
    settle()
    assert view.following
    assert at_bottom(view)


def test_visible_range_is_told(open_view: Any) -> None:
    view, _, _ = open_view(300)
    ranges = []
    view.visibleRangeChanged.connect(lambda first, last: ranges.append((first, last)))
    view.jumpTo(50)
    assert ranges[-1][0] <= 50 <= ranges[-1][1]
    view.jumpToEnd()
    assert ranges[-1][1] == 300


def test_context_line(open_view: Any) -> None:
    view, _, _ = open_view(50)
    view.setContextStart(45)
    settle()
    lines = [line for line in view.findChildren(Separator) if not line.isHidden()]
    assert [line.accessibleName() for line in lines] == [
        "context begins here · 44 older messages are not sent word by word"
    ]
    assert lines[0].y() < view.widget_for(45).y()
    assert lines[0].y() > view.widget_for(44).y()
    view.setContextStart(None)
    settle()
    assert all(line.isHidden() for line in view.findChildren(Separator))


def test_editing_in_place(open_view: Any, qtbot: QtBot, find: Any) -> None:
    view, _, _ = open_view(20)
    assert view.startEditing(20)
    box = find(view, QPlainTextEdit, "Message text")
    assert box.toPlainText() == "Message *number* 20."
    qtbot.keyClicks(box, " Yes!")
    with qtbot.waitSignal(view.editSaved) as saved:
        qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert saved.args == [20, "Message *number* 20. Yes!"]
    assert not view.widget_for(20).editing
    view.startEditing(20)
    box = find(view, QPlainTextEdit, "Message text")
    qtbot.keyClicks(box, "gone")
    with qtbot.assertNotEmitted(view.editSaved):
        qtbot.keyClick(box, Qt.Key.Key_Escape)
    assert not view.widget_for(20).editing
    assert view.editLast()
    assert view.widget_for(20).editing


def test_editor_survives_news_about_other_messages(open_view: Any, find: Any, make_message: Any) -> None:
    view, model, _ = open_view(20)
    view.startEditing(18)
    box = find(view, QPlainTextEdit, "Message text")
    box.setPlainText("my new words")
    model.append(make_message(21))
    model.change(make_message(19, "other"))
    model.change(make_message(18, "changed below"))
    assert find(view, QPlainTextEdit, "Message text").toPlainText() == "my new words"


@pytest.mark.parametrize(
    ("name", "signal"),
    [
        ("Copy text", "copyRequested"),
        ("Delete message", "deleteRequested"),
        ("Regenerate", "regenerateRequested"),
        ("Show prompt", "receiptRequested"),
    ],
)
def test_actions_of_the_newest_reply(open_view: Any, qtbot: QtBot, find: Any, name: str, signal: str) -> None:
    view, _, _ = open_view(20, swipe_fields={"has_receipt": True})
    with qtbot.waitSignal(getattr(view, signal)) as heard:
        qtbot.mouseClick(find(view, QToolButton, name), Qt.MouseButton.LeftButton)
    assert heard.args == [20]


def test_actions_come_with_pointer_and_focus_and_never_move_anything(open_view: Any) -> None:
    view, _, _ = open_view(20)
    widget = view.widget_for(17)
    geometry = [w.geometry() for w in view._widgets]
    assert widget._actions is None
    widget.setFocus()
    assert widget._actions.isVisible()
    assert widget._actions.actions_shown == [Action.EDIT, Action.COPY, Action.DELETE, Action.MORE]
    view.widget_for(18).setFocus()
    settle()
    assert not widget._actions.isVisible()
    widget.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, True)
    QApplication.sendEvent(widget, QEnterEvent(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5)))
    assert widget._actions.isVisible()
    assert [w.geometry() for w in view._widgets] == geometry


def test_context_menu_has_the_same_actions(open_view: Any) -> None:
    view, _, _ = open_view(20)
    menu = view.widget_for(20).menu()
    assert [entry.text() for entry in menu.actions()] == [
        "Edit message",
        "Regenerate",
        "Copy text",
        "Delete message",
    ]
    menu.deleteLater()


def test_swipes(open_view: Any, qtbot: QtBot, find: Any) -> None:
    view, model, _ = open_view(20, swipe_number=2, swipe_count=5)
    assert find(view, QLabel, "Version 2 of 5").text() == "2 / 5"
    with qtbot.waitSignal(view.swipeRequested) as heard:
        qtbot.mouseClick(find(view, QToolButton, "Next version"), Qt.MouseButton.LeftButton)
    assert heard.args == [20, 1]
    with qtbot.waitSignal(view.swipeRequested) as heard:
        view.swipeLast(-1)
    assert heard.args == [20, -1]
    model.change(replace(model.find(20), swipe_number=5))
    assert find(view, QToolButton, "Write another version").isEnabled()


def test_keys(open_view: Any, qtbot: QtBot) -> None:
    view, _, _ = open_view(60)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert QApplication.focusWidget() is view.widget_for(60)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    assert QApplication.focusWidget() is view.widget_for(59)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Down)
    with qtbot.waitSignal(view.deleteRequested) as heard:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Delete)
    assert heard.args == [60]
    with qtbot.waitSignal(view.swipeRequested) as heard:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Left)
    assert heard.args == [60, -1]
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Home)
    assert shown(view)[0] == 1
    assert view.verticalScrollBar().value() <= 20
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert at_bottom(view)


def test_walking_up_by_keys_crosses_pages(open_view: Any, qtbot: QtBot) -> None:
    view, _, _ = open_view(200)
    view.setFocus()
    for _ in range(PAGE + 30):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    current = view.widget_for(view.current_id)
    assert current.message.number == 200 - (PAGE + 29)
    assert 0 <= screen_y(view, view.current_id) < view.viewport().height()


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (SwipeState.STOPPED, "Stopped here. What was written is kept."),
        (SwipeState.INTERRUPTED, "memdesk was closed while this was being written."),
        (SwipeState.FAILED, "The reply failed: <img src=x> 500"),
    ],
)
def test_bad_ends_are_said_and_can_be_retried(
    open_view: Any, qtbot: QtBot, find: Any, state: SwipeState, words: str
) -> None:
    view, _, _ = open_view(20, swipe_fields={"state": state, "error": "<img src=x> 500"})
    label = find(view, QLabel, words)
    assert label.textFormat() == Qt.TextFormat.PlainText
    with qtbot.waitSignal(view.retryRequested) as heard:
        qtbot.mouseClick(find(view, QPushButton, "Retry"), Qt.MouseButton.LeftButton)
    assert heard.args == [20]


def test_sources(open_view: Any, qtbot: QtBot, find: Any) -> None:
    view, model, _ = open_view(2)
    wanted = []
    view.sourcesWanted.connect(wanted.extend)
    model.change(replace(model.find(2), swipe=replace(model.find(2).swipe, id=99, has_receipt=True)))
    assert wanted == [2]
    view.setSources(2, [SourceCount("memory", 3), SourceCount("summary", 1)])
    with qtbot.waitSignal(view.receiptRequested) as heard:
        qtbot.mouseClick(find(view, SourcePill, "3 memories"), Qt.MouseButton.LeftButton)
    assert heard.args == [2]
    assert find(view, SourcePill, "1 summary").height() == 28


def test_nothing_is_loaded_from_a_message(open_view: Any, tmp_path: Path) -> None:
    secret = tmp_path / "x.png"
    secret.write_bytes(b"\x89PNG")
    view, _, _ = open_view(1)
    body = view.widget_for(1).body
    kind = QTextDocument.ResourceType.ImageResource
    for address in (
        secret.as_uri(),
        "//host/share/x.png",
        "https://example.org/x.png",
        "qrc:/x",
        "memdesk:x",
    ):
        assert body.loadResource(kind.value, QUrl(address)) is None


def test_copied_text_is_plain(open_view: Any) -> None:
    view, _, _ = open_view(1, text="*She* says “no”.")
    body = view.widget_for(1).body
    body.selectAll()
    data = body.createMimeDataFromSelection()
    assert data.text() == "She says “no”."
    assert not data.hasHtml()


def test_links_ask_and_only_web_links(open_view: Any) -> None:
    view, _, _ = open_view(1, text="[go](https://example.org/)")
    heard = []
    view.linkActivated.connect(heard.append)
    body = view.widget_for(1).body
    for address in ("https://example.org/", "file:///etc/passwd", "javascript:alert(1)", "smb://host"):
        body.anchorClicked.emit(QUrl(address))
    assert heard == ["https://example.org/"]
    assert body.toPlainText() == "go"


def test_a_message_of_a_megabyte(open_view: Any, make_message: Any, find: Any, qtbot: QtBot) -> None:
    view, model, _ = open_view(3)
    text = "*x* word " * 120_000
    model.append(make_message(4, text))
    body = view.widget_for(4).body
    assert body.folded
    assert len(body.toPlainText()) <= 20_000
    fold = find(view, QPushButton, "Show all 1,080,000 characters")
    qtbot.mouseClick(fold, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: body.hidden_characters == 0, timeout=60_000)
    assert body.toPlainText().replace("\n", "") == text
    assert not fold.isVisible()


def test_hostile_names_and_texts_show_as_they_are(open_view: Any) -> None:
    name = "<img src='file:///etc/passwd'>\n\"\u202ex" + "長" * 300
    view, _, _ = open_view(2, name=name, text="<script>alert(1)</script>\x00\ufdd0")
    widget = view.widget_for(2)
    assert widget.body.toPlainText() == "<script>alert(1)</script>\ufffd\ufffd"
    assert name in widget.accessibleName()
    assert not widget.grab().isNull()


def test_theme_changes_reach_every_message(open_view: Any) -> None:
    view, _, _ = open_view(4)
    theme = current_theme()
    theme.setMode("dark")
    body = view.widget_for(4).body
    assert theme.hex("action").lower() in body.toHtml().lower()
    view.grab()
    theme.setMode("light")
    assert theme.hex("action").lower() in body.toHtml().lower()


def test_removed_messages_close_up(open_view: Any) -> None:
    view, model, _ = open_view(20)
    model.remove([10, 11])
    settle()
    assert shown(view) == list(range(1, 19))
    assert view.widget_for(12).message.number == 10
    assert "message 10" in view.widget_for(12).accessibleName()


def test_another_chat_replaces_everything(open_view: Any) -> None:
    view, model, store = open_view(50)
    view.verticalScrollBar().setValue(0)
    store.messages = store.messages[:5]
    model.open(1, 5)
    settle()
    assert shown(view) == [1, 2, 3, 4, 5]
    assert at_bottom(view)
    model.open(None, 0)
    settle()
    assert shown(view) == []


@pytest.mark.parametrize(("gone", "next_one"), [(5, 6), (9, 8), (1, 2)])
def test_the_keyboard_goes_to_the_neighbour_of_a_deleted_message(
    open_view: Any, gone: int, next_one: int
) -> None:
    view, model, _ = open_view(9)
    view.widget_for(gone).setFocus()
    model.remove([gone])
    settle()
    assert view.widget_for(next_one).hasFocus()
    assert view.current_id == next_one


def test_the_keyboard_leaves_a_button_of_a_deleted_message_for_its_neighbour(open_view: Any) -> None:
    view, model, _ = open_view(9)
    view.setSources(4, [SourceCount("memory", 3)])
    settle()
    view.widget_for(4).findChildren(SourcePill)[0].setFocus()
    model.remove([4])
    settle()
    assert view.widget_for(5).hasFocus()
    view.widget_for(5).setFocus()
    model.remove([1, 2, 3, 5, 6, 7, 8, 9])
    settle()
    assert view.hasFocus()


def test_a_pill_that_goes_leaves_the_keyboard_to_its_message(open_view: Any) -> None:
    view, _, _ = open_view(9)
    view.setSources(4, [SourceCount("memory", 3)])
    settle()
    view.widget_for(4).findChildren(SourcePill)[0].setFocus()
    view.setSources(4, [])
    settle()
    assert view.widget_for(4).hasFocus()


def test_what_comes_back_stands_in_its_place_and_nothing_else_moves(open_view: Any) -> None:
    view, model, store = open_view(60)
    view.jumpTo(45)
    settle()
    gone = model.find(46)
    model.remove([46])
    settle()
    editor_of = view.widget_for(47)
    before = screen_y(view, 45)
    model.restore([gone])
    view.showRestored(gone, focus=True)
    settle()
    assert [m.number for m in model.messages] == list(range(model.first, model.last + 1))
    assert [w.message.id for w in view._widgets] == [w.message.number for w in view._widgets]
    assert view.widget_for(47) is editor_of
    assert screen_y(view, 45) == before
    assert view.widget_for(46).hasFocus()
    assert view.current_id == 46
    assert model.count == 60
    assert store.messages


def test_what_comes_back_out_of_sight_is_gone_to(open_view: Any) -> None:
    view, model, store = open_view(300)
    gone = store.messages.pop(19)
    store.messages[19:] = [replace(m, number=m.number - 1) for m in store.messages[19:]]
    model.open(1, 299)
    settle()
    store.messages[19:] = [gone, *(replace(m, number=m.number + 1) for m in store.messages[19:])]
    model.restore([gone])
    view.showRestored(gone, focus=True)
    settle()
    widget = view.widget_for(20)
    assert widget.message.number == 20
    assert 0 <= screen_y(view, 20) < view.viewport().height()
    assert widget.hasFocus()
    assert not view.following


def test_a_failed_reply_without_words_has_no_size(make_message: Any) -> None:
    failed = make_message(2, swipe_fields={"tokens": 0, "state": SwipeState.FAILED, "error": "no"})
    assert "token" not in MessageHead(failed).facts()
    assert "~" not in MessageHead(failed).explanation()
    assert "~7 tokens" in MessageHead(make_message(7)).facts()
