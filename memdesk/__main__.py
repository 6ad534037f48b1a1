"""`python -m memdesk`, and the `memdesk` command."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Open the window, or do one job and print its result; returns the exit code."""
    from memdesk.cli import parser, run  # noqa: PLC0415 — imports run inside main, where errors can be told

    options = parser().parse_args(arguments)
    if options.command is not None:
        return run(options)
    from memdesk.ui.app import open_window  # noqa: PLC0415 — only the window needs Qt

    return open_window(options.data_dir, samples=not options.no_samples)


if __name__ == "__main__":
    sys.exit(main())
