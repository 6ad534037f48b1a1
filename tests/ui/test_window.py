"""The window as a newcomer meets it: the first start, and one turn down to why it was answered so."""

from __future__ import annotations

import re

from PySide6.QtWidgets import QLabel

from memdesk.prompt.receipt import from_json
from memdesk.ui.reasons import part_title, reason_text
from memdesk.ui.widgets.fold_row import RowHead
from memdesk.ui.widgets.pills import SourcePill
from tests.ui.windows import Desk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


def test_the_first_start_shows_a_sample_chat_and_what_is_remembered_of_it(desk: Desk) -> None:
    window = desk.open(samples=True)
    assert len(window.rows("Chats")) == 2
    assert len(window.shown()) > 20
    assert window.title
    window.wait(lambda: window.rows("Memories"))
    window.wait(lambda: any(re.fullmatch(r"[\d,]+ memories", label.text()) for label in window.all(QLabel)))
    counts = [label for label in window.all(QLabel) if re.fullmatch(r"[\d,]+ memories", label.text())]
    assert int(counts[0].text().split()[0].replace(",", "")) >= 200


def test_a_turn_from_the_first_key_to_the_receipt(desk: Desk) -> None:
    window = desk.open(samples=True)
    title = next(title for title in window.rows("Chats") if title.isascii())
    window.open_chat(title)
    last = window.window.chat.model.count
    window.wait(lambda: window.rows("Memories"))
    window.send("Do you remember what I told you about the lighthouse?")
    assert window.words.toPlainText()
    window.wait(lambda: not window.words.toPlainText())
    assert window.texts()[last] == "Do you remember what I told you about the lighthouse?"
    window.wait(lambda: window.window.chat.model.count == last + 2)
    window.wait(lambda: window.shown()[-2].startswith("Do you remember"))
    lengths = set()

    def grows() -> bool:
        lengths.add(len(window.shown()[-1]))
        return not window.running.session.replying(window.chat_id)

    window.wait(grows)
    assert len(lengths) > 3
    window.wait(lambda: window.shown()[-1] == window.message(last + 2).body.toPlainText())
    reply = window.message(last + 2)
    window.wait(lambda: reply.findChildren(SourcePill))
    (pill,) = reply.findChildren(SourcePill)
    assert re.fullmatch(r"\d+ memor(y|ies)", pill.accessibleName())
    window.press(pill.accessibleName(), reply)
    window.wait(lambda: window.has(QLabel, f"Reply #{last + 2}"))
    receipt = window.window.prompt.receipt()
    assert receipt is not None
    kept = window.workspace.receipts.get(window.stored()[-1].swipe.id)
    assert kept is not None
    assert receipt == from_json(kept)
    rows = [head.accessibleName() for head in window.all(RowHead)]
    memories = [part for part in receipt.parts if part.kind == "memory" and part.included]
    assert len(memories) == int(pill.accessibleName().split()[0]) > 0
    for part in memories:
        assert any(part_title(part.title) in row and reason_text(part.reason) in row for row in rows), rows
