from __future__ import annotations

from typing import Any

import pytest

from memdesk.memory.query import Query, plain_query
from memdesk.memory.recall.matrix import CACHED_CHATS
from memdesk.memory.recall.search import Found, RecallSearch, owner
from memdesk.store.index_errors import IndexUnavailable
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, say, sync, talk

LINES = [
    "The brass key is in the biscuit tin.",
    "A strange place for it.",
    "My porridge needs salt.",
    *(f"Gull number {number} sits on the pier." for number in range(40)),
]


@pytest.fixture
def chat(workspace: Workspace) -> int:
    made = talk(workspace, *LINES)
    sync(workspace)
    return made.id


@pytest.fixture
def search(workspace: Workspace) -> RecallSearch:
    return RecallSearch(
        workspace.messages, workspace.chunks, workspace.vectors, workspace.index, workspace.embedder
    )


def ask(search: RecallSearch, chat_id: int, query: str | Query, **more: Any) -> Found:
    return search.search(chat_id, plain_query(query) if isinstance(query, str) else query, **more)


def texts(workspace: Workspace, found: Found) -> list[str]:
    chunks = workspace.chunks.get_many([item.chunk_id for item in found.ranked], 0)
    return [chunks[item.chunk_id].text for item in found.ranked]


def test_meaning_and_words_find_what_fits(workspace: Workspace, search: RecallSearch, chat: int) -> None:
    found = ask(search, chat, "the brass key")
    assert texts(workspace, found)[0] == f"Alex: {LINES[0]}"
    assert found.warning == ""
    best = found.ranked[0]
    assert best.dense > 0
    assert best.words == 1.0
    assert best.turn == 1


def test_only_this_chat_is_searched(workspace: Workspace, search: RecallSearch, chat: int) -> None:
    other = talk(workspace, "Another brass key.", title="Other")
    sync(workspace)
    assert texts(workspace, ask(search, other.id, "brass key")) == ["Alex: Another brass key."]
    assert "Alex: Another brass key." not in texts(workspace, ask(search, chat, "brass key"))


def test_what_was_forgotten_is_not_found(workspace: Workspace, search: RecallSearch, chat: int) -> None:
    ask(search, chat, "brass key")
    workspace.library.delete_messages([workspace.messages.ids(chat)[0]])
    sync(workspace)
    assert not any("brass" in text for text in texts(workspace, ask(search, chat, "brass key")))


def test_what_came_just_now_is_found(workspace: Workspace, search: RecallSearch, chat: int) -> None:
    ask(search, chat, "brass key")
    say(workspace, chat, "A velvet curtain hangs there.")
    sync(workspace)
    assert texts(workspace, ask(search, chat, "velvet curtain"))[0] == "Alex: A velvet curtain hangs there."


def test_without_an_embedder_words_are_enough(
    workspace: Workspace, search: RecallSearch, chat: int, embedder: WordEmbedder
) -> None:
    embedder.broken = True
    found = ask(search, chat, "brass key")
    assert texts(workspace, found)[0] == f"Alex: {LINES[0]}"
    assert "by words only" in found.warning
    assert all(item.dense == 0 for item in found.ranked)


@pytest.mark.parametrize("code", ["index_broken", "index_timeout", "index_closed", "index_module_missing"])
def test_without_an_index_every_vector_is_compared(
    workspace: Workspace, search: RecallSearch, chat: int, monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    before = ask(search, chat, "brass porridge pier")

    def fail(*_: object, **__: object) -> Any:
        raise IndexUnavailable(code, "It is gone.")

    monkeypatch.setattr(workspace.index, "query", fail)
    after = ask(search, chat, "brass porridge pier")
    assert [(item.chunk_id, item.score) for item in after.ranked] == [
        (item.chunk_id, item.score) for item in before.ranked
    ]
    assert bool(after.warning) == (code != "index_timeout")


def test_an_index_that_is_behind_hides_nothing(workspace: Workspace, search: RecallSearch, chat: int) -> None:
    before = ask(search, chat, "porridge salt")
    space = workspace.embedder.space.id
    ids = sorted(workspace.index.ids(owner(chat), space))
    workspace.index.delete(owner(chat), space, ids[::2])
    after = ask(search, chat, "porridge salt")
    assert [(item.chunk_id, item.score) for item in after.ranked] == [
        (item.chunk_id, item.score) for item in before.ranked
    ]


def test_what_stands_in_the_prompt_comes_last_and_sets_no_scale(
    workspace: Workspace, search: RecallSearch, chat: int
) -> None:
    first = workspace.messages.ids(chat)[0]
    say(workspace, chat, "The brass key is lost.")
    sync(workspace)
    found = ask(search, chat, "brass key tin", in_prompt=frozenset({first}))
    assert texts(workspace, found)[-1] == f"Alex: {LINES[0]}"
    assert texts(workspace, found)[0] == "Alex: The brass key is lost."
    free = ask(search, chat, "brass key tin")
    assert texts(workspace, free)[0] == f"Alex: {LINES[0]}"
    beside = next(item for item in free.ranked if item.chunk_id == found.ranked[0].chunk_id)
    assert found.ranked[0].words > beside.words


@pytest.mark.parametrize(
    "query", ["", " ", "…", "🙂", '"', "AND OR NOT NEAR(", "chat:c1", "a" * 5000, "the of and"]
)
def test_no_query_breaks_the_search(search: RecallSearch, chat: int, query: str) -> None:
    found = ask(search, chat, query)
    assert found.warning == ""
    assert len({item.chunk_id for item in found.ranked}) == len(found.ranked)


def test_a_few_chats_stay_in_memory(workspace: Workspace, search: RecallSearch, chat: int) -> None:
    for number in range(CACHED_CHATS + 2):
        made = talk(workspace, f"Line {number}.", title=f"Chat {number}")
        sync(workspace, made.id)
        assert len(ask(search, made.id, f"line {number}").ranked) == 1
    assert len(search._matrices._held) == CACHED_CHATS
    assert texts(workspace, ask(search, chat, "brass key"))[0] == f"Alex: {LINES[0]}"
