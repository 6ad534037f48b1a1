"""Chunks lose nothing, keep to their size, know their place, and never cut a word in two."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.memory.databank.cutting import PIECE_TOKENS, cut, edited_blocks
from memdesk.store.attachments import NewFileChunk
from memdesk.store.document import Block, Place, full_text
from memdesk.store.vectors import text_hash


def count(text: str) -> int:
    """Stands in for the tokenizer: words, Chinese by character."""
    return len(re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", text))


WORDS = st.text("abcdefg林晚旧书店。！.! ", min_size=1, max_size=400)
BLOCKS = st.lists(
    st.builds(
        Block,
        text=WORDS.filter(str.strip),
        kind=st.sampled_from(["heading", "text", "row", "code", "note"]),
        place=st.builds(Place, page=st.integers(0, 3), sheet=st.sampled_from(["", "A", "B"])),
        level=st.integers(1, 3),
        header=st.sampled_from(["", "name | age"]),
    ),
    max_size=12,
)


def said(text: str) -> str:
    return re.sub(r"\s+", "", text)


@given(BLOCKS, st.integers(200, 900))
@settings(max_examples=60, deadline=None)
def test_nothing_is_lost_and_nothing_is_too_long(blocks: list[Block], size: int) -> None:
    chunks = cut(blocks, count, size)
    assert all(len(chunk.text) <= size for chunk in chunks)
    together = said("".join(chunk.text for chunk in chunks)).replace("name|age", "")
    assert together == said("".join(block.text for block in blocks)).replace("name|age", "")
    for chunk in chunks:
        assert chunk.text.strip()
        assert said("".join(chunk.text[start:stop] for start, stop, _ in chunk.pieces)) == said(chunk.text)
        for start, stop, key in chunk.pieces:
            assert key == text_hash(chunk.text[start:stop])
            assert count(chunk.text[start:stop]) <= PIECE_TOKENS


def texts(chunks: list[NewFileChunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_headings_begin_chunks_and_stay_with_what_they_stand_over() -> None:
    long = "The keeper climbs the stairs. " * 8
    blocks = [
        Block("One", "heading", Place(headings=("One",)), 1),
        Block(long.strip(), place=Place(headings=("One",))),
        Block("Two", "heading", Place(headings=("Two",)), 1),
        Block(long.strip(), place=Place(headings=("Two",))),
    ]
    chunks = cut(blocks, count, 300)
    assert [chunk.text.split("\n")[0] for chunk in chunks] == ["One", "Two"]
    assert [chunk.first.headings for chunk in chunks] == [("One",), ("Two",)]


def test_rows_repeat_their_header() -> None:
    header = "name | age | place"
    rows = [Block(header, "row", Place(sheet="People", row=1))]
    rows += [
        Block(f"Mira {n} | {n} | tower", "row", Place(sheet="People", row=n), header=header)
        for n in range(2, 60)
    ]
    chunks = cut(rows, count, 300)
    assert len(chunks) > 3
    assert all(chunk.text.split("\n")[0] == header for chunk in chunks)
    assert all(chunk.text.count(header) == 1 for chunk in chunks)
    assert chunks[0].first.row == 1
    assert chunks[1].first.row == chunks[0].last.row + 1


def test_words_and_sentences_stay_whole() -> None:
    english = Block("The keeper climbs the winding stairs every night. " * 40)
    chinese = Block("第二天清晨，林晚独自走进了旧书店。" * 60)
    for chunk in cut([english], count, 333):
        assert chunk.text.endswith("night.")
        assert chunk.text.startswith("The keeper")
    for chunk in cut([chinese], count, 333):
        assert chunk.text.endswith("。")
        assert chunk.text.startswith("第二天")
    assert all(len(chunk.pieces) > 1 for chunk in cut([chinese], count, 1000)[:-1])


def test_overlap_says_the_end_again() -> None:
    blocks = [Block(f"Sentence {number} of the saga.") for number in range(60)]
    plain, lapped = cut(blocks, count, 300), cut(blocks, count, 300, 10)
    assert len(plain) == len(lapped)
    for before, one, other in zip(plain, plain[1:], lapped[1:], strict=False):
        tail, _, rest = other.text.partition("\n\n")
        assert before.text.endswith(tail)
        assert rest == one.text


def test_an_edited_text_keeps_the_places_of_what_stayed() -> None:
    header = "name | age"
    blocks = [
        Block("One.", place=Place(page=1)),
        Block("Two.", place=Place(page=2)),
        Block(header, "row", Place(page=2)),
        Block("Mira | 31", "row", Place(page=2), header=header),
    ]
    text = full_text(blocks).replace("One.", "One.\n\nBetween.").replace("31", "32\nLin | 5")
    found = edited_blocks(text, blocks)
    assert full_text(found) == text
    assert [block.place.page for block in found] == [1, 1, 2, 2, 2, 2]
