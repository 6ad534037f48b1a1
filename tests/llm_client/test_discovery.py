from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack
from typing import Any

import pytest

from memdesk.llm.discovery import (
    LOCAL_SERVERS,
    CheckResult,
    FoundServer,
    ModelInfo,
    check,
    discover,
    list_models,
)
from memdesk.llm.errors import LLMError
from memdesk.llm.models import parse_models
from memdesk.llm.profile import DEMO_PROFILE
from memdesk.work.cancel import Cancelled, CancelToken
from tests.support.fake_llm import FakeLLM, Fault


def _show(request: Any) -> dict[str, Any]:
    if request.body["model"] == "set":
        return {
            "parameters": 'stop "x"\nnum_ctx                        2048',
            "model_info": {"a.context_length": 9},
        }
    return {"model_info": {"general.architecture": "llama", "llama.context_length": 131072}}


OLLAMA = {
    "models": [{"id": name, "object": "model", "owned_by": "library"} for name in ("plain", "set", "loaded")],
    "extra": {
        "/api/version": {"version": "0.9.0"},
        "/api/show": _show,
        "/api/ps": {"models": [{"name": "loaded", "model": "loaded", "context_length": 4096}]},
    },
}
LLAMA_CPP = {
    "models": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx_train": 32768}}],
    "extra": {"/props": {"default_generation_settings": {"n_ctx": 8192}, "total_slots": 1}},
}
LM_STUDIO = {
    "models": [{"id": "a", "owned_by": "organization_owner"}, {"id": "b", "owned_by": "organization_owner"}],
    "extra": {
        "/api/v0/models": {
            "data": [{"id": "a", "max_context_length": 32768, "loaded_context_length": 4096},
                     {"id": "b", "max_context_length": 8192}]
        }
    },
}  # fmt: skip
KOBOLD = {
    "models": [{"id": "koboldcpp/m", "owned_by": "koboldcpp"}],
    "extra": {
        "/api/extra/version": {"result": "KoboldCpp", "version": "1.98"},
        "/api/version": {"version": "0.7.0"},
        "/api/extra/true_max_context_length": {"value": 16384},
    },
}
VLLM = {"models": [{"id": "org/m", "owned_by": "vllm", "max_model_len": 40960}]}
TABBY = {
    "models": [{"id": "m", "owned_by": "tabbyAPI"}],
    "extra": {"/v1/model": {"id": "m", "parameters": {"max_seq_len": 12288}}},
}
WEBUI = {"models": ["m"], "extra": {"/v1/internal/model/info": {"model_name": "m"}}}

PRODUCTS = [
    ("Ollama", OLLAMA, {"plain": 131072, "set": 2048, "loaded": 4096}),
    ("llama.cpp", LLAMA_CPP, {"m": 8192}),
    ("LM Studio", LM_STUDIO, {"a": 4096, "b": 8192}),
    ("KoboldCpp", KOBOLD, {"koboldcpp/m": 16384}),
    ("vLLM", VLLM, {"org/m": 40960}),
    ("TabbyAPI", TABBY, {"m": 12288}),
    ("text-generation-webui", WEBUI, {"m": None}),
    ("OpenAI-compatible server", {"models": ["m"]}, {"m": None}),
]


@pytest.mark.parametrize(("kind", "setup", "sizes"), PRODUCTS, ids=[product[0] for product in PRODUCTS])
def test_servers_are_told_apart_with_their_models(
    kind: str, setup: Any, sizes: dict[str, int | None]
) -> None:
    models = tuple(ModelInfo(name, size) for name, size in sizes.items())
    with FakeLLM(**setup) as server:
        found = discover(CancelToken(), timeout=2, ports=[server.port])
        assert found == [FoundServer(kind, server.base_url, models)]
        assert tuple(list_models(server.profile(model=""), None)) == models
        assert all(request.method == "GET" or request.path == "/api/show" for request in server.requests)


def test_only_servers_that_answer_are_found_in_order() -> None:
    with ExitStack() as stack:
        first, second, page, locked, silent = (stack.enter_context(FakeLLM()) for _ in range(5))
        page.fault = Fault(html=True, everywhere=True)
        silent.fault = Fault(silent=True, everywhere=True)
        locked.api_key = "sk"
        closed = socket.create_server(("127.0.0.1", 0))
        free_port = closed.getsockname()[1]
        closed.close()
        ports = [second.port, free_port, page.port, locked.port, silent.port, first.port, second.port]
        begin = time.monotonic()
        found = discover(CancelToken(), timeout=0.5, ports=ports)
        assert time.monotonic() - begin < 5
        assert [server.base_url for server in found] == [second.base_url, locked.base_url, first.base_url]
        assert [server.needs_key for server in found] == [False, True, False]


def test_the_ipv6_loopback_is_looked_at_too() -> None:
    try:
        server = FakeLLM(host="::1")
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with server:
        assert [found.base_url for found in discover(CancelToken(), ports=[server.port])] == [server.base_url]


def test_no_other_host_is_ever_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []
    real = socket.getaddrinfo

    def listen(host: str, port: int, *rest: Any, **more: Any) -> Any:
        asked.append((host, port))
        return real(host, port, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", listen)
    with FakeLLM() as server:
        server.fault = Fault(status=302, headers={"Location": "http://192.0.2.1/v1/models"}, everywhere=True)
        assert discover(CancelToken(), ports=[server.port]) == []
        assert {port for _, port in asked} == {server.port}
    discover(CancelToken(), timeout=0.2)
    assert {host for host, _ in asked} == {"127.0.0.1", "::1"}
    assert {port for _, port in asked} >= set(LOCAL_SERVERS)


def test_discovery_can_be_cancelled_and_may_have_nothing_to_do() -> None:
    assert discover(CancelToken(), ports=[]) == []
    with FakeLLM() as server:
        server.fault = Fault(silent=True, everywhere=True)
        cancel = CancelToken()
        timer = threading.Timer(0.2, cancel.cancel)
        timer.start()
        begin = time.monotonic()
        assert discover(cancel, timeout=30, ports=[server.port]) == []
        assert time.monotonic() - begin < 2
        timer.join()


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"data": None}, []),
        ({"data": []}, []),
        ([{"id": "a"}], ["a"]),
        ({"data": [{"id": "a"}, {"id": "a"}, {"id": ""}, {"id": 7}, 7]}, ["a"]),
        ({"data": [7]}, None),
        ({"data": "x"}, None),
        ({}, None),
        (None, None),
        ("text", None),
        ({"data": [{"id": "a", "context_length": "big"}, {"id": "b", "context_length": True}]}, ["a", "b"]),
    ],
)
def test_lists_of_models_in_the_wild(value: object, names: list[str] | None) -> None:
    models = parse_models(value)
    assert (None if models is None else [model.id for model in models]) == names
    assert all(model.context_tokens is None for model in models or ())


def test_list_models_reports_errors_and_uses_the_key(server: FakeLLM) -> None:
    server.api_key = "sk-right"
    assert list_models(server.profile(), " sk-right ") == [ModelInfo("fake-model")]
    with pytest.raises(LLMError) as caught:
        list_models(server.profile(), None)
    assert caught.value.code == "unauthorized"
    assert list_models(DEMO_PROFILE, None) == [ModelInfo("demo")]
    with pytest.raises(LLMError, match="could not be sent"):
        list_models(server.profile(), "schlüssel")


# --- check ------------------------------------------------------------------------------------------------


def summary(result: CheckResult) -> list[tuple[str, bool, str]]:
    assert all(step.message.endswith((".", "/v1")) or step.code for step in result.steps)
    assert result.ok == all(step.ok for step in result.steps)
    return [(step.name, step.ok, step.code) for step in result.steps]


def test_a_good_connection(server: FakeLLM) -> None:
    server.models = [{"id": "fake-model", "max_model_len": 8192}]
    server.reply = "Hello!"
    started = time.perf_counter()
    result = check(server.profile(), None)
    elapsed = time.perf_counter() - started
    assert summary(result) == [(name, True, "") for name in ("server", "key", "model", "reply", "context")]
    assert (result.reply, result.context_tokens) == ("Hello!", 8192)
    assert result.first_piece_seconds is not None
    assert 0 < result.first_piece_seconds <= result.seconds <= elapsed
    assert server.chat_requests[0].body["max_tokens"] == 16


def test_nothing_listens() -> None:
    with FakeLLM() as server:
        profile = server.profile()
    result = check(profile, None)
    assert summary(result) == [("server", False, "refused")]
    assert "Nothing listens" in result.steps[0].message


def test_a_wrong_path_names_the_right_one(server: FakeLLM) -> None:
    result = check(server.profile(base_url=server.root + "/api"), None)
    assert summary(result)[-1] == ("reply", False, "not_found")
    server.prefix = "/api/v1"
    result = check(server.profile(base_url=server.root + "/api"), None)
    assert summary(result) == [("server", False, "not_found")]
    assert server.root + "/api/v1" in result.steps[0].message


def test_a_web_page(server: FakeLLM) -> None:
    server.fault = Fault(html=True, everywhere=True)
    assert summary(check(server.profile(), None)) == [("server", False, "not_openai")]


def test_a_wrong_key(server: FakeLLM) -> None:
    server.api_key = "sk-right"
    result = check(server.profile(), "sk-wrong")
    assert summary(result) == [("server", True, ""), ("key", False, "unauthorized")]
    assert check(server.profile(), "sk-right").ok


def test_a_key_that_only_the_chat_asks_for(server: FakeLLM) -> None:
    server.fault = Fault(status=401)
    assert summary(check(server.profile(), None)) == [("server", True, ""), ("key", False, "unauthorized")]


def test_a_missing_model_names_those_there_are(server: FakeLLM) -> None:
    server.models = [f"model-{number}" for number in range(7)]
    server.fault = Fault(status=404, body={"error": {"message": "model 'other' not found"}})
    result = check(server.profile(model="other"), None)
    assert summary(result) == [("server", True, ""), ("model", False, "model_missing")]
    assert "model-0, model-1, model-2, model-3, model-4 and 2 more" in result.steps[1].message
    server.models = []
    assert "download" in check(server.profile(model="other"), None).steps[1].message


def test_a_server_that_takes_any_name(server: FakeLLM) -> None:
    result = check(server.profile(model="whatever"), None)
    assert summary(result)[2] == ("model", True, "not_listed")
    result = check(server.profile(model=""), None)
    assert summary(result)[2] == ("model", True, "not_listed")
    assert result.ok


def test_a_context_that_is_too_small(server: FakeLLM) -> None:
    server.models = ["m"]
    server.extra = LLAMA_CPP["extra"] | {"/props": {"default_generation_settings": {"n_ctx": 4096}}}
    result = check(server.profile(), None)
    assert summary(result)[-1] == ("context", False, "context_too_small")
    assert "4,096" in result.steps[-1].message
    assert result.context_tokens == 4096


def test_the_context_is_read_after_the_model_is_loaded(server: FakeLLM) -> None:
    """Ollama tells the real size only of a model in memory."""
    server.models = ["m"]
    loaded: list[dict[str, Any]] = []
    server.reply = lambda _: loaded.append({"model": "m", "context_length": 4096}) or "Hello"
    server.extra = OLLAMA["extra"] | {"/api/ps": lambda _: {"models": loaded}}
    result = check(server.profile(), None)
    assert summary(result)[-1] == ("context", False, "context_too_small")


def test_a_server_that_chats_but_lists_no_models(server: FakeLLM) -> None:
    server.extra = {"/v1/models": Fault(status=404)}
    result = check(server.profile(), None)
    assert summary(result) == [
        ("server", True, "no_list"),
        ("key", True, ""),
        ("model", True, ""),
        ("reply", True, ""),
        ("context", True, "unknown"),
    ]


def test_a_list_that_is_none(server: FakeLLM) -> None:
    server.extra = {"/v1/models": {"no": "list"}}
    assert summary(check(server.profile(), None)) == [("server", False, "not_openai")]


@pytest.mark.parametrize(
    ("fault", "step"),
    [
        (Fault(status=500), ("reply", False, "server_error")),
        (Fault(status=429), ("reply", False, "rate_limited")),
        (Fault(cut_after=1), ("reply", False, "cut")),
        (Fault(raw=b"data: [DONE]\n\n"), ("reply", False, "no_reply")),
        (Fault(context_limit=1), ("reply", False, "context_too_small")),
    ],
)
def test_a_reply_that_fails(server: FakeLLM, fault: Fault, step: tuple[str, bool, str]) -> None:
    server.fault = fault
    assert summary(check(server.profile(), None))[-1] == step


def test_a_model_that_only_thinks_in_so_few_tokens_is_fine(server: FakeLLM) -> None:
    server.reasoning, server.reply = "Let me think", ""
    assert check(server.profile(), None).ok


def test_the_demo_voice_needs_nothing() -> None:
    assert summary(check(DEMO_PROFILE, None)) == [("server", True, "")]


def test_a_check_can_be_cancelled(server: FakeLLM) -> None:
    server.fault = Fault(silent=True)
    cancel = CancelToken()
    timer = threading.Timer(0.3, cancel.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        check(server.profile(timeout_seconds=60), None, cancel)
    timer.join()
