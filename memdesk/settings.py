"""What the person has set for the whole app, kept in `settings.toml`."""

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memdesk.llm.embedder_profile import BUNDLED, EmbedderProfile
from memdesk.llm.profile import DEMO_PROFILE, ConnectionProfile
from memdesk.memory.summaries.templates import OwnTemplate
from memdesk.prompt.note import AuthorsNote
from memdesk.store.database import now
from memdesk.store.errors import StoreError, store_error, translated
from memdesk.store.whole import write_whole

SCHEMA_VERSION = 1


class IndexPlace(BaseModel):
    """Where Chroma runs: in memdesk itself, or as a server. Its token is kept with the API keys."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: Literal["embedded", "server"] = "embedded"
    host: str = Field(default="127.0.0.1", min_length=1, max_length=253, pattern=r"^[A-Za-z0-9._:-]+$")
    port: int = Field(default=8000, ge=1, le=65_535)
    tls: bool = False


class Settings(BaseModel):
    """Every setting with its default. Per-chat settings are stored with their chat."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    schema_version: int = SCHEMA_VERSION
    language: Literal["system", "en", "zh_CN"] = "system"
    theme: Literal["system", "light", "dark"] = "system"
    enter_sends: bool = True
    keys: dict[str, list[str]] = Field(default_factory=dict)
    """Action id → the keys a person has chosen for it, none for an empty list."""
    connections: list[ConnectionProfile] = Field(default_factory=list)
    connection: str = DEMO_PROFILE.id
    """Id of the connection that replies come from."""
    embedders: list[EmbedderProfile] = Field(default_factory=list)
    embedder: str = BUNDLED
    """Id of the embedding source that counts where no chat and no connection names one."""
    index: IndexPlace = Field(default_factory=IndexPlace)
    """Where the search index is."""

    preset: str = ""
    """Key of the preset for chats that have none of their own; "" for the built-in one of the language."""
    note: AuthorsNote = Field(default_factory=AuthorsNote)
    """The author's note of chats that have none of their own."""
    summary_templates: list[OwnTemplate] = Field(default_factory=list)
    """Instructions for summaries that the person wrote."""
    summary_template: str = ""
    """Id of the one that summaries are written by; "" for the built-in one of the language."""

    def profile(self, wanted: str = "") -> ConnectionProfile:
        """Return a connection by its id, else the chosen one; the demo voice when that is gone."""
        known = {item.id: item for item in (DEMO_PROFILE, *self.connections)}
        return known.get(wanted) or known.get(self.connection, DEMO_PROFILE)


def load_settings(path: Path) -> tuple[Settings, str]:
    """Read settings; returns them and a sentence for the person when not all of the file could be used.

    Values that are no valid settings are left out, each by itself: the others stay. The file as it was is
    kept under another name, so that nothing a person wrote is overwritten.
    Raises `StoreError` (`newer_settings`) for a file of a newer memdesk.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        raise store_error(error, path) from error
    try:
        values = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        aside = _aside(path)
        with translated(path):
            path.replace(aside)
        reason = str(error).splitlines()[0]
        return Settings(), f"The settings could not be read ({reason}). They were moved to {aside.name}."
    version = values.get("schema_version", SCHEMA_VERSION)
    if isinstance(version, int) and version > SCHEMA_VERSION:
        raise StoreError(
            "newer_settings", f"{path} was written by a newer memdesk. Please update memdesk.", path
        )
    settings, dropped = _valid_part(values)
    if not dropped:
        return settings, ""
    aside = _aside(path)
    with translated(aside):
        aside.write_bytes(content)
    save_settings(path, settings)
    names = ", ".join(dropped)
    return settings, f"Some settings could not be used ({names}). They were kept in {aside.name}."


def _aside(path: Path) -> Path:
    """Return a free name for a file that is broken."""
    stem = f"{path.name}.broken-{now():%Y%m%d-%H%M%S}"
    aside, number = path.with_name(stem), 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{stem}-{number}")
    return aside


def _valid_part(values: dict[str, Any]) -> tuple[Settings, list[str]]:
    """Return the settings without the values that cannot be used, and the names of those."""
    values = copy.deepcopy(values)
    dropped: list[str] = []
    while True:
        try:
            return Settings.model_validate(values), dropped
        except ValidationError as error:
            # One at a time: what is taken out of a list moves everything after it.
            dropped.append(_take_out(values, error.errors()[0]["loc"]))


def _take_out(values: dict[str, Any], place: tuple[int | str, ...]) -> str:
    """Take the value that a complaint is about out of its table or list; returns its name.

    A connection that lacks something it cannot do without goes as a whole. Every call takes something away:
    a complaint about nothing in particular costs everything.
    """
    holder: Any = None
    inner: Any = values
    key: int | str = ""
    names: list[str] = []
    for number, step in enumerate(place):
        there = (
            step in inner
            if isinstance(inner, dict)
            else isinstance(inner, list) and step in range(len(inner))
        )
        if not there:
            # A part of a value that has no parts, or something that is missing.
            break
        holder, key, inner = inner, step, inner[step]
        title = inner.get("name") if number == 1 and isinstance(inner, dict) else None
        names.append(title if isinstance(title, str) and title else str(step))
    if holder is None:
        names = sorted(values)
        values.clear()
    else:
        del holder[key]
    return ".".join(names)


def save_settings(path: Path, settings: Settings) -> None:
    """Write settings whole or not at all; raises `StoreError`."""
    data = tomli_w.dumps(settings.model_dump(mode="json", exclude_none=True)).encode()
    with translated(path):
        write_whole(path, data)
