"""Connection profiles: where a model is and how it is asked. API keys are kept elsewhere (keys.py)."""

from __future__ import annotations

import ipaddress
import re
import uuid
from typing import Any, Final, Literal, Self
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

ProfileKind = Literal["openai", "demo"]

RESERVED_BODY_KEYS: Final = frozenset({"messages", "model", "stream"})
"""Fields of a request that `extra_body` cannot replace: without them the reply would not be this chat's."""

_ENDPOINTS: Final = ("/chat/completions", "/completions", "/embeddings", "/models")
_SCHEME: Final = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]*://")


def normalise_base_url(url: str) -> str:
    """Return the address the way a client needs it: `http://127.0.0.1:11434` → `http://127.0.0.1:11434/v1`.

    The rule: white space around it goes; without a scheme, `http://` is put before loopback and private
    addresses, names without a dot and `.local`, `https://` before all others; `0.0.0.0` (what servers print
    when they listen everywhere) becomes `127.0.0.1`; slashes at the end go, and so does a pasted
    `/chat/completions`, `/completions`, `/embeddings` or `/models`; when no path is left, `/v1` is added.
    Any other path is kept, because providers use their own (`/api/v1`, `/v1beta/openai`).

    Raises ValueError, with a sentence for people, for an empty address, schemes other than http and https,
    a missing host, a wrong port, a user name or password in it, a `?query` or a `#fragment`.
    """
    text = url.strip()
    if not text:
        raise ValueError("The address is empty. Example: http://127.0.0.1:11434/v1")
    if any(ch.isspace() or not ch.isprintable() for ch in text):
        raise ValueError("The address must not contain spaces or line breaks.")
    if not _SCHEME.match(text):
        text = f"{'http' if _looks_private(text) else 'https'}://{text.lstrip('/')}"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ValueError(f"The address {url.strip()!r} cannot be read: {error}.") from None
    _refuse_odd_parts(parts, host, port)
    if host == "0.0.0.0":  # noqa: S104 - replaced, not bound
        host = "127.0.0.1"
    netloc = f"[{host}]" if ":" in host else host
    netloc = netloc if port is None else f"{netloc}:{port}"
    path = parts.path.rstrip("/")
    for ending in _ENDPOINTS:
        if path.lower().endswith(ending):
            path = path[: -len(ending)].rstrip("/")
            break
    return urlunsplit((parts.scheme.lower(), netloc, path or "/v1", "", ""))


def _refuse_odd_parts(parts: SplitResult, host: str, port: int | None) -> None:
    if parts.scheme.lower() not in ("http", "https"):
        raise ValueError(f"The address must begin with http:// or https://, not {parts.scheme}://")
    if not host:
        raise ValueError("The address has no host name.")
    if parts.username is not None or parts.password is not None:
        raise ValueError("The address must not contain a user name or password; the key has its own field.")
    if parts.query or parts.fragment:
        raise ValueError("The address must not contain ? or #.")
    if port == 0:
        raise ValueError("The port in the address must be between 1 and 65535.")


def is_loopback(host: str) -> bool:
    """Return whether a host name or address means this machine: localhost, *.localhost, 127.0.0.0/8, ::1."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def is_private(host: str) -> bool:
    """Return whether a host is this machine or one nearby: private addresses, names without a dot, .local."""
    name = host.strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return is_loopback(name) or "." not in name or name.endswith((".local", ".lan", ".home.arpa"))
    return address.is_loopback or address.is_private or address.is_link_local


def _looks_private(address: str) -> bool:
    try:
        return is_private(urlsplit(f"//{address.lstrip('/')}").hostname or "")
    except ValueError:
        return False


class ConnectionProfile(BaseModel):
    """How to reach a model and how to ask it. Options that are None are not sent, so the server decides.

    `context_tokens` is the whole window, prompt and reply together; `reply_tokens` is how much of it is kept
    free for the reply. `timeout_seconds` is the longest silence that is accepted, before the first piece of
    a reply and between two pieces; 300 by default, because a large prompt on a processor without a graphics
    card takes minutes to read. `model` may be empty for servers that have just one model loaded.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str = Field(default_factory=lambda: uuid.uuid4().hex, pattern=r"^[0-9a-f]{32}$")
    name: str = Field(min_length=1, max_length=200)
    kind: ProfileKind = "openai"
    base_url: str = ""
    model: str = Field(default="", max_length=500)
    context_tokens: int = Field(default=8192, ge=512, le=10_000_000)
    reply_tokens: int = Field(default=512, ge=1, le=1_000_000)
    temperature: float | None = Field(default=None, ge=0, le=5)
    top_p: float | None = Field(default=None, ge=0, le=1)
    min_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=-1, le=1_000_000)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    repetition_penalty: float | None = Field(default=None, gt=0, le=5)
    seed: int | None = Field(default=None, ge=-1, le=2**63 - 1)
    stop: list[str] = Field(default_factory=list, max_length=64)
    timeout_seconds: float = Field(default=300.0, gt=0, le=86_400)
    extra_body: dict[str, Any] = Field(default_factory=dict)
    embedder: str = Field(default="", max_length=64)
    """Id of the embedding source that chats use with this connection; "" leaves it to the global default."""

    @field_validator("name", "model")
    @classmethod
    def _one_line(cls, value: str) -> str:
        value = value.strip()
        if "\n" in value or "\r" in value:
            raise ValueError("must be one line")
        return value

    @field_validator("name")
    @classmethod
    def _named(cls, value: str) -> str:
        if not value:
            raise ValueError("Give the connection a name.")
        return value

    @field_validator("stop")
    @classmethod
    def _stops(cls, value: list[str]) -> list[str]:
        if any(not text for text in value):
            raise ValueError("A stop text must not be empty.")
        return value

    @field_validator("extra_body")
    @classmethod
    def _extra(cls, value: dict[str, Any]) -> dict[str, Any]:
        taken = sorted(RESERVED_BODY_KEYS & value.keys())
        if taken:
            raise ValueError(f"Extra fields must not replace {', '.join(taken)}.")
        return value

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.kind == "openai":
            object.__setattr__(self, "base_url", normalise_base_url(self.base_url))
        if self.reply_tokens >= self.context_tokens:
            raise ValueError(
                f"The reply length ({self.reply_tokens} tokens) must be smaller than the context "
                f"({self.context_tokens} tokens)."
            )
        return self

    @property
    def host(self) -> str:
        """The host name in `base_url`, "" for the demo voice."""
        return urlsplit(self.base_url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether nothing leaves this machine: a loopback host, or the demo voice."""
        return self.kind == "demo" or is_loopback(self.host)

    @property
    def is_private(self) -> bool:
        """Whether the host is this machine or one in a home network."""
        return self.kind == "demo" or is_private(self.host)


DEMO_PROFILE: Final = ConnectionProfile(
    id="0000000000000000000000000000de30",
    name="Demo voice (no language model)",
    kind="demo",
    model="demo",
)
"""The built-in connection that needs no server."""
