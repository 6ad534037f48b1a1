"""What a person does to characters and personas, and how each act is taken back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.chats.model import Persona
from memdesk.formats import png
from memdesk.formats.card_extras import DepthPrompt, depth_prompt_of, talkativeness_of
from memdesk.formats.cards import new_card, read_card
from memdesk.formats.errors import FormatError
from memdesk.people import CardEdit, file_name
from memdesk.prompt.injections import Injection
from memdesk.prompt.parts import Placement
from memdesk.prompt.persona_place import around_note
from memdesk.samples import delete_samples, install_samples
from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace
from tests.formats.making import packed, picture, text
from tests.support.workspaces import WordEmbedder, talk, use_embedder


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A data folder that the tests of this module fill further and further."""
    patch = pytest.MonkeyPatch()
    use_embedder(patch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path_factory.mktemp("people"), samples=False, background=False) as opened:
        yield opened
    patch.undo()


WHOLE = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "unknown at the top": [1, {"deep": None}],
    "data": {
        "name": "艾莉亚 🏮",
        "nickname": "小艾",
        "description": "Line\nbreak.",
        "first_mes": "Hello {{user}}.",
        "alternate_greetings": ["Second."],
        "group_only_greetings": ["To all."],
        "tags": ["灯塔", "slow"],
        "creator": "noone",
        "creator_notes": "Notes.",
        "creator_notes_multilingual": {"zh": "说明"},
        "source": ["https://example.org"],
        "assets": [{"type": "icon", "name": "main", "uri": "ccdefault:", "ext": "png", "x": 1}],
        "extensions": {
            "fav": True,
            "talkativeness": "0.8",
            "depth_prompt": {"prompt": "Stay.", "depth": 3, "role": "system", "y": 2},
            "vendor/x": {"a": [None, 1.5]},
        },
        "character_book": {"entries": [{"keys": ["灯"], "content": "…", "extensions": {"z": 1}}]},
        "future field": {"k": "v"},
    },
}


def imported(workspace: Workspace, folder: Path, *chunks: bytes, card: Any = WHOLE) -> Any:
    path = folder / "card.png"
    path.write_bytes(picture(*chunks, text("ccv3", packed(card)), width=40, height=60))
    return workspace.library.import_card(path)[0]


def test_a_card_goes_round_whole(shared: Workspace, tmp_path: Path) -> None:
    first = imported(shared, tmp_path, text("Software", b"somebody"), text("chara-ext-asset_:0", b"QUJD"))
    assert first.favourite
    for suffix in (".png", ".json"):
        out = tmp_path / f"again{suffix}"
        shared.people.export_card(first.id, out)
        second, warnings = shared.library.import_card(out)
        assert warnings == []
        assert (second.name, second.card, second.favourite) == (first.name, first.card, first.favourite)
        assert second.id != first.id
    # The PNG is the picture as it came, at its full size, with everything else that was in it.
    data = (tmp_path / "again.png").read_bytes()
    assert png.read_texts(data, "x", ["software"])[0].text() == b"somebody"
    assert png.read_texts(data, "x", ["chara-ext-asset_:0"])[0].text() == b"QUJD"
    kinds = [chunk.type for chunk in png.chunks(data, "x")]
    assert kinds.count(b"IDAT") == 1
    assert data[16:24] == (tmp_path / "card.png").read_bytes()[16:24]
    v2 = json.loads(base64.b64decode(png.read_texts(data, "x", ["chara"])[0].text()))
    assert (v2["spec"], v2["data"]) == ("chara_card_v2", first.card["data"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.text(min_size=1, max_size=30), extensions=st.dictionaries(st.text(max_size=6), JSON, max_size=3)
)
def test_any_card_goes_round(
    shared: Workspace, tmp_path: Path, name: str, extensions: dict[str, Any]
) -> None:
    body = {"spec": "chara_card_v2", "data": {"name": name, "first_mes": "Hi.", "extensions": extensions}}
    source = tmp_path / "source.json"
    source.write_text(json.dumps(body), "utf-8")
    first, _ = shared.library.import_card(source)
    for suffix in (".png", ".json"):
        out = shared.people.export_card(first.id, tmp_path / f"out{suffix}")
        assert read_card(out).card == first.card


def test_an_export_has_a_picture_in_any_case(shared: Workspace, tmp_path: Path) -> None:
    bare = shared.library.add_character("Bare", new_card("Bare"))
    out = shared.people.export_card(bare.id, tmp_path / "bare.PNG")
    assert read_card(out).name == "Bare"
    with_face, _ = shared.people.edit(bare.id, CardEdit({}, avatar=out.read_bytes()))
    assert with_face.avatar is not None
    lost = shared.files.path(with_face.avatar)
    assert lost is not None
    lost.write_bytes(b"damaged")
    assert read_card(shared.people.export_card(bare.id, tmp_path / "lost.png")).name == "Bare"
    with pytest.raises(FormatError, match="PNG or JSON"):
        shared.people.export_card(bare.id, tmp_path / "bare.txt")
    with pytest.raises(FormatError, match="cannot be written"):
        shared.people.export_card(bare.id, tmp_path / "no" / "bare.png")


def test_an_edit_changes_what_it_names_and_is_taken_back(shared: Workspace, tmp_path: Path) -> None:
    old = imported(shared, tmp_path)
    edit = CardEdit(
        {"description": "New\r\n\0text", "group_only_greetings": ["One", "Two"], "nickname": "A"},
        DepthPrompt("Deep", 1, "user"),
        0.1,
        remove_avatar=True,
    )
    changed, undo = shared.people.edit(old.id, edit)
    assert undo is not None
    assert changed.text("description") == "New\ntext"
    assert changed.data["group_only_greetings"] == ["One", "Two"]
    assert depth_prompt_of(changed.card) == DepthPrompt("Deep", 1, "user")
    assert changed.data["extensions"]["depth_prompt"]["y"] == 2
    assert talkativeness_of(changed.card) == 0.1
    assert changed.data["future field"] == {"k": "v"}
    assert (changed.avatar, changed.picture) == (None, None)
    undo.run()
    again = shared.characters.get(old.id)
    assert (again.card, again.avatar, again.picture) == (old.card, old.avatar, old.picture)
    assert shared.people.edit(old.id, CardEdit({"description": old.text("description")}))[1] is None
    with pytest.raises(ValueError, match="name"):
        shared.people.edit(old.id, CardEdit({"name": " \n "}))
    with pytest.raises(FormatError):
        shared.people.edit(old.id, CardEdit({}, avatar=b"no picture"))
    assert shared.characters.get(old.id).card == old.card


def test_text_edits_keep_the_picture_that_it_came_in_and_a_new_face_gives_it_up(
    shared: Workspace, tmp_path: Path
) -> None:
    old = imported(shared, tmp_path, text("Software", b"x"))
    assert shared.people.edit(old.id, CardEdit({"personality": "calm"}))[0].picture == old.picture
    changed, _ = shared.people.edit(old.id, CardEdit({}, avatar=picture(width=9, height=9)))
    assert changed.picture is None
    out = shared.people.export_card(old.id, tmp_path / "out.png")
    assert not png.read_texts(out.read_bytes(), "x", ["software"])


def test_a_duplicate_is_a_character_of_its_own(shared: Workspace, tmp_path: Path) -> None:
    old = imported(shared, tmp_path)
    copy, undo = shared.people.duplicate(old.id)
    assert (copy.name, copy.card, copy.avatar, copy.picture) == (old.name, old.card, old.avatar, old.picture)
    shared.people.edit(copy.id, CardEdit({"name": "Else"}))
    assert shared.characters.get(old.id).name == old.name
    undo.run()
    assert copy.id not in {head.id for head in shared.characters.heads()}


def test_favourites_and_what_the_gallery_shows(shared: Workspace, tmp_path: Path) -> None:
    one = imported(shared, tmp_path)
    plain = shared.library.add_character("Plain", {"data": {"tags": "odd", "nickname": 5}})
    undo = shared.people.set_favourite([one.id, plain.id], favourite=True)
    assert undo is not None
    heads = {head.id: head for head in shared.characters.heads()}
    assert heads[plain.id].favourite
    assert (heads[plain.id].tags, heads[plain.id].nickname) == ((), "")
    head = heads[one.id]
    assert (head.nickname, head.creator, head.tags, head.line) == (
        "小艾",
        "noone",
        ("灯塔", "slow"),
        "Notes.",
    )
    assert shared.people.set_favourite([plain.id], favourite=True) is None
    undo.run()
    # Only what the act changed goes back.
    assert shared.characters.get(one.id).favourite
    assert not shared.characters.get(plain.id).favourite


def test_a_character_is_found_by_id_and_by_a_name_that_is_its_own(shared: Workspace) -> None:
    first = shared.library.add_character("Twin", new_card("Twin"))
    second = shared.library.add_character("twin", new_card("twin"))
    shared.library.add_character("TWIN", new_card("TWIN"))
    assert shared.characters.find(str(first.id)).id == first.id
    assert shared.characters.find("twin ").id == second.id
    with pytest.raises(StoreError, match="Several characters"):
        shared.characters.find("tWiN")
    with pytest.raises(StoreError, match="There is no character"):
        shared.characters.find("²")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Mara", "Mara.png"),
        ("../../etc/pass:wd", "etc pass wd.png"),
        ("a\nb\u202ec", "a b c.png"),
        ("...", "character.png"),
        ("CON", "character CON.png"),
        ("com1.x", "character com1.x.png"),
        ("魔王・林", "魔王・林.png"),
    ],
)
def test_file_names_that_every_system_takes(name: str, wanted: str) -> None:
    assert file_name(name, ".png") == wanted


def test_long_file_names_are_cut_between_characters() -> None:
    assert len(file_name("林" * 500, ".json").encode()) < 200
    assert "\ufffd" not in file_name("🦊林" * 200, ".json")


# ── personas ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


def test_personas_are_made_changed_copied_and_deleted_and_each_is_taken_back(fresh: Workspace) -> None:
    people = fresh.people
    jonas, made = people.add_persona(" Jonas\n", "A painter.")
    assert (jonas.name, jonas.default) == ("Jonas", True)
    noor, _ = people.add_persona("Noor")
    assert not noor.default
    wanted = replace(jonas, name="Jon", place="depth", depth=1, role="user")
    changed, undo = people.save_persona(wanted, picture())
    assert undo is not None
    assert (changed.name, changed.place, changed.depth, changed.role) == ("Jon", "depth", 1, "user")
    assert changed.avatar is not None
    assert changed.key == jonas.key
    copy, _ = people.duplicate_persona(jonas.id)
    assert (copy.name, copy.place, copy.avatar, copy.default) == ("Jon", "depth", changed.avatar, False)
    assert copy.key != jonas.key
    assert people.save_persona(replace(changed, avatar=None))[0].avatar is None
    undo.run()
    assert fresh.personas.get(jonas.id) == jonas
    assert people.save_persona(jonas)[1] is None
    with pytest.raises(StoreError, match="needs a name"):
        people.save_persona(replace(jonas, name=" "))
    made.run()
    assert [item.name for item in fresh.personas.all()] == ["Jon", "Noor"]


def test_switching_changes_what_follows_only(fresh: Workspace) -> None:
    chat = talk(fresh, "One.", "Two.")
    alex = fresh.personas.default()
    assert alex is not None
    noor, _ = fresh.people.add_persona("Noor")
    undo = fresh.people.choose_persona(chat.id, noor.id)
    assert undo is not None
    assert fresh.people.choose_persona(chat.id, noor.id) is None
    now = fresh.conversation.persona(fresh.chats.get(chat.id))
    assert now == noor
    assert [message.name for message in fresh.messages.page(chat.id, 1, 9)] == ["Alex", "Mara"]
    undo.run()
    assert fresh.conversation.persona(fresh.chats.get(chat.id)) == alex


def test_a_deleted_persona_gives_way_to_the_default_one(fresh: Workspace) -> None:
    chat = talk(fresh, "One.")
    noor, _ = fresh.people.add_persona("Noor", "Secret.")
    fresh.people.choose_persona(chat.id, noor.id)
    undo = fresh.people.delete_persona(noor.id)
    with pytest.raises(StoreError):
        fresh.people.delete_persona(noor.id)
    with pytest.raises(StoreError):
        fresh.people.choose_persona(chat.id, noor.id)
    fallback = fresh.conversation.persona(fresh.chats.get(chat.id))
    assert fallback is not None
    assert fallback.name == "Alex"
    assert "Secret." not in str(fresh.conversation.preview(chat.id).messages)
    undo.run()
    assert fresh.conversation.persona(fresh.chats.get(chat.id)) == noor
    default = fresh.personas.default()
    assert default is not None
    fresh.people.delete_persona(default.id)
    assert fresh.personas.default() is None
    assert fresh.library.new_chat(chat.character_ids[0]).persona_id is None


def sent(workspace: Workspace, chat_id: int) -> list[tuple[str, str]]:
    """Return what the next prompt holds of the persona, and of the chat, in order."""
    receipt = workspace.conversation.preview(chat_id)
    found = []
    for message in receipt.messages:
        text = message["content"]
        found.append((message["role"], "head" if text.startswith("Write ") else text))
    return found


def test_where_a_description_goes(fresh: Workspace) -> None:
    chat = talk(fresh, "One.", "Two.", "Three.")
    alex = fresh.personas.default()
    assert alex is not None

    def placed(**values: Any) -> list[tuple[str, str]]:
        now = fresh.personas.get(alex.id)
        fresh.people.save_persona(replace(now, description="I am {{user}}.", **values))
        return sent(fresh, chat.id)

    said = [("user", "One."), ("assistant", "Two."), ("user", "Three.")]
    about = "Alex: I am Alex."
    system = fresh.conversation.preview(chat.id).messages[0]["content"]
    assert about not in system
    assert placed(place="prompt")[1:] == said
    assert about in fresh.conversation.preview(chat.id).messages[0]["content"]
    assert placed(place="none") == [("system", "head"), *said]
    assert placed(place="depth", depth=1, role="user")[1:] == [*said[:2], ("user", about), said[2]]
    assert placed(place="depth", depth=0, role="assistant")[1:] == [*said, ("assistant", about)]
    assert placed(place="depth", depth=999, role="system")[1:] == [("system", about), *said]
    # Without an author's note it stands where one would.
    assert placed(place="note_top")[1:] == [("system", about), *said]
    part = next(part for part in fresh.conversation.preview(chat.id).parts if part.title == "Persona")
    assert part.included
    assert part.source["persona"] == alex.id


def test_a_description_above_or_below_the_note() -> None:
    note = Injection("instructions", "Note", "N", Placement("in_chat", 2, "user"))
    top = Persona(1, "A", "D", None, place="note_top")
    for persona, order in (
        (top, ["Persona", "Note"]),
        (replace(top, place="note_bottom"), ["Note", "Persona"]),
    ):
        found = around_note(persona, note)
        assert [item.title for item in found] == order
        assert {item.placement for item in found} == {note.placement}
    assert around_note(replace(top, description=" "), note) == [note]
    assert around_note(None, None) == []


def test_a_depth_prompt_takes_effect(fresh: Workspace) -> None:
    chat = talk(fresh, "One.", "Two.")
    fresh.people.edit(chat.character_ids[0], CardEdit({}, DepthPrompt("{{char}} is tired.", 1, "system")))
    assert sent(fresh, chat.id)[1:] == [("user", "One."), ("system", "Mara is tired."), ("assistant", "Two.")]


def test_there_is_one_default(fresh: Workspace) -> None:
    alex, _ = fresh.people.add_persona("Alex")
    noor, _ = fresh.people.add_persona("Noor")
    deleted = fresh.people.delete_persona(alex.id)
    undo = fresh.people.make_default(noor.id)
    assert undo is not None
    assert fresh.people.make_default(noor.id) is None
    deleted.run()
    assert [item.default for item in fresh.personas.all()] == [False, True]
    undo.run()
    assert fresh.personas.default() is None


def test_a_file_of_personas_is_merged_and_comes_back(fresh: Workspace, tmp_path: Path) -> None:
    (tmp_path / "User Avatars").mkdir()
    (tmp_path / "User Avatars" / "a.png").write_bytes(picture())
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    (tmp_path / "secret.png").write_bytes(picture())
    inside = tmp_path / "in"
    inside.mkdir()
    names = {"a.png": "A", "b.png": "B", "../secret.png": "C", "..\\secret.png": "D", "x" * 5000: "E"}
    body = {
        "personas": names,
        "persona_descriptions": {"a.png": {"description": "Aye.", "position": 9, "title": "kept"}},
        "default_persona": "b.png",
    }
    path = tmp_path / "personas_1.json"
    path.write_text(json.dumps(body), "utf-8")
    result, undo = fresh.people.import_personas(path)
    assert undo is not None
    assert (len(result.added), result.skipped) == (5, 0)
    assert len(result.warnings) == 1
    a, b, c, d, _ = result.added
    assert (a.place, a.extra, a.avatar is not None) == ("none", {"title": "kept"}, True)
    assert b.default
    assert (b.avatar, c.avatar, d.avatar) == (None, None, None)
    again, nothing = fresh.people.import_personas(path)
    assert (again.added, again.skipped, nothing) == ((), 5, None)
    out = tmp_path / "out.json"
    assert fresh.people.export_personas(out) == 5
    assert fresh.people.import_personas(out)[0].skipped == 5
    undo.run()
    assert fresh.personas.all() == []
    with pytest.raises(FormatError, match="no personas"):
        fresh.people.export_personas(out)
    assert len(fresh.people.import_personas(out)[0].added) == 5


def test_samples_take_their_personas_along(fresh: Workspace) -> None:
    mine, _ = fresh.people.add_persona("Mine")
    install_samples(fresh.library, fresh.bus)
    assert len(fresh.personas.all()) > 1
    delete_samples(fresh.library)
    assert fresh.personas.all() == [mine]
