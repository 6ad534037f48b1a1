"""Starting memdesk again in place of itself, with the same arguments."""

from __future__ import annotations

import os
import subprocess
import sys


def start_again() -> int:
    """Start memdesk as it was started; returns the exit code where the old process goes on to its end.

    The data folder must be closed by now.
    """
    command = [sys.executable, *sys.orig_argv[1:]]
    for stream in (sys.stdout, sys.stderr):
        # A windowed program on Windows has none.
        if stream is not None:
            stream.flush()
    if sys.platform == "win32":
        # There a process cannot be replaced; who waits for the old one would not wait for the new one.
        subprocess.Popen(command, close_fds=True)  # noqa: S603 — our own command line
        return 0
    return _become(command)


def _become(command: list[str]) -> int:
    os.execv(command[0], command)  # noqa: S606 — our own command line
