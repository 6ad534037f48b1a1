"""A data folder with very many memories, filled with synthetic vectors, and how recall does in it."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np

from memdesk.memory.layer import ContributionRequest
from memdesk.memory.recall.chunking import chunks_of
from memdesk.store.messages import NewMessage
from memdesk.store.vectors import text_hash
from memdesk.workspace import Workspace
from tests.benchmarks.measuring import lines, quick_count
from tests.support.workspaces import BEGIN, talk

RECALL_SECONDS = 0.150
MEGABYTES = 700
TOPICS = 400
QUERIES = 60


def fill(folder: Path, large: int, total: int) -> None:
    """Make a chat with so many memories, and others until all have `total`; only the large one is indexed."""
    noise = np.random.default_rng(3)
    with Workspace(folder, samples=False, background=False) as workspace:
        workspace.sync._count = quick_count
        topics = noise.standard_normal((TOPICS, 384)).astype(np.float32)
        rest = total
        number = 0
        while rest > 0:
            count = min(large, rest)
            rest -= count
            number += 1
            texts = lines(2_000, seed=number)
            choose = random.Random(number)
            chat = talk(workspace, title=f"Chat {number}", name=f"Mara {number}")
            for start in range(0, count, 10_000):
                some = range(start, min(start + 10_000, count))
                said = [f"{place}. {choose.choice(texts)}"[:120] for place in some]
                rows = [
                    NewMessage("user" if n % 2 else "assistant", "Alex" if n % 2 else "Mara", (text,),
                               created_at=BEGIN + timedelta(minutes=start + n))
                    for n, text in enumerate(said)
                ]  # fmt: skip
                ids = workspace.messages.add(chat.id, rows)
                chunks = []
                for message in workspace.messages.get_many(ids):
                    chunks += chunks_of(message, 400, quick_count)
                workspace.chunks.replace(chat.id, (), chunks)
                directions = topics[noise.integers(0, TOPICS, len(chunks))]
                vectors = directions + noise.standard_normal(directions.shape).astype(np.float32) * 0.8
                vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
                pairs = zip((text_hash(chunk.text) for chunk in chunks), vectors, strict=True)
                workspace.vectors.put(workspace.sync.space_id, pairs)
            with workspace.database.write() as db:
                db.execute("DELETE FROM stale_messages")
                db.execute("DELETE FROM unindexed_messages")
        workspace.space_store.serve(workspace.space_store.choices(), workspace.sync.space_id)
        workspace.sync.indexing.check_chat(1)


def recall(folder: Path) -> None:
    """Ask the large chat as replies do; print times and memory, and fail beyond the limits."""
    with Workspace(folder, samples=False, background=False) as workspace:
        layer: Any = next(layer for layer in workspace.layers if layer.name == "recall")
        chat = workspace.chats.get(1)
        history = workspace.messages.before(1, None, 40)
        budget = workspace.conversation._prompts.budget(workspace.profile())
        asked = lines(QUERIES + 5, seed=99)
        workspace.count("load the tokenizer")
        workspace.index.health()
        times = []
        for text in asked:
            last = replace(history[-1], swipe=replace(history[-1].swipe, text=text))
            said = [*history[:-1], last]
            request = ContributionRequest(
                chat=chat,
                history=said,
                in_prompt=frozenset(message.id for message in said),
                protected=frozenset(message.id for message in said[-5:]),
                before_number=chat.messages + 1,
                budget=budget,
                room=budget.memory,
            )
            started = time.perf_counter()
            found = layer.contribute(request)
            times.append(time.perf_counter() - started)
            assert found.parts
        times = times[5:]
        counts = workspace.sync.counts()
        total = sum(count[0] for count in counts.values())
        index = workspace.index.size_bytes() / 1e6
        p50, p95 = np.quantile(times, 0.5), np.quantile(times, 0.95)
        used = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * 4096 / 1e6
        print(
            f"recall from {counts[1][0]:,} memories of one chat ({total:,} in all):"
            f" p50 {p50 * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, limit {RECALL_SECONDS * 1000:.0f} ms;"
            f" resident {used:.0f} MB, limit {MEGABYTES} MB; index {index:.0f} MB",
            flush=True,
        )
        assert p95 <= RECALL_SECONDS
        assert used <= MEGABYTES
