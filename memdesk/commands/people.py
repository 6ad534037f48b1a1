"""What the command does with characters and personas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memdesk.chats.text import one_line
from memdesk.formats.personas import read_personas
from memdesk.workspace import Workspace

Row = dict[str, Any]


def characters(workspace: Workspace) -> tuple[list[Row], list[str]]:
    """Return every character as JSON values, and as lines to read."""
    rows: list[Row] = [
        {
            "id": head.id,
            "name": head.name,
            "nickname": head.nickname,
            "creator": head.creator,
            "tags": list(head.tags),
            "favourite": head.favourite,
            "created": head.created_at.isoformat(),
        }
        for head in workspace.characters.heads()
    ]
    lines = [f"{row['id']:>5}  {'*' if row['favourite'] else ' '} {one_line(row['name'])}" for row in rows]
    return rows, ["   id    name", *lines] if lines else ["No characters yet."]


def personas(workspace: Workspace) -> tuple[list[Row], list[str]]:
    """Return every persona as JSON values, and as lines to read."""
    rows: list[Row] = [
        {
            "id": persona.id,
            "name": persona.name,
            "description": persona.description,
            "default": persona.default,
            "place": persona.place,
            "depth": persona.depth,
            "role": persona.role,
        }
        for persona in workspace.personas.all()
    ]
    lines = [f"{row['id']:>5}  {'*' if row['default'] else ' '} {one_line(row['name'])}" for row in rows]
    return rows, ["   id    name (* = in new chats)", *lines] if lines else ["No personas yet."]


def export_character(workspace: Workspace, name: str, path: Path) -> tuple[Row, list[str]]:
    """Write a character, named by its id or unique name, into a .png or .json file."""
    head = workspace.characters.find(name)
    workspace.people.export_card(head.id, path)
    row = {"file": str(path), "character": head.id, "name": head.name}
    return row, [f"{path}: the character {one_line(head.name)}"]


def export_personas(workspace: Workspace, path: Path) -> tuple[Row, list[str]]:
    """Write all personas into a file."""
    count = workspace.people.export_personas(path)
    return {"file": str(path), "personas": count}, [f"{path}: {count} personas"]


def import_personas(workspace: Workspace, path: Path, *, dry_run: bool) -> tuple[Row, str]:
    """Add the personas of a file, or only say what would be added."""
    if dry_run:
        found, warnings = read_personas(path)
        present = {persona.key for persona in workspace.personas.all()}
        keys = {item.key for item in found}
        add = len(keys - present)
        row = {"file": str(path), "add": add, "skip": len(found) - add, "warnings": warnings}
        return row, f"{path}: {add} personas would be added, {len(found) - add} are here already"
    result, _undo = workspace.people.import_personas(path)
    row = {
        "file": str(path),
        "personas": [persona.id for persona in result.added],
        "skipped": result.skipped,
        "warnings": list(result.warnings),
    }
    return row, f"{path}: {len(result.added)} personas were added, {result.skipped} were here already"
