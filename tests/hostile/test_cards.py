"""Cards as broken and as hostile as they come: each gives a repaired value or a clear error."""

from __future__ import annotations

import json
import os
import random
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.formats.cards import ImportedCard, read_card, read_card_bytes, write_card_json, write_card_png
from memdesk.formats.errors import FormatError
from tests.formats.making import as_json, chunk, itext, packed, picture, text, v1, v2, v3, ztext

MIB = 1024**2


def refused(data: bytes, name: str = "card.png") -> FormatError:
    with pytest.raises(FormatError) as caught:
        read_card_bytes(data, name)
    assert str(caught.value) == f"{name}: {caught.value.reason}"
    assert caught.value.reason.endswith(".")
    return caught.value


def outcome(data: bytes) -> ImportedCard | FormatError:
    try:
        return read_card_bytes(data, "x.png")
    except FormatError as error:
        return error


CARD = picture(text("chara", packed(v2())))


@pytest.mark.parametrize("end", [8, 20, 33, 60, len(CARD) // 2, len(CARD) - 13, len(CARD) - 1])
def test_a_png_cut_off_anywhere(end: int) -> None:
    error = refused(CARD[:end])
    assert error.code == "png_broken"
    assert "cut off" in error.reason


def test_every_cut_is_refused_or_still_whole() -> None:
    for end in range(len(CARD)):
        assert refused(CARD[:end]).code in {"empty", "unknown_format", "png_broken"}


@pytest.mark.parametrize(
    ("chunks", "code", "reason"),
    [
        ([], "png_no_card", "carries no character card"),
        ([text("Comment", packed(v2()))], "png_no_card", "carries no character card"),
        ([chunk(b"tEXt", b"chara\0" + packed(v2()), checksum=1)], "png_checksum", "wrong checksum"),
        ([chunk(b"tEXt", b"chara\0" + packed(v2()), length=0xFFFFFFFF)], "png_broken", "cut off"),
        ([text("chara", b"")], "json_broken", "line 1, column 1"),
        ([text("chara", b"%%% not base64 %%%")], "text_broken", '"chara" is not base64'),
        ([text("chara", b"A")], "text_broken", '"chara" is not base64'),
        ([text("chara", b"aGVsbG8=")], "json_broken", "line 1, column 1"),
        ([text("chara", packed(v2())[:-40])], "json_broken", "JSON text is broken"),
        ([text("chara", packed([1, 2]))], "not_a_card", "not a character card"),
        ([text("chara", packed("hello"))], "not_a_card", "not a character card"),
        ([text("chara", b"/" * 400)], "json_broken", "not valid Unicode"),
        ([ztext("chara", bytes(40 * MIB))], "too_large", "larger than 32 MiB"),
        ([itext("ccv3", bytes(300 * MIB), compressed=True)], "too_large", "larger than 32 MiB"),
        ([ztext("chara", packed(v2()))[:40] + bytes(4)], "png_broken", "PNG file is "),
        ([chunk(b"tEXt")] * 1_000_000, "too_large", "more than 100,000 chunks"),
        (
            [text("chara", packed(v2())), chunk(b"IDAT", b"x", checksum=1)],
            "png_checksum",
            "in its chunk IDAT",
        ),
        ([text("chara", b"[" * 100_000)], "text_broken", "not base64"),
        ([text("chara", b'{"a":' * 100_000)], "json_too_deep", "deeper than 100 levels"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_broken_pngs(chunks: list[bytes], code: str, reason: str) -> None:
    error = refused(picture(*chunks))
    assert error.code == code
    assert reason in error.reason


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (text("ccv3", b"%%%"), "not base64"),
        (text("ccv3", packed(v3())[:-20]), "JSON text is broken"),
        (text("ccv3", packed([])), "not a character card"),
        (chunk(b"tEXt", b"ccv3\0" + packed(v3()), checksum=1), "wrong checksum"),
        (ztext("ccv3", bytes(40 * MIB)), "larger than 32 MiB"),
        (text("ccv3", b'{"a":' * 5_000), "deeper than 100"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_ccv3_falls_back_to_chara_and_says_so(broken: bytes, reason: str) -> None:
    card = read_card_bytes(picture(broken, text("chara", packed(v2(name="Two")))), "x.png")
    assert card.name == "Two"
    [warning] = card.warnings
    assert warning.startswith('The card data "ccv3" is broken and was passed over: ')
    assert reason in warning


def test_when_both_are_broken_the_better_one_is_blamed() -> None:
    error = refused(picture(text("chara", b"%%%"), text("ccv3", packed(7))))
    assert error.code == "not_a_card"


def test_many_bombs_are_not_all_tried() -> None:
    bomb = ztext("chara", b"%" * (31 * MIB))
    started = time.monotonic()
    error = refused(picture(*[bomb] * 500))
    assert error.code == "text_broken"
    # 500 would take a minute.
    assert time.monotonic() - started < 20


@pytest.mark.parametrize(
    ("raw", "code", "reason"),
    [
        (b"", "empty", "empty"),
        (b"\0" * 5000, "empty", "empty"),
        (b"\xef\xbb\xbf  \r\n", "empty", "empty"),
        (b"hello", "unknown_format", "neither a PNG nor a JSON"),
        (bytes(range(256)), "unknown_format", "neither a PNG nor a JSON"),
        (b"name: Mira\ncontext: yaml", "unknown_format", "neither a PNG nor a JSON"),
        (b"PK\x03\x04 charx", "unknown_format", "a ZIP archive"),
        (b"\xff\xd8\xff\xe0", "unknown_format", "a JPEG image"),
        (b"RIFF\0\0\0\0WEBP", "unknown_format", "a WebP image"),
        (b"GIF89a", "unknown_format", "a GIF image"),
        (b"%PDF-1.7", "unknown_format", "a PDF document"),
        (b'{"name": "Mira", "first_mes": ', "json_broken", "line 1, column"),
        (b"{'name': 'Mira'}", "json_broken", "line 1, column 2"),
        (b"[1]", "not_a_card", "not a character card"),
        (b"{}", "not_a_card", "not a character card"),
        (b'{"name": "left-pad", "version": "1.0"}', "not_a_card", "not a character card"),
        (b'{"name": "Book", "description": "", "entries": {}}', "not_a_card", "not a character card"),
        (
            as_json({"spec": "lorebook_v3", "data": {"name": "B", "description": "", "entries": []}}),
            "not_a_card",
            "not a character card",
        ),
        (b'{"spec": "chara_card_v2"}', "not_a_card", "The character card is empty"),
        (b'{"spec": "chara_card_v3", "data": {}}', "not_a_card", "The character card is empty"),
        (b'{"spec": "chara_card_v3", "data": {"name": " ", "tags": ["a"]}}', "not_a_card", "is empty"),
        (as_json(v1())[:-1] + b',"x":' + b"[" * 150 + b"]" * 150 + b"}", "json_too_deep", "deeper than 100"),
        (as_json(v1())[:-1] + b',"x":' + b"[" * 9_000_000, "too_large", "more than 1,000,000 values"),
        (b"{" + b" " * 40 * MIB + b"}", "too_large", "larger than 32 MiB"),
        (b"{" + b" " * 100 * MIB + b"}", "too_large", "larger than 64 MiB"),
        (CARD + bytes(100 * MIB), "too_large", "larger than 64 MiB"),
        ('{"first_mes": "魔王"}'.encode("gb18030"), "json_broken", "not valid Unicode"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_broken_json_and_other_files(raw: bytes, code: str, reason: str) -> None:
    error = refused(raw, "card.json")
    assert error.code == code
    assert reason in error.reason


@pytest.mark.parametrize(
    "name",
    [
        "Ægir Þór",
        "魔王",
        "مريم",
        "מרים",
        "Дарья",
        "मीरा",
        "กานดา",
        "👩‍👩‍👧‍👦 family",
        "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "Zalgo H̷̡e̶",
        'Mira "the Lamp" O\'Neil',
        "../../etc/passwd",
        "C:\\Windows\\system32",
        "a/b\\c:d*e?f<g>h|i",
        "<b>bold</b> &amp; {{char}}",
        "'; DROP TABLE characters; --",
        "%s %d {0} $HOME",
        "CON",
        ".",
    ],
)
def test_names_of_every_script_are_kept_as_they_are(name: str) -> None:
    card = read_card_bytes(write_card_png(v3(name=name), picture()), "x.png")
    assert (card.name, card.card["data"]["name"], card.warnings) == (name, name, [])
    assert read_card_bytes(as_json(v1(name=name)), "x.json").name == name


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("Mira\nthe\r\nkeeper", "Mira the keeper"),
        ("\tMira\u2028the keeper ", "Mira the keeper"),
        ("Mi\0ra", "Mira"),
        ("Mira\x1b[31m", "Mira[31m"),
        ("gnp.\u202egnp", "gnp.gnp"),
        ("\ud83dMira", "\ufffdMira"),
        ("長" * 100_000, "長" * 256),
    ],
)
def test_names_that_would_break_a_line_are_repaired(name: str, kept: str) -> None:
    card = read_card_bytes(json.dumps(v2(name=name)).encode(), "x.json")
    assert (card.name, card.card["data"]["name"]) == (kept, kept)
    card.name.encode()


def test_values_that_json_cannot_hold_are_repaired() -> None:
    raw = (
        b'{"spec": "chara_card_v2", "data": {"name": "A", "name": "Mira", "description": "\\ud800x\\u0000y",'
        b'"first_mes": NaN, "scenario": ' + b"7" * 5000 + b', "odd": [Infinity, 1e400, "\\udc00"]}}'
    )
    card = read_card_bytes(raw, "x.json")
    data = card.card["data"]
    assert data["name"] == "Mira"
    assert data["description"] == "\ufffdxy"
    assert data["first_mes"] == ""
    assert data["scenario"] == "7" * 5000
    assert data["odd"] == [None, None, "\ufffd"]
    assert card.warnings == [
        "Keys that appear twice in one object: 'name'. The last of each was kept.",
        "Numbers that JSON cannot hold were replaced.",
        "Broken characters were replaced by \ufffd.",
    ]
    assert read_card_bytes(write_card_json(card.card), "y.json").card == card.card


def test_a_field_nested_to_the_limit_never_makes_a_card_that_cannot_be_written() -> None:
    def nested(depth: int) -> Any:
        value: Any = "x"
        for _ in range(depth):
            value = [value]
        return value

    written = refusals = 0
    for depth in range(90, 101):
        deep = nested(depth)
        for wild in (v1(odd=deep), v1(extensions={"a": deep}), v2(description=deep)):
            result = outcome(as_json(wild))
            if isinstance(result, FormatError):
                assert result.code == "json_too_deep"
                refusals += 1
            else:
                assert read_card_bytes(write_card_json(result.card), "x.json").card == result.card
                written += 1
    assert written > 10
    assert refusals > 3


def test_memory_stays_bounded() -> None:
    bomb = picture(ztext("chara", bytes(300 * MIB)))
    assert len(bomb) < MIB
    tracemalloc.start()
    try:
        assert refused(bomb).code == "too_large"
        assert tracemalloc.get_traced_memory()[1] < 100 * MIB
    finally:
        tracemalloc.stop()


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be read: ") as caught:
        read_card(tmp_path / "missing.png")
    assert (caught.value.code, caught.value.path) == ("unreadable", tmp_path / "missing.png")
    with pytest.raises(FormatError, match="This is not a file") as caught:
        read_card(tmp_path)
    assert caught.value.code == "unreadable"
    (tmp_path / "empty.png").write_bytes(b"")
    with pytest.raises(FormatError, match=r"empty\.png: The file is empty") as caught:
        read_card(tmp_path / "empty.png")
    assert caught.value.path == tmp_path / "empty.png"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "card.png")
    with pytest.raises(FormatError, match="This is not a file"):
        read_card(tmp_path / "card.png")


def test_a_file_of_100_mb_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(b"{")
        file.truncate(2 * 1024 * MIB)
    with pytest.raises(FormatError, match="larger than 64 MiB") as caught:
        read_card(path)
    assert caught.value.code == "too_large"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["png", "text", "json", "raw"]))
def test_any_bytes_give_a_card_or_a_clear_error(junk: bytes, place: str) -> None:
    data = {
        "png": b"\x89PNG\r\n\x1a\n" + junk,
        "text": picture(text("chara", junk)),
        "json": b"{" + junk,
        "raw": junk,
    }[place]
    result = outcome(data)
    assert isinstance(result, FormatError)
    assert result.code in {
        "empty",
        "unknown_format",
        "png_broken",
        "png_checksum",
        "text_broken",
        "json_broken",
        "not_a_card",
    }


def test_random_damage_gives_a_whole_card_or_a_clear_error() -> None:
    chance = random.Random(18)
    sound = picture(text("chara", packed(v2())), text("ccv3", packed(v3())))
    whole = {
        json.dumps(read_card_bytes(picture(text("x", b""), text("chara", packed(each))), "x").card)
        for each in (v2(), v3())
    }
    codes = set()
    for _ in range(1500):
        data = bytearray(sound)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        result = outcome(bytes(data))
        if isinstance(result, FormatError):
            codes.add(result.code)
        else:
            assert json.dumps(result.card) in whole
    assert {"png_broken", "png_checksum"} <= codes
