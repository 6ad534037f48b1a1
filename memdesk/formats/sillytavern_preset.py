"""Presets from files: our own, SillyTavern's for chat completion, and its system prompts.

A chat completion preset has `prompts` (identifier, name, role, content, marker, injection_position 0 in order
or 1 in the chat, injection_depth) and `prompt_order` (one list of {identifier, enabled} per character id;
100001 and 100000 stand for all characters). A system prompt is `{name, content, post_history?}`. What has no
place in a preset of ours is listed for the person, never dropped without a word.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from memdesk.chats.text import clean, one_line
from memdesk.formats.errors import FormatError
from memdesk.formats.lenient_json import MAX_JSON, dump_json, load_json
from memdesk.formats.memory_io import read_file
from memdesk.prompt.injections import depth_of, role_of
from memdesk.prompt.presets import ENGLISH, MAX_PROMPTS, MAX_TEXT, FurtherPrompt, Preset, read_preset

OUR_MARK: Final = "memdesk_preset"
"""The key that tells our own files; its value is the version of the format."""

OUR_VERSION: Final = 1

EVERYBODY: Final = (100001, 100000)
"""The ids under which SillyTavern keeps the order for all characters, the newer one first."""

_NUMBERS: Final = {
    # SillyTavern's name: ours, and the value that means "leave it alone".
    "temperature": ("temperature", None),
    "temp_openai": ("temperature", None),
    "top_p": ("top_p", 1),
    "top_p_openai": ("top_p", 1),
    "top_k": ("top_k", 0),
    "top_k_openai": ("top_k", 0),
    "min_p": ("min_p", 0),
    "min_p_openai": ("min_p", 0),
    "presence_penalty": ("presence_penalty", 0),
    "pres_pen_openai": ("presence_penalty", 0),
    "frequency_penalty": ("frequency_penalty", 0),
    "freq_pen_openai": ("frequency_penalty", 0),
    "repetition_penalty": ("repetition_penalty", 1),
    "repetition_penalty_openai": ("repetition_penalty", 1),
    "seed": ("seed", -1),
    "openai_max_tokens": ("reply_tokens", None),
}
_NAMES: Final = {-1: "none", 0: "groups", 1: "field", 2: "content"}
_FRAMED: Final = {
    # A marker of SillyTavern and the format of ours that brings the same; switched off, it is blank.
    "charPersonality": "personality_format",
    "scenario": "scenario_format",
    "personaDescription": "persona_format",
    "dialogueExamples": "examples_format",
}
_MARKERS: Final = ("charDescription", *_FRAMED, "worldInfoBefore", "worldInfoAfter", "chatHistory")
_OUR_ORDER: Final = (
    "charDescription",
    "charPersonality",
    "scenario",
    "personaDescription",
    "dialogueExamples",
)
_TEXTS: Final = (
    "new_chat_prompt",
    "new_group_chat_prompt",
    "new_example_chat_prompt",
    "continue_nudge_prompt",
    "group_nudge_prompt",
    "impersonation_prompt",
    "assistant_prefill",
    "assistant_impersonation",
    "send_if_empty",
    "wi_format",
)
"""Texts of a preset that memdesk words itself, or has no use for."""

_NOTHING: Final[tuple[object, ...]] = (None, "", False, 0, [], {})


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Something of a file that a preset of ours does not have: a stable code, and what its sentence needs."""

    code: str
    values: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the sentence in English; the window translates it by its code."""
        return LEFT_OUT[self.code].format(**self.values)


LEFT_OUT: Final = {
    "text": "“{name}” is not used: memdesk has words of its own for this.",
    "role": "“{name}” becomes part of the system’s text above the chat; its role ({role}) is lost.",
    "order": "The order of the character’s fields: memdesk has one of its own.",
    "marker_off": "“{name}” was switched off in the file; memdesk sends it all the same.",
    "value": "{name}: {value} is out of range and is not used.",
    "context": "The context size ({value} tokens) belongs to the connection.",
    "too_many": "Only the first {count} prompts were taken.",
    "cut": "“{name}” was longer than {count} characters and was cut.",
    "scripts": "{count} scripts (regular expressions) do not run in memdesk.",
    "other": "{count} settings of the program or the service: {names}.",
}
"""Everything that can be left out of a file, in words a person understands."""


@dataclass(frozen=True, slots=True)
class FoundPreset:
    """A preset as a file has it; `format` is `memdesk`, `sillytavern` or `sysprompt`."""

    preset: Preset
    format: str
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()


def is_preset_file(path: Path) -> bool:
    """Return whether a file holds a preset; what cannot be read does not."""
    if path.suffix.lower() not in {".json", ".settings", ".preset"}:
        return False
    try:
        return _format_of(load_json(read_file(path, MAX_JSON), path.name)[0]) != ""
    except FormatError:
        return False


def read_preset_file(path: Path) -> FoundPreset:
    """Read a preset, whole or not at all.

    Raises FormatError with the path: `unreadable`, `empty`, `too_large`, `json_broken`, `json_too_deep`,
    `unknown_format`.
    """
    try:
        value, warnings = load_json(read_file(path, MAX_JSON), path.name)
    except FormatError as error:
        raise error.at(path) from error
    kind = _format_of(value)
    if not kind:
        raise FormatError(path.name, "This file holds no preset.", code="unknown_format", path=path)
    name = one_line(clean(_string(value.get("name"))).strip() or path.stem, 200)
    if kind == "memdesk":
        if isinstance(value[OUR_MARK], int) and value[OUR_MARK] > OUR_VERSION:
            reason = "This preset was written by a newer memdesk. Please update memdesk."
            raise FormatError(path.name, reason, code="unknown_format", path=path)
        try:
            preset = read_preset({**value, "name": name})
        except ValueError as error:
            raise FormatError(path.name, str(error), code="unknown_format", path=path) from error
        return FoundPreset(preset, kind, (), tuple(warnings))
    reading = _Reading(name)
    found = reading.system_prompt(value) if kind == "sysprompt" else reading.chat_completion(value)
    return FoundPreset(found, kind, tuple(reading.left_out), tuple(warnings))


def write_preset(preset: Preset) -> bytes:
    """Return a preset as the bytes of a file of our own."""
    body = preset.model_dump(mode="json", exclude_none=True)
    return dump_json({OUR_MARK: OUR_VERSION, **body}, preset.name, pretty=True)


def _format_of(value: object) -> str:
    if not isinstance(value, dict) or "spec" in value or "data" in value:
        return ""
    if OUR_MARK in value:
        return "memdesk"
    if isinstance(value.get("prompts"), list) and any(
        key in value for key in ("prompt_order", "temperature", "temp_openai", "openai_max_tokens")
    ):
        return "sillytavern"
    texts = isinstance(value.get("name"), str) and isinstance(value.get("content"), str)
    return "sysprompt" if texts and len(value) <= 4 else ""


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


class _Reading:
    """One file being read, with what it has that we have not."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.left_out: list[LeftOut] = []

    def _note(self, code: str, **values: object) -> None:
        self.left_out.append(LeftOut(code, dict(values)))

    def _text(self, value: object, name: str) -> str:
        text = clean(_string(value))
        if len(text) > MAX_TEXT:
            self._note("cut", name=name, count=MAX_TEXT)
        return text[:MAX_TEXT]

    def system_prompt(self, value: Mapping[str, Any]) -> Preset:
        """Read `{name, content, post_history?}`."""
        return ENGLISH.model_copy(
            update={
                "name": self.name,
                "main_prompt": self._text(value["content"], "content"),
                "post_history": self._text(value.get("post_history"), "post_history"),
            }
        )

    def chat_completion(self, value: Mapping[str, Any]) -> Preset:
        """Read a chat completion preset."""
        made: dict[str, Any] = {"name": self.name}
        used = {"name", "prompts", "prompt_order", "extensions", "openai_max_context"}
        for theirs, (ours, neutral) in _NUMBERS.items():
            if theirs in value:
                used.add(theirs)
                if ours not in made:
                    self._number(made, ours, theirs, value[theirs], neutral)
        if "names_behavior" in value:
            used.add("names_behavior")
            behaviour = value["names_behavior"]
            if isinstance(behaviour, int):
                made["names"] = _NAMES.get(behaviour, "groups")
        for format_name in ("personality_format", "scenario_format"):
            if isinstance(value.get(format_name), str):
                used.add(format_name)
                made[format_name] = self._text(value[format_name], format_name)
        self._prompts(made, value)
        self._rest(value, used)
        return Preset.model_validate(made)

    def _rest(self, value: Mapping[str, Any], used: set[str]) -> None:
        """Note what a preset of ours has no place for; `used` are the keys that were read."""
        if value.get("openai_max_context"):
            self._note("context", value=one_line(str(value["openai_max_context"]), 20))
        for name in _TEXTS:
            if _string(value.get(name)).strip() not in {"", "{0}"}:
                self._note("text", name=name)
        extensions = value.get("extensions")
        scripts = extensions.get("regex_scripts") if isinstance(extensions, Mapping) else None
        if isinstance(scripts, list) and scripts:
            self._note("scripts", count=len(scripts))
        # What is blank or off says nothing that could be missed.
        known = used.union(_TEXTS)
        rest = [key for key, item in value.items() if key not in known and item not in _NOTHING]
        if rest:
            names = ", ".join(one_line(key, 40) for key in rest[:6]) + (", …" if len(rest) > 6 else "")
            self._note("other", count=len(rest), names=names)

    def _number(
        self, made: dict[str, Any], ours: str, theirs: str, value: object, neutral: float | None
    ) -> None:
        """Take over one number, unless it means nothing or cannot be used."""
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                value = None
        if value is None or isinstance(value, bool) or not isinstance(value, int | float):
            return
        if value == neutral or (ours == "repetition_penalty" and value == 0):
            return
        if isinstance(value, float) and math.isfinite(value) and value.is_integer():
            value = int(value)
        try:
            Preset.model_validate({"name": "-", ours: value})
        except (ValidationError, OverflowError):
            self._note("value", name=theirs, value=one_line(str(value), 40))
            return
        made[ours] = value

    def _prompts(self, made: dict[str, Any], value: Mapping[str, Any]) -> None:
        """Take over the texts, each at its place."""
        known = {
            identifier: prompt
            for prompt in value["prompts"]
            if isinstance(prompt, Mapping) and (identifier := _string(prompt.get("identifier")))
        }
        order = _order(value.get("prompt_order"), known)
        places = {identifier: place for place, (identifier, _) in enumerate(order)}
        history = places.get("chatHistory", len(order))
        main = places.get("main", -1)
        made["main_prompt"] = ""
        further: list[FurtherPrompt] = []
        for place, (identifier, enabled) in enumerate(order):
            if identifier in _MARKERS:
                self._marker(made, identifier, enabled=enabled)
                continue
            prompt = known.get(identifier)
            if prompt is None:
                continue
            name = one_line(clean(_string(prompt.get("name"))).strip() or identifier, 200)
            text = self._text(prompt.get("content"), name)
            absolute = prompt.get("injection_position") == 1
            if identifier == "main" and not absolute:
                made["main_prompt"] = text if enabled else ""
                continue
            if identifier == "jailbreak" and not absolute and place > history:
                made["post_history"] = text if enabled else ""
                continue
            if text.strip():
                where = "in_chat" if absolute else "before_prompt" if place < main else "after_prompt"
                if not absolute and place > history:
                    where = "after_chat"
                role = role_of(prompt.get("role"))
                if where in {"before_prompt", "after_prompt"} and role != "system":
                    self._note("role", name=name, role=role)
                further.append(
                    FurtherPrompt.model_validate(
                        {
                            "name": name,
                            "text": text,
                            "enabled": enabled,
                            "where": where,
                            "depth": depth_of(prompt.get("injection_depth")),
                            "role": role,
                        }
                    )
                )
        if len(further) > MAX_PROMPTS:
            self._note("too_many", count=MAX_PROMPTS)
        made["prompts"] = further[:MAX_PROMPTS]
        standing = [identifier for identifier, _ in order if identifier in _OUR_ORDER]
        if standing != [identifier for identifier in _OUR_ORDER if identifier in standing]:
            self._note("order")

    def _marker(self, made: dict[str, Any], identifier: str, *, enabled: bool) -> None:
        if enabled:
            return
        if identifier in _FRAMED:
            made[_FRAMED[identifier]] = ""
        elif identifier in {"charDescription", "chatHistory"}:
            self._note("marker_off", name=identifier)


def _order(orders: object, known: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, bool]]:
    """Return the identifiers in order, each with whether it is on; the unlisted stand above the chat, off."""
    lists = [item for item in orders if isinstance(item, Mapping)] if isinstance(orders, list) else []
    lists = [item for item in lists if isinstance(item.get("order"), list)]
    lists.sort(key=lambda item: [item.get("character_id") != wanted for wanted in EVERYBODY])
    if not lists:
        return [(identifier, prompt.get("enabled") is not False) for identifier, prompt in known.items()]
    order: dict[str, bool] = {}
    for item in lists[0]["order"]:
        if isinstance(item, Mapping) and (identifier := _string(item.get("identifier"))):
            order.setdefault(identifier, item.get("enabled") is not False)
    listed = list(order.items())
    # Those that are not listed are kept for a person to switch on; above the chat they do least.
    place = next((at for at, (name, _) in enumerate(listed) if name == "chatHistory"), len(listed))
    return [*listed[:place], *((name, False) for name in known if name not in order), *listed[place:]]
