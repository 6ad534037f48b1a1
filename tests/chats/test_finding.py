"""Words are found in every script, and what the index finds is what stands in the text."""

from __future__ import annotations

import sqlite3
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.chats.finding import LONGEST_QUERY, index_words, level, read_query, snippet, spans

DB = sqlite3.connect(":memory:", isolation_level=None)
DB.execute("CREATE VIRTUAL TABLE w USING fts5(words, tokenize = 'unicode61 remove_diacritics 0')")


def indexed(text: str, query: str) -> bool:
    """Ask a real index."""
    expression = read_query(query).expression
    if expression is None:
        return False
    DB.execute("DELETE FROM w")
    DB.execute("INSERT INTO w VALUES (?)", (index_words(text),))
    return DB.execute("SELECT 1 FROM w WHERE w MATCH ?", (expression,)).fetchone() is not None


FOUND = [
    ("The dragons sleep.", "dragon"),
    ("The DRAGON sleeps.", "dragon"),
    ("Ｄｒａｇｏｎ", "dragon"),
    ("a café in Besançon", "cafe besancon"),
    ("a cafe in Besancon", "café Besançon"),
    ("Straße", "STRASSE"),
    ("Ελλάδα", "ελλαδα"),
    ("ещё раз", "еще"),
    ("سَلَامٌ", "سلام"),
    ("שָׁלוֹם", "שלום"),
    ("他去了魔王城。", "魔王"),
    ("他去了魔王城。", "王城"),
    ("他去了魔王城。", "魔王城"),
    ("他去了魔王城。", "城"),
    ("他去了魔王城。", "他"),
    ("魔王说：“你好。”", "魔王 你好"),
    ("ガンダムが来た", "ｶﾞﾝﾀﾞﾑ"),
    ("한국어를 배운다", "국어"),
    ("กรุงเทพ", "กรุง"),
    ("हिन्दी भाषा", "हिन्दी"),
    ("She said: don’t go.", "don't"),
    ("a red, red door", '"red door"'),
    ("第3号房间", "3号"),
    ("well 😀!", "😀"),
    ("dra\u00adgon", "dragon"),
    ("one OR two", "or"),
    ("x" * 200, "x" * 100),
    ("the red door", '"red'),
    ("“I never said that”", "“never said”"),
]

NOT_FOUND = [
    ("The snapdragon blooms.", "dragon"),
    ("The dragons sleep.", '"dragon"'),
    ("a cat", "c"),
    ("a door, red", '"red door"'),
    ("魔法的王", "魔王"),
    ("が", "か"),
    ("dragon", "dragon knight"),
]


@pytest.mark.parametrize(("text", "query"), FOUND)
def test_finds(text: str, query: str) -> None:
    wanted = read_query(query)
    assert wanted.matches(text)
    assert indexed(text, query)
    assert spans(text, wanted)


@pytest.mark.parametrize(("text", "query"), NOT_FOUND)
def test_does_not_find(text: str, query: str) -> None:
    assert not read_query(query).matches(text)
    assert not indexed(text, query)


@pytest.mark.parametrize(
    "query",
    ["", "   ", '"', '"""', "?!…", "'--", "\x00", "\ud800", "*", "()", "。、", "\u200b", "\u0301", '" "'],
)
def test_a_query_without_words_finds_nothing(query: str) -> None:
    wanted = read_query(query)
    assert wanted.expression is None
    assert not wanted.matches("anything at all “ * ( 。 \x00")
    assert spans("anything", wanted) == []


@pytest.mark.parametrize(
    "query",
    [
        "a AND", "NOT b", "NEAR(a b)", "words:secret", 'x" OR "y', "a*b", "-x", "^x", "{a b}: c", "x + y",
        "\x00a", "ǂ61ǂ", "u61", "' OR 1=1 --", "a\ud83d", "𠮷野家", "👩‍👩‍👧", "🇩🇪", "ﷺ", "½ ㍿", "\u202eabc",
        "a" * 10_000, "魔" * 10_000, '"' * 500 + "a",
        " ".join(f"w{n}" for n in range(400)),
    ],
)  # fmt: skip
def test_no_query_has_power_over_the_database(query: str) -> None:
    indexed("some text with a word", query)
    assert indexed(query[:LONGEST_QUERY], query) == read_query(query).matches(query[:LONGEST_QUERY])


WORDS = st.text(alphabet="abé A'\"-.魔王城 がｶﾞ3ё😀ß\n", max_size=24)


@settings(max_examples=100, deadline=None)
@given(WORDS, WORDS)
def test_the_index_finds_what_stands_in_the_text(text: str, query: str) -> None:
    assert indexed(text, query) == read_query(query).matches(text)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), st.text(max_size=8))
def test_marks_are_places_of_the_text_in_order(text: str, query: str) -> None:
    wanted = read_query(query)
    at = 0
    for start, end in spans(text, wanted):
        assert at <= start < end <= len(text)
        at = end
    line, marks = snippet(text, wanted)
    assert "\n" not in line
    assert all(0 <= start < end <= len(line) for start, end in marks)


def test_marks_stand_at_the_words_as_written() -> None:
    text = "Der Straßenkehrer\u00a0— ＤＲＡＧＯＮ, cafe\u0301, 魔王城; ｶﾞﾝﾀﾞﾑ 😀"
    wanted = read_query("strasse dragon café 王 ガン 😀")
    # A mark takes in the whole cluster that it touches.
    assert [text[a:b] for a, b in spans(text, wanted)] == [
        "Straße",
        "ＤＲＡＧＯＮ",
        "cafe\u0301",
        "王",
        "ｶﾞﾝ",
        "😀",
    ]


def test_a_place_far_into_a_long_text_is_found_and_shown() -> None:
    text = "Ünder the *roof* it rains. " * 40_000 + "Then the *lantern*\n\nfell.  魔王！"
    started = time.perf_counter()
    assert len(text) > 1_000_000
    for query, mark in (("lantern", "lantern"), ("魔王", "魔王")):
        line, marks = snippet(text, read_query(query))
        assert [line[a:b] for a, b in marks] == [mark]
        assert len(line) < 200
    assert len(spans(text, read_query("roof"))) == 2_000
    assert time.perf_counter() - started < 10


def test_hostile_texts_are_levelled_in_time() -> None:
    started = time.perf_counter()
    for text in ("\u0301\u0300" * 200_000, "!" * 300_000 + "a", "é " * 50_000, "😀" * 30_000, "ﷺ" * 10_000):
        level(text)
        index_words(text)
        read_query('"a b" 魔 x').matches(text)
    assert time.perf_counter() - started < 15
