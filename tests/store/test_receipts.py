from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.store.receipts import ReceiptStore, _fold, _unfold
from memdesk.workspace import Workspace
from tests.support.workspaces import talk

KEYS = st.sampled_from(["text", "content", "parts", "title", "字", ""]) | st.text(max_size=5).filter(
    lambda key: not key.startswith("text#")
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-1000, 1000) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@pytest.fixture
def swipes(workspace: Workspace) -> list[int]:
    chat = talk(workspace, *"abc")
    return [message.swipe.id for message in workspace.messages.page(chat.id, 1, 10)]


@settings(deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=5))
def test_folding_takes_every_text_out_and_puts_it_back(value: dict[str, Any]) -> None:
    texts: dict[bytes, str] = {}
    folded = _fold(value, texts)
    assert _unfold(folded, texts) == value


def test_a_receipt_comes_back_as_it_was(workspace: Workspace, swipes: list[int]) -> None:
    receipts = ReceiptStore(workspace.database)
    value = {
        "messages": [{"role": "system", "content": "Long " * 500}, {"role": "user", "content": "字 🙂\n"}],
        "parts": [{"text": "", "tokens": 0, "score": None, "scores": {"meaning": 0.25}}],
        "warnings": [],
    }
    assert receipts.get(swipes[0]) is None
    receipts.put(swipes[0], value)
    assert receipts.get(swipes[0]) == value
    receipts.put(swipes[0], {"messages": []})
    assert receipts.get(swipes[0]) == {"messages": []}


def test_a_text_that_repeats_is_stored_once(workspace: Workspace, swipes: list[int]) -> None:
    for swipe in swipes:
        workspace.receipts.put(swipe, {"parts": [{"text": "The same long text. " * 100}]})
    with workspace.database.read() as db:
        assert db.execute("SELECT count(*) FROM receipt_texts").fetchone()[0] == 1
        assert db.execute("SELECT max(length(body)) FROM receipts").fetchone()[0] < 200


def test_a_receipt_goes_with_its_swipe(workspace: Workspace, swipes: list[int]) -> None:
    workspace.receipts.put(swipes[0], {"a": 1})
    assert workspace.messages.page(1, 1, 1)[0].swipe.has_receipt
    workspace.messages.drop_empty_swipe(swipes[0])
    assert workspace.receipts.get(swipes[0]) is None
