"""Jobs of the command on all memories of a chat at once: rebuild, clear, and measure."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from memdesk.commands.output import progress, show, stoppable
from memdesk.evaluation import evaluate, read_set
from memdesk.store.trash import KEEP_DAYS
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace


def rebuild(workspace: Workspace, options: argparse.Namespace) -> int:
    """Make the memories of chats anew from their messages, and embed what needs it."""
    chats = workspace.chats.all() if options.all else [workspace.chats.find(options.chat)]
    rows, lines = [], []
    with stoppable() as cancel:
        for chat in chats:
            rebuilt, _undo = workspace.upkeep.rebuild(chat.id, cancel, progress)
            rows.append({"chat": chat.id, "title": chat.title, **asdict(rebuilt)})
            lines.append(
                f"{chat.title}: {rebuilt.made} made anew, {rebuilt.removed} removed, {rebuilt.unchanged}"
                f" unchanged, {rebuilt.kept} kept"
            )
        workspace.sync.sync([chat.id for chat in chats], progress, cancel)
    show(options, rows, lines)
    return 0


def clear(workspace: Workspace, options: argparse.Namespace) -> int:
    """Put all memories of a chat into the trash."""
    chat = workspace.chats.find(options.chat)
    workspace.sync.chunk_stale(CancelToken(), chat.id)
    count = len(workspace.chunks.keys(chat.id))
    workspace.upkeep.clear(chat.id)
    days = f"; for {KEEP_DAYS} days they can be restored from the trash" if count else ""
    show(
        options,
        {"chat": chat.id, "title": chat.title, "cleared": count},
        [f"{chat.title}: {count} memories cleared{days}"],
    )
    return 0


def measure(options: argparse.Namespace) -> int:
    """Measure a memory layer with sets of questions; leaves the data folder alone."""
    sets = [read_set(path) for path in options.files]
    with stoppable() as cancel:
        report = evaluate(
            sets,
            tops=options.top,
            layer=options.layer,
            split=options.split,
            settings={"grain": options.grain},
            cancel=cancel,
            progress=progress,
        )
    tops = list(report["overall"])
    rows = [("", ["questions", *(f"R@{top}" for top in tops)])]
    for name, found in [*report["by_kind"].items(), *report["by_set"].items()]:
        rows.append((name, [str(found["questions"]), *(f"{found[top]:.1%}" for top in tops)]))
    overall = [f"{report['overall'][top]:.1%}" for top in tops]
    rows.append(("overall", [str(report["questions"]), *overall]))
    width = max(len(name) for name, _cells in rows)
    lines = [f"{name:<{width}}" + "".join(f"  {cell:>9}" for cell in cells) for name, cells in rows]
    milliseconds, speed = report["query_ms"], report["chunks_per_s"]
    lines.append(
        f"a query takes {milliseconds['p50']:.0f} ms (p95 {milliseconds['p95']:.0f} ms),"
        f" {speed:.0f} memories are made a second"
    )
    show(options, report, lines)
    return 0
