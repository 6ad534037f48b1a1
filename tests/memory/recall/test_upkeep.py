"""Rebuild and clear: what they take, what they leave, and how they are taken back or stopped."""

from __future__ import annotations

import pytest

from memdesk.memory.recall.settings import RecallSettings
from memdesk.memory.timeline import known_at
from memdesk.store.chunks import Chunk, NewChunk
from memdesk.store.errors import StoreError
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.memory.recall.test_acts import everything
from tests.support.workspaces import BEGIN, WordEmbedder, say, sync, talk

LINES = ("Hello there.", "Good day.", "So long.", "Farewell.", "Once more.", "And again.", "Hello there.")


@pytest.fixture
def chat_id(workspace: Workspace) -> int:
    chat = talk(workspace, *LINES)
    sync(workspace)
    return chat.id


def chunks(workspace: Workspace, chat_id: int) -> list[Chunk]:
    return sorted(workspace.chunks.page(chat_id, workspace.sync.space_id), key=lambda chunk: chunk.id)


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return sorted(chunk.text for chunk in chunks(workspace, chat_id))


# ── rebuild ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_rebuild_makes_good_what_is_wrong_and_keeps_a_persons_work(
    workspace: Workspace, chat_id: int, embedder: WordEmbedder
) -> None:
    first, second, third, fourth, *_ = chunks(workspace, chat_id)
    memories = workspace.memories
    memories.edit(first.id, "Alex: Hello, old friend.")
    memories.freeze([second.id], value=True)
    memories.forget([third.id])
    with workspace.database.write() as db:
        db.execute("UPDATE memory_chunks SET text = 'spoiled' WHERE id = ?", (fourth.id,))
    imported = NewChunk("From afar.", (), (), 3, BEGIN, BEGIN, words="afar", origin="imported")
    workspace.chunks.replace(chat_id, (), [imported])
    sync(workspace)
    embedder.passages.clear()
    before = everything(workspace)
    rebuilt, undo = workspace.upkeep.rebuild(chat_id)
    assert (rebuilt.made, rebuilt.removed, rebuilt.kept, rebuilt.again) == (2, 1, 2, 1)
    sync(workspace)
    assert embedder.passages == ["From afar."], "imported memories get vectors of the present embedder"
    assert texts(workspace, chat_id) == sorted(
        [
            "Alex: Hello, old friend.",
            "Mara: Good day.",
            "Alex: So long.",
            "Mara: Farewell.",
            "Alex: Once more.",
            "Mara: And again.",
            "Alex: Hello there.",
            "From afar.",
        ]
    )
    undo.run()
    assert everything(workspace) == before


def test_a_rebuild_that_is_stopped_leaves_everything_as_it_was(workspace: Workspace, chat_id: int) -> None:
    workspace.memories.forget([chunks(workspace, chat_id)[0].id])
    before = everything(workspace)
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        workspace.upkeep.rebuild(chat_id, cancel)
    sync(workspace)
    assert everything(workspace) == before


def test_a_rebuild_tells_how_far_it_is(workspace: Workspace, chat_id: int) -> None:
    told: list[tuple[int, int]] = []
    workspace.upkeep.rebuild(chat_id, None, lambda done, total: told.append((done, total)))
    assert told == [(7, 7)]
    with pytest.raises(StoreError):
        workspace.upkeep.rebuild(99)


# ── clear ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("grain", ["messages", "exchanges"])
def test_clearing_takes_all_memories_and_no_message(workspace: Workspace, chat_id: int, grain: str) -> None:
    workspace.memories.set_settings(chat_id, grain=grain)
    sync(workspace)
    workspace.memories.freeze([chunks(workspace, chat_id)[0].id], value=True)
    workspace.memories.add_note(chat_id, "The key is in the tin.")
    before = everything(workspace)
    undo = workspace.upkeep.clear(chat_id)
    assert undo is not None
    sync(workspace)
    assert chunks(workspace, chat_id) == []
    assert workspace.messages.count(chat_id) == len(LINES)
    assert workspace.upkeep.clear(chat_id) is None
    # What is said from now on is remembered, the rest is not until the chat is rebuilt.
    say(workspace, chat_id, *["New words."] * 5)
    sync(workspace)
    fresh = "\n".join(texts(workspace, chat_id))
    assert "New words." in fresh
    assert "Hello there." not in "\n".join(
        chunk.text for chunk in chunks(workspace, chat_id) if grain == "messages"
    )
    workspace.library.delete_messages(workspace.messages.ids(chat_id)[len(LINES) :])
    undo.run()
    sync(workspace)
    after = everything(workspace)
    assert [row[0] for row in after["memory_chunks"]] == [row[0] for row in before["memory_chunks"]]


# ── grains ───────────────────────────────────────────────────────────────────────────────────────────────


def test_another_grain_keeps_a_persons_work_and_going_back_costs_nothing(
    workspace: Workspace, chat_id: int, embedder: WordEmbedder
) -> None:
    first, second, *_ = chunks(workspace, chat_id)
    workspace.memories.edit(first.id, "Alex: Hello, old friend.")
    workspace.memories.pin([second.id], value=True)
    workspace.memories.add_note(chat_id, "A note.")
    sync(workspace)
    undo = workspace.memories.set_settings(chat_id, grain="exchanges")
    assert undo is not None
    sync(workspace)
    exchange = "\n".join(
        f"{name}: {line}" for name, line in zip(["Alex", "Mara"] * 3, LINES[:5], strict=False)
    )
    assert texts(workspace, chat_id) == sorted(
        ["A note.", "Alex: Hello, old friend.", "Mara: Good day.", exchange]
    )
    (made,) = [chunk for chunk in chunks(workspace, chat_id) if "\n" in chunk.text]
    assert made.source_messages == tuple(workspace.messages.ids(chat_id)[:5])
    assert made.speakers == ("Alex", "Mara")
    embedder.passages.clear()
    undo.run()
    sync(workspace)
    assert embedder.passages == []
    assert len(chunks(workspace, chat_id)) == len(LINES) + 1


def test_a_message_appended_touches_no_exchange_before_it(workspace: Workspace, chat_id: int) -> None:
    workspace.memories.set_settings(chat_id, grain="exchanges")
    say(workspace, chat_id, *[f"Line {number}." for number in range(200)])
    sync(workspace)
    assert len(chunks(workspace, chat_id)) == (len(LINES) + 200) // 5
    read: list[int] = []
    page = workspace.messages.page

    def counted(chat: int, first: int, limit: int) -> object:
        found = page(chat, first, limit)
        read.append(len(found))
        return found

    workspace.messages.page = counted  # type: ignore[method-assign, assignment]
    say(workspace, chat_id, "One.", "Two.", "Three.")
    workspace.sync.chunk_stale(CancelToken())
    assert len(chunks(workspace, chat_id)) == 42
    assert sum(read) < 20, "a long chat is not read again for each message"


def test_the_number_of_memories_sent_follows_the_grain_unless_it_is_chosen() -> None:
    assert RecallSettings().top_k == 3
    assert RecallSettings.model_validate({"grain": "exchanges"}).top_k == 8
    assert RecallSettings.model_validate({"grain": "exchanges", "top_k": 2}).top_k == 2


# ── what is known at a message ───────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("grain", ["messages", "exchanges"])
def test_what_is_known_at_a_message_is_what_a_reply_there_may_use(
    workspace: Workspace, chat_id: int, grain: str
) -> None:
    workspace.memories.set_settings(chat_id, grain=grain, threshold=0, top_k=100)
    say(workspace, chat_id, "Late words.", "Last words.", "The very last.")
    sync(workspace)
    workspace.memories.freeze([chunk.id for chunk in chunks(workspace, chat_id)], value=True)
    workspace.library.delete_messages(workspace.messages.ids(chat_id)[2:4])
    workspace.memories.add_note(chat_id, "A note that no message says.")
    sync(workspace)
    total = workspace.messages.count(chat_id)
    seen = []
    for number in range(1, total + 2):
        known = {item.id for item in known_at(workspace.timelines, chat_id, number)}
        seen.append(len(known))
        (recall,) = (layer for layer in workspace.layers if layer.name == "recall")
        parts = recall.contribute(asked(workspace, chat_id, number)).parts
        usable = {part.source["chunk"] for part in parts if part.reason.code != "too_new"}
        assert usable <= known
        late = {part.source["chunk"] for part in parts if part.reason.code == "too_new"}
        assert not late & known
    assert seen == sorted(seen)
    assert seen[0] == 1, "the note is known from the beginning"
    assert seen[-1] == len(chunks(workspace, chat_id))


def asked(workspace: Workspace, chat_id: int, number: int):  # type: ignore[no-untyped-def]  # noqa: ANN201
    from memdesk.memory.layer import ContributionRequest
    from memdesk.prompt.budget import Budget

    history = workspace.messages.page(chat_id, 1, number - 1) if number > 1 else []
    return ContributionRequest(
        chat=workspace.chats.get(chat_id),
        history=history,
        in_prompt=frozenset(),
        protected=frozenset(),
        before_number=number,
        budget=Budget(100_000, 0),
        room=50_000,
        losers=1000,
    )
