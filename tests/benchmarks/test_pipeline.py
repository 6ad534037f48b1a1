"""From messages to memories that can be found: how fast, beside the bare model; and what much of it costs."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memdesk.assets import asset
from memdesk.embedding.onnx import OnnxEmbedder
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.benchmarks.measuring import sentences
from tests.support.workspaces import talk

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(1200)]

MESSAGES = int(os.environ.get("MEMDESK_MESSAGES", "10000"))
"""Fewer are measured quicker; limits are as much lower."""

PIPELINE = 1.15
"""The whole path may take so many times as long as the bare model with the same texts."""


def messages(count: int, length: int, *, chinese: bool) -> list[str]:
    """Return so many messages of exactly this length, hardly two of them alike."""
    choose = random.Random(length)
    pool = [sentence for sentence in sentences() if sentence.isascii() != chinese]
    found = []
    for _ in range(count):
        text = ""
        while len(text) < length:
            text += choose.choice(pool) + ("" if chinese else " ")
        found.append(text[:length].strip())
    return found


@pytest.mark.parametrize(
    ("language", "length", "limit"), [("English", 130, 100.0), ("Chinese", 60, 150.0)], ids=["en", "zh"]
)
def test_messages_become_memories(tmp_path: Path, language: str, length: int, limit: float) -> None:
    texts = messages(MESSAGES, length, chinese=language == "Chinese")
    with Workspace(tmp_path / "data", samples=False, background=False) as workspace:
        chat = talk(workspace, *texts)
        workspace.embedder.embed_passages(texts[:8])
        workspace.count(texts[0])
        workspace.index.health()
        started = time.perf_counter()
        workspace.sync.sync([chat.id], lambda _done, _total: None, CancelToken())
        took = time.perf_counter() - started
        chunks = workspace.chunks.page(chat.id, workspace.sync.space_of(chat.id))
        assert all(chunk.has_vector for chunk in chunks)
    bare = OnnxEmbedder(asset("model"), threads=workspace.embedder.threads)
    some = [chunk.text for chunk in chunks[: MESSAGES // 5]]
    bare.embed_passages(some[:8])
    started = time.perf_counter()
    bare.embed_passages(some)
    alone = (time.perf_counter() - started) * len(chunks) / len(some)
    print(
        f"\n{MESSAGES} {language} messages of {length} characters: {took:.1f} s ({MESSAGES / took:.0f}/s),"
        f" limit {limit * MESSAGES / 10_000:.0f} s; the bare model {alone:.1f} s;"
        f" ratio {took / alone:.2f}, limit {PIPELINE}",
        flush=True,
    )
    assert took / alone <= PIPELINE
    assert took <= limit * MESSAGES / 10_000


LARGE = """
import sys, time
from pathlib import Path
from tests.benchmarks.many import fill, recall
fill(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
recall(Path(sys.argv[1]))
"""


def test_a_hundred_thousand_memories_of_one_chat(tmp_path: Path) -> None:
    """In a process of its own, so that its memory is that of memdesk alone."""
    done = subprocess.run(
        [sys.executable, "-c", LARGE, str(tmp_path / "data"), "100000", "300000"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
    )
    print(done.stdout, flush=True)
    assert done.returncode == 0, done.stderr[-3000:]
