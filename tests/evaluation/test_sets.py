"""Check every recall set in the folder: what is measured on them is only as good as they are."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from memdesk.memory.words import terms

FOLDER = Path(__file__).parent / "sets"
FILES = sorted(FOLDER.glob("*.json"))

LANGUAGES = {"en", "zh-Hans", "zh-Hant", "ja", "mixed"}
KINDS = {"plain", "paraphrase", "name", "after-short", "overturned", "two-speakers", "hidden", "long"}
FEWEST_MESSAGES = 150
FEWEST_QUESTIONS = 21
LONG_POST = 3_000
LONG_POST_UNSPACED = 1_200
"""Characters of a long post; scripts without spaces say as much in fewer."""

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# Japanese endings and particles: pairs of hiragana alone are grammar, as the stop words are in English.
_GRAMMAR = re.compile(r"[\u3041-\u309fー]+")


def _load(path: Path) -> dict[str, Any]:
    loaded = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def _by_id(chat: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {message["id"]: message for message in chat["messages"]}


def _content(text: str) -> set[str]:
    return {term for term in terms(text) if not _GRAMMAR.fullmatch(term)}


def _chats() -> list[Any]:
    return [
        pytest.param(chat, id=f"{path.stem}-{chat['id']}") for path in FILES for chat in _load(path)["chats"]
    ]


each_chat = pytest.mark.parametrize("chat", _chats())


def test_there_are_sets() -> None:
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_holds_one_set(path: Path) -> None:
    loaded = _load(path)
    assert set(loaded) == {"name", "language", "chats"}
    assert loaded["name"] == path.stem
    assert loaded["language"] in LANGUAGES
    ids = [chat["id"] for chat in loaded["chats"]]
    assert ids
    assert len(set(ids)) == len(ids)
    assert all(set(chat) == {"id", "messages", "questions"} for chat in loaded["chats"])


@each_chat
def test_messages_are_whole(chat: dict[str, Any]) -> None:
    messages = chat["messages"]
    assert len(messages) >= FEWEST_MESSAGES
    assert len(_by_id(chat)) == len(messages)
    for message in messages:
        assert set(message) - {"hidden"} == {"id", "name", "role", "text", "time"}, message["id"]
        assert message.get("hidden", True) is True, message["id"]
        assert message["role"] in {"user", "assistant"}, message["id"]
        assert message["name"].strip() == message["name"] != "", message["id"]
        assert message["text"].strip() == message["text"] != "", message["id"]
    assert {message["role"] for message in messages} == {"user", "assistant"}


@each_chat
def test_times_increase(chat: dict[str, Any]) -> None:
    times = [datetime.fromisoformat(message["time"]) for message in chat["messages"]]
    assert all(time.utcoffset() is not None for time in times)
    assert all(earlier < later for earlier, later in pairwise(times))


@each_chat
def test_questions_are_whole_and_their_evidence_exists(chat: dict[str, Any]) -> None:
    questions, messages = chat["questions"], _by_id(chat)
    assert len(questions) >= FEWEST_QUESTIONS
    assert len({question["id"] for question in questions}) == len(questions)
    assert len({question["text"] for question in questions}) == len(questions)
    for question in questions:
        assert set(question) == {"id", "text", "kind", "evidence", "split"}, question["id"]
        assert question["text"].strip(), question["id"]
        assert question["evidence"], question["id"]
        assert len(set(question["evidence"])) == len(question["evidence"]), question["id"]
        assert set(question["evidence"]) <= messages.keys(), question["id"]


@each_chat
def test_every_kind_is_asked_in_both_splits(chat: dict[str, Any]) -> None:
    questions = chat["questions"]
    assert {question["kind"] for question in questions} == KINDS
    for split in ("dev", "report"):
        assert len({question["kind"] for question in questions if question["split"] == split}) >= 4
    count = Counter(question["split"] for question in questions)
    assert set(count) == {"dev", "report"}
    assert 0.55 <= count["dev"] / len(questions) <= 0.78


@each_chat
def test_texts_are_distinct_but_for_the_lines_of_two_speakers(chat: dict[str, Any]) -> None:
    messages = _by_id(chat)
    intended = {
        messages[number]["text"]
        for question in chat["questions"]
        if question["kind"] == "two-speakers"
        for number in question["evidence"]
    }
    assert intended
    times_said = Counter(message["text"] for message in messages.values())
    assert {text for text, times in times_said.items() if times > 1} <= intended


@each_chat
def test_the_line_of_two_speakers_is_said_by_two(chat: dict[str, Any]) -> None:
    messages = _by_id(chat)
    for question in chat["questions"]:
        if question["kind"] != "two-speakers":
            continue
        (number,) = question["evidence"]
        same = [message for message in messages.values() if message["text"] == messages[number]["text"]]
        assert len(same) == len({message["name"] for message in same}) == 2, question["id"]


@each_chat
def test_a_paraphrase_shares_no_content_word_with_its_evidence(chat: dict[str, Any]) -> None:
    messages = _by_id(chat)
    shared = {
        question["id"]: common
        for question in chat["questions"]
        if question["kind"] == "paraphrase"
        for number in question["evidence"]
        if (common := _content(question["text"]) & _content(messages[number]["text"]))
    }
    assert shared == {}


@each_chat
def test_hidden_questions_need_a_hidden_message(chat: dict[str, Any]) -> None:
    messages = _by_id(chat)
    for question in chat["questions"]:
        if question["kind"] == "hidden":
            assert all(messages[number].get("hidden") for number in question["evidence"]), question["id"]


@each_chat
def test_long_questions_need_a_long_post(chat: dict[str, Any]) -> None:
    messages = _by_id(chat)
    for question in chat["questions"]:
        if question["kind"] == "long":
            for number in question["evidence"]:
                text = messages[number]["text"]
                unspaced = len(_UNSPACED.findall(text)) > len(text) / 2
                assert len(text) >= (LONG_POST_UNSPACED if unspaced else LONG_POST), question["id"]
