"""The fake server is what other tests lean on, so it is tested itself."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.support.fake_llm import Deltas, FakeLLM, Fault


def post(server: FakeLLM, path: str = "/chat/completions", **body: Any) -> Any:
    asked = urllib.request.Request(server.base_url + path, json.dumps(body).encode())
    with urllib.request.urlopen(asked, timeout=5) as answer:
        return json.loads(answer.read())


def chat(server: FakeLLM, text: str, **more: Any) -> Any:
    return post(server, messages=[{"role": "user", "content": text}], **more)["choices"][0]["message"]


def test_scripted_replies() -> None:
    with FakeLLM(reply=["first", "second"]) as server:
        assert [chat(server, "x")["content"] for _ in range(3)] == ["first", "second", "second"]
        server.reply = lambda request: request.last_user_text.upper()
        assert chat(server, "shout")["content"] == "SHOUT"
        server.reply = Deltas(["He", "llo"])
        assert chat(server, "x")["content"] == "Hello"
        assert len(server.chat_requests) == 5


def test_tools_are_called_back() -> None:
    with FakeLLM() as server:
        tools = [{"type": "function", "function": {"name": "look"}}]
        call = chat(server, 'call:look {"at": "map"}', tools=tools)["tool_calls"][0]["function"]
        assert call == {"name": "look", "arguments": '{"at": "map"}'}


def test_embeddings() -> None:
    with FakeLLM(embeddings=lambda text: [float(len(text)), 1.0]) as server:
        data = post(server, "/embeddings", input=["a", "bcd"])["data"]
        assert [item["embedding"] for item in data] == [[1.0, 1.0], [3.0, 1.0]]


def test_queued_faults_pass() -> None:
    with FakeLLM() as server:
        server.faults.extend([Fault(status=503), None])
        with pytest.raises(urllib.error.HTTPError) as caught:
            chat(server, "x")
        caught.value.close()
        assert chat(server, "x")["content"] == "You said: x"


@pytest.mark.parametrize("fault", [Fault(silent=True), Fault(endless=True), Fault(pings=True)])
def test_leaving_joins_every_thread_at_once(fault: Fault) -> None:
    before = set(threading.enumerate())
    errors: list[Exception] = []

    def ask(server: FakeLLM) -> None:
        try:
            post(server, messages=[], stream=True)
        except (OSError, http.client.HTTPException) as error:
            errors.append(error)

    with FakeLLM() as server:
        server.fault = fault
        thread = threading.Thread(target=ask, args=(server,))
        thread.start()
        server.wait_for(lambda: server.requests)
        time.sleep(0.05)
        begin = time.monotonic()
    assert time.monotonic() - begin < 2
    thread.join()
    assert set(threading.enumerate()) <= before
