from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from memdesk.store.database import now, to_text
from memdesk.store.errors import StoreError
from memdesk.store.trash import KEEP_DAYS
from memdesk.workspace import Workspace
from tests.support.workspaces import sync, talk

TABLES = (
    "characters",
    "personas",
    "chats",
    "chat_members",
    "messages",
    "swipes",
    "receipts",
    "memory_chunks",
)
BOOKS = ("chunk_sources", "chunk_words")
"""Tables that belong to chunks, and have no id of their own."""


def everything(workspace: Workspace) -> dict[str, list[tuple[Any, ...]]]:
    with workspace.database.read() as db:
        return {
            table: sorted((tuple(row) for row in db.execute(f"SELECT * FROM {table}")), key=repr)
            for table in (*TABLES, *BOOKS, "trash")
        }


def shown(workspace: Workspace) -> str:
    """What a person sees of everything, but for the ids of chunks, which are made anew."""
    chats = [
        (chat, workspace.messages.page(chat.id, 1, 100), remembered(workspace, chat.id))
        for chat in workspace.chats.all()
    ]
    return repr((workspace.characters.all(), chats))


def remembered(workspace: Workspace, chat_id: int) -> list[tuple[str, tuple[int, ...], bool]]:
    chunks = workspace.chunks.page(chat_id, workspace.sync.space_id)
    return sorted((chunk.text, chunk.source_messages, chunk.has_vector) for chunk in chunks)


@pytest.fixture
def filled(workspace: Workspace) -> Workspace:
    for title in ("One", "Two"):
        chat = talk(workspace, "Hello there.", "Good day.", "How are you?", title=title)
        swipe = workspace.messages.page(chat.id, 2, 1)[0].swipe
        workspace.receipts.put(swipe.id, {"parts": [{"text": "x"}]})
    sync(workspace)
    return workspace


def test_messages_go_and_come_back_exactly(filled: Workspace) -> None:
    before, table = shown(filled), everything(filled)
    ids = filled.messages.ids(1)
    undo = filled.library.delete_messages(ids[:2])
    sync(filled)
    assert [message.text for message in filled.messages.page(1, 1, 10)] == ["How are you?"]
    assert len(remembered(filled, 1)) == 1
    undo.run()
    sync(filled)
    assert shown(filled) == before
    after = everything(filled)
    for name in ("characters", "chats", "messages", "swipes", "receipts", "trash"):
        assert after[name] == table[name]


def test_messages_come_back_to_their_place(filled: Workspace) -> None:
    ids = filled.messages.ids(1)
    first = filled.library.delete_messages([ids[0]])
    second = filled.library.delete_messages([ids[1]])
    assert [entry.label for entry in filled.trash.all()] == ["#1 Mara: Good day.", "#1 Alex: Hello there."]
    first.run()
    second.run()
    assert filled.messages.ids(1) == ids


@pytest.mark.parametrize("synced_between", [False, True])
def test_a_chat_goes_and_comes_back_exactly(filled: Workspace, *, synced_between: bool) -> None:
    before, table = shown(filled), everything(filled)
    undo = filled.library.delete_chat(1)
    assert [chat.title for chat in filled.chats.all()] == ["Two"]
    if synced_between:
        sync(filled)
    undo.run()
    assert everything(filled) == table
    assert shown(filled) == before


def test_a_character_goes_and_comes_back_exactly(filled: Workspace) -> None:
    before, table = shown(filled), everything(filled)
    character = filled.characters.all()[0]
    undo = filled.library.delete_character(character.id)
    assert character.id not in [item.id for item in filled.characters.all()]
    assert filled.messages.page(1, 1, 10), "its chats stay readable"
    undo.run()
    assert everything(filled) == table
    assert shown(filled) == before


def test_undo_works_once(filled: Workspace) -> None:
    undo = filled.library.delete_chat(1)
    undo.run()
    with pytest.raises(StoreError) as caught:
        undo.run()
    assert caught.value.code == "not_found"
    with pytest.raises(StoreError):
        filled.library.delete_messages([filled.messages.ids(1)[0], 12345])


def age(workspace: Workspace, days: float) -> None:
    with workspace.database.write() as db:
        db.execute("UPDATE trash SET deleted_at = ?", (to_text(now() - timedelta(days=days)),))


def test_what_is_younger_than_thirty_days_stays(filled: Workspace) -> None:
    filled.library.delete_chat(1)
    age(filled, KEEP_DAYS - 0.01)
    assert filled.trash.purge() == 0
    filled.library.restore(filled.trash.all()[0].id)
    assert len(filled.chats.all()) == 2


def test_after_thirty_days_nothing_of_a_chat_is_left(filled: Workspace) -> None:
    filled.library.delete_chat(1)
    age(filled, KEEP_DAYS + 0.01)
    assert filled.trash.purge() == 1
    assert filled.trash.all() == []
    left = everything(filled)
    assert len(left["chats"]) == 1
    assert len(left["messages"]) == len(left["swipes"]) == 3
    assert len(left["memory_chunks"]) == len(left["chunk_sources"]) == len(left["chunk_words"]) == 3
    assert len(left["receipts"]) == 1
    sync(filled)
    assert len(remembered(filled, 2)) == 3


def test_after_thirty_days_messages_and_characters_go_too(filled: Workspace) -> None:
    filled.library.delete_messages([filled.messages.ids(1)[0]])
    filled.library.delete_character(filled.chats.get(2).character_ids[0])
    age(filled, KEEP_DAYS + 1)
    assert filled.trash.purge() == 2
    sync(filled)
    assert len(filled.messages.page(1, 1, 10)) == 2
    assert len(remembered(filled, 1)) == 2
    other = filled.chats.get(2)
    assert other.character_ids == ()
    assert [message.name for message in filled.messages.page(2, 1, 10)] == ["Alex", "Mara", "Alex"]
    with pytest.raises(StoreError) as caught:
        filled.conversation.preview(2)
    assert caught.value.code == "no_character"


def test_the_start_empties_the_trash(filled: Workspace) -> None:
    filled.library.delete_chat(1)
    age(filled, KEEP_DAYS + 1)
    folder = filled.data_dir
    filled.close()
    again = Workspace(folder, samples=False, background=False)
    try:
        assert again.trash.all() == []
        assert json.loads(json.dumps([chat.title for chat in again.chats.all()])) == ["Two"]
    finally:
        again.close()
