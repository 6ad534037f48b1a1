from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.assets import asset
from memdesk.chats.changes import Change, ChangeKind
from memdesk.formats.errors import FormatError
from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, talk, use_embedder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


@pytest.fixture
def news(workspace: Workspace) -> list[Change]:
    heard: list[Change] = []
    workspace.bus.subscribe(heard.append)
    return heard


def add(workspace: Workspace, **data: Any) -> int:
    card = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Mara", **data}}
    return workspace.library.add_character("Mara", card).id


def test_a_new_chat_begins_with_every_greeting_as_a_swipe(workspace: Workspace, news: list[Change]) -> None:
    workspace.library.set_default_persona("Alex", "")
    character = add(
        workspace,
        first_mes="Hi {{user}}, I am {{char}}.",
        alternate_greetings=["Oh, <USER>!", " "],
        nickname="Mars",
    )
    chat = workspace.library.new_chat(character)
    (message,) = workspace.messages.page(chat.id, 1, 10)
    assert [swipe.text for swipe in workspace.messages.swipes(message.id)] == [
        "Hi Alex, I am Mars.",
        "Oh, Alex!",
    ]
    assert (message.name, message.role, message.character_id) == ("Mara", "assistant", character)
    assert news[-1] == Change(ChangeKind.CHAT_ADDED, chat.id)
    assert workspace.library.new_chat(add(workspace)).messages == 0


def test_titles_are_made_unique_and_given_ones_are_kept(workspace: Workspace) -> None:
    character = add(workspace)
    assert [workspace.library.new_chat(character).title for _ in range(3)] == ["Mara", "Mara 2", "Mara 3"]
    assert workspace.library.new_chat(character, "Mara").title == "Mara"
    assert workspace.library.new_chat(character, "  \n").title == "Mara 4"


def test_renaming_can_be_undone_and_a_blank_title_is_refused(workspace: Workspace) -> None:
    chat = talk(workspace)
    undo = workspace.library.rename_chat(chat.id, " New \x00")
    assert (workspace.chats.get(chat.id).title, undo.label) == ("New", "Talk")
    undo.run()
    assert workspace.chats.get(chat.id).title == "Talk"
    with pytest.raises(StoreError) as caught:
        workspace.library.rename_chat(chat.id, " \n ")
    assert caught.value.code == "blank_title"


def test_an_edit_is_announced_and_can_be_undone(workspace: Workspace, news: list[Change]) -> None:
    chat = talk(workspace, "Hello.")
    (message_id,) = workspace.messages.ids(chat.id)
    assert workspace.library.edit_message(message_id, "Hello.") is None
    before = len(news)
    undo = workspace.library.edit_message(message_id, "Good\r\nday.")
    assert undo is not None
    message = workspace.messages.get(message_id)
    assert message.text == "Good\nday."
    assert message.swipe.tokens == workspace.count("Good\nday.")
    undo.run()
    assert workspace.messages.get(message_id).text == "Hello."
    assert news[before:] == [Change(ChangeKind.TEXT_CHANGED, chat.id, (message_id,))] * 2


def test_an_edit_is_undone_in_the_swipe_where_it_was_made(workspace: Workspace) -> None:
    chat = workspace.library.new_chat(add(workspace, first_mes="one", alternate_greetings=["two"]))
    (message_id,) = workspace.messages.ids(chat.id)
    undo = workspace.library.edit_message(message_id, "changed")
    workspace.library.choose_swipe(message_id, 1)
    assert undo is not None
    undo.run()
    assert [swipe.text for swipe in workspace.messages.swipes(message_id)] == ["one", "two"]


def test_a_character_is_edited_and_unknown_fields_stay(workspace: Workspace) -> None:
    character = add(workspace, description="old", extensions={"a/b": 1}, odd=[None])
    changed = workspace.library.edit_character(character, {"description": "new", "name": "Noor"})
    assert (changed.name, changed.text("description")) == ("Noor", "new")
    assert changed.data["extensions"] == {"a/b": 1}
    assert changed.data["odd"] == [None]
    picture = asset("sample", "mira.png").read_bytes()
    with_face = workspace.library.edit_character(character, {}, picture)
    assert with_face.avatar is not None
    assert workspace.library.edit_character(character, {"description": "x"}).avatar == with_face.avatar
    with pytest.raises(FormatError):
        workspace.library.edit_character(character, {}, b"no picture")
    with pytest.raises(ValueError, match="name"):
        workspace.library.edit_character(character, {"name": " "})


def test_importing_the_same_card_twice_overwrites_nothing(workspace: Workspace, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text(json.dumps({"name": "Mara", "description": "V1", "first_mes": "Hi."}))
    first, warnings = workspace.library.import_card(card)
    second, _ = workspace.library.import_card(card)
    assert first.id != second.id
    assert (first.name, first.text("description")) == ("Mara", "V1")
    assert isinstance(warnings, list)
    with pytest.raises(FormatError) as caught:
        workspace.library.import_card(tmp_path / "missing.json")
    assert "missing.json" in str(caught.value)


def test_a_card_that_is_refused_leaves_nothing_behind(workspace: Workspace, tmp_path: Path) -> None:
    broken = tmp_path / "card.png"
    broken.write_bytes(asset("sample", "mira.png").read_bytes()[:500])
    with pytest.raises(FormatError):
        workspace.library.import_card(broken)
    assert workspace.characters.all() == []
    assert not list((workspace.data_dir / "files").rglob("*.png"))


def test_the_default_persona_is_made_once_and_then_changed(workspace: Workspace) -> None:
    first = workspace.library.set_default_persona("Alex", "")
    chat = talk(workspace, "Hello.")
    second = workspace.library.set_default_persona("Sam", "Small.")
    assert first.id == second.id
    assert (second.name, second.description) == ("Sam", "Small.")
    assert workspace.messages.page(chat.id, 1, 1)[0].name == "Alex", "what was sent keeps its name"


def test_a_sample_persona_is_nobodys_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", background=False) as opened:
        character = add(opened, first_mes="Hi {{user}}.")
        chat = opened.library.new_chat(character)
        assert opened.messages.page(chat.id, 1, 1)[0].text == "Hi You."
        opened.library.set_default_persona("Alex", "")
        names = {
            opened.personas.get(c.persona_id).name for c in opened.chats.all() if c.persona_id and c.sample
        }
        assert names == {"Jonas", "程远"}


def test_everything_deleted_can_be_found_in_the_trash(workspace: Workspace) -> None:
    chat = talk(workspace, "one", "two")
    workspace.library.delete_messages(workspace.messages.ids(chat.id))
    workspace.library.delete_chat(chat.id)
    workspace.library.delete_character(chat.character_ids[0])
    entries = workspace.trash.all()
    assert [(entry.kind, entry.label) for entry in entries] == [
        ("character", "Mara"),
        ("chat", "Talk"),
        ("messages", "#1 Alex: one (+1)"),
    ]
    for entry in entries:
        assert workspace.library.restore(entry.id) == entry
    assert workspace.trash.all() == []
    assert [m.text for m in workspace.messages.page(chat.id, 1, 9)] == ["one", "two"]
