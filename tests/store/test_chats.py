from __future__ import annotations

import pytest

from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace
from tests.support.workspaces import BEGIN, say, talk


def test_a_chat_comes_back_as_it_was_added(workspace: Workspace) -> None:
    mara = workspace.characters.add("Mara", {"data": {}}, avatar="ab12")
    noor = workspace.characters.add("Noor", {"data": {}})
    persona = workspace.personas.add("Alex", "Tall.")
    chat = workspace.chats.add("Two", [noor.id, mara.id], persona.id, sample="x", created_at=BEGIN)
    assert (chat.title, chat.kind, chat.mode, chat.sample) == ("Two", "group", "roleplay", "x")
    assert chat.character_ids == (noor.id, mara.id)
    assert chat.character_names == ("Noor", "Mara")
    assert (chat.persona_id, chat.avatar, chat.messages, chat.last_line) == (persona.id, None, 0, "")
    assert chat.created_at == chat.updated_at == BEGIN
    assert workspace.chats.add("One", [mara.id]).avatar == "ab12"


def test_the_list_shows_the_last_line_and_the_last_used_first(workspace: Workspace) -> None:
    older, newer = talk(workspace, "a", title="older"), talk(workspace, "b", title="newer")
    workspace.database._writer.execute("UPDATE chats SET updated_at = '2020-01-01T00:00:00+00:00'")
    assert [chat.title for chat in workspace.chats.all()] == ["newer", "older"]
    say(workspace, older.id, "the very last line " * 50)
    first, _ = workspace.chats.all()
    assert (first.id, first.messages) == (older.id, 2)
    assert first.last_line == ("the very last line " * 50)[:200]
    assert workspace.chats.get(newer.id).last_line == "b"


def test_deleted_messages_do_not_count(workspace: Workspace) -> None:
    chat = talk(workspace, "one", "two")
    workspace.library.delete_messages([workspace.messages.ids(chat.id)[1]])
    shown = workspace.chats.get(chat.id)
    assert (shown.messages, shown.last_line) == (1, "one")


def test_find_by_id_and_title(workspace: Workspace) -> None:
    chat = talk(workspace, title="Straße")
    assert workspace.chats.find(str(chat.id)).id == chat.id
    assert workspace.chats.find("STRASSE").id == chat.id
    numbered = talk(workspace, title="12345678901234567890123")
    assert workspace.chats.find("12345678901234567890123").id == numbered.id
    for name in ("nothing", "", "0", "99", "9" * 5000):
        with pytest.raises(StoreError) as caught:
            workspace.chats.find(name)
        assert caught.value.code == "not_found"
    small = talk(workspace, title="straße")
    assert workspace.chats.find("straße").id == small.id
    assert workspace.chats.find(f"  {chat.id}\n").id == chat.id
    assert workspace.chats.find(" Straße ").id == chat.id
    with pytest.raises(StoreError) as caught:
        workspace.chats.find("STRASSE")
    assert caught.value.code == "ambiguous"


def test_a_number_is_an_id_first_and_a_title_else(workspace: Workspace) -> None:
    first = talk(workspace, title="2")
    second = talk(workspace, title="77")
    assert workspace.chats.find("2").id == second.id
    assert workspace.chats.find("77").id == second.id
    assert first.id == 1


def test_ambiguous_ids_are_in_order(workspace: Workspace) -> None:
    chats = [talk(workspace, title="Twin") for _ in range(3)]
    say(workspace, chats[1].id, "Newer.")
    say(workspace, chats[0].id, "Newest.")
    with pytest.raises(StoreError, match=r"\(ids 1, 2, 3\)"):
        workspace.chats.find("twin")


def test_title_persona_and_settings_can_be_changed(workspace: Workspace) -> None:
    chat = talk(workspace)
    persona = workspace.personas.add("Noor")
    workspace.chats.rename(chat.id, "新しい")
    workspace.chats.set_persona(chat.id, persona.id)
    workspace.chats.set_settings(chat.id, {"recall": {"top_k": 8}, "字": [1, None]})
    changed = workspace.chats.get(chat.id)
    assert (changed.title, changed.persona_id) == ("新しい", persona.id)
    assert changed.settings == {"recall": {"top_k": 8}, "字": [1, None]}
    workspace.chats.set_persona(chat.id, None)
    assert workspace.chats.get(chat.id).persona_id is None


def test_a_chat_in_the_trash_is_not_there(workspace: Workspace) -> None:
    chat = talk(workspace)
    workspace.library.delete_chat(chat.id)
    assert workspace.chats.all() == []
    for name in (str(chat.id), "Talk"):
        with pytest.raises(StoreError):
            workspace.chats.find(name)
