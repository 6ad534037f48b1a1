"""Texts: plain, Markdown, code, tables, subtitles, RTF and HTML."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from memdesk.formats.documents.headings import Headings
from memdesk.formats.documents.office import row_text
from memdesk.store.document import Block, Place

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*#*[ \t]*$")
_BLANK = re.compile(r"\n[^\S\n]*\n(?:[^\S\n]*\n)*")
_CUE = re.compile(r"((?:\d+:)?\d+:\d\d)[,.]\d+\s*-->")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>")
_NESTED = re.compile(r"\\(footnote|header[lrf]?|footer[lrf]?)(?![a-z])\s?")
_SNIFFED = 20_000
LONGEST_FIELD = 10_000_000


def paragraphs(text: str, *, code: bool = False) -> Iterator[Block]:
    """Yield the paragraphs of a text; their lines and indentation stay as they are."""
    for part in _BLANK.split(text):
        if part.strip():
            yield Block(part.strip("\n").rstrip(), "code" if code else "text")


def markdown(text: str) -> Iterator[Block]:
    """Yield headings, listings and paragraphs; the markup stays as it is."""
    headings = Headings()
    lines: list[str] = []
    fence = ""

    def flush(*, code: bool = False) -> Iterator[Block]:
        if any(line.strip() for line in lines):
            said = "\n".join(lines).strip("\n").rstrip()
            yield Block(said, "code" if code else "text", headings.place)
        lines.clear()

    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            lines.append(line)
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
                yield from flush(code=True)
        elif mark:
            yield from flush()
            fence = mark[1]
            lines.append(line)
        elif found := _ATX.match(line):
            yield from flush()
            opened = headings.open(found[2], len(found[1]))
            yield Block(line.rstrip(), "heading", opened.place, opened.level)
        elif not line.strip():
            yield from flush()
        else:
            lines.append(line)
    yield from flush(code=bool(fence))


def listing(text: str) -> Iterator[Block]:
    """Yield JSON; all on one line it is written out."""
    if "\n" not in text.strip():
        # Broken JSON is a text all the same.
        with contextlib.suppress(ValueError, RecursionError):
            text = json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    yield from paragraphs(text, code=True)


def table(text: str, *, tabs: bool) -> Iterator[Block]:
    """Yield the rows of CSV or TSV."""
    csv.field_size_limit(LONGEST_FIELD)
    delimiter = "\t"
    if not tabs:
        try:
            delimiter = csv.Sniffer().sniff(text[:_SNIFFED], ",;\t|").delimiter
        except csv.Error:
            delimiter = ","
    header = ""
    try:
        for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), start=1):
            if line := row_text(row):
                yield Block(line, "row", Place(row=number), header=header)
                header = header or line
    except csv.Error:
        # Beyond what the format allows; the lines say it all the same.
        yield from paragraphs(text)


def subtitles(text: str) -> Iterator[Block]:
    """Yield what is said, with its time."""
    for part in _BLANK.split(text.removeprefix("WEBVTT")):
        lines = part.strip().split("\n")
        cue = next((number for number, line in enumerate(lines) if _CUE.search(line)), None)
        if cue is None:
            continue
        time = _CUE.search(lines[cue])
        said = " ".join(_TAG.sub("", line).strip() for line in lines[cue + 1 :]).strip()
        if said and time:
            yield Block(f"[{time[1]}] {said}", "row")


def rtf(data: bytes) -> Iterator[Block]:
    """Yield the paragraphs of RTF, notes and headers where they stand."""
    from striprtf.striprtf import rtf_to_text  # noqa: PLC0415 — seldom needed

    source = _NESTED.sub(r"\\par ", data.decode("latin-1"))
    for line in str(rtf_to_text(source, errors="ignore")).split("\n"):
        if line.strip():
            yield Block(line.strip())


_BREAKS_NAMES = """
address article aside blockquote body br caption center dd details div dl dt fieldset
figcaption figure footer form header hr html legend li main nav ol p pre section summary
table tbody tfoot thead title tr ul
"""
_BREAKS = frozenset(_BREAKS_NAMES.split())
_SILENT = frozenset(["script", "style", "svg", "math"])
_LEVELS = {f"h{level}": level for level in range(1, 7)}


class _Page(HTMLParser):
    """Collects the blocks of a page; it does not mind broken markup, nor how deep it is."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Block] = []
        self._headings = Headings()
        self._said: list[str] = []
        self._silent = ""
        self._level = 0
        self._pre = 0
        self._cells: list[str] | None = None
        self._cell = False
        self._header = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        if self._silent:
            return
        if tag in _SILENT:
            self._flush()
            self._silent = tag
        elif tag == "table":
            self._flush()
            self._header = ""
        elif tag == "tr":
            self._end_row()
            self._cells = []
        elif tag in {"td", "th"}:
            self._end_cell()
            self._cell = self._cells is not None
        elif tag in _LEVELS:
            self._flush()
            self._level = _LEVELS[tag]
        elif tag == "br" and (self._pre or self._cells is None):
            self._said.append("\n")
        elif tag in _BREAKS:
            self._flush()
            self._pre += tag == "pre"

    def handle_endtag(self, tag: str) -> None:
        if self._silent:
            if tag == self._silent:
                self._silent = ""
            return
        if tag in {"td", "th"}:
            self._end_cell()
        elif tag in {"tr", "table"}:
            self._end_row()
        elif tag in _LEVELS or tag in _BREAKS:
            self._flush()
            self._level = 0
            if tag == "pre":
                self._pre = max(0, self._pre - 1)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._said.append(data if self._pre else re.sub(r"\s+", " ", data))

    def end(self) -> list[Block]:
        self.close()
        self._end_row()
        self._flush()
        return self.found

    def _taken(self) -> str:
        text = "".join(self._said)
        self._said.clear()
        if self._pre:
            return text.strip("\n").rstrip()
        return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()

    def _flush(self) -> None:
        if self._cells is not None:
            # Paragraphs in a cell belong to its row.
            self._said.append(" ")
            return
        text = self._taken()
        if not text:
            return
        if self._level:
            self.found.append(self._headings.open(" ".join(text.split()), self._level))
        else:
            self.found.append(Block(text, "code" if self._pre else "text", self._headings.place))

    def _end_cell(self) -> None:
        if self._cells is None:
            return
        text = " ".join("".join(self._said).split())
        self._said.clear()
        if text or self._cell:
            self._cells.append(text)
        self._cell = False

    def _end_row(self) -> None:
        if self._cells is None:
            return
        self._end_cell()
        text = row_text(self._cells)
        self._cells = None
        if text:
            self.found.append(Block(text, "row", self._headings.place, header=self._header))
            self._header = self._header or text


def html(text: str) -> Iterator[Block]:
    """Yield headings, paragraphs, rows and listings of a page; scripts and styles say nothing."""
    page = _Page()
    page.feed(text)
    yield from page.end()
