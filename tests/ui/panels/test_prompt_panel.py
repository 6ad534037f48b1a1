"""The Prompt tab shows what the model was told and why, at any length."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QToolButton

from memdesk.chats.changes import Change, ChangeKind
from memdesk.prompt.budget import Budget
from memdesk.prompt.parts import Part, Reason
from memdesk.prompt.receipt import Receipt
from memdesk.ui.panels.prompt_panel import PromptPanel
from memdesk.ui.panels.receipt_view import FIRST_LOSERS, FIRST_ROWS, spent
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.ui.widgets.context_bar import ContextBar
from memdesk.ui.widgets.fold_row import SHOWN_CHARACTERS, Batches, RowHead
from memdesk.ui.widgets.pills import InfoPill
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import say, sync, talk

LONG_TALK = [
    f"Line {at}: "
    + ("the lamp failed on the fifteenth of March. " if at < 4 else "we walk the long stairs. ") * 9
    for at in range(160)
]


@pytest.fixture
def panel(session: Session, qtbot: Any) -> PromptPanel:
    shown = PromptPanel(session)
    qtbot.addWidget(shown)
    shown.resize(392, 700)
    shown.show()
    return shown


def labels(panel: PromptPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(QLabel) if label.isVisible() and label.text()]


def heads(panel: PromptPanel) -> list[RowHead]:
    return [head for head in panel.findChildren(RowHead) if head.isVisible()]


def head(panel: PromptPanel, title: str) -> RowHead:
    # Qt shows what was added to a layout with the next turn of its loop.
    QCoreApplication.processEvents()
    (found,) = [row for row in heads(panel) if row.text() == title]
    return found


def stored(workspace: Workspace, chat_id: int, receipt: Receipt) -> tuple[int, int]:
    """Give the last message of a chat a receipt; returns (message id, swipe id)."""
    message_id = workspace.messages.ids(chat_id)[-1]
    swipe_id = workspace.messages.get(message_id).swipe.id
    workspace.receipts.put(swipe_id, receipt.to_json())
    return message_id, swipe_id


def open_receipt(
    panel: PromptPanel, workspace: Workspace, qtbot: Any, receipt: Receipt, number: int = 312
) -> int:
    chat = talk(workspace, "Hello", "Hello yourself")
    message_id, swipe_id = stored(workspace, chat.id, receipt)
    panel.setChat(chat.id)
    with qtbot.waitSignal(panel.receiptShown) as shown:
        panel.showReply(message_id, swipe_id, number)
    assert shown.args == [receipt]
    return chat.id


def part(title: str = "Description", **more: Any) -> Part:
    fields: dict[str, Any] = {
        "kind": "character",
        "text": f"text of {title}",
        "tokens": 10,
        "included": True,
        "reason": Reason("always"),
        **more,
    }
    return Part(title=title, **fields)


def receipt_of(*parts: Part, **more: Any) -> Receipt:
    used = sum(item.tokens for item in parts if item.included)
    fields: dict[str, Any] = {
        "messages": ({"role": "system", "content": "Be *Mara*."}, {"role": "user", "content": "Hello"}),
        "model": "mistral-small",
        "order": ("history", "memory"),
        **more,
    }
    return Receipt(8192, 512, used, tuple(parts), **fields)


MEMORY = part(
    "#46–50",
    kind="memory",
    tokens=148,
    score=0.83,
    scores={"meaning": 0.71, "words": 0.52, "neighbour": 0.14},
    reason=Reason("chosen", {"score": 0.83, "place": 1, "limit": 3}),
    source={"chunk": 77, "messages": [46, 47]},
)
LOSER = replace(
    MEMORY,
    title="#9",
    included=False,
    score=0.2,
    reason=Reason("below_threshold", {"threshold": 0.25}),
    source={"chunk": 78, "messages": []},
)


# ── a real turn ──────────────────────────────────────────────────────────────────────────────────────


def test_a_real_reply_is_explained_from_its_stored_receipt(
    panel: PromptPanel, workspace: Workspace, qtbot: Any
) -> None:
    chat = talk(workspace, *LONG_TALK)
    workspace.sync.chunk_stale(CancelToken())
    waiting = workspace.chunks.page(chat.id, workspace.sync.space_id)[-6:]
    workspace.sync._embed(waiting)
    reply = workspace.conversation.send(
        chat.id, "When did the lamp fail?", lambda _event: None, CancelToken()
    )
    assert reply is not None
    panel.setChat(chat.id)
    with qtbot.waitSignal(panel.receiptShown) as shown:
        panel.showReply(reply.id, reply.swipe.id, reply.number)
    receipt = shown.args[0]
    assert receipt == panel.receipt()
    assert f"Reply #{reply.number}" in labels(panel)
    number = panel.locale().toString
    assert any(
        f"~{number(receipt.used)} of {number(receipt.context)} tokens" in words for words in labels(panel)
    )
    assert any(words.startswith("searched with: ") and "lamp fail" in words for words in labels(panel))
    assert any("gives way first: old messages, then recalled memories" in words for words in labels(panel))
    titles = [row.text() for row in heads(panel)]
    assert titles.index("Instructions") < titles.index("Memories") < titles.index("Messages")
    assert titles.index("Messages") < titles.index("Left out") < titles.index("Exact messages")
    assert sum(receipt.sent(kind) for kind in ("memory",)) >= 1
    bar = next(bar for bar in panel.findChildren(ContextBar))
    assert bar.used == receipt.used
    pills = [pill.text() for pill in panel.findChildren(InfoPill)]
    assert f"Kept free for the reply {number(receipt.reserve)}" in pills


def test_the_next_prompt_follows_the_chat(
    panel: PromptPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    chat = talk(workspace, "Hello", "Hello yourself")
    panel.setChat(chat.id)
    assert "No reply is selected" in labels(panel)
    with qtbot.waitSignal(panel.receiptShown):
        qtbot.mouseClick(find(panel, QPushButton, "Show the next prompt"), Qt.MouseButton.LeftButton)
    assert "Next prompt" in labels(panel)
    assert find(panel, QToolButton, "Show the prompt that would be sent next").isChecked()
    say(workspace, chat.id, "One line more")
    with qtbot.waitSignal(panel.receiptShown) as shown:
        workspace.bus.publish(Change(ChangeKind.MESSAGES_ADDED, chat.id, ()))
    assert shown.args[0].messages[-1]["content"] == "One line more"
    with qtbot.waitSignal(panel.receiptShown) as shown:
        panel.showPreview("what I am about to say")
    assert shown.args[0].messages[-1]["content"] == "what I am about to say"


def test_a_prompt_that_does_not_fit_is_said_in_plain_words(
    panel: PromptPanel, workspace: Workspace, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = talk(workspace, "Hello", description="A very long story. " * 400)
    monkeypatch.setattr(workspace.conversation._prompts, "budget", lambda _profile: Budget(1024, 256))
    panel.setChat(chat.id)
    panel.showPreview()
    qtbot.waitUntil(lambda: "The next prompt does not fit" in labels(panel))
    words = next(text for text in labels(panel) if text.startswith("About"))
    assert "there is room for" in words
    assert "Description (~" in words
    assert re.search(r"About \d,\d\d\d tokens", words)
    assert panel.receipt() is None


# ── what it shows ────────────────────────────────────────────────────────────────────────────────────


def test_parts_show_tokens_reason_score_and_text(
    panel: PromptPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    open_receipt(panel, workspace, qtbot, receipt_of(part(), MEMORY, LOSER, earlier=286))
    winner, loser = head(panel, "#46–50"), head(panel, "#9")
    assert winner.accessibleName() == (
        "#46–50, text of #46–50, ~148, chosen: place 1, the best 3 are sent, "
        "meaning 0.71 · words 0.52 · neighbour 0.14"
    )
    assert "chosen: place 1, the best 3 are sent\nmeaning 0.71 · words 0.52 · neighbour" in winner.toolTip()
    assert "below threshold 0.25" in loser.accessibleName()
    assert "286 earlier messages" in head(panel, "Left out").accessibleName()
    assert "always sent · ~10" in head(panel, "Description").accessibleName()
    assert not [box for box in panel.findChildren(QPlainTextEdit) if box.isVisible()]
    qtbot.mouseClick(winner, Qt.MouseButton.LeftButton)
    assert find(panel, QPlainTextEdit, "#46–50").toPlainText() == "text of #46–50"
    with qtbot.waitSignal(panel.jumpRequested) as jump:
        qtbot.mouseClick(find(panel, QPushButton, "Jump to message"), Qt.MouseButton.LeftButton)
    assert jump.args == [46]
    with qtbot.waitSignal(panel.chunkRequested) as wanted:
        qtbot.mouseClick(find(panel, QPushButton, "Show memory"), Qt.MouseButton.LeftButton)
    assert wanted.args == [77]
    qtbot.mouseClick(find(panel, QPushButton, "Copy"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "text of #46–50"
    qtbot.keyClick(winner, Qt.Key.Key_Space)
    assert not [box for box in panel.findChildren(QPlainTextEdit) if box.isVisible()]


def test_memories_begin_with_their_first_words_and_queries_are_plain(
    panel: PromptPanel, workspace: Workspace, qtbot: Any
) -> None:
    told = replace(MEMORY, text='*She looks at the **dead** lamp.*\n"The year it failed." ' + "so " * 200)
    open_receipt(
        panel, workspace, qtbot, receipt_of(part(), told, queries={"recall": "*waves* where is\nit?"})
    )
    begins = head(panel, "#46–50").words().begins
    assert begins.startswith('She looks at the dead lamp. "The year it failed." so so')
    assert begins.endswith("…")
    assert "searched with: waves where is it?" in labels(panel)
    assert head(panel, "Description").words().begins == ""


def test_exact_messages_are_shown_and_copied_word_for_word(
    panel: PromptPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    receipt = receipt_of(part())
    open_receipt(panel, workspace, qtbot, receipt)
    qtbot.mouseClick(find(panel, QPushButton, "Copy all messages as JSON"), Qt.MouseButton.LeftButton)
    assert json.loads(QGuiApplication.clipboard().text()) == list(receipt.messages)
    qtbot.mouseClick(head(panel, "Exact messages"), Qt.MouseButton.LeftButton)
    qtbot.mouseClick(find(panel, QToolButton, "Copy message 1"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Be *Mara*."
    qtbot.mouseClick(head(panel, "2  user"), Qt.MouseButton.LeftButton)
    reader = find(panel, QPlainTextEdit, "2  user")
    assert reader.toPlainText() == "Hello"
    assert reader.font().pixelSize() == current_theme().font("mono").pixelSize()


def test_sums_agree_with_the_total_and_warnings_are_shown(
    panel: PromptPanel, workspace: Workspace, qtbot: Any
) -> None:
    receipt = replace(receipt_of(part(), MEMORY, warnings=("Recall <b>failed</b>.",)), used=140)
    open_receipt(panel, workspace, qtbot, receipt)
    assert spent(receipt) == {"character": 10, "memory": 130, "reply": 512}
    assert "Recall <b>failed</b>." in labels(panel)
    assert "Memories ~130" in [pill.text() for pill in panel.findChildren(InfoPill)]


def test_a_warning_says_what_to_do_first_and_its_cause_below(
    panel: PromptPanel, workspace: Workspace, qtbot: Any
) -> None:
    cause = "The model file /usr/lib/model.onnx is missing."
    open_receipt(
        panel, workspace, qtbot, receipt_of(part(), warnings=(f"Recall works by words only: {cause}",))
    )
    shown = labels(panel)
    at = shown.index(cause)
    assert shown[at - 1].startswith("Recall works by words only. The memory model that ships with memdesk")


def test_a_message_without_a_receipt_says_so(
    panel: PromptPanel, workspace: Workspace, qtbot: Any, find: Any
) -> None:
    chat = talk(workspace, "Hello")
    message = workspace.messages.get(workspace.messages.ids(chat.id)[0])
    panel.setChat(chat.id)
    panel.showReply(message.id, message.swipe.id, 1)
    qtbot.waitUntil(lambda: "Message #1 has no receipt" in labels(panel))
    assert find(panel, QPushButton, "Show the next prompt").isEnabled()
    panel.setChat(None)
    assert "No chat is open" in labels(panel)


def test_the_last_question_wins(panel: PromptPanel, workspace: Workspace, qtbot: Any) -> None:
    chat = talk(workspace, "Hello", "Hello yourself")
    message_id, swipe_id = stored(workspace, chat.id, receipt_of(part()))
    panel.setChat(chat.id)
    shown: list[Receipt] = []
    panel.receiptShown.connect(shown.append)
    panel.showPreview()
    panel.showReply(message_id, swipe_id, 2)
    panel.setChat(None)
    qtbot.wait(200)
    assert shown == []
    assert "No chat is open" in labels(panel)


def test_a_hidden_panel_reads_but_builds_nothing(
    panel: PromptPanel, workspace: Workspace, qtbot: Any
) -> None:
    panel.hide()
    open_receipt(panel, workspace, qtbot, receipt_of(part()))
    assert not panel.findChildren(RowHead)
    panel.show()
    assert head(panel, "Description").isVisible()


def test_open_groups_stay_as_they_were_left(panel: PromptPanel, workspace: Workspace, qtbot: Any) -> None:
    chat_id = open_receipt(panel, workspace, qtbot, receipt_of(part()))
    head(panel, "Character").setChecked(False)
    head(panel, "Exact messages").setChecked(True)
    message_id, swipe_id = stored(workspace, chat_id, receipt_of(part(), MEMORY))
    with qtbot.waitSignal(panel.receiptShown):
        panel.showReply(message_id, swipe_id, 313)
    assert not head(panel, "Character").isChecked()
    assert head(panel, "Exact messages").isChecked()
    assert "Reply #313" in labels(panel)
    assert "Reply #312" not in labels(panel)


# ── long and hostile ─────────────────────────────────────────────────────────────────────────────────


def test_long_receipts_make_rows_only_when_they_are_asked_for(
    panel: PromptPanel, workspace: Workspace, qtbot: Any
) -> None:
    history = [part(f"#{at} Ann", kind="history", source={"messages": [at]}) for at in range(1, 501)]
    losers = [replace(LOSER, title=f"#{at}") for at in range(600, 640)]
    messages = tuple({"role": "user", "content": f"message {at}"} for at in range(500))
    open_receipt(panel, workspace, qtbot, receipt_of(*history, *losers, messages=messages))
    assert len(panel.findChildren(RowHead)) == 3 + FIRST_LOSERS
    assert "500 · ~5,000 tokens" in head(panel, "Messages").accessibleName()
    head(panel, "Messages").setChecked(True)
    assert len([row for row in heads(panel) if row.text().endswith("Ann")]) == Batches.STEP
    more = [
        button for button in panel.findChildren(QPushButton) if button.accessibleName() == "Show 100 more"
    ]
    qtbot.mouseClick(more[0], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: len([row for row in heads(panel) if row.text().endswith("Ann")]) == 2 * Batches.STEP
    )
    head(panel, "Exact messages").setChecked(True)
    qtbot.waitUntil(lambda: len([row for row in heads(panel) if row.text().endswith("user")]) == FIRST_ROWS)


def test_hostile_texts_are_shown_as_they_are(panel: PromptPanel, workspace: Workspace, qtbot: Any) -> None:
    title = "#1 Ann\n<img src='file:///etc/passwd'>\"'👻"
    huge = "x" * 1_000_000
    receipt = receipt_of(
        part(title, kind="history", text=huge, source={"messages": [1]}),
        part("Scenario", text="\ufdd0 \u2028 <script>\x00"),
        messages=({"role": "user", "content": huge}, {"role": "<b>", "content": ""}),
        queries={"recall": "<b>when</b>\n" * 400},
        model="evil\nmodel<b>",
    )
    open_receipt(panel, workspace, qtbot, receipt)
    for name in ("Messages", "Exact messages"):
        head(panel, name).setChecked(True)
    flat = " ".join(title.split())
    head(panel, flat).setChecked(True)
    head(panel, "1  user").setChecked(True)
    head(panel, "Scenario").setChecked(True)
    boxes = {
        box.accessibleName(): box.toPlainText()
        for box in panel.findChildren(QPlainTextEdit)
        if box.isVisible()
    }
    assert len(boxes[flat]) == SHOWN_CHARACTERS
    assert boxes["Scenario"] == "\ufffd \n <script>\ufffd"
    assert any(words.startswith("The first 20,000 of 1,000,000 characters") for words in labels(panel))
    assert any(words.startswith("evil model<b> · ") for words in labels(panel))
    assert max(len(words) for words in labels(panel)) < 500
    copies = [button for button in panel.findChildren(QPushButton) if button.accessibleName() == "Copy"]
    qtbot.mouseClick(copies[0], Qt.MouseButton.LeftButton)
    assert len(QGuiApplication.clipboard().text()) in {1_000_000, len(receipt.parts[1].text)}
    for mode in ("dark", "light"):
        current_theme().setMode(mode)  # type: ignore[arg-type]
        assert not panel.grab().isNull()


def test_a_narrow_panel_keeps_within_its_width(panel: PromptPanel, workspace: Workspace, qtbot: Any) -> None:
    open_receipt(panel, workspace, qtbot, receipt_of(part("#1 " + "W" * 400, kind="history"), MEMORY, LOSER))
    head(panel, "Messages").setChecked(True)
    panel.resize(300, 500)
    qtbot.wait(30)
    view = panel.findChildren(RowHead)[0].window()
    assert all(row.mapTo(view, row.rect().topRight()).x() <= panel.width() for row in heads(panel))


def test_a_vectorized_chat_recalls_by_meaning(panel: PromptPanel, workspace: Workspace, qtbot: Any) -> None:
    chat = talk(workspace, "My birthday is the fifteenth of March.", "I shall bake a cake.")
    sync(workspace, chat.id)
    panel.setChat(chat.id)
    with qtbot.waitSignal(panel.receiptShown):
        panel.showPreview("When was I born?")
    rows = [row.accessibleName() for row in heads(panel)]
    assert any("meaning" in name and "already in the" in name for name in rows)
