"""A look at everything memdesk stands on: versions, paths, the embedder, the index against the truth."""

from __future__ import annotations

import platform
import sqlite3
import sys
from importlib import metadata
from typing import Any

from memdesk import __version__
from memdesk.embedding.base import EmbeddingError
from memdesk.memory.recall.search import owner
from memdesk.store.chunks import index_id
from memdesk.store.index_errors import IndexUnavailable
from memdesk.workspace import Workspace

PACKAGES = ("PySide6-Essentials", "chromadb", "onnxruntime", "sentencepiece", "openai", "numpy", "pydantic")

AGREEMENT = 0.99
"""Lowest cosine between the embedder's self-test vectors and the shipped reference."""


def examine(workspace: Workspace) -> dict[str, Any]:
    """Return what was found; `ok` is false when something needs attention, `problems` says what."""
    problems: list[str] = []
    report = {
        "versions": _versions(),
        "paths": _paths(workspace),
        "database": _database(workspace, problems),
        "embedder": _embedder(workspace, problems),
        "embedding_sources": _sources(workspace, problems),
        "index": _index(workspace, problems),
        "keys": workspace.keys.location,
        "connection": workspace.settings.profile().name,
    }
    return {"ok": not problems, "problems": problems, **report}


def _versions() -> dict[str, str]:
    found = {"memdesk": __version__, "python": sys.version.split()[0], "sqlite": sqlite3.sqlite_version}
    found["system"] = platform.platform()
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "missing"
    return found


def _paths(workspace: Workspace) -> dict[str, str]:
    folder = workspace.data_dir
    return {
        "data": str(folder),
        "database": str(workspace.database.path),
        "index": str(folder / "index"),
        "logs": str(folder / "logs"),
    }


def _database(workspace: Workspace, problems: list[str]) -> dict[str, Any]:
    with workspace.database.read() as db:
        check = db.execute("PRAGMA quick_check(1)").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        messages = db.execute("SELECT count(*) FROM messages WHERE trash_id IS NULL").fetchone()[0]
        vectors = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    if check != "ok":
        problems.append(f"The database is damaged: {check}")
    size = workspace.database.path.stat().st_size
    return {"check": check, "format": version, "messages": messages, "vectors": vectors, "bytes": size}


def _sources(workspace: Workspace, problems: list[str]) -> list[dict[str, Any]]:
    """Ask every embedding server that is set up for a vector."""
    found = []
    for profile in workspace.settings.embedders:
        row: dict[str, Any] = {"name": profile.name, "address": profile.base_url, "model": profile.model}
        row["dimension"] = profile.dimension
        try:
            workspace.embedders.chosen(profile.id).embed_query("memdesk")
        except EmbeddingError as error:
            problems.append(f"The embedding source {profile.name} does not work: {error}")
            row["reason"] = str(error)
        row["available"] = "reason" not in row
        found.append(row)
    return found


def _embedder(workspace: Workspace, problems: list[str]) -> dict[str, Any]:
    space = workspace.embedder.space
    report: dict[str, Any] = {"space": space.id, "model": space.model, "dimension": space.dimension}
    try:
        agreement = workspace.embedder.self_test()
    except EmbeddingError as error:
        problems.append(f"Embedding is not available: {error}")
        return {**report, "available": False, "reason": str(error)}
    if agreement < AGREEMENT:
        problems.append(f"The embedder computes other vectors than it should (cosine {agreement:.3f}).")
    return {**report, "available": True, "self_test": round(agreement, 4)}


def _index(workspace: Workspace, problems: list[str]) -> dict[str, Any]:
    """Compare the index with the cached vectors of every chat."""
    place = workspace.settings.index
    at: dict[str, Any] = {"place": "embedded" if place.kind == "embedded" else f"{place.host}:{place.port}"}
    at["bytes"] = workspace.index.size_bytes()
    missing = surplus = total = 0
    try:
        for chat in workspace.chats.all():
            embedder = workspace.spaces.serving(chat.id)
            keys = workspace.chunks.vector_keys(chat.id, workspace.spaces.id_of(embedder))
            wanted = {index_id(chunk, key) for chunk, key in keys.items()}
            present = workspace.index.ids(owner(chat.id), embedder.space.id)
            total += len(wanted)
            missing += len(wanted - present)
            surplus += len(present - wanted)
    except IndexUnavailable as error:
        problems.append(f"The vector index cannot be used: {error}. Recall works without it.")
        return {**at, "available": False, "reason": str(error)}
    if missing or surplus:
        problems.append(
            f"The vector index is behind ({missing} missing, {surplus} surplus). "
            "`memdesk sync --all` mends it."
        )
    return {**at, "available": True, "wanted": total, "missing": missing, "surplus": surplus}
