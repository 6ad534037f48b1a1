"""The `memdesk` command as the README documents it: JSON names, exit codes, stdout and stderr."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from devtools.environment import ROOT

from memdesk.store.errors import store_error
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import Desk, sync, talk, wait_until

STATUSES = {"Vectorized", "Waiting for vector", "Embedding unavailable"}


def write_card(path: Path, **data: object) -> Path:
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Mara", **data}}
    path.write_text(json.dumps(card, ensure_ascii=False), "utf-8")
    return path


def test_chats_has_the_promised_shape(desk: Desk) -> None:
    chat = desk.talk("Hello there, old friend.", "Good day to you.", title="Tea")
    assert desk.json("chats") == [
        {
            "id": chat,
            "title": "Tea",
            "characters": ["Mara"],
            "kind": "single",
            "mode": "roleplay",
            "messages": 2,
            "memories": {"vectorized": 0, "waiting": 2, "unavailable": 0},
        }
    ]
    desk.json("sync", "--all")
    assert desk.json("chats")[0]["memories"] == {"vectorized": 2, "waiting": 0, "unavailable": 0}


def test_an_empty_folder_has_no_chats(desk: Desk) -> None:
    assert desk.json("chats") == []
    assert desk.json("sync", "--all") == []


def test_memories_has_the_promised_shape_newest_first(desk: Desk) -> None:
    chat = desk.talk("Hello there, old friend.", "Good day to you.")
    desk.json("sync", str(chat))
    body = desk.json("memories", "Talk")
    assert set(body) == {"chat", "counts", "chunks"}
    assert (body["chat"], body["counts"]) == (chat, {"vectorized": 2, "waiting": 0, "unavailable": 0})
    assert [chunk["text"] for chunk in body["chunks"]] == [
        "Mara: Good day to you.",
        "Alex: Hello there, old friend.",
    ]
    ids = [row[0] for row in desk.query("SELECT id FROM messages ORDER BY position")]
    first = body["chunks"][1]
    assert set(first) == {
        "id", "status", "text", "tokens", "source_messages", "first_time", "last_time", "frozen", "pinned",
        "enabled", "edited", "origin",
    }  # fmt: skip
    assert first["source_messages"] == [ids[0]]
    assert first["tokens"] > 3
    assert first["first_time"] == first["last_time"] == "2026-03-01T09:00:00+00:00"
    flags = [first[name] for name in ("frozen", "pinned", "enabled", "edited", "origin")]
    assert flags == [False, False, True, False, "native"]
    assert {chunk["status"] for chunk in body["chunks"]} == {"Vectorized"}


def test_statuses_are_the_three_phrases(desk: Desk) -> None:
    chat = desk.talk("Hello there, old friend.")
    desk.json("send", str(chat), "Do you like tea?")
    body = desk.json("memories", str(chat))
    assert {chunk["status"] for chunk in body["chunks"]} == {"Waiting for vector"}
    assert body["counts"] == {"vectorized": 0, "waiting": len(body["chunks"]), "unavailable": 0}
    assert {chunk["status"] for chunk in body["chunks"]} <= STATUSES


def test_recall_has_the_promised_shape(desk: Desk) -> None:
    chat = desk.talk("The key is in the teapot.", "Is it?", "I like rain.", "I prefer snow.")
    desk.json("sync", str(chat))
    body = desk.json("recall", str(chat), "--query", "Where is the key?")
    assert set(body) == {"query", "results"}
    assert body["query"] == "Where is the key?"
    best = body["results"][0]
    assert set(best) == {"id", "source_messages", "score", "parts", "included", "reason", "text"}
    assert best["text"] == "Alex: The key is in the teapot."
    assert best["included"] is True
    assert best["reason"].startswith("chosen: place 1")
    assert {"meaning", "words", "neighbour"} <= best["parts"].keys()
    assert all(row["reason"] for row in body["results"])
    scores = [row["score"] for row in body["results"]]
    assert scores == sorted(scores, reverse=True)


def test_recall_top_is_as_many_as_asked_for(desk: Desk) -> None:
    chat = desk.talk(*(f"Number {number} on the list of boats in the bay." for number in range(40)))
    desk.json("sync", str(chat))
    for top in (1, 5, 40):
        rows = desk.json("recall", str(chat), "--query", "boats in the bay", "--top", str(top))["results"]
        assert len(rows) == top
    assert sum(row["included"] for row in rows) == 3


def test_prompt_has_the_promised_shape_and_sends_nothing(desk: Desk) -> None:
    chat = desk.talk("Hello.", "Good day.")
    before = desk.query("SELECT count(*) FROM messages")
    body = desk.json("prompt", str(chat), "--message", "How are you?")
    assert set(body) == {"messages", "receipt"}
    assert [message["role"] for message in body["messages"]] == ["system", "user", "assistant", "user"]
    assert all(set(message) == {"role", "content"} for message in body["messages"])
    assert body["messages"][-1]["content"] == "How are you?"
    assert (body["receipt"]["context"], body["receipt"]["reserve"]) == (8192, 512)
    assert all(part["reason"] and part["tokens"] >= 0 for part in body["receipt"]["parts"])
    assert desk.query("SELECT count(*) FROM messages") == before


def test_prompt_without_a_message_is_the_chat_as_it_stands(desk: Desk) -> None:
    chat = desk.talk("Hello.", "Good day.")
    assert desk.json("prompt", str(chat))["messages"][-1]["content"] == "Good day."


def test_import_begins_a_chat_and_keeps_unknown_fields(desk: Desk, tmp_path: Path) -> None:
    card = write_card(
        tmp_path / "mara.json", first_mes="Hi {{user}}.", alternate_greetings=["Oh."], x_unknown={"a": [1]}
    )
    (row,) = desk.json("import", str(card))
    assert row["name"] == row["title"] == "Mara"
    assert desk.json("chats")[0]["messages"] == 1
    assert desk.query("SELECT text FROM swipes ORDER BY position") == [("Hi You.",), ("Oh.",)]
    stored = json.loads(desk.query("SELECT card FROM characters")[0][0])
    assert stored["data"]["x_unknown"] == {"a": [1]}


def test_import_tells_which_file_failed_and_imports_the_others(desk: Desk, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{", "utf-8")
    outcome = desk.run(
        "import", str(bad), str(write_card(tmp_path / "good.json")), str(tmp_path / "none.png")
    )
    assert outcome.code == 1
    assert "bad.json" in outcome.err
    assert "none.png" in outcome.err
    assert outcome.out == "Mara: chat 1 “Mara”\n"


def test_doctor_tells_versions_paths_embedder_and_index(desk: Desk) -> None:
    chat = desk.talk("Hello there, old friend.", "Good day to you.")
    desk.json("sync", str(chat))
    report = desk.json("doctor")
    assert report["ok"] is True
    assert report["problems"] == []
    assert report["versions"]["chromadb"] != "missing"
    assert report["paths"]["data"] == str(desk.folder)
    assert report["embedder"]["available"] is True
    assert report["embedder"]["self_test"] >= 0.99
    size = report["index"].pop("bytes")
    assert size > 0
    assert report["index"] == {
        "available": True,
        "place": "embedded",
        "wanted": 2,
        "missing": 0,
        "surplus": 0,
    }
    assert report["database"]["check"] == "ok"
    text = desk.run("doctor")
    assert text.out.splitlines()[-1] == "Everything is well."


@pytest.mark.parametrize(
    "arguments",
    [
        ("memories",),
        ("recall", "1"),
        ("recall", "1", "--query", "x", "--top", "0"),
        ("recall", "1", "--query", "x", "--top", "many"),
        ("sync",),
        ("sync", "1", "--all"),
        ("send",),
        ("import",),
        ("dance",),
        ("chats", "--loud"),
    ],
)
def test_wrong_use_is_exit_code_2_and_touches_nothing(desk: Desk, arguments: tuple[str, ...]) -> None:
    outcome = desk.run(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "usage: memdesk" in outcome.err
    assert not desk.folder.exists()


@pytest.mark.parametrize(
    "name", ["7", "No such chat", "", "9" * 30, "9" * 5000, "²", "-1", "1; DROP TABLE chats"]
)
def test_a_chat_that_is_not_there_is_told_in_one_sentence(desk: Desk, name: str) -> None:
    desk.talk("Hello.")
    outcome = desk.run("memories", "--json", "--", name)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("memdesk: There is no chat ")
    assert outcome.err.count("\n") == 1


def test_a_chat_is_named_by_id_or_unique_title(desk: Desk) -> None:
    first, second = desk.talk("One.", title="Tea"), desk.talk("Two.", title="Tea")
    named = desk.talk("Three.", title="Ärger im Café")
    number = desk.talk("Four.", title="2026")
    assert desk.json("memories", str(second))["chat"] == second
    assert desk.json("memories", "ärger im CAFÉ")["chat"] == named
    assert desk.json("memories", "2026")["chat"] == number
    outcome = desk.run("memories", "tea")
    assert outcome.code == 1
    assert f"{first}" in outcome.err
    assert f"{second}" in outcome.err


def test_the_data_folder_can_be_named_before_and_after_the_job(tmp_path: Path) -> None:
    from memdesk.__main__ import main

    for place, line in enumerate(
        (["--data-dir", "{}", "--no-samples", "chats"], ["--no-samples", "chats", "--data-dir", "{}"])
    ):
        folder = tmp_path / f"folder{place}"
        assert main([part.format(folder) for part in line]) == 0
        assert (folder / "memdesk.db").is_file()


def test_the_first_start_brings_the_samples_and_only_the_first(desk: Desk) -> None:
    from memdesk.__main__ import main

    assert main(["--data-dir", str(desk.folder), "chats"]) == 0
    titles = sorted(row["title"] for row in desk.json("chats"))
    assert titles == ["The Lighthouse", "沉船之后"]
    assert all(row["messages"] >= 200 for row in desk.json("chats"))
    with desk.open() as workspace:
        for chat in workspace.chats.all():
            workspace.library.delete_chat(chat.id)
    assert main(["--data-dir", str(desk.folder), "chats"]) == 0
    assert desk.json("chats") == []


def test_stdout_is_utf_8_whatever_the_locale_says(desk: Desk) -> None:
    desk.talk("你好，世界", title="沉船 🚢")
    outcome = desk.process("chats", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert outcome.code == 0, outcome.err
    assert outcome.json[0]["title"] == "沉船 🚢"


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break differently there")
def test_a_reader_that_goes_away_is_no_traceback(desk: Desk) -> None:
    desk.talk("Hello there.")
    desk.run("sync", "--all")
    read, write = os.pipe()
    os.close(read)
    line = [sys.executable, "-m", "memdesk", "--data-dir", str(desk.folder), "--no-samples", "memories", "1"]
    environment = {**os.environ, "PYTHONUNBUFFERED": ""}
    done = subprocess.run(
        line, stdout=write, stderr=subprocess.PIPE, env=environment, check=False, timeout=60
    )
    os.close(write)
    assert done.returncode == 1
    assert done.stderr == b""


def test_half_characters_on_the_command_line_are_no_traceback(desk: Desk) -> None:
    """A shell passes bytes that are no UTF-8 as lone surrogates."""
    chat = desk.talk("Hello there, old friend.")
    body = desk.process("recall", str(chat), "--query", os.fsdecode(b"friend \xff"), "--json")
    assert body.code == 0, body.err
    assert body.json["query"].startswith("friend ")
    outcome = desk.run("memories", "caf\udce9")
    assert outcome.code == 1
    assert desk.json("send", str(chat), "half \udce9")["state"] == "done"


def test_sync_can_be_repeated_and_embeds_nothing_twice(desk: Desk) -> None:
    with desk.open() as workspace:
        chat = talk(workspace, "Hello there, old friend.", "Good day to you.")
        sync(workspace, chat.id)
    before = desk.query("SELECT rowid, text_hash FROM vectors")
    assert desk.json("sync", "--all")[0]["memories"]["vectorized"] == 2
    assert desk.query("SELECT rowid, text_hash FROM vectors") == before


@pytest.mark.parametrize("line", [("recall", "Talk", "--query"), ("search",)])
@pytest.mark.parametrize("blank", ["", " \n", "\0"])
def test_nothing_to_look_for_is_told_alike(desk: Desk, line: tuple[str, ...], blank: str) -> None:
    desk.talk("Hello.")
    for more in ((), ("--json",)):
        outcome = desk.run(*line, blank, *more)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err == "memdesk: There is nothing to look for: name a word.\n"


def test_what_the_system_says_is_told_plainly(tmp_path: Path) -> None:
    # As a folder below one where no folder can be made.
    error = FileNotFoundError(errno.ENOENT, "No such file or directory", str(tmp_path))
    assert str(store_error(error, tmp_path)) == f"{tmp_path} could not be used: No such file or directory"


def test_a_reply_stopped_by_ctrl_c_is_a_failure(desk: Desk, server: FakeLLM) -> None:
    server.faults.append(Fault(silent=True))
    desk.connect(server.profile())
    desk.talk("Hello.", "Hi.")

    def press() -> None:
        wait_until(lambda: server.chat_requests)
        signal.raise_signal(signal.SIGINT)

    with ThreadPoolExecutor(1) as person:
        pressed = person.submit(press)
        outcome = desk.run("send", "Talk", "Well?")
        pressed.result()
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.splitlines()[-1].startswith("memdesk: stopped")
    assert desk.query("SELECT count(*) FROM messages WHERE role = 'user'") == [(2,)]


def test_the_readme_names_every_command(desk: Desk) -> None:
    part = (ROOT / "README.md").read_text("utf-8").split("## The command", 1)[1].split("\n## ", 1)[0]
    cells = [line.split(" | ")[0] for line in part.splitlines() if line.startswith("| `")]
    named = {words.split()[0] for cell in cells for words in re.findall(r"`([^`]+)`", cell)}
    offered = set(re.findall(r"^    ([a-z]+)\b", desk.run("--help").out, re.MULTILINE))
    assert len(offered) > 20
    assert named == offered
