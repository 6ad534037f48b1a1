"""Office files and e-books are ZIP archives: looked through before a library unpacks them."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

from memdesk.formats.documents.failures import Unreadable

MEMBER_BYTES = 64 << 20
TOTAL_BYTES = 256 << 20
RATIO = 200
MEMBERS = 5_000
"""Limits of what an archive may unpack to: one member, all, times its packed size, and how many members."""

SMALL = 1 << 20
"""A member up to this size may be packed as tightly as it likes."""

_STEP = 1 << 18
_MARKUP = (".xml", ".rels", ".xhtml", ".opf", ".ncx", ".fdseq", ".fdoc", ".fpage", ".vml")


def names(path: Path) -> set[str]:
    """Return the names of the members; raises `Unreadable`."""
    try:
        with zipfile.ZipFile(path) as archive:
            if len(archive.infolist()) > MEMBERS:
                raise Unreadable("bomb")
            return {item.filename for item in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError) as error:
        raise Unreadable("corrupt") from error


def check(path: Path, *, doctype: bool = False) -> None:
    """Unpack every member, counting; raises `Unreadable` for a bomb, damage, a password or a DOCTYPE.

    With `doctype`, XHTML pages may have one that declares nothing of their own: e-books do.
    """
    total = 0
    try:
        with zipfile.ZipFile(path) as archive:
            for item in archive.infolist():
                total += _check_member(archive, item, total, doctype=doctype)
    except Unreadable:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
        raise Unreadable("corrupt") from error


def _check_member(archive: zipfile.ZipFile, item: zipfile.ZipInfo, before: int, *, doctype: bool) -> int:
    if item.flag_bits & 1:
        raise Unreadable("encrypted")
    markup = item.filename.lower().endswith(_MARKUP)
    size = 0
    tail = b""
    with archive.open(item) as member:
        while step := member.read(_STEP):
            size += len(step)
            if size > MEMBER_BYTES or before + size > TOTAL_BYTES:
                raise Unreadable("bomb")
            if size > max(SMALL, RATIO * item.compress_size):
                raise Unreadable("bomb")
            if markup:
                tail = _refuse_doctype(tail + step, doctype=doctype)
    return size


def _refuse_doctype(data: bytes, *, doctype: bool) -> bytes:
    """Look for a DOCTYPE; returns the end of the data, which may be the beginning of one."""
    plain = data.replace(b"\0", b"").upper()
    place = plain.find(b"<!DOCTYPE")
    if place >= 0 and (not doctype or b"[" in plain[place:].partition(b">")[0]):
        raise Unreadable("doctype")
    if b"<!ENTITY" in plain:
        raise Unreadable("doctype")
    return data[-64:]


def read(path: Path, name: str) -> bytes:
    """Return a member of an archive that was checked; raises `Unreadable` when it is not there."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)
    except (KeyError, zipfile.BadZipFile, zlib.error, OSError, ValueError) as error:
        raise Unreadable("corrupt") from error
