"""Proposals, combining, templates and files of summaries; and whatever happens to the messages."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.chats.model import Chat
from memdesk.commands.summaries import export, take
from memdesk.memory.summaries.files import exported, imported
from memdesk.memory.summaries.templates import PROMPT_CHARS, built_in
from memdesk.settings import Settings
from memdesk.store.errors import StoreError
from memdesk.store.summaries import Summary
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM, Request
from tests.support.workspaces import say, talk


@pytest.fixture
def chat(workspace: Workspace) -> Chat:
    return talk(workspace, *[f"Line number {number}." for number in range(1, 13)])


@pytest.fixture
def server(workspace: Workspace) -> Iterator[FakeLLM]:
    with FakeLLM(reply=answer) as running:
        profile = running.profile()
        workspace.change_settings(Settings(connections=[profile], connection=profile.id))
        yield running


def answer(request: Request) -> str:
    lines = [line for line in request.last_user_text.splitlines() if ": Line" in line]
    earlier = "Summary so far:" in request.last_user_text
    return json.dumps({"summary": f"{len(lines)} lines" + (", and before" if earlier else "")})


def entries(workspace: Workspace, chat: Chat) -> list[Summary]:
    return [entry for entry, _ in workspace.summaries.all(chat.id)]


def sent(workspace: Workspace, chat: Chat) -> list[str]:
    return [entry.text for entry in entries(workspace, chat) if entry.active]


# ── review ───────────────────────────────────────────────────────────────────────────────────────────────


def test_an_approved_rolling_summary_takes_in_what_it_was_written_from(
    workspace: Workspace, chat: Chat, server: FakeLLM
) -> None:
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=3)
    workspace.summarising.if_due(chat.id, CancelToken())
    workspace.summaries.set_settings(chat.id, review=True)
    proposal = workspace.summarising.if_due(chat.id, CancelToken())
    assert proposal is not None
    assert "Summary so far:" in server.chat_requests[-1].last_user_text
    assert sent(workspace, chat) == ["5 lines"]
    assert workspace.summaries.taken_text(proposal) == "5 lines"
    undo = workspace.summaries.approve(proposal, "", "As I say it.")
    assert sent(workspace, chat) == ["As I say it."]
    assert workspace.summaries.approve(proposal) is None
    assert undo is not None
    undo.run()
    assert sent(workspace, chat) == ["5 lines"]
    assert entries(workspace, chat)[1].text == "6 lines, and before"
    assert entries(workspace, chat)[1].proposed


def test_an_approved_summary_leaves_a_frozen_one_alone(
    workspace: Workspace,
    chat: Chat,
    server: FakeLLM,  # noqa: ARG001 — it answers
) -> None:
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=3)
    first = workspace.summarising.if_due(chat.id, CancelToken())
    workspace.summaries.set_settings(chat.id, review=True)
    proposal = workspace.summarising.if_due(chat.id, CancelToken())
    assert first is not None
    assert proposal is not None
    workspace.summaries.freeze([first], value=True)
    workspace.summaries.approve(proposal)
    assert sent(workspace, chat) == ["5 lines", "6 lines, and before"]


def test_deleting_the_newest_lets_the_one_before_stand_again(
    workspace: Workspace,
    chat: Chat,
    server: FakeLLM,  # noqa: ARG001 — it answers
) -> None:
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=3)
    workspace.summarising.if_due(chat.id, CancelToken())
    newest = workspace.summarising.if_due(chat.id, CancelToken())
    assert newest is not None
    assert sent(workspace, chat) == ["6 lines, and before"]
    undo = workspace.summaries.delete([newest])
    assert sent(workspace, chat) == ["5 lines"]
    assert undo is not None
    undo.run()
    assert sent(workspace, chat) == ["6 lines, and before"]


def test_a_model_combines_without_storing_anything(workspace: Workspace, chat: Chat, server: FakeLLM) -> None:
    ids = [workspace.summaries.write(chat.id, t, f"{t} happened.")[0] for t in ("A", "B", "C")]
    made = workspace.summarising.combine(chat.id, ids[1:], CancelToken())
    assert made.text == "0 lines"
    asked = server.chat_requests[-1].last_user_text
    assert "B happened." in asked
    assert "A happened." not in asked
    assert len(entries(workspace, chat)) == 3
    with pytest.raises(StoreError, match="at least two"):
        workspace.summarising.combine(chat.id, ids[:1], CancelToken())


# ── templates ────────────────────────────────────────────────────────────────────────────────────────────


def test_own_templates_are_kept_used_and_taken_back(
    workspace: Workspace, chat: Chat, server: FakeLLM
) -> None:
    templates = workspace.summary_room.templates
    assert templates.chosen().id in ("plot-en", "plot-zh")
    made, added = templates.add("  Mine \n", "Tell {{char}} in {{words}} words.")
    templates.choose(made)
    workspace.summarising.generate(chat.id, CancelToken())
    assert server.chat_requests[-1].body["messages"][0]["content"] == "Tell Mara in 200 words."
    changed = templates.edit(made, "Mine", "Otherwise.")
    assert changed is not None
    changed.run()
    gone = templates.delete(made)
    assert templates.chosen().id in built_in()
    gone.run()
    assert templates.chosen().text == "Tell {{char}} in {{words}} words."
    added.run()
    assert all(not item.own for item in templates.all())


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        (" ", "x", "blank_name"),
        ("x", " \n", "blank_template"),
        ("x", "y" * (PROMPT_CHARS + 1), "long_template"),
    ],
)
def test_what_cannot_be_a_template_is_refused(workspace: Workspace, name: str, text: str, code: str) -> None:
    with pytest.raises(StoreError) as failure:
        workspace.summary_room.templates.add(name, text)
    assert failure.value.code == code
    with pytest.raises(StoreError) as failure:
        workspace.summary_room.templates.edit("plot-en", "x", "y")
    assert failure.value.code == "built_in"


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────


def test_summaries_travel_and_find_their_messages_again(workspace: Workspace, chat: Chat) -> None:
    one, _ = workspace.summaries.write(chat.id, "One", "They met.", 3, 5)
    workspace.summaries.freeze([one], value=True)
    two, _ = workspace.summaries.write(chat.id, "Two", "They fought.")
    workspace.summaries.enable([two], value=False)
    body = json.loads(json.dumps(exported(workspace.summaries, chat.id, chat.title)))
    other = talk(workspace, "Before.", "All.", *[f"Line number {n}." for n in range(1, 13)], title="Other")
    imported(workspace.summaries, workspace.messages, other.id, body)
    (first, place), (second, _) = workspace.summaries.all(other.id)
    assert (first.text, first.frozen, first.enabled) == ("They met.", True, True)
    assert (place.first, place.last, place.state) == (5, 7, None)
    assert (second.title, second.enabled) == ("Two", False)


def test_the_command_writes_and_reads_them(workspace: Workspace, chat: Chat, tmp_path: Path) -> None:
    workspace.summaries.write(chat.id, "One", "They met.", 3, 5)
    path = tmp_path / "outline.json"
    assert export(workspace, chat, path)[0]["summaries"] == 1
    assert len(take(workspace, chat, path)[0]["added"]) == 1
    assert [entry.text for entry in entries(workspace, chat)] == ["They met.", "They met."]
    for content in (b"", b"garbage", b"[" * 100_000, b"\xff\xfe"):
        path.write_bytes(content)
        with pytest.raises(StoreError) as failure:
            take(workspace, chat, path)
        assert failure.value.code == "not_summaries"
    with pytest.raises(StoreError):
        export(workspace, chat, tmp_path / "nowhere" / "outline.json")


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {"format": "other", "version": 1, "entries": []},
        {"format": "memdesk summaries", "version": 1, "entries": [{"text": ""}]},
        {"format": "memdesk summaries", "version": 1, "entries": [{"text": "x", "origin": "evil"}]},
        {"format": "memdesk summaries", "version": 99, "entries": [{"text": "x"}]},
    ],
)
def test_a_file_of_something_else_adds_nothing(workspace: Workspace, chat: Chat, body: Any) -> None:
    with pytest.raises(StoreError):
        imported(workspace.summaries, workspace.messages, chat.id, body)
    assert entries(workspace, chat) == []


# ── whatever happens ─────────────────────────────────────────────────────────────────────────────────────

STEP = st.tuples(
    st.sampled_from(
        ["say", "edit", "delete", "undo", "hide", "write", "freeze", "switch", "drop", "auto", "settings"]
    ),
    st.integers(0, 30),
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=5, max_size=18))
def test_frozen_text_stays_and_coverage_is_what_the_entries_say(
    workspace: Workspace, steps: list[tuple[str, int]]
) -> None:
    with FakeLLM(reply=answer) as running:
        profile = running.profile()
        workspace.change_settings(Settings(connections=[profile], connection=profile.id))
        _live(workspace, steps)


def _live(workspace: Workspace, steps: list[tuple[str, int]]) -> None:
    chat = talk(workspace, *[f"Line number {number}." for number in range(1, 9)])
    workspace.summaries.set_settings(chat.id, automatic=True, every_messages=2)
    frozen: dict[int, str] = {}
    covers: dict[int, frozenset[int]] = {}
    undos: list[Any] = []
    for deed, number in steps:
        ids = workspace.messages.ids(chat.id)
        now = entries(workspace, chat)
        message = ids[number % len(ids)] if ids else None
        entry = now[number % len(now)] if now else None
        if message is not None:
            _change(workspace, chat, deed, number, message, undos)
        with contextlib.suppress(StoreError):
            if deed == "write" and ids:
                workspace.summaries.write(chat.id, "", f"Text {number}.", 1 + number % len(ids), len(ids))
            elif deed == "freeze" and entry:
                workspace.summaries.freeze([entry.id], value=True)
                frozen[entry.id] = entry.text
            elif deed == "switch" and entry:
                workspace.summaries.enable([entry.id], value=bool(number % 2))
            elif deed == "drop" and entry and entry.id not in frozen:
                undos.append(workspace.summaries.delete([entry.id]))
            elif deed == "auto":
                workspace.summarising.if_due(chat.id, CancelToken())
            elif deed == "settings":
                workspace.summaries.set_settings(chat.id, hide=bool(number % 2), tail=number % 5)
        _check(workspace, chat, frozen, covers)


def _change(workspace: Workspace, chat: Chat, deed: str, number: int, message: int, undos: list[Any]) -> None:
    """Let something happen to the messages."""
    with contextlib.suppress(StoreError):
        if deed == "say":
            say(workspace, chat.id, f"Line number {number}, again.")
        elif deed == "edit":
            undos.append(workspace.library.edit_message(message, f"Line, changed to {number}."))
        elif deed == "delete":
            undos.append(workspace.library.delete_messages([message]))
        elif deed == "undo" and undos and (undo := undos.pop()) is not None:
            undo.run()
        elif deed == "hide":
            workspace.acts.hide([message], hidden=bool(number % 2))


def _check(
    workspace: Workspace, chat: Chat, frozen: dict[int, str], covers: dict[int, frozenset[int]]
) -> None:
    found = workspace.summaries.all(chat.id)
    texts = {entry.id: entry for entry, _ in found}
    for entry_id, text in frozen.items():
        assert texts[entry_id].text == text
    standing = {m.id: m for m in workspace.messages.page(chat.id, 1, 1000)}
    noted = set()
    for entry, place in found:
        assert covers.setdefault(entry.id, entry.message_ids) == entry.message_ids
        there = [standing[item].number for item in entry.message_ids if item in standing]
        assert (place.first, place.last, place.messages) == (
            min(there, default=None),
            max(there, default=None),
            len(there),
        )
        noted |= {item.message_id for item in entry.covers if item.hidden}
    if not workspace.summaries.settings(chat.id).hide:
        assert not noted
