"""Splitting a memory in two and merging it with the next: nothing is lost, and both can be taken back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.memory.recall.shapes import halves
from memdesk.store.chunks import Chunk
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.memory.recall.test_acts import everything
from tests.support.workspaces import WordEmbedder, say, sync, talk

TWO = "The lamp failed in the storm. My birthday is the fifteenth of March."
FAMILY = "👨‍👩‍👧‍👦"


@pytest.fixture
def chat_id(workspace: Workspace) -> int:
    chat = talk(workspace, TWO, "We shall see about that.")
    sync(workspace)
    return chat.id


def chunks(workspace: Workspace, chat_id: int) -> list[Chunk]:
    return sorted(workspace.chunks.page(chat_id, workspace.sync.space_id), key=lambda chunk: chunk.id)


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return [chunk.text for chunk in chunks(workspace, chat_id)]


def test_a_split_makes_two_memories_that_each_name_their_speaker(
    workspace: Workspace, chat_id: int, embedder: WordEmbedder
) -> None:
    (chunk, other) = chunks(workspace, chat_id)
    before = everything(workspace)
    undo = workspace.memories.split(chunk.id, chunk.text.index("My birthday"))
    first, second = (item for item in chunks(workspace, chat_id) if item.id != other.id)
    assert (first.text, second.text) == (
        "Alex: The lamp failed in the storm.",
        "Alex: My birthday is the fifteenth of March.",
    )
    assert first.source_messages == second.source_messages == chunk.source_messages
    assert first.edited
    assert second.edited
    assert workspace.chunks.search_words(chat_id, "lamp", 5)[0][0] == first.id
    assert [row[0] for row in workspace.chunks.search_words(chat_id, "birthday", 5)] == [second.id]
    embedder.passages.clear()
    for _ in range(2):
        # No step of ours makes the message's own memory again, or takes the parts away.
        sync(workspace)
        workspace.upkeep.rebuild(chat_id)
    assert sorted(embedder.passages) == sorted([first.text, second.text])
    assert len(chunks(workspace, chat_id)) == 3
    undo.run()
    assert {key: value for key, value in everything(workspace).items() if key != "trash"} == {
        key: value for key, value in before.items() if key != "trash"
    }


def test_going_back_to_the_original_of_a_part_brings_no_text_twice(
    workspace: Workspace, chat_id: int
) -> None:
    chunk = chunks(workspace, chat_id)[0]
    workspace.memories.edit(chunk.id, f"{TWO} And more.")
    workspace.memories.split(chunk.id, len("The lamp failed in the storm."))
    second = max(chunks(workspace, chat_id), key=lambda item: item.id)
    workspace.memories.edit(second.id, "Something else.")
    workspace.memories.revert(second.id)
    assert texts(workspace, chat_id)[-1] == "My birthday is the fifteenth of March. And more."
    assert chunks(workspace, chat_id)[-1].edited, "a part stays a person's work"
    sync(workspace)
    assert len(texts(workspace, chat_id)) == 3


def test_merging_with_the_next_keeps_sources_and_history_of_both(workspace: Workspace, chat_id: int) -> None:
    first, second = chunks(workspace, chat_id)
    workspace.memories.freeze([second.id], value=True)
    before = everything(workspace)
    undo = workspace.memories.merge_with_next(first.id)
    (merged,) = chunks(workspace, chat_id)
    assert merged.text == f"Alex: {TWO}\nMara: We shall see about that."
    assert merged.source_messages == (*first.source_messages, *second.source_messages)
    assert (merged.speakers, merged.frozen, merged.edited) == (("Alex", "Mara"), True, True)
    assert (merged.first_time, merged.last_time) == (first.first_time, second.last_time)
    sync(workspace)
    workspace.upkeep.rebuild(chat_id)
    assert texts(workspace, chat_id) == [merged.text], "what it holds is not made again"
    undo.run()
    after = everything(workspace)
    assert {key: after[key] for key in after if key != "trash"} == {
        key: before[key] for key in before if key != "trash"
    }


@pytest.mark.parametrize(
    "text", ["One is here. Two is there. " * 30, "守塔人在台阶下面。发现了一把钥匙。" * 40]
)
def test_pieces_of_one_message_that_are_merged_are_its_text_again(workspace: Workspace, text: str) -> None:
    chat = talk(workspace, text)
    sync(workspace)
    for _ in range(len(chunks(workspace, chat.id)) - 1):
        workspace.memories.merge_with_next(chunks(workspace, chat.id)[0].id)
        workspace.sync.chunk_stale(CancelToken())
    sync(workspace)
    assert texts(workspace, chat.id) == [f"Alex: {text.strip()}"]
    workspace.upkeep.rebuild(chat.id)
    assert len(texts(workspace, chat.id)) == 1


def test_what_cannot_be_split_or_merged_says_why_and_changes_nothing(
    workspace: Workspace, chat_id: int
) -> None:
    first, second = chunks(workspace, chat_id)
    before = everything(workspace)
    for place in (-3, 0, len("Alex:"), len("Alex: "), len(first.text), 10_000):
        with pytest.raises(StoreError) as caught:
            workspace.memories.split(first.id, place)
        assert caught.value.code == "cannot_split"
    with pytest.raises(StoreError) as caught:
        workspace.memories.merge_with_next(second.id)
    assert caught.value.code == "no_next"
    for act in (lambda: workspace.memories.split(99, 3), lambda: workspace.memories.merge_with_next(99)):
        with pytest.raises(StoreError) as caught:
            act()
        assert caught.value.code == "not_found"
    assert everything(workspace) == before


def test_notes_and_exchanges_can_be_split_too(workspace: Workspace, chat_id: int) -> None:
    workspace.memories.set_settings(chat_id, grain="exchanges")
    say(workspace, chat_id, "One.", "Two.", "Three.")
    sync(workspace)
    (chunk,) = chunks(workspace, chat_id)
    workspace.memories.split(chunk.id, chunk.text.index("Two."))
    first, second = texts(workspace, chat_id)
    assert first.endswith("Alex: One.")
    assert second.startswith("Mara: Two.")
    sync(workspace)
    assert len(texts(workspace, chat_id)) == 2
    workspace.memories.add_note(chat_id, "The key is in the tin. The tin is gone.")
    note = chunks(workspace, chat_id)[-1]
    workspace.memories.split(note.id, len("The key is in the tin."))
    assert texts(workspace, chat_id)[-2:] == ["The key is in the tin.", "The tin is gone."]


@given(
    st.text(max_size=60), st.integers(-5, 70), st.lists(st.sampled_from(["Mara", "M", "艾莉亚"]), max_size=2)
)
def test_no_character_is_lost_or_cut(text: str, place: int, speakers: list[str]) -> None:
    parts = halves(text, place, speakers)
    if parts is None:
        return
    first, second = parts
    ways = [second, *(second.removeprefix(f"{name}: ") for name in speakers)]
    assert "".join(text.split()) in {"".join((first + way).split()) for way in ways}
    assert first.strip()
    assert second.strip()


def test_nothing_is_cut_inside_a_character(workspace: Workspace) -> None:
    assert halves(f"a{FAMILY}b", 3, ()) == ("a", f"{FAMILY}b")
    chat = talk(workspace, f"x{FAMILY}y")
    sync(workspace)
    (chunk,) = chunks(workspace, chat.id)
    workspace.memories.split(chunk.id, chunk.text.index(FAMILY) + 2)
    assert texts(workspace, chat.id) == ["Alex: x", f"Alex: {FAMILY}y"]


def test_a_merged_memory_goes_through_a_file_unharmed(workspace: Workspace, tmp_path: Any) -> None:
    chat = talk(workspace, "One is here. Two is there. " * 30)
    sync(workspace)
    workspace.memories.merge_with_next(chunks(workspace, chat.id)[0].id)
    path = tmp_path / "carried.memdesk.json"
    workspace.memory_files.export(chat.id, path, "memdesk")
    result, _undo = workspace.memory_files.import_file(path, chat.id)
    assert result.imported == 0
    held = workspace.database.path
    assert held.exists()
    pieces = [
        source.piece for source in workspace.chunks.sources(chat.id)[workspace.messages.ids(chat.id)[0]]
    ]
    workspace.upkeep.clear(chat.id)
    workspace.memory_files.import_file(path, chat.id)
    again = [source.piece for source in workspace.chunks.sources(chat.id)[workspace.messages.ids(chat.id)[0]]]
    assert sorted(again) == sorted(pieces)
