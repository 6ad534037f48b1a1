"""What the command does with files that come in: cards, memories, personas, presets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memdesk.chats.model import Chat
from memdesk.commands import people
from memdesk.formats.cards import read_card
from memdesk.formats.errors import FormatError
from memdesk.formats.memory_io import is_memory_file
from memdesk.formats.personas import is_personas_file
from memdesk.formats.sillytavern_preset import is_preset_file
from memdesk.workspace import Workspace

Row = dict[str, Any]


def import_file(workspace: Workspace, path: Path, chat: Chat | None, *, dry_run: bool) -> tuple[Row, str]:
    """Import a file as what it is; returns JSON values and a line to read.

    Raises `FormatError` and `StoreError`; then nothing of it was taken over.
    """
    if is_memory_file(path):
        return _import_memories(workspace, path, chat, dry_run=dry_run)
    if is_personas_file(path):
        return people.import_personas(workspace, path, dry_run=dry_run)
    if is_preset_file(path):
        return _import_preset(workspace, path, dry_run=dry_run)
    return _import_card(workspace, path, dry_run=dry_run)


def _import_preset(workspace: Workspace, path: Path, *, dry_run: bool) -> tuple[Row, str]:
    found = workspace.presets.read_file(path)
    left_out = [str(item) for item in found.left_out]
    row: Row = {"file": str(path), "format": found.format, "name": found.preset.name, "left_out": left_out}
    row["warnings"] = [*found.warnings, *left_out]
    if dry_run:
        return row, f"{path}: the preset {found.preset.name}"
    named, _undo = workspace.presets.add(found.preset)
    row.update(preset=named.key, name=named.preset.name)
    return row, f"{named.preset.name}: preset {named.key}"


def _import_card(workspace: Workspace, path: Path, *, dry_run: bool) -> tuple[Row, str]:
    if dry_run:
        card = read_card(path)
        read = {"file": str(path), "name": card.name, "warnings": card.warnings}
        return read, f"{path}: the character {card.name}"
    character, warnings = workspace.library.import_card(path)
    chat = workspace.library.new_chat(character.id)
    row = {
        "file": str(path),
        "character": character.id,
        "name": character.name,
        "chat": chat.id,
        "title": chat.title,
        "warnings": warnings,
    }
    return row, f"{character.name}: chat {chat.id} “{chat.title}”"


def _import_memories(
    workspace: Workspace, path: Path, chat: Chat | None, *, dry_run: bool
) -> tuple[Row, str]:
    if chat is None:
        reason = "This is a file of memories: name the chat that they go into with --chat."
        raise FormatError(path.name, reason, code="unknown_format", path=path)
    found = workspace.memory_files.preview(path, chat.id)
    row: Row = {"file": str(path), "chat": chat.id, "format": found.format}
    row["warnings"] = list(found.warnings)
    if dry_run:
        row.update(add=found.add, skip=found.skip, reasons=found.reasons, with_vector=found.with_vector)
        why = ", ".join(f"{count} {reason}" for reason, count in found.reasons.items())
        return row, f"{path}: {found.add} would be added, {found.skip} skipped" + (f" ({why})" if why else "")
    result, _undo = workspace.memory_files.import_file(path, chat.id)
    row.update(imported=result.imported, skipped=result.skipped, reasons=result.reasons)
    return row, f"{path}: {result.message}"
