"""What can go wrong between memdesk and a language model, in plain words."""

from __future__ import annotations

from typing import Final, Literal, get_args

ErrorCode = Literal[
    "refused",
    "unreachable",
    "timeout",
    "tls",
    "redirected",
    "not_openai",
    "not_found",
    "model_missing",
    "unauthorized",
    "forbidden",
    "rate_limited",
    "context_too_small",
    "bad_request",
    "server_error",
    "malformed",
    "cut",
    "too_long",
    "no_reply",
]
"""Stable names of what went wrong; the window translates by them."""

ERROR_CODES: Final[frozenset[str]] = frozenset(get_args(ErrorCode))

DETAIL_CHARS: Final = 500
"""A server's own words are kept up to this many characters."""


class LLMError(Exception):
    """A model or a connection failed.

    `message` says what is wrong and what to do, in one or two plain sentences. `detail` is what the server
    or the system said, at most `DETAIL_CHARS` characters, without keys; it may be empty. `retry_after` is
    the number of seconds the server asks to wait, or None. `status` is the HTTP status, or None.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        detail: str = "",
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.detail = detail
        self.retry_after = retry_after
        self.status = status

    def __str__(self) -> str:
        return f"{self.message} ({self.detail})" if self.detail else self.message


def scrub(text: str, *secrets: str) -> str:
    """Return `text` on one line, shortened to `DETAIL_CHARS`, with every secret replaced by dots."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "•••")
    flat = " ".join("".join(ch if ch.isprintable() else " " for ch in text).split())
    return flat if len(flat) <= DETAIL_CHARS else flat[: DETAIL_CHARS - 1] + "…"
