"""What the person has set for the whole app, kept in `settings.toml`."""

from __future__ import annotations

import contextlib
import os
import tempfile
import tomllib
from pathlib import Path
from typing import Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memdesk.llm.profile import DEMO_PROFILE, ConnectionProfile
from memdesk.store.errors import StoreError, store_error, translated

SCHEMA_VERSION = 1


class Settings(BaseModel):
    """Every setting with its default. Per-chat settings are stored with their chat."""

    model_config = ConfigDict(extra="ignore", validate_assignment=True)

    schema_version: int = SCHEMA_VERSION
    language: Literal["system", "en", "zh_CN"] = "system"
    theme: Literal["system", "light", "dark"] = "system"
    enter_sends: bool = True
    connections: list[ConnectionProfile] = Field(default_factory=list)
    connection: str = DEMO_PROFILE.id
    """Id of the connection that replies come from."""

    def profile(self) -> ConnectionProfile:
        """Return the chosen connection; the demo voice when it is gone."""
        return next((item for item in self.connections if item.id == self.connection), DEMO_PROFILE)


def load_settings(path: Path) -> tuple[Settings, str]:
    """Read settings; returns them and a sentence for the person when the file could not be used.

    A file that cannot be read is moved aside, so that nothing a person wrote is overwritten.
    Raises `StoreError` (`newer_settings`) for a file of a newer memdesk.
    """
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
        version = values.get("schema_version", SCHEMA_VERSION)
        if isinstance(version, int) and version > SCHEMA_VERSION:
            raise StoreError(
                "newer_settings", f"{path} was written by a newer memdesk. Please update memdesk.", path
            )
        return Settings.model_validate(values), ""
    except FileNotFoundError:
        return Settings(), ""
    except OSError as error:
        raise store_error(error, path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        aside = path.with_name(f"{path.name}.broken")
        with translated(path):
            path.replace(aside)
        reason = str(error).splitlines()[0]
        return Settings(), f"The settings could not be read ({reason}). They were moved to {aside.name}."


def save_settings(path: Path, settings: Settings) -> None:
    """Write settings whole or not at all; raises `StoreError`."""
    data = tomli_w.dumps(settings.model_dump(mode="json", exclude_none=True)).encode()
    with translated(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
