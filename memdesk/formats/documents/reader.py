"""Reading one document in this process; `extract` does it in one of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from memdesk.chats.text import clean
from memdesk.formats.documents import archive, kinds, texts
from memdesk.formats.documents.encodings import decode
from memdesk.formats.documents.failures import Unreadable
from memdesk.formats.documents.odf import read_odf
from memdesk.formats.documents.office import read_sheets, read_slides
from memdesk.formats.documents.pages import Report, read_pages
from memdesk.formats.documents.word import read_word
from memdesk.store.document import Block

FILE_BYTES = 200_000_000
TEXT_BYTES = 64_000_000
TEXT_CHARS = 20_000_000
"""The largest file, the largest text file, and the most characters of text that are taken in."""

_CHARSET = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{1,40})", re.IGNORECASE)


def read_document(path: Path, name: str, password: str, report: Report) -> tuple[str, Iterator[Block]]:
    """Return what a file is and its blocks, none of them blank; both raise `Unreadable`.

    `name` is what the person calls it; `report` is told (done, total) where there are pages or the like.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(kinds.HEAD)
    except FileNotFoundError as error:
        raise Unreadable("vanished") from error
    except OSError as error:
        raise Unreadable("unreadable") from error
    if not size:
        raise Unreadable("empty")
    if size > FILE_BYTES:
        raise Unreadable("too_large")
    kind = kinds.container(path, head)
    if not kind:
        kind, blocks = _text(path, name, size, report)
    else:
        blocks = _contained(path, kind, password, report)
    return kind, _filled(blocks)


def _contained(path: Path, kind: str, password: str, report: Report) -> Iterator[Block]:
    if kind == "rtf":
        return texts.rtf(_bytes(path))
    if kind in {"pdf", "mobi"}:
        return read_pages(path, kind, password, report)
    archive.check(path, doctype=kind == "epub")
    if kind in {"epub", "xps"}:
        return read_pages(path, kind, password, report)
    if kind == "docx":
        return read_word(path)
    if kind == "xlsx":
        return read_sheets(path, report)
    return read_slides(path, report) if kind == "pptx" else read_odf(path)


def _text(path: Path, name: str, size: int, report: Report) -> tuple[str, Iterator[Block]]:
    if size > TEXT_BYTES:
        raise Unreadable("too_large")
    data = _bytes(path)
    declared = _CHARSET.search(data[: kinds.HEAD])
    try:
        text = data.decode(declared[1].decode("ascii")) if declared else decode(data)
    except (LookupError, UnicodeDecodeError):
        text = decode(data)
    kind = kinds.of_text(text, name)
    if kind == "fb2":
        if "<!DOCTYPE" in text[: kinds.HEAD].upper() or "<!ENTITY" in text.upper():
            raise Unreadable("doctype")
        return kind, read_pages(path, kind, "", report)
    if kind == "html":
        return kind, texts.html(text)
    if kind == "md":
        return kind, texts.markdown(text)
    if kind in {"csv", "tsv"}:
        return kind, texts.table(text, tabs=kind == "tsv")
    if kind == "json":
        return kind, texts.listing(text)
    if kind in {"srt", "vtt"}:
        return kind, texts.subtitles(text)
    return kind, texts.paragraphs(text, code=kind in {"yaml", "code"})


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise Unreadable("vanished") from error
    except OSError as error:
        raise Unreadable("unreadable") from error


def _filled(blocks: Iterator[Block]) -> Iterator[Block]:
    """Leave blank blocks out; raises `Unreadable` for no text at all, or for too much."""
    chars = 0
    for block in blocks:
        text = clean(block.text)
        if text.strip():
            chars += len(text)
            if chars > TEXT_CHARS:
                raise Unreadable("too_large")
            yield block if text == block.text else replace(block, text=text)
    if not chars:
        raise Unreadable("no_text")
