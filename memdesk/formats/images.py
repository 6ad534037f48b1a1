"""Pictures from strangers, decoded within bounds and without anything but the picture.

Only PNG, JPEG, WebP and GIF are decoded, each by its own Pillow decoder, so that none of Pillow's rarer
(and more often attacked) decoders is ever asked.
"""

from __future__ import annotations

import io
import struct
import warnings
import zlib
from typing import TYPE_CHECKING

from memdesk.formats import png
from memdesk.formats.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable

    from PIL.Image import Image

MAX_FILE = png.MAX_FILE
MAX_PIXELS = 64 * 1024 * 1024
"""Largest picture, in pixels. Decoding one takes 30 MiB (JPEG) to 1 GiB (WebP) of memory for a moment."""
AVATAR_SIZE = 512
"""Largest edge of an avatar, in pixels."""

# In a portrait the face is near the top: this share of what is cut off is cut above it.
_CUT_ABOVE = 0.1
_ORIENTATION = 0x0112
# What Pillow's decoders are known to raise for damaged data.
_DECODER_ERRORS = (
    OSError,
    SyntaxError,
    ValueError,
    ArithmeticError,
    LookupError,
    TypeError,
    EOFError,
    RuntimeError,
    MemoryError,
    struct.error,
)


def decode_avatar(data: bytes, name: str) -> bytes:
    """Return a picture as a square PNG of at most 512 × 512 pixels without metadata, for use as an avatar.

    The first frame of a PNG, JPEG, WebP or GIF is turned as its EXIF orientation says, cut to a square
    (wide pictures at both sides, tall ones mostly below) and made smaller, never larger. Raises
    FormatError: `empty`, `too_large` (64 MiB), `image_unsupported`, `image_too_large` (64 megapixels),
    `image_broken`, and for PNG `png_broken` and `png_checksum`.
    """
    return _decoded(data, name, _square)


def decode_picture(data: bytes, name: str, edge: int) -> bytes:
    """Return a picture whole, as a PNG of at most `edge` pixels a side without metadata.

    Raises FormatError as `decode_avatar` does.
    """
    return _decoded(data, name, lambda image: _small(_upright(image), edge))


def placeholder(name: str) -> bytes:
    """Return a square PNG that stands for someone without a picture: head and shoulders on a quiet colour.

    The same name has the same colour, always.
    """
    from PIL import Image, ImageDraw  # noqa: PLC0415

    shades = ("#7A5C8E", "#3F7F74", "#9A5B3C", "#4C6794", "#5B6472", "#8A5068", "#5F7340", "#8A6A2C")
    side = AVATAR_SIZE
    image = Image.new("RGB", (side, side), shades[zlib.crc32(name.encode(errors="replace")) % len(shades)])
    draw = ImageDraw.Draw(image)
    draw.ellipse((side * 0.34, side * 0.2, side * 0.66, side * 0.52), fill="white")
    draw.ellipse((side * 0.2, side * 0.6, side * 0.8, side * 1.3), fill="white")
    return _small_png(image)


def _decoded(data: bytes, name: str, shaped: Callable[[Image], Image]) -> bytes:
    if not data:
        raise FormatError(name, "The file is empty.", code="empty")
    if len(data) > MAX_FILE:
        raise FormatError(name, f"The file is larger than {MAX_FILE // 1024**2} MiB.", code="too_large")
    from PIL.Image import DecompressionBombError  # noqa: PLC0415

    # Pillow warns of damaged metadata, which is not used, and of sizes, which are checked here.
    warnings.filterwarnings("ignore", module=r"PIL\.")
    try:
        return _small_png(shaped(_opened(data, name)))
    except DecompressionBombError as error:
        # A frame that is larger than its file's header says.
        reason = f"The picture has too many pixels; at most {MAX_PIXELS:,} are read."
        raise FormatError(name, reason, code="image_too_large") from error
    except _DECODER_ERRORS as error:
        raise FormatError(name, "The picture is damaged and cannot be shown.", code="image_broken") from error


def _opened(data: bytes, name: str) -> Image:
    """Return the first frame, loaded, after its size was checked."""
    from PIL.GifImagePlugin import GifImageFile  # noqa: PLC0415
    from PIL.JpegImagePlugin import JpegImageFile  # noqa: PLC0415
    from PIL.PngImagePlugin import PngImageFile  # noqa: PLC0415
    from PIL.WebPImagePlugin import WebPImageFile  # noqa: PLC0415

    image: GifImageFile | JpegImageFile | PngImageFile | WebPImageFile
    if png.is_png(data):
        picture = png.only_picture(data, name)
        _check_size(struct.unpack_from(">II", picture, 16), name)
        image = PngImageFile(io.BytesIO(picture))
    elif data.startswith(b"\xff\xd8\xff"):
        image = JpegImageFile(io.BytesIO(data))
        _check_size(image.size, name)
        # Decodes a large photo at a fraction of its size, still large enough for the avatar.
        image.draft("RGB", (2 * AVATAR_SIZE, 2 * AVATAR_SIZE))
    elif data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        # The decoder makes room for the whole picture when it opens the file, so look first.
        _check_size(_webp_size(data), name)
        image = WebPImageFile(io.BytesIO(data))
    elif data.startswith((b"GIF87a", b"GIF89a")):
        _check_size(struct.unpack_from("<HH", data, 6), name)
        image = GifImageFile(io.BytesIO(data))
    else:
        reason = "This is no picture that can be shown; use PNG, JPEG, WebP or GIF."
        raise FormatError(name, reason, code="image_unsupported")
    # The frame may claim another size than the header did.
    _check_size(image.size, name)
    image.load()
    return image


def _check_size(size: tuple[int, ...], name: str) -> None:
    width, height = size
    if width * height > MAX_PIXELS:
        reason = f"The picture has {width:,} × {height:,} pixels; at most {MAX_PIXELS:,} are read."
        raise FormatError(name, reason, code="image_too_large")


def _webp_size(data: bytes) -> tuple[int, int]:
    """Return width and height of a WebP file (RFC 9649, sections 2.5 to 2.7)."""
    kind = data[12:16]
    if kind == b"VP8X":
        low_w, high_w, low_h, high_h = struct.unpack_from("<HBHB", data, 24)
        return 1 + (high_w << 16 | low_w), 1 + (high_h << 16 | low_h)
    if kind == b"VP8L":
        (bits,) = struct.unpack_from("<I", data, 21)
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    raise ValueError(kind)


def _square(image: Image) -> Image:
    """Return the avatar's part of the picture, turned upright, as RGB or RGBA of at most 512 × 512."""
    image = _upright(image)
    width, height = image.size
    edge = min(width, height)
    left = (width - edge) // 2
    top = int((height - edge) * _CUT_ABOVE)
    return _small(image.crop((left, top, left + edge, top + edge)), AVATAR_SIZE)


def _upright(image: Image) -> Image:
    from PIL.Image import Transpose  # noqa: PLC0415

    turns = {
        2: Transpose.FLIP_LEFT_RIGHT,
        3: Transpose.ROTATE_180,
        4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE,
        6: Transpose.ROTATE_270,
        7: Transpose.TRANSVERSE,
        8: Transpose.ROTATE_90,
    }
    turn = turns.get(_orientation(image))
    return image if turn is None else image.transpose(turn)


def _small(image: Image, most: int) -> Image:
    """Return a picture as RGB or RGBA with at most `most` pixels a side."""
    from PIL.Image import Resampling  # noqa: PLC0415

    if image.mode.startswith(("I", "F")):
        # 16 bits a channel: Pillow clips these instead of scaling them.
        image = image.convert("I").point(lambda value: value / 256).convert("L")
    image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    width, height = image.size
    edge = max(width, height)
    if edge > most:
        size = max(1, width * most // edge), max(1, height * most // edge)
        image = image.resize(size, Resampling.LANCZOS, reducing_gap=2.0)
    return image


def _orientation(image: Image) -> int:
    try:
        value = image.getexif().get(_ORIENTATION, 1)
    except _DECODER_ERRORS:
        # Damaged metadata is no reason to refuse a sound picture.
        return 1
    return value if isinstance(value, int) else 1


def _small_png(image: Image) -> bytes:
    # Pillow would write profile, transparency and comments from here into the new file.
    image.info = {}
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()
