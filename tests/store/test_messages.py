from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.chats.model import SwipeState
from memdesk.store.errors import StoreError
from memdesk.store.messages import NewMessage
from memdesk.workspace import Workspace
from tests.support.workspaces import say, talk


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return [message.text for message in workspace.messages.page(chat_id, 1, 1000)]


def test_numbers_count_what_still_stands(workspace: Workspace) -> None:
    chat = talk(workspace, *"abcdef")
    ids = workspace.messages.ids(chat.id)
    workspace.library.delete_messages([ids[1], ids[3]])
    left = workspace.messages.page(chat.id, 1, 10)
    assert [(m.number, m.text) for m in left] == [(1, "a"), (2, "c"), (3, "e"), (4, "f")]
    assert [workspace.messages.get(m.id).number for m in left] == [1, 2, 3, 4]
    assert workspace.messages.count(chat.id) == 4
    with pytest.raises(StoreError):
        workspace.messages.get(ids[1])
    with pytest.raises(StoreError):
        workspace.messages.number(ids[1])
    assert {m.text for m in workspace.messages.get_many(ids)} == {"a", "c", "e", "f"}


def test_pages_and_what_lies_before(workspace: Workspace) -> None:
    chat = talk(workspace, *"abcdefgh")
    ids = workspace.messages.ids(chat.id)
    assert [m.text for m in workspace.messages.page(chat.id, 3, 2)] == ["c", "d"]
    assert [m.text for m in workspace.messages.page(chat.id, -5, 2)] == ["a", "b"]
    assert workspace.messages.page(chat.id, 9, 5) == []
    assert [m.text for m in workspace.messages.before(chat.id, ids[4], 2)] == ["c", "d"]
    assert [m.text for m in workspace.messages.before(chat.id, None, 2)] == ["g", "h"]
    assert workspace.messages.before(chat.id, ids[0], 5) == []
    assert [m.number for m in workspace.messages.before(chat.id, ids[2], 50)] == [1, 2]


def test_a_reply_grows_and_ends(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")
    message_id, swipe_id = workspace.messages.begin_reply(chat.id, "Mara", chat.character_ids[0], "m")
    assert workspace.messages.get(message_id).swipe.state is SwipeState.STREAMING
    workspace.messages.save_partial(swipe_id, "Go", "thinking")
    assert workspace.messages.get(message_id).text == "Go"
    workspace.messages.finish(
        swipe_id, "Good.", SwipeState.DONE, reasoning="r", tokens=3, model="n", generation={"字": 1}
    )
    swipe = workspace.messages.get(message_id).swipe
    assert (swipe.text, swipe.state, swipe.tokens, swipe.model) == ("Good.", SwipeState.DONE, 3, "n")
    assert (swipe.reasoning, swipe.generation) == ("r", {"字": 1})
    assert swipe.finished_at is not None
    workspace.messages.finish(swipe_id, "Good.", SwipeState.DONE)
    assert workspace.messages.get(message_id).swipe.model == "n", "an unknown model keeps the known name"


def test_swipes_stand_beside_each_other(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")
    (message_id,) = workspace.messages.add(chat.id, [NewMessage("assistant", "Mara", ("a", "b", "c"))])
    message = workspace.messages.get(message_id)
    assert (message.text, message.swipe_number, message.swipe_count) == ("a", 1, 3)
    workspace.messages.choose_swipe(message_id, 2)
    assert workspace.messages.get(message_id).text == "c"
    for position in (3, -1):
        with pytest.raises(StoreError) as caught:
            workspace.messages.choose_swipe(message_id, position)
        assert caught.value.code == "not_found"
    swipe = workspace.messages.begin_swipe(message_id, "m")
    workspace.messages.finish(swipe, "d", SwipeState.DONE)
    assert [s.text for s in workspace.messages.swipes(message_id)] == ["a", "b", "c", "d"]
    assert workspace.messages.get(message_id).swipe_number == 4


def test_a_swipe_without_text_is_dropped_without_a_gap(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")
    (message_id,) = workspace.messages.add(chat.id, [NewMessage("assistant", "Mara", ("a", "b", "c"))])
    middle = workspace.messages.swipes(message_id)[1]
    assert workspace.messages.drop_empty_swipe(middle.id) is False
    message = workspace.messages.get(message_id)
    assert (message.text, message.swipe_number, message.swipe_count) == ("a", 1, 2)
    workspace.messages.choose_swipe(message_id, 1)
    assert workspace.messages.get(message_id).text == "c"
    first = workspace.messages.swipes(message_id)[0]
    assert workspace.messages.drop_empty_swipe(first.id) is False
    assert workspace.messages.get(message_id).text == "c"
    last = workspace.messages.swipes(message_id)[0]
    assert workspace.messages.drop_empty_swipe(last.id) is True
    assert texts(workspace, chat.id) == ["Hello."]
    assert workspace.messages.drop_empty_swipe(last.id) is False


def test_what_was_being_written_is_recovered(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")
    partial, partial_swipe = workspace.messages.begin_reply(chat.id, "Mara", None, "m")
    workspace.messages.save_partial(partial_swipe, "Half a se")
    again = workspace.messages.begin_swipe(partial, "m")
    workspace.messages.begin_reply(chat.id, "Mara", None, "m")
    assert workspace.messages.recover() == [chat.id]
    assert texts(workspace, chat.id) == ["Hello.", "Half a se"]
    (swipe,) = workspace.messages.swipes(partial)
    assert (swipe.state, swipe.text) == (SwipeState.INTERRUPTED, "Half a se")
    assert swipe.finished_at is not None
    assert again != swipe.id
    assert workspace.messages.recover() == []


def test_an_edit_keeps_what_was_before(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")
    message = workspace.messages.page(chat.id, 1, 1)[0]
    assert workspace.messages.edit(message.swipe.id, "Good day.") == "Hello."
    assert workspace.messages.get(message.id).text == "Good day."
    assert workspace.messages.get(message.id).swipe.tokens is None
    with workspace.database.read() as db:
        rows = db.execute("SELECT kind, item_id, before, actor FROM revisions").fetchall()
    assert [tuple(row) for row in rows] == [("swipe", message.swipe.id, "Hello.", "person")]
    with pytest.raises(StoreError):
        workspace.messages.edit(99_999, "x")


def test_adding_fails_as_a_whole(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")

    def lines() -> object:
        yield NewMessage("user", "Alex", ("one",))
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="broke"):
        workspace.messages.add(chat.id, lines())  # type: ignore[arg-type]
    assert texts(workspace, chat.id) == ["Hello."]
    assert workspace.messages.add(chat.id, []) == []


def test_every_change_leaves_a_note_for_the_memories(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.", "Good day.")
    first, second = workspace.messages.ids(chat.id)

    def stale() -> set[int]:
        found = workspace.chunks.stale(100)
        workspace.chunks.settle(found)
        return {item.message_id for item in found}

    assert stale() == {first, second}
    assert stale() == set()
    workspace.library.edit_message(first, "Hi.")
    assert stale() == {first}
    undo = workspace.library.delete_messages([second])
    assert stale() == {second}
    undo.run()
    assert stale() == {second}
    workspace.messages.begin_swipe(second, "m")
    assert stale() == {second}


def test_a_change_during_the_work_is_not_forgotten(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello.")
    handled = workspace.chunks.stale(100)
    workspace.library.edit_message(workspace.messages.ids(chat.id)[0], "Hi.")
    workspace.chunks.settle(handled)
    assert len(workspace.chunks.stale(100)) == 1


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_text_and_order_are_kept_exactly(data: st.DataObject) -> None:
    workspace = _shared.workspace
    chat = talk(workspace)
    given_texts = data.draw(st.lists(st.text(st.characters(exclude_categories=("Cs",))), max_size=6))
    say(workspace, chat.id, *given_texts)
    assert texts(workspace, chat.id) == given_texts
    assert workspace.messages.count(chat.id) == len(given_texts)


class _shared:  # noqa: N801 — a place for what the property shares between its examples
    workspace: Workspace


@pytest.fixture(autouse=True)
def _share(workspace: Workspace) -> None:
    _shared.workspace = workspace
