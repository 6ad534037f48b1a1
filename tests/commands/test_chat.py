from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import Desk, WordEmbedder, use_embedder

LINES = ("one", "two", "three", "four")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    return Desk(tmp_path / "data")


def test_branch_says_what_it_made(desk: Desk) -> None:
    chat = desk.talk(*LINES)
    made = desk.run("branch", "Talk", "--at", "2", "--title", "Other", "--json").json
    assert made == {"chat": made["chat"], "title": "Other", "branch_of": chat, "at": 2}
    chunks = desk.run("memories", "Other", "--json").json["chunks"]
    assert sorted(chunk["text"] for chunk in chunks) == ["Alex: one", "Mara: two"]
    whole = desk.run("branch", str(chat))
    assert whole.code == 0
    assert "shares messages 1 to 4" in whole.out
    for number in ("0", "x", "-1"):
        assert desk.run("branch", "Talk", "--at", number).code == 2
    beyond = desk.run("branch", "Talk", "--at", "9")
    assert (beyond.code, beyond.err) == (1, "memdesk: There is no message 9: this chat has 4.\n")


def test_hide_and_show(desk: Desk) -> None:
    chat = desk.talk(*LINES)
    assert desk.run("hide", "Talk", "2-3", "--json").json == {
        "chat": chat,
        "first": 2,
        "last": 3,
        "hidden": True,
    }
    sent = desk.run("prompt", "Talk", "--json").json["messages"]
    assert [item["content"] for item in sent if item["role"] != "system"] == ["one", "four"]
    assert desk.run("hide", "Talk", "3", "--show").code == 0
    sent = desk.run("prompt", "Talk", "--json").json["messages"]
    assert [item["content"] for item in sent if item["role"] != "system"] == ["one", "three", "four"]
    for wrong in ("3-2", "0", "a-b", "1-", "-1"):
        assert desk.run("hide", "Talk", wrong).code == 2
    assert desk.run("hide", "Talk", "1-9").code == 1


def test_checkpoints_are_listed_added_and_removed(desk: Desk) -> None:
    desk.talk(*LINES)
    assert desk.run("checkpoints", "Talk").out == "No checkpoints yet.\n"
    desk.run("checkpoints", "Talk", "--add", "门", "--at", "2")
    (mark,) = desk.run("checkpoints", "Talk", "--add", "End", "--json").json[1:]
    assert (mark["name"], mark["number"]) == ("End", 4)
    assert desk.run("checkpoints", "Talk", "--remove", "?").code == 1
    assert desk.run("checkpoints", "Talk", "--add", " ").code == 1
    left = desk.run("checkpoints", "Talk", "--remove", "门", "--json").json
    assert [item["name"] for item in left] == ["End"]
    assert desk.run("checkpoints", "Talk", "--remove", str(mark["id"]), "--json").json == []


def test_continue_prints_what_comes(desk: Desk) -> None:
    with FakeLLM() as server:
        server.reply = "and more."
        desk.connect(server.profile())
        desk.talk("Hello.", "She waits")
        done = desk.run("continue", "Talk")
        assert (done.code, done.out) == (0, " and more.\n")
        assert desk.run("continue", "Talk", "--json").json["text"] == "She waits and more. and more."
        desk.talk(title="Empty")
        assert desk.run("continue", "Empty").code == 1
