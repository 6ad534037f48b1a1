"""The command on all memories of a chat at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memdesk.embedding.base import EmbeddingError
from tests.support.workspaces import Desk, WordEmbedder, use_embedder

LINES = ("Hello there.", "Good day.", "So long.", "Farewell.", "Once more.", "And again.")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    made = Desk(tmp_path / "data")
    made.talk(*LINES)
    return made


def texts(listed: dict[str, Any]) -> list[str]:
    return [chunk["text"] for chunk in listed["chunks"]]


def test_rebuild_embeds_what_it_made_and_says_how_much(desk: Desk) -> None:
    desk.json("sync", "Talk")
    with desk.open() as workspace:
        workspace.memories.forget([1])
    (row,) = desk.json("rebuild", "Talk")
    assert row == {
        "chat": 1,
        "title": "Talk",
        "made": 1,
        "removed": 0,
        "unchanged": 5,
        "kept": 0,
        "again": 0,
    }
    assert desk.json("memories", "Talk")["counts"] == {"vectorized": 6, "waiting": 0, "unavailable": 0}
    assert desk.run("rebuild", "--all").out == "Talk: 0 made anew, 0 removed, 6 unchanged, 0 kept\n"
    assert desk.run("rebuild").code == 2
    assert desk.run("rebuild", "Nobody").code == 1


def test_a_rebuild_without_an_embedder_fails_with_its_reason(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_self: object, _texts: object) -> Any:
        raise EmbeddingError("model_broken", "The model is broken.")

    monkeypatch.setattr(WordEmbedder, "embed_passages", broken)
    outcome = desk.run("rebuild", "Talk")
    assert outcome.code == 1
    assert "The model is broken." in outcome.err
    assert len(desk.json("memories", "Talk")["chunks"]) == 6


def test_clear_leaves_the_messages_and_nothing_comes_back(desk: Desk) -> None:
    assert desk.json("clear", "Talk") == {"chat": 1, "title": "Talk", "cleared": 6}
    assert desk.json("memories", "Talk")["chunks"] == []
    assert desk.json("sync", "Talk")[0]["memories"] == {"vectorized": 0, "waiting": 0, "unavailable": 0}
    assert desk.json("chats")[0]["messages"] == 6
    assert desk.json("clear", "Talk")["cleared"] == 0
    assert desk.query("SELECT kind, count(*) FROM trash") == [("memories", 1)]


def test_memories_as_a_reply_at_a_message_would_know_them(desk: Desk) -> None:
    whole = texts(desk.json("memories", "Talk"))
    for number in range(1, 8):
        listed = desk.json("memories", "Talk", "--at", str(number))
        assert listed["at"] == number
        assert texts(listed) == whole[len(whole) - number + 1 :]
    outcome = desk.run("memories", "Talk", "--at", "8")
    assert (outcome.code, outcome.out) == (1, "")
    assert "6 messages" in outcome.err
    for wrong in ("0", "-1", "x"):
        assert desk.run("memories", "Talk", "--at", wrong).code == 2


def test_recall_of_a_chat_that_sends_none_says_so(desk: Desk) -> None:
    with desk.open() as workspace:
        workspace.memories.set_settings(1, enabled=False)
    outcome = desk.run("recall", "Talk", "--query", "farewell", "--json")
    assert outcome.json["results"][0]["text"] == "Mara: Farewell."
    assert "Memory Recall is off in this chat" in outcome.err
    receipt = desk.json("prompt", "Talk", "--message", "farewell")["receipt"]
    assert not [part for part in receipt["parts"] if part["kind"] == "memory"]


def test_evaluate_measures_either_grain(desk: Desk, tmp_path: Path) -> None:
    import json

    messages = [
        {"id": str(n), "name": "Mara", "role": "assistant", "text": f"Word{n} gull.", "time": None}
        for n in range(10)
    ]
    questions = [{"id": "q", "text": "Word7", "kind": "plain", "evidence": ["7"]}]
    path = tmp_path / "set.json"
    chat = {"id": "c", "messages": messages, "questions": questions}
    path.write_text(json.dumps({"name": "s", "language": "en", "chats": [chat]}))
    assert desk.json("evaluate", str(path), "--top", "1,5")["overall"] == {"1": 1.0, "5": 1.0}
    found = desk.json("evaluate", str(path), "--top", "1,5", "--grain", "exchanges")["overall"]
    assert found == {"1": 0.0, "5": 1.0}
    assert desk.run("evaluate", str(path), "--grain", "words").code == 2
