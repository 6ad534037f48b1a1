"""Asks an OpenAI-compatible server for vectors."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal

from memdesk.llm.errors import LLMError, scrub

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memdesk.llm.embedder_profile import EmbedderProfile
    from memdesk.work.cancel import CancelToken

Limit = Literal["", "texts", "length"]
"""Which limit of a server a request was beyond: too many texts at once, or a text that is too long."""

# llama.cpp ("input is too large to process"), vLLM and OpenAI ("maximum context length"), Ollama ("exceeds
# the context length"), text-embeddings-inference ("must have less than 512 tokens").
_LENGTH: Final = re.compile(
    r"context|too (?:large|long)|physical batch size|less than \d+ tokens|maximum (?:sequence|input) length"
    r"|token limit|too many tokens",
    re.IGNORECASE,
)
_TEXTS: Final = re.compile(
    r"batch size \d+ >|too many (?:inputs|texts|requests in)|maximum (?:allowed )?batch|batch[^.]{0,30}exceed"
    r"|(?:inputs?|texts?|array)[^.]{0,40}(?:at most|maximum|no more than|too (?:many|large|long))",
    re.IGNORECASE,
)


def ask_vectors(
    profile: EmbedderProfile, key: str, texts: Sequence[str], cancel: CancelToken | None = None
) -> list[list[float]]:
    """Return the server's vector of every text, in their order, all finite and equally long.

    Raises `LLMError` and `Cancelled`; `limit_of` tells whether smaller requests may help.
    """
    import httpx2  # noqa: PLC0415 - slow to import

    from memdesk.llm import failures, wire  # noqa: PLC0415

    place = failures.Place(profile.base_url, profile.host, profile.model, profile.timeout_seconds, key)
    body: dict[str, Any] = {"input": list(texts), "encoding_format": "float"}
    if profile.model:
        body["model"] = profile.model
    try:
        answer = wire.fetch(
            f"{profile.base_url}/embeddings",
            key,
            timeout=profile.timeout_seconds,
            cancel=cancel,
            body=body,
            most=_most_bytes(len(texts)),
        )
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise failures.connection_error(error, place) from error
    except ValueError as error:
        raise failures.unusable_error(error, place) from error
    if answer.status in (404, 405) and "model" not in answer.text.casefold():
        text = f"There is no embedding service at {profile.base_url} ({answer.status}). Check the path; most "
        text += "servers end in /v1, and some must be started with embeddings switched on."
        raise LLMError("not_found", text, detail=scrub(answer.text, key), status=answer.status)
    if answer.status != 200:
        raise failures.status_error(answer.status, answer.headers, answer.value, answer.text, place)
    if not isinstance(answer.value, dict):
        raise failures.not_openai_error(place, answer.text)
    if "error" in answer.value and "data" not in answer.value:
        raise failures.reported_error(answer.value["error"], place)
    return _vectors(answer.value, len(texts), key)


def limit_of(error: LLMError, texts: int) -> Limit:
    """Return which limit a refused request of so many texts was probably beyond, "" for none."""
    if error.status not in (400, 413, 422, 500):
        return ""
    words = f"{error.message} {error.detail}"
    if texts > 1 and (error.status == 413 or _TEXTS.search(words)):
        return "texts"
    if error.code == "context_too_small" or error.status == 413 or _LENGTH.search(error.detail):
        # One text of many may be the long one: alone it will tell.
        return "texts" if texts > 1 else "length"
    return "texts" if texts > 1 and error.status in (400, 422) and error.code == "bad_request" else ""


def _most_bytes(texts: int) -> int:
    """Return how long an answer may be: 4,096 numbers of 25 characters a text, and some more."""
    return 16 * 1024**2 + texts * 128 * 1024


def _vectors(value: dict[str, Any], count: int, key: str) -> list[list[float]]:
    data = value.get("data")
    if not isinstance(data, list):
        raise _malformed("it holds no list of vectors", key)
    if len(data) != count:
        raise _malformed(f"{count} texts were sent, {len(data)} vectors came back", key)
    rows: list[list[float] | None] = [None] * count
    for place, item in enumerate(data):
        index = item.get("index", place) if isinstance(item, dict) else None
        row = item.get("embedding") if isinstance(item, dict) else None
        if not isinstance(index, int) or not 0 <= index < count or rows[index] is not None:
            raise _malformed("its vectors are not numbered as they should be", key)
        if not isinstance(row, list) or not row or not all(_is_number(number) for number in row):
            raise _malformed("a vector holds something that is not a number", key)
        rows[index] = row
    found = [row for row in rows if row is not None]
    if len({len(row) for row in found}) > 1:
        raise _malformed("its vectors are not equally long", key)
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _malformed(what: str, key: str) -> LLMError:
    text = "The server's answer to a request for vectors cannot be used. Nothing of it was kept."
    return LLMError("malformed", text, detail=scrub(what, key))
