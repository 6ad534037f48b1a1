"""The macros as a person looks them up: how each is written, and what it is about."""

from __future__ import annotations

from typing import Final

CATALOGUE: Final = (
    # How it is written, as an example that can be expanded, and the code of its description.
    ("{{user}}", "user"),
    ("{{char}}", "char"),
    ("{{group}}", "group"),
    ("{{charIfNotGroup}}", "char_if_not_group"),
    ("{{persona}}", "persona"),
    ("{{description}}", "description"),
    ("{{personality}}", "personality"),
    ("{{scenario}}", "scenario"),
    ("{{mesExamples}}", "examples"),
    ("{{char_version}}", "version"),
    ("{{summary}}", "summary"),
    ("{{original}}", "original"),
    ("{{input}}", "input"),
    ("{{lastMessage}}", "last"),
    ("{{lastUserMessage}}", "last_user"),
    ("{{lastCharMessage}}", "last_char"),
    ("{{lastMessageId}}", "last_id"),
    ("{{idle_duration}}", "idle"),
    ("{{time}}", "time"),
    ("{{date}}", "date"),
    ("{{weekday}}", "weekday"),
    ("{{isotime}}", "time"),
    ("{{isodate}}", "date"),
    ("{{datetimeformat DD.MM.YYYY HH:mm}}", "format"),
    ("{{time_UTC+2}}", "utc"),
    ("{{timeDiff::2026-01-02::2026-01-01}}", "difference"),
    ("{{random::tea::coffee::water}}", "random"),
    ("{{pick::tea::coffee::water}}", "pick"),
    ("{{roll:2d6+1}}", "roll"),
    ("{{setvar::mood::calm}}", "set"),
    ("{{getvar::mood}}", "get"),
    ("{{addvar::gold::5}}", "add"),
    ("{{incvar::day}}", "step"),
    ("{{decvar::day}}", "step"),
    ("{{setglobalvar::mood::calm}}", "global"),
    ("{{newline}}", "newline"),
    ("{{trim}}", "trim"),
    ("{{noop}}", "nothing"),
    ("{{// a comment}}", "nothing"),
)
"""In the order of the help window; those of one kind share a description."""
