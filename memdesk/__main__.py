"""`python -m memdesk`, and the `memdesk` command."""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window, or do one job and print its result; returns the exit code."""
    from memdesk.cli import parser, run  # noqa: PLC0415 — imports run inside main, where errors can be told

    options = parser().parse_args(arguments)
    try:
        if options.command is not None:
            return run(options)
        return _open_window(options.data_dir, samples=not options.no_samples)
    except KeyboardInterrupt:
        # 128 and the number of the signal, as shells have it.
        return 130


def _open_window(data_dir: Path | None, *, samples: bool) -> int:
    try:
        from memdesk.ui.app import open_window  # noqa: PLC0415 — only the window needs Qt
    except ImportError as error:
        print(f"memdesk: The window cannot be opened: {error}", file=sys.stderr)  # noqa: T201
        return 1
    code = open_window(data_dir, samples=samples)
    # Everything is closed. Looking through what is left for garbage would take most of a second.
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(main())
