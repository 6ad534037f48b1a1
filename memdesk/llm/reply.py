"""Reads a reply from the body of a response, whatever its form and however it is cut.

Import this module inside functions only: it loads httpx2, which the first window must not wait for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import httpx2

from memdesk.llm import failures
from memdesk.llm.errors import LLMError
from memdesk.llm.events import Finished, ReasoningDelta, TextDelta, TextWasThought, Usage
from memdesk.llm.sse import EventParser, LineTooLong, SurrogateJoiner
from memdesk.llm.thoughts import Piece, Said, Thought, ThoughtSplitter
from memdesk.llm.wire import MAX_JSON_BYTES, parse_json
from memdesk.work.cancel import Cancelled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memdesk.llm.events import Event
    from memdesk.llm.failures import Place
    from memdesk.llm.wire import Patience

MAX_REPLY_CHARS: Final = 2_000_000
"""Reply and thoughts together may have this many characters: twice the largest message that memdesk promises
to handle, and a sure end for servers that never stop."""

AFTER_END_SECONDS: Final = 2.0
"""How long to wait for usage figures once the reply itself is complete."""

_SSE_FIELDS: Final = (b"data", b"event", b"id", b"retry", b":")
_SNIFF_BYTES: Final = 8


def read_reply(response: httpx2.Response, place: Place, patience: Patience) -> Iterator[Event]:
    """Yield the events of a reply whose status was 2xx, `Finished` last.

    What counts is the body, not the Content-Type, which servers get wrong: server-sent events, or one JSON
    document from servers that ignore `stream`. Raises LLMError after the events that came before the failure.
    """
    reader = ReplyReader(place)
    try:
        for chunk in response.iter_bytes():
            for event in reader.feed(chunk):
                patience.cancel.raise_if_cancelled()
                yield event
                # Only text counts as progress, comments do not; nor does the time our caller takes.
                patience.progress()
            if reader.done:
                break
            if reader.ended:
                patience.limit(AFTER_END_SECONDS)
        yield from reader.finish()
    except Cancelled:
        yield from reader.flush()
        yield Finished("stopped", reader.usage, reader.model)
    except LLMError:
        yield from reader.flush()
        raise
    except httpx2.HTTPError as error:
        if not reader.complete:
            yield from reader.flush()
            raise failures.connection_error(error, place) from error
        yield from reader.finish()


class ReplyReader:
    """Turns pieces of a body into events. `ended` is set once the reply is complete, `done` at `[DONE]`."""

    def __init__(self, place: Place) -> None:
        self.model = place.model
        self.usage: Usage | None = None
        self.done = False
        self._reason: str | None = None
        self._place = place
        self._mode = ""
        self._head = bytearray()
        self._parser = EventParser()
        self._text_joiner = SurrogateJoiner()
        self._thought_joiner = SurrogateJoiner()
        self._splitter = ThoughtSplitter()
        self._chars = 0

    @property
    def ended(self) -> bool:
        """Whether the server said why the reply ended."""
        return self.done or self._reason is not None

    @property
    def complete(self) -> bool:
        """Whether nothing is missing although the body has not come to its end."""
        return self.ended or (self._mode == "json" and parse_json(bytes(self._head)) is not None)

    def feed(self, chunk: bytes) -> Iterator[Event]:
        """Take the next bytes and yield what they complete. Raises LLMError."""
        if self._mode != "events":
            self._head += chunk
            if self._mode == "" and len(self._head.lstrip(b"\xef\xbb\xbf \t\r\n")) >= _SNIFF_BYTES:
                self._mode = self._sniff()
            if self._mode != "events":
                if len(self._head) > MAX_JSON_BYTES:
                    raise self._too_long()
                return
            chunk = bytes(self._head)
            self._head.clear()
        try:
            payloads = self._parser.feed(chunk)
        except LineTooLong:
            raise failures.malformed_error(self._place, "one line of the reply does not end") from None
        yield from self._payloads(payloads)

    def finish(self) -> Iterator[Event]:
        """Yield what the end of the body completes, `Finished` last. Raises LLMError."""
        if self._mode == "":
            if not self._head.strip():
                raise failures.no_reply_error(self._place)
            self._mode = self._sniff()
            if self._mode == "events":
                yield from self._payloads(self._parser.feed(bytes(self._head)))
        if self._mode == "json":
            yield from self._document()
        else:
            yield from self._payloads(self._parser.finish(), last=True)
        yield from self.flush()
        if not self.ended:
            raise failures.cut_error("the stream ended without saying why")
        yield Finished(self._reason or "stop", self.usage, self.model)

    def flush(self) -> Iterator[Event]:
        """Yield text that was held back because the next piece could have changed its meaning."""
        if thought := self._thought_joiner.finish():
            yield ReasoningDelta(thought)
        yield from map(_event, self._splitter.feed(self._text_joiner.finish()) + self._splitter.finish())

    def _sniff(self) -> str:
        head = bytes(self._head.lstrip(b"\xef\xbb\xbf \t\r\n"))
        if head.startswith((b"{", b"[")):
            return "json"
        if head.startswith(_SSE_FIELDS):
            return "events"
        raise failures.not_openai_error(self._place, head[:200].decode("utf-8", "replace"))

    def _payloads(self, payloads: list[str], *, last: bool = False) -> Iterator[Event]:
        for payload in payloads:
            if self.done:
                return
            if payload.strip() == "[DONE]":
                self.done = True
                return
            value = parse_json(payload)
            if not isinstance(value, dict):
                if last:
                    return  # the broken end of a stream that was cut; `finish` reports the cut
                raise failures.malformed_error(self._place, payload)
            yield from self._object(value)

    def _document(self) -> Iterator[Event]:
        value = parse_json(bytes(self._head).removeprefix(b"\xef\xbb\xbf"))
        self._head.clear()
        if value is None:
            raise failures.malformed_error(self._place, "the JSON of the reply is incomplete or damaged")
        if not isinstance(value, dict) or not ({"choices", "error", "detail", "message"} & value.keys()):
            raise failures.not_openai_error(self._place, str(value)[:200])
        yield from self._object(value)
        self.done = True

    def _object(self, value: dict[str, Any]) -> Iterator[Event]:
        if value.get("error"):
            raise failures.reported_error(value["error"], self._place)
        if "choices" not in value and ("detail" in value or "message" in value):
            raise failures.reported_error(value, self._place)
        if isinstance(value.get("model"), str) and value["model"]:
            self.model = value["model"]
        self.usage = _usage(value.get("usage")) or self.usage
        choice = _first_choice(value.get("choices"))
        yield from self._delta(self._content(choice))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._reason = reason

    def _content(self, choice: dict[str, Any]) -> dict[str, Any]:
        """Return the delta; a whole message instead of one counts only while nothing has arrived."""
        delta = choice.get("delta")
        if isinstance(delta, dict):
            return delta
        message = choice.get("message")
        if isinstance(message, dict):
            return message if self._chars == 0 else {}
        return {"content": choice.get("text")}

    def _delta(self, delta: dict[str, Any]) -> Iterator[Event]:
        thought = _plain(delta.get("reasoning_content")) or _plain(delta.get("reasoning"))
        text = _plain(delta.get("content"))
        room = MAX_REPLY_CHARS - self._chars
        self._chars += len(thought) + len(text)
        thought, text = thought[:room], text[: max(0, room - len(thought))]
        if whole := self._thought_joiner.feed(thought):
            yield ReasoningDelta(whole)
        yield from map(_event, self._splitter.feed(self._text_joiner.feed(text)))
        if self._chars > MAX_REPLY_CHARS:
            raise self._too_long()

    def _too_long(self) -> LLMError:
        return LLMError(
            "too_long",
            f"The reply grew beyond {MAX_REPLY_CHARS:,} characters and was ended. Lower the reply length, or "
            "add a stop text: the model does not find an end by itself.",
        )


def _event(piece: Piece) -> Event:
    if isinstance(piece, Said):
        return TextDelta(piece.text)
    return ReasoningDelta(piece.text) if isinstance(piece, Thought) else TextWasThought()


def _first_choice(choices: object) -> dict[str, Any]:
    if isinstance(choices, list):
        for choice in choices:
            if isinstance(choice, dict) and choice.get("index") in (0, None):
                return choice
    return {}


def _plain(content: object) -> str:
    """Return the text of a content that is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(text for text in texts if isinstance(text, str))
    return ""


def _usage(value: object) -> Usage | None:
    if not isinstance(value, dict):
        return None
    counts = [value.get("prompt_tokens"), value.get("completion_tokens")]
    prompt, completion = (n if type(n) is int and n >= 0 else None for n in counts)
    if prompt is None and completion is None:
        return None
    return Usage(prompt or 0, completion or 0)
