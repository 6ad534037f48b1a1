"""Cutting a document into chunks: at headings, paragraphs and sentences, tables row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from memdesk.memory.split import split_message
from memdesk.memory.words import index_text
from memdesk.store.attachments import NewFileChunk
from memdesk.store.document import Block, Place
from memdesk.store.vectors import text_hash

CHUNK_CHARS = 2500
OVERLAP = 0
"""Characters of a chunk, and percent of it that the next one says again (SillyTavern's defaults)."""

HEADING_SHARE = 0.25
"""A heading begins a new chunk when the present one is at least this full."""

HEADER_SHARE = 0.25
"""A table's header that is longer than this share of a chunk is cut."""

PIECE_TOKENS = 350
"""Tokens of a chunk that one vector stands for; the bundled embedder reads 512 and its count may differ."""


def cut(
    blocks: Iterable[Block], count: Callable[[str], int], size: int = CHUNK_CHARS, overlap: int = OVERLAP
) -> list[NewFileChunk]:
    """Return the chunks of a document in order; none is longer than `size` but for what the overlap adds.

    size: characters, 100 or more. overlap: percent of it, 0–50.
    """
    cutter = _Cutter(size)
    for block in blocks:
        cutter.take(block)
    cutter.flush()
    found = []
    before = ""
    for text, first, last in cutter.done:
        said = text
        if before and overlap:
            tail = split_message(before, max(1, size * overlap // 100))[-1]
            said = f"{tail}\n\n{text}"
        before = text
        found.append(_chunk(said, first, last, count))
    return found


def _chunk(text: str, first: Place, last: Place, count: Callable[[str], int]) -> NewFileChunk:
    pieces = []
    start = 0
    for piece in split_message(text, 0, hard_tokens=PIECE_TOKENS, count=count):
        start = text.index(piece, start)
        pieces.append((start, start + len(piece), text_hash(piece)))
        start += len(piece)
    words = index_text("\n".join((*first.headings, text)))
    return NewFileChunk(text, first, last, count(text), tuple(pieces), words)


class _Cutter:
    def __init__(self, size: int) -> None:
        self.done: list[tuple[str, Place, Place]] = []
        self._size = size
        self._held: list[tuple[str, Block]] = []
        self._length = 0

    def take(self, block: Block) -> None:
        for text in self._fitting(block):
            self._add(text, block)

    def _fitting(self, block: Block) -> Iterator[str]:
        text = block.text if block.kind == "code" else block.text.strip()
        room = self._size
        if block.kind == "row" and block.header:
            room -= len(self._header(block)) + 1
        if len(text) <= room:
            yield text
        else:
            yield from split_message(text, room)

    def _header(self, block: Block) -> str:
        return block.header[: int(self._size * HEADER_SHARE)]

    def _add(self, text: str, block: Block) -> None:
        gap = self._gap(block)
        full = self._length + gap + len(text) > self._size
        begins = block.kind == "heading" and self._length >= self._size * HEADING_SHARE
        other = bool(self._held) and self._held[-1][1].place.sheet != block.place.sheet
        if self._held and (full or begins or other):
            self.flush(carry=full and not begins and not other)
        if self._held and self._length + self._gap(block) + len(text) > self._size:
            self.flush()
        if block.kind == "row" and block.header and not self._in_table(block):
            self._append(self._header(block), block)
        self._append(text, block)

    def _in_table(self, block: Block) -> bool:
        """Return whether the header of a row stands in the present chunk already."""
        return any(held.header == block.header or text == block.header for text, held in self._held)

    def _gap(self, block: Block) -> int:
        if not self._held:
            return 0
        gap = 1 if block.kind == self._held[-1][1].kind == "row" else 2
        if block.kind == "row" and block.header and not self._in_table(block):
            gap += len(self._header(block)) + 1
        return gap

    def _append(self, text: str, block: Block) -> None:
        if self._held:
            self._length += 1 if block.kind == self._held[-1][1].kind == "row" else 2
        self._held.append((text, block))
        self._length += len(text)

    def flush(self, *, carry: bool = False) -> None:
        """End the present chunk; with `carry`, headings at its end go on with what they stand over."""
        rest: list[tuple[str, Block]] = []
        while carry and len(self._held) > 1 and self._held[-1][1].kind == "heading":
            rest.insert(0, self._held.pop())
        text = ""
        before = ""
        for piece, block in self._held:
            if text:
                text += "\n" if block.kind == before == "row" else "\n\n"
            text += piece
            before = block.kind
        if text.strip():
            self.done.append((text, self._held[0][1].place, self._held[-1][1].place))
        self._held, self._length = [], 0
        if sum(len(piece) for piece, _ in rest) * 2 < self._size:
            for piece, block in rest:
                self._append(piece, block)
        else:
            self.done.append(("\n\n".join(piece for piece, _ in rest), rest[0][1].place, rest[-1][1].place))


def edited_blocks(text: str, original: Sequence[Block]) -> list[Block]:
    """Return the blocks of an edited text; what stayed keeps its place, the rest takes it over."""
    known = {block.text.strip(): block for block in original}
    rows = {block.text.strip() for block in original if block.kind == "row"}
    found: list[Block] = []
    place = Place()
    header = ""
    for part in text.split("\n\n"):
        lines = part.split("\n")
        pieces = (
            lines if any(line.strip() in rows for line in lines) and part.strip() not in known else [part]
        )
        for piece in pieces:
            if not piece.strip():
                continue
            old = known.get(piece.strip())
            if old is not None:
                place, header = old.place, old.header
                found.append(old)
            else:
                row = len(pieces) > 1
                found.append(Block(piece, "row" if row else "text", place, header=header if row else ""))
    return found
