"""Words as people (and worse) write them: every script, a megabyte, nothing at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memdesk.chats.text import clean
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from tests.support.fake_llm import Deltas, FakeLLM
from tests.support.workspaces import Desk, say, sync, talk

NAMES = [
    "艾莉亚",
    "محمد الخوارزمي",
    "Ἀριστοτέλης",
    "नमस्ते",
    "ไทยแลนด์",
    "👩‍👩‍👧‍👦🏳️‍🌈",
    'O\'Brien "Bobby" DROP TABLE',
    "Zażółć\u0301 gęślą",
    "\u202eevil\u202c",
    "a" * 500,
    "name: with colon",
    "{{user}}",
    "%s %(x)s {0}",
    "\\n\\t",
]

TEXTS = [
    "雨下得又细又密，灯塔的光一圈一圈扫过海面。「你来了？」她问。",
    "مرحبا، كيف حالك اليوم؟ \u200f(اليوم)",
    "Zalgo: " + "ä\u0300\u0301\u0302\u0303" * 200,
    "👨‍👩‍👧‍👦 " * 300,
    "`code` *action* **bold** <script>alert(1)</script> [x](javascript:alert(1))",
    "{{user}} {{char}} {{unknown}} <USER>",
    "'; DROP TABLE messages; --",
    'chat : c1 AND words : (x OR NEAR("a" b))',
    "\u0000NUL\u0000 and \ud800 half \udfff",
    "one line\r\ntwo lines\rthree",
    "=" * 5000,
    "🙂",
    "嗯",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_of_every_kind_go_all_the_way(desk: Desk, server: FakeLLM, tmp_path: Path, name: str) -> None:
    desk.connect(server.profile())
    card = tmp_path / "card.json"
    data = {"name": name, "first_mes": "Hello {{user}}, I am {{char}}."}
    card.write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}), "utf-8")
    (row,) = desk.json("import", str(card))
    assert row["name"]
    name = row["name"]  # import takes away what could mislead, and what is too long
    with desk.open() as workspace:
        workspace.library.set_default_persona(name, "I am {{user}}.")
    sent = desk.json("send", str(row["chat"]), f"Who is {name}?")
    assert (sent["name"], sent["text"]) == (name, f"You said: Who is {name}?")
    memories = desk.json("memories", row["title"])
    assert all(chunk["text"].startswith(f"{name}: ") for chunk in memories["chunks"])
    assert desk.json("chats")[0]["characters"] == [name]
    assert desk.run("chats").code == 0


def test_texts_of_every_kind_are_kept_remembered_and_found(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    server.reply = "Hm."
    with desk.open() as workspace:
        chat = talk(workspace)
        for text in TEXTS:
            message = workspace.conversation.send(chat.id, text, lambda _event: None, CancelToken())
            assert message is not None
            assert message.swipe.error == ""
        stored = [m.text for m in workspace.messages.page(chat.id, 1, 100) if m.role == "user"]
        assert stored == [clean(text) for text in TEXTS]
        sync(workspace)
        remembered = {
            source
            for chunk in workspace.chunks.page(chat.id, workspace.sync.space_id)
            for source in chunk.source_messages
        }
        for message in workspace.messages.page(chat.id, 1, 100):
            assert (message.id in remembered) == bool(message.text.strip())
        for text in TEXTS:
            for contribution in workspace.conversation.recall(chat.id, text):
                assert contribution.warning == ""
    report = desk.json("doctor")
    assert report["ok"] is True, report["problems"]


@pytest.mark.parametrize(
    "text",
    ["word " * 200_000, "字" * 340_000, "x" * 1_000_000, "e\u0301" * 350_000, "\n" * 999_999 + "x"],
    ids=["words", "chinese", "one word", "marks", "lines"],
)
def test_a_message_of_a_megabyte(desk: Desk, server: FakeLLM, text: str) -> None:
    """It is stored whole; the reply fails in words that say what is too long; the next one succeeds."""
    desk.connect(server.profile())
    server.reply = "Quite a lot."
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        message = workspace.conversation.send(chat.id, text, lambda _event: None, CancelToken())
        assert message is not None
        stored = workspace.messages.page(chat.id, 2, 1)[0]
        assert stored.text == text
        if message.swipe.error:
            assert "does not fit" in message.swipe.error
            assert "message #2" in message.swipe.error
            assert not server.requests
        workspace.sync.chunk_stale(CancelToken(), chat.id)
        chunks = workspace.chunks.page(chat.id, workspace.sync.space_id)
        assert max(chunk.tokens for chunk in chunks) <= 512
        workspace.library.delete_messages([stored.id])
        assert workspace.conversation.send(chat.id, "Short.", lambda _event: None, CancelToken()) is not None
        assert server.requests[-1].last_user_text == "Short."


def test_a_chat_without_messages(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    chat = desk.talk()
    assert desk.json("chats")[0]["messages"] == 0
    assert desk.json("memories", str(chat)) == {
        "chat": chat,
        "counts": {"vectorized": 0, "waiting": 0, "unavailable": 0},
        "chunks": [],
    }
    assert desk.json("recall", str(chat), "--query", "anything")["results"] == []
    assert [m["role"] for m in desk.json("prompt", str(chat))["messages"]] == ["system"]
    assert desk.json("sync", str(chat))[0]["memories"]["vectorized"] == 0
    assert desk.run("memories", str(chat)).out == "No memories yet.\n"
    with desk.open() as workspace:
        message = workspace.conversation.reply(chat, lambda _event: None, CancelToken())
        assert message is not None
        assert [m["role"] for m in server.requests[-1].messages] == ["system"]


def test_a_chat_without_characters_says_so(desk: Desk) -> None:
    with desk.open() as workspace:
        chat = workspace.chats.add("Nobody", [])
        with pytest.raises(StoreError) as caught:
            workspace.conversation.send(chat.id, "Hello?", lambda _event: None, CancelToken())
        assert caught.value.code == "no_character"
    outcome = desk.run("prompt", "Nobody")
    assert outcome.code == 1
    assert outcome.err == (
        f"memdesk: 1 memory of this chat has no vector yet: `memdesk sync {chat.id}` embeds it.\n"
        "memdesk: This chat has no character who could reply.\n"
    )


def test_empty_queries_and_messages(desk: Desk, server: FakeLLM) -> None:
    desk.connect(server.profile())
    chat = desk.talk("Hello.")
    for text in ("", "   ", "…", "🙂"):
        outcome = desk.run("recall", str(chat), "--query", text, "--json")
        if text.strip():
            assert outcome.json["query"] == text
        else:
            assert (outcome.code, outcome.out) == (1, "")
            assert "name a word" in outcome.err
        assert desk.run("prompt", str(chat), "--message", text).code == 0


def test_a_reply_that_deletes_itself_is_no_failure(desk: Desk, server: FakeLLM) -> None:
    """The person deletes the chat or the message while it is being written."""
    desk.connect(server.profile())
    server.reply = Deltas(["one ", "two ", "three"])
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")

        def delete(event: object) -> None:
            if getattr(event, "text", "") == "two ":
                workspace.library.delete_messages([event.message_id])  # type: ignore[attr-defined]

        assert workspace.conversation.send(chat.id, "Count.", delete, CancelToken()) is None
        assert [m.text for m in workspace.messages.page(chat.id, 1, 10)] == ["Hello.", "Count."]
        workspace.library.restore(workspace.trash.all()[0].id)
        assert workspace.messages.page(chat.id, 3, 1)[0].text == "one two three"
        assert not workspace.conversation.writing(chat.id)


def test_half_characters_in_a_card_are_mended(desk: Desk, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    card.write_text(
        '{"spec": "chara_card_v2",'
        ' "data": {"name": "A\\ud800B\\u0000", "first_mes": "x\\udc00", "note": "\\ud83d"}}'
    )
    (row,) = desk.json("import", str(card))
    assert row["name"]
    assert desk.json("chats")[0]["messages"] == 1


def test_fields_with_half_characters_can_be_edited(desk: Desk) -> None:
    with desk.open() as workspace:
        chat = talk(workspace, "Hello.")
        (character,) = chat.character_ids
        edited = workspace.library.edit_character(
            character, {"description": "half \ud800", "name": "M\udfff"}
        )
        assert edited.text("description").startswith("half ")
        workspace.library.rename_chat(chat.id, "T\ud800")
        workspace.library.edit_message(workspace.messages.ids(chat.id)[0], "half \udc00")
        say(workspace, chat.id, "More.")
        sync(workspace)
    assert desk.run("chats").code == 0
