"""Summarised messages leave the prompt, but for the tail; what a person hid stays theirs."""

from __future__ import annotations

import pytest

from memdesk.chats.model import Chat
from memdesk.memory.summaries.hiding import plan_hiding
from memdesk.store.summary_hiding import HiddenNote, Standing
from memdesk.workspace import Workspace
from tests.support.workspaces import say, talk


@pytest.fixture
def chat(workspace: Workspace) -> Chat:
    return talk(workspace, *[f"Line number {number}." for number in range(1, 13)])


def hidden(workspace: Workspace, chat: Chat) -> list[int]:
    """Return the numbers of the hidden messages."""
    count = workspace.messages.count(chat.id)
    return [m.number for m in workspace.messages.page(chat.id, 1, count) if m.hidden]


def hide_by_hand(workspace: Workspace, chat: Chat, number: int, *, value: bool = True) -> None:
    workspace.acts.hide([workspace.messages.ids(chat.id)[number - 1]], hidden=value)


def test_only_what_is_covered_and_older_than_the_tail_is_hidden(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.write(chat.id, "One", "They met.", 1, 10)
    assert hidden(workspace, chat) == []
    on = workspace.summaries.set_settings(chat.id, hide=True, tail=4)
    assert hidden(workspace, chat) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert workspace.summaries.uncovered(chat.id) == 0
    say(workspace, chat.id, "user", "One more.")
    assert hidden(workspace, chat) == [1, 2, 3, 4, 5, 6, 7, 8, 9] or hidden(workspace, chat) == [*range(1, 9)]
    assert on is not None
    on.run()
    assert hidden(workspace, chat) == []


def test_a_tail_of_none_hides_all_and_a_longer_one_shows_again(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.write(chat.id, "One", "They met.", 5, 12)
    workspace.summaries.set_settings(chat.id, hide=True, tail=0)
    assert hidden(workspace, chat) == [5, 6, 7, 8, 9, 10, 11, 12]
    workspace.summaries.set_settings(chat.id, tail=100)
    assert hidden(workspace, chat) == []
    workspace.summaries.set_settings(chat.id, tail=5)
    assert hidden(workspace, chat) == [5, 6, 7]
    assert workspace.summaries.uncovered(chat.id) == 4


def test_what_a_person_hid_stays_hidden_and_what_they_show_stays_shown(
    workspace: Workspace, chat: Chat
) -> None:
    hide_by_hand(workspace, chat, 2)
    workspace.summaries.write(chat.id, "One", "They met.", 1, 6)
    workspace.summaries.set_settings(chat.id, hide=True, tail=0)
    assert hidden(workspace, chat) == [1, 2, 3, 4, 5, 6]
    hide_by_hand(workspace, chat, 4, value=False)
    workspace.summaries.write(chat.id, "Two", "They fought.", 8, 8)
    assert hidden(workspace, chat) == [1, 2, 3, 5, 6, 8]
    workspace.summaries.set_settings(chat.id, hide=False)
    assert hidden(workspace, chat) == [2]


def test_messages_come_back_unless_another_entry_covers_them(workspace: Workspace, chat: Chat) -> None:
    one, _ = workspace.summaries.write(chat.id, "One", "They met.", 1, 6)
    two, _ = workspace.summaries.write(chat.id, "Two", "They fought.", 5, 8)
    workspace.summaries.set_settings(chat.id, hide=True, tail=0)
    gone = workspace.summaries.delete([one])
    assert hidden(workspace, chat) == [5, 6, 7, 8]
    workspace.summaries.enable([two], value=False)
    assert hidden(workspace, chat) == []
    assert gone is not None
    gone.run()
    assert hidden(workspace, chat) == [1, 2, 3, 4, 5, 6]
    (_, place), _ = workspace.summaries.all(chat.id)
    assert place.state is None


def test_a_branch_hides_what_its_own_summaries_cover(workspace: Workspace, chat: Chat) -> None:
    early, _ = workspace.summaries.write(chat.id, "Early", "They met.", 1, 3)
    workspace.summaries.edit(early, "Early", "They met in the rain.")
    workspace.summaries.write(chat.id, "Late", "They parted.", 4, 11)
    workspace.summaries.set_settings(chat.id, hide=True, tail=0)
    assert hidden(workspace, chat) == [*range(1, 12)]
    branch, _ = workspace.acts.branch(workspace.messages.ids(chat.id)[7])
    found = workspace.summaries.all(branch.id)
    assert [entry.text for entry, _ in found] == ["They met in the rain."]
    assert [version.text for version in workspace.summaries.versions(found[0][0].id)] == ["They met."]
    assert (found[0][1].first, found[0][1].last, found[0][1].state) == (1, 3, None)
    assert hidden(workspace, branch) == [1, 2, 3]
    assert hidden(workspace, chat) == [*range(1, 12)]


def test_a_plan_knows_whose_message_it_is() -> None:
    standing = [Standing(1, hidden=True), Standing(2, hidden=True), Standing(3, hidden=False)]
    plan = plan_hiding([], standing, [HiddenNote(7, 1), HiddenNote(8, 1)], 0)
    assert plan.show == [1]
    assert plan.hide == plan.keep == []
    assert len(plan.forget) == 2
