from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.chats.text import clean
from memdesk.formats.errors import FormatError
from memdesk.formats.marinara_memory import (
    MAX_BYTES,
    RecallChunk,
    RecallFile,
    file_stem,
    leading_names,
    names,
    read_recall,
    read_time,
    spoken,
    usable_vector,
    write_recall,
)

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)


def chunk(**fields: Any) -> dict[str, Any]:
    return {
        "content": "Mara: The lamp is out.\n\nAlex: Since when?",
        "embedding": None,
        "embeddingSpaceId": None,
        "messageCount": 5,
        "firstMessageAt": "2026-03-12T12:00:00.000Z",
        "lastMessageAt": "2026-03-12T12:04:00.500Z",
        "createdAt": "2026-03-12T12:05:00.000Z",
        **fields,
    }


def whole(*chunks: Any, **fields: Any) -> bytes:
    source = {"id": "abc", "name": "Lighthouse", "mode": "roleplay", "memoryCount": len(chunks)}
    value = {
        "type": "marinara_memory_recall",
        "version": 1,
        "exportedAt": "2026-03-12T13:00:00.000Z",
        "data": {"sourceChat": source, "chunks": list(chunks)},
        **fields,
    }
    return json.dumps(value).encode()


def refused(raw: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_recall(raw, "x.marinara.json")
    return caught.value


def test_a_file_as_marinara_writes_it() -> None:
    vector = [0.6, -0.8]
    file = read_recall(whole(chunk(embedding=vector, embeddingSpaceId="ours")), "x", "ours")
    assert (file.chat_id, file.chat_name, file.mode, file.unusable) == ("abc", "Lighthouse", "roleplay", 0)
    (read,) = file.chunks
    assert read.content == "Mara: The lamp is out.\n\nAlex: Since when?"
    assert (read.first, read.last) == (NOON, NOON + timedelta(minutes=4, milliseconds=500))
    assert read.created == NOON + timedelta(minutes=5)
    assert read.messages == 5
    assert read.vector is not None
    assert read.vector.tolist() == np.asarray(vector, np.float32).tolist()
    assert (read.space, read.has_vector) == ("ours", True)


def test_what_is_written_has_every_name_and_is_oldest_first() -> None:
    later = RecallChunk("b", NOON + timedelta(hours=1), NOON + timedelta(hours=2), NOON, 0)
    vector = np.asarray([0.6, 0.8], np.float32)
    sooner = RecallChunk("a", NOON, NOON, NOON, 1, vector, "ours", has_vector=True)
    value = json.loads(write_recall(RecallFile("7", "Talk", "conversation", (later, sooner))))
    assert list(value) == ["type", "version", "exportedAt", "data"]
    assert (value["type"], value["version"]) == ("marinara_memory_recall", 1)
    assert read_time(value["exportedAt"]) is not None
    source = {"id": "7", "name": "Talk", "mode": "conversation", "memoryCount": 2}
    assert value["data"]["sourceChat"] == source
    assert value["data"]["chunks"] == [
        {
            "content": "a",
            "embedding": [0.600000024, 0.800000012],
            "embeddingSpaceId": "ours",
            "messageCount": 1,
            "firstMessageAt": "2026-03-12T12:00:00.000Z",
            "lastMessageAt": "2026-03-12T12:00:00.000Z",
            "createdAt": "2026-03-12T12:00:00.000Z",
        },
        {
            "content": "b",
            "embedding": None,
            "embeddingSpaceId": None,
            "messageCount": 0,
            "firstMessageAt": "2026-03-12T13:00:00.000Z",
            "lastMessageAt": "2026-03-12T14:00:00.000Z",
            "createdAt": "2026-03-12T12:00:00.000Z",
        },
    ]


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b'"text"',
        whole(chunk(), type="marinara_character"),
        whole(chunk(), version=2),
        whole(chunk(), version=True),
        whole(chunk(), version="1"),
        whole(chunk(), data=None),
        whole(chunk(), data={"chunks": {}, "sourceChat": {"id": "a"}}),
    ],
)
def test_another_kind_of_file(raw: bytes) -> None:
    error = refused(raw)
    assert (error.reason, error.code) == ("Choose a Memory Recall export file.", "unknown_format")


@pytest.mark.parametrize("source", [None, {}, {"id": " "}, {"id": 7}, []])
def test_a_file_without_its_chat(source: Any) -> None:
    error = refused(whole(data={"sourceChat": source, "chunks": [chunk()]}))
    assert error.reason == "Invalid Memory Recall export file"


@pytest.mark.parametrize("chunks", [[], [None], [chunk(content=" \n")], [chunk(content=3)], [{}], ["text"]])
def test_a_file_without_any_usable_chunk(chunks: list[Any]) -> None:
    error = refused(whole(*chunks))
    assert (error.reason, error.code) == ("No usable memory chunks found in this export file", "empty")


def test_unusable_chunks_are_counted_and_passed_over() -> None:
    file = read_recall(whole(chunk(), None, chunk(content=""), [1, 2], chunk(content="x")), "x")
    assert ([item.content for item in file.chunks][1:], file.unusable) == (["x"], 3)


@pytest.mark.parametrize("count", [0, -1, 1.5, "5", None, True, 1e400, []])
def test_a_count_that_is_none_is_one(count: Any) -> None:
    (read,) = read_recall(whole(chunk(messageCount=count)), "x").chunks
    assert read.messages == 1


@pytest.mark.parametrize(
    "text", ["", "yesterday", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", 5, None, "2026-13-01"]
)
def test_bad_times(text: Any) -> None:
    (first,) = read_recall(whole(chunk(firstMessageAt=text)), "x").chunks
    assert first.first is None
    assert first.last is not None
    (last,) = read_recall(whole(chunk(lastMessageAt=text)), "x").chunks
    assert last.last == last.first == NOON
    (made,) = read_recall(whole(chunk(createdAt=text)), "x").chunks
    assert made.created is None


def test_times_are_read_to_the_millisecond() -> None:
    assert read_time("2026-03-12T13:00:00.123456+01:00") == NOON + timedelta(milliseconds=123)
    assert read_time("2026-03-12T12:00:00") == NOON
    assert read_time("2026-03-12") == datetime(2026, 3, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "numbers",
    [
        *([], {}, "text", 5, None, [None], ["a"], [True, False], [[0.5]], [0.0, 0.0]),
        *([float("nan"), 1.0], [float("inf")], [1e400], [10**400, 1]),
    ],
)
def test_numbers_that_are_no_vector(numbers: Any) -> None:
    (read,) = read_recall(whole(chunk(embedding=numbers, embeddingSpaceId="ours")), "x", "ours").chunks
    assert read.vector is None


@pytest.mark.parametrize("raw", ["[1,,2]", "[1 2]", "[-]", "[1e]", "[.]", "[1,2,]"])
def test_a_broken_list_of_numbers_costs_the_vector_alone(raw: str) -> None:
    text = whole(chunk(embedding="HERE", embeddingSpaceId="ours")).decode().replace('"HERE"', raw)
    (read,) = read_recall(text.encode(), "x", "ours").chunks
    assert read.vector is None


def test_vectors_of_other_spaces_are_not_taken() -> None:
    item = chunk(embedding=[1.0, 0.0], embeddingSpaceId="theirs")
    (read,) = read_recall(whole(item), "x", "ours").chunks
    assert (read.vector, read.has_vector) == (None, True)
    (read,) = read_recall(whole({**item, "embeddingSpaceId": None}), "x", "ours").chunks
    assert read.vector is None
    (read,) = read_recall(whole(item), "x").chunks
    assert read.vector is None


def test_vectors_get_the_length_of_one() -> None:
    huge = usable_vector([3e300, 4e300])
    tiny = usable_vector([3e-320, 4e-320])
    assert huge is not None
    assert tiny is not None
    assert huge.tolist() == pytest.approx([0.6, 0.8])
    assert tiny.tolist() == pytest.approx([0.6, 0.8], abs=1e-3)


def test_a_large_file_is_refused_before_it_is_read() -> None:
    assert refused(b" " * (MAX_BYTES + 1)).reason == "The file is larger than 25 MiB."


def test_many_vectors_are_read() -> None:
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(2_000, 384))
    items = [
        chunk(content=f"{n}", embedding=[round(float(x), 6) for x in row], embeddingSpaceId="ours")
        for n, row in enumerate(vectors)
    ]
    file = read_recall(whole(*items), "x", "ours")
    assert len(file.chunks) == 2_000
    assert all(item.vector is not None and item.vector.size == 384 for item in file.chunks)


def test_other_encodings_of_unicode() -> None:
    raw = whole(chunk(content="灯塔 🦊")).decode()
    for encoding in ("utf-16", "utf-8-sig", "utf-32"):
        assert read_recall(raw.encode(encoding), "x").chunks[0].content == "灯塔 🦊"


texts = st.text(min_size=1).map(clean).filter(str.strip)
times = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
vectors = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(usable_vector)


@st.composite
def recall_chunks(draw: st.DrawFn) -> RecallChunk:
    first, vector = draw(times), draw(vectors)
    return RecallChunk(
        content=draw(texts),
        first=first,
        last=first + timedelta(milliseconds=draw(st.integers(0, 10**9))),
        created=draw(times),
        messages=draw(st.integers(1, 9)),
        vector=vector,
        space="ours" if vector is not None else None,
        has_vector=vector is not None,
    )


def plain(item: RecallChunk) -> tuple[Any, ...]:
    vector = None if item.vector is None else item.vector.tobytes()
    return item.content, item.first, item.last, item.created, item.messages, item.space, vector


@given(st.lists(recall_chunks(), min_size=1, max_size=4), texts)
def test_nothing_is_lost_on_the_way(chunks: list[RecallChunk], name: str) -> None:
    file = RecallFile("id", name, "game", tuple(chunks))
    back = read_recall(write_recall(file), "x", "ours")
    ordered = sorted(chunks, key=lambda item: item.first or NOON)
    assert [plain(item) for item in back.chunks] == [plain(item) for item in ordered]
    assert (back.chat_id, back.chat_name, back.mode, back.unusable) == ("id", name, "game", 0)


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    refused(raw)


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("The Lighthouse", "The Lighthouse"),
        ("灯塔：夜", "灯塔：夜"),
        ('a/b\\c:d*e?f"g<h>i|j\0k\nl', "a b c d e f g h i j k l"),
        ("../..", "chat"),
        ("  ", "chat"),
        ("x" * 500, "x" * 80),
        ("\ud800\u202etxt.exe", "txt.exe"),
    ],
)
def test_file_names(title: str, stem: str) -> None:
    assert file_stem(title) == stem


def test_who_speaks_in_a_memory() -> None:
    text = "[Memory chunk part 1/2]\nMara: Look: the lamp.\n\nAlex: Oh.\n\nNote: nobody.\n\nMara: Yes."
    assert names(text) == ["Mara", "Alex", "Note"]
    assert leading_names([text, "Alex: Hm.", "no one"]) == {"Mara", "Alex"}
    assert spoken(text, ("Mara", "Alex")) == "Look: the lamp.\n\nOh.\n\nNote: nobody.\n\nYes."
