"""The command in groups, from outside."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.chats.groups import GroupSettings
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import Desk, WordEmbedder, use_embedder, wait_until


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    made = Desk(tmp_path / "data")
    with made.open() as workspace:
        workspace.library.set_default_persona("Alex", "")
        for name in ("Mira", "Tom", "小明"):
            card = {"data": {"name": name, "first_mes": f"I am {name}."}}
            workspace.library.add_character(name, card)
    return made


@pytest.fixture
def server(desk: Desk) -> Iterator[FakeLLM]:
    with FakeLLM(reply="Yes.") as running:
        desk.connect(running.profile())
        yield running


def names(desk: Desk) -> list[str]:
    return [row[0] for row in desk.query("SELECT name FROM messages ORDER BY position")]


def test_a_group_is_begun_and_talks(desk: Desk, server: FakeLLM) -> None:
    party = ("--title", "Party", "--order", "list", "--greetings", "first")
    made = desk.json("group", "Mira", "tom", "小明", *party)
    assert (made["title"], made["characters"], made["messages"]) == ("Party", ["Mira", "Tom", "小明"], 1)
    (chat,) = desk.json("chats")
    assert (chat["kind"], chat["characters"]) == ("group", ["Mira", "Tom", "小明"])
    row = desk.json("send", "Party", "Well?")
    assert [reply["name"] for reply in row["replies"]] == ["Mira", "Tom", "小明"]
    assert row["name"] == "小明"
    assert row["receipt"]["cards"] == ["小明"]
    outcome = desk.run("send", "Party", "Alone?", "--as", "TOM")
    assert (outcome.code, outcome.out) == (0, "Tom:\nYes.\n")
    # Without a message, somebody just replies.
    assert [reply["name"] for reply in desk.json("send", "Party", "--as", "小明")["replies"]] == ["小明"]
    assert names(desk)[-4:] == ["小明", "Alex", "Tom", "小明"]
    assert server.chat_requests


def test_every_reply_is_printed_under_its_name(desk: Desk, server: FakeLLM) -> None:
    server.reply = ["one", "two"]
    desk.json("group", "Mira", "Tom", "--order", "list", "--greetings", "none", "--title", "Two")
    assert desk.run("send", "Two", "Go.").out == "Mira:\none\n\nTom:\ntwo\n"


def test_what_is_asked_wrongly_or_of_nobody(desk: Desk, server: FakeLLM) -> None:
    desk.json("group", "Mira", "Tom", "--title", "Party", "--order", "manual", "--greetings", "none")
    quiet = desk.run("send", "Party", "Hello?", "--json")
    assert (quiet.code, quiet.json["message"], quiet.json["replies"]) == (0, None, [])
    assert "--as" in quiet.err
    wrong = desk.run("send", "Party", "Hello?", "--as", "Nobody")
    assert (wrong.code, "In it: Mira, Tom." in wrong.err) == (1, True)
    assert desk.run("group", "Mira", "Stranger").code == 1
    assert desk.run("group").code == 2
    with desk.open() as workspace:
        chat = workspace.chats.find("Party")
        workspace.groups.configure(chat.id, GroupSettings(order="list"))
        for who in chat.character_ids:
            workspace.groups.mute(chat.id, who, muted=True)
    silent = desk.run("send", "Party", "Anyone?")
    assert silent.code == 1
    assert "unmute a member" in silent.err
    assert names(desk) == ["Alex", "Alex"]
    assert not server.chat_requests


def test_killed_between_two_replies_nothing_is_lost(desk: Desk, server: FakeLLM) -> None:
    desk.json("group", "Mira", "Tom", "--title", "Party", "--order", "list", "--greetings", "none")
    server.reply = ["The first reply.", "never"]
    server.faults.extend([None, Fault(silent=True)])
    with desk.start("send", "Party", "Go.") as process:
        wait_until(lambda: len(server.chat_requests) == 2)
        process.kill()
        process.communicate()
    server.faults.clear()
    server.reply = "Back."
    row = desk.json("send", "Party", "Still there?", "--as", "Tom")
    assert row["text"] == "Back."
    with desk.open() as workspace:
        found = [(item.name, item.text) for item in workspace.messages.page(row["chat"], 1, 9)]
    assert found[:2] == [("Alex", "Go."), ("Mira", "The first reply.")]
    assert found[2:] == [("Alex", "Still there?"), ("Tom", "Back.")]
