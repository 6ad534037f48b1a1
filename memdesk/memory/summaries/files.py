"""Summaries as a file: everything about them, found again by what was said and not by ids."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memdesk.chats.text import clean
from memdesk.memory.summaries.acts import SummaryActs
from memdesk.memory.summaries.coverage import readable, summary_source
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore
from memdesk.store.summaries import Covered, NewSummary

FORMAT, VERSION = "memdesk summaries", 1

PAGE = 500
"""Messages read at a time."""


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore")

    title: str = Field("", max_length=10_000)
    text: str = Field(min_length=1, max_length=1_000_000)
    origin: Literal["manual", "automated", "legacy"] = "legacy"
    source_mode: Literal["last", "range", "agent"] = "range"
    enabled: bool = True
    frozen: bool = False
    proposed: bool = False
    model: str = Field("", max_length=1000)
    created: datetime | None = None
    covers: list[str] = Field(default_factory=list, max_length=1_000_000)
    """Hashes of who said what, as hexadecimal digits"""


class _File(BaseModel):
    model_config = ConfigDict(extra="ignore")

    format: Literal["memdesk summaries"]
    version: int
    entries: list[_Entry] = Field(max_length=100_000)


def exported(acts: SummaryActs, chat_id: int, title: str) -> dict[str, Any]:
    """Return the summaries of a chat as JSON values; those that a later one took in are turned off."""
    entries = []
    for entry, _ in acts.all(chat_id):
        entries.append(
            {
                "title": entry.title,
                "text": entry.text,
                "origin": entry.origin,
                "source_mode": entry.source_mode,
                "enabled": entry.enabled and entry.superseded_by is None,
                "frozen": entry.frozen,
                "proposed": entry.proposed,
                "model": entry.model,
                "created": entry.created_at.isoformat(),
                "covers": [item.source_hash.hex() for item in entry.covers],
            }
        )
    return {"format": FORMAT, "version": VERSION, "chat": title, "entries": entries}


def imported(acts: SummaryActs, messages: MessageStore, chat_id: int, body: object) -> list[int]:
    """Add the summaries of a file to a chat, behind its own; returns their ids.

    Each covers the messages that say what it was written from, of equal ones the first. Raises `StoreError`
    with code `not_summaries` or `newer_file`, and adds nothing then.
    """
    try:
        file = _File.model_validate(body)
    except ValidationError as error:
        raise StoreError("not_summaries", "The file holds no summaries of memdesk.") from error
    if file.version > VERSION:
        raise StoreError("newer_file", "The file was written by a newer memdesk. Please update memdesk.")
    said = _said(messages, chat_id)
    new = []
    for item in file.entries:
        text = clean(item.text).strip()
        if not text:
            continue
        covers: dict[int, Covered] = {}
        for digits in item.covers:
            found = [place for place in said.get(digits, ()) if place not in covers]
            if found:
                covers[found[0]] = Covered(found[0], bytes.fromhex(digits))
        created = item.created
        if created is not None and created.tzinfo is None:
            created = created.replace(tzinfo=UTC)
        new.append(
            NewSummary(
                title=clean(item.title),
                text=text,
                tokens=0,
                origin=item.origin,
                source_mode=item.source_mode,
                covers=tuple(covers.values()),
                enabled=item.enabled,
                frozen=item.frozen,
                proposed=item.proposed,
                model=clean(item.model),
                created_at=created,
            )
        )
    return acts.add_all(chat_id, new)


def _said(messages: MessageStore, chat_id: int) -> dict[str, list[int]]:
    """Return the messages of a chat by the hash of what they say."""
    found: dict[str, list[int]] = {}
    count = messages.count(chat_id)
    for first in range(1, count + 1, PAGE):
        for message in messages.page(chat_id, first, PAGE):
            if readable(message):
                found.setdefault(summary_source(message).hex(), []).append(message.id)
    return found
