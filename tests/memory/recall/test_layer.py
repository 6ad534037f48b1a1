from __future__ import annotations

from typing import Any

import pytest

from memdesk.memory.layer import ContributionRequest
from memdesk.prompt.budget import Budget
from memdesk.prompt.parts import Contribution, Part
from memdesk.workspace import Workspace
from tests.support.workspaces import sync, talk

LINES = [f"Gull {number} took the key to pier {number} of the harbour." for number in range(30)]
QUERY = "key harbour gull pier"


@pytest.fixture
def chat(workspace: Workspace) -> int:
    made = talk(workspace, *LINES)
    sync(workspace)
    return made.id


def ask(workspace: Workspace, chat_id: int, query: str | None = QUERY, **changes: Any) -> Contribution:
    budget = Budget(8192, 512)
    values: dict[str, Any] = {
        "chat": workspace.chats.get(chat_id),
        "history": (),
        "in_prompt": frozenset(),
        "protected": frozenset(),
        "before_number": 1000,
        "budget": budget,
        "room": budget.memory,
        "query": query,
    }
    (layer,) = (layer for layer in workspace.layers if layer.name == "recall")
    return layer.contribute(ContributionRequest(**(values | changes)))


def settings(workspace: Workspace, chat_id: int, **recall: Any) -> None:
    workspace.chats.set_settings(chat_id, {"recall": recall})


def reasons(contribution: Contribution) -> dict[int, str]:
    return {part.source["chunk"]: part.reason.code for part in contribution.parts}


def winners(contribution: Contribution) -> list[Part]:
    return [part for part in contribution.parts if part.included]


def test_the_best_few_are_sent_in_story_order_with_speaker_and_date(workspace: Workspace, chat: int) -> None:
    found = ask(workspace, chat)
    sent = winners(found)
    assert [part.reason.code for part in sent] == ["chosen"] * 3
    assert [part.source["messages"] for part in sent] == sorted(part.source["messages"] for part in sent)
    assert found.text == "Past events:\n" + "\n".join(f"[2026-03-01] {part.text}" for part in sent)
    assert sent[0].title == f"#{sent[0].source['messages'][0]}"
    assert {part.reason.code for part in found.parts if not part.included} == {"over_limit"}
    assert found.query == QUERY


@pytest.mark.parametrize("top_k", [0, 1, 8])
def test_how_many_is_a_setting(workspace: Workspace, chat: int, top_k: int) -> None:
    settings(workspace, chat, top_k=top_k)
    found = ask(workspace, chat)
    assert len(winners(found)) == top_k
    assert bool(found.text) == bool(top_k)


def test_a_threshold_keeps_out_what_does_not_fit(workspace: Workspace, chat: int) -> None:
    settings(workspace, chat, threshold=0.6)
    found = ask(workspace, chat, "walrus and carpenter")
    assert winners(found) == []
    assert set(reasons(found).values()) == {"below_threshold"}
    assert str(found.parts[0].reason) == "below threshold 0.60"


def test_a_chat_can_do_without(workspace: Workspace, chat: int) -> None:
    settings(workspace, chat, enabled=False)
    history = workspace.messages.page(chat, 1, 4)
    assert ask(workspace, chat, None, history=history).parts == ()
    # Who asks what would be recalled is told, and that it is not.
    tried = ask(workspace, chat)
    assert len(winners(tried)) == 3
    assert "is off in this chat" in tried.warning


def test_the_protected_tail_is_a_setting_and_the_reason_names_it(workspace: Workspace, chat: int) -> None:
    settings(workspace, chat, protect=2)
    receipt = workspace.conversation.preview(chat, LINES[-1])
    told = [part.reason for part in receipt.parts if part.reason.code == "protected"]
    # The message that is not sent yet is one of the two.
    assert [reason.values["count"] for reason in told] == [2]


def test_a_recalled_message_in_the_window_can_move_and_is_never_sent_twice(
    workspace: Workspace, chat: int
) -> None:
    settings(workspace, chat, move_recalled=True, protect=5)
    receipt = workspace.conversation.preview(chat, "pier 3 of the harbour")
    moved = [part for part in receipt.parts if part.reason.code == "moved"]
    assert moved
    assert not any(part.included for part in moved)
    whole = "\n".join(message["content"] for message in receipt.messages)
    assert all(whole.count(line) == 1 for line in LINES)
    newest = set(workspace.messages.ids(chat)[-4:])
    assert all(newest.isdisjoint(part.source["messages"]) for part in moved)
    # Where it stands is the default: nothing moves, and what is in the window is not recalled.
    settings(workspace, chat)
    receipt = workspace.conversation.preview(chat, "pier 3 of the harbour")
    assert not [
        part
        for part in receipt.parts
        if part.reason.code == "moved" or (part.kind == "memory" and part.included)
    ]


def test_a_long_message_in_pieces_stays_where_it_is(workspace: Workspace) -> None:
    long = "The harbour bell rang. " * 60
    made = talk(workspace, long, *["Small talk."] * 6).id
    settings(workspace, made, move_recalled=True)
    sync(workspace)
    receipt = workspace.conversation.preview(made, "harbour bell")
    moved = [part.source["messages"] for part in receipt.parts if part.reason.code == "moved"]
    assert workspace.messages.ids(made)[:1] not in moved
    assert sum(long.strip() in message["content"] for message in receipt.messages) == 1


def test_of_an_exchange_only_what_is_not_sent_anyway_is_recalled(workspace: Workspace) -> None:
    made = talk(workspace, *LINES[:10]).id
    settings(workspace, made, grain="exchanges", threshold=0)
    sync(workspace)
    ids = workspace.messages.ids(made)
    history = workspace.messages.page(made, 4, 7)
    found = ask(workspace, made, history=history, in_prompt=frozenset(ids[3:]))
    (part,) = winners(found)
    assert part.text == "\n".join(
        f"{name}: {line}" for name, line in zip(("Alex", "Mara", "Alex"), LINES, strict=False)
    )
    assert all(found.text.count(line) == 1 for line in LINES[:3])


def test_what_counts_is_a_setting(workspace: Workspace, chat: int) -> None:
    every = {
        part.source["chunk"]: part.scores
        for part in ask(workspace, chat, "What did Mara say of pier 3?").parts
    }
    assert any(scores["neighbour"] for scores in every.values())
    assert any("speaker" in scores for scores in every.values())
    settings(workspace, chat, neighbours=False, speakers=False, recency=True)
    workspace.memories.pin([min(every)], value=True)
    plain = {
        part.source["chunk"]: part.scores
        for part in ask(workspace, chat, "What did Mara say of pier 3?").parts
    }
    assert not any(scores.get("neighbour") or "speaker" in scores for scores in plain.values())
    newer = {key: scores["recency"] for key, scores in plain.items() if "recency" in scores}
    assert [newer[key] for key in sorted(newer)] == sorted(newer.values())
    assert 0 < max(newer.values()) <= 0.02
    assert min(every) not in newer, "a pinned memory needs no credit"


def test_the_template_is_a_setting(workspace: Workspace, chat: int) -> None:
    settings(workspace, chat, template="<memories>\n{{text}}\n</memories>", top_k=1)
    text = ask(workspace, chat).text
    assert text.startswith("<memories>\n[2026-03-01] ")
    assert text.endswith("\n</memories>")


def test_what_is_in_the_prompt_or_protected_or_too_new_stays_out(workspace: Workspace, chat: int) -> None:
    ids = workspace.messages.ids(chat)
    settings(workspace, chat, top_k=100)
    found = ask(
        workspace, chat, in_prompt=frozenset(ids[10:20]), protected=frozenset(ids[15:20]), before_number=21,
        losers=100,
    )  # fmt: skip
    by_message = {part.source["messages"][0]: part.reason.code for part in found.parts}
    assert {by_message[item] for item in ids[:10]} <= {"chosen", "no_room"}
    assert {by_message[item] for item in ids[10:15]} == {"in_prompt"}
    assert {by_message[item] for item in ids[15:20]} == {"protected"}
    assert {by_message[item] for item in ids[20:]} == {"too_new"}


@pytest.mark.parametrize("room", [0, 1, 20, 60, 200])
def test_nothing_is_larger_than_its_room(workspace: Workspace, chat: int, room: int) -> None:
    settings(workspace, chat, top_k=100)
    for chunk in workspace.chunks.page(chat, 0)[:5]:
        workspace.chunks.set_flag(chunk.id, "pinned", value=True)
    for scale in (0.5, 1.0, 3.0):
        found = ask(workspace, chat, room=room, budget=Budget(8192, 512, scale))
        assert found.tokens <= room
        assert (found.tokens == 0) == (not winners(found))
        assert any(part.reason.code == "no_room" for part in found.parts)


def test_chunks_that_were_counted_too_low_do_not_overflow(workspace: Workspace, chat: int) -> None:
    settings(workspace, chat, top_k=100)
    with workspace.database.write() as db:
        db.execute("UPDATE memory_chunks SET tokens = 0")
    found = ask(workspace, chat, room=100)
    assert 0 < found.tokens <= 100
    assert all(part.text in found.text for part in winners(found))


def test_pinned_first_disabled_never(workspace: Workspace, chat: int) -> None:
    settings(workspace, chat, top_k=1)
    chunks = workspace.chunks.page(chat, 0)
    pinned, both, disabled = chunks[0].id, chunks[1].id, chunks[2].id
    workspace.chunks.set_flag(pinned, "pinned", value=True)
    for flag, value in (("pinned", True), ("enabled", False)):
        workspace.chunks.set_flag(both, flag, value=value)
    workspace.chunks.set_flag(disabled, "enabled", value=False)
    found = ask(workspace, chat, losers=100)
    assert reasons(found)[pinned] == "pinned"
    assert reasons(found)[both] == reasons(found)[disabled] == "disabled"
    assert [part.reason.code for part in winners(found)].count("chosen") == 1
    quiet = ask(workspace, chat, "")
    assert [part.source["chunk"] for part in winners(quiet)] == [pinned]


def test_a_memory_whose_source_is_gone_stays_and_says_so(workspace: Workspace, chat: int) -> None:
    chunk = workspace.chunks.page(chat, 0)[-1]
    workspace.chunks.set_flag(chunk.id, "pinned", value=True)
    workspace.library.delete_messages(list(chunk.source_messages))
    sync(workspace)
    (part,) = [part for part in ask(workspace, chat).parts if part.source["chunk"] == chunk.id]
    assert (part.title, part.included) == ("Source gone", True)


def test_losers_are_listed_best_first_and_not_without_end(workspace: Workspace, chat: int) -> None:
    found = ask(workspace, chat)
    losers = [part for part in found.parts if not part.included]
    assert len(losers) == 20
    assert [part.score for part in losers] == sorted((part.score for part in losers), key=lambda s: -(s or 0))
    assert len(ask(workspace, chat, losers=5).parts) == 3 + 5
    assert len(ask(workspace, chat, losers=100).parts) == 30
