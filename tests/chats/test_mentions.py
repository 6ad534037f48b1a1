from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.chats.mentions import mentioned

PARTY = {1: ["Mira"], 2: ["Tom Ash", "Tommy"], 3: ["Lady Vex of the Glade"], 4: ["Anna Lee"], 5: ["Anna"]}


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Mira, come here.", [1]),
        ("MIRA!", [1]),
        ("ｍｉｒａ？", [1]),
        ("Mira's sister and tommy", [1, 2]),
        ("Ash, then Mira", [2, 1]),
        ("@Mira", [1]),
        ("miracle, admire, Mirabel, mira_1", []),
        ("The lady of the glade", [3]),
        ("The lady of the house", []),
        ("Vex?", [3]),
        ("Anna Lee", [4]),
        ("Anna", [5]),
        ("Lee and Anna", [4, 5]),
        ("tomorrow", []),
        ("", []),
        ("*looks at Tom Ash*", [2]),
    ],
)
def test_who_is_called(text: str, who: list[int]) -> None:
    assert mentioned(text, PARTY) == who


@pytest.mark.parametrize(
    ("text", "names", "who"),
    [
        ("你好，小明！", {1: ["小明"], 2: ["明"]}, [1]),
        ("小明说魔王来了", {1: ["魔王"], 2: ["小明"]}, [2, 1]),
        ("明，你好", {1: ["小明"], 2: ["明"]}, [2]),
        ("明天见", {2: ["明"]}, []),
        ("卡特来了", {1: ["艾米莉·卡特"], 2: ["小明"]}, [1]),
        ("マリアが来た", {1: ["マリ"], 2: ["マリア"]}, [2]),
        ("マリが来た", {1: ["マリ"], 2: ["マリア"]}, [1]),
        ("ﾏﾘが来た", {1: ["マリ"]}, [1]),
        ("さくらちゃん", {1: ["さくら"]}, [1]),
        ("민수가 왔다", {1: ["민수"]}, [1]),
        ("สวัสดีมาลีครับ", {1: ["มาลี"]}, [1]),
        ("Где Мира?", {1: ["Мира"]}, [1]),
        ("Мирабель", {1: ["Мира"]}, []),
        ("يا مريم، تعالي", {1: ["مريم"]}, [1]),
        ("Zoë!", {1: ["Zoe\u0308"]}, [1]),
        ("Zoë!", {1: ["Zoe"]}, []),
        ("Mira在吗", {1: ["Mira"]}, [1]),
        ("🐉?", {1: ["🐉"]}, [1]),
        ("a.b", {1: ["."], 2: ["a.b"]}, [2]),
        ("STRASSE", {1: ["Straße"]}, [1]),
    ],
)
def test_any_script(text: str, names: dict[int, list[str]], who: list[int]) -> None:
    assert mentioned(text, names) == who


def test_equal_and_empty_names() -> None:
    assert mentioned("Mira!", {7: ["Mira"], 3: ["mira"], 9: ["", "  "]}) == [7, 3]
    assert mentioned("anything", {9: [""]}) == []


def test_a_word_that_two_names_share_calls_neither() -> None:
    assert mentioned("Ash?", {1: ["Tom Ash"], 2: ["Eve Ash"]}) == []
    assert mentioned("Eve?", {1: ["Tom Ash"], 2: ["Eve Ash"]}) == [2]


@given(st.text(max_size=60), st.dictionaries(st.integers(1, 4), st.lists(st.text(max_size=6), max_size=2)))
def test_whatever_is_written_gives_members_once_each(text: str, names: dict[int, list[str]]) -> None:
    found = mentioned(text, names)
    assert len(found) == len(set(found))
    assert set(found) <= set(names)


def test_a_megabyte_and_thirty_names_take_no_time() -> None:
    names = {number: [f"Member Number{number}"] for number in range(30)}
    begun = time.perf_counter()
    assert mentioned("ab " * 350_000 + "Number7", names) == [7]
    assert time.perf_counter() - begun < 0.5
