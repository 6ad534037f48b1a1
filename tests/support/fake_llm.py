"""A deterministic OpenAI-compatible server on loopback: the partner of every test that talks to a model.

    with FakeLLM() as server:                        # 127.0.0.1, a free port
        profile = server.profile()                   # a ConnectionProfile that points at it
        ...
        assert server.requests[-1].body["messages"][-1]["content"] == "Hello"

What it answers:

    FakeLLM(reply="Hi there.")                       # always this
    FakeLLM(reply=["first", "second"])               # one after the other; the last one repeats
    FakeLLM(reply=lambda request: request.last_user_text.upper())
    server.reply = "changed later"

By default it echoes: `You said: <last user text>`. A reply is streamed in deltas of `delta_chars` characters
(default 4), or exactly as given when it is a `Deltas(["He", "llo"])`. `reasoning="…"` sends
`reasoning_content` deltas first. With `tools` in the request, and a last user text that begins with
`call:NAME {json}`, it answers with that tool call. Usage figures are counted in words.

What goes wrong, for every request:

    server.fault = Fault(status=401)                 # also 403, 404, 429, 500, 503 …
    server.fault = Fault(status=429, retry_after=7)
    server.fault = Fault(first_byte_delay=0.5, delta_delay=0.05)    # slow
    server.fault = Fault(silent=True)                # accepts, never answers
    server.fault = Fault(stall_after=3)              # three deltas, then silence
    server.fault = Fault(cut_after=3)                # three deltas, then the connection breaks
    server.fault = Fault(endless=True)               # deltas for ever
    server.fault = Fault(pings=True)                 # comments for ever, never a delta
    server.fault = Fault(malformed_after=2)          # then `data: {"choi`
    server.fault = Fault(html=True)                  # 200 with a web page
    server.fault = Fault(content_length=10)          # lies about its length
    server.fault = Fault(chunk_bytes=1)              # bytes one by one: splits UTF-8 characters
    server.fault = Fault(stop_mid_character=True)    # the last bytes are half a character, then the end
    server.fault = Fault(hold_open=True)             # a whole reply but for usage and [DONE], then silence
    server.fault = Fault(status=500, endless=True)   # an error page for ever
    server.fault = Fault(no_usage=True)
    server.fault = Fault(ignore_stream=True)         # one JSON although a stream was asked for
    server.fault = Fault(reject_stream_options=True)
    server.fault = Fault(reject_max_tokens=True)     # insists on max_completion_tokens
    server.fault = Fault(context_limit=50)           # 400 context_length_exceeded above 50 words
    server.fault = Fault(error_event_after=2)        # an `{"error": …}` event in mid-stream
    server.fault = Fault(raw=b"data: …")             # exactly this body, then the end

or for the next requests only, in order (None: a good one): `server.faults.extend([Fault(status=503), None])`.
Faults concern `/chat/completions` (and `/completions`); set `fault.everywhere=True` to hit `/models` too.

`models` is what `/v1/models` lists (names, or whole objects); `api_key` makes it refuse other keys with 401;
`extra` maps more GET or POST paths to JSON objects, for example `{"/api/version": {"version": "0.9"}}`, to
functions of the request that return one, or to a `Fault(status=…)`.
`embeddings=lambda text: [0.0, 1.0]` serves `/v1/embeddings`. What goes wrong there:

    server.embedding_fault = Fault(status=401)       # also first_byte_delay, silent, html, as above
    server.embedding_fault = Fault(texts_limit=4)    # 413 for more texts at once
    server.embedding_fault = Fault(chars_limit=500)  # 400 for a longer text, as a model's window
    server.embedding_fault = Fault(fewer_vectors=True)
    server.embedding_fault = Fault(dimension=7)      # vectors of another length
    server.embedding_fault = Fault(not_a_number=True)
    server.embedding_fault = Fault(cut_after=0)      # half of the answer, then the connection breaks

Leaving the block ends every request, also silent and endless ones, and joins every thread.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from collections import deque
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from memdesk.llm.profile import ConnectionProfile

    Reply = str | "Deltas" | Sequence[str] | Callable[["Request"], "str | Deltas"]


class Deltas(list[str]):
    """A reply whose pieces are streamed exactly as they are."""


@dataclass(frozen=True)
class Request:
    """One request as it arrived. `body` is {} when there was none or it was not a JSON object."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    raw: bytes
    at: float
    """time.monotonic() of its arrival."""

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", []))

    @property
    def last_user_text(self) -> str:
        texts = [str(m.get("content", "")) for m in self.messages if m.get("role") == "user"]
        return texts[-1] if texts else ""

    @property
    def words(self) -> int:
        return sum(len(str(message.get("content", "")).split()) for message in self.messages)


@dataclass(frozen=True)
class Fault:
    """What goes wrong; see the module's docstring."""

    status: int | None = None
    body: dict[str, Any] | str | None = None
    """The body of an error status; by default an OpenAI error object."""
    retry_after: float | str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    first_byte_delay: float = 0.0
    delta_delay: float = 0.0
    silent: bool = False
    stall_after: int | None = None
    cut_after: int | None = None
    endless: bool = False
    pings: bool = False
    malformed_after: int | None = None
    error_event_after: int | None = None
    html: bool = False
    content_length: int | None = None
    chunk_bytes: int | None = None
    stop_mid_character: bool = False
    hold_open: bool = False
    no_usage: bool = False
    no_done: bool = False
    """Leave out `data: [DONE]`."""
    no_finish: bool = False
    """Leave out the finish reason."""
    finish_reason: str | None = None
    ignore_stream: bool = False
    reject_stream_options: bool = False
    reject_max_tokens: bool = False
    context_limit: int | None = None
    texts_limit: int | None = None
    chars_limit: int | None = None
    fewer_vectors: bool = False
    dimension: int | None = None
    not_a_number: bool = False
    raw: bytes | None = None
    content_type: str | None = None
    everywhere: bool = False


_NO_FAULT = Fault()


class _Stopped(Exception):  # noqa: N818
    """The server is being closed, or the client went away."""


class _Server(ThreadingHTTPServer):
    # Non-daemon threads are remembered and joined by server_close().
    daemon_threads = False
    block_on_close = True
    allow_reuse_address = False
    owner: FakeLLM

    def __init__(self, address: tuple[str, int], family: socket.AddressFamily) -> None:
        self.address_family = family
        self.open_sockets: set[socket.socket] = set()
        self.socket_lock = threading.Lock()
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        # HTTPServer.server_bind asks the resolver for the host's name, which can take seconds.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.socket_lock:
            self.open_sockets.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self.socket_lock:
            self.open_sockets.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """Keep what no handler expected, so that a bug here fails the test instead of printing."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError | _Stopped):
            self.owner.errors.append(error)


class FakeLLM:
    """The server; see the module's docstring."""

    def __init__(
        self,
        reply: Reply | None = None,
        *,
        models: Sequence[str | dict[str, Any]] = ("fake-model",),
        api_key: str | None = None,
        reasoning: str = "",
        delta_chars: int = 4,
        embeddings: Callable[[str], list[float]] | None = None,
        extra: dict[str, Any] | None = None,
        prefix: str = "/v1",
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.reply: Reply | None = reply
        self.models = list(models)
        self.api_key = api_key
        self.reasoning = reasoning
        self.delta_chars = delta_chars
        self.embeddings = embeddings
        self.extra: dict[str, Any] = dict(extra or {})
        self.prefix = prefix
        self.fault: Fault | None = None
        self.embedding_fault: Fault | None = None
        self.faults: deque[Fault | None] = deque()
        self.requests: list[Request] = []
        self.deltas_sent = 0
        self.disconnects = 0
        """How many clients went away before their reply was complete."""
        self.errors: list[BaseException | None] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._turn = 0
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._server = _Server((host, port), family)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="fake-llm"
        )
        self.host = host

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def root(self) -> str:
        """`http://127.0.0.1:PORT`."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"

    @property
    def base_url(self) -> str:
        """What a client wants: `http://127.0.0.1:PORT/v1`."""
        return self.root + self.prefix

    @property
    def chat_requests(self) -> list[Request]:
        return [request for request in self.requests if request.path.endswith("/chat/completions")]

    @property
    def embedding_requests(self) -> list[Request]:
        return [request for request in self.requests if request.path.endswith("/embeddings")]

    @property
    def embedded(self) -> list[str]:
        """Every text that a vector was asked for, in order."""
        return [text for request in self.embedding_requests for text in request.body["input"]]

    def profile(self, **changes: Any) -> ConnectionProfile:
        """A profile that points here, with a timeout fit for tests; any field can be changed."""
        from memdesk.llm.profile import ConnectionProfile

        first = self.models[0] if self.models else ""
        values: dict[str, Any] = {
            "name": "Fake",
            "base_url": self.base_url,
            "model": first if isinstance(first, str) else str(first["id"]),
            "timeout_seconds": 10.0,
        }
        return ConnectionProfile(**(values | changes))

    def wait_for(self, condition: Callable[[], object], seconds: float = 5.0) -> None:
        """Wait until `condition()` is true; fail otherwise."""
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the fake server waited in vain"
            time.sleep(0.005)

    def close(self) -> None:
        """End all requests and join all threads. Unexpected errors inside the server are raised here."""
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        with self._server.socket_lock:
            for sock in self._server.open_sockets:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        self._server.server_close()
        if self.errors:
            raise AssertionError("the fake server itself failed") from self.errors[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _next_fault(self) -> Fault:
        with self._lock:
            if self.faults:
                return self.faults.popleft() or _NO_FAULT
            return self.fault or _NO_FAULT

    def _answer(self, request: Request) -> Deltas:
        reply = self.reply
        if reply is None:
            reply = f"You said: {request.last_user_text}"
        elif callable(reply):
            reply = reply(request)
        elif not isinstance(reply, str | Deltas):
            with self._lock:
                reply = reply[min(self._turn, len(reply) - 1)]
                self._turn += 1
        if isinstance(reply, Deltas):
            return reply
        size = self.delta_chars
        return Deltas(reply[start : start + size] for start in range(0, len(reply), size))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    @property
    def fake(self) -> FakeLLM:
        return self.server.owner

    def _handle(self) -> None:
        try:
            self._dispatch(self._read_request())
        except (_Stopped, ConnectionError, TimeoutError):
            self.close_connection = True
            if not self.fake.closing.is_set():
                self.fake.disconnects += 1

    def _read_request(self) -> Request:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            body = json.loads(raw) if raw else {}
        except ValueError:
            body = {}
        request = Request(
            method=self.command,
            path=urlsplit(self.path).path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body=body if isinstance(body, dict) else {},
            raw=raw,
            at=time.monotonic(),
        )
        self.fake.requests.append(request)
        return request

    def _dispatch(self, request: Request) -> None:
        fake = self.fake
        completion = request.path.endswith("/completions")
        fault = fake._next_fault() if completion or (fake.fault and fake.fault.everywhere) else _NO_FAULT
        if self._fail_early(request, fault):
            return
        if fake.api_key is not None and request.headers.get("authorization") != f"Bearer {fake.api_key}":
            self._error(401, "Incorrect API key provided.", "invalid_api_key")
        elif request.path in fake.extra:
            value = fake.extra[request.path]
            if isinstance(value, Fault):
                self._status(value)
            else:
                self._json(200, value(request) if callable(value) else value)
        elif request.path == f"{fake.prefix}/models":
            self._json(200, {"object": "list", "data": [_model(model) for model in fake.models]})
        elif request.path == f"{fake.prefix}/embeddings" and fake.embeddings is not None:
            self._embed(request, fake.embedding_fault or _NO_FAULT)
        elif request.path == f"{fake.prefix}/chat/completions":
            self._complete(request, fault)
        else:
            self._error(404, f"Unknown path {request.path}", "not_found")

    def _fail_early(self, request: Request, fault: Fault) -> bool:
        """Answer with what goes wrong before any reply; False when nothing does."""
        self._pause(fault.first_byte_delay)
        if fault.silent:
            self._pause(None)
        if fault.status is not None:
            self._status(fault)
        elif fault.html:
            self._send(200, b"<!doctype html><title>Router</title><p>Welcome</p>", "text/html; charset=utf-8")
        elif fault.reject_stream_options and "stream_options" in request.body:
            self._error(400, "Unknown field: stream_options", "unknown_field")
        elif fault.reject_max_tokens and "max_tokens" in request.body:
            self._error(400, "Unsupported parameter: use 'max_completion_tokens' instead.", "unsupported")
        elif fault.context_limit is not None and request.words > fault.context_limit:
            text = f"This model's maximum context length is {fault.context_limit} tokens."
            self._error(400, text, "context_length_exceeded")
        else:
            return False
        return True

    def _status(self, fault: Fault) -> None:
        assert fault.status is not None
        headers = dict(fault.headers)
        if fault.retry_after is not None:
            headers["Retry-After"] = str(fault.retry_after)
        if fault.endless:
            self._send(fault.status, b"oh no ", "text/plain", headers | {"Content-Length": str(10**12)})
            while True:
                self.wfile.write(b"oh no " * 1000)
        body = fault.body
        if body is None:
            body = {"error": {"message": f"Asked to fail with {fault.status}", "type": "fake", "code": None}}
        if isinstance(body, str):
            self._send(fault.status, body.encode(), "text/plain", headers)
        else:
            self._send(fault.status, json.dumps(body).encode(), "application/json", headers)

    def _complete(self, request: Request, fault: Fault) -> None:
        fake = self.fake
        deltas = fake._answer(request)
        usage = {
            "prompt_tokens": request.words,
            "completion_tokens": len("".join(deltas).split()),
            "total_tokens": request.words + len("".join(deltas).split()),
        }
        message: dict[str, Any] = {"role": "assistant", "content": "".join(deltas)}
        reason = fault.finish_reason or "stop"
        if request.body.get("tools") and request.last_user_text.startswith("call:"):
            name, _, arguments = request.last_user_text[5:].partition(" ")
            call = {"id": "call_1", "type": "function", "function": {"name": name, "arguments": arguments}}
            message, reason, deltas = {"role": "assistant", "content": None}, "tool_calls", Deltas()
            message["tool_calls"] = [call]
        if fake.reasoning:
            message["reasoning_content"] = fake.reasoning
        if not request.body.get("stream") or fault.ignore_stream:
            body: dict[str, Any] = {
                "id": "fake-1",
                "object": "chat.completion",
                "created": 0,
                "model": request.body.get("model", ""),
                "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            }
            if not fault.no_usage:
                body["usage"] = usage
            self._json(200, body, fault)
            return
        with_usage = bool((request.body.get("stream_options") or {}).get("include_usage"))
        shown_usage = usage if with_usage and not fault.no_usage else None
        if fault.raw is not None:
            self._stream(fault, iter([fault.raw]))
            return
        self._stream(fault, self._events(request, fault, deltas, message, reason, shown_usage))

    def _events(
        self,
        request: Request,
        fault: Fault,
        deltas: Deltas,
        message: dict[str, Any],
        reason: str,
        usage: dict[str, int] | None,
    ) -> Iterator[bytes]:
        """Yield the body of a stream, one event at a time."""
        head = {"id": "fake-1", "object": "chat.completion.chunk", "created": 0}
        head["model"] = request.body.get("model", "")

        def event(delta: dict[str, Any], finish: str | None = None) -> bytes:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            return _sse({**head, "choices": [choice]})

        yield event({"role": "assistant", "content": ""})
        while fault.pings:
            self._pause(0.02)
            yield b": still working\n\n"
        reasoning = message.get("reasoning_content", "")
        for start in range(0, len(reasoning), self.fake.delta_chars):
            yield event({"reasoning_content": reasoning[start : start + self.fake.delta_chars]})
        if "tool_calls" in message:
            yield event({"tool_calls": [{"index": 0, **message["tool_calls"][0]}]})
        for number, text in enumerate(self._endless(deltas) if fault.endless else deltas):
            yield from self._misbehave(fault, number)
            yield event({"content": text})
            self.fake.deltas_sent += 1
            self._pause(fault.delta_delay)
        yield from self._misbehave(fault, len(deltas))
        if fault.stop_mid_character:
            yield event({"content": "猫"}).split("猫".encode())[0] + "猫".encode()[:2]
            return
        if not fault.no_finish:
            yield event({}, reason)
        if fault.hold_open:
            self._pause(None)
        if usage is not None:
            yield _sse({**head, "choices": [], "usage": usage})
        if not fault.no_done:
            yield b"data: [DONE]\n\n"

    def _misbehave(self, fault: Fault, number: int) -> Iterator[bytes]:
        """Send nonsense, break the connection or fall silent before delta `number` (counted from 0)."""
        if number == fault.malformed_after:
            yield b'data: {"choi\n\n'
        if number == fault.error_event_after:
            yield _sse({"error": {"message": "The GPU ran out of memory", "type": "server_error"}})
        if number == fault.cut_after:
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            raise _Stopped
        if number == fault.stall_after:
            self._pause(None)

    @staticmethod
    def _endless(deltas: Deltas) -> Iterator[str]:
        while True:
            yield from deltas or ["on and on "]

    def _stream(self, fault: Fault, events: Iterator[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", fault.content_type or "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        chunked = fault.content_length is None
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(fault.content_length))
            self.close_connection = True
        self.end_headers()
        for data in events:
            for piece in _pieces(data, fault.chunk_bytes):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _embed(self, request: Request, fault: Fault) -> None:
        if self._fail_early(request, fault):
            return
        texts = request.body.get("input", [])
        if fault.texts_limit is not None and len(texts) > fault.texts_limit:
            self._error(413, f"batch size {len(texts)} > maximum allowed batch size", "too_large")
            return
        if fault.chars_limit is not None and any(len(text) > fault.chars_limit for text in texts):
            self._error(400, "input is too large to process. increase the physical batch size", "too_long")
            return
        answer = self._embeddings(request)
        if fault.fewer_vectors:
            answer["data"].pop()
        for item in answer["data"]:
            if fault.dimension is not None:
                item["embedding"] = [1.0] * fault.dimension
            if fault.not_a_number:
                item["embedding"][0] = float("nan")
        if fault.cut_after is None:
            self._json(200, answer)
            return
        body = _dump(answer)
        self._send(200, body[: len(body) // 2], "application/json", {"Content-Length": str(len(body))})
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
        raise _Stopped

    def _embeddings(self, request: Request) -> dict[str, Any]:
        assert self.fake.embeddings is not None
        given = request.body.get("input", [])
        texts = [given] if isinstance(given, str) else given
        data = [
            {"object": "embedding", "index": index, "embedding": self.fake.embeddings(text)}
            for index, text in enumerate(texts)
        ]
        words = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": words, "total_tokens": words}
        return {"object": "list", "model": request.body.get("model", ""), "data": data, "usage": usage}

    def _pause(self, seconds: float | None) -> None:
        """Sleep, for ever if None; end as soon as the server closes or the client goes away."""
        end = None if seconds is None else time.monotonic() + seconds
        while end is None or time.monotonic() < end:
            left = 0.02 if end is None else min(0.02, max(0.0, end - time.monotonic()))
            if self.fake.closing.wait(left):
                raise _Stopped
            if self._client_left():
                raise ConnectionAbortedError

    def _client_left(self) -> bool:
        self.connection.setblocking(False)
        try:
            return self.connection.recv(1, socket.MSG_PEEK) == b""
        except BlockingIOError:
            return False
        finally:
            self.connection.setblocking(True)

    def _error(self, status: int, message: str, code: str) -> None:
        self._json(status, {"error": {"message": message, "type": "invalid_request_error", "code": code}})

    def _json(self, status: int, value: object, fault: Fault = _NO_FAULT) -> None:
        body = _dump(value)
        length = {} if fault.content_length is None else {"Content-Length": str(fault.content_length)}
        self._send(status, body, fault.content_type or "application/json", length)

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        extra = dict(headers or {})
        lied = extra.pop("Content-Length", None)
        self.send_header("Content-Length", lied or str(len(body)))
        for name, value in extra.items():
            self.send_header(name, value)
        if lied is not None:
            self.close_connection = True
        self.end_headers()
        self.wfile.write(body)


def _sse(value: object) -> bytes:
    return b"data: " + _dump(value) + b"\n\n"


def _dump(value: object) -> bytes:
    """Encode as JSON in UTF-8; with \\u escapes when there are lone surrogates, as real servers do."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _model(model: str | dict[str, Any]) -> dict[str, Any]:
    if isinstance(model, dict):
        return model
    return {"id": model, "object": "model", "created": 0, "owned_by": "fake"}


def _pieces(data: bytes, size: int | None) -> Iterator[bytes]:
    if size is None:
        yield data
        return
    for start in range(0, len(data), size):
        yield data[start : start + size]


def slow(fault: Fault | None = None, *, delta_delay: float = 0.02) -> Fault:
    """The same fault, slowly."""
    return replace(fault or _NO_FAULT, delta_delay=delta_delay)
