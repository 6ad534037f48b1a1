from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.assets import asset
from memdesk.chats.text import clean
from memdesk.formats.errors import FormatError
from memdesk.formats.marinara_memory import usable_vector
from memdesk.formats.memdesk_memory import (
    MAX_VALUES,
    ORIGINS,
    FileMemory,
    FileSource,
    MemoryFile,
    read_memories,
    write_memories,
)

NOON = datetime(2026, 3, 12, 12, 0, tzinfo=UTC)
SCHEMA = json.loads((asset("schemas") / "memdesk-memory.schema.json").read_text("utf-8"))


def whole(*memories: Any, **fields: Any) -> bytes:
    return json.dumps({"type": "memdesk_memory", "version": 1, "memories": list(memories), **fields}).encode()


def read(**fields: Any) -> FileMemory:
    space = {"id": "ours", "dimension": 2}
    (memory,) = read_memories(whole({"text": "Mara: Hi.", **fields}, space=space), "x").memories
    return memory


def refused(raw: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_memories(raw, "x.memdesk.json")
    return caught.value


texts = st.text(min_size=1).map(clean).filter(str.strip)
times = st.none() | st.datetimes(datetime(1000, 1, 2), datetime(8999, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
    lambda moment: moment.replace(microsecond=moment.microsecond // 1000 * 1000)
)
sources = st.builds(
    FileSource, st.integers(0, 10**9), st.binary(min_size=16, max_size=32), st.integers(0, 10**6)
)
vectors = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(usable_vector)


@st.composite
def memories(draw: st.DrawFn) -> FileMemory:
    first = draw(times)
    return FileMemory(
        text=draw(texts),
        first=first,
        last=draw(times) or first,
        created=draw(times),
        original=draw(st.none() | st.text().map(clean)),
        speakers=tuple(draw(st.lists(texts, max_size=3))),
        tokens=draw(st.integers(0, 10**6)),
        frozen=draw(st.booleans()),
        pinned=draw(st.booleans()),
        enabled=draw(st.booleans()),
        edited=draw(st.booleans()),
        origin=draw(st.sampled_from(sorted(ORIGINS))),
        sources=tuple(draw(st.lists(sources, max_size=3))),
        vector=draw(vectors),
    )


def plain(memory: FileMemory) -> tuple[Any, ...]:
    fields = [getattr(memory, name) for name in FileMemory.__slots__ if name != "vector"]
    return (*fields, None if memory.vector is None else memory.vector.tobytes())


@given(st.lists(memories(), max_size=4), st.text().map(clean))
def test_nothing_is_lost_on_the_way(items: list[FileMemory], title: str) -> None:
    file = MemoryFile("id", title, "conversation", "ours", 3, tuple(items))
    raw = write_memories(file)
    jsonschema.validate(json.loads(raw), SCHEMA)
    back = read_memories(raw, "x")
    assert [plain(item) for item in back.memories] == [plain(item) for item in items]
    assert (back.chat_id, back.title, back.mode) == ("id", title, "conversation")
    assert (back.space, back.dimension, back.unusable) == ("ours", 3, 0)


def test_the_schema_is_one_and_refuses_other_things() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for value in ({}, {"type": "memdesk_memory", "version": 2, "memories": []}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(value, SCHEMA)


def test_a_file_is_written_for_reading() -> None:
    vector = np.asarray([1, 0], np.float32)
    memory = FileMemory("Mara: 灯塔", NOON, NOON, NOON, sources=(FileSource(0, b"h" * 16),), vector=vector)
    raw = write_memories(MemoryFile("id", "灯塔", "roleplay", "ours", 2, (memory, memory)))
    assert len(raw.decode().splitlines()) > 10
    value = json.loads(raw)
    assert value["memories"][0] == {
        "text": "Mara: 灯塔",
        "speakers": [],
        "firstTime": "2026-03-12T12:00:00.000Z",
        "lastTime": "2026-03-12T12:00:00.000Z",
        "createdAt": "2026-03-12T12:00:00.000Z",
        "tokens": 0,
        "origin": "native",
        "sources": [{"message": None, "hash": "68" * 16, "piece": 0}],
        "vector": base64.b64encode(vector.tobytes()).decode(),
    }
    assert json.loads(write_memories(MemoryFile("id", "")))["space"] is None


@pytest.mark.parametrize("raw", [b"[]", b"{}", whole(type="memdesk"), whole(memories={}), b'"x"', b"3"])
def test_another_kind_of_file(raw: bytes) -> None:
    assert refused(raw).reason == "This is not a file of memories from memdesk."


@pytest.mark.parametrize("version", [2, 0, True, "1", None, 1.5])
def test_another_version(version: Any) -> None:
    assert refused(whole(version=version)).reason.startswith("The file was written by a newer memdesk.")


def test_no_usable_memory() -> None:
    assert refused(whole(None, {}, {"text": " "}, {"text": 3})).code == "empty"
    assert read_memories(whole(), "x").memories == ()
    assert read_memories(whole({"text": "a"}, [], {"text": ""}), "x").unusable == 2


@pytest.mark.parametrize("wrong", [None, 5, "x", [], {}, True, 10**30, -1, 1.5, ["x"], [None], [{}]])
def test_a_field_of_a_wrong_type_has_its_default(wrong: Any) -> None:
    for name in ("speakers", "firstTime", "lastTime", "createdAt", "tokens", "origin", "sources", "vector"):
        memory = read(**{name: wrong})
        assert memory.text == "Mara: Hi."
        assert memory.origin in ORIGINS
        assert memory.tokens in (0, 5)
        assert memory.first is memory.last is memory.created is memory.vector is None
        assert memory.sources == ()
        assert memory.speakers in ((), ("x",))
    flags = read(frozen=1, pinned="yes", enabled=0, edited=None, original=4)
    assert (flags.frozen, flags.pinned, flags.enabled, flags.edited, flags.original) == (
        *(False, False, True, False),
        None,
    )


def packed(*numbers: float) -> str:
    return base64.b64encode(np.asarray(numbers, "<f4").tobytes()).decode()


@pytest.mark.parametrize(
    "vector",
    [
        *("", "!", "AAAA", packed(1), packed(1, 2, 3), packed(0, 0), packed(float("nan"), 1)),
        *(packed(float("inf"), 1), "é", [0.1, 0.2]),
    ],
)
def test_texts_that_are_no_vector(vector: Any) -> None:
    assert read(vector=vector).vector is None
    assert read(vector=packed(3, 4)).vector.tolist() == pytest.approx([0.6, 0.8])  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["", "zz", "ab" * 15, "ab" * 33, 5, None])
def test_sources_without_a_hash_are_passed_over(text: Any) -> None:
    good = {"message": 3, "hash": "ab" * 16, "piece": 1}
    memory = read(sources=[{"message": 1, "hash": text}, good, 7])
    assert memory.sources == (FileSource(3, b"\xab" * 16, 1),)


def test_nuls_and_half_characters_are_repaired() -> None:
    memory = read(text="a\0b\ud800c\r\nd", speakers=["M\0ara"], original="\ud83e")
    assert (memory.text, memory.speakers, memory.original) == ("ab\ufffdc\nd", ("Mara",), "\ufffd")


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b'{"type": ', "json_broken"),
        (b"\xff\xfe{", "json_broken"),
        (b"[" * 200_000, "json_too_deep"),
        (b"[" + b"1," * (MAX_VALUES + 1) + b"1]", "too_large"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "json_too_deep"),
    ],
)
def test_broken_json(raw: bytes, code: str) -> None:
    assert refused(raw).code == code


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(raw: bytes) -> None:
    refused(raw)
