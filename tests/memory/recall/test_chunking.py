from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.chats.model import Message, Swipe, SwipeState
from memdesk.memory.recall.chunking import HARD_TOKENS, chunks_of, remembered_text, source_hash
from memdesk.memory.words import terms
from tests.support.workspaces import BEGIN


def message(
    text: str, *, name: str = "Mara", state: SwipeState = SwipeState.DONE, role: str = "user"
) -> Message:
    swipe = Swipe(1, 7, text, state, BEGIN)
    return Message(7, 1, 1, role, name, None, BEGIN, hidden=False, swipe=swipe, swipe_number=1, swipe_count=1)  # type: ignore[arg-type]


def count(text: str) -> int:
    return len(text.split())


def test_every_chunk_makes_sense_alone() -> None:
    made = chunks_of(message("The key is in the tin. " * 40), 100, count)
    assert len(made) > 3
    for number, chunk in enumerate(made):
        assert chunk.text.startswith("Mara: The key")
        assert chunk.speakers == ("Mara",)
        assert (chunk.sources[0].message_id, chunk.sources[0].piece) == (7, number)
        assert chunk.tokens == count(chunk.text)
        assert chunk.first_time == chunk.last_time == BEGIN
        assert "mara" not in chunk.words.split()


def test_what_is_not_remembered() -> None:
    for text in ("", "  \n "):
        assert chunks_of(message(text), 400, count) == []
    assert chunks_of(message("Text.", state=SwipeState.STREAMING), 400, count) == []
    assert chunks_of(message("Text.", role="system"), 400, count) == []
    for state in (SwipeState.DONE, SwipeState.STOPPED, SwipeState.INTERRUPTED, SwipeState.FAILED):
        assert remembered_text(message(" Text. ", state=state)) == "Text."


def test_the_hash_changes_with_what_chunks_are_made_from() -> None:
    base = source_hash(message("Text."), 400)
    assert source_hash(message("  Text. "), 400) == base
    assert source_hash(message("Text!"), 400) != base
    assert source_hash(message("Text.", name="Noor"), 400) != base
    assert source_hash(message("Text."), 401) != base


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=600), st.integers(0, 80))
def test_no_word_is_lost_and_no_piece_too_long(text: str, size: int) -> None:
    made = chunks_of(message(text), size, count)
    joined = "".join("".join(chunk.text.removeprefix("Mara: ").split()) for chunk in made)
    assert joined == "".join(text.split())
    assert all(count(chunk.text) <= HARD_TOKENS + 1 for chunk in made)
    if size >= 40 and text.isascii():
        assert all(len(chunk.text) - len("Mara: ") <= size for chunk in made)


def test_words_are_those_that_a_query_has() -> None:
    (chunk,) = chunks_of(message("程远把铜钥匙放进饼干盒。The keepers' keys!"), 400, count)
    assert set(terms("铜钥匙")) <= set(chunk.words.split())
    assert set(terms("key")) <= set(chunk.words.split())
