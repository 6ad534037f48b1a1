"""What memdesk is built on, and under which licences it came: read from what is installed here."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from memdesk.assets import asset

MOST: Final = 200_000
"""Characters of a licence that are shown; the longest known ones have a quarter of it."""

_NAMED = re.compile(r"(licen[cs]e|copying|notice|authors)", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True)
class BuiltOn:
    """A part that came from others: its name, version, licence in short and licence text ("" for none)."""

    name: str
    version: str
    licence: str
    text: str


def built_on() -> list[BuiltOn]:
    """Return memdesk's own licence, that of the memory model, and those of all libraries, by name."""
    own = _text([asset("..", "LICENSE"), *asset("..").glob("memdesk-*.dist-info/licenses/LICENSE")])
    model = _text(sorted(asset("model").glob("LICENSE*")))
    parts = [
        BuiltOn("memdesk", _version(), "AGPL-3.0-or-later", own),
        BuiltOn("multilingual-e5-small", "", "MIT", model),
    ]
    return parts + [_library(found) for found in _libraries()]


def _version() -> str:
    from memdesk import __version__  # noqa: PLC0415 — it would be a circle

    return __version__


def _roots() -> list[str]:
    try:
        return metadata.requires("memdesk") or []
    except metadata.PackageNotFoundError:
        pass
    try:
        project = tomllib.loads(asset("..", "pyproject.toml").read_text("utf-8"))
    except OSError:
        return []
    return [str(line) for line in project["project"]["dependencies"]]


def _libraries() -> list[metadata.Distribution]:
    """Return what memdesk needs and is here, with all that this needs in turn."""
    found: dict[str, metadata.Distribution] = {}
    wanted = _roots()
    while wanted:
        line = wanted.pop()
        name = _NAME.match(line)
        if name is None or "extra ==" in line:
            continue
        key = re.sub(r"[-_.]+", "-", name[0]).lower()
        if key in found:
            continue
        try:
            found[key] = metadata.distribution(name[0])
        except metadata.PackageNotFoundError:
            # Needed on another system only.
            continue
        wanted += found[key].requires or []
    return [found[key] for key in sorted(found)]


def _library(found: metadata.Distribution) -> BuiltOn:
    about = found.metadata.json
    classes = [str(line) for line in about.get("classifier", [])]
    listed = ", ".join(line.split(" :: ")[-1] for line in classes if "License ::" in line)
    short = str(about.get("license", "")).strip().partition("\n")[0]
    licence = str(about.get("license_expression", "")) or listed or short
    files = [Path(str(found.locate_file(file))) for file in found.files or [] if _NAMED.match(file.name)]
    return BuiltOn(str(about["name"]), found.version, licence[:120], _text(files))


def _text(paths: list[Path]) -> str:
    texts = []
    for path in paths:
        try:
            texts.append(path.read_text("utf-8", "replace").strip())
        except OSError:
            continue
    return "\n\n".join(dict.fromkeys(texts))[:MOST]
