from __future__ import annotations

import json

import pytest

from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace

CARD = {
    "spec": "chara_card_v3",
    "data": {"name": "Mara", "extensions": {"x/y": [1, None, "字"]}, "unknown": True},
}


def test_a_card_is_kept_as_given(workspace: Workspace) -> None:
    character = workspace.characters.add("Mara", CARD, avatar="ab", sample="s")
    assert character.card == CARD
    assert (character.name, character.avatar, character.sample) == ("Mara", "ab", "s")
    assert workspace.characters.get(character.id) == character


def test_equal_names_live_side_by_side_in_order(workspace: Workspace) -> None:
    for name in ("mara", "Abel", "Mara", "Zoe", "Mara"):
        workspace.characters.add(name, {"data": {}})
    assert [item.name for item in workspace.characters.all()] == ["Abel", "mara", "Mara", "Mara", "Zoe"]


def test_a_card_before_a_change_is_kept_as_a_revision(workspace: Workspace) -> None:
    character = workspace.characters.add("Mara", CARD)
    changed = workspace.characters.update(character.id, name="Noor", card={"data": {}}, avatar="cd")
    assert (changed.name, changed.card, changed.avatar) == ("Noor", {"data": {}}, "cd")
    assert changed.updated_at >= character.updated_at
    with workspace.database.read() as db:
        kind, item, before = db.execute("SELECT kind, item_id, before FROM revisions").fetchone()
    assert (kind, item, json.loads(before)) == ("character", character.id, CARD)


def test_who_is_not_there(workspace: Workspace) -> None:
    for look in (workspace.characters.get, workspace.personas.get):
        with pytest.raises(StoreError) as caught:
            look(7)
        assert caught.value.code == "not_found"


def test_the_default_persona_is_one_that_was_made_so(workspace: Workspace) -> None:
    assert workspace.personas.default() is None
    sample = workspace.personas.add("Jonas", "An engineer.")
    assert workspace.personas.default() is None, "a persona of a sample chat plays in that chat only"
    first = workspace.personas.add("Alex", default=True)
    assert workspace.personas.default() == first
    second = workspace.personas.add("Noor", "Tall.", default=True)
    assert workspace.personas.default() == second
    changed = workspace.personas.update(second.id, "Noor B.", "Very tall.")
    assert (changed.name, changed.description, changed.default) == ("Noor B.", "Very tall.", True)
    assert workspace.personas.get(sample.id).name == "Jonas"
