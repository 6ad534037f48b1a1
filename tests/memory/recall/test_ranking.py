from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.memory.bm25 import bm25
from memdesk.memory.query import ends_with_question
from memdesk.memory.recall.ranking import (
    SCENE_SECONDS,
    Scored,
    fuse,
    with_context,
    without_names,
)

SHARE = st.floats(0, 1)
SCORED = st.builds(
    Scored,
    chunk_id=st.integers(1, 10**6),
    turn=st.none() | st.integers(1, 50),
    speakers=st.sampled_from([(), ("Mara",), ("Mara", "Alex"), ("",)]),
    dense=SHARE,
    words=SHARE,
    time=st.sampled_from([0.0, 60.0, 10 * SCENE_SECONDS]),
    asks=st.booleans(),
)


@given(
    st.lists(SCORED, max_size=15, unique_by=lambda item: item.chunk_id),
    st.sampled_from(["", "What did mara say?"]),
)
def test_scores_are_shares_best_first_and_explained(candidates: list[Scored], query: str) -> None:
    speakers = {name for item in candidates for name in item.speakers}
    ranked = fuse(candidates, query)
    assert sorted(item.chunk_id for item in ranked) == sorted(item.chunk_id for item in candidates)
    scores = [item.score for item in ranked]
    assert scores == sorted(scores, reverse=True)
    for item in ranked:
        assert 0 <= item.score <= 1
        assert item.parts["meaning"] == item.dense
        assert item.parts["words"] == item.words
        named = "Mara" in item.speakers and "mara" in query and speakers != {"Mara"}
        assert ("speaker" in item.parts) == named


@given(st.lists(SCORED, min_size=1, max_size=8, unique_by=lambda item: item.chunk_id))
def test_the_order_of_candidates_does_not_matter(candidates: list[Scored]) -> None:
    first = [(item.chunk_id, item.score) for item in fuse(candidates, "mara")]
    assert [(item.chunk_id, item.score) for item in fuse(candidates[::-1], "mara")] == first


def test_an_answer_stands_beside_its_question() -> None:
    question, answer, far = (
        Scored(1, turn=5, dense=0.9),
        Scored(2, turn=6, dense=0.3),
        Scored(3, turn=30, dense=0.3),
    )
    ranked = fuse([question, answer, far], "")
    assert [item.chunk_id for item in ranked] == [1, 2, 3]
    assert ranked[1].parts["neighbour"] > 0
    assert ranked[2].parts["neighbour"] == 0


def test_a_question_lends_its_answer_more() -> None:
    told = fuse([Scored(1, turn=5, dense=0.9), Scored(2, turn=6, dense=0.3)], "")
    asked = fuse([Scored(1, turn=5, dense=0.9, asks=True), Scored(2, turn=6, dense=0.3)], "")
    assert asked[1].neighbour > told[1].neighbour
    assert asked[0].neighbour == told[0].neighbour


def test_another_scene_lends_nothing() -> None:
    ranked = fuse([Scored(1, turn=5, dense=0.9), Scored(2, turn=6, dense=0.3, time=SCENE_SECONDS + 1)], "")
    assert [item.neighbour for item in ranked] == [0, 0]


def test_great_scores_can_still_be_told_apart() -> None:
    best = [Scored(turn, turn=turn, dense=0.9 + turn / 100, words=1.0, asks=True) for turn in range(1, 6)]
    scores = [item.score for item in fuse(best, "")]
    assert len(set(scores)) == len(scores)
    assert max(scores) < 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Where is it?", True),
        ("Where is it? *She waits.*", True),
        ("“钥匙在哪？”", True),
        ("Where is it? " + "I ask myself, and go on, and on. " * 3, False),
        ("It is there.", False),
        ("", False),
    ],
)
def test_what_ends_with_a_question(text: str, question: bool) -> None:
    assert ends_with_question(text) is question


def test_names_of_speakers_are_no_words_to_look_for() -> None:
    assert without_names(["mara", "key"], ["Mara Vane", "Alex"]) == ["key"]
    assert without_names(["聽雪", "柴刀"], ["霍聽雪"]) == ["柴刀"]
    assert without_names(["mara"], ["Mara"]) == ["mara"]


@pytest.mark.parametrize(("query", "first"), [("Mara's key", 2), ("marathon", 1), ("Mara or Alex", 1)])
def test_only_a_name_names_and_all_names_name_nobody(query: str, first: int) -> None:
    ranked = fuse(
        [Scored(1, speakers=("Alex",), dense=0.5), Scored(2, speakers=("Mara",), dense=0.49)], query
    )
    assert ranked[0].chunk_id == first


def test_a_named_speaker_is_preferred() -> None:
    ranked = fuse(
        [Scored(1, speakers=("Alex",), dense=0.5), Scored(2, speakers=("Mara",), dense=0.5)], "MARA, why?"
    )
    assert [item.chunk_id for item in ranked] == [2, 1]


def test_rare_words_weigh_more_and_short_documents_too() -> None:
    documents = {1: ["key", "tin"], 2: ["gull", "gull"], 3: ["key"] + ["x"] * 30}
    scores = bm25(["key", "gull"], documents, 100, {"key": 50, "gull": 2})
    assert scores[2] > scores[1] > scores[3] > 0


def test_a_weak_best_match_does_not_look_perfect() -> None:
    weak = bm25(
        ["key", "tin", "harbour", "gull"],
        {1: ["x"] * 40 + ["key"]},
        100,
        dict.fromkeys(("key", "tin", "harbour", "gull"), 5),
    )
    strong = bm25(["key"], {1: ["key"]}, 100, {"key": 5})
    assert weak[1] < strong[1] == 1.0


def test_side_by_side_as_asked_is_better_than_apart() -> None:
    frequency = {"brass": 5, "key": 5}
    scores = bm25(["brass", "key"], {1: ["key", "x", "brass"], 2: ["x", "brass", "key"]}, 100, frequency)
    assert scores[2] > scores[1] > 0


def test_several_words_beat_one_that_is_repeated() -> None:
    frequency = dict.fromkeys(("tin", "key"), 5)
    scores = bm25(["tin", "key"], {1: ["tin"] * 6, 2: ["tin", "x", "x", "x", "x", "key"]}, 100, frequency)
    assert scores[2] > scores[1] > 0


def test_nothing_to_weigh() -> None:
    assert bm25([], {1: ["a"]}, 1, {}) == {}
    assert bm25(["a"], {}, 1, {"a": 1}) == {}
    assert bm25(["a"], {1: ["b"]}, 10, {"a": 0}) == {}


@given(
    st.lists(st.sampled_from("abcdef"), max_size=5),
    st.dictionaries(st.integers(1, 9), st.lists(st.sampled_from("abcdef"), max_size=9), max_size=6),
)
def test_word_scores_are_shares(query: list[str], documents: dict[int, list[str]]) -> None:
    frequency = {term: sum(term in words for words in documents.values()) for term in query}
    for score in bm25(query, documents, max(1, len(documents)), frequency).values():
        assert 0 <= score <= 1


@given(st.dictionaries(st.integers(1, 5), SHARE), st.dictionaries(st.integers(1, 5), SHARE))
def test_surroundings_add_and_never_take(scores: dict[int, float], context: dict[int, float]) -> None:
    for key, value in with_context(scores, context, range(1, 6)).items():
        assert scores.get(key, 0.0) <= value <= 1


def test_words_count_in_full_where_nothing_is_embedded() -> None:
    candidates = [Scored(1, words=0.4)]
    assert fuse(candidates, "key")[0].score < 0.25
    assert fuse(candidates, "key", by_words=True)[0].score > 0.25
