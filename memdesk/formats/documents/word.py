"""DOCX: the run of the text with its tables and text boxes, then notes, comments, headers and footers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memdesk.formats.documents.failures import Unreadable
from memdesk.formats.documents.headings import Headings
from memdesk.store.document import Block, Place

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADING = re.compile(r"heading\s*(\d)", re.IGNORECASE)
_NOTES = ("footnote", "endnote", "comment")
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def read_word(path: Path) -> Iterator[Block]:
    """Yield the blocks of a DOCX file that was checked; raises `Unreadable`."""
    import docx  # noqa: PLC0415 — a large library
    from docx.opc.exceptions import OpcError  # noqa: PLC0415

    try:
        document: Any = docx.Document(str(path))
        styles = {style.style_id: style.name or "" for style in document.styles}
    except (OpcError, KeyError, ValueError, SyntaxError, AttributeError) as error:
        raise Unreadable("corrupt") from error
    headings = Headings()
    yield from _body(document.element.body, styles, headings)
    for part in document.part.package.iter_parts():
        name = str(part.partname)
        for note in _NOTES:
            if re.fullmatch(rf"/word/{note}s\d*\.xml", name):
                yield from _notes(part.blob, note)
    yield from _margins(document)


def _body(parent: Any, styles: dict[str, str], headings: Headings) -> Iterator[Block]:  # noqa: ANN401
    for element in parent.iterchildren():
        tag = element.tag
        if tag == f"{_W}p":
            yield from _paragraph(element, styles, headings)
        elif tag == f"{_W}tbl":
            yield from _table(element, headings)
        elif tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml", f"{_W}ins"}:
            yield from _body(element, styles, headings)


def _paragraph(element: Any, styles: dict[str, str], headings: Headings) -> Iterator[Block]:  # noqa: ANN401
    text = element_text(element).strip("\n")
    if text.strip():
        level = _level(element, styles)
        if level:
            yield headings.open(" ".join(text.split()), level)
        else:
            yield Block(text, place=headings.place)
    for box in element.iter(f"{_W}txbxContent"):
        if next(box.iterancestors(_FALLBACK), None) is None:
            yield from _body(box, styles, headings)


def _level(element: Any, styles: dict[str, str]) -> int:  # noqa: ANN401
    outline = element.find(f"{_W}pPr/{_W}outlineLvl")
    if outline is not None and (outline.get(f"{_W}val") or "9").isdigit():
        level = int(outline.get(f"{_W}val") or 9)
        return level + 1 if level < 9 else 0
    style = element.find(f"{_W}pPr/{_W}pStyle")
    name = styles.get(style.get(f"{_W}val") or "", "") if style is not None else ""
    found = _HEADING.match(name)
    return int(found[1]) if found else int(name == "Title")


def _table(table: Any, headings: Headings) -> Iterator[Block]:  # noqa: ANN401
    header = ""
    rows = [row for row in table.iter(f"{_W}tr") if next(row.iterancestors(f"{_W}tbl")) is table]
    for number, row in enumerate(rows, start=1):
        cells = []
        for cell in row.iter(f"{_W}tc"):
            if next(cell.iterancestors(f"{_W}tr")) is not row:
                continue
            lines = (element_text(line).strip() for line in cell.iter(f"{_W}p"))
            cells.append(" ".join(filter(None, lines)))
        text = " | ".join(cells)
        if any(cells):
            yield Block(text, "row", Place(headings=headings.path), header=header)
            header = header or (text if number == 1 else "")


def element_text(element: Any) -> str:  # noqa: ANN401 — of either XML library
    """Return what a paragraph says; text boxes in it speak for themselves."""
    pieces: list[str] = []
    waiting = [element]
    while waiting:
        item = waiting.pop()
        name = str(item.tag).removeprefix(_W)
        if name == "t":
            pieces.append(item.text or "")
        elif name in _SIGNS:
            pieces.append(_SIGNS[name])
        elif name not in {"txbxContent", "delText", "pPr", "rPr", "instrText"} and item.tag != _FALLBACK:
            waiting.extend(reversed(list(item)))
    return "".join(pieces)


def _notes(blob: bytes, note: str) -> Iterator[Block]:
    from defusedxml import ElementTree  # noqa: PLC0415 — with the other libraries

    for element in ElementTree.fromstring(blob).iter(f"{_W}{note}"):
        if element.get(f"{_W}type") in {"separator", "continuationSeparator", "continuationNotice"}:
            continue
        lines = (element_text(line).strip() for line in element.iter(f"{_W}p"))
        if text := "\n".join(filter(None, lines)):
            yield Block(text, "note")


def _margins(document: Any) -> Iterator[Block]:  # noqa: ANN401
    """Yield headers and footers, each text once."""
    seen = set()
    names = ("header", "footer", "first_page_header", "first_page_footer", "even_page_header")
    for section in document.sections:
        for name in (*names, "even_page_footer"):
            part = getattr(section, name)
            if part.is_linked_to_previous:
                continue
            root = part._element  # noqa: SLF001 — its tables and boxes are asked for, too
            lines = (element_text(line).strip() for line in root.iter(f"{_W}p"))
            text = "\n".join(filter(None, lines))
            if text and text not in seen:
                seen.add(text)
                yield Block(text, "note")
