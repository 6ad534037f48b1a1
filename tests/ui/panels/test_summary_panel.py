"""The Summary tab: read, write, edit, order and switch summaries, and let a model write them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLineEdit, QPlainTextEdit, QWidget

from memdesk.chats.model import Chat
from memdesk.settings import Settings
from memdesk.ui.dialogs.summary_generate import range_problem
from memdesk.ui.panels.summary_panel import SummaryPanel
from memdesk.ui.session import Session
from memdesk.ui.widgets.summary_card import SummaryCard
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM, Fault, Request
from tests.support.workspaces import talk

LINES = [f"Line number {number}." for number in range(1, 13)]
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)


@pytest.fixture
def chat(workspace: Workspace) -> Chat:
    return talk(workspace, *LINES)


@pytest.fixture
def server(workspace: Workspace) -> Iterator[FakeLLM]:
    with FakeLLM(reply=answer) as running:
        profile = running.profile()
        workspace.change_settings(Settings(connections=[profile], connection=profile.id))
        yield running


def answer(request: Request) -> str:
    lines = [line.split(": ")[1] for line in request.last_user_text.splitlines() if ": Line" in line]
    told = f"{lines[0]} to {lines[-1]}" if lines else "All of it together."
    return json.dumps({"title": f"{len(lines)} lines", "summary": told})


class Hands:
    """A panel, and what a person does with it."""

    def __init__(self, panel: SummaryPanel, qtbot: Any) -> None:
        self.panel, self._bot = panel, qtbot

    def wait(self, condition: Any) -> None:
        self._bot.waitUntil(lambda: bool(condition()), timeout=15_000)

    def texts(self) -> list[str]:
        return [card.entry().summary.text for card in self.panel.cards()]

    def card(self, place: int) -> SummaryCard:
        return self.panel.cards()[place]

    def find(self, inside: QWidget, kind: type, name: str) -> Any:
        found = [w for w in inside.findChildren(kind) if w.accessibleName() == name and w.isVisible()]
        assert len(found) == 1, f"{len(found)} × {name}"
        return found[0]

    def press(self, name: str, inside: QWidget | None = None, *keys: Qt.KeyboardModifier) -> None:
        button = self.find(inside or self.panel, QAbstractButton, name)
        assert button.isEnabled(), name
        QTest.mouseClick(button, Qt.MouseButton.LeftButton, *keys)

    def names(self, kind: type = QAbstractButton, inside: QWidget | None = None) -> list[str]:
        within = inside or self.panel
        return [w.accessibleName() for w in within.findChildren(kind) if w.isVisible()]

    def dialog(self, kind: str) -> Any:
        def there() -> list[QWidget]:
            return [w for w in self.panel.children() if type(w).__name__ == kind and w.isVisible()]  # type: ignore[attr-defined]

        self.wait(lambda: there() and there()[-1].isActiveWindow())
        return there()[-1]


@pytest.fixture
def hands(session: Session, chat: Chat, qtbot: Any) -> Hands:
    panel = SummaryPanel(session)
    qtbot.addWidget(panel)
    panel.resize(392, 700)
    panel.show()
    panel.setChat(chat.id)
    made = Hands(panel, qtbot)
    made.wait(lambda: panel._shown.messages == len(LINES))
    return made


def three(workspace: Workspace, chat: Chat, hands: Hands) -> list[int]:
    ids = [
        workspace.summaries.write(chat.id, t, f"{t}.", n, n + 1)[0] for t, n in (("A", 1), ("B", 3), ("C", 5))
    ]
    hands.wait(lambda: hands.texts() == ["A.", "B.", "C."])
    return ids


def test_an_empty_tab_says_what_will_be_there_and_how(hands: Hands) -> None:
    assert "Generate a summary…" in hands.names()
    hands.press("Write a summary")
    dialog = hands.dialog("SummaryEditor")
    text = hands.find(dialog, QPlainTextEdit, "Text of the summary")
    assert not hands.find(dialog, QAbstractButton, "Save").isEnabled()
    text.setPlainText("They met.")
    hands.press("It covers messages", dialog)
    hands.find(dialog, QLineEdit, "Last covered message").setText("4")
    QTest.keyClick(text, Qt.Key.Key_Return, CTRL)
    hands.wait(lambda: hands.texts() == ["They met."])
    assert hands.card(0).entry().place.last == 4
    assert hands.card(0).accessibleName().startswith("Manual summary, #1–#4")
    hands.panel._session.undo()
    hands.wait(lambda: not hands.texts())


def test_a_card_is_edited_where_it_stands_and_keeps_its_versions(
    workspace: Workspace, chat: Chat, hands: Hands
) -> None:
    three(workspace, chat, hands)
    card = hands.card(1)
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_F2)
    text = hands.find(card, QPlainTextEdit, "Text of the summary")
    text.setPlainText("Never mind.")
    QTest.keyClick(text, Qt.Key.Key_Escape)
    assert hands.texts()[1] == "B."
    QTest.keyClick(card, Qt.Key.Key_F2)
    text.setPlainText("B, better.")
    hands.find(card, QLineEdit, "Title").setText("Bee")
    QTest.keyClick(text, Qt.Key.Key_Return, CTRL)
    hands.wait(lambda: hands.texts()[1] == "B, better.")
    assert hands.card(1) is card
    assert "Bee" in card.accessibleName()
    assert "Edited" in card.accessibleName()
    hands.panel.deeds.do("versions", [card.entry().id])
    dialog = hands.dialog("SummaryVersions")
    hands.press("Restore this version", dialog)
    hands.wait(lambda: hands.texts()[1] == "B.")
    hands.panel._session.undo()
    hands.wait(lambda: hands.texts()[1] == "B, better.")


def test_what_is_being_edited_outlives_news(workspace: Workspace, chat: Chat, hands: Hands) -> None:
    ids = three(workspace, chat, hands)
    card = hands.card(0)
    card.edit()
    text = hands.find(card, QPlainTextEdit, "Text of the summary")
    text.setPlainText("In the middle of a wo")
    workspace.summaries.freeze([ids[0]], value=True)
    workspace.summaries.delete([ids[2]])
    hands.wait(lambda: len(hands.texts()) == 2)
    assert text.toPlainText() == "In the middle of a wo"
    assert "Frozen" in card.accessibleName()


def test_keys_move_freeze_switch_and_delete(workspace: Workspace, chat: Chat, hands: Hands) -> None:
    three(workspace, chat, hands)
    card = hands.card(2)
    card.setFocus()
    QTest.keyClick(card, Qt.Key.Key_Up, ALT)
    QTest.keyClick(card, Qt.Key.Key_Up, ALT)
    hands.wait(lambda: hands.texts() == ["C.", "A.", "B."])
    QTest.keyClick(card, Qt.Key.Key_F)
    QTest.keyClick(card, Qt.Key.Key_O)
    hands.wait(lambda: card.entry().summary.frozen and not card.entry().summary.enabled)
    QTest.keyClick(card, Qt.Key.Key_Down)
    assert hands.card(1).hasFocus()
    QTest.keyClick(hands.card(1), Qt.Key.Key_Delete)
    hands.wait(lambda: hands.texts() == ["C.", "B."])
    for _ in range(5):
        hands.panel._session.undo()
    hands.wait(lambda: hands.texts() == ["A.", "B.", "C."])
    assert not hands.card(2).entry().summary.frozen


def test_shift_ticks_a_range_and_all_of_it_is_combined(
    workspace: Workspace, chat: Chat, hands: Hands
) -> None:
    three(workspace, chat, hands)
    hands.press("Select “A”")
    tick = hands.find(hands.panel, QCheckBox, "Select “C”")
    QTest.mouseClick(tick, Qt.MouseButton.LeftButton, SHIFT)
    assert hands.panel._ticked == [card.entry().id for card in hands.panel.cards()]
    hands.press("Turn the selected summaries off")
    hands.wait(lambda: not any(card.entry().summary.enabled for card in hands.panel.cards()))
    hands.press("Turn the selected summaries on")
    hands.wait(lambda: all(card.entry().summary.enabled for card in hands.panel.cards()))
    hands.press("Combine the selected summaries")
    dialog = hands.dialog("SummaryEditor")
    text = hands.find(dialog, QPlainTextEdit, "Text of the summary")
    assert text.toPlainText() == "A.\n\nB.\n\nC."
    text.setPlainText("A, B and C.")
    hands.press("Save", dialog)
    hands.wait(lambda: hands.texts() == ["A, B and C.", "A.", "B.", "C."])
    assert [card.entry().summary.enabled for card in hands.panel.cards()] == [True, False, False, False]
    hands.panel.tools._inactive.setChecked(False)
    hands.wait(lambda: hands.texts() == ["A, B and C."])
    hands.panel._session.undo()
    hands.wait(lambda: hands.texts() == ["A.", "B.", "C."])


def test_the_range_leads_to_the_messages_and_says_when_they_changed(
    workspace: Workspace, chat: Chat, hands: Hands, qtbot: Any
) -> None:
    three(workspace, chat, hands)
    ids = workspace.messages.ids(chat.id)
    with qtbot.waitSignal(hands.panel.jumpRequested) as caught:
        hands.press("Go to message #3–#4")
    assert caught.args == [ids[2]]
    workspace.library.edit_message(ids[2], "Changed.")
    hands.wait(lambda: "Source changed" in hands.card(1).accessibleName())


def test_a_model_writes_and_what_failed_is_tried_again(hands: Hands, server: FakeLLM) -> None:
    hands.press("Generate a summary")
    dialog = hands.dialog("GenerateDialog")
    hands.press("Ranges of messages, a summary for each", dialog)
    hands.find(dialog, QLineEdit, "Last message of range 1").setText("4")
    hands.press("Add a range", dialog)
    hands.wait(lambda: "First message of range 2" in hands.names(QLineEdit, dialog))
    assert hands.find(dialog, QLineEdit, "First message of range 2").text() == "5"
    hands.find(dialog, QLineEdit, "First message of range 2").setText("x")
    assert not hands.find(dialog, QAbstractButton, "Generate").isEnabled()
    hands.find(dialog, QLineEdit, "First message of range 2").setText("5")
    server.faults.extend([None, Fault(status=500)])
    hands.press("Generate", dialog)
    hands.wait(lambda: hands.texts() == ["Line number 1. to Line number 4."])
    hands.wait(lambda: "Try again now" in hands.names())
    hands.press("Try again now")
    hands.wait(lambda: len(hands.texts()) == 2)
    assert hands.texts()[1] == "Line number 5. to Line number 8."
    assert "Try again now" not in hands.names()
    hands.panel._session.undo()
    hands.wait(lambda: len(hands.texts()) == 1)


def test_without_a_model_it_says_what_is_missing(hands: Hands) -> None:
    hands.press("Generate a summary")
    hands.press("Generate", hands.dialog("GenerateDialog"))
    hands.wait(lambda: "demo voice" in hands.panel.notices._trouble.text())


@pytest.mark.usefixtures("server")
def test_stop_ends_a_backfill_and_it_goes_on_later(workspace: Workspace, chat: Chat, hands: Hands) -> None:
    workspace.summaries.set_settings(chat.id, mode="entries", every_messages=2, user_messages=False)
    hands.panel.deeds.open_backfill()
    dialog = hands.dialog("BackfillDialog")
    hands.press("Begin", dialog)
    hands.wait(lambda: len(hands.texts()) >= 2)
    hands.panel.work.stop(chat.id)
    hands.wait(lambda: hands.panel.work.running(chat.id) is None)
    hands.panel.deeds.open_backfill()
    hands.wait(lambda: [d for d in hands.panel.children() if type(d).__name__ == "BackfillDialog"])
    dialog = hands.dialog("BackfillDialog")
    if hands.find(dialog, QAbstractButton, "Begin").isEnabled():
        hands.press("Begin", dialog)
    else:
        dialog.close()
    hands.wait(lambda: workspace.summarising.planned(chat.id) == [])
    told = [card.entry().summary.message_ids for card in hands.panel.cards()]
    assert sum(map(len, told)) == len(set().union(*told))


@pytest.mark.usefixtures("server")
def test_a_proposal_is_compared_and_approved(workspace: Workspace, chat: Chat, hands: Hands) -> None:
    workspace.summaries.set_settings(chat.id, review=True)
    hands.panel.work.generate(chat.id, 5)
    hands.wait(lambda: len(hands.texts()) == 1)
    assert "Waits for approval" in hands.card(0).accessibleName()
    hands.press("Compare and edit…")
    dialog = hands.dialog("SummaryEditor")
    hands.find(dialog, QPlainTextEdit, "Text of the summary").setPlainText("As I want it.")
    hands.press("Approve", dialog)
    hands.wait(lambda: hands.texts() == ["As I want it."])
    assert hands.card(0).entry().summary.active
    hands.panel._session.undo()
    hands.wait(lambda: hands.card(0).entry().summary.proposed)


@pytest.mark.parametrize(
    ("first", "last", "problem"),
    [
        ("1", "", "missing"),
        ("x", "3", "invalid"),
        ("1.5", "3", "invalid"),
        ("0", "3", "outside"),
        ("601", "700", "outside"),
        ("1", "501", "too_large"),
        ("700", "590", ""),
        ("1", "500", ""),
    ],
)
def test_a_range_says_what_is_wrong_with_it(first: str, last: str, problem: str) -> None:
    assert range_problem(first, last, 600) == problem
