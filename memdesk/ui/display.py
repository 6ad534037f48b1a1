"""Whether a window can be shown at all. Qt would abort the process with a core dump."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo

_VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
_SCREENS = ("xcb", "wayland", "wayland-egl")
"""Platforms of Qt that need a server to answer; all others need none, or know themselves what they need."""

_COMMANDS = "The commands work without one: see memdesk --help."
_PATIENCE = 3.0
"""Seconds a display may take to answer."""


def missing_display() -> str:
    """Return a sentence that says why no window can be opened here, "" when nothing speaks against it.

    It asks each display that Qt would try, in the same way Qt does, whether it answers.
    """
    if sys.platform in ("win32", "darwin"):
        return ""
    if not any(os.environ.get(name) for name in _VARIABLES):
        return (
            "There is no display to open a window on (neither DISPLAY nor WAYLAND_DISPLAY is set). "
            f"{_COMMANDS}"
        )
    asked_for = [name.partition(":")[0] for name in os.environ.get("QT_QPA_PLATFORM", "").split(";") if name]
    if any(name not in _SCREENS for name in asked_for):
        return ""
    wanted = asked_for or ["wayland", "xcb"]
    troubles = []
    if any(name.startswith("wayland") for name in wanted) and os.environ.get("WAYLAND_DISPLAY"):
        trouble = _wayland_trouble()
        if not trouble:
            return ""
        troubles.append(trouble)
    if "xcb" in wanted and os.environ.get("DISPLAY"):
        trouble = _plugin_trouble() or _x_trouble()
        if not trouble:
            return ""
        troubles.append(trouble)
    if not troubles:
        unset = " nor ".join("DISPLAY" if name == "xcb" else "WAYLAND_DISPLAY" for name in wanted)
        troubles.append(f"{unset} is not set.")
    return f"No window can be opened. {' '.join(troubles)} {_COMMANDS}"


def _plugin_trouble() -> str:
    plugin = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath), "platforms", "libqxcb.so")
    try:
        # Qt loads the same file a moment later, so this costs nothing, and the system names what it lacks.
        if plugin.is_file():
            ctypes.CDLL(str(plugin))
    except OSError as error:
        return f"A system library that the window needs is missing: {error}."
    return ""


def _wayland_trouble() -> str:
    name = os.environ["WAYLAND_DISPLAY"]
    path = Path(os.environ.get("XDG_RUNTIME_DIR", "")) / name
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.settimeout(_PATIENCE)
            client.connect(str(path))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return f"The display WAYLAND_DISPLAY={name} does not answer ({reason})."
    return ""


def _x_trouble() -> str:
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        # The plugin has been loaded, so it has brought its own.
        return ""
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    for function in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        function.argtypes = (ctypes.c_void_p,)
    connection = xcb.xcb_connect(None, None)
    failed = bool(xcb.xcb_connection_has_error(connection))
    xcb.xcb_disconnect(connection)
    return f"The display DISPLAY={os.environ['DISPLAY']} does not answer." if failed else ""
