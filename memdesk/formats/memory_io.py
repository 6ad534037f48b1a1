"""Files of memories on the disk: which kind one is, read within a limit, written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path
from typing import Literal

from memdesk.formats import marinara_memory, memdesk_memory
from memdesk.formats.errors import FormatError

FileFormat = Literal["marinara", "memdesk"]

_TYPE = re.compile(r'"type"\s*:\s*"(' + f"{marinara_memory.TYPE}|{memdesk_memory.TYPE}" + r')"')
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def is_memory_file(path: Path) -> bool:
    """Return whether a file says of itself that it holds memories; what cannot be read does not."""
    try:
        return memory_format(read_file(path, memdesk_memory.MAX_BYTES)) is not None
    except FormatError:
        return False


def memory_format(raw: bytes) -> FileFormat | None:
    """Return which kind of memory file the bytes are, None for neither."""
    # Inside a string the quotes would be escaped, so this is a key of the file.
    found = _TYPE.search(raw.decode(_MARKS.get(raw[:2], "utf-8"), "ignore"))
    if found is None:
        return None
    return "marinara" if found[1] == marinara_memory.TYPE else "memdesk"


def read_file(path: Path, most: int) -> bytes:
    """Return a file's bytes, one more than `most` of a larger one; raises FormatError naming it."""
    try:
        if path.exists() and not path.is_file():
            raise FormatError(path.name, "This is not a file.", code="unreadable", path=path)
        with path.open("rb") as file:
            raw = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = f"The file cannot be read: {getattr(error, 'strerror', None) or error}."
        raise FormatError(path.name, reason, code="unreadable", path=path) from error
    if not raw.strip(b"\0 \t\r\n"):
        raise FormatError(path.name, "The file is empty.", code="empty", path=path)
    return raw


def write_file(path: Path, data: bytes) -> None:
    """Write a file beside its place and move it there; raises FormatError `unreadable`, naming it."""
    incoming = path.parent / f".memdesk-{secrets.token_hex(8)}.part"
    try:
        try:
            with incoming.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            incoming.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                incoming.unlink(missing_ok=True)
            raise
    except (OSError, ValueError) as error:
        reason = f"The file cannot be written: {getattr(error, 'strerror', None) or error}."
        raise FormatError(path.name, reason, code="unreadable", path=path) from error
