"""The parser and what the acceptance tests cannot see from outside."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memdesk import __version__
from memdesk.__main__ import main
from memdesk.cli import JOBS, parser
from memdesk.work.cancel import CancelToken
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.support.workspaces import Desk, WordEmbedder, use_embedder


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    return Desk(tmp_path / "data")


def test_every_job_is_described_and_takes_json_and_a_folder(desk: Desk) -> None:
    text = desk.run("--help").out
    for name in JOBS:
        assert name in text
        about = desk.run(name, "--help")
        assert about.code == 0
        assert "--json" in about.out
        assert "--data-dir" in about.out


def test_the_version(desk: Desk) -> None:
    assert desk.run("--version").out == f"memdesk {__version__}\n"


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        (["chats"], None),
        (["--data-dir", "a", "chats"], Path("a")),
        (["chats", "--data-dir", "b"], Path("b")),
        (["--data-dir", "a", "chats", "--data-dir", "b"], Path("b")),
    ],
)
def test_the_folder_may_stand_before_or_after_the_job(line: list[str], folder: Path | None) -> None:
    assert parser().parse_args(line).data_dir == folder


def test_without_a_job_there_is_none() -> None:
    assert parser().parse_args([]).command is None


def test_sync_tells_its_progress_to_people_only(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = desk.talk(*(f"Line {number}." for number in range(20)))
    outcome = desk.run("sync", str(chat))
    assert (outcome.out, outcome.err) == ("Talk: 20 memories vectorized\n", "")
    other = desk.talk("More.", title="Other")
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["--data-dir", str(desk.folder), "--no-samples", "sync", str(other), "--json"]) == 0
    assert "\r1/1\n" in terminal.getvalue()


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_tables_for_reading(desk: Desk) -> None:
    assert desk.run("chats").out == "No chats yet.\n"
    chat = desk.talk("The key is in the tin.", "Is it?\nReally?")
    desk.run("sync", str(chat))
    assert desk.run("chats").out.splitlines()[1].split() == [str(chat), "2", "Talk"]
    lines = desk.run("memories", str(chat)).out.splitlines()
    assert [line.split(None, 1)[1] for line in lines] == [
        "Vectorized             Mara: Is it? Really?",
        "Vectorized             Alex: The key is in the tin.",
    ]
    recall = desk.run("recall", str(chat), "--query", "key tin").out.splitlines()
    assert recall[0].startswith("+ ")
    assert "Alex: The key is in the tin.  (chosen: place 1" in recall[0]
    prompt = desk.run("prompt", str(chat), "--message", "Well?").out
    assert "── user\nWell?\n" in prompt
    assert prompt.splitlines()[-1].endswith("512 kept free for the reply")


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_ctrl_c_stops_a_reply_and_keeps_it(desk: Desk) -> None:
    chat = desk.talk("Hello.")
    with FakeLLM(reply=Deltas(["one ", "two ", "three "])) as server:
        desk.connect(server.profile())
        server.fault = Fault(stall_after=2)
        with desk.start("send", str(chat), "Count.") as process:
            assert process.stdout is not None
            read = process.stdout.read(len("one two "))
            assert read == b"one two "
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert (read + out).decode() == "one two \n"
    assert b"stopped before the end" in err
    assert desk.query("SELECT text, state FROM swipes ORDER BY id DESC LIMIT 1") == [("one two", "stopped")]


def test_ctrl_c_is_given_back(desk: Desk) -> None:
    before = signal.getsignal(signal.SIGINT)
    desk.talk("Hello.")
    desk.run("sync", "--all")
    assert signal.getsignal(signal.SIGINT) is before


def test_stopping_a_sync_says_so(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.talk("Hello.")
    monkeypatch.setattr(CancelToken, "cancelled", property(lambda _self: True))
    monkeypatch.setattr("memdesk.commands.output.CancelToken", _Cancelled)
    outcome = desk.run("sync", "--all")
    assert (outcome.code, outcome.out, outcome.err) == (1, "", "memdesk: stopped\n")


class _Cancelled(CancelToken):
    def __init__(self) -> None:
        super().__init__()
        self.cancel()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["--data-dir", "", "chats"], "must name a folder"),
        (["chats", "--data-dir", " "], "must name a folder"),
        (["recall", "1", "--query", "x", "--top", "1e3"], "must be a whole number, 1 or more"),
        (["recall", "1", "--query", "x", "--top", "0"], "must be a whole number, 1 or more"),
    ],
)
def test_wrong_use_is_explained(line: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(line)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("line", [["--no-samples", "chats"], ["chats", "--no-samples"], ["--no-samples"]])
def test_no_samples_may_stand_before_or_after_the_job(line: list[str]) -> None:
    assert parser().parse_args(line).no_samples is True


def test_memories_are_made_before_they_are_shown(desk: Desk) -> None:
    for job in (["memories"], ["recall", "--query", "key tin"], ["prompt"]):
        # Equal texts share a vector, so every chat has its own.
        chat = desk.talk(f"The key is in the tin. {job[0]}", f"Is it? {job[0]}", title=job[0])
        row = next(row for row in desk.json("chats") if row["id"] == chat)
        assert row["memories"] == {"vectorized": 0, "waiting": 2, "unavailable": 0}
        outcome = desk.run(job[0], str(chat), *job[1:])
        assert outcome.code == 0
        assert "2 memories of this chat have no vector yet" in outcome.err
        assert f"`memdesk sync {chat}`" in outcome.err
        assert "Nothing is remembered" not in outcome.out
        assert "The key is in the tin." in outcome.out
        row = next(row for row in desk.json("chats") if row["id"] == chat)
        assert row["memories"] == {"vectorized": 0, "waiting": 2, "unavailable": 0}
        desk.run("sync", str(chat))
        assert desk.run(job[0], str(chat), *job[1:]).err == ""


@pytest.mark.parametrize("text", ["", " \n "])
def test_a_blank_message_is_not_sent(desk: Desk, text: str) -> None:
    chat = desk.talk("Hello.")
    outcome = desk.run("send", str(chat), text)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == "memdesk: There is nothing to send: the message is blank.\n"
    assert desk.json("chats")[0]["messages"] == 1


def test_a_failed_reply_prints_nothing(desk: Desk) -> None:
    chat = desk.talk("Hello.")
    with FakeLLM() as server:
        desk.connect(server.profile())
        server.fault = Fault(status=500)
        outcome = desk.run("send", str(chat), "Well?")
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith("memdesk: The server at ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize("job", [["chats"], ["chats", "--json"], ["send", "1", "Hello?"]])
def test_a_full_disk_on_stdout_is_told(desk: Desk, job: list[str]) -> None:
    desk.talk("Hello.")
    line = [sys.executable, "-m", "memdesk", "--data-dir", str(desk.folder), *job]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.decode() == "memdesk: The output could not be written: No space left on device.\n"
