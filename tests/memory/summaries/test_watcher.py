"""Automatic summaries follow replies, make way for them, and are tried again when they failed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.chats.model import Chat
from memdesk.settings import Settings
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM, Fault, Request
from tests.support.workspaces import WordEmbedder, talk, wait_until


@pytest.fixture
def desk(tmp_path: Path, embedder: WordEmbedder) -> Iterator[Workspace]:  # noqa: ARG001 — used by opening
    with Workspace(tmp_path / "busy", samples=False) as opened:
        yield opened


@pytest.fixture
def server(desk: Workspace) -> Iterator[FakeLLM]:
    with FakeLLM(reply=answer) as running:
        profile = running.profile()
        desk.change_settings(Settings(connections=[profile], connection=profile.id))
        yield running


def answer(request: Request) -> str:
    return "What came before." if "Transcript:" in request.last_user_text else "A reply."


def chatting(desk: Workspace) -> Chat:
    chat = talk(desk, *[f"Line {number}." for number in range(1, 9)])
    desk.summaries.set_settings(chat.id, automatic=True, mode="entries", every_messages=2)
    return chat


def texts(desk: Workspace, chat: Chat) -> list[str]:
    return [entry.text for entry, _ in desk.summaries.all(chat.id)]


def send(desk: Workspace, chat: Chat) -> None:
    desk.conversation.send(chat.id, "Go on.", lambda _event: None, CancelToken())


def test_a_summary_is_written_after_the_setting_and_after_replies(desk: Workspace, server: FakeLLM) -> None:
    chat = chatting(desk)
    wait_until(lambda: texts(desk, chat) == ["What came before."])
    send(desk, chat)
    wait_until(lambda: len(texts(desk, chat)) == 2)
    assert len(server.chat_requests) == 3


def test_a_reply_that_begins_cancels_it_and_it_is_tried_again(desk: Workspace, server: FakeLLM) -> None:
    slow = Fault(first_byte_delay=30.0)
    server.faults.append(slow)
    chat = chatting(desk)
    watcher = desk.summary_room.watcher
    wait_until(lambda: len(server.chat_requests) == 1)
    assert watcher.running() == chat.id
    started = time.monotonic()
    send(desk, chat)
    assert time.monotonic() - started < 10
    assert desk.messages.page(chat.id, 10, 1)[0].text == "A reply."
    wait_until(lambda: "What came before." in texts(desk, chat))


def test_a_failure_is_shown_and_tried_again_when_asked(desk: Workspace, server: FakeLLM) -> None:
    server.fault = Fault(finish_reason="length")
    chat = chatting(desk)
    wait_until(lambda: desk.summarising.trouble(chat.id) is not None)
    trouble = desk.summarising.trouble(chat.id)
    assert trouble is not None
    assert trouble.again - time.monotonic() > 30
    asked = len(server.chat_requests)
    desk.summary_room.watcher.look(chat.id)
    wait_until(lambda: desk.summary_room.watcher.running() is None)
    assert len(server.chat_requests) == asked
    server.fault = None
    desk.summary_room.watcher.try_again(chat.id)
    wait_until(lambda: texts(desk, chat) == ["What came before."])
    assert desk.summarising.trouble(chat.id) is None


def test_closing_gives_up_what_runs(tmp_path: Path, embedder: WordEmbedder) -> None:  # noqa: ARG001
    with FakeLLM(reply=answer) as server:
        server.faults.append(Fault(first_byte_delay=60.0))
        profile = server.profile()
        with Workspace(tmp_path / "short", samples=False) as desk:
            desk.change_settings(Settings(connections=[profile], connection=profile.id))
            chatting(desk)
            wait_until(lambda: len(server.chat_requests) == 1)
            started = time.monotonic()
        assert time.monotonic() - started < 10
