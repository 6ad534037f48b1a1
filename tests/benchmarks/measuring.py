"""What all benchmarks share: figures with their limits, and data folders of the size that limits speak of.

A limit is meant for a quiet machine with 2 cores. How much longer a machine that is slower, or shared with
other programs, takes for a fixed piece of work (laying out text) is measured, and limits are as much longer.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication

from memdesk.assets import asset
from memdesk.prompt.counting import count_missing
from memdesk.store.vectors import text_hash
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.benchmarks.test_chat_view import baseline, stretch
from tests.support.workspaces import talk

LONG = 10_000
"""Messages of a long chat."""

EMBEDDED = 300
"""Texts that get their real vector; all others get one of these with some noise."""

NOISE = 0.45
"""Length of the noise: neighbours of one text then have a cosine of about 0.83, as related lines have."""


def slowness() -> float:
    """Return how many times as long as a quiet machine this one takes for a fixed piece of work (1 or more).

    It is elapsed time, so it also tells how many programs share the processor at the moment.
    """
    started, spent = time.perf_counter(), time.thread_time()
    for _ in range(4):
        baseline()
    shared = (time.perf_counter() - started) / (time.thread_time() - spent)
    return max(1.0, shared) * stretch()


def judge(what: str, seconds: float, limit: float, base: tuple[str, float], factor: float) -> None:
    """Print a figure with its limit and its ratio to a baseline; fail when it is beyond the limit.

    `factor` says how many times the limit this machine may take: 1 when it is quiet.
    """
    print(
        f"\n{what}: {seconds * 1000:.1f} ms; limit {limit * 1000:.0f} ms × {factor:.2f} for this machine"
        f" at the moment; {seconds / base[1]:.2f} × {base[0]} ({base[1] * 1000:.1f} ms)",
        flush=True,
    )
    assert seconds <= limit * factor, f"{what}: {seconds * 1000:.0f} ms"


def sentences() -> list[str]:
    """Return the sentences of the sample chats, English and Chinese."""
    found: list[str] = []
    for path in sorted(asset("sample").glob("*.json")):
        for message in json.loads(path.read_text("utf-8"))["chat"]["messages"]:
            found += re.findall(r"[^.!?。！？\n]+[.!?。！？]+[”\"*]*", message["text"])
    return [sentence.strip() for sentence in found]


def lines(count: int, seed: int = 7) -> list[str]:
    """Return so many messages of one to four sentences, hardly two of them alike."""
    choose = random.Random(seed)
    known = sentences()
    return [" ".join(choose.sample(known, choose.randint(1, 4))) for _ in range(count)]


def make_hundred_chats(folder: Path) -> None:
    """Make a data folder with 100 chats of 100 messages, everything remembered, as a last run leaves it."""
    texts = lines(100 * 99)
    with Workspace(folder, samples=False, background=False) as workspace:
        for number in range(100):
            part = texts[number * 99 : number * 99 + 99]
            talk(workspace, *part, title=f"Talk {number}", name=f"Mara {number}")
        remember(workspace)


def make_long_chat(folder: Path, *, remembered: bool) -> None:
    """Make a data folder with chat 1 of 10,000 messages, and chat 2 of 100."""
    with Workspace(folder, samples=False, background=False) as workspace:
        assert talk(workspace, *lines(LONG), title="Long", name="Mara").id == 1
        assert talk(workspace, *lines(100, seed=8), title="Short", name="Tom").id == 2
        if remembered:
            remember(workspace)


def remember(workspace: Workspace) -> None:
    """Chunk everything, give every chunk a plausible vector, fill the index, count all tokens."""
    workspace.sync._count = quick_count  # the tokenizer would take most of the time
    workspace.sync.chunk_stale(CancelToken())
    space = workspace.sync.space_id
    waiting = workspace.chunks.without_vector(space, None, -1)
    embedded = workspace.embedder.embed_passages([chunk.text for chunk in waiting[:EMBEDDED]])
    noise = np.random.default_rng(7)
    pairs = []
    for place, chunk in enumerate(waiting):
        vector = embedded[place % EMBEDDED]
        if place >= EMBEDDED:
            away = noise.standard_normal(len(vector)).astype(np.float32)
            vector = vector + away * (NOISE / np.linalg.norm(away))
            vector /= np.linalg.norm(vector)
        pairs.append((text_hash(chunk.text), vector))
    workspace.vectors.put(space, pairs)
    workspace.sync.check_indexes()
    count_missing(workspace.messages, quick_count, CancelToken())


def quick_count(text: str) -> int:
    """Guess the tokens of a text."""
    return max(1, len(text) // 4)


def quantile(values: Sequence[float], share: float) -> float:
    """Return the value that a share of all values does not exceed."""
    return float(np.quantile(np.asarray(values), share))


def turn(seconds: float) -> None:
    """Let the window's events run for so long."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        QCoreApplication.processEvents()
        time.sleep(0.001)
