"""{{summary}}: what is switched on, wherever a text of the prompt asks for it."""

from __future__ import annotations

import pytest

from memdesk.chats.model import Chat
from memdesk.workspace import Workspace
from tests.support.workspaces import talk


@pytest.fixture
def chat(workspace: Workspace) -> Chat:
    lines = [f"Line {number}." for number in range(6)]
    return talk(workspace, *lines, system_prompt="So far: {{summary}}|")


def first_words(workspace: Workspace, chat: Chat) -> str:
    receipt = workspace.conversation.preview(chat.id)
    return str(receipt.messages[0]["content"]).split("|")[0]


def test_it_gives_what_is_switched_on_in_the_order_of_the_list(workspace: Workspace, chat: Chat) -> None:
    assert first_words(workspace, chat) == "So far: "
    workspace.summaries.write(chat.id, "One", "They met.")
    second, _ = workspace.summaries.write(chat.id, "Two", "{{char}} left.")
    # What stands in a summary was told, it is no macro.
    assert first_words(workspace, chat) == "So far: They met.\n\n{{char}} left."
    workspace.summaries.enable([second], value=False)
    assert first_words(workspace, chat) == "So far: They met."
    assert workspace.conversation.expand(chat.id, ["{{Summary}}"])[0] == "They met."


def test_whoever_places_it_need_not_have_it_twice(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.write(chat.id, "One", "They met.")
    workspace.summaries.set_settings(chat.id, enabled=False)
    receipt = workspace.conversation.preview(chat.id)
    assert str(receipt.messages).count("They met.") == 1


def test_a_reply_written_anew_is_not_told_what_came_later(workspace: Workspace, chat: Chat) -> None:
    workspace.summaries.write(chat.id, "All", "They met.", 1, 6)
    assert first_words(workspace, chat) == "So far: They met."
    workspace.acts.delete([workspace.messages.ids(chat.id)[-1]])
    assert first_words(workspace, chat) == "So far: They met."
