"""Failures in the words of the window: by their stable codes where they have one."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication

from memdesk.formats.errors import FormatError
from memdesk.llm.errors import LLMError
from memdesk.llm.profile import is_loopback, is_private, normalise_base_url
from memdesk.ui.errors import explain
from memdesk.ui.sentences import said

translate = QCoreApplication.translate


def _llm_words() -> dict[str, str]:
    return {
        "refused": translate("Failure", "nothing listens there"),
        "unreachable": translate("Failure", "cannot be reached"),
        "timeout": translate("Failure", "no answer in time"),
        "tls": translate("Failure", "no secure connection"),
        "redirected": translate("Failure", "sends us elsewhere"),
        "not_openai": translate("Failure", "not a language model server"),
        "not_found": translate("Failure", "wrong path"),
        "model_missing": translate("Failure", "not on this server"),
        "unauthorized": translate("Failure", "refused"),
        "forbidden": translate("Failure", "not allowed"),
        "rate_limited": translate("Failure", "too many requests"),
        "context_too_small": translate("Failure", "smaller than set here"),
        "bad_request": translate("Failure", "request refused"),
        "server_error": translate("Failure", "the server failed"),
        "malformed": translate("Failure", "unreadable reply"),
        "cut": translate("Failure", "the connection broke"),
        "too_long": translate("Failure", "too long"),
        "no_reply": translate("Failure", "empty reply"),
        "not_listed": translate("Failure", "works, but is not listed"),
        "no_list": translate("Failure", "answers, but lists no models"),
        "unknown": translate("Failure", "size not told"),
    }


def step_title(name: str, code: str) -> str:
    """Return the title of a check's step: "Key" when it went well, else "Key: refused"."""
    title = {
        "server": translate("Failure", "Server"),
        "key": translate("Failure", "Key"),
        "model": translate("Failure", "Model"),
        "reply": translate("Failure", "Reply"),
        "context": translate("Failure", "Context"),
    }.get(name, name)
    words = _llm_words().get(code)
    return translate("Failure", "{title}: {words}").format(title=title, words=words) if words else title


def place_words(base_url: str) -> tuple[str, Literal["info", "ok", "wait", "bad"]]:
    """Return in plain words whether chats leave this machine, and how serious that is; "" when unreadable."""
    try:
        parts = urlsplit(normalise_base_url(base_url))
    except ValueError:
        return "", "info"
    host = parts.hostname or ""
    if is_loopback(host):
        return translate("Place", "On this computer: chats do not leave it."), "ok"
    if is_private(host):
        return translate("Place", "Chats are sent to {host} in your network.").format(host=host), "info"
    if parts.scheme == "https":
        return translate("Place", "Chats are sent over the internet to {host}.").format(host=host), "wait"
    words = translate("Place", "Chats and the key are sent over the internet to {host} without encryption.")
    return words.format(host=host), "bad"


def failure_words(error: Exception) -> str:
    """Return a sentence for a person; what is not expected is named, never shown as a traceback."""
    if isinstance(error, LLMError):
        says = translate("Failure", "The server says: {words}")
        more = f" {says.format(words=error.detail)}" if error.detail and error.status else ""
        return said(error.message) + more
    if isinstance(error, FormatError):
        return said(error.reason)
    if isinstance(error, OSError):
        return translate("Failure", "The file cannot be used: {reason}.").format(
            reason=error.strerror or type(error).__name__
        )
    return explain(error)
