from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memdesk.chats.changes import Change, ChangeKind
from memdesk.chats.model import PersonaPlace, SwipeState
from memdesk.conversation import Busy, ReplyEnded, ReplyGrew, ReplyStarted, UserMessageStored
from memdesk.prompt.note import AuthorsNote
from memdesk.prompt.parts import Contribution
from memdesk.prompt.receipt import from_json
from memdesk.settings import Settings
from memdesk.store.errors import StoreError
from memdesk.store.token_scale import TokenScale
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
        connect(workspace, running)
        yield running


def connect(workspace: Workspace, server: FakeLLM, **changes: Any) -> None:
    profile = server.profile(**changes)
    workspace.settings = Settings(connections=[profile], connection=profile.id)


def hush(_event: object) -> None:
    """Listen to nothing."""


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return [message.text for message in workspace.messages.page(chat_id, 1, 100)]


def test_a_turn_tells_its_story_in_order(workspace: Workspace, server: FakeLLM) -> None:
    server.reply = Deltas(["Go", "od."])
    server.reasoning = "Hmm."
    chat, events, news = talk(workspace), [], []
    workspace.bus.subscribe(news.append)
    reply = workspace.conversation.send(chat.id, "Well?", events.append, CancelToken())
    assert reply is not None
    stored, started, *grown, ended = events
    assert isinstance(stored, UserMessageStored)
    assert (stored.message.text, stored.message.name, stored.message.number) == ("Well?", "Alex", 1)
    assert stored.message.swipe.tokens is not None
    assert isinstance(started, ReplyStarted)
    assert started.receipt is not None
    assert started.message.swipe.state is SwipeState.STREAMING
    assert all(isinstance(event, ReplyGrew) for event in grown)
    assert "".join(event.text for event in grown if event.reasoning) == "Hmm."
    assert "".join(event.text for event in grown if not event.reasoning) == "Good."
    assert ended == ReplyEnded(reply.id, reply)
    assert (reply.text, reply.swipe.reasoning, reply.swipe.generation["finish"]) == ("Good.", "Hmm.", "stop")
    assert reply.swipe.generation["usage"]["prompt"] > 0
    assert [change.kind for change in news] == [ChangeKind.MESSAGES_ADDED] * 2
    assert news[-1] == Change(ChangeKind.MESSAGES_ADDED, chat.id, (reply.id,))


def test_one_reply_per_chat_at_a_time(workspace: Workspace, server: FakeLLM) -> None:
    chat, other = talk(workspace, "Hello."), talk(workspace, "Hello.", title="Other")
    server.reply = Deltas(["one ", "two"])
    refused: list[type[BaseException]] = []

    def listen(event: object) -> None:
        if isinstance(event, ReplyStarted):
            assert workspace.conversation.writing(chat.id)
            assert not workspace.conversation.writing(other.id)
            for act in (
                lambda: workspace.conversation.send(chat.id, "Me too.", hush, CancelToken()),
                lambda: workspace.conversation.reply(chat.id, hush, CancelToken()),
                lambda: workspace.conversation.regenerate(event.message.id, hush, CancelToken()),
            ):
                with pytest.raises(Busy) as caught:
                    act()
                refused.append(caught.type)
            assert workspace.conversation.reply(other.id, hush, CancelToken()) is not None

    workspace.conversation.send(chat.id, "Go.", listen, CancelToken())
    assert refused == [Busy] * 3
    assert texts(workspace, chat.id) == ["Hello.", "Go.", "one two"]
    assert not workspace.conversation.writing(chat.id)


def test_regenerating_adds_a_swipe_that_stands(workspace: Workspace, server: FakeLLM) -> None:
    server.reply = ["first", "second"]
    chat = talk(workspace, "Hello.")
    first = workspace.conversation.reply(chat.id, hush, CancelToken())
    assert first is not None
    news: list[Change] = []
    workspace.bus.subscribe(news.append)
    second = workspace.conversation.regenerate(first.id, hush, CancelToken())
    assert second is not None
    assert (second.id, second.text, second.swipe_number, second.swipe_count) == (first.id, "second", 2, 2)
    assert news == [Change(ChangeKind.TEXT_CHANGED, chat.id, (first.id,))]
    assert server.requests[-1].messages == server.requests[-2].messages
    with pytest.raises(StoreError) as caught:
        workspace.conversation.regenerate(workspace.messages.ids(chat.id)[0], hush, CancelToken())
    assert caught.value.code == "not_a_reply"


def test_a_stopped_first_word_falls_back_to_the_swipe_before(workspace: Workspace, server: FakeLLM) -> None:
    server.reply = "first"
    chat = talk(workspace, "Hello.")
    first = workspace.conversation.reply(chat.id, hush, CancelToken())
    assert first is not None
    server.fault = Fault(silent=True)
    cancel = CancelToken()
    timer = threading.Timer(0.2, cancel.cancel)
    timer.start()
    again = workspace.conversation.regenerate(first.id, hush, cancel)
    timer.join()
    assert again is not None
    assert (again.text, again.swipe_count) == ("first", 1)


def test_a_failed_try_is_tried_again_in_its_place(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "Hello.")
    server.fault = Fault(status=500)
    failed = workspace.conversation.reply(chat.id, hush, CancelToken())
    assert failed is not None
    assert (failed.swipe.state, failed.text) == (SwipeState.FAILED, "")
    server.fault = None
    server.reply = "Good."
    reply = workspace.conversation.regenerate(failed.id, hush, CancelToken())
    assert reply is not None
    assert (reply.id, reply.text, reply.swipe.error, reply.swipe_count) == (failed.id, "Good.", "", 1)


def test_a_failed_swipe_in_the_middle_leaves_no_gap_when_it_is_stopped(
    workspace: Workspace, server: FakeLLM
) -> None:
    chat = talk(workspace, "Hello.")
    server.reply = ["one", "three"]
    message = workspace.conversation.reply(chat.id, hush, CancelToken())
    assert message is not None
    server.fault = Fault(status=500)
    workspace.conversation.regenerate(message.id, hush, CancelToken())
    workspace.library.choose_swipe(message.id, 0)
    server.fault = None
    workspace.conversation.regenerate(message.id, hush, CancelToken())
    workspace.library.choose_swipe(message.id, 1)
    server.fault = Fault(silent=True)
    cancel = CancelToken()
    timer = threading.Timer(0.2, cancel.cancel)
    timer.start()
    left = workspace.conversation.regenerate(message.id, hush, cancel)
    timer.join()
    assert left is not None
    assert (left.text, left.swipe_number, left.swipe_count) == ("one", 1, 2)
    workspace.library.choose_swipe(message.id, 1)
    assert workspace.messages.get(message.id).text == "three"


def test_the_prompt_that_does_not_fit_is_a_failed_reply_and_nothing_is_sent(
    workspace: Workspace, server: FakeLLM
) -> None:
    connect(workspace, server, context_tokens=600, reply_tokens=100)
    chat = talk(workspace, "Hello.", description="very " * 800)
    reply = workspace.conversation.send(chat.id, "Well?", hush, CancelToken())
    assert reply is not None
    assert reply.swipe.state is SwipeState.FAILED
    assert "Description" in reply.swipe.error
    assert server.requests == []
    assert texts(workspace, chat.id) == ["Hello.", "Well?", ""]
    connect(workspace, server)
    workspace.conversation.send(chat.id, "Again?", hush, CancelToken())
    assert texts(workspace, chat.id) == ["Hello.", "Well?", "Again?", "You said: Again?"]


@pytest.mark.usefixtures("server")
def test_a_layer_that_fails_costs_its_part_and_not_the_reply(workspace: Workspace) -> None:
    class Broken:
        name = "summaries"
        kind = "memory"
        early = False

        def observe(self, change: Change) -> None:
            """Nothing to note."""

        def contribute(self, _request: object) -> Contribution:
            raise ZeroDivisionError("too hot")

    workspace.layers.append(Broken())
    chat = talk(workspace, "Hello.")
    reply = workspace.conversation.send(chat.id, "Well?", hush, CancelToken())
    assert reply is not None
    assert reply.swipe.state is SwipeState.DONE
    receipt = workspace.receipts.get(reply.swipe.id)
    assert receipt is not None
    assert receipt["warnings"] == ["Summaries failed and was left out: too hot"]


def test_a_listener_that_breaks_leaves_the_partial_reply(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "Hello.")
    server.reply = Deltas(["one ", "two ", "three"])

    def listen(event: object) -> None:
        if isinstance(event, ReplyGrew) and event.text == "two ":
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        workspace.conversation.send(chat.id, "Count.", listen, CancelToken())
    last = workspace.messages.page(chat.id, 3, 1)[0]
    assert (last.text, last.swipe.state) == ("one two", SwipeState.INTERRUPTED)
    assert not workspace.conversation.writing(chat.id)


def test_usage_teaches_the_token_scale(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, *("some words of a longer story about a lamp " * 8 for _ in range(20)))
    workspace.conversation.reply(chat.id, hush, CancelToken())
    # The fake server counts words, which are fewer than tokens.
    assert server.requests[-1].words > 1000
    assert 0.8 < TokenScale(workspace.database).of("fake-model") < 1.0


def test_a_preview_is_what_will_be_sent_and_stores_nothing(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "Hello.", "Good day.", description="{{char}} likes {{user}}.")
    before = texts(workspace, chat.id)
    receipt = workspace.conversation.preview(chat.id, "Well?")
    assert texts(workspace, chat.id) == before
    assert server.requests == []
    workspace.conversation.send(chat.id, "Well?", hush, CancelToken())
    assert server.requests[-1].messages == [dict(message) for message in receipt.messages]


def test_the_persona_of_the_chat_speaks(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, scenario="{{user}} knocks.")
    noor = workspace.personas.add("Noor", "Tall.")
    workspace.chats.set_persona(chat.id, noor.id)
    workspace.conversation.send(chat.id, "Open!", hush, CancelToken())
    assert workspace.messages.page(chat.id, 1, 1)[0].name == "Noor"
    assert "Noor: Tall." in server.requests[-1].messages[0]["content"]
    assert "Noor knocks." in server.requests[-1].messages[0]["content"]


def test_what_cannot_be_stored_is_raised_and_nothing_is_sent(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "Hello.")
    with workspace.database.read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    workspace.database._writer.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(StoreError) as caught:
        workspace.conversation.send(chat.id, "long " * 50_000, hush, CancelToken())
    assert caught.value.code == "disk_full"
    assert server.requests == []
    assert not workspace.conversation.writing(chat.id)
    workspace.database._writer.execute("PRAGMA max_page_count = 100000")
    assert texts(workspace, chat.id) == ["Hello."]
    with pytest.raises(StoreError):
        workspace.conversation.send(999, "Anybody?", hush, CancelToken())


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000", "\x00"])
def test_a_blank_message_is_refused(workspace: Workspace, text: str) -> None:
    chat = talk(workspace, "Hello.")
    with pytest.raises(StoreError) as caught:
        workspace.conversation.send(chat.id, text, hush, CancelToken())
    assert caught.value.code == "blank_message"
    assert workspace.chats.get(chat.id).messages == 1
    assert not workspace.conversation.writing(chat.id)


def test_a_depth_prompt_goes_deep_into_the_chat_and_into_the_receipt(
    workspace: Workspace, server: FakeLLM
) -> None:
    card = {"extensions": {"depth_prompt": {"prompt": "{{char}} limps.", "depth": 1, "role": "user"}}}
    chat = talk(workspace, "One.", "Two.", **card)
    reply = workspace.conversation.send(chat.id, "Three.", hush, CancelToken())
    assert reply is not None
    sent = [(message["role"], message["content"]) for message in server.requests[-1].messages[1:]]
    assert sent == [("user", "One."), ("assistant", "Two."), ("user", "Mara limps."), ("user", "Three.")]
    receipt = workspace.receipts.get(reply.swipe.id)
    assert receipt is not None
    (part,) = [part for part in receipt["parts"] if part["title"] == "Depth prompt"]
    assert part["source"]["placement"] == {"where": "in_chat", "depth": 1, "role": "user"}


def test_names_in_the_text_are_sent_and_taken_off_the_reply(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, "One.", "Two.")
    named = workspace.preset_store.add("Named", {"names": "content", "main_prompt": "Write."})
    workspace.chats.set_settings(chat.id, {"preset": named.key})
    server.reply = "Mara: Three. Mara: no."
    grown: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, ReplyGrew):
            grown.append(event.text)

    reply = workspace.conversation.send(chat.id, "Well?", listen, CancelToken())
    assert reply is not None
    assert reply.text == "".join(grown) == "Three. Mara: no."
    sent = [message["content"] for message in server.requests[-1].messages[1:]]
    assert sent == ["Alex: One.", "Mara: Two.", "Alex: Well?"]


def test_a_chat_has_its_own_preset_connection_scenario_and_note(workspace: Workspace) -> None:
    with FakeLLM() as app, FakeLLM() as own:
        first, second = app.profile(temperature=0.5, stop=["END"]), own.profile(top_p=0.9)
        workspace.settings = Settings(connections=[first, second], connection=first.id)
        body = {
            "temperature": 1.2, "reply_tokens": 99, "min_p": 0.1, "main_prompt": "Write, {{char}}.",
            "post_history": "Now {{char}}.", "prompts": [
                {"name": "Style", "text": "Short.", "where": "in_chat", "depth": 0, "role": "user"},
                {"name": "Off", "text": "Never.", "enabled": False},
            ],
        }  # fmt: skip
        preset = workspace.preset_store.add("Bold", body)
        chat = talk(workspace, "One.", "Two.", scenario="A storm.")
        note = {"text": "Rain.", "depth": 1}
        chosen = {"preset": preset.key, "connection": second.id, "scenario": "A calm.", "note": note}
        workspace.chats.set_settings(chat.id, chosen)
        workspace.conversation.send(chat.id, "Three.", hush, CancelToken())
        sent = own.requests[-1]
        assert not app.requests
        assert sent.messages[0]["content"] == "Write, Mara.\n\nScenario: A calm."
        assert [message["content"] for message in sent.messages[1:]] == [
            "One.", "Two.", "Rain.", "Three.", "Short.", "Now Mara.",
        ]  # fmt: skip
        values = {key: sent.body.get(key) for key in ("temperature", "top_p", "min_p", "max_tokens", "stop")}
        assert values == {"temperature": 1.2, "top_p": 0.9, "min_p": 0.1, "max_tokens": 99, "stop": None}
        # What is gone counts as not chosen.
        workspace.chats.set_settings(
            chat.id, {"preset": "77", "connection": "gone", "note": 5, "scenario": 3}
        )
        workspace.conversation.send(chat.id, "Four.", hush, CancelToken())
        assert app.requests[-1].body["temperature"] == 0.5
        assert app.requests[-1].body["stop"] == ["END"]


def test_a_note_comes_every_so_many_messages_of_the_person(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace)
    workspace.chats.set_settings(chat.id, {"note": {"text": "Rain.", "every": 3, "depth": 0}})
    seen = []
    for number in range(6):
        reply = workspace.conversation.send(chat.id, f"Line {number}.", hush, CancelToken())
        seen.append("Rain." in [message["content"] for message in server.requests[-1].messages])
        assert reply is not None
        receipt = workspace.receipts.get(reply.swipe.id)
        assert receipt is not None
        (part,) = [part for part in receipt["parts"] if part["title"] == "Author's note"]
        assert part["reason"] == f"every 3 user messages: {'' if seen[-1] else 'not '}this time"
        assert part["included"] is seen[-1]
    assert seen == [False, False, True, False, False, True]
    # Another try of the third reply counts as the third, whatever came since.
    replies = [m for m in workspace.messages.page(chat.id, 1, 99) if m.role == "assistant"]
    workspace.conversation.regenerate(replies[2].id, hush, CancelToken())
    assert "Rain." in [message["content"] for message in server.requests[-1].messages]
    workspace.conversation.regenerate(replies[3].id, hush, CancelToken())
    assert "Rain." not in [message["content"] for message in server.requests[-1].messages]
    workspace.chats.set_settings(chat.id, {"note": {"text": "Rain.", "every": 0}})
    receipt_now = workspace.conversation.preview(chat.id, "x")
    assert [str(part.reason) for part in receipt_now.parts if part.title == "Author's note"] == [
        "switched off: every 0 user messages"
    ]


def test_the_app_has_a_note_for_chats_without_their_own(workspace: Workspace, server: FakeLLM) -> None:
    workspace.settings = workspace.settings.model_copy(update={"note": AuthorsNote(text="All.", depth=0)})
    chat = talk(workspace, "One.")
    workspace.conversation.reply(chat.id, hush, CancelToken())
    assert server.requests[-1].messages[-1] == {"role": "system", "content": "All."}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("prompt", ["Main.\n\nAlex: Tall Alex.", "One.", "Rain.", "Well?"]),
        ("note_top", ["Main.", "One.", "Alex: Tall Alex.\nRain.", "Well?"]),
        ("note_bottom", ["Main.", "One.", "Rain.\nAlex: Tall Alex.", "Well?"]),
        ("depth", ["Main.", "One.", "Rain.", "Well?", "Alex: Tall Alex."]),
        ("none", ["Main.", "One.", "Rain.", "Well?"]),
    ],
)
def test_a_persona_stands_where_it_is_told_to(
    workspace: Workspace, server: FakeLLM, place: PersonaPlace, expected: list[str]
) -> None:
    chat = talk(workspace, "One.", system_prompt="Main.")
    persona = workspace.personas.default()
    assert persona is not None
    workspace.personas.save(replace(persona, description="Tall {{user}}.", place=place, depth=0, role="user"))
    workspace.chats.set_settings(chat.id, {"note": {"text": "Rain.", "depth": 1}})
    workspace.conversation.send(chat.id, "Well?", hush, CancelToken())
    assert [message["content"] for message in server.requests[-1].messages] == expected


def test_variables_are_kept_when_the_reply_has_come_and_not_before(
    workspace: Workspace, server: FakeLLM
) -> None:
    card = {"system_prompt": "Day {{incvar::day}}.{{setglobalvar::seen::yes}}"}
    chat = talk(workspace, **card)
    store = workspace.variables
    receipt = workspace.conversation.preview(chat.id, "Hello.")
    assert receipt.messages[0]["content"] == "Day 1."
    assert receipt.variables == {"chat": {"day": "1"}, "global": {"seen": "yes"}}
    assert store.read(chat.id) == ({}, {})
    server.faults.append(Fault(status=500))
    workspace.conversation.send(chat.id, "Hello.", hush, CancelToken())
    assert store.read(chat.id) == ({}, {})
    first = workspace.conversation.send(chat.id, "Hello again.", hush, CancelToken())
    assert first is not None
    assert store.read(chat.id) == ({"day": "1"}, {"seen": "yes"})
    # A reply that is written anew begins from where it began.
    workspace.conversation.regenerate(first.id, hush, CancelToken())
    assert server.requests[-1].messages[0]["content"] == "Day 1."
    assert store.read(chat.id)[0] == {"day": "1"}
    second = workspace.conversation.send(chat.id, "Next.", hush, CancelToken())
    assert second is not None
    assert store.read(chat.id)[0] == {"day": "2"}
    assert from_json(workspace.receipts.get(second.swipe.id) or {}).variables["chat"] == {"day": "2"}
    early, _ = workspace.acts.branch(first.id)
    late, _ = workspace.acts.branch(second.id)
    assert store.read(early.id)[0] == {"day": "1"}
    assert store.read(late.id)[0] == {"day": "2"}
    with workspace.database.write() as db:
        db.execute("DELETE FROM chats WHERE id = ?", (chat.id,))
    assert workspace.variables.read(chat.id)[0] == {}
    assert workspace.variables.read(chat.id)[1] == {"seen": "yes"}


def test_macros_know_the_chat(workspace: Workspace, server: FakeLLM) -> None:
    card = {
        "system_prompt": "{{lastMessage}}|{{lastUserMessage}}|{{lastCharMessage}}|{{lastMessageId}}|"
        "{{idle_duration}}|{{pick::a::b::c::d}}|{{description}}|{{original}}",
        "description": "D {{user}}",
        "character_version": "1.5",
        "post_history_instructions": "v{{char_version}} {{original}}",
    }
    chat = talk(workspace, "One.", "Two.", **card)
    workspace.conversation.send(chat.id, "Three.", hush, CancelToken())
    parts = server.requests[-1].messages[0]["content"].split("\n\n")[0].split("|")
    assert parts[:4] == ["Three.", "Three.", "Two.", "3"]
    assert parts[4] != "just now"
    assert parts[6] == "D Alex"
    assert parts[7].startswith("Write Mara's next reply")
    assert server.requests[-1].messages[-1]["content"] == "v1.5"
    branch, _ = workspace.acts.branch(workspace.messages.ids(chat.id)[1])
    for chat_id in (chat.id, chat.id, branch.id):
        again = workspace.conversation.preview(chat_id).messages[0]["content"].split("|")
        assert again[5] == parts[5]
