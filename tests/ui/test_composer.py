"""Writing: keys, input methods, and that no word is lost."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QInputMethodEvent
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from memdesk.ui.widgets.composer import Composer
from memdesk.ui.widgets.pills import InfoPill


@pytest.fixture
def composer(qtbot: QtBot) -> Composer:
    widget = Composer()
    qtbot.addWidget(widget)
    widget.resize(760, 200)
    widget.show()
    widget.focusText()
    return widget


@pytest.fixture
def box(composer: Composer, find: Any) -> Any:
    return find(composer, QPlainTextEdit, "Message")


def test_enter_sends_and_only_acceptance_clears(composer: Composer, box: Any, qtbot: QtBot) -> None:
    qtbot.keyClicks(box, "Hello")
    with qtbot.waitSignal(composer.sendRequested) as sent:
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert sent.args == ["Hello"]
    assert composer.text() == "Hello"
    qtbot.keyClicks(box, " more")
    composer.accept()
    assert composer.text() == " more"


def test_acceptance_counts_characters_outside_the_basic_plane(
    composer: Composer, box: Any, qtbot: QtBot
) -> None:
    composer.setText("🙂🙂 灯")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    composer.setText("🙂🙂 灯!")
    composer.accept()
    assert composer.text() == "!"


def test_text_that_was_rewritten_meanwhile_stays(composer: Composer, box: Any, qtbot: QtBot) -> None:
    composer.setText("first")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    composer.setText("something else")
    composer.accept()
    assert composer.text() == "something else"


def test_a_refusal_keeps_the_text_and_says_why(composer: Composer, box: Any, qtbot: QtBot) -> None:
    composer.setText("Hello")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    composer.refuse("The <b>server</b> is away.")
    assert composer.text() == "Hello"
    assert composer._problem.isVisible()
    assert composer._problem.text() == "The <b>server</b> is away."
    with qtbot.waitSignal(composer.sendRequested):
        qtbot.keyClick(box, Qt.Key.Key_Return)
    assert not composer._problem.isVisible()


def test_a_text_is_sent_once(composer: Composer, box: Any, qtbot: QtBot) -> None:
    sent = []
    composer.sendRequested.connect(sent.append)
    composer.setText("Hello")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert sent == ["Hello"]


@pytest.mark.parametrize("blank", ["", "   ", "\n\n"])
def test_nothing_is_not_sent(composer: Composer, box: Any, qtbot: QtBot, blank: str) -> None:
    composer.setText(blank)
    with qtbot.assertNotEmitted(composer.sendRequested):
        qtbot.keyClick(box, Qt.Key.Key_Return)


def test_shift_enter_breaks_the_line(composer: Composer, box: Any, qtbot: QtBot) -> None:
    qtbot.keyClicks(box, "a")
    with qtbot.assertNotEmitted(composer.sendRequested):
        qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(box, "b")
    assert composer.text() == "a\nb"


def test_enter_can_break_the_line_and_ctrl_enter_send(composer: Composer, box: Any, qtbot: QtBot) -> None:
    composer.setEnterSends(False)
    qtbot.keyClicks(box, "a")
    with qtbot.assertNotEmitted(composer.sendRequested):
        qtbot.keyClick(box, Qt.Key.Key_Return)
    with qtbot.waitSignal(composer.sendRequested) as sent:
        qtbot.keyClick(box, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert sent.args == ["a\n"]


def test_enter_belongs_to_the_input_method_while_it_composes(
    composer: Composer, box: Any, qtbot: QtBot
) -> None:
    composer.setText("你")
    QApplication.sendEvent(box, QInputMethodEvent("hao", []))
    with qtbot.assertNotEmitted(composer.sendRequested), qtbot.assertNotEmitted(composer.swipeRequested):
        qtbot.keyClick(box, Qt.Key.Key_Return)
        qtbot.keyClick(box, Qt.Key.Key_Left)
    commit = QInputMethodEvent()
    commit.setCommitString("好")
    QApplication.sendEvent(box, commit)
    assert "好" in composer.text()
    with qtbot.waitSignal(composer.sendRequested):
        qtbot.keyClick(box, Qt.Key.Key_Return)


def test_keys_on_an_empty_box(composer: Composer, box: Any, qtbot: QtBot) -> None:
    with qtbot.waitSignal(composer.editLastRequested):
        qtbot.keyClick(box, Qt.Key.Key_Up)
    with qtbot.waitSignal(composer.swipeRequested) as left:
        qtbot.keyClick(box, Qt.Key.Key_Left)
    with qtbot.waitSignal(composer.swipeRequested) as right:
        qtbot.keyClick(box, Qt.Key.Key_Right)
    assert (left.args, right.args) == ([-1], [1])
    composer.setText("text")
    with qtbot.assertNotEmitted(composer.editLastRequested), qtbot.assertNotEmitted(composer.swipeRequested):
        qtbot.keyClick(box, Qt.Key.Key_Up)
        qtbot.keyClick(box, Qt.Key.Key_Left)


def test_stop(composer: Composer, box: Any, qtbot: QtBot, find: Any) -> None:
    with qtbot.assertNotEmitted(composer.stopRequested):
        qtbot.keyClick(box, Qt.Key.Key_Escape)
    composer.setText("next")
    composer.setGenerating(True)
    with qtbot.waitSignal(composer.stopRequested):
        qtbot.keyClick(box, Qt.Key.Key_Escape)
    with qtbot.waitSignal(composer.stopRequested), qtbot.assertNotEmitted(composer.sendRequested):
        qtbot.mouseClick(find(composer, QToolButton, "Stop"), Qt.MouseButton.LeftButton)
    composer.setGenerating(False)
    with qtbot.waitSignal(composer.sendRequested):
        qtbot.mouseClick(find(composer, QToolButton, "Send"), Qt.MouseButton.LeftButton)
    assert composer.text() == "next"


def test_grows_to_eight_lines(composer: Composer, box: Any) -> None:
    heights = []
    for lines in (1, 2, 8, 9, 40):
        composer.setText("\n".join(["line"] * lines))
        heights.append(box.height())
    line = box.fontMetrics().lineSpacing()
    assert heights[1] - heights[0] == line
    assert heights[2] - heights[0] == 7 * line
    assert heights[2] == heights[3] == heights[4]


def test_facts_and_placeholder(composer: Composer, box: Any) -> None:
    composer.setPersonaName("Jonas <b>")
    assert box.placeholderText() == "Write as Jonas <b>…"
    assert not composer._prompt.isVisible()
    composer.setPrompt(5140, 8192)
    composer.setRecall(3)
    assert composer._prompt.text() == "next prompt ≈ 5,140 of 8,192"
    assert composer._recall.accessibleName() == "would recall 3"
    composer.setPrompt(None, None)
    composer.setRecall(None)
    assert not composer._prompt.isVisible()
    assert not composer._recall.isVisible()


def test_a_word_of_a_megabyte_neither_freezes_nor_changes(qtbot: QtBot) -> None:
    """Qt breaks lines at words in quadratic time, and its plain text loses no-break spaces."""
    composer = Composer()
    qtbot.addWidget(composer)
    composer.show()
    text = "a" * 1_000_000 + "\u00a0b\nc"
    started = time.perf_counter()
    composer.setText(text)
    QApplication.processEvents()
    assert time.perf_counter() - started < 20
    assert composer.text() == text


def test_an_empty_composer_leaves_undo_to_the_window(qtbot: QtBot) -> None:
    """What was sent stands in the chat; Ctrl+Z then takes back acts, not the words that were sent."""
    window = QWidget()
    qtbot.addWidget(window)
    composer = Composer(window)
    undone: list[bool] = []
    action = QAction("Undo", window)
    action.setShortcut("Ctrl+Z")
    action.triggered.connect(lambda: undone.append(True))
    window.addAction(action)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    composer.focusText()
    qtbot.keyClicks(composer.findChild(QPlainTextEdit), "Hello")
    qtbot.keyClick(composer.findChild(QPlainTextEdit), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.text() != "Hello"
    assert not undone
    composer.setText("Sent")
    qtbot.keyClick(composer.findChild(QPlainTextEdit), Qt.Key.Key_Return)
    composer.accept()
    qtbot.keyClick(composer.findChild(QPlainTextEdit), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert composer.text() == ""
    assert undone


def test_another_placeholder_is_painted_at_once(composer: Composer, box: Any, qtbot: QtBot) -> None:
    composer.setPersonaName("Jonas")
    qtbot.wait(50)
    painted: list[int] = []

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 — Qt's
            if event.type() == QEvent.Type.Paint and event.region().boundingRect().width() > 100:
                painted.append(1)
            return False

    watch = Watch()
    box.viewport().installEventFilter(watch)
    box.clearFocus()
    qtbot.wait(50)
    painted.clear()
    composer.setPersonaName("程远")
    qtbot.waitUntil(lambda: bool(painted), timeout=2000)


def test_without_a_chat_it_takes_nothing_and_says_why(composer: Composer, box: Any) -> None:
    composer.setPersonaName("Jonas")
    composer.setPrompt(5, 10)
    composer.setRecall(3)
    composer.setClosed("Open a chat.")
    assert box.placeholderText() == "Open a chat."
    assert not box.isEnabled()
    assert not [pill for pill in composer.findChildren(InfoPill) if pill.isVisible()]
    composer.setClosed("")
    assert box.isEnabled()
    assert box.placeholderText() == "Write a message…"


def test_a_draft_that_is_being_stored_is_taken_when_it_is(composer: Composer) -> None:
    composer.setDraft("Sent and more", "Sent")
    assert composer.waiting
    composer.accept()
    assert composer.text() == " and more"
    composer.setDraft("Another")
    composer.accept()
    assert composer.text() == "Another"


def test_a_prompt_that_does_not_fit_is_said_where_one_writes(composer: Composer) -> None:
    composer.setPrompt(5140, 8192)
    composer.setRecall(3)
    usual = composer._prompt.toolTip()
    composer.setTooLarge("About 9,000 tokens must be sent, and there is room for 512.")
    assert composer._prompt.text() == "does not fit"
    assert composer._prompt.isVisibleTo(composer)
    assert composer._prompt.toolTip().startswith("About 9,000 tokens")
    assert not composer._recall.isVisibleTo(composer)
    composer.setPrompt(5140, 8192)
    assert composer._prompt.text() == "next prompt ≈ 5,140 of 8,192"
    assert composer._prompt.toolTip() == usual
    assert composer._prompt.accessibleDescription() == ""
