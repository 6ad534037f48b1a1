"""Summaries from the chat to the prompt: by hand, by a model, automatically, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from memdesk.chats.model import Chat
from memdesk.llm.errors import LLMError
from memdesk.memory.summaries.coverage import SourceState
from memdesk.memory.summaries.request import BadSummary
from memdesk.settings import Settings
from memdesk.store.errors import StoreError
from memdesk.store.summaries import Summary
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM, Fault, Request
from tests.support.workspaces import say, talk

LINES = [f"Line number {number}." for number in range(1, 13)]


@pytest.fixture
def chat(workspace: Workspace) -> Chat:
    return talk(workspace, *LINES)


@pytest.fixture
def server(workspace: Workspace) -> Iterator[FakeLLM]:
    with FakeLLM(reply=answer) as running:
        profile = running.profile()
        workspace.change_settings(Settings(connections=[profile], connection=profile.id))
        yield running


def answer(request: Request) -> str:
    """Summarise as a model would: say which lines were read, and what was given as the summary so far."""
    lines = [line.split(": ")[1] for line in request.last_user_text.splitlines() if ": Line" in line]
    earlier = "Summary so far:" in request.last_user_text
    told = f"{lines[0]} to {lines[-1]}" + (" after what came before" if earlier else "")
    return json.dumps({"title": f"{len(lines)} lines", "summary": told})


def entries(workspace: Workspace, chat: Chat) -> list[Summary]:
    return [entry for entry, _ in workspace.summaries.all(chat.id)]


def told(workspace: Workspace, chat: Chat) -> str:
    """Return what the next prompt holds of summaries."""
    receipt = workspace.conversation.preview(chat.id, "And then?")
    parts = [part.text for part in receipt.parts if part.kind == "summary" and part.included]
    assert all(any(text in message["content"] for message in receipt.messages) for text in parts)
    return "|".join(parts)


# ── by hand ──────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_written_is_sent_in_the_order_of_the_list(workspace: Workspace, chat: Chat) -> None:
    first, _ = workspace.summaries.write(chat.id, "One", "They met.", 1, 4)
    second, undo = workspace.summaries.write(chat.id, "", "They fought.", 8, 5)
    assert told(workspace, chat) == "They met.|They fought."
    assert [entry.title for entry in entries(workspace, chat)] == ["One", "Manual summary"]
    (_, one), (_, two) = workspace.summaries.all(chat.id)
    assert (one.first, one.last, two.first, two.last, one.state) == (1, 4, 5, 8, None)
    back = workspace.summaries.order(chat.id, [second, first])
    assert told(workspace, chat) == "They fought.|They met."
    assert back is not None
    back.run()
    assert told(workspace, chat) == "They met.|They fought."
    undo.run()
    assert told(workspace, chat) == "They met."


def test_a_blank_text_is_refused(workspace: Workspace, chat: Chat) -> None:
    entry_id, _ = workspace.summaries.write(chat.id, "", "They met.")
    for text in ("", " \n\t ", "\u200b "):
        if not text.strip("\u200b \n\t"):
            with pytest.raises(StoreError, match="needs text"):
                workspace.summaries.edit(entry_id, "", text.replace("\u200b", ""))
    with pytest.raises(StoreError) as failure:
        workspace.summaries.write(chat.id, "x", "Text.", 3, 99)
    assert failure.value.code == "no_such_message"
    assert len(entries(workspace, chat)) == 1


def test_every_version_is_kept_and_can_stand_again(workspace: Workspace, chat: Chat) -> None:
    entry_id, _ = workspace.summaries.write(chat.id, "One", "First.")
    workspace.summaries.edit(entry_id, "One", "Second.")
    undo = workspace.summaries.edit(entry_id, "Two", "Third.")
    assert [version.text for version in workspace.summaries.versions(entry_id)] == ["Second.", "First."]
    assert workspace.summaries.edit(entry_id, "Two", "Third.") is None
    assert undo is not None
    undo.run()
    assert (entries(workspace, chat)[0].title, entries(workspace, chat)[0].text) == ("One", "Second.")
    assert [version.text for version in workspace.summaries.versions(entry_id)] == ["First."]
    oldest = workspace.summaries.versions(entry_id)[-1]
    workspace.summaries.restore_version(entry_id, oldest.id)
    assert entries(workspace, chat)[0].text == "First."
    assert "Second." in [version.text for version in workspace.summaries.versions(entry_id)]


def test_switched_off_and_deleted_ones_are_not_sent_and_come_back(workspace: Workspace, chat: Chat) -> None:
    entry_id, _ = workspace.summaries.write(chat.id, "One", "They met.", 1, 3)
    off = workspace.summaries.enable([entry_id], value=False)
    assert told(workspace, chat) == ""
    assert off is not None
    off.run()
    assert told(workspace, chat) == "They met."
    gone = workspace.summaries.delete([entry_id])
    assert entries(workspace, chat) == []
    assert gone is not None
    gone.run()
    assert told(workspace, chat) == "They met."


def test_combining_puts_one_in_the_place_of_several(workspace: Workspace, chat: Chat) -> None:
    ids = [workspace.summaries.write(chat.id, t, t, n, n + 1)[0] for t, n in (("A", 1), ("B", 3), ("C", 5))]
    with pytest.raises(StoreError, match="at least two"):
        workspace.summaries.combine(chat.id, ids[:1], "x", "x")
    combined, undo = workspace.summaries.combine(chat.id, [ids[2], ids[1]], "B and C", "Both.")
    assert told(workspace, chat) == "A|Both."
    assert [entry.id for entry in entries(workspace, chat)] == [ids[0], combined, ids[1], ids[2]]
    made = entries(workspace, chat)[1]
    assert len(made.message_ids) == 4
    undo.run()
    assert told(workspace, chat) == "A|B|C"


def test_a_reply_written_anew_does_not_know_what_came_later(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.write(chat.id, "Early", "They met.", 1, 3)
    workspace.summaries.write(chat.id, "Late", "They parted.", 9, 12)
    reply = workspace.messages.get(workspace.messages.ids(chat.id)[5])
    choices = workspace.chooser.of(chat)
    voice = workspace.conversation._voices.again(chat, reply)
    receipt = workspace.conversation._prompts.prepare(chat, voice, reply, "", choices)
    assert [(p.text, p.reason.code) for p in receipt.parts if p.kind == "summary"] == [
        ("They met.", "enabled"),
        ("They parted.", "too_new"),
    ]


# ── what happens to the messages ─────────────────────────────────────────────────────────────────────────


def test_it_says_when_its_messages_are_no_more_what_they_were(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.write(chat.id, "One", "They met.", 2, 4)
    ids = workspace.messages.ids(chat.id)

    def state() -> SourceState | None:
        return workspace.summaries.all(chat.id)[0][1].state

    assert state() is None
    edit = workspace.acts.edit(ids[2], "Something else.")
    assert state() is SourceState.CHANGED
    assert edit is not None
    edit.run()
    assert state() is None
    hide = workspace.acts.hide([ids[1]], hidden=True)
    assert state() is SourceState.CHANGED
    assert hide is not None
    hide.run()
    workspace.acts.edit(ids[0], "Not covered.")
    assert state() is None
    one = workspace.acts.delete([ids[1]])
    assert state() is SourceState.CHANGED
    rest = workspace.acts.delete(ids[2:4])
    assert state() is SourceState.GONE
    assert told(workspace, chat) == "They met."
    rest.run()
    one.run()
    assert state() is None


# ── by a model ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_model_is_asked_apart_from_the_roleplay(workspace: Workspace, chat: Chat, server: FakeLLM) -> None:
    entry_id = workspace.summarising.generate(chat.id, CancelToken(), 3, 1)
    request = server.requests[-1]
    assert [message["role"] for message in request.messages] == ["system", "user"]
    assert "not go on with the story" in request.messages[0]["content"]
    assert "at most 200 words" in request.messages[0]["content"]
    assert "between Alex and Mara" in request.messages[0]["content"]
    assert request.body["max_tokens"] == 4096
    assert request.last_user_text.count("Line number") == 3
    (entry,) = entries(workspace, chat)
    assert (entry.id, entry.title, entry.text) == (entry_id, "3 lines", "Line number 1. to Line number 3.")
    assert (entry.origin, entry.source_mode) == ("manual", "range")


def test_the_newest_messages_but_no_hidden_ones(workspace: Workspace, chat: Chat, server: FakeLLM) -> None:
    workspace.summaries.set_settings(chat.id, last=5)
    workspace.acts.hide([workspace.messages.ids(chat.id)[-1]], hidden=True)
    workspace.summarising.generate(chat.id, CancelToken())
    assert entries(workspace, chat)[0].text == "Line number 7. to Line number 11."
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("reply", "fault", "error"),
    [
        ("", None, BadSummary),
        ("Mara: And then I left.", None, BadSummary),
        ("fine", Fault(status=500), LLMError),
        ("fine", Fault(cut_after=1), LLMError),
    ],
)
def test_a_failure_leaves_everything_as_it_was(
    workspace: Workspace, chat: Chat, server: FakeLLM, reply: str, fault: Any, error: type[Exception]
) -> None:
    workspace.summaries.write(chat.id, "One", "They met.")
    before = entries(workspace, chat)
    server.reply = reply
    server.fault = fault or server.fault
    with pytest.raises(error):
        workspace.summarising.generate(chat.id, CancelToken())
    assert entries(workspace, chat) == before


@pytest.mark.usefixtures("server")
def test_stopping_leaves_everything_as_it_was(workspace: Workspace, chat: Chat) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        workspace.summarising.generate(chat.id, cancel)
    assert entries(workspace, chat) == []


def test_messages_that_change_meanwhile_discard_the_result(
    workspace: Workspace, chat: Chat, server: FakeLLM
) -> None:
    ids = workspace.messages.ids(chat.id)

    def meddle(request: Request) -> str:
        workspace.acts.edit(ids[4], "Changed in the middle.")
        return answer(request)

    server.reply = meddle
    with pytest.raises(StoreError) as failure:
        workspace.summarising.generate(chat.id, CancelToken(), 1, 8)
    assert failure.value.code == "source_changed"
    assert entries(workspace, chat) == []


def test_without_a_model_it_says_so(workspace: Workspace, chat: Chat) -> None:
    with pytest.raises(StoreError) as failure:
        workspace.summarising.generate(chat.id, CancelToken())
    assert failure.value.code == "no_model"


@pytest.mark.usefixtures("server")
def test_what_waits_for_approval_is_not_sent(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.set_settings(chat.id, review=True)
    entry_id = workspace.summarising.generate(chat.id, CancelToken(), 1, 3)
    assert told(workspace, chat) == ""
    undo = workspace.summaries.approve(entry_id, text="Approved, and better.")
    assert told(workspace, chat) == "Approved, and better."
    assert undo is not None
    undo.run()
    assert told(workspace, chat) == ""


# ── by itself ────────────────────────────────────────────────────────────────────────────────────────────


def test_rolling_summaries_take_the_last_one_in(workspace: Workspace, chat: Chat, server: FakeLLM) -> None:
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=5, user_messages=False)
    assert workspace.summarising.if_due(chat.id, CancelToken()) is not None
    assert told(workspace, chat) == "Line number 1. to Line number 5."
    assert workspace.summarising.if_due(chat.id, CancelToken()) is not None
    assert told(workspace, chat) == "Line number 6. to Line number 10. after what came before"
    # Twelve lines; the last one may yet be replaced, so one waits.
    assert workspace.summarising.if_due(chat.id, CancelToken()) is None
    first, second = entries(workspace, chat)
    assert first.superseded_by == second.id
    assert len(second.message_ids) == 10
    assert server.requests[-1].last_user_text.startswith("Summary so far:\nLine number 1. to")


def test_a_frozen_one_stays_and_the_next_begins_after_it(
    workspace: Workspace, chat: Chat, server: FakeLLM
) -> None:
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=5, user_messages=False)
    first = workspace.summarising.if_due(chat.id, CancelToken())
    assert first is not None
    workspace.summaries.freeze([first], value=True)
    workspace.summarising.if_due(chat.id, CancelToken())
    assert told(workspace, chat) == "Line number 1. to Line number 5.|Line number 6. to Line number 10."
    assert "Summary so far" not in server.requests[-1].last_user_text


def test_words_alone_are_a_trigger_in_every_script(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "关云长温酒斩华雄", "好", "再来一杯", title="三国")
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=0, every_words=10)
    server.reply = "他们喝了酒。"
    assert workspace.summarising.if_due(chat.id, CancelToken()) is None
    say(workspace, chat.id, "走吧", "嗯")
    assert workspace.summarising.if_due(chat.id, CancelToken()) is not None
    workspace.summaries.set_settings(chat.id, every_words=0)
    say(workspace, chat.id, *["话" * 50] * 20)
    assert workspace.summarising.if_due(chat.id, CancelToken()) is None


def test_a_failure_is_told_and_tried_again_later(workspace: Workspace, chat: Chat, server: FakeLLM) -> None:
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=5, user_messages=False)
    server.fault = Fault(status=500)
    assert workspace.summarising.if_due(chat.id, CancelToken()) is None
    trouble = workspace.summarising.trouble(chat.id)
    assert trouble is not None
    assert trouble.times == 1
    asked = len(server.requests)
    assert workspace.summarising.if_due(chat.id, CancelToken()) is None
    assert len(server.requests) == asked


def test_a_backfill_goes_over_everything_and_past_failures(
    workspace: Workspace, chat: Chat, server: FakeLLM
) -> None:
    workspace.summaries.set_settings(chat.id, mode="entries", every_messages=4, user_messages=False)
    assert [(batch.first, batch.last) for batch in workspace.summarising.planned(chat.id)] == [
        (1, 4),
        (5, 8),
        (9, 11),
    ]
    server.faults.extend([None, Fault(status=500), None])
    seen: list[tuple[int, int]] = []
    progress = workspace.summarising.backfill(
        chat.id, CancelToken(), lambda now: seen.append((now.done, now.total))
    )
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [(batch.first, batch.last) for batch, _ in progress.failed] == [(5, 8)]
    assert told(workspace, chat) == "Line number 1. to Line number 4.|Line number 9. to Line number 11."
    progress = workspace.summarising.backfill(chat.id, CancelToken())
    assert len(progress.written) == 1
    assert progress.failed == []
    assert workspace.summarising.planned(chat.id) == []
