from __future__ import annotations

import json
from pathlib import Path

import pytest

from memdesk.store.database import Database, migrations
from memdesk.store.errors import StoreError
from memdesk.store.people import CharacterStore, PersonaStore
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


def test_people_of_the_first_format_are_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "memdesk.db"
    with monkeypatch.context() as patch:
        patch.setattr("memdesk.store.database.migrations", lambda: migrations()[:1])
        old = Database(path)
        with old.write() as db:
            for card in (
                '{"data": {"nickname": "M", "tags": ["海", "b"], "extensions": {"fav": true}}}',
                '{"data": {"tags": "odd", "nickname": {"a": [1]}, "creator_notes": 5, "extensions": []}}',
                '{"data": null}',
                "[1]",
                '{"data": {"x": NaN}}',
                '{"data": ' + "[" * 3000 + "]" * 3000 + "}",
            ):
                db.execute(
                    "INSERT INTO characters (name, card, created_at, updated_at) VALUES ('x', ?, ?, ?)",
                    (card, "2026-01-01T00:00:00.000+00:00", "2026-01-01T00:00:00.000+00:00"),
                )
            db.execute(
                "INSERT INTO personas (name, is_default, created_at) VALUES ('Jonas', 1, '2026-01-01')"
            )
        old.close()
    database = Database(path)
    heads = CharacterStore(database).heads()
    assert len(heads) == 6
    assert (heads[0].nickname, heads[0].tags, heads[0].favourite) == ("M", ("海", "b"), True)
    assert all(head.tags == () and not head.favourite for head in heads[1:])
    (jonas,) = PersonaStore(database).all()
    assert (jonas.default, jonas.place, jonas.depth, jonas.role) == (True, "prompt", 2, "system")
    assert len(jonas.key) == 36
    database.close()
