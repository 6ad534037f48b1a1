"""What the command writes into files of a person's own: memories, characters, personas."""

from __future__ import annotations

import argparse
from pathlib import Path

from memdesk.commands import people
from memdesk.commands.arguments import export_paths
from memdesk.commands.output import say, show
from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace


def must_be_new(path: Path, *, force: bool) -> None:
    """Refuse to replace a file that nobody allowed to replace; raises `StoreError` (`exists`)."""
    if not force and path.is_file():
        raise StoreError("exists", f"{path} is there already: name another file, or add --force.", path)


def export(workspace: Workspace, options: argparse.Namespace) -> int:
    """Write the memories of a chat, a character or all personas; returns the exit code."""
    named = export_paths(options)
    if named is None:
        say("name a chat and a file, or with --character or --personas a file only")
        return 2
    title, path = named
    must_be_new(path, force=options.force)
    if not title:
        character = options.character
        if character is None:
            show(options, *people.export_personas(workspace, path))
        else:
            show(options, *people.export_character(workspace, character, path))
        return 0
    chat = workspace.chats.find(title)
    result = workspace.memory_files.export(chat.id, path, options.format, with_vectors=not options.no_vectors)
    if result.vectors_left_out:
        say("The vectors were left out: the file would be too large with them.")
    row = {
        "file": str(result.path),
        "format": options.format,
        "memories": result.memories,
        "vectors": result.vectors,
        "vectors_left_out": result.vectors_left_out,
    }
    with_vectors = f", {result.vectors:,} vectors" if result.vectors else ""
    show(options, row, [f"{result.path}: {result.memories:,} memories{with_vectors}"])
    return 0
