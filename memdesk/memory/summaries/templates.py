"""The instructions that models get for summaries: those that come along, and a person's own."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass

from memdesk.assets import asset

PROMPT_CHARS = 20_000
"""Longest instruction (Marinara Engine's limit)."""

DEFAULT = "plot-en"


@dataclass(frozen=True, slots=True)
class Template:
    """An instruction for the model that writes summaries."""

    id: str
    name: str
    text: str
    language: str = ""


@functools.cache
def built_in() -> dict[str, Template]:
    """Return the templates that come along, by id."""
    body = json.loads(asset("prompts", "summaries.json").read_text("utf-8"))
    return {
        item["id"]: Template(item["id"], item["name"], item["text"], item["language"])
        for item in body["templates"]
    }
