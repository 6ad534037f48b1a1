"""PDF, XPS, EPUB, MOBI and FB2, read by PyMuPDF."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from memdesk.formats.documents.failures import Unreadable
from memdesk.store.document import Block, Place

Report = Callable[[int, int], None]

REFLOWED = (600, 20_000)
"""Width and height in points of the pages that e-books are laid out on: paragraphs are seldom cut."""

_UNSPACED = "\u2e80"


def read_pages(path: Path, kind: str, password: str, report: Report) -> Iterator[Block]:
    """Yield the paragraphs of a paginated document; raises `Unreadable`."""
    import pymupdf  # noqa: PLC0415 — a large library

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        document: Any = pymupdf.open(str(path), filetype=kind)
    except (RuntimeError, ValueError, OSError) as error:
        raise Unreadable("corrupt") from error
    with document:
        if document.needs_pass and not document.authenticate(password):
            raise Unreadable("wrong_password" if password else "encrypted")
        reflowed = bool(document.is_reflowable)
        if reflowed:
            document.layout(width=REFLOWED[0], height=REFLOWED[1], fontsize=11)
        total = int(document.page_count)
        if not total:
            raise Unreadable("no_pages")
        contents = _Contents(document.get_toc(simple=True))
        seen = pictures = False
        for number in range(total):
            try:
                page: Any = document.load_page(number)
                found = page.get_text("blocks", sort=not reflowed, flags=pymupdf.TEXTFLAGS_BLOCKS)
            except (RuntimeError, ValueError) as error:
                raise Unreadable("corrupt") from error
            place = Place(page=0 if reflowed else number + 1, headings=contents.at(number + 1))
            for item in found:
                if item[6] != 0:
                    continue
                if text := _paragraph(item[4]):
                    seen = True
                    yield Block(text, place=place)
            pictures = pictures or (not seen and bool(page.get_images()))
            report(number + 1, total)
        if not seen:
            raise Unreadable("scanned" if pictures else "no_text")


class _Contents:
    """The table of contents: which headings a page stands under."""

    def __init__(self, entries: list[list[Any]]) -> None:
        self._pages: list[int] = []
        self._paths: list[tuple[str, ...]] = []
        path: list[str] = []
        for level, title, page, *_rest in entries:
            path = [*path[: level - 1], " ".join(str(title).split())]
            # A page without a number stands where the one before it does.
            self._pages.append(max(int(page), self._pages[-1] if self._pages else 1))
            self._paths.append(tuple(path))

    def at(self, page: int) -> tuple[str, ...]:
        place = bisect_right(self._pages, page)
        return self._paths[place - 1] if place else ()


def _paragraph(text: str) -> str:
    """Join the lines of a paragraph again; between characters of unspaced scripts goes nothing."""
    joined = ""
    for line in text.splitlines():
        stripped = " ".join(line.split())
        if joined and stripped:
            joined += "" if joined[-1] >= _UNSPACED and stripped[0] >= _UNSPACED else " "
        joined += stripped
    return joined
