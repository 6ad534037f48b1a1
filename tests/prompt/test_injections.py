from __future__ import annotations

from dataclasses import asdict
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.prompt.assembly import Assembler
from memdesk.prompt.budget import Budget, PromptTooLarge
from memdesk.prompt.injections import MAX_DEPTH, Injection, depth_prompt, weave
from memdesk.prompt.names import names_in
from memdesk.prompt.parts import ROLES, Contribution, Part, Placement, Reason, Where
from tests.prompt.test_assembly import cast, character, chat, words


def inject(text: str, where: Where = "in_chat", depth: int = 4, **more: Any) -> Injection:
    role = more.pop("role", "system")
    return Injection("instructions", text, text, Placement(where, depth, role), **more)


def sent(*injections: Injection, lines: int = 3, after: str = "", names: Any = "none") -> list[str]:
    people = cast(system_prompt="main", post_history_instructions=after)
    assembler = Assembler(people, Budget(4000, 100), words, injections=injections, names=names)
    history = assembler.fit(reversed(chat(*(f"m{n}" for n in range(1, lines + 1)))), 0)
    receipt = assembler.assemble(history, [], lines + 1)
    assert receipt.used == sum(part.tokens for part in receipt.parts if part.included)
    assert receipt.used == assembler.fixed + history.total
    return [f"{message['role'][0]}:{message['content']}" for message in receipt.messages]


def test_every_place() -> None:
    found = sent(
        inject("end", "after_chat"),
        inject("late", "after_prompt"),
        inject("early", "before_prompt"),
        inject("now", depth=0),
        inject("deep", depth=2, role="user"),
        after="last",
    )
    assert found == [
        "s:early\n\nmain\n\nlate", "u:m1", "u:deep", "a:m2", "u:m3", "s:now", "s:end", "s:last",
    ]  # fmt: skip


def test_at_one_depth_roles_follow_each_other_and_equals_are_joined() -> None:
    found = sent(
        inject("assistant", depth=1, role="assistant"),
        inject("one", depth=1),
        inject("user", depth=1, role="user"),
        inject("two", depth=1),
    )
    assert found == ["s:main", "u:m1", "a:m2", "s:one\ntwo", "u:user", "a:assistant", "u:m3"]


@pytest.mark.parametrize(("depth", "place"), [(3, 1), (4, 1), (9999, 1), (0, 4), (-5, 4)])
def test_a_depth_beyond_the_chat_is_its_beginning(depth: int, place: int) -> None:
    assert sent(inject("x", depth=depth))[place] == "s:x"


def test_an_empty_chat_has_room_for_what_is_deep_in_it() -> None:
    assert sent(inject("x", depth=4), lines=0) == ["s:main", "s:x"]


def test_macros_count_as_what_they_give_and_blank_texts_are_nothing() -> None:
    assert sent(inject("{{char}} waits."), inject(" \n "))[1] == "s:Mara waits."
    assert sent(inject("{{persona}}")) == ["s:main", "u:m1", "a:m2", "u:m3"]


def test_what_does_not_go_this_time_is_listed_and_costs_nothing() -> None:
    quiet = inject("secret words here", included=False, reason=Reason("disabled"), source={"note": 1})
    assembler = Assembler(cast(system_prompt="m"), Budget(4000, 100), words, injections=[quiet])
    assert assembler.fixed == 1 + 4
    receipt = assembler.assemble(assembler.fit(chat("Hi."), 0), [], 2)
    assert all("secret" not in message["content"] for message in receipt.messages)
    (part,) = [part for part in receipt.parts if not part.included]
    assert (part.title, part.reason.code) == ("secret words here", "disabled")
    assert part.source == {"note": 1, "placement": asdict(quiet.placement)}


def test_history_gives_way_to_an_injection_and_one_that_is_too_long_is_named() -> None:
    lines = chat(*("word " * 20 for _ in range(40)))
    plain = Assembler(cast(system_prompt="m"), Budget(512, 100), words)
    full = Assembler(cast(system_prompt="m"), Budget(512, 100), words, injections=[inject("w " * 200)])
    assert len(full.fit(reversed(lines), 0).sent) < len(plain.fit(reversed(lines), 0).sent)
    long = Assembler(cast(system_prompt="m"), Budget(512, 100), words, injections=[inject("w " * 500)])
    with pytest.raises(PromptTooLarge) as caught:
        long.fit(chat("Hi."), 0)
    assert caught.value.largest[0][1] == 504


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("before_prompt", ["s:past\n\nm", "u:Hi."]),
        ("after_prompt", ["s:m\n\npast", "u:Hi."]),
        ("in_chat", ["s:m", "s:past", "u:Hi."]),
        ("after_chat", ["s:m", "u:Hi.", "s:past"]),
    ],
)
def test_a_layer_names_its_place(where: Where, expected: list[str]) -> None:
    assembler = Assembler(cast(system_prompt="m"), Budget(4000, 100), words)
    part = Part("summary", "S", "past", 1, included=True, reason=Reason("always"), source={"entry": 7})
    layer = Contribution("s", "summary", "past", 1, (part,), placement=Placement(where, 1))
    history = assembler.fit(chat("Hi."), 0)
    receipt = assembler.assemble(history, [layer], 2)
    assert [f"{m['role'][0]}:{m['content']}" for m in receipt.messages] == expected
    (told,) = [part for part in receipt.parts if part.kind == "summary"]
    assert told.source == {"entry": 7, "placement": {"where": where, "depth": 1, "role": "system"}}
    assert receipt.used == sum(p.tokens for p in receipt.parts if p.included)


PLACEMENTS = st.builds(
    Placement, st.sampled_from(get_args(Where)), st.integers(-3, 60), st.sampled_from(ROLES)
)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 12), st.lists(PLACEMENTS, max_size=12))
def test_weaving_keeps_the_chat_and_loses_nothing(count: int, places: list[Placement]) -> None:
    history = [{"role": "user", "content": f"m{number}"} for number in range(count)]
    placed = [(place, f"i{number}") for number, place in enumerate(places)]
    woven = weave(history, placed)
    assert [message for message in woven if message in history] == history
    inside = [text for place, text in placed if place.where == "in_chat"]
    added = [line for m in woven if m not in history for line in m["content"].split("\n")]
    assert sorted(added) == sorted(inside)
    for place, text in placed:
        if place.where == "in_chat":
            at = next(n for n, m in enumerate(woven) if text in m["content"].split("\n"))
            after = sum(message in history for message in woven[at:])
            assert after == min(max(place.depth, 0), count)


@pytest.mark.parametrize(
    ("found", "depth", "role"),
    [
        ({"prompt": "x"}, 4, "system"),
        ({"prompt": "x", "depth": 2, "role": "assistant"}, 2, "assistant"),
        ({"prompt": "x", "depth": "7", "role": 1}, 7, "user"),
        ({"prompt": "x", "depth": "", "role": "narrator"}, 4, "system"),
        ({"prompt": "x", "depth": -1, "role": None}, 4, "system"),
        ({"prompt": "x", "depth": 3.0, "role": "USER"}, 3, "user"),
        ({"prompt": "x", "depth": True, "role": True}, 4, "system"),
        ({"prompt": "x", "depth": 10**40}, MAX_DEPTH, "system"),
        ({"prompt": "x", "depth": "9" * 5000}, MAX_DEPTH, "system"),
        ({"prompt": "x", "depth": float("nan")}, 4, "system"),
        ({"prompt": "x", "depth": "²", "role": [0]}, 4, "system"),
    ],
)
def test_a_cards_depth_prompt(found: dict[str, Any], depth: int, role: str) -> None:
    injection = depth_prompt(character(extensions={"depth_prompt": found}))
    assert injection is not None
    assert (injection.placement.where, injection.placement.depth) == ("in_chat", depth)
    assert injection.placement.role == role


@pytest.mark.parametrize(
    "extensions", [None, [], "x", {}, {"depth_prompt": "x"}, {"depth_prompt": {"prompt": "  "}},
                   {"depth_prompt": {"prompt": 5}}],
)  # fmt: skip
def test_a_card_without_a_depth_prompt(extensions: object) -> None:
    assert depth_prompt(character(extensions=extensions)) is None


def test_names_in_the_text_are_counted() -> None:
    assert sent(names="content") == ["s:main", "u:Alex: m1", "a:Mara: m2", "u:Alex: m3"]


def test_names_in_their_field() -> None:
    lines = chat("m1", "m2")
    assembler = Assembler(cast(system_prompt="m"), Budget(4000, 100), words, names="field")
    history = assembler.fit(reversed(lines), 0)
    receipt = assembler.assemble(history, [], 3)
    assert receipt.messages[1:] == (
        {"role": "user", "name": "Alex", "content": "m1"},
        {"role": "assistant", "name": "Mara", "content": "m2"},
    )


@pytest.mark.parametrize(
    ("choice", "single", "group"),
    [
        ("groups", "none", "content"),
        ("none", "none", "none"),
        ("content", "content", "content"),
        ("field", "field", "field"),
        ("?", "none", "content"),
        ([1], "none", "content"),
    ],
)
def test_what_a_choice_of_names_means(choice: object, single: str, group: str) -> None:
    from dataclasses import replace
    from datetime import UTC, datetime

    from memdesk.chats.model import Chat

    moment = datetime(2026, 1, 1, tzinfo=UTC)
    one = Chat(1, "t", "single", "roleplay", (1,), ("Mara",), None, {}, moment, moment)
    assert names_in(choice, one) == single
    assert names_in(choice, replace(one, kind="group")) == group
