"""The receipt tells the truth: what was considered, what was sent, why, and how much of it there was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.llm.profile import ConnectionProfile
from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.receipt import Receipt, from_json
from memdesk.settings import Settings
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import Desk, WordEmbedder, say, sync, talk

WORDS = ("key", "tin", "harbour", "gull", "lamp", "storm", "bread", "rope", "letter", "tower")


def profile(context: int, reply: int) -> ConnectionProfile:
    return ConnectionProfile(
        name="Test", base_url="http://127.0.0.1:9/v1", model="m", context_tokens=context, reply_tokens=reply
    )


def choose(workspace: Workspace, chosen: ConnectionProfile) -> None:
    workspace.settings = Settings(connections=[chosen], connection=chosen.id)


def lines(count: int) -> list[str]:
    """Lines with words that come back every now and then."""
    triples = [(WORDS[n % 10], WORDS[n * 7 % 10], WORDS[n // 9 % 10]) for n in range(count)]
    return [f"Line {n}: the {a} and the {b} near the {c}." for n, (a, b, c) in enumerate(triples)]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """One workspace with long chats for all examples of this file; nothing in it is changed but pins."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memdesk.workspace.OnnxEmbedder", lambda _folder: WordEmbedder())
        workspace = Workspace(tmp_path_factory.mktemp("shared"), samples=False, background=False)
    try:
        talk(workspace, *lines(120), title="Long", description="A keeper of lamps. " * 10)
        sync(workspace)
        yield workspace
    finally:
        workspace.close()


def check(receipt: Receipt) -> None:
    """Hold a receipt to everything that it promises."""
    room = receipt.context - receipt.reserve
    assert receipt.used <= room
    text = "\n".join(message["content"] for message in receipt.messages)
    for part in receipt.parts:
        assert str(part.reason)
        assert part.tokens >= 0
        if part.included:
            assert part.text in text
        if part.kind == "memory":
            assert part.source["chunk"]
            assert part.score is None or 0 <= part.score <= 1
    assert sum(receipt.by_kind().values()) >= 0
    assert receipt.messages[0]["role"] == "system"
    assert receipt.order == ("history", "memory", "databank", "summary")


def check_refusal(error: PromptTooLarge) -> None:
    """Hold a refusal to what it promises: it names what is largest."""
    assert error.needed > error.room
    assert error.largest
    assert error.largest == sorted(error.largest, key=lambda item: -item[1])
    assert all(title in str(error) for title, _ in error.largest)


@settings(max_examples=60, deadline=None)
@given(
    context=st.integers(512, 6000),
    share=st.floats(0.01, 0.9),
    words=st.lists(st.sampled_from(WORDS), max_size=400),
    pins=st.integers(0, 40),
)
def test_no_prompt_is_larger_than_its_room(
    shared: Workspace, context: int, share: float, words: list[str], pins: int
) -> None:
    chat = shared.chats.all()[0]
    choose(shared, profile(context, max(1, int(context * share))))
    chunks = shared.chunks.page(chat.id, shared.sync.space_id)
    for number, chunk in enumerate(chunks[-40:]):
        if chunk.pinned != (number < pins):
            shared.chunks.set_flag(chunk.id, "pinned", value=number < pins)
    text = " ".join(words)
    try:
        receipt = shared.conversation.preview(chat.id, text)
    except PromptTooLarge as error:
        check_refusal(error)
        return
    check(receipt)
    assert receipt.messages[-1]["content"] == (text or lines(120)[-1])
    assert from_json(receipt.to_json()) == receipt


def test_memories_do_not_overflow_a_room_that_the_newest_message_fills(shared: Workspace) -> None:
    chat = shared.chats.all()[0]
    choose(shared, profile(2000, 200))
    for size in range(300, 1700, 30):
        try:
            check(shared.conversation.preview(chat.id, "key " * size))
        except PromptTooLarge:
            break
    else:
        pytest.fail("the text never grew too large")


def test_what_is_left_out_says_why(shared: Workspace) -> None:
    chat = shared.chats.all()[0]
    choose(shared, profile(1200, 200))
    for chunk in shared.chunks.pinned(chat.id, shared.sync.space_id):
        shared.chunks.set_flag(chunk.id, "pinned", value=False)
    receipt = shared.conversation.preview(chat.id, "Where are the key and the tin near the harbour?")
    check(receipt)
    memories = [part for part in receipt.parts if part.kind == "memory"]
    assert sum(part.included for part in memories) == 3
    assert [part.reason.code for part in memories if part.included] == ["chosen"] * 3
    lost = {part.reason.code for part in memories if not part.included}
    assert "over_limit" in lost
    assert lost <= {"over_limit", "below_threshold", "in_prompt", "protected", "no_room"}
    times = [part.source["messages"][0] for part in memories if part.included]
    assert times == sorted(times), "memories are sent in story order"
    assert receipt.earlier > 0
    cut = [part for part in receipt.parts if part.kind == "history" and not part.included]
    assert {part.reason.code for part in cut} == {"older"}


def test_disabled_and_pinned_memories(shared: Workspace) -> None:
    chat = shared.chats.all()[0]
    choose(shared, profile(1200, 200))
    query = "Where are the key and the tin near the harbour?"
    first = shared.conversation.preview(chat.id, query)
    best = next(part for part in first.parts if part.kind == "memory" and part.included)
    other = [part for part in first.parts if part.reason.code == "over_limit"][-1]
    shared.chunks.set_flag(best.source["chunk"], "enabled", value=False)
    shared.chunks.set_flag(other.source["chunk"], "pinned", value=True)
    try:
        receipt = shared.conversation.preview(chat.id, query)
        check(receipt)
        by_chunk = {part.source.get("chunk"): part for part in receipt.parts}
        assert by_chunk[best.source["chunk"]].reason.code == "disabled"
        assert not by_chunk[best.source["chunk"]].included
        assert by_chunk[other.source["chunk"]].reason.code == "pinned"
        assert by_chunk[other.source["chunk"]].included
    finally:
        shared.chunks.set_flag(best.source["chunk"], "enabled", value=True)
        shared.chunks.set_flag(other.source["chunk"], "pinned", value=False)


def _sources(receipt: Receipt) -> set[int]:
    """Return every message that a receipt used, in whatever way."""
    found: set[int] = set()
    for part in receipt.parts:
        if part.included:
            found.update(part.source.get("messages", ()))
    return found


@pytest.mark.parametrize("place", [2, 12, 60, 118])
def test_an_older_reply_written_anew_uses_nothing_at_or_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: FakeLLM, place: int
) -> None:
    monkeypatch.setattr("memdesk.workspace.OnnxEmbedder", lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as workspace:
        chat = talk(workspace, *lines(120))
        sync(workspace)
        ids = workspace.messages.ids(chat.id)
        chunks = workspace.chunks.page(chat.id, workspace.sync.space_id)
        # A memory that a person froze and pinned does not look ahead either, even when its source is gone.
        for chunk in chunks[:2]:
            workspace.chunks.set_flag(chunk.id, "frozen", value=True)
            workspace.chunks.set_flag(chunk.id, "pinned", value=True)
        workspace.library.delete_messages([chunks[0].source_messages[0]])
        sync(workspace)
        choose(workspace, server.profile(context_tokens=1200, reply_tokens=100))
        # Messages with an odd place are the character's.
        reply = ids[place - 1 + place % 2]
        number = workspace.messages.get(reply).number
        message = workspace.conversation.regenerate(reply, lambda _event: None, CancelToken())
        assert message is not None
        body: dict[str, Any] | None = workspace.receipts.get(message.swipe.id)
        assert body is not None
        receipt = from_json(body)
        check(receipt)
        assert _sources(receipt) <= set(ids[: number - 1])
        sent = "\n".join(entry["content"] for entry in server.requests[-1].messages)
        for later in range(number, 121):
            assert f"Line {later - 1}:" not in sent
        reasons = {part.source.get("chunk"): part.reason.code for part in receipt.parts}
        assert reasons[chunks[0].id] == reasons[chunks[1].id] == "too_new"


def test_receipts_are_kept_for_every_swipe(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    server.reply = ["One.", "Two."]
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        first = workspace.conversation.reply(chat.id, lambda _event: None, CancelToken())
        assert first is not None
        second = workspace.conversation.regenerate(first.id, lambda _event: None, CancelToken())
        assert second is not None
        assert [swipe.text for swipe in workspace.messages.swipes(first.id)] == ["One.", "Two."]
        for swipe in workspace.messages.swipes(first.id):
            receipt = workspace.receipts.get(swipe.id)
            assert receipt is not None
            assert [message["content"] for message in receipt["messages"]][1:] == ["Hello."]


def test_identical_lines_of_different_speakers_are_two_memories(desk: Desk) -> None:
    with desk.open() as workspace:
        chat = talk(workspace, "Light's up. All's well.", "Light's up. All's well.")
        say(workspace, chat.id, "Something else.")
        sync(workspace)
        texts = [chunk.text for chunk in workspace.chunks.page(chat.id, workspace.sync.space_id)]
    assert sorted(texts)[:2] == ["Alex: Light's up. All's well.", "Alex: Something else."]
    assert sorted(texts)[2] == "Mara: Light's up. All's well."
