"""What the library says by a code, in the language of the window: reasons, names of parts."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication

from memdesk.llm.profile import DEMO_PROFILE
from memdesk.prompt.parts import Reason

SHOWN_CREDIT = 0.005
"""A smaller credit would read 0.00."""


def _sentences() -> dict[str, str]:
    """Return the sentence of every code in `memdesk.prompt.parts.REASONS`, with the same placeholders."""
    translate = QCoreApplication.translate
    return {
        "always": translate("Reasons", "always sent"),
        "pinned": translate("Reasons", "pinned: always sent"),
        "chosen": translate("Reasons", "score {score:.2f}, place {place} of {limit}"),
        "in_window": translate("Reasons", "in the context window"),
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
    }


def reason_text(reason: Reason) -> str:
    """Return why a part is in or out; raises KeyError for a code that no receipt of this version has."""
    return _sentences()[reason.code].format(**reason.values)


def model_name(name: str) -> str:
    """Return the name of a model on one line; the demo voice is none and has a name in every language."""
    if name == DEMO_PROFILE.name:
        return QCoreApplication.translate("Parts", "Demo voice (no language model)")
    return " ".join(name.split())


def part_title(title: str) -> str:
    """Return the title of a part; what is no fixed name (a message, a file) stays as it is."""
    translate = QCoreApplication.translate
    return {
        "Main prompt": translate("Parts", "Main prompt"),
        "After the chat": translate("Parts", "After the chat"),
        "Description": translate("Parts", "Description"),
        "Personality": translate("Parts", "Personality"),
        "Scenario": translate("Parts", "Scenario"),
        "Persona": translate("Parts", "Persona"),
        "Example messages": translate("Parts", "Example messages"),
        "Note": translate("Parts", "Note"),
        "Source gone": translate("Parts", "Source gone"),
    }.get(title, " ".join(title.split()))


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
    translate = QCoreApplication.translate
    names = {
        "meaning": translate("Parts", "meaning"),
        "words": translate("Parts", "words"),
        "neighbour": translate("Parts", "neighbour"),
        "speaker": translate("Parts", "speaker"),
    }
    return " · ".join(
        f"{names.get(name, name)} {value:.2f}"
        for name, value in scores.items()
        if name in {"meaning", "words"} or value >= SHOWN_CREDIT
    )
