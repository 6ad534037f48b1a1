"""The window over a chat: pages, changes, streams."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from memdesk.ui.models.messages import MORE, PAGE, WINDOW, MessageWindowModel


@pytest.fixture
def make_model(make_message: Any, shelf: Any) -> Any:
    def make(count: int) -> tuple[MessageWindowModel, Any]:
        store = shelf([make_message(number) for number in range(1, count + 1)])
        model = MessageWindowModel()
        model.pageWanted.connect(lambda first, limit: model.setPage(store.page(first, limit)))
        model.open(1, count)
        return model, store

    return make


def numbers(model: MessageWindowModel) -> list[int]:
    return [message.number for message in model.messages]


def test_opens_at_the_end(make_model: Any) -> None:
    model, store = make_model(10_000)
    assert numbers(model) == list(range(10_001 - PAGE, 10_001))
    assert store.asked == [(10_001 - PAGE, PAGE)]
    assert model.at_end


@pytest.mark.parametrize("count", [0, 1, PAGE - 1, PAGE, PAGE + 1])
def test_small_chats(make_model: Any, count: int) -> None:
    model, _ = make_model(count)
    assert numbers(model) == list(range(max(1, count - PAGE + 1), count + 1))
    model.wantOlder()
    model.wantNewer()
    assert numbers(model) == list(range(1, count + 1))


def test_slides_up_and_down_within_the_window(make_model: Any) -> None:
    model, _ = make_model(1000)
    for _ in range(12):
        model.wantOlder()
    assert len(model.messages) == WINDOW
    assert model.first == 1000 - PAGE - 12 * MORE + 1
    assert not model.at_end
    while not model.at_end:
        model.wantNewer()
    assert numbers(model) == list(range(1001 - WINDOW, 1001))


def test_jumps(make_model: Any) -> None:
    model, _ = make_model(1000)
    assert model.wantAround(200)
    assert model.first <= 200 <= model.last
    assert not model.wantAround(200)
    assert model.wantAround(10**9)
    assert model.last == 1000


def test_late_and_foreign_pages_are_dropped(make_message: Any) -> None:
    model = MessageWindowModel()
    model.open(1, 500)
    model.wantAround(100)
    model.setPage([make_message(number) for number in range(501 - PAGE, 501)])
    assert model.messages == []
    model.setPage([make_message(number, chat_id=2) for number in range(90, 90 + PAGE)])
    assert model.messages == []
    model.setPage([make_message(number) for number in range(90, 90 + PAGE)])
    assert numbers(model) == list(range(90, 90 + PAGE))


def test_a_failed_page_can_be_asked_for_again(make_message: Any) -> None:
    model = MessageWindowModel()
    asked = []
    model.pageWanted.connect(lambda first, limit: asked.append((first, limit)))
    model.open(1, 100)
    model.setPage([make_message(number) for number in range(101 - PAGE, 101)])
    model.wantOlder()
    model.wantOlder()
    assert len(asked) == 2
    model.pageFailed()
    model.wantOlder()
    assert asked[1:] == [(101 - PAGE - MORE, MORE)] * 2


def test_new_messages_are_held_only_at_the_end(make_model: Any, make_message: Any) -> None:
    model, store = make_model(200)
    store.messages.append(make_message(201))
    model.append(store.messages[-1])
    model.append(store.messages[-1])
    assert (model.last, model.count) == (201, 201)
    model.wantAround(10)
    store.messages.append(make_message(202))
    model.append(store.messages[-1])
    assert (model.last, model.count) == (PAGE, 202)


def test_removal_closes_the_numbers(make_model: Any) -> None:
    model, store = make_model(60)
    before = [message.id for message in model.messages]
    removed = []
    model.removed.connect(removed.extend)
    model.remove([50, 51])
    assert numbers(model) == list(range(61 - PAGE, 59))
    assert [message.id for message in model.messages] == [i for i in before if i not in (50, 51)]
    assert removed == [50, 51]
    store.messages = [
        replace(message, number=at)
        for at, message in enumerate((m for m in store.messages if m.id not in (1, 50, 51)), 1)
    ]
    model.remove([1])
    assert model.count == 57
    assert [model.messages[0].number, model.messages[0].id] == [61 - PAGE, 62 - PAGE]


def test_streams_gather_deltas(make_model: Any, make_message: Any, qtbot: QtBot) -> None:
    model, _ = make_model(10)
    model.append(make_message(11, swipe_fields={"text": ""}))
    heard = []
    model.deltaAppended.connect(lambda message_id, text: heard.append((message_id, text)))
    model.startStream(11, generation=7)
    for piece in ("a", "b", "c"):
        model.appendDelta(11, piece, 7)
    assert heard == []
    qtbot.waitUntil(lambda: heard == [(11, "abc")])
    assert model.text(11) == "abc"
    model.endStream(11, 7)
    assert model.find(11).text == "abc"
    assert not model.streaming(11)


def test_deltas_of_a_stopped_reply_are_dropped(make_model: Any) -> None:
    model, _ = make_model(10)
    model.startStream(10, 1)
    model.appendDelta(10, "old", 1)
    model.flush()
    model.startStream(10, 2)
    model.appendDelta(10, "late", 1)
    model.appendDelta(10, "new", 2)
    model.flush()
    assert model.text(10) == "new"
    model.endStream(10, 1)
    assert model.streaming(10)
    model.endStream(10, 2)
    model.appendDelta(10, "after the end", 2)
    model.flush()
    assert model.text(10) == "new"


def test_a_saved_part_does_not_cut_the_stream(make_model: Any, make_message: Any) -> None:
    model, _ = make_model(10)
    model.startStream(10, 1)
    model.appendDelta(10, "one two", 1)
    model.flush()
    model.change(make_message(10, "one"))
    model.appendDelta(10, " three", 1)
    model.flush()
    assert model.text(10) == "one two three"


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 400),
    st.lists(
        st.tuples(st.sampled_from(["older", "newer", "jump", "append", "remove"]), st.integers(1, 400)),
        max_size=25,
    ),
)
def test_the_window_is_always_a_gapless_part_of_the_chat(count: int, steps: list[tuple[str, int]]) -> None:
    from tests.ui.conftest import Shelf, make_message

    store = Shelf([make_message(number) for number in range(1, count + 1)])
    model = MessageWindowModel()
    model.pageWanted.connect(lambda first, limit: model.setPage(store.page(first, limit)))
    model.open(1, count)
    next_id = 1000
    for step, number in steps:
        if step == "older":
            model.wantOlder()
        elif step == "newer":
            model.wantNewer()
        elif step == "jump":
            model.wantAround(number)
        elif step == "append":
            store.messages.append(replace(make_message(len(store.messages) + 1), id=(next_id := next_id + 1)))
            model.append(store.messages[-1])
        elif store.messages:
            gone = store.messages[number % len(store.messages)].id
            kept = [message for message in store.messages if message.id != gone]
            store.messages = [replace(message, number=at) for at, message in enumerate(kept, 1)]
            model.remove([gone])
        assert model.count == len(store.messages)
        assert len(model.messages) <= WINDOW
        assert bool(model.messages) == bool(store.messages)
        assert model.messages == store.messages[max(0, model.first - 1) : model.last]


def test_messages_come_back_at_the_ends_and_between(make_message: Any) -> None:
    model = MessageWindowModel()
    model.open(1, 5)
    model.setPage([make_message(n) for n in range(1, 6)])
    news: list[list[int]] = []
    model.restored.connect(news.append)
    for gone in ([1], [3], [5], [1, 2, 5]):
        model.remove(gone)
        model.restore([make_message(n) for n in gone])
        assert [(m.id, m.number) for m in model.messages] == [(n, n) for n in range(1, 6)]
        assert model.count == 5
        assert news[-1] == gone
    model.restore([make_message(3)])
    assert model.count == 5


def test_what_comes_back_beyond_the_window_only_moves_the_numbers(make_message: Any) -> None:
    model = MessageWindowModel()
    model.open(1, 50)
    model.pageFailed()
    model.setPage([make_message(n) for n in range(20, 31)])
    model.restore([replace(make_message(999), number=3)])
    assert [m.number for m in model.messages] == list(range(21, 32))
    model.restore([replace(make_message(998), number=45)])
    assert [m.number for m in model.messages] == list(range(21, 32))
    assert model.count == 52
