"""What is said of summaries in the window: their titles, their marks, and what went wrong with one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

from memdesk.memory.summaries.acts import TITLES
from memdesk.memory.summaries.coverage import SourceState
from memdesk.memory.summaries.request import BadSummary

if TYPE_CHECKING:
    from memdesk.ui.models.summaries import Entry

translate = QCoreApplication.translate


def shown_title(title: str) -> str:
    """Return the title of an entry; those it gets by itself are said in the language of the window."""
    if title == TITLES["manual"]:
        return translate("Summaries", "Manual summary")
    if title == TITLES["automated"]:
        return translate("Summaries", "Automated summary")
    if title == TITLES["legacy"]:
        return translate("Summaries", "Legacy summary")
    return title


def range_words(entry: Entry) -> str:
    """Return "#1–#20", or what stands there when it covers nothing that is there."""
    place, number = entry.place, QLocale().toString
    if place.first is None or place.last is None:
        return "" if entry.summary.covers else translate("Summaries", "written for no messages")
    if place.first == place.last:
        return f"#{number(place.first)}"
    return f"#{number(place.first)}–#{number(place.last)}"


def marks(entry: Entry) -> list[tuple[str, str, str]]:
    """Return the badges of an entry: (words, icon, explanation)."""
    summary, found = entry.summary, []
    if summary.proposed:
        found.append(
            (
                translate("Summaries", "Waits for approval"),
                "pause",
                translate("Summaries", "Nothing of it is sent before you approve it."),
            )
        )
    if summary.superseded_by is not None:
        found.append(
            (
                translate("Summaries", "Taken in"),
                "link",
                translate("Summaries", "A later summary took it in and is sent in its place."),
            )
        )
    if summary.frozen:
        found.append(
            (
                translate("Summaries", "Frozen"),
                "snow",
                translate("Summaries", "No automatic step changes it or takes it in."),
            )
        )
    if not summary.enabled:
        found.append(
            (translate("Summaries", "Off"), "eye-off", translate("Summaries", "Kept, but not sent."))
        )
    if entry.place.state is SourceState.CHANGED:
        found.append(
            (
                translate("Summaries", "Source changed"),
                "warning",
                translate(
                    "Summaries",
                    "Messages that it tells of were edited, replaced, hidden or deleted since it was "
                    "written.",
                ),
            )
        )
    elif entry.place.state is SourceState.GONE:
        found.append(
            (
                translate("Summaries", "Source gone"),
                "warning",
                translate("Summaries", "All messages that it tells of were deleted. The summary was kept."),
            )
        )
    if summary.edited:
        found.append(
            (
                translate("Summaries", "Edited"),
                "edit",
                translate("Summaries", "You changed it. What it said before is in its versions."),
            )
        )
    return found


def origin_words(entry: Entry) -> str:
    """Return who wrote an entry."""
    if entry.summary.model:
        return translate("Summaries", "written by {0}").format(entry.summary.model)
    return {
        "manual": translate("Summaries", "written by you"),
        "automated": translate("Summaries", "written automatically"),
    }.get(entry.summary.origin, translate("Summaries", "taken over from before"))


def bad_summary_words(error: BadSummary) -> str:
    """Return why a model's answer is no summary."""
    return {
        "empty": translate(
            "Summaries",
            "The model answered with nothing that could be a summary. Try again, or another model.",
        ),
        "cut_off": translate(
            "Summaries",
            "The summary was cut off by the limit of tokens. Allow more tokens in the summary settings, or "
            "ask for fewer words.",
        ),
        "continuation": translate(
            "Summaries",
            "The model went on with the story instead of summarising it. Try again, or choose another "
            "connection or template for summaries.",
        ),
    }.get(error.code, str(error))


def summary_sentence(code: str) -> str:
    """Return the sentence for a `StoreError` that has to do with summaries, "" for any other code."""
    return {
        "blank_summary": translate("Summaries", "A summary needs text. Delete it instead, or turn it off."),
        "too_few": translate("Summaries", "Choose at least two summaries to combine."),
        "nothing_to_summarise": translate(
            "Summaries",
            "There are no messages to summarise there: they are empty, hidden, or summarised already.",
        ),
        "no_model": translate(
            "Summaries", "The demo voice cannot summarise. Choose a connection with a language model."
        ),
        "source_changed": translate(
            "Summaries",
            "Messages changed while the summary was being written, so it was not kept. Try again.",
        ),
        "blank_template": translate(
            "Summaries", "A template needs text: it is what the model is asked to do."
        ),
        "long_template": translate("Summaries", "A template has at most 20,000 characters."),
    }.get(code, "")
