from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.chats.groups import GroupSettings, card_talkativeness, group_settings
from memdesk.chats.model import Character, Message, Swipe, SwipeState
from memdesk.conversation.name_guard import NameGuard
from memdesk.conversation.own_name import OwnName
from memdesk.conversation.reply_order import reply_order
from memdesk.store.database import now

NAMES = {1: "Mira", 2: "Tom", 3: "小明"}
NATURAL = GroupSettings()


def message(text: str, character_id: int | None = None) -> Message:
    swipe = Swipe(1, 1, text, SwipeState.DONE, now())
    role = "assistant" if character_id else "user"
    return Message(
        1, 1, 1, role, "Any", character_id, now(), hidden=False, swipe=swipe, swipe_number=1, swipe_count=1
    )


def order(text: str, settings: GroupSettings = NATURAL, seed: str = "", **more: Any) -> list[int]:
    eager = more.get("eager", dict.fromkeys(NAMES, 0.5))
    last = message(text, more.get("by"))
    return reply_order(
        settings, more.get("members", list(NAMES)), lambda who: [NAMES[who]], eager.get, last, seed
    )


def test_whoever_is_called_replies() -> None:
    assert order("小明 and Tom?") == [3, 2]
    assert order("Mira?", members=[2, 3]) != [1]


def test_who_spoke_last_does_not_answer_itself_unless_allowed_or_alone() -> None:
    assert order("I am Mira. Tom?", by=1) == [2]
    for seed in "abcdefgh":
        assert 1 not in order("Well.", seed=seed, by=1)
    assert order("I, Mira.", replace(NATURAL, again=True), by=1) == [1]
    assert order("I am alone.", members=[1], by=1) == [1]


def test_chance_follows_talkativeness_and_somebody_always_replies() -> None:
    eager = {1: 1.0, 2: 0.0, 3: 0.5}
    times = Counter(who for seed in range(400) for who in order("So?", seed=str(seed), eager=eager))
    assert times[1] == 400
    assert times[2] == 0
    assert 140 < times[3] < 260
    silent = [order("So?", seed=str(seed), eager=dict.fromkeys(NAMES, 0.0)) for seed in range(60)]
    assert {len(found) for found in silent} == {1}
    assert {found[0] for found in silent} == {1, 2, 3}


def test_the_same_seed_gives_the_same_order() -> None:
    assert [order("So?", seed="s") for _ in range(5)] == [order("So?", seed="s")] * 5
    assert len({tuple(order("So?", seed=str(seed))) for seed in range(60)}) > 5


def test_list_and_manual() -> None:
    assert order("Tom?", replace(NATURAL, order="list"), by=1) == [1, 2, 3]
    assert order("Tom?", replace(NATURAL, order="manual")) == []
    assert order("Tom?", members=[]) == []


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0.8, 0.8), ("0.25", 0.25), ("", 0.5), (None, 0.5), ("nan", 0.5), (7, 1.0), (-1, 0.0), ([], 0.5),
        ("inf", 0.5), (0, 0.0),
    ],
)  # fmt: skip
def test_talkativeness_of_cards_in_the_wild(value: object, number: float) -> None:
    card = {"data": {"extensions": {"talkativeness": value}}}
    assert card_talkativeness(Character(1, "A", card, None, now(), now())) == number
    assert card_talkativeness(Character(1, "A", {"data": {"extensions": []}}, None, now(), now())) == 0.5


def test_settings_that_cannot_be_read_have_their_defaults() -> None:
    assert group_settings({"group": {"order": "shout", "replies": 3, "again": "yes"}}) == GroupSettings()
    assert group_settings({"group": []}) == group_settings({}) == GroupSettings()
    assert group_settings({"group": {"order": "list", "cut_names": False}}).order == "list"


# ── the watch over a reply ───────────────────────────────────────────────────────────────────────────


def watched(
    text: str, size: int, others: tuple[str, ...] = ("Tom", "小明", "Tom Ash", "")
) -> tuple[str, str]:
    own, guard = OwnName("Mira"), NameGuard(others)
    shown = "".join(guard.feed(own.take(text[at : at + size])) for at in range(0, len(text), size))
    return shown + guard.feed(own.end()) + guard.end(), guard.cut


@pytest.mark.parametrize(
    ("text", "kept", "cut"),
    [
        ("Mira: Hello.\nTom: hi", "Hello.\n", "Tom"),
        ("One.\n\n**Tom:** hi", "One.\n\n", "Tom"),
        ("One.\n  > *Tom Ash* ： hi", "One.\n", "Tom Ash"),
        ("One.\n小明：喂", "One.\n", "小明"),
        ("Hello Tom: x\nTomorrow: y\nTom waits: z", "Hello Tom: x\nTomorrow: y\nTom waits: z", ""),
        ("One.\nTo", "One.\nTo", ""),
        ("One.\nTom", "One.\nTom", ""),
        ("Tom: hi", "", "Tom"),
        ("“Tom: hi”", "“Tom: hi”", ""),
        ("One.\n   \n*", "One.\n   \n*", ""),
        ("tom: hi", "", "Tom"),
    ],
)
def test_a_reply_ends_where_another_begins(text: str, kept: str, cut: str) -> None:
    for size in (1, 2, 3, 5, 100):
        assert watched(text, size) == (kept, cut)


@given(st.lists(st.sampled_from(["Tom", ":", "\n", " ", "*", "a", "小明", "：", "To"]), max_size=14))
def test_pieces_do_not_matter_and_nothing_is_made_up(pieces: list[str]) -> None:
    whole = "".join(pieces)
    guard = NameGuard(["Tom", "小明"])
    shown = "".join(guard.feed(piece) for piece in pieces) + guard.end()
    again = NameGuard(["Tom", "小明"])
    assert again.feed(whole) + again.end() == shown
    assert whole.startswith(shown)
    assert guard.cut or shown == whole
