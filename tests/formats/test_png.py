from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from memdesk.formats import png
from memdesk.formats.errors import FormatError
from tests.formats.making import chunk, itext, picture, text, ztext


def values(data: bytes, *keywords: str) -> list[tuple[str, bytes]]:
    return [(found.keyword, found.text()) for found in png.read_texts(data, "x.png", keywords)]


def test_reads_all_three_kinds_of_text_without_regard_to_case() -> None:
    data = picture(
        text("Chara", b"one"),
        ztext("CHARA", b"two"),
        itext("chara", b"three", compressed=True),
        itext("cHaRa", b"four", compressed=False),
        text("Comment", b"not asked for"),
    )
    assert values(data, "chara") == [
        ("chara", b"one"),
        ("chara", b"two"),
        ("chara", b"three"),
        ("chara", b"four"),
    ]


def test_a_text_without_a_keyword_is_left_alone() -> None:
    data = picture(chunk(b"tEXt", b"chara"), chunk(b"tEXt", b"x" * 90 + b"\0chara"))
    assert values(data, "chara") == []


def test_replaces_old_texts_and_nothing_else() -> None:
    other = text("Comment", b"hello") + chunk(b"prVt", b"\x00\xff")
    data = picture(text("chara", b"old"), other, ztext("CCV3", b"old"), text("chara", b"older")) + b"tail"
    out = png.replace_texts(data, "x.png", {"chara": b"new", "ccv3": b"newer"})
    assert out == picture(other, text("chara", b"new"), text("ccv3", b"newer")) + b"tail"
    with Image.open(io.BytesIO(out)) as image:
        image.load()
        assert image.size == (2, 3)


def test_a_broken_old_text_can_be_replaced() -> None:
    data = picture(chunk(b"tEXt", b"chara\0old", checksum=1))
    assert png.replace_texts(data, "x.png", {"chara": b"new"}) == picture(text("chara", b"new"))


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=2000), st.binary(max_size=200))
def test_what_is_written_is_read(value: bytes, tail: bytes) -> None:
    out = png.replace_texts(picture() + tail, "x.png", {"chara": value})
    assert values(out, "chara") == [("chara", value)]
    assert png.replace_texts(out, "x.png", {"chara": b""}) == picture(text("chara", b"")) + tail


def test_only_the_picture_remains() -> None:
    data = picture(text("Comment", b"secret"), chunk(b"tIME", b"\x07\xe8\x01\x01\x00\x00\x00")) + b"tail"
    assert png.only_picture(data, "x.png") == picture()


@pytest.mark.parametrize(
    ("data", "code", "reason"),
    [
        (b"GIF89a", "png_broken", "not a PNG"),
        (picture()[:8], "png_broken", "its end is missing"),
        (picture()[:50], "png_broken", "cut off in the chunk IDAT"),
        (picture()[:-12], "png_broken", "its end is missing"),
        (b"\x89PNG\r\n\x1a\n" + chunk(b"IEND"), "png_broken", "does not begin with its header"),
        (picture(chunk(b"tEXt", b"chara\0x", length=2**31)), "png_broken", "cut off in the chunk tEXt"),
        (picture(chunk(b"tEXt", b"chara\0x", length=3)), "png_checksum", "wrong checksum in its chunk tEXt"),
        (
            picture(chunk(b"tEXt", b"chara\0x", length=11), chunk(b"gAMA", bytes(4))),
            "png_broken",
            "damaged at byte",
        ),
        (picture(chunk(b"t\0Xt", b"")), "png_broken", "damaged at byte"),
        (
            picture(chunk(b"gAMA", b"\0\0\0\1", checksum=7)),
            "png_checksum",
            "wrong checksum in its chunk gAMA",
        ),
        (picture(*[chunk(b"tEXt")] * 100_001), "too_large", "more than 100,000 chunks"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damage_is_named(data: bytes, code: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason) as caught:
        png.read_texts(data, "x.png", ("chara",))
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("broken", "code", "reason"),
    [
        (chunk(b"tEXt", b"chara\0x", checksum=7), "png_checksum", "wrong checksum in its chunk tEXt"),
        (chunk(b"zTXt", b"chara\0\0garbage"), "png_broken", "is damaged"),
        (chunk(b"iTXt", b"chara\0\0\0en"), "png_broken", "malformed"),
        (ztext("chara", b"x" * 5000)[:-12], "png_broken", "is cut off"),
        (ztext("chara", bytes(png.MAX_TEXT + 1)), "too_large", "larger than 32 MiB"),
        (itext("chara", bytes(200 * 1024**2), compressed=True), "too_large", "larger than 32 MiB"),
        (text("chara", bytes(png.MAX_TEXT + 1)), "too_large", "larger than 32 MiB"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_damage_of_a_text_shows_when_it_is_read(broken: bytes, code: str, reason: str) -> None:
    if reason == "is cut off":
        broken = chunk(b"zTXt", broken[8:])
    [found] = png.read_texts(picture(broken), "x.png", ("chara",))
    with pytest.raises(FormatError, match=reason) as caught:
        found.text()
    assert caught.value.code == code


def test_a_text_just_at_the_limit_is_read() -> None:
    [found] = png.read_texts(picture(ztext("chara", bytes(png.MAX_TEXT))), "x.png", ("chara",))
    assert len(found.text()) == png.MAX_TEXT


def test_too_much_is_not_written() -> None:
    with pytest.raises(FormatError, match="export it as JSON") as caught:
        png.replace_texts(picture(), "x.png", {"chara": bytes(png.MAX_TEXT + 1)})
    assert caught.value.code == "too_large"
    big = picture(*[chunk(b"prVt", bytes(15 * 1024**2))] * 3)
    with pytest.raises(FormatError, match="would be larger than 64 MiB") as caught:
        png.replace_texts(big, "x.png", {"chara": bytes(20 * 1024**2)})
    assert caught.value.code == "too_large"
