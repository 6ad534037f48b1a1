"""What a model is asked for a summary, and what is made of its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memdesk.chats.model import Message
from memdesk.chats.text import clean, one_line
from memdesk.llm.events import ChatRequest
from memdesk.prompt.macros import expand
from memdesk.store.summaries import Summary

EARLIER = "Summary so far:"
"""Stands before the previous summary in a request; a model needs it named to tell it from the chat."""

TRANSCRIPT = "Transcript:"

TITLE = 200
"""Longest title that is kept, in characters."""

SPOKEN_SHARE = 0.5
"""From this share of its lines on that begin with a speaker, an answer goes on with the story."""

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^```[a-z]*\s*|\s*```$", re.IGNORECASE)
_STAGE = re.compile(r"^\s*\*[^*\n]+\*")


class BadSummary(Exception):  # noqa: N818 — it names what came
    """A model's answer cannot be used; `code` is `empty`, `cut_off` or `continuation`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Answer:
    """A summary as a model wrote it; `title` may be empty."""

    title: str
    text: str


def summary_request(
    instruction: str,
    messages: Sequence[Message],
    *,
    words: int,
    char: str,
    user: str,
    earlier: str = "",
    max_tokens: int | None = None,
) -> ChatRequest:
    """Return a request of its own, never the roleplay prompt: models would go on with the story.

    The system message is the instruction with its macros expanded; the user message holds the earlier
    summary, if there is one, and the transcript.
    """
    system = expand(instruction, {"words": str(words), "char": char, "user": user})
    told = "\n\n".join(f"{message.name}: {message.text.strip()}" for message in messages)
    parts = [f"{EARLIER}\n{earlier.strip()}"] if earlier.strip() else []
    parts.append(f"{TRANSCRIPT}\n{told}")
    return ChatRequest(
        messages=[
            {"role": "system", "content": system},
            {"role": "user", "content": "\n\n".join(parts)},
        ],
        character=char,
        user=user,
        max_tokens=max_tokens,
    )


def combine_request(
    instruction: str, entries: Sequence[Summary], *, words: int, char: str, user: str, max_tokens: int
) -> ChatRequest:
    """Return a request to make one summary of several, which stand in the transcript's place, in order."""
    system = expand(instruction, {"words": str(words), "char": char, "user": user})
    told = "\n\n".join(f"{entry.title}\n{entry.text.strip()}" for entry in entries)
    return ChatRequest(
        messages=[
            {"role": "system", "content": system},
            {"role": "user", "content": f"{TRANSCRIPT}\n{told}"},
        ],
        character=char,
        user=user,
        max_tokens=max_tokens,
    )


def read_answer(raw: str, finish: str, speakers: Collection[str]) -> Answer:
    """Return the summary in a model's answer: JSON with `title` and `summary`, or plain text.

    Thoughts and code fences are taken off. Raises `BadSummary` when nothing is left, when the answer was cut
    off by its length (`finish` is "length"), or when it plainly goes on with the story: it begins with a
    stage direction, or half of its lines with one of the `speakers`.
    """
    if finish == "length":
        raise BadSummary(
            "cut_off",
            "The summary was cut off by the limit of tokens. Allow more tokens, or ask for fewer words.",
        )
    text = _FENCE.sub("", _THOUGHT.sub("", clean(raw)).strip()).strip()
    answer = _from_json(text) or Answer("", text)
    if not answer.text:
        raise BadSummary("empty", "The model answered with nothing that could be a summary.")
    if _goes_on(answer.text, speakers):
        raise BadSummary("continuation", "The model went on with the story instead of summarising it.")
    return answer


def _from_json(text: str) -> Answer | None:
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        return None
    try:
        body = json.loads(text[begin : end + 1], strict=False)
    except ValueError:
        return None
    if not isinstance(body, dict):
        return None
    summary = body.get("summary")
    if isinstance(summary, list):
        summary = "\n".join(str(line) for line in summary)
    if not isinstance(summary, str):
        return None
    title = body.get("title", body.get("name", ""))
    return Answer(one_line(title, TITLE) if isinstance(title, str) else "", summary.strip())


def _goes_on(text: str, speakers: Collection[str]) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    spoken = sum(line.lstrip("*_ ").startswith(f"{name}:") for line in lines for name in speakers if name)
    return bool(_STAGE.match(text)) or spoken / len(lines) >= SPOKEN_SHARE
