from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.prompt.presets import BUILT_IN, ENGLISH, Preset, built_in_for, read_preset
from memdesk.settings import Settings
from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace
from tests.support.workspaces import Desk, WordEmbedder, talk, use_embedder


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    return Desk(tmp_path / "data")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        use_embedder(patch, lambda _folder: WordEmbedder())
        folder = tmp_path_factory.mktemp("presets")
        with Workspace(folder / "data", samples=False, background=False) as opened:
            yield opened


def names(workspace: Workspace) -> list[str]:
    return [item.preset.name for item in workspace.presets.all()]


def test_every_act_can_be_taken_back(workspace: Workspace) -> None:
    presets = workspace.presets
    before = names(workspace)
    assert before[:2] == ["Default", "默认"]
    made, undo_new = presets.new("Mine")
    assert made.preset.main_prompt == ENGLISH.main_prompt
    copy, _ = presets.duplicate(made.key)
    assert copy.preset.name == "Mine 2"
    bold = made.preset.model_copy(update={"temperature": 1.3, "main_prompt": "Be bold."})
    undo_save = presets.save(made.key, bold)
    assert undo_save is not None
    assert presets.save(made.key, bold) is None
    assert presets.get(made.key).preset == bold
    undo_rename = presets.rename(made.key, " Bold \n one ")
    assert undo_rename is not None
    assert presets.get(made.key).preset.name == "Bold one"
    undo_rename.run()
    undo_save.run()
    assert presets.get(made.key) == made
    undo_reset = presets.reset(made.key, "zh_CN")
    assert undo_reset is not None
    assert presets.get(made.key).preset.main_prompt == BUILT_IN["default-zh"].main_prompt
    assert presets.get(made.key).preset.name == "Mine"
    undo_reset.run()
    undo_delete = presets.delete(copy.key)
    assert "Mine 2" not in names(workspace)
    undo_delete.run()
    assert presets.get(copy.key).preset == copy.preset
    presets.delete(copy.key)
    undo_new.run()
    assert names(workspace) == before
    with pytest.raises(StoreError) as gone:
        presets.get(made.key)
    assert gone.value.code == "not_found"
    with pytest.raises(StoreError):
        presets.save(made.key, bold)


def test_a_built_in_preset_can_be_changed_and_put_back_but_not_lost(workspace: Workspace) -> None:
    presets = workspace.presets
    for act in (lambda: presets.rename("default", "x"), lambda: presets.delete("default")):
        with pytest.raises(StoreError) as refused:
            act()
        assert refused.value.code == "built_in"
    undo = presets.save("default", Preset(name="Other", main_prompt="Mine."))
    assert undo is not None
    changed = presets.get("default")
    assert (changed.preset.name, changed.preset.main_prompt, changed.changed) == ("Default", "Mine.", True)
    chat = talk(workspace, "One.", title="Built in")
    workspace.settings = Settings(preset="default")
    assert workspace.conversation.preview(chat.id).messages[0]["content"] == "Mine."
    assert presets.reset("default") is not None
    assert not presets.get("default").changed
    assert presets.reset("default") is None
    undo.run()
    assert presets.get("default").preset == ENGLISH


def test_the_app_has_the_built_in_preset_of_its_language(workspace: Workspace) -> None:
    assert (built_in_for("zh_TW"), built_in_for("de_DE"), built_in_for("")) == (
        "default-zh",
        "default",
        "default",
    )
    workspace.settings = Settings(language="zh_CN")
    assert workspace.preset_key() == "default-zh"
    workspace.settings = Settings(language="zh_CN", preset="default")
    assert workspace.preset_key() == "default"
    workspace.settings = Settings(preset="gone")
    assert workspace.chooser.preset("") == ENGLISH


def test_a_name_is_needed(workspace: Workspace) -> None:
    with pytest.raises(StoreError) as blank:
        workspace.presets.new(" \n ")
    assert blank.value.code == "blank_name"


def test_a_stored_preset_loses_only_what_cannot_be_read() -> None:
    found = read_preset({"name": "x", "temperature": "hot", "top_p": 0.5, "prompts": 3, "future": 1})
    assert (found.temperature, found.top_p, found.prompts) == (None, 0.5, [])
    for broken in (None, [], {"top_p": 1}, {"name": ""}):
        with pytest.raises(ValueError):  # noqa: PT011 — pydantic's own words
            read_preset(broken)


def test_the_command_imports_presets_and_shows_their_effect(desk: Desk, tmp_path: Path) -> None:
    chat = desk.talk("One.")
    path = tmp_path / "Bard.json"
    path.write_text(json.dumps({"name": "Bard", "content": "Sing of {{char}}.", "post_history": ""}))
    (row,) = desk.json("import", str(path), "--dry-run")
    assert (row["format"], row["name"], "preset" in row) == ("sysprompt", "Bard", False)
    (row,) = desk.json("import", str(path))
    with desk.open() as workspace:
        workspace.chats.set_settings(chat, {"preset": row["preset"]})
    body = desk.json("prompt", str(chat))
    assert body["messages"][0]["content"] == "Sing of Mara."
    bad = tmp_path / "bad.json"
    bad.write_text('{"memdesk_preset": 99}')
    outcome = desk.run("import", str(bad))
    assert outcome.code == 1
    assert "newer memdesk" in outcome.err


def test_greetings_know_dice_and_choices(workspace: Workspace) -> None:
    chat = talk(workspace, title="Greeting", first_mes="{{random::Hi::Hi}} {{user}}, {{roll:1d1}}. {{what}}")
    assert workspace.messages.page(chat.id, 1, 1)[0].text == "Hi Alex, 1. {{what}}"
