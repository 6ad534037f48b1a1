"""`memdesk summaries`, from the command's side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.work.cancel import CancelToken
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "data")


@pytest.fixture
def server(desk: Desk) -> Iterator[FakeLLM]:
    with FakeLLM(reply='{"title": "So far", "summary": "They talked."}') as running:
        desk.connect(running.profile())
        yield running


@pytest.mark.usefixtures("server")
def test_summaries_are_written_and_listed(desk: Desk) -> None:
    chat = desk.talk(*(f"Line {number}." for number in range(30)))
    assert desk.json("summaries", str(chat)) == {"chat": chat, "uncovered": 29, "summaries": []}
    made = desk.json("summaries", "Talk", "--generate", "9-4")
    assert (made["title"], made["text"]) == ("So far", "They talked.")
    assert (made["first_message"], made["last_message"], made["messages"]) == (4, 9, 6)
    assert made["state"] is None
    newest = desk.json("summaries", "Talk", "--generate")
    assert (newest["first_message"], newest["last_message"]) == (1, 30)
    listed = desk.json("summaries", "Talk")
    assert [entry["id"] for entry in listed["summaries"]] == [made["id"], newest["id"]]
    shown = desk.run("summaries", "Talk")
    assert "#4–9" in shown.out
    assert "They talked." in shown.out


def test_a_backfill_says_what_failed(desk: Desk, server: FakeLLM) -> None:
    chat = desk.talk(*(f"Line {number}." for number in range(30)))
    with desk.open() as workspace:
        workspace.summaries.set_settings(chat, mode="entries", user_messages=False, every_messages=10)
    server.faults.extend([Fault(status=500), None])
    outcome = desk.run("summaries", "Talk", "--backfill")
    assert outcome.code == 1
    assert "2 of 3 summaries written." in outcome.out
    assert "#1–10 failed" in outcome.err
    assert "failed" not in outcome.out
    done = desk.json("summaries", "Talk", "--backfill")
    assert (len(done["written"]), done["failed"], done["left"]) == (1, [], 0)
    assert "already summarised" in desk.run("summaries", "Talk", "--backfill").out


def test_without_a_language_model_a_backfill_says_so_once(desk: Desk) -> None:
    chat = desk.talk(*(f"Line {number}." for number in range(30)))
    with desk.open() as workspace:
        workspace.summaries.set_settings(chat, user_messages=False, every_messages=10)
    outcome = desk.run("summaries", "Talk", "--backfill")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == (
        "memdesk: The demo voice cannot summarise. Choose a connection with a language model.\n"
    )


def test_summaries_replace_no_file_unless_told_to(desk: Desk, tmp_path: Path) -> None:
    desk.talk("One.", "Two.")
    path = tmp_path / "kept.json"
    path.write_text("mine", "utf-8")
    refused = desk.run("summaries", "Talk", "--export", str(path))
    assert (refused.code, refused.out, path.read_text("utf-8")) == (1, "", "mine")
    assert "--force" in refused.err
    assert desk.json("summaries", "Talk", "--export", str(path), "--force")["summaries"] == 0
    assert path.read_text("utf-8") != "mine"


def test_what_cannot_be_done_is_told(desk: Desk) -> None:
    desk.talk("One.", "Two.")
    no_model = desk.run("summaries", "Talk", "--generate")
    assert no_model.code == 1
    assert "demo voice cannot summarise" in no_model.err
    beyond = desk.run("summaries", "Talk", "--generate", "1-9")
    assert beyond.code == 1
    assert "this chat has 2" in beyond.err
    assert desk.run("summaries", "Talk", "--generate", "x").code == 2
    assert desk.run("summaries", "Nobody").code == 1


def test_a_useless_answer_is_told_and_stores_nothing(desk: Desk, server: FakeLLM) -> None:
    desk.talk("One.", "Two.")
    server.reply = "*She laughs.*"
    outcome = desk.run("summaries", "Talk", "--generate")
    assert outcome.code == 1
    assert "went on with the story" in outcome.err
    assert desk.json("summaries", "Talk")["summaries"] == []


def test_a_deleted_chat_takes_its_summaries_along(desk: Desk) -> None:
    chat = desk.talk("One.", "Two.")
    with desk.open() as workspace:
        workspace.summaries.write(chat, "Kept", "They talked.", 1, 2)
        undo = workspace.library.delete_chat(chat)
        undo.run()
        assert workspace.summarising.planned(chat) == []
        assert workspace.summarising.if_due(chat, CancelToken()) is None
    assert desk.json("summaries", "Talk")["summaries"][0]["title"] == "Kept"
