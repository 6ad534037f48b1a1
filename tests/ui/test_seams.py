"""Where the pieces of the window meet: keys, tab order, second clicks, and what all chats share."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from memdesk.ui.keymap import WINDOW, current_keymap
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]


@pytest.fixture(name="open_desk")
def open_desk_fixture(desk: Desk) -> OpenDesk:
    desk.prepare("Hello.", "Good day.")
    return desk.open()


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_two_actions_come_with_the_same_key(open_desk: OpenDesk) -> None:
    keymap = current_keymap()
    known = sorted(keymap._defaults)
    assert {act.id for act in open_desk.window.acts.all()} <= set(known)
    clashes = {
        (act_id, other, key)
        for act_id in known
        for key in keymap.default(act_id)
        for other in keymap.clashes(act_id, key)
        # Other tests of this process may have taught the keymap actions of their own.
        if not act_id.startswith("test.") and not other.startswith("test.")
    }
    assert not clashes


def test_every_key_reaches_its_action_while_one_writes(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    acts = open_desk.window.acts
    heard: list[str] = []
    for act in acts.all():
        monkeypatch.setattr(act, "run", lambda name=act.id: heard.append(name))
        monkeypatch.setattr(act, "when", None)
        act.action.setEnabled(True)
    words = open_desk.words
    words.setFocus()
    wanted = []
    for act in acts.all():
        for sequence in current_keymap().sequences(act.id):
            wanted.append(act.id)
            QTest.keySequence(words, sequence)
    assert heard == wanted


def test_keys_that_a_widget_looks_at_itself_are_all_listed() -> None:
    keymap = current_keymap()
    inside = {act_id for act_id, scope in keymap._scopes.items() if scope != WINDOW}
    assert all(keymap.default(act_id) for act_id in inside)
