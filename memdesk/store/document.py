"""What a document holds: blocks of text in reading order, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

BlockKind = Literal["heading", "text", "row", "code", "note"]
"""What a block is: rows belong to a table, notes stand outside the run of the text."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands; what does not apply is 0 or "". Pages, slides and rows are counted from 1."""

    page: int = 0
    slide: int = 0
    sheet: str = ""
    row: int = 0
    headings: tuple[str, ...] = ()

    def values(self) -> dict[str, Any]:
        """Return what applies, as JSON values."""
        found: dict[str, Any] = {
            "page": self.page,
            "slide": self.slide,
            "sheet": self.sheet,
            "row": self.row,
            "headings": list(self.headings),
        }
        return {key: value for key, value in found.items() if value}


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a document that is not divided: a paragraph, a heading, a row of a table, a listing.

    `level` counts for headings, from 1; `header` is the first row of the table that a row belongs to.
    """

    text: str
    kind: BlockKind = "text"
    place: Place = Place()
    level: int = 0
    header: str = ""


def read_place(values: Any) -> Place:  # noqa: ANN401 — as JSON holds it
    """Return a place from its JSON values."""
    return Place(
        page=int(values.get("page", 0)),
        slide=int(values.get("slide", 0)),
        sheet=str(values.get("sheet", "")),
        row=int(values.get("row", 0)),
        headings=tuple(str(item) for item in values.get("headings", ())),
    )


def block_values(block: Block) -> list[Any]:
    """Return a block as JSON values."""
    return [block.text, block.kind, block.place.values(), block.level, block.header]


def read_block(values: Sequence[Any]) -> Block:
    """Return a block from its JSON values."""
    text, kind, place, level, header = values
    return Block(str(text), kind, read_place(place), int(level), str(header))


def full_text(blocks: Iterable[Block]) -> str:
    """Return the text of a document: rows of a table line by line, all else in paragraphs."""
    pieces: list[str] = []
    before = ""
    for block in blocks:
        if pieces:
            pieces.append("\n" if block.kind == before == "row" else "\n\n")
        pieces.append(block.text)
        before = block.kind
    return "".join(pieces)


def place_words(first: Place, last: Place) -> str:
    """Return a stretch of a document in English words: “page 3–4, Chapter 1 › The well”."""
    found = []
    if first.page:
        found.append(_span("page", first.page, last.page))
    if first.slide:
        found.append(_span("slide", first.slide, last.slide))
    if first.sheet:
        found.append(f"sheet {first.sheet}")
    if first.row:
        found.append(_span("row", first.row, last.row if last.sheet == first.sheet else first.row))
    if first.headings:
        found.append(" › ".join(first.headings))
    return ", ".join(found)


def _span(word: str, first: int, last: int) -> str:
    return f"{word} {first}–{last}" if last > first else f"{word} {first}"
