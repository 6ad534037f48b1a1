"""What a file is, told from its content; the name only says which kind of text a text is."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import Final

from memdesk.formats.documents import archive
from memdesk.formats.documents.failures import Unreadable

HEAD = 4096

_CODE_NAMES = """
py pyw js mjs ts tsx jsx c h cc cpp hpp cs java kt go rs rb php pl lua swift scala sh bash
zsh ps1 bat sql r css scss less toml ini cfg conf properties lisp el clj hs ml ex exs erl
vim tex svg
"""
_CODE = frozenset(_CODE_NAMES.split())
_TEXTS: Final[dict[str, str]] = {
    "md": "md", "markdown": "md", "mdown": "md", "csv": "csv", "tsv": "tsv", "tab": "tsv", "json": "json",
    "jsonl": "json", "ndjson": "json", "yaml": "yaml", "yml": "yaml", "srt": "srt", "vtt": "vtt",
}  # fmt: skip
_SRT = re.compile(r"\s*\d+\s*\n\s*\d+:\d\d:\d\d[,.]\d+\s*-->")
_ODF = "application/vnd.oasis.opendocument."
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def container(path: Path, head: bytes) -> str:
    """Return pdf, docx, xlsx, pptx, odt, ods, odp, epub, xps, mobi or rtf; "" for what may be a text.

    Raises `Unreadable` for files of Office that cannot be read, and for other archives.
    """
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _archive(path)
    if head[60:68] in {b"BOOKMOBI", b"TEXtREAd"}:
        return "mobi"
    if head.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(_OLE):
        # An Office file with a password is hidden in a container of the old kind.
        packed = "EncryptedPackage".encode("utf-16-le")
        raise Unreadable("encrypted" if packed in path.read_bytes()[: 1 << 22] else "old_office")
    return ""


def _archive(path: Path) -> str:
    members = archive.names(path)
    for member, kind in (("word/", "docx"), ("xl/", "xlsx"), ("ppt/", "pptx")):
        if any(name.startswith(member) for name in members) and "[Content_Types].xml" in members:
            return kind
    if "mimetype" in members:
        mime = archive.read(path, "mimetype").decode("ascii", "replace").strip()
        kinds = {"text": "odt", "spreadsheet": "ods", "presentation": "odp"}
        if mime.startswith(_ODF):
            kind = kinds.get(mime.removeprefix(_ODF).removesuffix("-template"), "")
            if kind:
                return kind
        if mime == "application/epub+zip":
            return "epub"
    if any(name.endswith((".fdseq", ".fdoc", ".fpage")) for name in members):
        return "xps"
    if "META-INF/container.xml" in members:
        return "epub"
    raise Unreadable("unknown_format")


def of_text(text: str, name: str) -> str:
    """Return which kind of text a text is: fb2, html, vtt, srt, md, csv, tsv, json, yaml, code or txt."""
    head = text[:HEAD].lstrip()
    lower = head.lower()
    if "<fictionbook" in lower:
        return "fb2"
    suffix = PurePath(name).suffix.lower().lstrip(".")
    if lower.startswith(("<!doctype html", "<html")) or (
        suffix in {"html", "htm", "xhtml"} or (lower.startswith("<?xml") and "<html" in lower)
    ):
        return "html"
    if head.startswith("WEBVTT"):
        return "vtt"
    if _SRT.match(head):
        return "srt"
    if suffix in _TEXTS and suffix not in {"srt", "vtt"}:
        return _TEXTS[suffix]
    return "code" if suffix in _CODE else "txt"
