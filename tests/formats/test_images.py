from __future__ import annotations

import io
import random
import struct
import subprocess
import sys
import zlib
from typing import Any

import pytest
from PIL import Image, PngImagePlugin

from memdesk.formats.errors import FormatError
from memdesk.formats.images import decode_avatar
from memdesk.formats.png import chunks
from tests.formats.making import chunk, picture, text, ztext

RED, GREEN, BLUE = (250, 5, 5), (5, 250, 5), (5, 5, 250)


def stripes(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """Return a picture of three equal stripes along its longer edge: red, green, blue."""
    image = Image.new("RGB", (width, height), RED)
    if height > width:
        image.paste(GREEN, (0, height // 3, width, height * 2 // 3))
        image.paste(BLUE, (0, height * 2 // 3, width, height))
    else:
        image.paste(GREEN, (width // 3, 0, width * 2 // 3, height))
        image.paste(BLUE, (width * 2 // 3, 0, width, height))
    return image.convert(mode)


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def avatar(data: bytes) -> Image.Image:
    out = decode_avatar(data, "x.png")
    image = Image.open(io.BytesIO(out))
    image.load()
    assert image.format == "PNG"
    return image


def near(pixel: Any, colour: tuple[int, int, int]) -> bool:
    return all(abs(one - other) < 30 for one, other in zip(pixel[:3], colour, strict=True))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_four_formats_become_a_square_png(kind: str) -> None:
    image = avatar(saved(stripes(900, 300), kind))
    assert image.size == (300, 300)
    assert near(image.convert("RGB").getpixel((150, 150)), GREEN)


@pytest.mark.parametrize(
    "options", [{"lossless": True}, {"lossless": False, "quality": 90}, {"exif": b"Exif\0\0"}]
)
def test_all_kinds_of_webp(options: dict[str, Any]) -> None:
    assert avatar(saved(stripes(90, 30), "WEBP", **options)).size == (30, 30)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_all_modes_of_png(mode: str) -> None:
    if mode == "I;16":
        source = Image.new("I;16", (8, 8), 0x8000)
        expected = (128, 128, 128)
    else:
        source = Image.new("RGB", (8, 8), (255, 255, 255)).convert(mode)
        expected = (255, 255, 255)
    assert avatar(saved(source, "PNG")).convert("RGB").getpixel((4, 4)) == expected


def test_cmyk_jpeg() -> None:
    assert near(avatar(saved(stripes(90, 30, "CMYK"), "JPEG")).getpixel((15, 15)), GREEN)


def test_transparency_is_kept() -> None:
    source = Image.new("RGBA", (8, 8), (1, 2, 3, 0))
    assert avatar(saved(source, "PNG")).getpixel((4, 4)) == (1, 2, 3, 0)
    assert avatar(saved(source, "GIF")).convert("RGBA").getpixel((4, 4))[3] == 0


def test_wide_pictures_are_cut_at_both_sides_tall_ones_mostly_below() -> None:
    wide = avatar(saved(stripes(300, 100), "PNG"))
    assert near(wide.getpixel((2, 50)), GREEN)
    assert near(wide.getpixel((97, 50)), GREEN)
    tall = avatar(saved(stripes(100, 300), "PNG"))
    # 20 of the 200 superfluous rows are cut above: rows 20 to 119, red up to row 99.
    assert near(tall.getpixel((50, 79)), RED)
    assert near(tall.getpixel((50, 80)), GREEN)


def test_large_pictures_become_512_small_ones_stay() -> None:
    assert avatar(saved(Image.new("RGB", (2000, 3000)), "JPEG")).size == (512, 512)
    assert avatar(saved(Image.new("RGB", (513, 600)), "PNG")).size == (512, 512)
    assert avatar(saved(Image.new("RGB", (1, 5)), "PNG")).size == (1, 1)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
@pytest.mark.parametrize("turn", range(1, 9))
def test_exif_orientation_is_applied(kind: str, turn: int) -> None:
    upright = Image.new("RGB", (64, 64), RED)
    upright.paste(GREEN, (32, 0, 64, 32))
    upright.paste(BLUE, (0, 32, 32, 64))
    # How a camera stores the upright scene, by the definition of the EXIF tag 0x0112.
    stored = {
        1: [],
        2: [Image.Transpose.FLIP_LEFT_RIGHT],
        3: [Image.Transpose.ROTATE_180],
        4: [Image.Transpose.FLIP_TOP_BOTTOM],
        5: [Image.Transpose.TRANSPOSE],
        6: [Image.Transpose.ROTATE_90],
        7: [Image.Transpose.TRANSVERSE],
        8: [Image.Transpose.ROTATE_270],
    }[turn]
    image = upright
    for step in stored:
        image = image.transpose(step)
    exif = Image.Exif()
    exif[0x0112] = turn
    seen = avatar(saved(image, kind, exif=exif))
    assert near(seen.getpixel((16, 16)), RED)
    assert near(seen.getpixel((48, 16)), GREEN)
    assert near(seen.getpixel((16, 48)), BLUE)


def test_damaged_exif_is_no_reason_to_refuse() -> None:
    for junk in (b"II*\0\xff\xff\xff\xff", b"MM", b"II*\0\x08\0\0\0\x01\0\x12\x01\x02\0\xff\xff", b"XX"):
        assert avatar(saved(Image.new("RGB", (8, 8), RED), "JPEG", exif=b"Exif\0\0" + junk)).size == (8, 8)


def test_metadata_is_removed() -> None:
    info = PngImagePlugin.PngInfo()
    info.add_text("Author", "SECRET")
    info.add_itxt("Comment", "SECRET", zip=False)
    exif = Image.Exif()
    exif[0x010E] = "SECRET"
    source = stripes(90, 30)
    for data in (
        saved(source, "PNG", pnginfo=info, exif=exif, dpi=(300, 300), icc_profile=b"SECRET"),
        saved(source, "JPEG", exif=exif, comment=b"SECRET", icc_profile=b"SECRET"),
        saved(source, "GIF", comment=b"SECRET"),
        saved(source, "WEBP", exif=exif, xmp=b"SECRET"),
    ):
        assert b"SECRET" in data or b"iCCP" in data
        out = decode_avatar(data, "x")
        kinds = {each.type for each in chunks(out, "x")}
        assert kinds <= {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS"}
        assert b"SECRET" not in out


def test_a_card_with_much_compressed_text_is_shown() -> None:
    data = picture(ztext("chara", bytes(3 * 1024**2)), ztext("Comment", bytes(40 * 1024**2)))
    with pytest.raises(ValueError, match="too large"), Image.open(io.BytesIO(data)) as image:
        image.load()
    assert avatar(data).getpixel((0, 0)) == (10, 200, 30)


def test_the_first_frame_of_an_animation() -> None:
    frames = [Image.new("RGB", (16, 16), colour) for colour in (RED, BLUE, GREEN)]
    for kind in ("GIF", "WEBP", "PNG"):
        data = saved(frames[0], kind, save_all=True, append_images=frames[1:])
        assert near(avatar(data).convert("RGB").getpixel((8, 8)), RED)


def huge_png(width: int, height: int) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND")


def huge_webp(kind: bytes, body: bytes) -> bytes:
    inner = b"WEBP" + kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(inner)) + inner


def huge_jpeg() -> bytes:
    data = saved(Image.new("L", (8, 8)), "JPEG")
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + struct.pack(">HH", 60000, 60000) + data[at + 4 :]


def huge_gif_frame() -> bytes:
    data = bytearray(saved(Image.new("P", (8, 8)), "GIF"))
    at = data.index(b",", 13)
    data[at + 5 : at + 9] = struct.pack("<HH", 65535, 65535)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (huge_png(2**31 - 1, 2**31 - 1), "2,147,483,647 × 2,147,483,647"),
        (huge_png(8193, 8192), "8,193 × 8,192"),
        (b"GIF89a" + b"\xff\xff\xff\xff\0\0\0", "65,535 × 65,535"),
        (huge_gif_frame(), "too many pixels"),
        (huge_jpeg(), "60,000 × 60,000"),
        (huge_webp(b"VP8X", b"\0\0\0\0" + b"\xff\xff\xff" * 2), "16,777,216 × 16,777,216"),
        (huge_webp(b"VP8L", b"\x2f\xff\xff\xff\xff\xff"), "16,384 × 16,384"),
        (huge_webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a\xff\x3f\xff\x3f"), "16,383 × 16,383"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_pixel_bombs_are_refused_before_they_are_decoded(data: bytes, size: str) -> None:
    with pytest.raises(FormatError, match=size) as caught:
        decode_avatar(data, "x.png")
    assert caught.value.code == "image_too_large"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (bytes(64 * 1024**2 + 1), "too_large"),
        (b"hello", "image_unsupported"),
        (saved(Image.new("RGB", (8, 8)), "BMP"), "image_unsupported"),
        (saved(Image.new("RGB", (8, 8)), "TIFF"), "image_unsupported"),
        (saved(Image.new("RGB", (8, 8)), "ICO"), "image_unsupported"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "image_unsupported"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image_unsupported"),
        (b"RIFF\0\0\0\0WEBP", "image_broken"),
        (b"RIFF\0\0\0\0WEBPVP8X", "image_broken"),
        (b"RIFF\0\0\0\0AVI LIST", "image_unsupported"),
        (b"GIF89a", "image_broken"),
        (b"\xff\xd8\xff", "image_broken"),
        (saved(stripes(90, 30), "JPEG")[:-300], "image_broken"),
        (saved(stripes(90, 30), "GIF")[:60], "image_broken"),
        (saved(stripes(90, 30), "WEBP")[:-20], "image_broken"),
        (picture()[:-12], "png_broken"),
        (huge_png(100, 100_000), "image_broken"),
        (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"IEND"), "image_broken"),
        (picture(width=3)[:33] + chunk(b"IDAT", b"garbage") + chunk(b"IEND"), "image_broken"),
        (picture(chunk(b"gAMA", bytes(4), checksum=9)), "png_checksum"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_picture_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(FormatError, match=r"^odd\.img: ") as caught:
        decode_avatar(data, "odd.img")
    assert caught.value.code == code


def test_a_broken_text_does_not_spoil_the_picture() -> None:
    data = picture(chunk(b"tEXt", b"chara\0x", checksum=3), text("a", b"b"), chunk(b"zTXt", b"q\0\0bad"))
    assert avatar(data).size == (2, 2)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF"])
def test_random_damage_gives_a_picture_or_a_clear_error(kind: str) -> None:
    chance = random.Random(kind)
    sound = saved(stripes(60, 40), kind)
    outcomes = set()
    for _ in range(150):
        data = bytearray(sound)
        for _ in range(chance.randint(1, 6)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            outcomes.add(avatar(bytes(data)).format)
        except FormatError as error:
            outcomes.add(error.code)
    assert outcomes - {"PNG"}
    assert outcomes <= {
        "PNG",
        "image_broken",
        "image_too_large",
        "image_unsupported",
        "png_broken",
        "png_checksum",
    }


def test_pillow_is_loaded_only_when_a_picture_is_decoded() -> None:
    program = "import sys, memdesk.formats.images, memdesk.formats.cards; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
