"""The sample chats that ship with memdesk keep what they promise to the app and to the recall tests."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from datetime import datetime, timedelta
from itertools import groupby, pairwise
from typing import Any

import pytest

from memdesk.assets import asset
from memdesk.formats.cards import read_card_bytes, write_card_json

Sample = dict[str, Any]

SAMPLES = ("mira", "elia")
SAID_BY_BOTH = {"mira": "\"Light's up. All's well.\"", "elia": "“潮水会回来的。”"}
LANGUAGE = {"mira": "en", "elia": "zh-Hans"}
TEXT_FIELDS = ("name", "description", "personality", "scenario", "first_mes", "mes_example", "creator_notes")
CJK = re.compile(r"[\u4e00-\u9fff]")
SUPERSEDED = {
    "mira": [("I hate you", "I don't hate you"), ("No sugar", "Three spoons")],
    "elia": [("我恨你", "现在不恨了"), ("外国货轮上的二副", "救生圈")],
}


@pytest.fixture(params=SAMPLES)
def sample(request: pytest.FixtureRequest) -> Sample:
    return load(request.param)


def load(name: str) -> Sample:
    loaded = json.loads(asset("sample", f"{name}.json").read_bytes().decode("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def length(sample: Sample, text: str) -> int:
    """English by words, Chinese by characters."""
    return len(CJK.findall(text)) if sample["language"] == "zh-Hans" else len(text.split())


def test_only_the_known_samples_ship() -> None:
    assert {path.stem for path in asset("sample").glob("*.json")} == set(SAMPLES)


def test_has_every_field_and_no_other(sample: Sample) -> None:
    assert set(sample) == {"id", "language", "persona", "card", "chat", "try", "facts"}
    assert sample["language"] == LANGUAGE[sample["id"]]
    assert set(sample["persona"]) == {"name", "description"}
    assert all(text.strip() for text in sample["persona"].values())
    assert set(sample["chat"]) == {"title", "messages"}
    assert sample["chat"]["title"].strip()


@pytest.mark.parametrize("name", SAMPLES)
def test_id_is_the_file_name(name: str) -> None:
    assert load(name)["id"] == name


def test_card_is_a_whole_v3_card(sample: Sample) -> None:
    card = sample["card"]
    data = card["data"]
    assert (card["spec"], card["spec_version"]) == ("chara_card_v3", "3.0")
    assert all(data[field].strip() for field in TEXT_FIELDS)
    assert data["creator"] == "memdesk"
    assert data["system_prompt"] == data["post_history_instructions"] == ""
    assert data["group_only_greetings"] == []
    assert data["extensions"] == {}
    assert len(data["tags"]) >= 3
    greetings = [data["first_mes"], *data["alternate_greetings"]]
    assert len(greetings) >= 3
    assert len(set(greetings)) == len(greetings)
    assert "<START>" in data["mes_example"]


def test_card_survives_export_and_import(sample: Sample) -> None:
    imported = read_card_bytes(write_card_json(sample["card"]), f"{sample['id']}.json")
    assert imported.card["data"] == sample["card"]["data"]


def test_messages_are_many_and_complete(sample: Sample) -> None:
    messages = sample["chat"]["messages"]
    names = {"assistant": sample["card"]["data"]["name"], "user": sample["persona"]["name"]}
    assert len(messages) >= 210
    for message in messages:
        assert set(message) == {"role", "name", "text", "time"}
        assert message["name"] == names[message["role"]]
        assert message["text"].strip()
        assert message["text"] == message["text"].strip()
        assert message["text"].count("*") % 2 == 0, message["text"]


def test_first_message_is_the_greeting(sample: Sample) -> None:
    first = sample["chat"]["messages"][0]
    assert first["role"] == "assistant"
    assert first["text"] == sample["card"]["data"]["first_mes"]
    assert "{{" not in first["text"]


def test_speakers_take_turns(sample: Sample) -> None:
    messages = sample["chat"]["messages"]
    runs = [len(list(run)) for _, run in groupby(message["role"] for message in messages)]
    assert max(runs) <= 2
    assert runs.count(2) <= len(messages) // 10
    for before, after in pairwise(messages):
        if before["role"] == after["role"]:
            gap = datetime.fromisoformat(after["time"]) - datetime.fromisoformat(before["time"])
            assert gap > timedelta(minutes=30), "twice in a row only where a new scene opens"


def test_times_run_forward_in_utc_over_weeks(sample: Sample) -> None:
    times = [datetime.fromisoformat(message["time"]) for message in sample["chat"]["messages"]]
    assert all(time.utcoffset() == timedelta(0) for time in times)
    gaps = [after - before for before, after in pairwise(times)]
    assert min(gaps) >= timedelta(seconds=5)
    assert sum(gap < timedelta(minutes=10) for gap in gaps) > len(gaps) * 0.8
    assert sum(gap > timedelta(hours=12) for gap in gaps) >= 10
    assert times[-1] - times[0] > timedelta(weeks=4)


def test_no_line_comes_twice_but_the_one_both_say(sample: Sample) -> None:
    messages = sample["chat"]["messages"]
    line = SAID_BY_BOTH[sample["id"]]
    counts = Counter(message["text"] for message in messages)
    assert {text: count for text, count in counts.items() if count > 1} == {line: 2}
    assert {message["role"] for message in messages if message["text"] == line} == {"assistant", "user"}


def test_lengths_vary(sample: Sample) -> None:
    lengths = [length(sample, message["text"]) for message in sample["chat"]["messages"]]
    assert min(lengths) <= 2
    assert 15 <= sorted(lengths)[len(lengths) // 2] <= 120
    assert sum(150 <= count <= 500 for count in lengths) >= 3
    assert max(lengths) <= 500


def test_text_is_in_its_language_and_clean(sample: Sample) -> None:
    text = "\n".join(message["text"] for message in sample["chat"]["messages"])
    chinese = len(CJK.findall(text)) / len(text)
    assert chinese > 0.6 if sample["language"] == "zh-Hans" else chinese == 0
    assert not re.search(r"[\ufffd\u0000-\u0009\u000b-\u001f\u200b]", text)


def test_facts_point_at_the_message_that_answers(sample: Sample) -> None:
    messages, facts = sample["chat"]["messages"], sample["facts"]
    assert len(facts) >= 20
    assert len({fact["question"] for fact in facts}) == len(facts)
    for fact in facts:
        assert set(fact) == {"question", "message", "answer", "kind"}
        assert fact["answer"] in messages[fact["message"]]["text"], fact["question"]
        assert fact["question"][-1] in "?.？。"
    assert len({fact["message"] for fact in facts if fact["message"] < 80}) >= 20
    kinds = Counter(fact["kind"] for fact in facts)
    assert set(kinds) == {"plain", "oblique"}
    assert min(kinds.values()) >= 20


def test_some_questions_share_no_word_with_their_answer(sample: Sample) -> None:
    def words(text: str) -> set[str]:
        if sample["language"] == "zh-Hans":
            return {a + b for a, b in pairwise(text) if CJK.match(a) and CJK.match(b)}
        return {word for word in re.findall(r"[a-z']+", text.lower()) if len(word) > 3}

    messages = sample["chat"]["messages"]
    strangers = [
        fact
        for fact in sample["facts"]
        if not words(fact["question"]) & words(messages[fact["message"]]["text"])
    ]
    assert len(strangers) >= 10


@pytest.mark.parametrize("name", SAMPLES)
def test_what_was_said_is_later_overturned(name: str) -> None:
    loaded = load(name)
    place = {fact["answer"]: fact["message"] for fact in loaded["facts"]}
    for old, new in SUPERSEDED[name]:
        assert place[old] < place[new]


def test_a_fact_hides_in_the_middle_of_a_long_message(sample: Sample) -> None:
    def hidden(fact: dict[str, Any]) -> bool:
        text = sample["chat"]["messages"][fact["message"]]["text"]
        return length(sample, text) >= 150 and 0.25 < text.index(fact["answer"]) / len(text) < 0.75

    assert any(hidden(fact) for fact in sample["facts"])


def test_try_lines(sample: Sample) -> None:
    lines = sample["try"]
    assert len(lines) >= 5
    assert len(set(lines)) == len(lines)
    assert all(line.strip() for line in lines)


def test_files_are_kept_so_that_changes_can_be_read() -> None:
    for name in SAMPLES:
        raw = asset("sample", f"{name}.json").read_bytes().decode("utf-8")
        assert raw == json.dumps(json.loads(raw), ensure_ascii=False, indent=2) + "\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_picture_is_a_small_square_png(name: str) -> None:
    data = asset("sample", f"{name}.png").read_bytes()
    assert len(data) <= 60_000
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[12:24] == b"IHDR" + (512).to_bytes(4, "big") * 2


@pytest.mark.parametrize("name", SAMPLES)
def test_picture_source_is_plain_svg(name: str) -> None:
    root = ET.fromstring(asset("sample", f"{name}.svg").read_text("utf-8"))
    assert root.get("viewBox") == "0 0 512 512"
    tags = {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in root.iter()}
    assert tags <= {"svg", "title", "g", "rect", "circle", "ellipse", "path"}
