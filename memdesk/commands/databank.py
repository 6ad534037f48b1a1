"""What the command does with the Data Bank."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from memdesk.chats.text import one_line
from memdesk.formats.errors import FormatError
from memdesk.memory.layer import ContributionRequest
from memdesk.store.attachments import Attachment, Home
from memdesk.store.chunks import ChunkStatus
from memdesk.store.document import place_words
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

Row = dict[str, Any]


def home_of(workspace: Workspace, scope: str) -> Home:
    """Return the scope that is named: global, character:NAME or chat:ID; raises `StoreError`."""
    kind, _, name = scope.partition(":")
    if kind == "global" and not name:
        return Home()
    if kind == "chat" and name.strip():
        return Home("chat", workspace.chats.find(name).id)
    if kind == "character" and name.strip():
        name = name.strip()
        found = [
            character.id
            for character in workspace.characters.all()
            if name in {character.name.strip(), str(character.id)}
        ]
        if len(found) > 1:
            raise StoreError("ambiguous", f"Several characters are called “{name}”: name one by its id.")
        if not found:
            raise StoreError("not_found", f"There is no character “{name}”.")
        return Home("character", None, (found[0],))
    raise StoreError("not_found", f"There is no scope “{scope}”: use global, character:NAME or chat:ID.")


def attach(
    workspace: Workspace,
    options: argparse.Namespace,
    cancel: CancelToken,
    say: Callable[[str], None],
    progress: Callable[[int, int], None],
) -> tuple[list[Row], list[str]]:
    """Take files in, each with its own success or failure; returns what became of each."""
    home = home_of(workspace, options.scope)
    rows: list[Row] = []
    lines = []
    for path in options.files:
        cancel.raise_if_cancelled()
        try:
            file, _undo = workspace.databank.add_file(
                path, home, password=options.password, progress=progress, cancel=cancel
            )
        except (FormatError, StoreError) as error:
            say(str(error))
            rows.append({"file": str(path), "error": error.code, "message": str(error)})
        else:
            rows.append({"file": str(path), **_row(workspace, file, {})})
            lines.append(f"{file.name}: {file.kind}, {file.chunks} chunks, ~{file.tokens} tokens")
    return rows, lines


def listed(workspace: Workspace, options: argparse.Namespace) -> tuple[list[Row], list[str]]:
    """Return all files, or those of a scope."""
    files = workspace.databank.store.all()
    if options.scope:
        home = home_of(workspace, options.scope)
        wanted = set(home.character_ids)
        files = [
            file
            for file in files
            if file.home.scope == home.scope
            and (file.home.chat_id == home.chat_id)
            and (not wanted or not wanted.isdisjoint(file.home.character_ids))
        ]
    statuses = workspace.databank.sync.statuses()
    rows = [_row(workspace, file, statuses) for file in files]
    lines = [
        f"{row['id']:>5}  {row['scope']:<20}  {one_line(row['name'])}  ({row['kind']}, "
        f"{row['chunks']} chunks, ~{row['tokens']} tokens, "
        f"{row['status']}{'' if row['enabled'] else ', off'})"
        for row in rows
    ]
    return rows, lines or ["No files yet."]


def text(workspace: Workspace, options: argparse.Namespace) -> tuple[Row, list[str]]:
    """Return what a file says, and its chunks."""
    file = workspace.databank.store.get(options.show)
    said = workspace.databank.text(file.id)
    chunks = [
        {
            "id": chunk.id,
            "text": chunk.text,
            "place": place_words(chunk.first, chunk.last),
            "tokens": chunk.tokens,
            "enabled": chunk.enabled,
        }
        for chunk in workspace.databank.store.chunks(file.id)
    ]
    row = _row(workspace, file, workspace.databank.sync.statuses())
    return {**row, "text": said, "chunk_list": chunks}, [said]


def search(workspace: Workspace, options: argparse.Namespace) -> tuple[Row, list[str]]:
    """Return what the Data Bank would bring into a chat for a query."""
    chat = workspace.chats.find(options.chat)
    budget = workspace.conversation.budget(chat)
    request = ContributionRequest(
        chat=chat,
        history=(),
        in_prompt=frozenset(),
        protected=frozenset(),
        before_number=chat.messages + 1,
        budget=budget,
        room=budget.databank,
        query=options.query,
    )
    found, warning = workspace.databank.layer.look(request)
    rows = [
        {
            "attachment": item.file.id,
            "name": item.file.name,
            "chunk": item.chunk.id,
            "place": place_words(item.chunk.first, item.chunk.last),
            "text": item.chunk.text,
            "score": round(item.hit.score, 4) if item.hit else None,
            "parts": {key: round(value, 4) for key, value in item.hit.parts.items()} if item.hit else {},
            "sent": item.included,
            "reason": str(item.reason),
        }
        for item in found
    ]
    lines = []
    for row in rows:
        score = f"{row['score']:.2f}" if row["score"] is not None else "–"
        where = f" ({row['place']})" if row["place"] else ""
        lines.append(f"{'→' if row['sent'] else ' '} {score}  {row['name']}{where}: {row['reason']}")
        lines.append(f"        {one_line(str(row['text']), 160)}")
    value: Row = {"chat": chat.id, "query": options.query, "warning": warning, "found": rows}
    return value, [*([warning] if warning else []), *lines] or ["Nothing fits."]


def _row(workspace: Workspace, file: Attachment, statuses: dict[int, tuple[ChunkStatus, int, int]]) -> Row:
    status, pieces, embedded = statuses.get(file.id, (ChunkStatus.WAITING, 0, 0))
    return {
        "id": file.id,
        "name": file.name,
        "scope": _scope(workspace, file.home),
        "kind": file.kind,
        "bytes": file.bytes,
        "chars": file.chars,
        "tokens": file.tokens,
        "chunks": file.chunks,
        "status": status.value,
        "vectors": pieces,
        "embedded": embedded,
        "enabled": file.enabled,
        "mode": file.mode,
        "edited": file.edited,
        "created": file.created_at.isoformat(),
    }


def _scope(workspace: Workspace, home: Home) -> str:
    if home.scope == "chat":
        return f"chat:{home.chat_id}"
    if home.scope == "character":
        names = {character.id: character.name for character in workspace.characters.all()}
        return f"character:{', '.join(names.get(item, str(item)) for item in home.character_ids)}"
    return "global"
