"""Depth prompt, talkativeness and what is only listed: read from anything, written without loss."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from memdesk.formats.card_extras import (
    Asset,
    DepthPrompt,
    assets_of,
    depth_prompt_of,
    is_favourite,
    other_notes_of,
    sources_of,
    talkativeness_of,
    with_depth_prompt,
    with_talkativeness,
)
from memdesk.formats.cards import new_card


def card(**extensions: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v3", "data": {"name": "Mara", "extensions": extensions}}


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ({"prompt": "Be brief.", "depth": 2, "role": "user"}, DepthPrompt("Be brief.", 2, "user")),
        ({"prompt": "x", "depth": "", "role": ""}, DepthPrompt("x", 4, "system")),
        ({"prompt": "x", "depth": "7", "role": 2}, DepthPrompt("x", 7, "assistant")),
        ({"prompt": "x", "depth": -1, "role": True}, DepthPrompt("x", 4, "system")),
        ({"prompt": "x", "depth": 10**30}, DepthPrompt("x", 9999, "system")),
        ({"prompt": 5, "depth": None}, DepthPrompt()),
        ("text", DepthPrompt()),
        (None, DepthPrompt()),
    ],
)
def test_a_depth_prompt_in_any_state(stored: Any, found: DepthPrompt) -> None:
    assert depth_prompt_of(card(depth_prompt=stored)) == found


def test_a_depth_prompt_is_changed_and_nothing_else_is() -> None:
    before = card(depth_prompt={"prompt": "old", "x": 1}, other=[1])
    kept = copy.deepcopy(before)
    after = with_depth_prompt(before, DepthPrompt("new", 0, "assistant"))
    assert before == kept
    assert after["data"]["extensions"] == {
        "depth_prompt": {"prompt": "new", "x": 1, "depth": 0, "role": "assistant"},
        "other": [1],
    }
    # A card that has none does not get an empty one.
    plain = new_card("Mara")
    assert with_depth_prompt(plain, DepthPrompt()) is plain
    assert depth_prompt_of(with_depth_prompt({"data": {"extensions": "?"}}, DepthPrompt("x"))).text == "x"


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        (0.2, 0.2),
        ("0.7", 0.7),
        (9, 1.0),
        (-1, 0.0),
        ("", 0.5),
        (None, 0.5),
        ([], 0.5),
        (True, 0.5),
        ("nan", 0.5),
    ],
)
def test_talkativeness_in_any_state(stored: Any, found: float) -> None:
    assert talkativeness_of(card(talkativeness=stored)) == found


def test_a_duplicate_for_old_readers_follows() -> None:
    old = {"talkativeness": "0.3", "data": {}}
    assert talkativeness_of(old) == 0.3
    new = with_talkativeness(old, 0.8)
    assert (new["talkativeness"], new["data"]["extensions"]["talkativeness"]) == (0.8, 0.8)
    assert with_talkativeness(new, 0.8) is new


def test_what_is_only_listed() -> None:
    data = {
        "assets": [
            {"type": "icon", "name": "main", "uri": "ccdefault:", "ext": "png"},
            {"type": "emotion", "name": "joy", "uri": "data:image/png;base64," + "A" * 10_000},
            "broken",
        ],
        "source": ["https://example.org/a", 5, " "],
        "creator_notes_multilingual": {"zh": "中文", "de": 1},
    }
    found = {"data": data}
    assert assets_of(found) == [
        Asset("icon", "main", "ccdefault:"),
        Asset("emotion", "joy", "data:image/png;base64, …"),
    ]
    assert sources_of(found) == ["https://example.org/a"]
    assert other_notes_of(found) == {"zh": "中文"}
    for odd in ({}, {"data": None}, {"data": {"assets": 1, "source": {}, "creator_notes_multilingual": []}}):
        assert (assets_of(odd), sources_of(odd), other_notes_of(odd)) == ([], [], {})


def test_a_favourite() -> None:
    assert is_favourite(card(fav=True))
    assert is_favourite(card(fav="true"))
    assert not is_favourite(card(fav="false"))
    assert not is_favourite({})
