"""Reading a document in a process of its own, which may take only so much time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memdesk.chats.text import clean
from memdesk.formats.documents.child import MEMORY
from memdesk.formats.documents.failures import SENTENCES
from memdesk.formats.errors import FormatCode, FormatError
from memdesk.store.document import Block, read_block
from memdesk.work.cancel import CancelToken

SECONDS = 300
"""Time that reading one document may take."""

_ERROR_CHARS = 2000


@dataclass(frozen=True, slots=True)
class Document:
    """What a file holds: its kind (pdf, docx, …) and its blocks, at least one."""

    kind: str
    blocks: tuple[Block, ...]


def extract(
    path: Path,
    *,
    name: str = "",
    password: str = "",
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    cancel: CancelToken | None = None,
    seconds: int = SECONDS,
    memory: int = MEMORY,
) -> Document:
    """Read a document; `progress` is told (done, total) pages, sheets or slides, on this thread.

    Raises `FormatError` with what is wrong with the file, and `Cancelled`.
    """
    token = cancel or CancelToken()
    token.raise_if_cancelled()
    name = clean(name or path.name)
    request = {"path": str(path), "name": name, "password": password, "memory": memory, "seconds": seconds}
    process = subprocess.Popen(
        [sys.executable, "-m", "memdesk.formats.documents.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONUTF8": "1"},
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    slow = threading.Event()

    def too_slow() -> None:
        slow.set()
        process.kill()

    timer = threading.Timer(seconds, too_slow)
    timer.start()
    forget = token.on_cancel(process.kill)
    try:
        with process:
            answer = _listen(process, json.dumps(request), progress)
    finally:
        process.kill()
        forget()
        timer.cancel()
        timer.join()
    token.raise_if_cancelled()
    if isinstance(answer, Document):
        return answer
    code: FormatCode = "too_slow" if slow.is_set() or process.returncode == -24 else answer
    raise FormatError(name, SENTENCES[code], code=code, path=path)


def _listen(
    process: subprocess.Popen[str], request: str, progress: Callable[[int, int], None]
) -> Document | FormatCode:
    """Return what the process read, or what was wrong."""
    stdin, stdout, stderr = process.stdin, process.stdout, process.stderr
    if stdin is None or stdout is None or stderr is None:
        return "unreadable"
    drain = threading.Thread(target=_drained, args=(stderr,), name="memdesk-extract-errors")
    drain.start()
    kind = ""
    blocks: list[Block] = []
    try:
        stdin.write(request + "\n")
        stdin.close()
        for line in stdout:
            values = json.loads(line)
            if "done" in values:
                progress(values["done"], values["total"])
            elif "kind" in values:
                kind = values["kind"]
            elif "error" in values:
                code: FormatCode = values["error"]
                return code
            elif "end" in values:
                return Document(kind, tuple(blocks))
            else:
                blocks += [read_block(item) for item in values["blocks"]]
    except (BrokenPipeError, ValueError):
        return "corrupt"
    finally:
        process.kill()
        drain.join()
    # It ended without a word: the system stopped it, or a library crashed.
    return "too_much_memory" if blocks else "corrupt"


def _drained(stream: IO[str]) -> str:
    """Read what the process complains about, so that it never waits to be heard."""
    kept = ""
    while part := stream.read(_ERROR_CHARS):
        kept = kept or part
    return kept
