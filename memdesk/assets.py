"""Where the files that ship with memdesk lie: the model, icons, samples, translations."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent


def asset(*parts: str) -> Path:
    """Return the path of a shipped file, in the wheel (memdesk/resources) or in a checkout (resources)."""
    installed = _HERE / "resources"
    root = installed if installed.is_dir() else _HERE.parent / "resources"
    return root.joinpath(*parts)
