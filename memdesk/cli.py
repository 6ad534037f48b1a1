"""The `memdesk` command: one job against a data folder, its result on stdout, everything else on stderr."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable
from typing import Any

from memdesk.chats.model import Chat
from memdesk.chats.text import clean, one_line
from memdesk.commands import chats, databank, imports, people, summaries, talk
from memdesk.commands.arguments import parser
from memdesk.commands.exports import export, must_be_new
from memdesk.commands.memories import clear, measure, rebuild
from memdesk.commands.output import progress as _progress
from memdesk.commands.output import say as _say
from memdesk.commands.output import show as _show
from memdesk.commands.output import stoppable as _stoppable
from memdesk.conversation import Busy
from memdesk.embedding.base import EmbeddingError
from memdesk.evaluation import EvaluationError
from memdesk.finder import Found, Group, numbers_of
from memdesk.formats.errors import FormatError
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.memory.summaries.request import BadSummary
from memdesk.memory.timeline import known_at
from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.parts import Part
from memdesk.store.chunks import Chunk, ChunkStatus
from memdesk.store.errors import StoreError
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace

__all__ = ["parser", "run"]

EXPECTED = (
    StoreError,
    FormatError,
    EmbeddingError,
    EvaluationError,
    PromptTooLarge,
    Busy,
    LLMError,
    KeyFileError,
    BadSummary,
)
"""Failures that are told in one sentence."""

NOTHING_NAMED = "There is nothing to look for: name a word."

Job = Callable[[Workspace, argparse.Namespace], int]
"""Does what options ask for, prints it, and returns the exit code."""


def run(options: argparse.Namespace) -> int:
    """Do the job of parsed options; returns the exit code: 0 done, 1 failed."""
    for stream in (sys.stdout, sys.stderr):
        # A pipe on Windows has the system's code page, which cannot write what people write.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        if options.command in APART:
            code = APART[options.command](options)
        else:
            with Workspace(options.data_dir, samples=not options.no_samples, background=False) as workspace:
                for notice in workspace.notices:
                    _say(notice)
                code = JOBS[options.command](workspace, options)
        sys.stdout.flush()
    except Cancelled:
        _say("stopped")
        return 1
    except BrokenPipeError:
        # Whoever read our output has gone.
        _drop_output()
        return 1
    except OSError as error:
        # The data folder's failures are `StoreError`s: this is the disk that stdout goes to.
        _drop_output()
        _say(f"The output could not be written: {error.strerror or error}.")
        return 1
    except EXPECTED as error:
        _say(str(error))
        return 1
    return code


def _drop_output() -> None:
    """Send what is still to be printed nowhere: python would complain once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _import(workspace: Workspace, options: argparse.Namespace) -> int:
    chat = workspace.chats.find(options.chat) if options.chat is not None else None
    done, lines, failed = [], [], 0
    for path in options.files:
        try:
            row, line = imports.import_file(workspace, path, chat, dry_run=options.dry_run)
        except (FormatError, StoreError) as error:
            _say(str(error))
            failed += 1
            continue
        for warning in row["warnings"]:
            _say(f"{path}: {warning}")
        done.append(row)
        lines.append(line)
    if not options.dry_run:
        workspace.sync.chunk_stale(CancelToken())
    _show(options, done, lines)
    return 1 if failed else 0


def _chats(workspace: Workspace, options: argparse.Namespace) -> int:
    counts = workspace.sync.counts()
    # Making them takes seconds for long chats; a message is about a memory.
    unmade = workspace.chunks.unmade()
    waiting = bool(unmade) or any(total > ready for total, ready, _tokens in counts.values())
    available = _embedding_works(workspace, waiting=waiting)
    rows = []
    for chat in workspace.chats.all():
        total, ready, tokens = counts.get(chat.id, (0, 0, 0))
        rows.append(_chat_row(chat, (total + unmade.get(chat.id, 0), ready, tokens), available=available))
    lines = [f"{row['id']:>5}  {row['messages']:>8,}  {row['title']}" for row in rows]
    _show(options, rows, ["   id  messages  title", *lines] if lines else ["No chats yet."])
    return 0


def _characters(workspace: Workspace, options: argparse.Namespace) -> int:
    _show(options, *people.characters(workspace))
    return 0


def _personas(workspace: Workspace, options: argparse.Namespace) -> int:
    _show(options, *people.personas(workspace))
    return 0


def _embedding_works(workspace: Workspace, *, waiting: bool) -> bool:
    """Return whether what waits will get its vector; a file that is there may still be broken."""
    return workspace.sync.try_embedder() if waiting else workspace.sync.embedding_available


def _chat_row(chat: Chat, counts: tuple[int, int, int], *, available: bool) -> dict[str, Any]:
    total, ready, _ = counts
    rest = total - ready
    return {
        "id": chat.id,
        "title": chat.title,
        "characters": list(chat.character_names),
        "kind": chat.kind,
        "mode": chat.mode,
        "messages": chat.messages,
        "memories": _counts(ready, rest, available=available),
    }


def _counts(ready: int, rest: int, *, available: bool) -> dict[str, int]:
    return {
        "vectorized": ready,
        "waiting": rest if available else 0,
        "unavailable": 0 if available else rest,
    }


def _with_memories(workspace: Workspace, name: str) -> Chat:
    """Return a chat whose memories are made, and say how many of them are found by words only so far."""
    chat = workspace.chats.find(name)
    workspace.sync.chunk_stale(CancelToken(), chat.id)
    total, ready, _tokens = workspace.sync.counts(chat.id).get(chat.id, (0, 0, 0))
    if total > ready:
        missing = total - ready
        left = "1 memory of this chat has" if missing == 1 else f"{missing:,} memories of this chat have"
        _say(f"{left} no vector yet: `memdesk sync {chat.id}` embeds {'it' if missing == 1 else 'them'}.")
    return chat


def _memories(workspace: Workspace, options: argparse.Namespace) -> int:
    chat = _with_memories(workspace, options.chat)
    chunks = workspace.chunks.page(chat.id, workspace.sync.space_of(chat.id))
    if options.at is not None:
        if options.at > chat.messages + 1:
            _say(f"The chat has {chat.messages} messages: --at can be {chat.messages + 1} at the most.")
            return 1
        known = {item.id for item in known_at(workspace.timelines, chat.id, options.at)}
        chunks = [chunk for chunk in chunks if chunk.id in known]
    ready = sum(chunk.has_vector for chunk in chunks)
    available = _embedding_works(workspace, waiting=ready < len(chunks))
    rows = [_chunk_row(chunk, chunk.status(embedding_available=available)) for chunk in chunks]
    counts = _counts(ready, len(chunks) - ready, available=available)
    lines = [f"{row['id']:>6}  {row['status']:<22} {one_line(row['text'])}" for row in rows]
    at = {} if options.at is None else {"at": options.at}
    _show(options, {"chat": chat.id, **at, "counts": counts, "chunks": rows}, lines or ["No memories yet."])
    return 0


def _chunk_row(chunk: Chunk, status: ChunkStatus) -> dict[str, Any]:
    return {
        "id": chunk.id,
        "status": str(status),
        "text": chunk.text,
        "tokens": chunk.tokens,
        "source_messages": list(chunk.source_messages),
        "first_time": chunk.first_time.isoformat(),
        "last_time": chunk.last_time.isoformat(),
        "frozen": chunk.frozen,
        "pinned": chunk.pinned,
        "enabled": chunk.enabled,
        "edited": chunk.edited,
        "origin": chunk.origin,
    }


def _sync(workspace: Workspace, options: argparse.Namespace) -> int:
    chats = workspace.chats.all() if options.all else [workspace.chats.find(options.chat)]

    with _stoppable() as cancel:
        workspace.sync.sync([chat.id for chat in chats], _progress, cancel)
    counts = workspace.sync.counts()
    rows = [_chat_row(chat, counts.get(chat.id, (0, 0, 0)), available=True) for chat in chats]
    _show(
        options,
        rows,
        [f"{row['title']}: {row['memories']['vectorized']:,} memories vectorized" for row in rows],
    )
    return 0


def _recall(workspace: Workspace, options: argparse.Namespace) -> int:
    if not clean(options.query).strip():
        _say(NOTHING_NAMED)
        return 1
    chat = _with_memories(workspace, options.chat)
    parts: list[Part] = []
    for contribution in workspace.conversation.recall(chat.id, options.query, options.top):
        parts.extend(part for part in contribution.parts if "chunk" in part.source)
        if contribution.warning:
            _say(contribution.warning)
    parts.sort(key=lambda part: -(part.score or 0.0))
    rows = [
        {
            "id": part.source["chunk"],
            "source_messages": part.source["messages"],
            "score": part.score,
            "parts": part.scores,
            "included": part.included,
            "reason": str(part.reason),
            "text": part.text,
        }
        for part in parts[: options.top]
    ]
    lines = [
        f"{'+' if row['included'] else '-'} {row['score'] or 0:.2f}  {one_line(row['text'])}"
        f"  ({row['reason']})"
        for row in rows
    ]
    _show(
        options,
        {"query": clean(options.query), "results": rows},
        lines or ["Nothing is remembered for this."],
    )
    return 0


def _all_groups(workspace: Workspace, options: argparse.Namespace, found: Found) -> list[Group]:
    """Return what was found in every chat: a search gives the first chats only."""
    groups = list(found.groups)
    while found.chats:
        found = workspace.finder.search(options.text, skip=len(groups))
        groups += found.groups
    return groups


def _found_row(workspace: Workspace, options: argparse.Namespace, group: Group) -> dict[str, Any]:
    hits = group.hits[: options.top]
    if not options.meaning and len(hits) < min(options.top, group.total):
        hits = workspace.finder.more(options.text, group.chat_id, 0, options.top)
    numbers = numbers_of(workspace.messages, hits)
    return {
        "chat": group.chat_id,
        "title": group.title,
        "total": group.total,
        "hits": [
            {
                "message": hit.message_id,
                "number": numbers.get(hit.message_id),
                "name": hit.name,
                "role": hit.role,
                "date": hit.created_at.isoformat(),
                "hidden": hit.hidden,
                "score": hit.score,
                "snippet": hit.snippet,
                "marks": [list(mark) for mark in hit.marks],
            }
            for hit in hits
        ],
    }


def _search(workspace: Workspace, options: argparse.Namespace) -> int:
    if not clean(options.text).strip():
        _say(NOTHING_NAMED)
        return 1
    chat = workspace.chats.find(options.chat) if options.chat is not None else None
    if options.meaning:
        workspace.sync.chunk_stale(CancelToken(), chat.id if chat else None)
    else:
        with _stoppable() as cancel:
            workspace.finder.bring_up(cancel)
    found = workspace.finder.search(options.text, chat_id=chat.id if chat else None, meaning=options.meaning)
    groups = [_found_row(workspace, options, group) for group in _all_groups(workspace, options, found)]
    if found.blank:
        _say(NOTHING_NAMED)
    if found.missing:
        left = "1 memory has" if found.missing == 1 else f"{found.missing:,} memories have"
        _say(f"{left} no vector yet: `memdesk sync --all` embeds {'it' if found.missing == 1 else 'them'}.")
    lines = []
    for group in groups:
        lines.append(f"── {group['title']} (chat {group['chat']}, {group['total']:,} found)")
        for hit in group["hits"]:
            score = "" if hit["score"] is None else f"  {hit['score']:.2f}"
            hidden = " [hidden]" if hit["hidden"] else ""
            lines.append(
                f"#{hit['number']} {hit['date'][:10]} {hit['name']}{hidden}{score}: {hit['snippet']}"
            )
    value = {"query": found.query, "total": found.total, "missing": found.missing, "chats": groups}
    _show(options, value, lines or ["Nothing was found."])
    return 0


def _prompt(workspace: Workspace, options: argparse.Namespace) -> int:
    chat = _with_memories(workspace, options.chat)
    body = workspace.conversation.preview(chat.id, options.message).to_json()
    messages = body.pop("messages")
    lines = [f"── {message['role']}\n{message['content']}\n" for message in messages]
    lines.append(
        f"~{body['used']:,} tokens of {body['context']:,}, {body['reserve']:,} kept free for the reply"
    )
    _show(options, {"messages": messages, "receipt": body}, lines)
    return 0


def _send(workspace: Workspace, options: argparse.Namespace) -> int:
    with _stoppable() as cancel:
        return talk.send(workspace, options, cancel, _say)


def _group(workspace: Workspace, options: argparse.Namespace) -> int:
    _show(options, *talk.group(workspace, options))
    return 0


def _summaries(workspace: Workspace, options: argparse.Namespace) -> int:
    chat = workspace.chats.find(options.chat)
    if options.export is not None:
        must_be_new(options.export, force=options.force)
        _show(options, *summaries.export(workspace, chat, options.export))
        return 0
    if options.take is not None:
        _show(options, *summaries.take(workspace, chat, options.take))
        return 0
    with _stoppable() as cancel:
        if options.backfill:
            value, lines = summaries.backfill(workspace, chat, cancel, _progress)
            _show(options, value, lines)
            for item in value["failed"]:
                _say(f"#{item['first']}–{item['last']} failed: {item['error']}")
            return 1 if value["failed"] or value["left"] else 0
        if options.generate is not None:
            _show(options, *summaries.generate(workspace, chat, cancel, options.generate or None))
            return 0
    _show(options, *summaries.listed(workspace, chat))
    return 0


def _attach(workspace: Workspace, options: argparse.Namespace) -> int:
    with _stoppable() as cancel:
        rows, lines = databank.attach(workspace, options, cancel, _say, _progress)
        try:
            workspace.databank.sync.sync(_progress, cancel)
        except EmbeddingError as error:
            # The files are in and found by words; their vectors wait.
            _say(str(error))
    _show(options, rows, lines)
    return 1 if any("error" in row for row in rows) else 0


def _attachments(workspace: Workspace, options: argparse.Namespace) -> int:
    _show(options, *(databank.text if options.show else databank.listed)(workspace, options))
    return 0


def _doctor(workspace: Workspace, options: argparse.Namespace) -> int:
    from memdesk.doctor import examine  # noqa: PLC0415 — loads package metadata nobody else needs

    report = examine(workspace)
    lines = []
    for name, value in report.items():
        if isinstance(value, dict):
            lines.append(f"{name}:")
            lines.extend(f"  {key}: {item}" for key, item in value.items())
        elif name not in {"ok", "problems"}:
            lines.append(f"{name}: {value}")
    lines += [f"! {problem}" for problem in report["problems"]] or ["Everything is well."]
    _show(options, report, lines)
    return 0 if report["ok"] else 1


def _shown(job: Callable[[Workspace, argparse.Namespace], tuple[Any, list[str]]]) -> Job:
    def run_job(workspace: Workspace, options: argparse.Namespace) -> int:
        _show(options, *job(workspace, options))
        return 0

    return run_job


JOBS: dict[str, Job] = {
    "import": _import,
    "export": export,
    "chats": _chats,
    "characters": _characters,
    "personas": _personas,
    "memories": _memories,
    "summaries": _summaries,
    "attach": _attach,
    "attachments": _attachments,
    "databank": _shown(databank.search),
    "sync": _sync,
    "rebuild": rebuild,
    "clear": clear,
    "recall": _recall,
    "search": _search,
    "prompt": _prompt,
    "send": _send,
    "group": _group,
    "continue": _send,
    "branch": _shown(chats.branch),
    "hide": _shown(chats.hide),
    "checkpoints": _shown(chats.checkpoints),
    "doctor": _doctor,
}

APART: dict[str, Callable[[argparse.Namespace], int]] = {"evaluate": measure}
"""Jobs that leave the data folder alone: they may run beside an open window."""
