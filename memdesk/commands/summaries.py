"""What the command does with summaries."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from memdesk.chats.model import Chat
from memdesk.chats.text import one_line
from memdesk.memory.summaries.automatic import Progress
from memdesk.memory.summaries.coverage import Coverage
from memdesk.memory.summaries.files import exported, imported
from memdesk.store.errors import StoreError, translated
from memdesk.store.summaries import Summary
from memdesk.store.whole import write_whole
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

Row = dict[str, Any]


def listed(workspace: Workspace, chat: Chat) -> tuple[Row, list[str]]:
    """Return the summaries of a chat as JSON values, and as lines to read."""
    found = workspace.summaries.all(chat.id)
    value: Row = {
        "chat": chat.id,
        "uncovered": workspace.summarising.uncovered(chat.id),
        "summaries": [_row(entry, place) for entry, place in found],
    }
    lines = []
    for entry, place in found:
        where = f"#{place.first}–{place.last}" if place.first is not None else "–"
        marks = [entry.origin, f"~{entry.tokens:,} tokens"]
        marks += [name for name, on in (("frozen", entry.frozen), ("off", not entry.enabled)) if on]
        marks += ["waits for approval"] if entry.proposed else []
        marks += [f"taken in by {entry.superseded_by}"] if entry.superseded_by else []
        marks += [place.state.value.lower()] if place.state else []
        lines += [
            f"{entry.id:>5}  {where:<10}  {one_line(entry.title)}  ({', '.join(marks)})",
            entry.text,
            "",
        ]
    return value, lines or ["No summaries yet."]


def generate(
    workspace: Workspace, chat: Chat, cancel: CancelToken, numbers: tuple[int, int] | None
) -> tuple[Row, list[str]]:
    """Let the model summarise a range of messages, or the newest; returns the new entry."""
    first, last = numbers or (0, 0)
    entry_id = workspace.summarising.generate(chat.id, cancel, first, last)
    for entry, place in workspace.summaries.all(chat.id):
        if entry.id == entry_id:
            return _row(entry, place), [entry.title, "", entry.text]
    return {}, []


def backfill(
    workspace: Workspace, chat: Chat, cancel: CancelToken, progress: Callable[[int, int], None]
) -> tuple[Row, list[str]]:
    """Let the model summarise all that no summary covers; returns what became of it."""

    def report(now: Progress) -> None:
        progress(now.done, now.total)

    done = workspace.summarising.backfill(chat.id, cancel, report)
    failed = [{"first": batch.first, "last": batch.last, "error": str(error)} for batch, error in done.failed]
    value: Row = {"written": done.written, "failed": failed, "left": done.total - done.done}
    if not done.total:
        return value, ["Everything is already summarised."]
    return value, [f"{len(done.written):,} of {done.total:,} summaries written."]


def export(workspace: Workspace, chat: Chat, path: Path) -> tuple[Row, list[str]]:
    """Write the summaries of a chat into a file."""
    body = exported(workspace.summaries, chat.id, chat.title)
    with translated(path):
        write_whole(path, json.dumps(body, ensure_ascii=False, indent=2).encode())
    count = len(body["entries"])
    return {"file": str(path), "summaries": count}, [f"{count:,} summaries written to {path}."]


def take(workspace: Workspace, chat: Chat, path: Path) -> tuple[Row, list[str]]:
    """Add the summaries of a file to a chat."""
    with translated(path):
        content = path.read_bytes()
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise StoreError("not_summaries", f"{path} holds no summaries of memdesk.", path) from error
    ids = imported(workspace.summaries, workspace.messages, chat.id, body)
    return {"file": str(path), "added": ids}, [f"{len(ids):,} summaries added from {path}."]


def _row(entry: Summary, place: Coverage) -> Row:
    return {
        "id": entry.id,
        "title": entry.title,
        "text": entry.text,
        "tokens": entry.tokens,
        "origin": entry.origin,
        "source_mode": entry.source_mode,
        "first_message": place.first,
        "last_message": place.last,
        "messages": len(entry.covers),
        "state": place.state.value if place.state else None,
        "enabled": entry.enabled,
        "frozen": entry.frozen,
        "edited": entry.edited,
        "proposed": entry.proposed,
        "superseded_by": entry.superseded_by,
        "created": entry.created_at.isoformat(),
        "updated": entry.updated_at.isoformat(),
    }
