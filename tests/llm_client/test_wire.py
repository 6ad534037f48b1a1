from __future__ import annotations

import contextlib
import socket
import sys
import threading
import time
from email.utils import formatdate
from typing import TYPE_CHECKING

import pytest

from memdesk.llm import failures, wire
from memdesk.llm.client import Finished
from memdesk.llm.errors import ERROR_CODES, LLMError, scrub
from memdesk.llm.profile import ConnectionProfile
from memdesk.work.cancel import Cancelled, CancelToken
from tests.llm_client.helpers import fails, hear

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.fake_llm import FakeLLM

PLACE = failures.Place("http://127.0.0.1:1/v1", "127.0.0.1", "m", 5, "sk-key")


@contextlib.contextmanager
def raw_server(answer: bytes) -> Iterator[int]:
    """A server that says the same to everybody, without listening."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                with client:
                    client.recv(65536)
                    client.sendall(answer)
                    client.shutdown(socket.SHUT_WR)
                    client.settimeout(5)
                    client.recv(65536)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def profile(port: int, scheme: str = "http") -> ConnectionProfile:
    return ConnectionProfile(name="x", base_url=f"{scheme}://127.0.0.1:{port}/v1", timeout_seconds=5)


@pytest.mark.parametrize(
    "answer", [b"220 mail ESMTP\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x46", b"\x00" * 500]
)
def test_another_protocol(answer: bytes) -> None:
    with raw_server(answer) as port:
        heard = fails(profile(port), "not_openai")
        assert heard.error is not None
        assert "https://" in heard.error.message


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-OpenSSH_9.7\r\n", b"HTTP/1.1 200 OK\r\nContent-Le"])
def test_a_server_that_hangs_up(answer: bytes) -> None:
    with raw_server(answer) as port:
        fails(profile(port), "cut")


def test_https_where_plain_http_is_spoken(server: FakeLLM) -> None:
    heard = fails(profile(server.port, "https"), "tls")
    assert heard.error is not None
    assert "http://" in heard.error.message


def test_a_tls_alert() -> None:
    with raw_server(b"\x15\x03\x01\x00\x02\x02\x28") as port:
        fails(profile(port, "https"), "tls")


def test_a_host_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    heard = fails(ConnectionProfile(name="x", base_url="http://nas.local:5000"), "unreachable")
    assert heard.error is not None
    assert "nas.local" in heard.error.message


@pytest.mark.parametrize("host", ["xn--a.example", "a" * 64 + ".example", "..", "-"])
def test_impossible_host_names_are_errors_not_crashes(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def no_network(name: str, *rest: object, **more: object) -> object:
        if name.isascii() and len(max(name.split("."), key=len)) < 64 and ".." not in name:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    heard = hear(ConnectionProfile(name="x", base_url=f"http://{host}/v1"))
    assert heard.error is not None
    assert heard.error.code in ("unreachable", "bad_request")


@pytest.mark.skipif(sys.platform != "linux", reason="how a full queue behaves is the system's own affair")
def test_a_connection_that_does_not_come_about_can_be_given_up() -> None:
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):  # fill the queue: the next connection waits
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        fails(profile(listener.getsockname()[1]).model_copy(update={"timeout_seconds": 0.3}), "unreachable")
        cancel = CancelToken()
        timer = threading.Timer(0.2, cancel.cancel)
        timer.start()
        begin = time.monotonic()
        heard = hear(profile(listener.getsockname()[1]), cancel=cancel)
        timer.join()
        assert heard.end == Finished("stopped", None, "")
        assert 0.15 < time.monotonic() - begin < 0.45


def test_fetch_reads_json_and_is_bounded(server: FakeLLM) -> None:
    answer = wire.fetch(f"{server.base_url}/models", timeout=2)
    assert answer.status == 200
    assert answer.value["data"][0]["id"] == "fake-model"
    assert wire.fetch(f"{server.base_url}/models", timeout=2, most=20).value is None
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(Cancelled):
        wire.fetch(f"{server.base_url}/models", timeout=2, cancel=cancel)


def test_deeply_nested_json_is_no_json() -> None:
    assert wire.parse_json(b"[" * 200_000) is None
    assert wire.parse_json(b"\xff") is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), ("3", 3), ("1.5", 1.5), ("-4", 0), ("1e99", 86_400), ("nan", None), ("inf", None),
     ("soon", None), ("", None), (formatdate(0, usegmt=True), 0)],
)  # fmt: skip
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert failures.retry_after(value) == seconds


def test_retry_after_as_a_date() -> None:
    seconds = failures.retry_after(formatdate(time.time() + 60, usegmt=True))
    assert seconds is not None
    assert 55 < seconds <= 61


@pytest.mark.parametrize(
    ("value", "text", "words"),
    [
        ({"error": {"message": "m", "code": "c"}}, "", "m [c]"),
        ({"error": "plain"}, "", "plain"),
        ({"detail": [{"loc": ["x"]}]}, "", "[{'loc': ['x']}]"),
        ({"message": "m"}, "", "m"),
        ({"error": {}}, "", "{'error': {}}"),
        (None, "<html><b>Bad</b> gateway", " Bad  gateway"),
    ],
)
def test_the_words_of_an_error(value: object, text: str, words: str) -> None:
    assert failures.error_text(value, text).strip() == words.strip().replace("  ", "  ")


def test_ordinary_words_are_not_taken_for_a_full_context() -> None:
    for words in (
        "temperature must not exceed 2",
        "context is required",
        "The model is loading",
        "quota exceeded",
    ):
        error = failures.status_error(400, {}, {"error": {"message": words}}, "", PLACE)
        assert error.code == "bad_request", words


def test_every_code_is_listed_and_details_are_short_and_flat() -> None:
    error = LLMError("cut", "Message.", detail=scrub("a\nb\x00" + "x" * 600 + "sk-key", "sk-key", ""))
    assert error.code in ERROR_CODES
    assert len(error.detail) == 500
    assert "\n" not in str(error)
    assert str(LLMError("cut", "Message.")) == "Message."
