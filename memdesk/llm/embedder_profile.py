"""Where vectors come from when not from the bundled model. API keys are kept elsewhere (keys.py)."""

from __future__ import annotations

import uuid
from typing import Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from memdesk.llm.profile import is_loopback, normalise_base_url

BUNDLED: Final = "bundled"
"""The id that stands for the model that comes with memdesk."""

AUTO: Final = "auto"
CUSTOM: Final = "custom"
"""How texts are introduced to the model: by its name, or with the two texts of the profile."""


class EmbedderProfile(BaseModel):
    """A server that turns texts into vectors, and what the self-test found out about its model.

    `dimension`, `background` and `certain` (cosines) are None before the self-test: until then nothing can be
    compared, so the profile cannot be chosen. `weak` names the languages ("en", "zh") whose sentences the
    model does not tell apart. `max_tokens` is the longest text it reads, `batch` how many go into a request.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    id: str = Field(default_factory=lambda: uuid.uuid4().hex, pattern=r"^[0-9a-f]{32}$")
    name: str = Field(min_length=1, max_length=200)
    base_url: str
    model: str = Field(default="", max_length=500)
    prefixes: str = AUTO
    query_prefix: str = Field(default="", max_length=1000)
    passage_prefix: str = Field(default="", max_length=1000)
    max_tokens: int = Field(default=512, ge=16, le=1_000_000)
    batch: int = Field(default=32, ge=1, le=2048)
    timeout_seconds: float = Field(default=60.0, gt=0, le=3600)
    dimension: int | None = Field(default=None, ge=1, le=65_536)
    background: float | None = Field(default=None, ge=-1, le=1)
    certain: float | None = Field(default=None, ge=-1, le=2)
    weak: list[str] = Field(default_factory=list)

    @field_validator("name", "model")
    @classmethod
    def _one_line(cls, value: str) -> str:
        value = value.strip()
        if "\n" in value or "\r" in value:
            raise ValueError("must be one line")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        object.__setattr__(self, "base_url", normalise_base_url(self.base_url))
        if not self.name:
            raise ValueError("Give it a name.")
        return self

    @property
    def host(self) -> str:
        """The host name in `base_url`."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether texts stay on this machine."""
        return is_loopback(self.host)

    @property
    def tested(self) -> bool:
        """Whether the self-test has found out what is needed to use it."""
        return self.dimension is not None and self.background is not None and self.certain is not None

    def same_vectors(self, other: EmbedderProfile) -> bool:
        """Return whether two profiles make the same vectors, as far as settings can tell."""
        return _maker(self) == _maker(other)


def _maker(profile: EmbedderProfile) -> tuple[str, ...]:
    custom = (profile.query_prefix, profile.passage_prefix) if profile.prefixes == CUSTOM else ("", "")
    return profile.base_url, profile.model, profile.prefixes, *custom
