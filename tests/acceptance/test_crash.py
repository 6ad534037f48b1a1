"""`kill -9` in the middle: nothing that was said is lost, and everything told afterwards is true."""

from __future__ import annotations

import sqlite3
import sys

import pytest

from memdesk.chats.model import SwipeState
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.support.workspaces import Desk, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")


def test_kill_in_the_middle_of_a_streamed_reply(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk("Hello there, old friend.", "Good day to you.")
    desk.connect(server.profile())
    server.reply = Deltas([f"word{number} " for number in range(400)])
    server.fault = Fault(delta_delay=0.03)
    with desk.start("send", str(chat), "Tell me a long story.") as process:
        wait_until(
            lambda: desk.query("SELECT 1 FROM swipes WHERE state = 'streaming' AND text LIKE '%word9%'")
        )
        process.kill()
        process.communicate(timeout=30)

    with desk.open() as workspace:
        assert workspace.database.recovered
        messages = workspace.messages.page(chat, 1, 10)
        assert [m.text for m in messages[:3]] == [
            "Hello there, old friend.",
            "Good day to you.",
            "Tell me a long story.",
        ]
        reply = messages[3]
        assert reply.swipe.state is SwipeState.INTERRUPTED
        assert reply.text.startswith("word0 word1")
        receipt = workspace.receipts.get(reply.swipe.id)
        assert receipt is not None
        assert receipt["messages"][-1]["content"] == "Tell me a long story."
    assert desk.json("sync", str(chat))[0]["memories"]["waiting"] == 0
    assert desk.json("doctor")["ok"] is True
    texts = [chunk["text"] for chunk in desk.json("memories", str(chat))["chunks"]]
    assert any(text.startswith("Mara: word0 word1") for text in texts)
    server.fault = None
    server.reply = "Go on, then."
    assert desk.json("send", str(chat), "And?")["text"] == "Go on, then."


def test_kill_before_the_first_word_leaves_no_empty_reply(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk("Hello there, old friend.")
    desk.connect(server.profile())
    server.fault = Fault(silent=True)
    with desk.start("send", str(chat), "Are you there?") as process:
        wait_until(lambda: server.requests)
        process.kill()
        process.communicate(timeout=30)
    with desk.open() as workspace:
        assert [message.text for message in workspace.messages.page(chat, 1, 10)] == [
            "Hello there, old friend.",
            "Are you there?",
        ]


def test_kill_in_the_middle_of_embedding(desk: Desk) -> None:
    lines = [
        f"Entry {number}: a gull of the {number}th flock sat on post {number}. " * 4 for number in range(100)
    ]
    chat = desk.talk(*lines)

    def vectors() -> int:
        try:
            return int(desk.query("SELECT count(*) FROM vectors")[0][0])
        except sqlite3.Error:
            return 0

    with desk.start("sync", str(chat)) as process:
        wait_until(lambda: vectors() or process.poll() is not None, 90)
        process.kill()
        process.communicate(timeout=30)
    assert process.returncode == -9, "it was killed before it was done"

    have = vectors()
    body = desk.json("memories", str(chat))
    total = len(body["chunks"])
    assert 0 < have < total
    assert body["counts"] == {"vectorized": have, "waiting": total - have, "unavailable": 0}
    states = [chunk["status"] for chunk in body["chunks"]]
    assert (states.count("Vectorized"), states.count("Waiting for vector")) == (have, total - have)

    assert desk.json("sync", str(chat))[0]["memories"] == {
        "vectorized": total,
        "waiting": 0,
        "unavailable": 0,
    }
    report = desk.json("doctor")
    assert report["ok"] is True, report["problems"]
    index = {key: report["index"][key] for key in ("available", "wanted", "missing", "surplus")}
    assert index == {"available": True, "wanted": total, "missing": 0, "surplus": 0}
    assert desk.json("chats")[0]["messages"] == 100
