"""The server of the real model really writes text, streams it, and refuses what it cannot do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import httpx
import pytest

if TYPE_CHECKING:
    from conftest import RealModel

pytestmark = pytest.mark.llm

QUESTION = [
    {"role": "system", "content": "You answer in one short sentence."},
    {"role": "user", "content": "What is the capital of France?"},
]


def ask(model: RealModel, **more: Any) -> httpx.Response:
    body = {"model": model.name, "messages": QUESTION, "temperature": 0, "max_tokens": 40, **more}
    return httpx.post(f"{model.base_url}/chat/completions", json=body, timeout=60)


def events(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def test_lists_its_model(real_model: RealModel) -> None:
    models = httpx.get(f"{real_model.base_url}/models", timeout=10).json()
    assert [entry["id"] for entry in models["data"]] == [real_model.name]


def test_answers_a_question_with_usage(real_model: RealModel) -> None:
    answer = ask(real_model).json()
    assert "Paris" in answer["choices"][0]["message"]["content"]
    assert answer["choices"][0]["finish_reason"] == "stop"
    usage = answer["usage"]
    assert 10 < usage["prompt_tokens"] < 100
    assert 0 < usage["completion_tokens"] <= 40


def test_streams_the_same_text_in_pieces(real_model: RealModel) -> None:
    whole = ask(real_model).json()["choices"][0]["message"]["content"]
    streamed = events(ask(real_model, stream=True, stream_options={"include_usage": True}).text)
    deltas = [event["choices"][0]["delta"].get("content", "") for event in streamed if event["choices"]]
    assert "".join(deltas).strip() == whole.strip()
    assert len(deltas) > 3
    assert streamed[-1]["usage"]["completion_tokens"] > 0


def test_stops_at_the_limit_and_says_so(real_model: RealModel) -> None:
    answer = ask(real_model, max_tokens=3).json()
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["completion_tokens"] <= 3


def test_goes_on_after_a_reader_leaves(real_model: RealModel) -> None:
    body = {"model": real_model.name, "messages": QUESTION, "stream": True, "max_tokens": 1000}
    url = f"{real_model.base_url}/chat/completions"
    with httpx.stream("POST", url, json=body, timeout=60) as reply:
        assert next(reply.iter_bytes())
    assert ask(real_model, max_tokens=5).status_code == 200


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"messages": []}, "invalid_request"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "invalid_request"),
        ({"messages": [{"role": "user", "content": "word " * 5000}]}, "context_length_exceeded"),
        ({"max_tokens": 0}, "invalid_request"),
    ],
)
def test_refuses_what_it_cannot_do(real_model: RealModel, more: dict[str, Any], code: str) -> None:
    answer = ask(real_model, **more)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
