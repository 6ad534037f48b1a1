"""Web addresses as they are, not as they want to look."""

from __future__ import annotations

import unicodedata
from urllib.parse import urlsplit

LONGEST_HOST = 100


def plain_host(host: str) -> str:
    """Return a host in letters that nobody can mistake: other scripts as punycode (`xn--…`), cut if long.

    Two addresses that look alike, as with a Cyrillic “а” for an “a”, differ in it.
    """
    host = host.strip().rstrip(".").casefold()
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            host = "".join(sign if sign.isascii() else "?" for sign in unicodedata.normalize("NFKC", host))
    host = "".join(sign for sign in host if sign.isalnum() or sign in ".-_:")
    # The end is what tells whose it is.
    return host if len(host) <= LONGEST_HOST else "…" + host[-LONGEST_HOST:]


def shown_host(host: str) -> str:
    """Return how a host in punycode wants to look, "" when it is plain."""
    if "xn--" not in host:
        return ""
    try:
        shown = host.encode("ascii").decode("idna")
    except UnicodeError:
        return ""
    return "".join(sign for sign in shown if unicodedata.category(sign)[0] in "LMN" or sign in ".-")


def host_of(address: str) -> tuple[str, bool]:
    """Return the host that an address leads to, and whether something before an @ could be taken for it."""
    try:
        parts = urlsplit(address.replace("\\", "/"))
        return plain_host(parts.hostname or ""), "@" in parts.netloc
    except ValueError:
        return "", False
