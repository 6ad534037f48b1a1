"""Whether a window can be shown at all. Qt would abort the process with a core dump."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo

_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def missing_display() -> str:
    """Return a sentence that says why no window can be opened here, "" when nothing speaks against it."""
    if sys.platform in ("win32", "darwin"):
        return ""
    if not any(os.environ.get(name) for name in _VARIABLES):
        return (
            "There is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set). "
            "The commands work without one: see memdesk --help."
        )
    if os.environ.get("QT_QPA_PLATFORM") or os.environ.get("WAYLAND_DISPLAY"):
        return ""
    plugin = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath), "platforms", "libqxcb.so")
    try:
        # Qt loads the same file a moment later, so this costs nothing, and the system names what it lacks.
        if plugin.is_file():
            ctypes.CDLL(str(plugin))
    except OSError as error:
        return f"A system library that the window needs is missing: {error}."
    return ""
