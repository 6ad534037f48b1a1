from __future__ import annotations

import base64
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.formats.cards import (
    ImportedCard,
    new_card,
    read_card,
    read_card_bytes,
    with_fields,
    write_card_json,
    write_card_png,
)
from memdesk.formats.errors import FormatError
from memdesk.formats.png import read_texts
from tests.formats.making import as_json, itext, packed, picture, text, v1, v2, v3, ztext


def read(card: Any, name: str = "file.json") -> ImportedCard:
    return read_card_bytes(as_json(card), name)


def data_of(card: Any, name: str = "file.json") -> dict[str, Any]:
    data = read(card, name).card["data"]
    assert isinstance(data, dict)
    return data


def test_v1_becomes_v3() -> None:
    card = read(v1(creatorcomment="A note", chat="Mira - 2023", fav=True, tags="sea, storm,", avatar="none"))
    assert card.name == "Mira"
    assert card.image is None
    assert card.warnings == []
    assert card.card == {
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {
            **v1(),
            "creator_notes": "A note",
            "system_prompt": "",
            "post_history_instructions": "",
            "creator": "",
            "character_version": "",
            "alternate_greetings": [],
            "tags": ["sea", "storm"],
            "group_only_greetings": [],
            "extensions": {},
        },
        "creatorcomment": "A note",
        "chat": "Mira - 2023",
        "fav": True,
        "avatar": "none",
    }


def test_pygmalion_names_are_understood_and_kept() -> None:
    old = {
        "char_name": "Rook",
        "char_persona": "A thief.",
        "char_greeting": "Psst.",
        "example_dialogue": "…",
        "world_scenario": "A roof.",
        "metadata": {"version": 1},
    }
    card = read(old)
    assert card.name == "Rook"
    assert card.warnings == []
    data = card.card["data"]
    assert [data[key] for key in ("description", "first_mes", "mes_example", "scenario")] == [
        "A thief.",
        "Psst.",
        "…",
        "A roof.",
    ]
    assert card.card["metadata"] == {"version": 1}
    assert card.card["char_persona"] == "A thief."


def test_v1_fields_win_over_older_names_unless_blank() -> None:
    data = data_of(v1(char_name="Other", description=" ", char_persona="A thief."))
    assert (data["name"], data["description"]) == ("Mira", "A thief.")


def test_v2_keeps_every_field() -> None:
    given_card = {**v2(odd={"deep": [1, {"x": None}]}), **v1(), "fav": "true", "create_date": "2024-5-13"}
    card = read(given_card)
    assert card.warnings == []
    assert card.card == {
        **given_card,
        "spec": "chara_card_v3",
        "spec_version": "3.0",
        "data": {**given_card["data"], "group_only_greetings": []},
    }


def test_v3_is_taken_as_it_is() -> None:
    assert read(v3(odd=1)) == ImportedCard("Mira", v3(odd=1), None, [])


def test_v3_with_v2_only_fields() -> None:
    card = {**v2(), "spec": "chara_card_v3", "spec_version": "3.0"}
    assert data_of(card) == {**card["data"], "group_only_greetings": []}


@pytest.mark.parametrize("spec", ["chara_card_v2", "chara_card_v3"])
@pytest.mark.parametrize("missing", [{}, {"data": None}])
def test_missing_data_is_sought_at_the_top(spec: str, missing: dict[str, None]) -> None:
    card = read({"spec": spec, "spec_version": "2.0", **missing, **v1(odd=1)})
    assert card.card["data"]["description"] == "A lighthouse keeper."
    assert card.card["odd"] == 1
    assert "description" not in card.card
    assert card.warnings == []


def test_data_of_another_type_is_kept_as_original() -> None:
    card = read({"spec": "chara_card_v2", "data": ["?"], **v1()})
    assert card.card["data"]["first_mes"] == "*She looks up.* You came."
    assert card.card["data"]["extensions"]["memdesk"]["original"] == {"data": ["?"]}


def test_half_converted_cards_take_missing_fields_from_the_top() -> None:
    data = data_of({"spec": "chara_card_v2", "data": {"name": "Mira", "scenario": ""}, **v1(tags=["a"])})
    assert data["description"] == "A lighthouse keeper."
    assert data["scenario"] == ""
    assert data["tags"] == ["a"]


def test_a_later_version_is_read_with_a_warning() -> None:
    card = read({**v3(), "spec": "chara_card_v4", "spec_version": "4.0"})
    assert card.card == v3()
    assert card.warnings == ["Unknown card version 'chara_card_v4': read as V3."]


@pytest.mark.parametrize(
    ("field", "given_value", "value", "original"),
    [
        ("alternate_greetings", "Only one", ["Only one"], False),
        ("alternate_greetings", "", [], False),
        ("alternate_greetings", None, [], False),
        ("alternate_greetings", ["a", None, 7, "b"], ["a", "7", "b"], False),
        ("alternate_greetings", ["a", {"text": "b"}], ["a"], True),
        ("alternate_greetings", {"0": "a"}, [], True),
        ("alternate_greetings", True, [], True),
        ("tags", "sea, storm ,,", ["sea", "storm"], False),
        ("tags", 7, ["7"], False),
        ("tags", [["nested"]], [], True),
        ("description", None, "", False),
        ("description", 7, "7", False),
        ("description", 1.5, "1.5", False),
        ("description", ["one", "two"], "one\ntwo", True),
        ("description", [], "", False),
        ("description", {"en": "one"}, "", True),
        ("description", False, "", True),
        ("description", "a\0b", "ab", False),
        ("system_prompt", ["one", {"two": 2}], "one", True),
        ("nickname", None, "", False),
        ("nickname", ["Mi"], "Mi", True),
        ("name", 42, "42", False),
        ("name", ["Mira", "Rook"], "Mira Rook", True),
        ("name", "  Mi\nra\t\u2028 ", "Mi ra", True),
        ("name", "Mi\x07ra\u202e", "Mira", True),
        ("name", "x" * 1_000_000, "x" * 256, True),
        ("extensions", None, {}, False),
        ("extensions", "", {}, False),
        ("extensions", [], {}, False),
    ],
)
def test_wild_values(field: str, given_value: Any, value: Any, original: bool) -> None:
    card = read(v3(**{field: given_value}))
    data = card.card["data"]
    assert data[field] == value
    if original:
        kept = data["extensions"]["memdesk"]["original"][field]
        assert kept == (given_value.strip() if isinstance(given_value, str) else given_value)
        renamed = field == "name" and isinstance(given_value, str)
        words = "the original is kept" if renamed else "originals are kept"
        assert words in card.warnings[-1]
        assert field in card.warnings[-1]
    else:
        assert "memdesk" not in data["extensions"]
        assert card.warnings == []


def test_broken_extensions_are_kept_as_original() -> None:
    data = data_of(v3(extensions=["x"]))
    assert data["extensions"] == {"memdesk": {"original": {"extensions": ["x"]}}}
    data = data_of(v3(extensions={"memdesk": 1, "other": 2}, description={}))
    assert data["extensions"] == {
        "memdesk": {"original": {"description": {}, "extensions.memdesk": 1}},
        "other": 2,
    }
    data = data_of(v3(extensions={"memdesk": {"original": 1, "x": 2}}, description={}))
    assert data["extensions"]["memdesk"] == {
        "original": {"description": {}, "extensions.memdesk.original": 1},
        "x": 2,
    }


def test_fields_that_memdesk_does_not_read_are_never_touched() -> None:
    wild = {"character_book": "none", "assets": {"a": 1}, "creation_date": "", "source": "one", "odd": "a\0b"}
    card = read(v3(**wild))
    assert card.card == v3(**wild)
    assert card.warnings == []


@pytest.mark.parametrize(
    ("given", "name", "warning"),
    [
        ("M" * 3000, "M" * 256, "The name has 3000 characters and was shortened to 256"),
        ("Ma\nra", "Ma ra", "The name was cleaned of line breaks, double blanks or invisible characters"),
        ("Ma\u202era", "Mara", "The name was cleaned of line breaks, double blanks or invisible characters"),
    ],
)
def test_a_name_that_had_to_change_says_how(given: str, name: str, warning: str) -> None:
    card = read(v3(name=given))
    assert card.name == name
    assert card.warnings == [f"{warning}; the original is kept."]
    assert card.card["data"]["extensions"]["memdesk"]["original"] == {"name": given}
    both = read(v3(name=given, tags={"a": 1})).warnings
    assert both[-1].endswith("were repaired; their originals are kept: tags.")


@pytest.mark.parametrize("blank", [None, "", " \n\t", "\0", "\u202e"])
def test_a_nameless_card_is_called_after_its_file(blank: str | None) -> None:
    card = read(v3(name=blank), "Old Mira.v2.png")
    assert card.name == card.card["data"]["name"] == "Old Mira.v2"
    assert "The card has no name; it is called 'Old Mira.v2' after its file." in card.warnings


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("", "Unnamed"),
        ("/a/b/c.json", "c"),
        ("C:\\a\\魔王.png", "魔王"),
        ("\udcff.png", "?"),
        ("\n.png", "Unnamed"),
    ],
)
def test_a_nameless_card_of_an_odd_file(file: str, name: str) -> None:
    assert read(v3(name=""), file).name == name


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_json_encodings(encoding: str) -> None:
    raw = (" \r\n" + json.dumps(v3(name="魔王 😀"), ensure_ascii=False)).encode(encoding)
    assert read_card_bytes(raw, "x").name == "魔王 😀"


def test_ccv3_wins_over_chara_in_any_order() -> None:
    for chunks in (
        [text("chara", packed(v2(name="Two"))), text("ccv3", packed(v3(name="Three")))],
        [text("CCV3", packed(v3(name="Three"))), text("Chara", packed(v2(name="Two")))],
    ):
        data = picture(*chunks)
        card = read_card_bytes(data, "x.png")
        assert (card.name, card.image, card.warnings) == ("Three", data, [])


def test_chara_alone() -> None:
    assert read_card_bytes(picture(text("chara", packed(v1()))), "x.png").name == "Mira"


def test_compressed_and_international_texts() -> None:
    for chunk in (
        ztext("chara", packed(v2())),
        itext("ccv3", packed(v3()), compressed=True),
        itext("chara", packed(v2()), compressed=False),
    ):
        assert read_card_bytes(picture(chunk), "x.png").name == "Mira"


def test_base64_is_read_wrapped_unpadded_url_safe_and_not_at_all() -> None:
    raw = as_json(v2(name="魔?>王"))
    wrapped = base64.encodebytes(raw)
    for value in (wrapped, base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw), raw):
        assert read_card_bytes(picture(text("chara", value)), "x.png").name == "魔?>王"


def test_the_content_decides_not_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "card.png"
    path.write_bytes(as_json(v2()))
    assert read_card(path) == ImportedCard("Mira", read(v2()).card, None, [])
    path = tmp_path / "card.json"
    path.write_bytes(picture(text("chara", packed(v2()))))
    assert read_card(path).image == path.read_bytes()


def test_a_large_card_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.png"
    entries = [{"keys": [str(n)], "content": "海 " * 500} for n in range(2000)]
    path.write_bytes(write_card_png(v3(character_book={"entries": entries}), picture()))
    assert path.stat().st_size > 4 * 1024**2
    assert read_card(path).card["data"]["character_book"]["entries"] == entries


def test_png_export_carries_both_versions_and_the_same_picture() -> None:
    out = write_card_png({**v3(), "fav": True}, picture(text("chara", packed(v2(name="old")))))
    found = {
        each.keyword: json.loads(base64.b64decode(each.text()))
        for each in read_texts(out, "x", ("chara", "ccv3"))
    }
    assert found == {
        "chara": {**v3(), "spec": "chara_card_v2", "spec_version": "2.0", "fav": True},
        "ccv3": {**v3(), "fav": True},
    }
    assert out.startswith(picture()[:-12])


def test_json_export_is_readable_text() -> None:
    out = write_card_json(v3(name="魔王"))
    assert "魔王" in out.decode()
    assert json.loads(out) == v3(name="魔王")


def test_export_needs_a_png() -> None:
    with pytest.raises(FormatError, match="Mira: This is not a PNG file") as caught:
        write_card_png(v3(), b"\xff\xd8\xff")
    assert caught.value.code == "png_broken"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=10,
)
unknown = st.dictionaries(st.text(max_size=8).map(lambda key: f"x_{key}"), json_values, max_size=3)
# Whatever a stranger may put into the fields that memdesk reads, right or wrong.
WILD = ("name", "description", "first_mes", "alternate_greetings", "tags", "extensions", "nickname")
wild_fields = st.fixed_dictionaries({}, optional=dict.fromkeys((*WILD, "character_book", "odd"), json_values))


@settings(max_examples=120, deadline=None)
@given(data=unknown, top=unknown, extensions=unknown, book=unknown)
def test_import_export_import_keeps_everything(
    data: dict[str, Any], top: dict[str, Any], extensions: dict[str, Any], book: dict[str, Any]
) -> None:
    card = {**v3(**data, extensions=extensions, character_book={"entries": [book], **book}), **top}
    first = read(card)
    assert first == ImportedCard("Mira", card, None, [])
    assert read_card_bytes(write_card_json(first.card), "y.json") == first
    again = read_card_bytes(write_card_png(first.card, picture()), "y.png")
    assert (again.card, again.warnings) == (card, [])
    only_v2 = base64.b64encode(json.dumps({**card, "spec": "chara_card_v2"}).encode())
    assert read_card_bytes(picture(text("chara", only_v2)), "y.png").card == card


@settings(max_examples=150, deadline=None)
@given(fields=wild_fields, top=wild_fields, version=st.sampled_from([1, 2, 3]))
def test_what_was_repaired_once_stays_as_it_is(
    fields: dict[str, Any], top: dict[str, Any], version: int
) -> None:
    given_card = {1: {**v1(), **top}, 2: {**v2(**fields), **top}, 3: {**v3(**fields), **top}}[version]
    given_copy = copy.deepcopy(given_card)
    first = read(given_card)
    assert given_card == given_copy
    assert first.name == first.card["data"]["name"] != ""
    again = read_card_bytes(write_card_json(first.card), "other.json")
    assert (again.card, again.warnings) == (first.card, [])
    assert read_card_bytes(write_card_png(first.card, picture()), "other.png").card == first.card


def test_a_new_card_is_whole() -> None:
    card = new_card(" Mira\n", description="A keeper.", nickname="Mi")
    assert card["data"]["name"] == "Mira"
    assert card["data"]["description"] == "A keeper."
    assert read(card) == ImportedCard("Mira", card, None, [])


def test_a_new_card_refuses_what_is_no_text_of_a_card() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        new_card(" \n")
    with pytest.raises(TypeError, match="tags"):
        new_card("Mira", tags="a")


def test_editing_keeps_everything_else() -> None:
    card = read({**v2(odd={"deep": [1]}), "fav": True}).card
    before = copy.deepcopy(card)
    edited = with_fields(card, name="Rook", alternate_greetings=["Hm."], nickname="R")
    assert card == before
    expected = copy.deepcopy(before)
    expected["data"] |= {"name": "Rook", "alternate_greetings": ["Hm."], "nickname": "R"}
    assert edited == expected
    edited["data"]["odd"]["deep"].append(2)
    assert card == before


def test_editing_follows_to_the_duplicates_for_older_readers() -> None:
    card = read({**v2(), **v1(), "creatorcomment": "x", "char_name": "Mira", "tags": "sea"}).card
    edited = with_fields(card, name="Rook", creator_notes="y", tags=["sky"], system_prompt="z")
    assert [edited[key] for key in ("name", "char_name", "creatorcomment", "tags")] == [
        "Rook",
        "Rook",
        "y",
        ["sky"],
    ]
    assert "system_prompt" not in edited
    assert edited["description"] == "A lighthouse keeper."
    assert read(edited).card == edited


@pytest.mark.parametrize("changes", [{"tags": "a"}, {"name": ["a"]}, {"odd": "a"}, {"tags": [1]}])
def test_editing_refuses_wrong_fields(changes: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="no such field"):
        with_fields(v3(), **changes)


def test_a_blank_name_is_refused() -> None:
    with pytest.raises(ValueError, match="needs a name"):
        with_fields(v3(), name="\u202e\n")
