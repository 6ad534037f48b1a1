"""Pictures that a message names: none is loaded by itself, and words in their place say what was blocked.

A picture that is fetched tells a stranger when a chat is read and from where; on Windows, a path to another
machine even sends a password's hash. So memdesk loads none that a text names, whatever its address. Files of
this computer are offered: the words in their place are a link that asks for them (`panels/message_pictures`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from markdown_it.rules_inline.state_inline import StateInline
from PySide6.QtCore import QCoreApplication

from memdesk.chats.text import one_line
from memdesk.ui.addresses import plain_host
from memdesk.ui.local_pictures import is_local, show_link

translate = QCoreApplication.translate

_MARKDOWN = re.compile(r"!\[([^\[\]\n]{0,300})\]\(\s?<?([^\s()<>]{1,20000})>?(?:\s\"[^\"\n]{0,200}\")?\s?\)")
_HTML = re.compile(r"<img\b[^<>]{0,20000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(src|alt)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE)

_SHOWN_NAME = 60


@dataclass(frozen=True, slots=True)
class BlockedPicture:
    """What stands in the place of a picture; `href` is its web address, or what asks for a local one."""

    words: str
    href: str = ""


def from_markdown(found: re.Match[str]) -> BlockedPicture:
    """Return what stands in the place of `![name](address)`."""
    return blocked(found[2], found[1])


def from_html(tag: str) -> BlockedPicture:
    """Return what stands in the place of an `<img>` tag."""
    values = {item[0].lower(): item[1] or item[2] or item[3] for item in _ATTRIBUTE.findall(tag)}
    return blocked(values.get("src", ""), values.get("alt", ""))


def blocked(address: str, name: str = "") -> BlockedPicture:
    """Say which picture was not loaded; plain text on one line, without marks that could style it."""
    scheme, host = _place(address)
    href = ""
    if scheme in ("http", "https") and host:
        words = translate("BlockedPicture", "picture from {0} not loaded").format(host)
        href = address if re.fullmatch(r"https?://[^\s()<>\"'`\\]{1,2000}", address) else ""
    elif scheme == "data":
        words = translate("BlockedPicture", "picture inside the text not shown")
    elif host:
        words = translate("BlockedPicture", "picture on another machine ({0}) not loaded").format(host)
    elif is_local(address):
        words = translate("BlockedPicture", "show the picture from this computer")
        href = show_link(address)
    elif scheme in ("", "file"):
        words = translate("BlockedPicture", "picture file not loaded")
    else:
        words = translate("BlockedPicture", "picture not loaded")
    shown = one_line(re.sub(r"[\"“”„«»‹›「」『』\[\]]", "", name), _SHOWN_NAME).strip()
    return BlockedPicture(f"[{words}: {shown}]" if shown else f"[{words}]", href)


def _place(address: str) -> tuple[str, str]:
    """Return the scheme and the host that an address names, "" where it names none."""
    address = address.strip().replace("\\", "/")
    if re.match(r"[A-Za-z]:/", address):
        return "file", ""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return "?", ""
    if parts.scheme == "file" and not host and parts.path.startswith("//"):
        host = parts.path.lstrip("/").split("/")[0]
    return parts.scheme.lower(), plain_host(host)


def picture_rule(state: StateInline, silent: bool) -> bool:
    """Put words in the place of a picture; a rule of markdown-it-py."""
    mark = state.src[state.pos]
    if silent or mark not in "!<":
        return False
    found = (_MARKDOWN if mark == "!" else _HTML).match(state.src, state.pos)
    if found is None:
        return False
    picture = from_markdown(found) if mark == "!" else from_html(found[0])
    token = state.push("picture", "", 0)
    token.content, token.meta = picture.words, {"href": picture.href}
    state.pos = found.end()
    return True
