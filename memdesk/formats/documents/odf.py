"""ODT, ODS and ODP: the content, then headers and footers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memdesk.formats.documents import archive
from memdesk.formats.documents.failures import Unreadable
from memdesk.formats.documents.headings import Headings
from memdesk.formats.documents.office import row_text
from memdesk.store.document import Block, Place

_SPACE = "urn:oasis:names:tc:opendocument:xmlns:"
_TEXT = f"{{{_SPACE}text:1.0}}"
_TABLE = f"{{{_SPACE}table:1.0}}"
_OFFICE = f"{{{_SPACE}office:1.0}}"
_DRAW = f"{{{_SPACE}drawing:1.0}}"
_STYLE = f"{{{_SPACE}style:1.0}}"
_PRESENTATION = f"{{{_SPACE}presentation:1.0}}"
_NOTES = {f"{_TEXT}note", f"{_OFFICE}annotation"}
_APART = {*_NOTES, f"{_TEXT}tracked-changes", f"{_DRAW}frame", f"{_DRAW}custom-shape"}

_MARGINS = {f"{_STYLE}{name}" for name in ("header", "footer", "header-first", "footer-first")}

REPEATED = 100
"""A cell that is repeated more often than this is the rest of an empty row."""

DEEPEST = 200
"""Levels of markup in each other; documents have some ten."""


def read_odf(path: Path) -> Iterator[Block]:
    """Yield the blocks of an ODF file that was checked; raises `Unreadable`."""
    if b"encryption-data" in _member(path, "META-INF/manifest.xml"):
        raise Unreadable("encrypted")
    root = _parsed(archive.read(path, "content.xml"))
    body = root.find(f"{_OFFICE}body")
    if body is None:
        raise Unreadable("corrupt")
    yield from _Walk().blocks(body, Place(), 0)
    if styles := _member(path, "styles.xml"):
        seen = set()
        for element in _parsed(styles).iter():
            if element.tag in _MARGINS:
                text = "\n".join(filter(None, (said(line) for line in element.iter(f"{_TEXT}p"))))
                if text and text not in seen:
                    seen.add(text)
                    yield Block(text, "note")


def _member(path: Path, name: str) -> bytes:
    return archive.read(path, name) if name in archive.names(path) else b""


def _parsed(data: bytes) -> Any:  # noqa: ANN401 — an element
    from xml.etree.ElementTree import ParseError  # noqa: PLC0415 — only the name of its error

    from defusedxml import DefusedXmlException, ElementTree  # noqa: PLC0415 — with the other libraries

    try:
        return ElementTree.fromstring(data)
    except DefusedXmlException as error:
        raise Unreadable("doctype") from error
    except ParseError as error:
        raise Unreadable("corrupt") from error


class _Walk:
    def __init__(self) -> None:
        self._headings = Headings()
        self._slide = 0

    def blocks(self, parent: Any, place: Place, depth: int) -> Iterator[Block]:  # noqa: ANN401
        if depth > DEEPEST:
            raise Unreadable("corrupt")
        for element in parent:
            tag = element.tag
            if tag == f"{_TEXT}h":
                level = int(element.get(f"{_TEXT}outline-level") or 1)
                if text := said(element):
                    yield self._headings.open(text, level, place)
                yield from self._inside(element, place, depth)
            elif tag == f"{_TEXT}p":
                if text := said(element):
                    yield Block(text, place=self._placed(place))
                yield from self._inside(element, place, depth)
            elif tag == f"{_TABLE}table":
                yield from self._table(element, place, depth)
            elif tag == f"{_DRAW}page":
                self._slide += 1
                yield from self.blocks(element, Place(slide=self._slide), depth + 1)
            elif tag == f"{_PRESENTATION}notes" or tag in _NOTES:
                lines = (said(line) for line in element.iter(f"{_TEXT}p"))
                if text := "\n".join(filter(None, lines)):
                    yield Block(text, "note", self._placed(place))
            elif tag != f"{_TEXT}tracked-changes":
                yield from self.blocks(element, place, depth + 1)

    def _placed(self, place: Place) -> Place:
        return Place(place.page, place.slide, place.sheet, place.row, self._headings.path)

    def _inside(self, element: Any, place: Place, depth: int) -> Iterator[Block]:  # noqa: ANN401
        """Yield what stands in a paragraph and is not of its text: notes, frames."""
        for item in element:
            if item.tag in _APART:
                yield from self.blocks([item], place, depth + 1)
            elif len(item):
                if depth > DEEPEST:
                    raise Unreadable("corrupt")
                yield from self._inside(item, place, depth + 1)

    def _table(self, table: Any, place: Place, depth: int) -> Iterator[Block]:  # noqa: ANN401
        sheet = table.get(f"{_TABLE}name", "") if not place.slide and depth <= 1 else ""
        header, number = "", 0
        for row in table.iter(f"{_TABLE}table-row"):
            repeated = int(row.get(f"{_TABLE}number-rows-repeated") or 1)
            cells: list[str] = []
            notes: list[str] = []
            for cell in row:
                if not str(cell.tag).endswith("table-cell"):
                    continue
                lines = [said(line) for line in cell.iter(f"{_TEXT}p") if not _in_note(cell, line)]
                text = " ".join(filter(None, lines))
                times = int(cell.get(f"{_TABLE}number-columns-repeated") or 1)
                cells += [text] * (times if times <= REPEATED else 1)
                found = (note for note in cell.iter() if note.tag in _NOTES)
                notes += ["\n".join(filter(None, map(said, note.iter(f"{_TEXT}p")))) for note in found]
            text = row_text(cells)
            for _ in range(min(repeated, REPEATED) if text else 0):
                number += 1
                here = Place(
                    slide=place.slide, sheet=sheet, row=number if sheet else 0, headings=self._headings.path
                )
                yield Block(text, "row", here, header=header)
                header = header or text
            number += 0 if text else repeated
            for note in filter(None, notes):
                yield Block(note, "note", self._placed(place))


def _in_note(cell: Any, line: Any) -> bool:  # noqa: ANN401
    return any(line in list(note.iter()) for note in cell.iter() if note.tag in _NOTES)


def said(element: Any) -> str:  # noqa: ANN401
    """Return what a paragraph says, without its notes and frames."""
    pieces: list[str] = [element.text or ""]
    waiting: list[Any] = list(reversed(list(element)))
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        waiting.append(item.tail or "")
        if item.tag == f"{_TEXT}s":
            pieces.append(" " * min(int(item.get(f"{_TEXT}c") or 1), REPEATED))
        elif item.tag == f"{_TEXT}tab":
            pieces.append("\t")
        elif item.tag == f"{_TEXT}line-break":
            pieces.append("\n")
        elif item.tag not in _APART:
            waiting.extend(reversed(list(item)))
            waiting.append(item.text or "")
    return "".join(pieces).strip()
