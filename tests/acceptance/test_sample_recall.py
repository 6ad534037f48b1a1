"""The sample chats: facts planted early are recalled by a question, with the real embedder and index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.assets import asset
from memdesk.samples import sample_ids
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import real_embedder, sync

TOP = 5
SHARE = 0.8
"""Share of the plainly asked questions whose answer must be among the first `TOP`."""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with the samples, embedded once (some 20 s a sample on one core)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memdesk.workspace.OnnxEmbedder", real_embedder)
        workspace = Workspace(tmp_path_factory.mktemp("samples"), background=False)
    workspace.index.health()  # its thread begins here, and ends with the workspace
    yield workspace
    workspace.close()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", sample_ids())
def test_plain_questions_find_their_answers(samples: Workspace, name: str) -> None:
    chat = next(item for item in samples.chats.all() if item.sample == name)
    sync(samples, chat.id)
    sample = json.loads(asset("sample", f"{name}.json").read_text("utf-8"))
    ids = samples.messages.ids(chat.id)
    plain = [fact for fact in sample["facts"] if fact["kind"] == "plain"]
    assert len(plain) >= 10
    missed = []
    for fact in plain:
        asked = samples.conversation.recall(chat.id, fact["question"], TOP)
        contribution = next(found for found in asked if found.layer == "recall")
        ranked = sorted(contribution.parts, key=lambda part: -(part.score or 0.0))[:TOP]
        wanted = ids[fact["message"]]
        if not any(wanted in part.source["messages"] for part in ranked):
            missed.append(fact["question"])
    found = 1 - len(missed) / len(plain)
    assert found >= SHARE, f"{found:.0%} of {len(plain)} found; missed: {missed}"


@pytest.mark.parametrize("name", sample_ids())
def test_what_newcomers_are_told_to_try_recalls_something(samples: Workspace, name: str) -> None:
    chat = next(item for item in samples.chats.all() if item.sample == name)
    sample = json.loads(asset("sample", f"{name}.json").read_text("utf-8"))
    for line in sample["try"]:
        receipt = samples.conversation.preview(chat.id, line)
        assert receipt.sent("memory") > 0, line


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "question", "answer"),
    [("mira", "When is your birthday?", "Fifteenth of March"), ("elia", "你的生日是哪天？", "冬至")],
)
def test_the_first_question_of_a_newcomer_brings_its_answer_back(
    samples: Workspace, name: str, question: str, answer: str
) -> None:
    """Not asked alone, as the command does, but after the chat's last message."""
    chat = next(item for item in samples.chats.all() if item.sample == name)
    sync(samples, chat.id)
    receipt = samples.conversation.preview(chat.id, question)
    sent = [part.text for part in receipt.parts if part.kind == "memory" and part.included]
    assert any(answer in text for text in sent), sent


@pytest.mark.parametrize(
    ("name", "question", "answer"),
    [("mira", "When is your birthday?", "Fifteenth of March"), ("elia", "你的生日是哪天？", "冬至")],
)
def test_before_anything_is_embedded_words_find_it(
    tmp_path: Path, name: str, question: str, answer: str
) -> None:
    with Workspace(tmp_path / "data", background=False) as workspace:
        chat = next(item for item in workspace.chats.all() if item.sample == name)
        workspace.sync.chunk_stale(CancelToken(), chat.id)
        receipt = workspace.conversation.preview(chat.id, question)
    sent = [part.text for part in receipt.parts if part.kind == "memory" and part.included]
    assert any(answer in text for text in sent), sent
