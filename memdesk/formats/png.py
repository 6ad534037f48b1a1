"""PNG files as chunks: a capped reader for the texts in them, and a writer that leaves the picture alone.

Pillow refuses character cards with more than 1 MiB of compressed text and loads the picture on the way, so
the chunks are read here. Layout and checksums: PNG specification, third edition, sections 5 and 11.3.3.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memdesk.formats.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_FILE = 64 * 1024 * 1024
"""Largest file, in bytes. Cards with embedded assets reach some tens of MiB."""
MAX_TEXT = 32 * 1024 * 1024
"""Largest text of one chunk, in bytes, also after inflating it."""
MAX_CHUNKS = 100_000
"""Most chunks in one file. 64 MiB of picture in the common 8 KiB pieces are 8,192 chunks."""

_HEADER = struct.Struct(">I4s")
_TEXT_TYPES = (b"tEXt", b"zTXt", b"iTXt")
# The size, colours and turn of the picture; everything else describes it and is not needed to draw it.
_DRAWING = frozenset({b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"eXIf"})


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: its type, its data, and where the whole chunk lies in the file (`start` to `end`)."""

    type: bytes
    data: memoryview
    start: int
    end: int
    intact: bool
    """Whether the checksum is right."""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """A tEXt, zTXt or iTXt chunk. `keyword` is in lower case."""

    keyword: str
    chunk: Chunk
    name: str

    def text(self) -> bytes:
        """Return the text's bytes, inflated if needed.

        Raises FormatError: `png_checksum`, `png_broken`, `too_large` (more than 32 MiB).
        """
        if not self.chunk.intact:
            raise _bad_checksum(self.name, self.chunk.type)
        body = self.chunk.data[len(self.keyword) + 1 :]
        compressed = self.chunk.type == b"zTXt"
        if self.chunk.type == b"zTXt":
            body = body[1:]
        elif self.chunk.type == b"iTXt":
            compressed = bytes(body[:1]) == b"\x01"
            # After the two flags come a language tag and a translated keyword, each ended by a zero byte.
            parts = bytes(body[2:]).split(b"\0", 2)
            if len(parts) != 3:
                raise FormatError(
                    self.name, f'The PNG text "{self.keyword}" is malformed.', code="png_broken"
                )
            body = memoryview(parts[2])
        if len(body) > MAX_TEXT:
            raise self._too_large()
        return self._inflate(body) if compressed else bytes(body)

    def _inflate(self, packed: memoryview) -> bytes:
        inflater = zlib.decompressobj()
        try:
            text = inflater.decompress(packed, MAX_TEXT + 1)
        except zlib.error as error:
            reason = f'The compressed PNG text "{self.keyword}" is damaged.'
            raise FormatError(self.name, reason, code="png_broken") from error
        if len(text) > MAX_TEXT:
            raise self._too_large()
        if not inflater.eof:
            reason = f'The compressed PNG text "{self.keyword}" is cut off.'
            raise FormatError(self.name, reason, code="png_broken")
        return text

    def _too_large(self) -> FormatError:
        reason = f'The PNG text "{self.keyword}" is larger than {MAX_TEXT // 1024**2} MiB.'
        return FormatError(self.name, reason, code="too_large")


def is_png(data: bytes) -> bool:
    """Tell whether the bytes begin like a PNG file."""
    return data.startswith(SIGNATURE)


def chunks(data: bytes, name: str) -> Iterator[Chunk]:
    """Yield the chunks of a PNG file from IHDR to IEND; what follows IEND is not looked at.

    Checksums are computed and told in `Chunk.intact`, so that the caller can say what a bad one means.
    Raises FormatError, naming the file `name`: `too_large`, `png_broken`.
    """
    if len(data) > MAX_FILE:
        raise FormatError(name, f"The file is larger than {MAX_FILE // 1024**2} MiB.", code="too_large")
    if not is_png(data):
        raise FormatError(name, "This is not a PNG file.", code="png_broken")
    view = memoryview(data)
    start = len(SIGNATURE)
    for number in range(MAX_CHUNKS):
        if start + 12 > len(data):
            raise FormatError(name, "The PNG file is cut off: its end is missing.", code="png_broken")
        length, kind = _HEADER.unpack_from(data, start)
        if not (kind.isascii() and kind.isalpha()):
            raise FormatError(name, f"The PNG file is damaged at byte {start}.", code="png_broken")
        if number == 0 and (kind != b"IHDR" or length != 13):
            raise FormatError(name, "The PNG file does not begin with its header.", code="png_broken")
        end = start + 12 + length
        if end > len(data):
            reason = f"The PNG file is cut off in the chunk {kind.decode('ascii')} at byte {start}."
            raise FormatError(name, reason, code="png_broken")
        (checksum,) = struct.unpack_from(">I", data, end - 4)
        intact = zlib.crc32(view[start + 4 : end - 4]) == checksum
        yield Chunk(kind, view[start + 8 : end - 4], start, end, intact)
        if kind == b"IEND":
            return
        start = end
    raise FormatError(name, f"The PNG file has more than {MAX_CHUNKS:,} chunks.", code="too_large")


def read_texts(data: bytes, name: str, keywords: Container[str]) -> list[TextChunk]:
    """Return the text chunks with one of the (lower-case) keywords, in file order, not yet inflated.

    Keywords are compared without regard to case, as the programs that write cards do. A wrong checksum of
    such a text shows when it is asked for; any other wrong checksum raises FormatError `png_checksum`.
    Other errors as in `chunks`.
    """
    found = []
    for chunk in chunks(data, name):
        keyword = _keyword(chunk)
        if keyword is not None and keyword in keywords:
            found.append(TextChunk(keyword, chunk, name))
        elif not chunk.intact:
            raise _bad_checksum(name, chunk.type)
    return found


def replace_texts(data: bytes, name: str, texts: Mapping[str, bytes]) -> bytes:
    """Return the file with these texts as tEXt chunks before its end, and no other chunk of these keywords.

    `texts` maps lower-case ASCII keywords to Latin-1 text. All other bytes stay as they are, also those
    after IEND. Raises FormatError: `too_large` (a text over 32 MiB, a result over 64 MiB), and as `chunks`.
    """
    for keyword, text in texts.items():
        if len(text) > MAX_TEXT:
            reason = f'The text "{keyword}" is larger than {MAX_TEXT // 1024**2} MiB; export it as JSON.'
            raise FormatError(name, reason, code="too_large")
    out = bytearray(SIGNATURE)
    end = len(SIGNATURE)
    for chunk in chunks(data, name):
        end = chunk.end
        if _keyword(chunk) in texts:
            continue
        if chunk.type == b"IEND":
            for keyword, text in texts.items():
                out += make_chunk(b"tEXt", keyword.encode("ascii") + b"\0" + text)
        out += memoryview(data)[chunk.start : chunk.end]
    out += memoryview(data)[end:]
    if len(out) > MAX_FILE:
        reason = f"The PNG file would be larger than {MAX_FILE // 1024**2} MiB; export it as JSON."
        raise FormatError(name, reason, code="too_large")
    return bytes(out)


def only_picture(data: bytes, name: str) -> bytes:
    """Return the PNG with nothing but what is needed to draw its first frame.

    Raises FormatError: `png_checksum`, and as `chunks`.
    """
    out = bytearray(SIGNATURE)
    for chunk in chunks(data, name):
        if chunk.type not in _DRAWING:
            continue
        if not chunk.intact:
            raise _bad_checksum(name, chunk.type)
        out += memoryview(data)[chunk.start : chunk.end]
    return bytes(out)


def make_chunk(kind: bytes, body: bytes) -> bytes:
    """Return one chunk: length, type, body, checksum."""
    return _HEADER.pack(len(body), kind) + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))


def _keyword(chunk: Chunk) -> str | None:
    """Return a text chunk's keyword (1 to 79 bytes of Latin-1) in lower case, None for other chunks."""
    if chunk.type not in _TEXT_TYPES:
        return None
    head, zero, _ = bytes(chunk.data[:80]).partition(b"\0")
    # Bytes lower only ASCII letters, so the keyword keeps its length.
    return head.lower().decode("latin-1") if zero else None


def _bad_checksum(name: str, kind: bytes) -> FormatError:
    reason = f"The PNG file is damaged: wrong checksum in its chunk {kind.decode('ascii')}."
    return FormatError(name, reason, code="png_checksum")
