from __future__ import annotations

import pytest

from memdesk.chats.model import Message, Swipe, SwipeState
from memdesk.memory.query import QUERY_CHARS, REACH_BACK, plain_query, query_from
from tests.support.workspaces import BEGIN


def history(*texts: str, hidden: tuple[int, ...] = ()) -> list[Message]:
    return [
        Message(
            number, 1, number, "user", "Alex", None, BEGIN, hidden=number in hidden,
            swipe=Swipe(number, number, text, SwipeState.DONE, BEGIN), swipe_number=1, swipe_count=1,
        )
        for number, text in enumerate(texts, start=1)
    ]  # fmt: skip


def test_the_newest_message_is_what_is_searched_for() -> None:
    query = query_from(history("old story", "The gulls fly over the harbour.", "Where is the brass key?"), 2)
    assert query.text == "Where is the brass key?"
    assert query.context == "The gulls fly over the harbour."
    assert query.shown == "Where is the brass key?\nThe gulls fly over the harbour."


@pytest.mark.parametrize("short", ["嗯", "go on", "…", "🙂", "然后呢"])
def test_a_message_that_says_too_little_is_joined_by_what_came_before(short: str) -> None:
    query = query_from(history("unrelated", "The brass key lies in the biscuit tin.", short), 1)
    assert query.text == f"{short}\nThe brass key lies in the biscuit tin."


@pytest.mark.parametrize("question", ["When is your birthday?", "And your birthday, then? *She smiles.*"])
def test_a_short_question_is_not_drowned_by_what_came_before(question: str) -> None:
    query = query_from(history("The gulls fly over the harbour, and a light is there.", question), 2)
    assert query.text == question
    assert query.context == "The gulls fly over the harbour, and a light is there."


def test_it_reaches_back_only_so_far() -> None:
    query = query_from(history("The brass key lies in the biscuit tin.", *["嗯"] * REACH_BACK), 2)
    assert "key" not in query.shown


def test_hidden_and_blank_messages_ask_nothing() -> None:
    query = query_from(history("The brass key is lost.", "The hidden secret stays hidden.", "  "), 2)
    assert query.text == "The hidden secret stays hidden."
    query = query_from(history("The brass key is lost.", "A secret.", "  ", hidden=(2,)), 2)
    assert query.shown == "The brass key is lost."


def test_nothing_to_ask() -> None:
    assert query_from([], 2).shown == ""
    assert query_from(history("", "\n"), 2).shown == ""
    assert plain_query("  ").text == ""


def test_a_megabyte_is_cut() -> None:
    query = query_from(history("word " * 200_000, "字" * 300_000), 2)
    assert len(query.text) <= QUERY_CHARS
    assert len(query.context) <= QUERY_CHARS
    assert len(plain_query("x" * 10**6).text) == QUERY_CHARS
