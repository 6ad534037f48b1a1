"""A search by words over 100,000 messages answers before a person has lifted the finger."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from memdesk.chats.finding import index_words
from memdesk.workspace import Workspace
from tests.benchmarks.measuring import judge, lines, quantile, slowness
from tests.benchmarks.test_chat_view import baseline
from tests.support.workspaces import talk

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(900)]

CHATS, EACH = 20, 5_000
DISTINCT = 20_000
LIMIT = 0.1
QUERIES = (
    *("the", "lantern", "she said", "door", "key", "th", "lan", "a", "red door", "unicorn"),
    *('"the door"', "你", "的", "灯塔", "魔王", "一个", "door 的", "what do you want", "it", "zzz"),
)


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A folder with 100,000 messages in 20 chats, indexed as the background does it, but all at once."""
    texts = lines(DISTINCT) * (CHATS * EACH // DISTINCT)
    known: dict[str, str] = {}
    with Workspace(tmp_path_factory.mktemp("many"), samples=False, background=False) as workspace:
        for number in range(CHATS):
            part = texts[number * EACH : (number + 1) * EACH]
            talk(workspace, *part, title=f"Talk {number}", name=f"Mara {number}")
        for text in texts[:DISTINCT]:
            known[text] = index_words(text)
        words = workspace.finder._words
        while waiting := words.to_index(10_000):
            words.put([(item, known.get(item.text or "", "")) for item in waiting])
        yield workspace


def measured(act: Callable[[str], Any]) -> list[float]:
    taken = []
    for query in QUERIES * 5:
        started = time.perf_counter()
        act(query)
        taken.append(time.perf_counter() - started)
    return taken


def test_words_are_found_over_a_hundred_thousand_messages(full: Workspace, qapp: QApplication) -> None:  # noqa: ARG001
    assert full.finder.search("the").total > 10_000
    assert full.finder.search("的").total > 1_000
    factor = slowness()
    base = ("layout", baseline())
    everywhere = measured(full.finder.search)
    judge("search of 100,000 messages, p95", quantile(everywhere, 0.95), LIMIT, base, factor)
    print(f"p50 {quantile(everywhere, 0.5) * 1000:.1f} ms, longest {max(everywhere) * 1000:.1f} ms")
    one = measured(lambda query: full.finder.in_chat(7, query))
    judge("search in a chat of 5,000 of them, p95", quantile(one, 0.95), LIMIT, base, factor)
