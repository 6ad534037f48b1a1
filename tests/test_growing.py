from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import SwipeState
from memdesk.conversation import Busy, Event, Removed, ReplyEnded, ReplyGrew, ReplyStarted
from memdesk.conversation.writing import joint
from memdesk.llm.errors import LLMError
from memdesk.settings import Settings
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.support.workspaces import WordEmbedder, talk, use_embedder


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


@pytest.fixture
def server(workspace: Workspace) -> Iterator[FakeLLM]:
    with FakeLLM() as running:
        profile = running.profile()
        workspace.settings = Settings(connections=[profile], connection=profile.id)
        yield running


def hush(_event: object) -> None:
    """Listen to nothing."""


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return [message.text for message in workspace.messages.page(chat_id, 1, 100)]


def last_id(workspace: Workspace, chat_id: int) -> int:
    return workspace.messages.ids(chat_id)[-1]


def replied(workspace: Workspace, server: FakeLLM, text: str = "She goes to the door") -> tuple[int, int]:
    """Make a chat whose last message is a reply with a receipt; returns chat and reply."""
    server.reply = text
    chat = talk(workspace, "Hello.")
    message = workspace.conversation.reply(chat.id, hush, CancelToken())
    assert message is not None
    return chat.id, message.id


# ── continue ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_reply_goes_on_in_its_own_version_and_can_be_taken_back(
    workspace: Workspace, server: FakeLLM
) -> None:
    chat_id, message_id = replied(workspace, server)
    before, receipt = workspace.messages.get(message_id), None
    receipt = workspace.receipts.get(before.swipe.id)
    server.reply = Deltas(["and ", "opens it."])
    events: list[Event] = []
    news: list[Change] = []
    workspace.bus.subscribe(news.append)
    grown = workspace.conversation.continue_reply(message_id, events.append, CancelToken())
    assert grown is not None
    assert (grown.text, grown.swipe_count) == ("She goes to the door and opens it.", 1)
    assert (grown.swipe.id, grown.swipe.state) == (before.swipe.id, SwipeState.DONE)
    started, *deltas, ended = events
    assert isinstance(started, ReplyStarted)
    assert started.message.text == before.text
    assert "".join(e.text for e in deltas if isinstance(e, ReplyGrew)) == " and opens it."
    (part,) = grown.swipe.generation["parts"]
    assert part["characters"] == len(before.text)
    assert part["usage"] == before.swipe.generation["usage"]
    sent = server.requests[-1].messages
    assert sent[-2]["content"] == before.text
    assert "Go on with Mara's last message" in sent[-1]["content"]
    now = workspace.receipts.get(grown.swipe.id)
    assert now is not None
    assert now["messages"][-1]["content"] == sent[-1]["content"]
    assert news == [Change(ChangeKind.TEXT_CHANGED, chat_id, (message_id,))]
    assert isinstance(ended, ReplyEnded)
    assert ended.undo is not None
    ended.undo.run()
    assert workspace.messages.get(message_id) == before
    assert workspace.receipts.get(before.swipe.id) == receipt
    with workspace.database.read() as db:
        kept = [row[0] for row in db.execute("SELECT before FROM revisions WHERE kind = 'swipe' ORDER BY id")]
    assert kept == [before.text, "She goes to the door and opens it."]


def test_a_reply_goes_on_twice(workspace: Workspace, server: FakeLLM) -> None:
    _chat, message_id = replied(workspace, server, "“你好。”")
    for text in ("她说。", "她走了。"):
        server.reply = text
        workspace.conversation.continue_reply(message_id, hush, CancelToken())
    message = workspace.messages.get(message_id)
    assert message.text == "“你好。”她说。她走了。"
    assert [part["characters"] for part in message.swipe.generation["parts"]] == [5, 8]


def test_a_model_that_says_it_all_again_is_not_doubled(workspace: Workspace, server: FakeLLM) -> None:
    _chat, message_id = replied(workspace, server)
    server.reply = "She goes to the door and opens it."
    grown = workspace.conversation.continue_reply(message_id, hush, CancelToken())
    assert grown is not None
    assert grown.text == "She goes to the door and opens it."


def test_stopped_before_the_first_word_leaves_everything_as_it_was(
    workspace: Workspace, server: FakeLLM
) -> None:
    _chat, message_id = replied(workspace, server)
    before = workspace.messages.get(message_id)
    receipt = workspace.receipts.get(before.swipe.id)
    cancel = CancelToken()
    events: list[Event] = []

    def listen(event: Event) -> None:
        events.append(event)
        if isinstance(event, ReplyStarted):
            cancel.cancel()

    assert workspace.conversation.continue_reply(message_id, listen, cancel) == before
    assert events[-1] == ReplyEnded(message_id, before, None)
    assert workspace.receipts.get(before.swipe.id) == receipt


def test_a_failed_continuation_keeps_the_text_says_why_and_can_be_tried_again(
    workspace: Workspace, server: FakeLLM
) -> None:
    _chat, message_id = replied(workspace, server)
    before = workspace.messages.get(message_id)
    server.fault = Fault(status=500)
    events: list[Event] = []
    failed = workspace.conversation.continue_reply(message_id, events.append, CancelToken())
    assert failed is not None
    assert (failed.text, failed.swipe.state) == (before.text, SwipeState.FAILED)
    assert failed.swipe.error
    assert failed.swipe.generation["failed"] == "continue"
    ended = events[-1]
    assert isinstance(ended, ReplyEnded)
    server.fault = None
    server.reply = "and waits."
    again = workspace.conversation.continue_reply(message_id, hush, CancelToken())
    assert again is not None
    assert (again.text, again.swipe.state) == (before.text + " and waits.", SwipeState.DONE)
    assert "failed" not in again.swipe.generation
    assert ended.undo is not None
    ended.undo.run()
    assert workspace.messages.get(message_id) == before


def test_what_cannot_be_continued_is_refused_and_untouched(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "one", "two", "three")
    ids = workspace.messages.ids(chat.id)
    workspace.library.edit_message(ids[1], "  ")

    def refused(message_id: int) -> str:
        with pytest.raises(StoreError) as caught:
            workspace.conversation.continue_reply(message_id, hush, CancelToken())
        return caught.value.code

    assert [refused(item) for item in (*ids[1:], 99)] == ["not_last", "not_a_reply", "not_found"]
    workspace.library.delete_messages([ids[2]])
    assert refused(ids[1]) == "nothing_to_continue"
    workspace.acts.hide([ids[1]], hidden=True)
    assert refused(ids[1]) == "hidden"
    assert server.requests == []
    assert not workspace.conversation.writing(chat.id)


def test_the_message_that_goes_on_may_be_deleted_meanwhile(workspace: Workspace, server: FakeLLM) -> None:
    chat_id, message_id = replied(workspace, server)
    server.reply = Deltas(["and ", "opens it."])

    def listen(event: Event) -> None:
        if isinstance(event, ReplyGrew) and event.text.strip() == "and":
            workspace.library.delete_messages([message_id])

    assert workspace.conversation.continue_reply(message_id, listen, CancelToken()) is None
    assert texts(workspace, chat_id) == ["Hello."]
    workspace.library.restore(workspace.trash.all()[0].id)
    assert texts(workspace, chat_id)[-1] == "She goes to the door and opens it."


def test_a_continuation_that_a_crash_cut_keeps_both_halves(workspace: Workspace, server: FakeLLM) -> None:
    _chat, message_id = replied(workspace, server)
    swipe = workspace.messages.get(message_id).swipe
    workspace.acts.edits.begin_continuing(swipe.id)
    workspace.messages.save_partial(swipe.id, swipe.text + " and op")
    workspace.messages.recover()
    message = workspace.messages.get(message_id)
    assert (message.text, message.swipe.state) == (
        "She goes to the door and op",
        SwipeState.INTERRUPTED,
    )


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        ("the door", "and", " "),
        ("the door ", "and", ""),
        ("the door", " and", ""),
        ("the door", ", and", ""),
        ("the door", "”", ""),
        ("the door.", "*He nods.*", " "),
        ("门", "and", ""),
        ("the door", "门", ""),
        ("", "and", ""),
        ("the door", "", ""),
    ],
)
def test_words_are_joined_as_they_are_written(before: str, after: str, between: str) -> None:
    assert joint(before, after) == between


# ── the person's own turn ────────────────────────────────────────────────────────────────────────────


def test_the_turn_of_the_person_is_written_and_nothing_is_stored(
    workspace: Workspace, server: FakeLLM
) -> None:
    chat_id, _message = replied(workspace, server)
    server.reply = Deltas(["Alex: ", "and ", "waves."])
    stored = workspace.database.path.stat()
    before = texts(workspace, chat_id)
    events: list[Event] = []
    text = workspace.conversation.impersonate(chat_id, "I smile", events.append, CancelToken())
    assert text == " and waves."
    assert events == [ReplyGrew(0, " and "), ReplyGrew(0, "waves.")]
    asked = server.requests[-1].messages[-1]
    assert asked["role"] == "system"
    assert "write Alex's next turn instead of Mara's" in asked["content"]
    assert asked["content"].endswith("I smile")
    assert texts(workspace, chat_id) == before
    assert workspace.messages.count(chat_id) == 2
    assert stored
    server.reply = "Well."
    assert workspace.conversation.impersonate(chat_id, "", hush, CancelToken()) == "Well."
    assert "begins with" not in server.requests[-1].messages[-1]["content"]


def test_a_turn_that_fails_says_why_and_frees_the_chat(workspace: Workspace, server: FakeLLM) -> None:
    chat_id, _message = replied(workspace, server)
    server.fault = Fault(status=500)
    with pytest.raises(LLMError):
        workspace.conversation.impersonate(chat_id, "", hush, CancelToken())
    assert not workspace.conversation.writing(chat_id)
    server.fault = None

    def listen(event: Event) -> None:
        if isinstance(event, ReplyGrew):
            for act in (
                lambda: workspace.conversation.send(chat_id, "Me.", hush, CancelToken()),
                lambda: workspace.conversation.continue_reply(
                    last_id(workspace, chat_id), hush, CancelToken()
                ),
                lambda: workspace.conversation.impersonate(chat_id, "", hush, CancelToken()),
            ):
                with pytest.raises(Busy):
                    act()

    workspace.conversation.impersonate(chat_id, "", listen, CancelToken())
    assert workspace.messages.count(chat_id) == 2


# ── regenerate from here ─────────────────────────────────────────────────────────────────────────────


def anew(workspace: Workspace, message_id: int) -> Any:
    """Write anew from a message; returns the undo of it all."""
    events: list[Event] = []
    workspace.conversation.regenerate_from(message_id, events.append, CancelToken())
    assert all(event.undo is None for event in events if isinstance(event, ReplyEnded))
    (undo,) = [event.undo for event in events if isinstance(event, Removed)]
    return undo


def test_from_a_reply_all_after_it_goes_and_it_has_another_version(
    workspace: Workspace, server: FakeLLM
) -> None:
    server.reply = "anew"
    chat = talk(workspace, "one", "two", "three", "four")
    second = workspace.messages.ids(chat.id)[1]
    undo = anew(workspace, second)
    assert texts(workspace, chat.id) == ["one", "anew"]
    assert [m["content"] for m in server.requests[-1].messages[1:]] == ["one"]
    assert workspace.messages.get(second).swipe_count == 2
    undo.run()
    assert texts(workspace, chat.id) == ["one", "two", "three", "four"]
    assert workspace.messages.get(second).swipe_count == 2


def test_from_a_message_of_the_person_the_next_one_is_written(workspace: Workspace, server: FakeLLM) -> None:
    server.reply = "anew"
    chat = talk(workspace, "one", "two", "three", "four")
    undo = anew(workspace, workspace.messages.ids(chat.id)[0])
    assert texts(workspace, chat.id) == ["one", "anew"]
    undo.run()
    assert texts(workspace, chat.id) == ["one", "two", "three", "four"]
    assert [entry.label for entry in workspace.trash.all()] == ["#2 Mara: anew"]


def test_at_the_end_writing_anew_from_here_is_only_writing_anew(
    workspace: Workspace, server: FakeLLM
) -> None:
    chat_id, message_id = replied(workspace, server)
    events: list[Event] = []
    server.reply = "again"
    workspace.conversation.regenerate_from(message_id, events.append, CancelToken())
    ended = events[-1]
    assert isinstance(ended, ReplyEnded)
    assert ended.undo is not None
    assert texts(workspace, chat_id) == ["Hello.", "again"]
    ended.undo.run()
    assert texts(workspace, chat_id) == ["Hello.", "She goes to the door"]
    assert workspace.messages.get(message_id).swipe_count == 2
