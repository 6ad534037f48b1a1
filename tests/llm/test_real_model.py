"""A whole turn against a real small model: it streams, stops in the middle, and teaches its sizes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memdesk.chats.model import SwipeState
from memdesk.conversation import Event, ReplyEnded, ReplyGrew, ReplyStarted, UserMessageStored
from memdesk.llm.profile import ConnectionProfile
from memdesk.prompt.receipt import from_json
from memdesk.settings import Settings
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

if TYPE_CHECKING:
    from conftest import RealModel

pytestmark = pytest.mark.llm

CARD = {
    "name": "Mara",
    "description": "Mara is a friendly baker who answers in one or two short sentences.",
    "first_mes": "Good morning! What can I bake for you?",
}


@pytest.fixture
def workspace(tmp_path: Path, real_model: RealModel) -> Iterator[Workspace]:
    """A data folder whose replies come from the real model."""
    profile = ConnectionProfile(
        name="Real",
        base_url=real_model.base_url,
        model=real_model.name,
        context_tokens=real_model.context_tokens,
        reply_tokens=48,
        timeout_seconds=60.0,
    )
    with Workspace(tmp_path / "data", samples=False) as opened:
        opened.change_settings(Settings(connections=[profile], connection=profile.id))
        yield opened


def new_chat(workspace: Workspace) -> int:
    whole = {"spec": "chara_card_v3", "spec_version": "3.0", "data": CARD}
    return workspace.library.new_chat(workspace.library.add_character("Mara", whole).id).id


def test_a_turn_streams_and_is_stored_with_its_receipt(workspace: Workspace, real_model: RealModel) -> None:
    chat = new_chat(workspace)
    events: list[Event] = []
    reply = workspace.conversation.send(chat, "Do you have fresh bread?", events.append, CancelToken())

    assert reply is not None
    assert reply.swipe.state is SwipeState.DONE, reply.swipe.error
    kinds = [type(event) for event in events]
    assert kinds[:2] == [UserMessageStored, ReplyStarted]
    assert kinds[-1] is ReplyEnded
    pieces = [event.text for event in events if isinstance(event, ReplyGrew)]
    assert len(pieces) > 3
    assert "".join(pieces).strip() == reply.text
    assert len(reply.text.split()) >= 2
    stored = workspace.messages.page(chat, 1, 10)
    assert [message.text for message in stored] == [
        CARD["first_mes"],
        "Do you have fresh bread?",
        reply.text,
    ]
    assert stored[-1].swipe.model == real_model.name
    body = workspace.receipts.get(stored[-1].swipe.id)
    assert body is not None
    assert from_json(body).messages[-1]["content"] == "Do you have fresh bread?"


def test_what_the_server_counted_corrects_the_next_estimate(workspace: Workspace) -> None:
    chat = new_chat(workspace)
    # Our tokenizer knows Chinese words; the small model spells them out in bytes.
    asked = "海边的面包师每天清晨都会烤好新鲜的面包，然后把它们送到港口的渔民手里。" * 8
    first = workspace.conversation.preview(chat, asked)
    reply = workspace.conversation.send(chat, asked, lambda _event: None, CancelToken())
    assert reply is not None
    assert reply.swipe.state is SwipeState.DONE, reply.swipe.error
    counted = reply.swipe.generation["usage"]["prompt"]
    body = workspace.receipts.get(reply.swipe.id)
    assert body is not None
    before = from_json(body).used
    assert before == first.used
    again = workspace.conversation.regenerate(reply.id, lambda _event: None, CancelToken())
    assert again is not None
    assert (again.swipe_number, again.swipe_count) == (2, 2)
    body = workspace.receipts.get(again.swipe.id)
    assert body is not None
    after = from_json(body).used
    assert counted > 1.2 * before
    assert before < after < 1.1 * counted


def test_stopping_keeps_the_words_that_have_come(workspace: Workspace) -> None:
    profile = workspace.settings.profile()
    long = profile.model_copy(update={"reply_tokens": 800})
    workspace.change_settings(Settings(connections=[long], connection=long.id))
    chat = new_chat(workspace)
    cancel = CancelToken()
    pieces: list[str] = []

    def listen(event: Event) -> None:
        if isinstance(event, ReplyGrew):
            pieces.append(event.text)
            if len(pieces) == 5:
                cancel.cancel()

    reply = workspace.conversation.send(chat, "Tell me a very long story about bread.", listen, cancel)
    stopped = time.monotonic()
    assert reply is not None
    assert reply.swipe.state is SwipeState.STOPPED
    assert reply.text == "".join(pieces).strip()
    assert 5 <= len(pieces) < 60
    # The server is free again at once: the connection was closed.
    second = CancelToken()
    answer = workspace.conversation.regenerate(reply.id, lambda _event: second.cancel(), second)
    assert time.monotonic() - stopped < 30
    assert answer is not None
