"""Turns what the network and the servers report into an `LLMError` in plain words.

Import this module inside functions only: it loads httpx2, which the first window must not wait for.
"""

from __future__ import annotations

import errno
import math
import re
import socket
import ssl
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import httpx2

from memdesk.llm.errors import LLMError, scrub

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from memdesk.llm.profile import ConnectionProfile

MAX_RETRY_AFTER: Final = 86_400.0
"""A server's wish to wait longer than a day is taken as a day, in seconds."""

# The words of OpenAI and vLLM ("maximum context length"), llama.cpp ("exceeds the available context size",
# exceed_context_size_error), LM Studio ("context the overflows", "greater than the context length"),
# some proxies ("prompt is too long") and TabbyAPI ("greater than the max sequence length").
_CONTEXT: Final = re.compile(
    r"context[_ ]length[_ ]exceeded|maximum context|exceed\w* (?:the )?(?:available |model'?s? )?context"
    r"|exceed_context_size|context (?:size|length|window)[^.]{0,40}exceed|context the overflows"
    r"|(?:greater|longer|larger) than the (?:model'?s? )?(?:context|max)|prompt is too long"
    r"|too many tokens|max(?:imum)? (?:input|sequence|prompt) length|input length[^.]{0,40}exceed",
    re.IGNORECASE,
)
_MODEL: Final = re.compile(
    r"model_not_found|model\b.{0,200}?(?:not found|does not exist|doesn't exist|not exist|not available|"
    r"not loaded|unknown)|(?:unknown|invalid|no such|not a valid) model|no models? loaded",
    re.IGNORECASE | re.DOTALL,
)
_UNREACHABLE: Final = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN})


@dataclass(frozen=True, slots=True)
class Place:
    """What error messages name: where the request went and for which model. `key` is kept out of them."""

    base_url: str
    host: str
    model: str
    timeout_seconds: float
    key: str = ""

    @classmethod
    def of(cls, profile: ConnectionProfile, key: str) -> Place:
        """Return the place that a profile points to."""
        return cls(profile.base_url, profile.host, profile.model, profile.timeout_seconds, key)


def connection_error(error: BaseException, place: Place) -> LLMError:
    """Return the LLMError for an exception of httpx2, of the openai package, or of the operating system."""
    chain = list(_chain(error))
    detail = scrub(next((str(item) for item in reversed(chain) if str(item)), ""), place.key)
    at = place.base_url
    if any(isinstance(item, ssl.SSLError) for item in chain):
        return _tls_error(detail, at)
    if any(isinstance(item, socket.gaierror | UnicodeError) for item in chain):
        return LLMError(
            "unreachable",
            f"No machine called “{place.host}” was found. Check the address and your network.",
            detail=detail,
        )
    if any(isinstance(item, ConnectionRefusedError) for item in chain):
        return LLMError(
            "refused", f"Nothing listens at {at}. Start the server, or correct the port.", detail=detail
        )
    timed_out = any(isinstance(item, httpx2.TimeoutException | TimeoutError) for item in chain)
    connecting = any(isinstance(item, httpx2.ConnectError | httpx2.ConnectTimeout) for item in chain)
    if connecting or any(isinstance(item, OSError) and item.errno in _UNREACHABLE for item in chain):
        return LLMError(
            "unreachable",
            f"The machine at {at} cannot be reached. Check that it is on and in the same network.",
            detail=detail,
        )
    if timed_out:
        return timeout_error(place, detail)
    if any(isinstance(item, httpx2.RemoteProtocolError) for item in chain):
        return _protocol_error(detail, at)
    if any(isinstance(item, httpx2.InvalidURL | httpx2.UnsupportedProtocol) for item in chain):
        return LLMError("unreachable", f"The address {at} is not one that can be asked.", detail=detail)
    return cut_error(detail)


def timeout_error(place: Place, detail: str = "") -> LLMError:
    """Return the error for a server that was silent for too long."""
    return LLMError(
        "timeout",
        f"The server at {place.base_url} sent nothing for {place.timeout_seconds:g} seconds. It may still be "
        "loading the model or reading a long prompt: try again, or raise the time limit of this connection.",
        detail=detail,
    )


def cut_error(detail: str = "") -> LLMError:
    """Return the error for a reply that broke off."""
    return LLMError(
        "cut",
        "The connection broke before the reply was complete. What arrived is kept; try again to get a whole "
        "reply.",
        detail=detail,
    )


def malformed_error(place: Place, shown: str) -> LLMError:
    """Return the error for an answer that is damaged, with the piece that could not be read."""
    return LLMError(
        "malformed",
        "The server sent something that is not a readable reply. What arrived before is kept; if it happens "
        "again, update the server or look at its log.",
        detail=scrub(shown, place.key),
    )


def not_openai_error(place: Place, shown: str) -> LLMError:
    """Return the error for an answer of another kind of server, a web page for example."""
    return LLMError(
        "not_openai",
        f"What answers at {place.base_url} is not an OpenAI-compatible server. Check the address; most "
        "servers end in /v1.",
        detail=scrub(shown, place.key),
    )


def no_reply_error(place: Place) -> LLMError:
    """Return the error for an answer without any content."""
    return LLMError(
        "no_reply", f"The server at {place.host} answered with nothing. Try again, or look at its log."
    )


def unusable_error(error: ValueError, place: Place) -> LLMError:
    """Return the error for a request that cannot be written down, because of its key or address."""
    return LLMError(
        "bad_request",
        "The request could not be sent. Check the address, the key and the extra fields of this connection.",
        detail=scrub(str(error), place.key),
    )


def reported_error(error: object, place: Place) -> LLMError:
    """Return the LLMError for an `error` value inside an answer whose status was 200."""
    text = error_text({"error": error}, "")
    if _CONTEXT.search(text):
        return _context_error(text, place)
    if _MODEL.search(text):
        return _model_error(text, place)
    return LLMError(
        "server_error",
        "The server reported an error while it wrote the reply. What arrived is kept.",
        detail=scrub(text, place.key),
    )


def status_error(status: int, headers: Mapping[str, str], value: object, text: str, place: Place) -> LLMError:
    """Return the LLMError for an answer whose status is 300 or more.

    `value` is the JSON of the body or None, `text` the beginning of the body.
    """
    words = error_text(value, text)
    if status in (400, 413, 422, 500) and _CONTEXT.search(words):
        return _context_error(words, place, status)
    if status in (400, 404, 422) and value is not None and _MODEL.search(words):
        return _model_error(words, place, status)
    detail = scrub(words, place.key)
    at = place.base_url
    if status == 429:
        wait = retry_after(headers.get("retry-after"))
        when = f" Wait {math.ceil(wait)} s and try again." if wait else " Wait a moment and try again."
        text = f"The server at {place.host} takes no more requests for now (429).{when}"
        return LLMError("rate_limited", text, detail=detail, retry_after=wait, status=status)
    if 300 <= status < 400:
        target = scrub(headers.get("location", ""), place.key)
        text = f"The server at {at} sends requests on to another address{f' ({target})' if target else ''}. "
        return LLMError("redirected", text + "Put that address into the connection.", status=status)
    if status >= 500:
        wait = retry_after(headers.get("retry-after"))
        text = f"The server at {at} failed ({status}). It may be loading the model, or out of memory: "
        return LLMError(
            "server_error",
            text + "try again in a moment, or look at its log.",
            detail=detail,
            retry_after=wait,
            status=status,
        )
    code, text = _STATUS_WORDS.get(
        status, ("bad_request", "The server did not accept the request ({status}).")
    )
    return LLMError(code, text.format(status=status, at=at, host=place.host), detail=detail, status=status)


_STATUS_WORDS: Final[dict[int, tuple[Any, str]]] = {
    401: (
        "unauthorized",
        "The server at {host} wants a valid API key. Enter the key of this connection again.",
    ),
    402: ("forbidden", "The account at {host} has no credit left ({status})."),
    403: (
        "forbidden",
        "The server at {host} refuses this request ({status}). The key may lack the permission.",
    ),
    404: (
        "not_found",
        "There is no chat service at {at} ({status}). Check the path; most servers end in /v1.",
    ),
    405: (
        "not_found",
        "There is no chat service at {at} ({status}). Check the path; most servers end in /v1.",
    ),
    408: ("timeout", "The server at {host} gave up waiting ({status}). Try again."),
}


def retry_after(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header (RFC 9110, 10.2.3), None when there is no sense in it."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):
            return None
    if not math.isfinite(seconds):
        return None
    return min(max(0.0, seconds), MAX_RETRY_AFTER)


def error_text(value: object, text: str) -> str:
    """Return the words in an error body; servers put them under error, message, detail or nowhere."""
    if isinstance(value, dict):
        error = value.get("error", value)
        if isinstance(error, dict):
            parts = [error.get(name) for name in ("message", "code", "type", "detail")]
            words = [str(part) for part in parts if part not in (None, "")]
            if words:
                return f"{words[0]} [{', '.join(words[1:])}]" if len(words) > 1 else words[0]
        elif error not in (None, ""):
            return str(error)
        return str(value)
    return re.sub(r"<[^>]{0,500}>", " ", text)


def _context_error(words: str, place: Place, status: int | None = None) -> LLMError:
    return LLMError(
        "context_too_small",
        "The prompt is longer than the model’s context. Lower the context size of this connection to what "
        "the server has, or start the server with a larger context.",
        detail=scrub(words, place.key),
        status=status,
    )


def _model_error(words: str, place: Place, status: int | None = None) -> LLMError:
    name = f"the model “{place.model}”" if place.model else "the model asked for"
    return LLMError(
        "model_missing",
        f"The server at {place.host} does not have {name}. Choose one from its list, or load it there first.",
        detail=scrub(words, place.key),
        status=status,
    )


def _tls_error(detail: str, at: str) -> LLMError:
    plain = any(sign in detail for sign in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST", "RECORD_LAYER", "EOF"))
    advice = (
        "It probably speaks plain http: change https:// to http:// in the address."
        if plain
        else "Its certificate is not one that this machine trusts, or it is out of date."
    )
    return LLMError("tls", f"No secure connection to {at} could be made. {advice}", detail=detail)


def _protocol_error(detail: str, at: str) -> LLMError:
    if "without sending a response" in detail:
        return LLMError(
            "cut",
            f"The server at {at} closed the connection without an answer. It may have stopped, or be another "
            "kind of server: look at its log.",
            detail=detail,
        )
    if "incomplete" in detail or "closed connection" in detail:
        return cut_error(detail)
    return LLMError(
        "not_openai",
        f"What answers at {at} does not speak http. If the server uses TLS, begin the address with https://.",
        detail=detail,
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and what led to it, outermost first."""
    seen: set[int] = set()
    item: BaseException | None = error
    while item is not None and id(item) not in seen:
        seen.add(id(item))
        yield item
        item = item.__cause__ or item.__context__
