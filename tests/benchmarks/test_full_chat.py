"""A group of years: hidden messages and fifty versions of each reply cost a page and a prompt no more."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memdesk.chats.model import Chat
from memdesk.store.messages import NewMessage
from memdesk.workspace import Workspace
from tests.benchmarks.measuring import judge, lines, slowness

pytestmark = [pytest.mark.benchmark, pytest.mark.timeout(300)]

MESSAGES = 10_000
VERSIONS = 50
FULL = 200
"""The newest replies, which have all their versions"""
PAGE_SECONDS = 0.05
PROMPT_SECONDS = 0.15


def best(run: Callable[[], Any]) -> float:
    taken = []
    for _ in range(5):
        started = time.perf_counter()
        run()
        taken.append(time.perf_counter() - started)
    return min(taken)


def grown(workspace: Workspace, *, full: bool) -> Chat:
    """Return a chat of ten thousand messages: a group with everything, or a plain one."""
    names = ("Mira", "Tom", "Zhao") if full else ("Mira",)
    ids = [
        workspace.library.add_character(name, {"spec": "chara_card_v3", "data": {"name": name}}).id
        for name in names
    ]
    chat = workspace.groups.new_group(ids) if full else workspace.library.new_chat(ids[0])
    said = lines(MESSAGES)
    new = []
    for place, text in enumerate(said):
        if place % 2 == 0:
            new.append(NewMessage("user", "Alex", (text,)))
            continue
        who = place // 2 % len(ids)
        many = full and place > MESSAGES - 2 * FULL
        texts = tuple(f"{text} {number}" for number in range(VERSIONS)) if many else (text,)
        new.append(NewMessage("assistant", names[who], texts, character_id=ids[who]))
    stored = workspace.messages.add(chat.id, new)
    workspace.messages.set_tokens(
        [(message.swipe.id, 20) for message in workspace.messages.page(chat.id, MESSAGES - 2_000, 2_001)]
    )
    if full:
        workspace.acts.hide(stored[1_000:6_000], hidden=True)
        workspace.acts.hide(stored[-40:-10], hidden=True)
    return workspace.chats.get(chat.id)


def test_everything_at_once_costs_no_more(tmp_path: Path, qapp: Any) -> None:  # noqa: ARG001 — it measures the machine
    with Workspace(tmp_path / "data", samples=False, background=False) as workspace:
        plain, full = grown(workspace, full=False), grown(workspace, full=True)
        factor = slowness()
        workspace.conversation.preview(plain.id)
        for what, limit, run in (
            (
                "the newest 100 messages",
                PAGE_SECONDS,
                lambda chat: workspace.messages.page(chat.id, chat.messages - 99, 100),
            ),
            ("the next prompt", PROMPT_SECONDS, lambda chat: workspace.conversation.preview(chat.id)),
        ):
            base = best(lambda run=run: run(plain))  # type: ignore[misc]
            taken = best(lambda run=run: run(full))  # type: ignore[misc]
            judge(what, taken, limit, ("the same in a plain chat", base), factor)
