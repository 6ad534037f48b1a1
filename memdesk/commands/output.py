"""What every job of the command prints: results on stdout, everything else on stderr."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memdesk.work.cancel import CancelToken


def say(text: str) -> None:
    """Tell the person something beside the result."""
    print(f"memdesk: {text}", file=sys.stderr)


def show(options: argparse.Namespace, value: object, lines: Iterator[str] | Sequence[str]) -> None:
    """Print what a job found, as JSON or as lines."""
    if options.json:
        print(json.dumps(value, ensure_ascii=False, indent=2))
    else:
        for line in lines:
            print(line)


def progress(done: int, total: int) -> None:
    """Show how far a job has come, where somebody watches."""
    if total and sys.stderr.isatty():
        print(f"\r{done}/{total}", end="" if done < total else "\n", file=sys.stderr, flush=True)


@contextmanager
def stoppable() -> Iterator[CancelToken]:
    """Turn Ctrl+C into a request to stop, so that what was done is kept."""
    cancel = CancelToken()
    before = signal.signal(signal.SIGINT, lambda *_: cancel.cancel())
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)
