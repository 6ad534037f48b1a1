"""A model file that is missing or broken: said so, and everything else goes on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memdesk.assets import asset
from memdesk.embedding.onnx import OnnxEmbedder
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import Desk, use_embedder

LINES = (
    "The brass key is in the biscuit tin.",
    "A strange place.",
    "I like my porridge with salt.",
    "So do I.",
)


def remove(path: Path) -> None:
    path.unlink()


def truncate(path: Path) -> None:
    content = path.read_bytes()[:1_000_000]
    path.unlink()  # it is a link to the real one
    path.write_bytes(content)


def garbage(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"\x00\xffnot a model\n" * 1000)


def empty(path: Path) -> None:
    path.unlink()
    path.write_bytes(b"")


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model folder of our own, named by MEMDESK_MODEL_DIR; links, so that nothing is copied."""
    folder = tmp_path / "models"
    folder.mkdir()
    for path in asset("model").iterdir():
        try:
            (folder / path.name).symlink_to(path)
        except OSError:
            shutil.copyfile(path, folder / path.name)
    monkeypatch.setenv("MEMDESK_MODEL_DIR", str(folder))
    return folder


@pytest.mark.parametrize(
    ("name", "harm"),
    [
        ("model.onnx", remove),
        ("model.onnx", truncate),
        ("model.onnx", garbage),
        ("model.onnx", empty),
        ("tokenizer.model", remove),
        ("tokenizer.model", truncate),
    ],
)
def test_it_is_said_chat_goes_on_and_recall_works_by_words(
    desk: Desk,
    server: FakeLLM,
    models: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    harm: Callable[[Path], None],
) -> None:
    use_embedder(monkeypatch, OnnxEmbedder)
    harm(models / name)
    chat = desk.talk(*LINES)
    desk.connect(server.profile())
    sent = desk.run("send", str(chat), "Where is the brass key?")
    assert (sent.code, sent.out) == (0, "You said: Where is the brass key?\n"), sent.err

    body = desk.json("memories", str(chat))
    assert {chunk["status"] for chunk in body["chunks"]} == {"Embedding unavailable"}
    assert body["counts"] == {"vectorized": 0, "waiting": 0, "unavailable": len(body["chunks"])}
    counts = desk.json("chats")[0]["memories"]
    assert counts == {"vectorized": 0, "waiting": 0, "unavailable": len(body["chunks"])}

    found = desk.run("recall", str(chat), "--query", "brass key biscuit", "--json")
    assert found.code == 0
    assert found.json["results"][0]["text"] == f"Alex: {LINES[0]}"
    assert found.json["results"][0]["parts"]["meaning"] == 0

    synced = desk.run("sync", str(chat), "--json")
    assert (synced.code, synced.out) == (1, "")
    assert name in synced.err
    doctor = desk.run("doctor", "--json")
    assert doctor.code == 1
    assert doctor.json["embedder"]["available"] is False
    assert any(name in problem for problem in doctor.json["problems"])

    # The file comes back: everything that waited is vectorized.
    (models / name).unlink(missing_ok=True)
    (models / name).symlink_to(asset("model", name))
    assert desk.json("sync", "--all")[0]["memories"] == {
        "vectorized": len(body["chunks"]),
        "waiting": 0,
        "unavailable": 0,
    }


@pytest.mark.parametrize("harm", [remove, garbage])
def test_what_has_vectors_keeps_them_and_is_found_by_words_meanwhile(
    desk: Desk, models: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None]
) -> None:
    chat = desk.talk(*LINES)
    desk.json("sync", str(chat))
    use_embedder(monkeypatch, OnnxEmbedder)
    harm(models / "model.onnx")
    desk.json("send", str(chat), "Where is the brass key?")
    counts = desk.json("memories", str(chat))["counts"]
    assert (counts["vectorized"], counts["waiting"]) == (4, 0)
    assert counts["unavailable"] > 0

    found = desk.run("recall", str(chat), "--query", "brass key biscuit", "--json")
    assert found.json["results"][0]["text"] == f"Alex: {LINES[0]}"
    assert "Recall works by words only" in found.err
    assert "model.onnx" in found.err
    (warning,) = desk.json("prompt", str(chat), "--message", "Where is the key?")["receipt"]["warnings"]
    assert "model.onnx" in warning
