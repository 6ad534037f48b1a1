"""What the library says by a code, in the language of the window: reasons, names of parts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication, QLocale

from memdesk.llm.profile import DEMO_PROFILE
from memdesk.memory.recall.ranking import WEIGHT_DENSE, WEIGHT_WORDS
from memdesk.prompt.budget import PromptTooLarge
from memdesk.prompt.parts import Part, Reason

SHOWN_CREDIT = 0.005
"""A smaller credit would read 0.00."""

WEIGHTS = {"meaning": WEIGHT_DENSE, "words": WEIGHT_WORDS}
"""Shares of the parts in the score; credits count as they are."""


def _sentences() -> dict[str, str]:
    """Return the sentence of every code in `memdesk.prompt.parts.REASONS`, with the same placeholders."""
    translate = QCoreApplication.translate
    return {
        "always": translate("Reasons", "always sent"),
        "pinned": translate("Reasons", "pinned: always sent"),
        "enabled": translate("Reasons", "switched on: sent with every reply"),
        "superseded": translate("Reasons", "taken in by a later summary"),
        "chosen": translate("Reasons", "chosen: place {place}, the best {limit} are sent"),
        "in_window": translate("Reasons", "in the context window"),
        "moved": translate("Reasons", "moved into the recalled part"),
        "older": translate("Reasons", "older than the context window"),
        "below_threshold": translate("Reasons", "below threshold {threshold:.2f}"),
        "over_limit": translate("Reasons", "place {place}: only the best {limit} are sent"),
        "protected": translate("Reasons", "already in the last {count} messages"),
        "in_prompt": translate("Reasons", "already in the prompt, word for word"),
        "too_new": translate("Reasons", "not older than the message being answered"),
        "no_room": translate("Reasons", "no room: {limit}-token limit"),
        "disabled": translate("Reasons", "disabled by you"),
        "hidden": translate("Reasons", "hidden from the model"),
        "empty": translate("Reasons", "empty"),
        "this_time": translate("Reasons", "every {count} user messages: this time"),
        "not_this_time": translate("Reasons", "every {count} user messages: not this time"),
        "note_off": translate("Reasons", "switched off: every 0 user messages"),
    }


def reason_text(reason: Reason) -> str:
    """Return why a part is in or out; raises KeyError for a code that no receipt of this version has."""
    return _sentences()[reason.code].format(**reason.values)


def too_large_words(error: PromptTooLarge) -> str:
    """Return why a prompt does not fit, and what can be done about it."""
    number = QLocale().toString
    largest = ", ".join(f"{part_title(title)} (~{number(tokens)})" for title, tokens in error.largest)
    words = QCoreApplication.translate(
        "PromptPanel",
        "About {0} tokens must be sent, and there is room for {1}. Shorten one of these, or choose a "
        "larger context or a shorter reply in the connection: {2}.",
    )
    return words.format(number(error.needed), number(error.room), largest)


def model_name(name: str) -> str:
    """Return the name of a model on one line; the demo voice is none and has a name in every language."""
    if name == DEMO_PROFILE.name:
        return QCoreApplication.translate("Parts", "Demo voice (no language model)")
    return " ".join(name.split())


def part_title(title: str) -> str:
    """Return the title of a part; what is no fixed name (a message, a file) stays as it is."""
    translate = QCoreApplication.translate
    if " · " in title:
        # A card among several: what it is, and whose.
        kind, _, name = title.partition(" · ")
        return f"{part_title(kind)} · {' '.join(name.split())}"
    return {
        "Instructions": translate("Parts", "Instructions"),
        "Who replies": translate("Parts", "Who replies"),
        "Main prompt": translate("Parts", "Main prompt"),
        "After the chat": translate("Parts", "After the chat"),
        "What is asked for": translate("Parts", "What is asked for"),
        "Description": translate("Parts", "Description"),
        "Personality": translate("Parts", "Personality"),
        "Scenario": translate("Parts", "Scenario"),
        "Persona": translate("Parts", "Persona"),
        "Example messages": translate("Parts", "Example messages"),
        "Depth prompt": translate("Parts", "Depth prompt"),
        "Author's note": translate("Parts", "Author's note"),
        "Further prompt": translate("Parts", "Further prompt"),
        "Note": translate("Parts", "Note"),
        "Source gone": translate("Parts", "Source gone"),
    }.get(title, " ".join(title.split()))


def place_words(source: Mapping[str, Any]) -> str:
    """Return where a part with a place of its own stands in the prompt, "" for any other."""
    place = source.get("placement")
    if not isinstance(place, Mapping):
        return ""
    translate = QCoreApplication.translate
    if place["where"] != "in_chat":
        return {
            "before_prompt": translate("Parts", "before the main prompt"),
            "after_prompt": translate("Parts", "after the main prompt"),
            "after_chat": translate("Parts", "after the chat"),
        }[place["where"]]
    role = {
        "system": translate("Parts", "in the chat at depth {0}, as the system"),
        "user": translate("Parts", "in the chat at depth {0}, as the user"),
        "assistant": translate("Parts", "in the chat at depth {0}, as the character"),
    }[place["role"]]
    return role.format(place["depth"])


def source_title(kind: str) -> str:
    """Return the name of a prompt source; KeyError for an unknown one."""
    translate = QCoreApplication.translate
    return {
        "instructions": translate("Parts", "Instructions"),
        "character": translate("Parts", "Character"),
        "summary": translate("Parts", "Summaries"),
        "memory": translate("Parts", "Memories"),
        "databank": translate("Parts", "Data Bank"),
        "lore": translate("Parts", "Lore"),
        "history": translate("Parts", "Messages"),
        "reply": translate("Parts", "Kept free for the reply"),
    }[kind]


def score_words(scores: Mapping[str, float]) -> str:
    """Return "meaning 0.71 · words 0.52 · neighbour 0.14"; credits that are 0 are left out."""
    return " · ".join(f"{_score_name(name)} {value:.2f}" for name, value in _shown(scores))


def score_sum(part: Part) -> str:
    """Return "0.69 = meaning 0.56 × 0.5 + words 0.75 × 0.5 + …", how a score was made.

    "" where the weights of this version do not give the score: an old receipt was made with others.
    """
    total = sum(value * WEIGHTS.get(name, 1.0) for name, value in part.scores.items())
    if part.score is None or not part.scores or abs(math.tanh(total) - part.score) >= SHOWN_CREDIT:
        return ""
    terms = " + ".join(
        f"{_score_name(name)} {value:.2f}" + (f" × {WEIGHTS[name]:g}" if name in WEIGHTS else "")
        for name, value in _shown(part.scores)
    )
    if abs(total - part.score) < SHOWN_CREDIT:
        return f"{part.score:.2f} = {terms}"
    words = QCoreApplication.translate("Parts", "{score} comes from {total} (scores never reach 1)")
    return f"{total:.2f} = {terms}\n" + words.format(score=f"{part.score:.2f}", total=f"{total:.2f}")


def _shown(scores: Mapping[str, float]) -> list[tuple[str, float]]:
    return [item for item in scores.items() if item[0] in WEIGHTS or item[1] >= SHOWN_CREDIT]


def _score_name(name: str) -> str:
    translate = QCoreApplication.translate
    return {
        "meaning": translate("Parts", "meaning"),
        "words": translate("Parts", "words"),
        "neighbour": translate("Parts", "neighbour"),
        "speaker": translate("Parts", "speaker"),
        "recency": translate("Parts", "recency"),
    }.get(name, name)
