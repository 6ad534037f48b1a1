"""The client for OpenAI-compatible servers."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from memdesk.llm.events import (
    ChatClient,
    ChatRequest,
    Event,
    Finished,
    ReasoningDelta,
    TextDelta,
    TextWasThought,
    Usage,
)
from memdesk.work.cancel import Cancelled, CancelToken

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx2
    import openai

    from memdesk.llm.errors import LLMError
    from memdesk.llm.failures import Place
    from memdesk.llm.keys import KeyStore
    from memdesk.llm.profile import ConnectionProfile
    from memdesk.llm.wire import Patience

__all__ = [
    "ChatClient",
    "ChatRequest",
    "Event",
    "Finished",
    "OpenAIClient",
    "ReasoningDelta",
    "TextDelta",
    "TextWasThought",
    "Usage",
    "client_for",
]

NO_KEY: Final = "no-key"
"""Keeps the openai package from looking for a key in the environment; it is never sent."""

DEFAULT_MODEL: Final = "default"
"""Sent when the profile names no model; servers with one model loaded ignore the name."""


class OpenAIClient:
    """Asks an OpenAI-compatible server; safe to use from several threads at once.

    Every request has a connection of its own, without proxies, environment variables or redirects, and with
    no other headers than the request needs. Nothing is tried twice, except that a request is repeated once
    without a field that an older server does not know (`stream_options`) or a newer one renamed
    (`max_tokens`).
    """

    def __init__(self, profile: ConnectionProfile, api_key: str | None) -> None:
        self._profile = profile
        self._key = (api_key or "").strip()
        self._closed = CancelToken()
        self._asks_usage = True
        self._limit_field = "max_tokens"

    def stream(self, request: ChatRequest, cancel: CancelToken) -> Iterator[Event]:
        """Yield the reply as it is written; see `ChatClient.stream`.

        A silence longer than the profile's `timeout_seconds` raises LLMError "timeout", a reply of more than
        `reply.MAX_REPLY_CHARS` characters "too_long". Closing the iterator early closes the connection.
        """
        stop = CancelToken()
        removers = (cancel.on_cancel(stop.cancel), self._closed.on_cancel(stop.cancel))
        try:
            yield from self._ask(request, stop)
        except Cancelled:
            yield Finished("stopped", None, self._profile.model)
        finally:
            for remove in removers:
                remove()

    def close(self) -> None:
        """End all replies that are being written; nothing can be asked afterwards."""
        self._closed.cancel()

    def _ask(self, request: ChatRequest, stop: CancelToken) -> Iterator[Event]:
        stop.raise_if_cancelled()
        # Only now: these load openai and httpx2, which take up to some seconds on a cold start.
        import httpx2  # noqa: PLC0415
        import openai  # noqa: PLC0415

        from memdesk.llm import failures, reply, wire  # noqa: PLC0415

        place = failures.Place.of(self._profile, self._key)
        patience = wire.Patience(stop, self._profile.timeout_seconds)
        with ExitStack() as stack:
            try:
                response = self._open(request, place, patience, stack)
            except openai.APIStatusError as error:
                raise _status_error(error, place) from error
            except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
                raise failures.connection_error(error, place) from error
            except ValueError as error:
                raise failures.unusable_error(error, place) from error
            yield from reply.read_reply(response, place, patience)

    def _open(
        self, request: ChatRequest, place: Place, patience: Patience, stack: ExitStack
    ) -> httpx2.Response:
        """Send the request, rewritten if the server refuses a field, and return the open response."""
        import openai  # noqa: PLC0415

        client = self._client(patience, stack)
        asks_usage, limit_field = self._asks_usage, self._limit_field
        while True:
            body = self._body(request, asks_usage=asks_usage, limit_field=limit_field)
            patience.progress()
            try:
                response = stack.enter_context(client.chat.completions.with_streaming_response.create(**body))
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                failure = _status_error(error, place)
                if failure.code != "bad_request":
                    raise
                if limit_field == "max_tokens" and "max_completion_tokens" in failure.detail:
                    limit_field = "max_completion_tokens"
                elif asks_usage:
                    asks_usage = False
                else:
                    raise
            else:
                self._asks_usage, self._limit_field = asks_usage, limit_field
                opened: httpx2.Response = response.http_response
                return opened

    def _client(self, patience: Patience, stack: ExitStack) -> openai.OpenAI:
        import openai  # noqa: PLC0415

        from memdesk.llm import wire  # noqa: PLC0415

        http = stack.enter_context(wire.http_client(self._profile.base_url, self._key, patience))
        return openai.OpenAI(
            api_key=NO_KEY,
            admin_api_key="",
            organization="",
            project="",
            webhook_secret="",
            base_url=self._profile.base_url,
            max_retries=0,
            timeout=http.timeout,
            http_client=http,
        )

    def _body(self, request: ChatRequest, *, asks_usage: bool, limit_field: str) -> dict[str, Any]:
        profile = self._profile
        options = {
            limit_field: request.max_tokens or profile.reply_tokens,
            "temperature": profile.temperature,
            "top_p": profile.top_p,
            "frequency_penalty": profile.frequency_penalty,
            "presence_penalty": profile.presence_penalty,
            "seed": profile.seed,
            "stop": profile.stop or None,
            "stream_options": {"include_usage": True} if asks_usage else None,
        }
        # Not in OpenAI's own interface, but llama.cpp, vLLM, KoboldCpp, TabbyAPI and others know them.
        extra = {
            "min_p": profile.min_p,
            "top_k": profile.top_k,
            "repetition_penalty": profile.repetition_penalty,
        }
        return {
            "model": profile.model or DEFAULT_MODEL,
            "messages": request.messages,
            "stream": True,
            **{name: value for name, value in options.items() if value is not None},
            "extra_body": {n: v for n, v in extra.items() if v is not None} | profile.extra_body,
        }


def _status_error(error: openai.APIStatusError, place: Place) -> LLMError:
    from memdesk.llm import failures, wire  # noqa: PLC0415

    # The shortened body was read by the openai package already.
    response = error.response
    value = wire.parse_json(response.content)
    return failures.status_error(response.status_code, response.headers, value, response.text[:2000], place)


def client_for(profile: ConnectionProfile, keys: KeyStore) -> ChatClient:
    """Return the client of a profile: the demo voice, or one for its server with the key kept for it."""
    if profile.kind == "demo":
        from memdesk.llm.demo import DemoClient  # noqa: PLC0415

        return DemoClient()
    return OpenAIClient(profile, keys.get(profile.id))
