from __future__ import annotations

import sqlite3
import time
import unicodedata
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.memory.stemming import stem
from memdesk.memory.words import LONGEST_TERM, index_text, match_query, terms

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def table() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(body, tokenize='unicode61')")
        connection.execute("CREATE VIRTUAL TABLE tokens USING fts5vocab(words, 'instance')")
        yield connection


def search(connection: sqlite3.Connection, query: str) -> list[int]:
    expression = match_query(query)
    assert expression is not None
    found = connection.execute("SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank", (expression,))
    return [row[0] for row in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lighthouse keeper's keys were hidden.", ["lighthous", "keeper", "key", "hid"]),
        ("*She waves.* “Hello, <b>Mara</b>!”", ["wav", "hello", "mara"]),
        ("{{user}} looks at [the map](https://example.org/map)", ["look", "map"]),
        ("魔王", ["魔王"]),
        ("魔王城", ["魔王", "王城"]),
        ("猫", ["猫"]),
        ("ﾏｵｳのコト", ["マオ", "オウ", "ウの", "のコ", "コト"]),
        ("ＡＢＣ１２３", ["abc123"]),
        ("Ёлки-палки", ["ёлки", "палки"]),
        ("Café CAFÉ cafe\u0301", ["caf", "caf", "caf"]),
        ("Straße", ["strass"]),
        ("don’t won't", []),
        ("!!! … *** 🙂", []),
        ("", []),
    ],
)
def test_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "words",
    [
        ("key", "keys"),
        ("hide", "hides", "hiding", "hid", "hidden"),
        ("stop", "stops", "stopped", "stopping"),
        ("city", "cities"),
        ("marry", "married", "marries", "marrying"),
        ("glass", "glasses"),
        ("go", "goes", "went", "gone", "going"),
        ("wolf", "wolves"),
        ("dance", "dancing", "danced", "dances"),
    ],
)
def test_forms_of_a_word_meet(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize(
    "pair", [("sing", "sin"), ("red", "r"), ("king", "k"), ("bus", "bu"), ("kiss", "kis")]
)
def test_different_words_stay_apart(pair: tuple[str, str]) -> None:
    assert stem(pair[0]) != stem(pair[1])


def test_two_character_words_are_found_in_chinese(table: sqlite3.Connection) -> None:
    texts = ["昨天夜里魔王攻破了北门。", "我妹妹小满今年九岁。", "The demon king broke the north gate."]
    for number, text in enumerate(texts, 1):
        table.execute("INSERT INTO words(rowid, body) VALUES (?, ?)", (number, index_text(text)))
    assert search(table, "魔王是谁？") == [1]
    assert search(table, "小满几岁") == [2]
    assert search(table, "Who broke the gates?") == [3]


def test_every_letter_and_digit_is_one_token(table: sqlite3.Connection) -> None:
    letters = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] in "LN"]
    sample = letters[::7] + [char for char in letters if ord(char) < 0x3100]
    rows = [(number, index_text(f"x{char}y")) for number, char in enumerate(sample, 1)]
    table.executemany("INSERT INTO words(rowid, body) VALUES (?, ?)", rows)
    counted = dict(table.execute("SELECT doc, count(*) FROM tokens GROUP BY doc"))
    split = [sample[row - 1] for row, body in rows if counted.get(row, 0) != len(body.split())]
    assert split == []


@pytest.mark.parametrize(
    "text", ["हिन्दी", "ภาษาไทย", "עִבְרִית", "العربية", "தமிழ்", "𠮷野家", "ᏣᎳᎩ", "한국어", "Ελληνικά"]
)
def test_every_script_is_found_again(table: sqlite3.Connection, text: str) -> None:
    table.execute("INSERT INTO words(rowid, body) VALUES (1, ?)", (index_text(f"before {text} after"),))
    assert search(table, text) == [1]


@pytest.mark.parametrize(
    "hostile",
    [
        '"',
        '""" OR body:x',
        "AND OR NOT NEAR",
        "NEAR(apple pear, 2)",
        "((((",
        "body : ^x*",
        "a\x00b",
        "\ud800\udfff",
        "-key +key",
        "'; DROP TABLE words; --",
        "{col}",
        "x" * 100_000,
    ],
)
def test_hostile_queries_are_harmless(table: sqlite3.Connection, hostile: str) -> None:
    table.execute("INSERT INTO words(rowid, body) VALUES (1, ?)", (index_text(hostile + " apple"),))
    expression = match_query(hostile + " apple")
    assert expression is not None
    found = table.execute("SELECT rowid FROM words WHERE words MATCH ?", (expression,)).fetchall()
    assert found == [(1,)]


def test_nothing_to_search_for() -> None:
    assert match_query("") is None
    assert match_query("… the of 的") is None
    assert match_query("key", limit_terms=0) is None


def test_many_terms_are_limited_to_the_longest_in_order() -> None:
    expression = match_query("ox lighthouse bee cartography elk", limit_terms=2)
    assert expression == '"lighthous" OR "cartography"'


def test_a_megabyte_takes_a_moment() -> None:
    for text in (
        "魔王的城堡在北方" * 125_000,
        "The keepers were hiding keys. " * 34_000,
        "<" * 1_000_000,
        "{{" * 500_000,
        "a" * 1_000_000,
        "猫" + "\u0301\u0323" * 500_000,
        "a'" * 500_000,
    ):
        begun = time.process_time()
        terms(text)
        assert time.process_time() - begun < 6


@given(st.text(max_size=200))
def test_any_text_is_indexed_and_found(text: str) -> None:
    found = terms(text)
    assert all(0 < len(term) <= LONGEST_TERM and not set(term) & set(" \"'*()\x00") for term in found)
    if not found:
        assert match_query(text) is None
        return
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(body, tokenize='unicode61')")
        connection.execute("INSERT INTO words(rowid, body) VALUES (1, ?)", (index_text(text),))
        assert search(connection, text) == [1]
