from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.formats.errors import FormatError
from memdesk.formats.sillytavern_preset import (
    FoundPreset,
    is_preset_file,
    read_preset_file,
    write_preset,
)
from memdesk.prompt.presets import CHINESE, ENGLISH, Preset


def prompt(identifier: str, content: str = "", **more: Any) -> dict[str, Any]:
    return {
        "identifier": identifier,
        "name": identifier.title(),
        "role": "system",
        "content": content,
        **more,
    }


PRESET: dict[str, Any] = {
    "temperature": 1.15,
    "top_p": 1,
    "top_k": 0,
    "min_p": 0.05,
    "frequency_penalty": 0,
    "presence_penalty": 0.2,
    "repetition_penalty": 1,
    "openai_max_context": 32000,
    "openai_max_tokens": 700,
    "names_behavior": 2,
    "seed": -1,
    "personality_format": "[{{char}}: {{personality}}]",
    "new_chat_prompt": "[Begin]",
    "wi_format": "{0}",
    "chat_completion_source": "somewhere",
    "reverse_proxy": "http://example.org",
    "stream_openai": True,
    "extensions": {"regex_scripts": [{}, {}]},
    "prompts": [
        prompt("main", "Write {{char}}."),
        prompt("nsfw", "Be vivid."),
        prompt("jailbreak", "Stay in role."),
        prompt("early", "First of all."),
        prompt("deep", "Deep.", injection_position=1, injection_depth="2", role="user"),
        prompt("prefill", "Sure:", role="assistant"),
        prompt("helper", "Hint.", role="user"),
        prompt("spare", "Kept, but off."),
        *(
            prompt(name, marker=True)
            for name in ("charDescription", "charPersonality", "scenario", "chatHistory")
        ),
    ],
    "prompt_order": [
        {"character_id": 100000, "order": [{"identifier": "main", "enabled": False}]},
        {
            "character_id": 100001,
            "order": [
                {"identifier": name, "enabled": name != "scenario"}
                for name in (
                    "early", "main", "nsfw", "charPersonality", "charDescription", "scenario", "helper",
                    "deep", "chatHistory", "jailbreak", "prefill",
                )
            ],
        },
    ],
}  # fmt: skip


def read(tmp_path: Path, value: object, name: str = "My preset.json") -> FoundPreset:
    path = tmp_path / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return read_preset_file(path)


def test_a_chat_completion_preset_is_taken_over_as_far_as_it_maps(tmp_path: Path) -> None:
    found = read(tmp_path, PRESET)
    preset = found.preset
    assert (found.format, preset.name) == ("sillytavern", "My preset")
    assert preset.main_prompt == "Write {{char}}."
    assert preset.post_history == "Stay in role."
    numbers = preset.model_dump(include={"temperature", "min_p", "presence_penalty", "reply_tokens"})
    assert numbers == {"temperature": 1.15, "min_p": 0.05, "presence_penalty": 0.2, "reply_tokens": 700}
    # What only says "leave it alone" is not sent.
    for name in ("top_p", "top_k", "frequency_penalty", "repetition_penalty", "seed"):
        assert getattr(preset, name) is None
    assert preset.names == "content"
    assert preset.personality_format == "[{{char}}: {{personality}}]"
    assert preset.scenario_format == ""
    assert [(item.text, item.where, item.role, item.enabled) for item in preset.prompts] == [
        ("First of all.", "before_prompt", "system", True),
        ("Be vivid.", "after_prompt", "system", True),
        ("Hint.", "after_prompt", "user", True),
        ("Deep.", "in_chat", "user", True),
        ("Kept, but off.", "after_prompt", "system", False),
        ("Sure:", "after_chat", "assistant", True),
    ]
    assert preset.prompts[3].depth == 2
    assert [item.code for item in found.left_out] == ["role", "order", "context", "text", "scripts", "other"]
    said = [str(item) for item in found.left_out]
    assert "“Helper”" in said[0]
    assert "user" in said[0]
    assert "32000" in said[2]
    assert "reverse_proxy" in said[-1]
    assert all("{" not in sentence for sentence in said)
    # Addresses and keys of a service do not come along.
    assert "example.org" not in preset.model_dump_json()


def test_a_system_prompt(tmp_path: Path) -> None:
    found = read(tmp_path, {"name": "Bard", "content": "Sing.", "post_history": "Rhyme."})
    assert (found.format, found.preset.name) == ("sysprompt", "Bard")
    assert (found.preset.main_prompt, found.preset.post_history) == ("Sing.", "Rhyme.")
    assert found.preset.scenario_format == ENGLISH.scenario_format


@pytest.mark.parametrize("preset", [ENGLISH, CHINESE])
def test_our_own_file_comes_back_the_same(tmp_path: Path, preset: Preset) -> None:
    preset = preset.model_copy(update={"temperature": 0.7, "stop": ["\nAlex:"], "seed": 5})
    found = read(tmp_path, write_preset(preset))
    assert (found.format, found.preset, found.left_out) == ("memdesk", preset, ())


def test_a_file_without_an_order_has_that_of_its_prompts(tmp_path: Path) -> None:
    prompts = [prompt("main", "M"), prompt("x", "X", enabled=False), prompt("y", "Y"), prompt("chatHistory")]
    found = read(tmp_path, {"temperature": "0.9", "prompts": prompts})
    assert (found.preset.main_prompt, found.preset.temperature) == ("M", 0.9)
    assert [(item.text, item.enabled) for item in found.preset.prompts] == [("X", False), ("Y", True)]


def test_numbers_out_of_range_are_named(tmp_path: Path) -> None:
    value = {"temperature": 99, "top_p": "x", "top_k": 1e300, "openai_max_tokens": -3, "prompts": []}
    found = read(tmp_path, value)
    assert [item.values["name"] for item in found.left_out] == ["temperature", "top_k", "openai_max_tokens"]
    assert found.preset.temperature is None


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"{", "json_broken"),
        (b"[" * 5000 + b"]" * 5000, "json_too_deep"),
        (b"[]", "unknown_format"),
        (b'{"spec": "chara_card_v2", "data": {}, "prompts": [], "temperature": 1}', "unknown_format"),
        (b'{"prompts": {}, "temperature": 1}', "unknown_format"),
        (b'{"name": "x", "content": 5}', "unknown_format"),
        (b'{"memdesk_preset": 99, "name": "x"}', "unknown_format"),
        (b"\xff\xfe\xff", "json_broken"),
        (b"\x89PNG\r\n\x1a\n", "json_broken"),
    ],
)
def test_a_bad_file_is_named_with_its_reason(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(FormatError) as caught:
        read_preset_file(path)
    assert caught.value.code == code
    assert str(path) in str(caught.value)
    with pytest.raises(FormatError, match=r"gone\.json"):
        read_preset_file(tmp_path / "gone.json")
    assert not is_preset_file(tmp_path / "gone.json")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
ODD_PROMPT = st.fixed_dictionaries(
    {},
    optional={
        "identifier": st.sampled_from(["main", "jailbreak", "chatHistory", "scenario", "x"]) | JSON,
        "name": JSON, "content": JSON, "role": JSON, "injection_position": st.sampled_from([0, 1]) | JSON,
        "injection_depth": JSON, "enabled": JSON, "marker": JSON,
    },
)  # fmt: skip
ODD = st.fixed_dictionaries(
    {"prompts": st.lists(ODD_PROMPT | JSON, max_size=5)},
    optional={
        "temperature": JSON, "top_k": JSON, "seed": JSON, "names_behavior": JSON, "extensions": JSON,
        "openai_max_context": JSON, "new_chat_prompt": JSON, "scenario_format": JSON, "name": JSON,
        "prompt_order": JSON | st.lists(
            st.fixed_dictionaries({"character_id": JSON, "order": st.lists(ODD_PROMPT | JSON, max_size=4)}),
            max_size=2,
        ),
    },
)  # fmt: skip


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ODD)
def test_whatever_is_in_a_file_it_becomes_a_preset_or_is_refused(
    tmp_path: Path, value: dict[str, Any]
) -> None:
    try:
        found = read(tmp_path, value)
    except FormatError:
        return
    assert Preset.model_validate(found.preset.model_dump()) == found.preset
    assert all(str(item) for item in found.left_out)
    assert read(tmp_path, write_preset(found.preset)).preset == found.preset
