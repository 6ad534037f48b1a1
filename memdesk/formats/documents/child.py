"""The process that reads one document: a request on stdin, JSON lines on stdout. Started by `extract`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from memdesk.formats.documents.failures import Unreadable
from memdesk.formats.documents.reader import read_document
from memdesk.store.document import Block, block_values

BATCH = 200
"""Blocks in a line."""

MEMORY = 1_500_000_000
"""Bytes of memory that reading may take, where the system can hold it to that."""


def main() -> int:
    """Read what is asked for and write what is found; returns the exit code."""
    # Libraries that print must not break the lines.
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.readline())
    _limit(int(request["memory"]), int(request["seconds"]))

    def say(values: dict[str, Any]) -> None:
        out.write(json.dumps(values) + "\n")
        out.flush()

    try:
        kind, blocks = read_document(
            Path(request["path"]),
            request["name"],
            request["password"],
            lambda done, total: say({"done": done, "total": total}),
        )
        say({"kind": kind})
        batch: list[Block] = []
        for block in blocks:
            batch.append(block)
            if len(batch) == BATCH:
                say({"blocks": [block_values(item) for item in batch]})
                batch.clear()
        say({"blocks": [block_values(item) for item in batch]})
    except Unreadable as error:
        say({"error": error.code})
    except (MemoryError, RecursionError):
        say({"error": "too_much_memory"})
    except Exception as error:  # noqa: BLE001 — a library met what it does not expect
        print(f"{type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
        say({"error": "corrupt"})
    else:
        say({"end": True})
    return 0


def _limit(memory: int, seconds: int) -> None:
    """Hold this process to its limits; Windows has no such thing, there only the time counts."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 — not on Windows

    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    sys.exit(main())
