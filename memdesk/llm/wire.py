"""The HTTP under the client: stoppable at any moment, patient up to a limit, silent about this machine.

Import this module inside functions only: it loads httpx2, which the first window must not wait for.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import ssl
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import httpcore2
import httpx2

from memdesk.work.cancel import CancelToken

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SLICE_SECONDS: Final = 0.05
"""How long a read or connect blocks before it looks whether it should stop."""

CONNECT_SECONDS: Final = 10.0
"""The longest wait for a connection; machines that are there answer within one or two seconds."""

ERROR_BODY_BYTES: Final = 64 * 1024
ERROR_BODY_SECONDS: Final = 5.0
"""How much of an error's explanation is read, and for how long."""

MAX_JSON_BYTES: Final = 16 * 1024 * 1024
"""How much of an answer that is one JSON document is read."""

USER_AGENT: Final = "memdesk"

_HEADERS_SENT: Final = frozenset(
    {"accept", "connection", "content-length", "content-type", "host", "transfer-encoding"}
)


@dataclass
class Patience:
    """How long a request may still be silent."""

    cancel: CancelToken
    seconds: float
    until: float = field(init=False)

    def __post_init__(self) -> None:
        self.progress()

    def progress(self) -> None:
        """Note that something useful arrived: the wait begins anew."""
        self.until = time.monotonic() + self.seconds

    def limit(self, seconds: float) -> None:
        """Wait for at most `seconds` from now, or less if there was less left."""
        self.until = min(self.until, time.monotonic() + seconds)

    def slice(self, until: float) -> float:
        """Return how long to block now, up to `SLICE_SECONDS`.

        Raises Cancelled, or TimeoutError when `until` (time.monotonic()) or the patience is over.
        """
        self.cancel.raise_if_cancelled()
        left = min(until, self.until) - time.monotonic()
        if left <= 0:
            raise TimeoutError("the server was silent for too long")
        return min(left, SLICE_SECONDS)


class _Stream(httpcore2.NetworkStream):
    """A socket whose waits end when the work is cancelled."""

    def __init__(self, sock: socket.socket, patience: Patience) -> None:
        self._socket = sock
        self._patience = patience

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        until = _until(timeout)
        with _errors_as(httpcore2.ReadTimeout, httpcore2.ReadError):
            while True:
                # A server that sends a little for ever must not keep us past the deadline either.
                self._socket.settimeout(self._patience.slice(until))
                try:
                    return self._socket.recv(max_bytes)
                except TimeoutError:
                    continue

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        until = _until(timeout)
        view = memoryview(buffer)
        with _errors_as(httpcore2.WriteTimeout, httpcore2.WriteError):
            while view:
                self._socket.settimeout(self._patience.slice(until))
                try:
                    view = view[self._socket.send(view) :]
                except TimeoutError:
                    continue

    def close(self) -> None:
        self._socket.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        # The one wait that cannot be stopped early: truststore checks the certificate inside wrap_socket.
        with _errors_as(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            try:
                self._socket.settimeout(min(timeout or CONNECT_SECONDS, CONNECT_SECONDS))
                secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
            except BaseException:
                self.close()
                raise
        return _Stream(secured, self._patience)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - the library's own signature
        if info == "ssl_object":
            return self._socket if isinstance(self._socket, ssl.SSLSocket) else None
        if info == "is_readable":
            return _ready(self._socket, selectors.EVENT_READ, 0)
        return self._socket if info == "socket" else None


class _Backend(httpcore2.NetworkBackend):
    """Opens connections that can be given up at any moment (but for the name look-up and TLS handshake)."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,  # noqa: ARG002 - the library's own signature
        socket_options: Iterable[Any] | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        until = _until(timeout)
        with _errors_as(httpcore2.ConnectTimeout, httpcore2.ConnectError):
            failure: OSError | None = None
            for family, kind, protocol, _, address in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                try:
                    sock = self._connect(socket.socket(family, kind, protocol), address, until)
                except OSError as error:
                    failure = failure or error
                else:
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return _Stream(sock, self._patience)
            raise failure or OSError(f"{host} has no address")

    def _connect(self, sock: socket.socket, address: Any, until: float) -> socket.socket:  # noqa: ANN401
        try:
            sock.setblocking(False)
            sock.connect_ex(address)
            while not _ready(sock, selectors.EVENT_WRITE, self._patience.slice(until)):
                pass
            _raise_socket_error(sock)
        except BaseException:
            sock.close()
            raise
        return sock


def _ready(sock: socket.socket, event: int, seconds: float) -> bool:
    # Not select.select: it refuses descriptors above 1023, and a process with many files open has them.
    with selectors.DefaultSelector() as selector:
        selector.register(sock, event)
        return bool(selector.select(seconds))


def _raise_socket_error(sock: socket.socket) -> None:
    code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    if code:
        raise OSError(code, os.strerror(code))


def _until(timeout: float | None) -> float:
    return float("inf") if timeout is None else time.monotonic() + timeout


@contextmanager
def _errors_as(timeout: type[Exception], other: type[Exception]) -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise timeout(str(error)) from error
    except (OSError, UnicodeError) as error:  # UnicodeError: a host name that cannot be looked up
        raise other(str(error)) from error


class _ErrorBody(httpx2.SyncByteStream):
    """The beginning of an error's body, which may never end or break off: the status says enough."""

    def __init__(self, stream: httpx2.SyncByteStream, patience: Patience) -> None:
        self._stream = stream
        self._patience = patience

    def __iter__(self) -> Iterator[bytes]:
        left = ERROR_BODY_BYTES
        self._patience.limit(ERROR_BODY_SECONDS)
        with suppress(httpx2.HTTPError):
            for chunk in self._stream:
                yield chunk[:left]
                left -= len(chunk)
                if left <= 0:
                    return

    def close(self) -> None:
        self._stream.close()


class _Transport(httpx2.HTTPTransport):
    """Sends only the headers that the request needs, and reads only the beginning of error bodies.

    The openai package adds headers that describe this machine (`x-stainless-*`), and takes others from
    `OPENAI_*` variables of the environment; none of them leaves. Without a key, no `Authorization` is sent.
    """

    def __init__(self, patience: Patience, key: str, context: ssl.SSLContext) -> None:
        super().__init__(verify=context, trust_env=False)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=context, network_backend=_Backend(patience), max_keepalive_connections=0
        )
        self._key = key
        self._patience = patience

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        headers = [(name, value) for name, value in request.headers.items() if name in _HEADERS_SENT]
        headers += [("User-Agent", USER_AGENT), ("Accept-Encoding", "identity")]
        if self._key:
            headers.append(("Authorization", f"Bearer {self._key}"))
        sent = httpx2.Request(
            request.method, request.url, headers=headers, stream=request.stream, extensions=request.extensions
        )
        response = super().handle_request(sent)
        if response.status_code >= 300 and isinstance(response.stream, httpx2.SyncByteStream):
            response.stream = _ErrorBody(response.stream, self._patience)
        return response


def http_client(base_url: str, key: str, patience: Patience) -> httpx2.Client:
    """Return a client for one request: no proxies, no environment, no redirects, stoppable.

    Raises ValueError when the key has characters that no HTTP header can carry.
    """
    check_key(key)
    # Loading the system's certificates takes 50 ms; plain http does not need them.
    secure = base_url.lower().startswith("https:")
    context = (
        httpx2.create_ssl_context(trust_env=False) if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    )
    timeout = httpx2.Timeout(patience.seconds, connect=min(CONNECT_SECONDS, patience.seconds))
    return httpx2.Client(
        transport=_Transport(patience, key, context), trust_env=False, follow_redirects=False, timeout=timeout
    )


def check_key(key: str) -> None:
    """Raise ValueError when the key has characters that no HTTP header can carry."""
    if not (key.isascii() and key.isprintable()):
        raise ValueError("The API key contains characters that keys do not have.")


@dataclass(frozen=True, slots=True)
class Answer:
    """A small answer: `value` is the JSON in it, None when it is not JSON; `text` is its beginning."""

    status: int
    value: Any
    text: str
    headers: dict[str, str]


def fetch(
    url: str,
    key: str = "",
    *,
    timeout: float,
    cancel: CancelToken | None = None,
    body: dict[str, Any] | None = None,
    most: int = MAX_JSON_BYTES,
) -> Answer:
    """GET (POST, with a `body`) a JSON document of at most `most` bytes, within `timeout` seconds in all.

    Raises httpx2.HTTPError, httpx2.InvalidURL, Cancelled, and ValueError for an impossible key.
    """
    patience = Patience(cancel or CancelToken(), timeout)
    content = None if body is None else json.dumps(body).encode()
    headers = {"Accept": "application/json"} | (
        {} if content is None else {"Content-Type": "application/json"}
    )
    data = bytearray()
    with (
        http_client(url, key, patience) as client,
        client.stream("GET" if body is None else "POST", url, content=content, headers=headers) as response,
    ):
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > most:
                data.clear()
                break
        seen = dict(response.headers.items())
    return Answer(response.status_code, parse_json(bytes(data)), data[:2000].decode("utf-8", "replace"), seen)


def parse_json(data: bytes | str) -> Any:  # noqa: ANN401 - whatever the server sent
    """Return the value in `data`, None when it is not JSON (or nested too deeply to read)."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
