"""Evaluation: the format, its errors, and figures that can be counted by hand."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdesk.evaluation import EvaluationError, evaluate, read_set
from memdesk.memory.recall.chunking import HARD_TOKENS
from memdesk.work.cancel import Cancelled, CancelToken
from tests.support.workspaces import Desk, WordEmbedder, contents, use_embedder

LINES = [
    ("assistant", "Mara", "The lamp is lit again."),
    ("user", "Alex", "The brass key hangs behind the stove."),
    ("assistant", "Mara", "Then nobody will look there."),
    ("user", "Alex", "My sister lives in Bergen."),
    ("assistant", "Mara", "Bergen is where the rain lives."),
    ("user", "Alex", ""),
]

SMALL: dict[str, Any] = {
    "name": "small",
    "language": "en",
    "chats": [
        {
            "id": "lamp",
            "messages": [
                {"id": f"m{place}", "name": name, "role": role, "text": text, "time": None}
                for place, (role, name, text) in enumerate(LINES, start=1)
            ],
            "questions": [
                {"id": "q1", "text": "Where is the brass key?", "kind": "plain", "evidence": ["m2"]},
                {"id": "q2", "text": "Who lives in Bergen?", "kind": "pair", "evidence": ["m4", "m5"]},
            ],
        }
    ],
}


@pytest.fixture(autouse=True)
def _quick_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


@pytest.fixture
def small() -> dict[str, Any]:
    return copy.deepcopy(SMALL)


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Path]:
    def write(content: object, name: str = "set.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(content), "utf-8")
        return path

    return write


def test_the_figures_can_be_counted(tmp_path: Path, written: Callable[..., Path]) -> None:
    report = Desk(tmp_path / "data").json("evaluate", str(written(SMALL)), "--top", "2,1")
    assert report["overall"] == {"1": 0.75, "2": 1.0}
    assert report["by_kind"] == {
        "pair": {"1": 0.5, "2": 1.0, "questions": 1},
        "plain": {"1": 1.0, "2": 1.0, "questions": 1},
    }
    assert report["by_set"] == {"small": {"1": 0.75, "2": 1.0, "questions": 2}}
    assert report["questions"] == 2
    assert 0 < report["query_ms"]["p50"] <= report["query_ms"]["p95"]
    assert report["chunks_per_s"] > 0


def test_the_usual_places_and_a_table_for_reading(tmp_path: Path, written: Callable[..., Path]) -> None:
    outcome = Desk(tmp_path / "data").run("evaluate", str(written(SMALL)))
    assert outcome.code == 0
    lines = [line.split() for line in outcome.out.splitlines()]
    assert lines[0] == ["questions", "R@1", "R@5", "R@10", "R@25"]
    assert ["overall", "2", "75.0%", "100.0%", "100.0%", "100.0%"] in lines
    assert outcome.err == ""


def test_several_files_count_together(written: Callable[..., Path], small: dict[str, Any]) -> None:
    small["name"] = "other"
    small["chats"][0]["questions"].pop(0)
    sets = [read_set(written(SMALL)), read_set(written(small, "other.json"))]
    report = evaluate(sets, tops=[1])
    assert report["overall"] == {"1": pytest.approx(2 / 3)}
    assert report["by_set"]["other"] == {"1": 0.5, "questions": 1}


def test_only_one_split(written: Callable[..., Path], small: dict[str, Any]) -> None:
    small["chats"][0]["questions"][0]["split"] = "report"
    sets = [read_set(written(small))]
    assert evaluate(sets, tops=[1], split="report")["overall"] == {"1": 1.0}
    assert evaluate(sets, tops=[1])["questions"] == 2
    with pytest.raises(EvaluationError, match="no questions of the split “dev”"):
        evaluate(sets, split="dev")


def test_a_long_message_counts_once(written: Callable[..., Path], small: dict[str, Any]) -> None:
    pieces = [f"The brass key number {number} hangs there." for number in range(HARD_TOKENS // 2)]
    small["chats"][0]["messages"][0]["text"] = " ".join(pieces)
    report = evaluate([read_set(written(small))], tops=[2])
    assert report["by_kind"]["plain"]["2"] == 1.0


def test_what_is_hidden_or_has_odd_characters_is_asked_for_too(
    written: Callable[..., Path], small: dict[str, Any]
) -> None:
    message = small["chats"][0]["messages"][1]
    message["hidden"] = True
    message["time"] = "2026-03-01T09:00:00+08:00"
    message["text"] += " \ud800\x00"
    assert evaluate([read_set(written(small))], tops=[1])["by_kind"]["plain"]["1"] == 1.0


def test_the_data_folder_is_left_alone_and_may_be_in_use(
    tmp_path: Path, written: Callable[..., Path]
) -> None:
    desk = Desk(tmp_path / "data")
    desk.talk("The brass key is lost.")
    with desk.open():
        before = contents(desk.folder)
        assert desk.run("evaluate", str(written(SMALL))).code == 0
        assert contents(desk.folder) == before


def _drop(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda record: record.pop(key)


def _put(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda record: record.update({key: value})


@pytest.mark.parametrize(
    ("place", "spoil", "code", "reason"),
    [
        ("set", _drop("chats"), "not_a_set", "chats: Field required"),
        ("set", _put("chats", []), "not_a_set", "chats: List should have at least 1 item"),
        ("chat", _drop("id"), "not_a_set", "chats[0].id: Field required"),
        ("chat", _drop("messages"), "not_a_set", "chats[0].messages: Field required"),
        ("message", _drop("id"), "not_a_set", "chats[0].messages[1].id: Field required"),
        ("message", _put("id", 2), "not_a_set", "chats[0].messages[1].id: Input should be a valid string"),
        ("message", _put("role", "system"), "not_a_set", "chats[0].messages[1].role: Input should be"),
        ("message", _put("time", "soon"), "not_a_set", "chats[0].messages[1].time: Input should be"),
        ("message", _put("id", "m1"), "same_id", "chat lamp: two messages have the id m1"),
        ("question", _drop("text"), "not_a_set", "chats[0].questions[1].text: Field required"),
        ("question", _drop("evidence"), "not_a_set", "chats[0].questions[1].evidence: Field required"),
        ("question", _put("evidence", []), "not_a_set", "chats[0].questions[1].evidence: List should have"),
        ("question", _put("evidence", ["m9"]), "no_evidence", "question q2: its evidence m9 is no message"),
        ("question", _put("id", "q1"), "same_id", "chat lamp: two questions have the id q1"),
    ],
)
def test_a_bad_file_is_named_with_the_reason(
    tmp_path: Path,
    written: Callable[..., Path],
    small: dict[str, Any],
    place: str,
    spoil: Callable[[dict[str, Any]], object],
    code: str,
    reason: str,
) -> None:
    chat = small["chats"][0]
    spoil(
        {"set": small, "chat": chat, "message": chat["messages"][1], "question": chat["questions"][1]}[place]
    )
    path = written(small, "bad.json")
    with pytest.raises(EvaluationError) as caught:
        read_set(path)
    assert caught.value.code == code
    outcome = Desk(tmp_path / "data").run("evaluate", str(path))
    assert (outcome.code, outcome.out) == (1, "")
    assert "bad.json is no evaluation set: " in outcome.err
    assert reason in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"\xff\xfe\x00", "not_json"),
        (b"[" * 100_000, "not_json"),
        (b"[]", "not_a_set"),
        (b"null", "not_a_set"),
    ],
)
def test_what_is_no_json_or_no_set(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(content)
    with pytest.raises(EvaluationError, match=r"odd\.json") as caught:
        read_set(path)
    assert caught.value.code == code


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match=r"gone\.json cannot be read") as caught:
        read_set(tmp_path / "gone.json")
    assert caught.value.code == "unreadable"


def test_an_unknown_layer_and_no_place_at_all(tmp_path: Path, written: Callable[..., Path]) -> None:
    desk, path = Desk(tmp_path / "data"), str(written(SMALL))
    outcome = desk.run("evaluate", path, "--layer", "dreams")
    assert outcome.code == 1
    assert "no memory layer “dreams”; there is: databank, recall, summary." in outcome.err
    assert desk.run("evaluate", path, "--top", "0").code == 2
    assert desk.run("evaluate", path, "--top", "1,").code == 2


def test_it_can_be_stopped(written: Callable[..., Path]) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        evaluate([read_set(written(SMALL))], cancel=cancel)
