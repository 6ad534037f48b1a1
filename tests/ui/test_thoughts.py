"""What a model thinks is shown apart, kept, and goes nowhere else."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QPlainTextEdit, QToolButton

from memdesk.chats.model import SwipeState
from memdesk.ui.widgets.thoughts import ThoughtsFold
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import WordEmbedder, use_embedder
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


@pytest.fixture
def open_desk(desk: Desk, server: FakeLLM, monkeypatch: pytest.MonkeyPatch) -> OpenDesk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.")
    return desk.open()


def fold(desk: OpenDesk, number: int) -> ThoughtsFold | None:
    return desk.message(number).thoughts(made=False)


@pytest.mark.parametrize(
    ("answer", "separate"),
    [
        ("She is at the door.", "the Zanzibar plan"),
        ("<think>the Zanzibar plan</think>\n\nShe is at the door.", ""),
        ("<think>the Zanzibar plan</think>She is <Reasoning>", ""),
        ("the Zanzibar plan</think>\n\nShe is at the door.", ""),
    ],
)
def test_thoughts_are_kept_apart_and_go_nowhere(
    open_desk: OpenDesk, server: FakeLLM, answer: str, separate: str
) -> None:
    server.reply, server.reasoning = answer, separate
    open_desk.say("Where is she?")
    message = open_desk.stored()[3]
    assert message.text.startswith("She is")
    assert message.swipe.reasoning == "the Zanzibar plan"
    assert message.swipe.tokens == open_desk.workspace.count(message.text)
    assert message.swipe.generation["thought_seconds"] >= 0
    open_desk.wait(lambda: open_desk.shown()[-1].startswith("She is"))
    shown = fold(open_desk, 4)
    assert shown is not None
    assert not shown.open
    open_desk.press(next(b.accessibleName() for b in _buttons(shown)))
    assert open_desk.find(QPlainTextEdit, "Thoughts of the model").toPlainText() == "the Zanzibar plan"
    server.reasoning = ""
    open_desk.say("And then?")
    assert "Zanzibar" not in str(server.chat_requests[-1].messages)
    open_desk.workspace.jobs.wait_idle()
    chunks = open_desk.workspace.chunks.page(open_desk.chat_id, 0)
    assert chunks
    assert not any("Zanzibar" in chunk.text for chunk in chunks)
    assert open_desk.workspace.finder.search("Zanzibar").total == 0


def _buttons(shown: ThoughtsFold) -> list[QToolButton]:
    from PySide6.QtWidgets import QToolButton

    return shown.findChildren(QToolButton)


def test_thoughts_are_seen_while_they_come_and_fold_when_the_reply_begins(
    open_desk: OpenDesk, server: FakeLLM
) -> None:
    server.reasoning, server.reply = "thinking about it " * 12, "word " * 60
    server.fault = Fault(delta_delay=0.01)
    open_desk.send("Talk.")
    open_desk.wait(lambda: len(open_desk.shown()) == 4 and fold(open_desk, 4) is not None)
    growing = fold(open_desk, 4)
    assert growing is not None
    open_desk.wait(lambda: growing.open and len(growing.text) > 20)
    open_desk.wait(lambda: "word" in open_desk.shown()[-1])
    assert not growing.open
    open_desk.wait_idle()
    done = fold(open_desk, 4)
    assert done is not None
    assert done.text == ("thinking about it " * 12).strip()


def test_a_reply_stopped_while_it_thinks_and_one_that_is_only_thoughts(
    open_desk: OpenDesk, server: FakeLLM
) -> None:
    server.reply = "<think>only this and never an end"
    open_desk.say("Talk.")
    message = open_desk.stored()[3]
    assert (message.text, message.swipe.reasoning) == ("", "only this and never an end")
    assert message.swipe.state is SwipeState.DONE
    shown = fold(open_desk, 4)
    assert shown is not None
    assert shown.text == "only this and never an end"


def test_editing_keeps_the_thoughts_and_another_version_has_its_own(
    open_desk: OpenDesk, server: FakeLLM
) -> None:
    server.reply = "<think>first</think>One."
    open_desk.say("Talk.")
    message = open_desk.stored()[3]
    open_desk.running.session.edit_message(message.id, "Two.")
    open_desk.wait(lambda: open_desk.shown()[-1] == "Two.")
    assert open_desk.stored()[3].swipe.reasoning == "first"
    shown = fold(open_desk, 4)
    assert shown is not None
    assert shown.text == "first"
    server.reply = "Three."
    open_desk.window.chat.regenerate_last()
    open_desk.wait(lambda: open_desk.shown()[-1] == "Three.")
    open_desk.wait_idle()
    assert fold(open_desk, 4) is None
    open_desk.running.session.choose_swipe(message.id, 0)
    open_desk.wait(lambda: open_desk.shown()[-1] == "Two.")
    back = fold(open_desk, 4)
    assert back is not None
    assert back.text == "first"
