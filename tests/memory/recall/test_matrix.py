from __future__ import annotations

import numpy as np
import pytest

from memdesk.memory.recall.matrix import CACHED_CHATS, Matrices
from memdesk.store.vectors import text_hash
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import say, sync, talk

LINES = ["The brass key hangs by the door.", "It rained all night.", "Tom sold his boat.", "Bees sleep."]


@pytest.fixture
def chat(workspace: Workspace) -> int:
    made = talk(workspace, *LINES)
    sync(workspace)
    return made.id


class Spy:
    """Counts how many vectors are read."""

    def __init__(self, workspace: Workspace) -> None:
        self.read = 0
        inner = workspace.vectors.get

        def counted(space: int, keys: list[bytes]) -> dict[bytes, np.ndarray]:
            self.read += len(keys)
            return inner(space, keys)

        workspace.vectors.get = counted  # type: ignore[method-assign, assignment]


def held(workspace: Workspace, matrices: Matrices, chat_id: int) -> dict[int, bytes]:
    """Return {chunk id: bytes of its row} as a search would see it."""
    matrix = matrices.get(chat_id, workspace.sync.space_id, workspace.embedder.space.dimension)
    rows = {int(chunk): matrix.rows[row].tobytes() for row, chunk in enumerate(matrix.ids)}
    assert sorted(matrix.ids[matrix.places(rows)]) == sorted(rows)
    return rows


def truth(workspace: Workspace, chat_id: int) -> dict[int, bytes]:
    space = workspace.sync.space_id
    chunks = [chunk for chunk in workspace.chunks.page(chat_id, space) if chunk.has_vector]
    vectors = workspace.vectors.get(space, [text_hash(chunk.text) for chunk in chunks])
    return {chunk.id: vectors[text_hash(chunk.text)].tobytes() for chunk in chunks}


def test_it_follows_everything_that_can_happen_to_chunks(workspace: Workspace, chat: int) -> None:
    matrices = Matrices(workspace.chunks, workspace.vectors)
    other = talk(workspace, "Another chat altogether.", title="Other").id
    sync(workspace)
    assert held(workspace, matrices, chat) == truth(workspace, chat)
    first = min(held(workspace, matrices, chat))

    say(workspace, chat, "A new line at the end.")
    sync(workspace)
    assert held(workspace, matrices, chat) == truth(workspace, chat)

    workspace.memories.edit(first, "The silver key hangs by the door.")
    sync(workspace)
    assert held(workspace, matrices, chat) == truth(workspace, chat)

    undo = workspace.memories.forget([first])
    assert undo is not None
    assert first not in held(workspace, matrices, chat)
    undo.run()
    assert held(workspace, matrices, chat) == truth(workspace, chat)
    assert first in held(workspace, matrices, chat)

    workspace.library.delete_messages(workspace.messages.ids(chat)[1:2])
    sync(workspace)
    assert held(workspace, matrices, chat) == truth(workspace, chat)
    assert held(workspace, matrices, other) == truth(workspace, other)


def test_a_chunk_without_a_vector_joins_when_it_has_one(workspace: Workspace, chat: int) -> None:
    matrices = Matrices(workspace.chunks, workspace.vectors)
    before = held(workspace, matrices, chat)
    say(workspace, chat, "Not embedded yet.")
    workspace.sync.chunk_stale(CancelToken())
    assert held(workspace, matrices, chat) == before
    sync(workspace)
    after = held(workspace, matrices, chat)
    assert len(after) == len(before) + 1
    assert after == truth(workspace, chat)


def test_only_what_is_new_is_read(workspace: Workspace, chat: int) -> None:
    matrices = Matrices(workspace.chunks, workspace.vectors)
    held(workspace, matrices, chat)
    spy = Spy(workspace)
    held(workspace, matrices, chat)
    assert spy.read == 0
    say(workspace, chat, "One more.")
    sync(workspace)
    spy.read = 0
    held(workspace, matrices, chat)
    assert spy.read == 1


def test_what_a_search_holds_does_not_change_under_it(workspace: Workspace, chat: int) -> None:
    matrices = Matrices(workspace.chunks, workspace.vectors)
    dimension = workspace.embedder.space.dimension
    matrix = matrices.get(chat, workspace.sync.space_id, dimension)
    ids, rows = matrix.ids.copy(), matrix.rows.copy()
    for number in range(80):
        say(workspace, chat, f"Line number {number}.")
    sync(workspace)
    later = matrices.get(chat, workspace.sync.space_id, dimension)
    assert len(later.ids) == len(ids) + 80
    assert (matrix.ids == ids).all()
    assert (matrix.rows == rows).all()
    assert not len(matrix.places(set(map(int, later.ids)) - set(map(int, ids))))


def test_few_chats_stay_in_memory(workspace: Workspace, chat: int) -> None:
    matrices = Matrices(workspace.chunks, workspace.vectors)
    for number in range(CACHED_CHATS + 2):
        held(workspace, matrices, talk(workspace, "A line.", title=f"Chat {number}").id)
    assert len(matrices._held) == CACHED_CHATS
    assert held(workspace, matrices, chat) == truth(workspace, chat)
