"""XLSX and PPTX: every row of every sheet, every shape of every slide, and their notes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from memdesk.formats.documents import archive
from memdesk.formats.documents.failures import Unreadable
from memdesk.formats.documents.pages import Report
from memdesk.store.document import Block, Place

CELL_GAP = " | "
_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def cell_text(value: object) -> str:
    """Return a cell's value as a person would write it, on one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime):
        text = value.isoformat(" ", "seconds")
        return text.removesuffix(" 00:00:00")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    return " ".join(str(value).split())


def row_text(values: Iterable[object]) -> str:
    """Return a row's cells in one line, "" when all are blank; blank cells at the end are left out."""
    cells = [cell_text(value) for value in values]
    while cells and not cells[-1]:
        cells.pop()
    return CELL_GAP.join(cells)


def read_sheets(path: Path, report: Report) -> Iterator[Block]:
    """Yield the rows of an XLSX file that was checked; raises `Unreadable`."""
    import openpyxl  # noqa: PLC0415 — a large library
    from openpyxl.utils.exceptions import InvalidFileException  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            book: Any = openpyxl.load_workbook(file, read_only=True, data_only=True)
            total = len(book.worksheets)
            for number, sheet in enumerate(book.worksheets, start=1):
                sheet.reset_dimensions()
                yield from _sheet(str(sheet.title), sheet.iter_rows(values_only=True))
                report(number, total)
            book.close()
    except (InvalidFileException, KeyError, ValueError, TypeError, SyntaxError, OSError) as error:
        raise Unreadable("corrupt") from error
    for name in sorted(archive.names(path)):
        if re.fullmatch(r"xl/(comments/?.*|comments\d*)\.xml", name):
            yield from _comments(archive.read(path, name))


def _sheet(title: str, rows: Iterable[Iterable[object]]) -> Iterator[Block]:
    header = ""
    for number, row in enumerate(rows, start=1):
        if text := row_text(row):
            yield Block(text, "row", Place(sheet=title, row=number), header=header)
            header = header or text


def _comments(blob: bytes) -> Iterator[Block]:
    from defusedxml import ElementTree  # noqa: PLC0415 — with the other libraries

    for comment in ElementTree.fromstring(blob).iter(f"{_SHEET}comment"):
        text = "".join(item.text or "" for item in comment.iter(f"{_SHEET}t")).strip()
        if text:
            yield Block(f"{comment.get('ref', '')}: {text}", "note")


def read_slides(path: Path, report: Report) -> Iterator[Block]:
    """Yield what stands on the slides of a PPTX file that was checked, with notes; raises `Unreadable`."""
    import pptx  # noqa: PLC0415 — a large library
    from pptx.exc import PythonPptxError  # noqa: PLC0415

    try:
        slides: Any = list(pptx.Presentation(str(path)).slides)
    except (PythonPptxError, KeyError, ValueError, SyntaxError, AttributeError) as error:
        raise Unreadable("corrupt") from error
    for number, slide in enumerate(slides, start=1):
        title = slide.shapes.title
        named = " ".join(title.text_frame.text.split()) if title is not None else ""
        place = Place(slide=number, headings=(named,) if named else ())
        if named:
            yield Block(named, "heading", place, 1)
        yield from _shapes(slide.shapes, place, title)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            notes = slide.notes_slide.notes_text_frame.text.replace("\v", "\n").strip()
            if notes:
                yield Block(notes, "note", place)
        report(number, len(slides))


def _shapes(shapes: Any, place: Place, title: Any) -> Iterator[Block]:  # noqa: ANN401
    waiting = list(reversed(list(shapes)))
    while waiting:
        shape = waiting.pop()
        if title is not None and shape.shape_id == title.shape_id:
            continue
        if hasattr(shape, "shapes"):
            waiting.extend(reversed(list(shape.shapes)))
        elif getattr(shape, "has_table", False):
            header = ""
            for row in shape.table.rows:
                if text := row_text(cell.text_frame.text for cell in row.cells):
                    yield Block(text, "row", place, header=header)
                    header = header or text
        elif shape.has_text_frame:
            text = shape.text_frame.text.replace("\v", "\n").strip()
            if text:
                yield Block(text, place=place)
