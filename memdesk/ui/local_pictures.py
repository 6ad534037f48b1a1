"""Addresses of pictures that lie on this computer, and the link by which a person asks to see one."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from memdesk.formats.errors import FormatError

SCHEME: Final = "memdesk-show"
SUFFIXES: Final = (".png", ".jpg", ".jpeg", ".webp", ".gif")
"""Other files are not even offered; what is in them decides all the same."""
MOST_BYTES: Final = 20 * 1024 * 1024

_OWN = re.compile(r"files/(?:[0-9a-f]{2}/[0-9a-f]{2}/)?([0-9a-f]{64})(?:\.[a-z]{3,4})?")
_DRIVE = re.compile(r"[A-Za-z]:/")


def own_name(address: str) -> str | None:
    """Return the hash of a file in memdesk's own folder, None for any other address."""
    found = _OWN.fullmatch(address.strip())
    return found[1] if found else None


def local_path(address: str) -> Path | None:
    """Return the file that an absolute path or a `file:` address names, None for anything else.

    What leads to another machine is no local file: no host, no `//server/share`, however it is written.
    """
    text = address.strip().replace("\\", "/")
    if re.match(r"file:", text, re.IGNORECASE):
        try:
            parts = urlsplit(text)
        except ValueError:
            return None
        if parts.netloc.casefold() not in ("", "localhost") or parts.query or parts.fragment:
            return None
        text = unquote(parts.path).replace("\\", "/")
        # file:///C:/x.png
        text = text[1:] if _DRIVE.match(text[1:]) else text
    drive = os.name == "nt"
    absolute = bool(_DRIVE.match(text)) if drive else text.startswith("/")
    if not absolute or text.startswith("//") or "\0" in text or not text.casefold().endswith(SUFFIXES):
        return None
    return Path(text)


def is_local(address: str) -> bool:
    """Return whether a picture can be offered."""
    return own_name(address) is not None or local_path(address) is not None


def show_link(address: str) -> str:
    """Return the link that asks for a local picture."""
    return f"{SCHEME}:{quote(address.strip(), safe='')}"


def asked_for(link: str) -> str | None:
    """Return the address that a link asks for, None when it is another link."""
    scheme, _, rest = link.partition(":")
    return unquote(rest) if scheme == SCHEME else None


def read_picture(path: Path) -> bytes:
    """Return what is in a picture file. Raises OSError, and FormatError for more than is ever decoded."""
    # A pipe or a device with such a name would never end.
    if not path.is_file():
        raise FileNotFoundError(path)
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        reason = f"The file is larger than {MOST_BYTES // 1024**2} MiB."
        raise FormatError(path.name, reason, code="too_large")
    return data
