"""Summaries in the whole window: their tab, the way there from the receipt, the strip, what is automatic."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QAbstractButton, QPlainTextEdit, QTabBar

from memdesk.ui.dialogs.summary_editor import SummaryEditor
from memdesk.ui.dialogs.summary_generate import GenerateDialog
from memdesk.ui.widgets.memory_strip import State
from memdesk.ui.widgets.work_bar import WorkBar
from tests.support.fake_llm import FakeLLM, Fault, Request
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

HOSTILE = "<b>bold</b> &amp; {{char}} \u202egnirts\u202c " + "x" * 3000


def answer(request: Request) -> str:
    return "What came before." if "Transcript:" in request.last_user_text else "A reply."


def show_tab(window: OpenDesk) -> None:
    bar = window.find(QTabBar, "Panels")
    bar.setCurrentIndex([bar.tabText(place) for place in range(bar.count())].index("Summary"))


def texts(window: OpenDesk) -> list[str]:
    return [card.entry().summary.text for card in window.window.summaries.cards()]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_summary_is_sent_shown_in_the_strip_and_found_from_the_receipt(desk: Desk, server: FakeLLM) -> None:
    server.reply = answer
    chat = desk.prepare(*[f"Line {number}." for number in range(1, 9)])
    with desk.workspace() as workspace:
        workspace.summaries.write(chat.id, HOSTILE, f"They met. {HOSTILE}", 1, 4)
        workspace.summaries.set_settings(chat.id, hide=True, tail=2)
        # As soon as they are embedded, the hidden lines would be recalled, and shown so.
        workspace.memories.set_settings(chat.id, enabled=False)
    desk.connect(server.profile())
    window = desk.open()
    show_tab(window)
    window.wait(lambda: len(texts(window)) == 1)
    window.wait(lambda: bytes(window.window.chat.strip._states)[:4] == bytes([State.SUMMARIZED] * 4))
    window.say("And then?")
    told = str(server.chat_requests[-1].body["messages"])
    assert "They met." in told
    assert "Line 1." not in told
    assert "Line 5." in told
    window.window.show_side("prompt")
    window.window.prompt.summaryRequested.emit(window.workspace.summary_store.all(chat.id)[0].id)
    window.wait(lambda: window.window.summaries.isVisible() and window.window.summaries.cards()[0].is_open())


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_an_automatic_summary_that_fails_says_so_and_is_tried_again(desk: Desk, server: FakeLLM) -> None:
    server.reply = answer
    server.fault = Fault(finish_reason="length")
    chat = desk.prepare(*[f"Line {number}." for number in range(1, 9)])
    desk.connect(server.profile())
    window = desk.open()
    show_tab(window)
    window.workspace.summaries.set_settings(chat.id, automatic=True, every_messages=2)
    window.wait(lambda: window.has(QAbstractButton, "Try again now"))
    server.fault = None
    window.press("Try again now")
    window.wait(lambda: texts(window) == ["What came before."])
    window.wait(lambda: not window.all(WorkBar))


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_summary_can_be_written_from_anywhere(desk: Desk) -> None:
    desk.prepare(*[f"Line {number}." for number in range(1, 9)])
    window = desk.open()
    window.window.acts.act("summary.generate").action.trigger()
    window.wait(lambda: window.all(GenerateDialog))
    (dialog,) = window.all(GenerateDialog)
    assert dialog._count == 8
    dialog.close()
    window.window.acts.act("summary.write").action.trigger()
    window.wait(lambda: window.all(SummaryEditor))
    (editor,) = window.all(SummaryEditor)
    window.find(QPlainTextEdit, "Text of the summary").setPlainText("By hand.")
    window.press("Save", editor)
    window.wait(lambda: texts(window) == ["By hand."])
