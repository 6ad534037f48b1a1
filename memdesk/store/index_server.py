"""A Chroma server as the search index: how it is reached, and whose collections are whose."""

from __future__ import annotations

import contextlib
import hashlib
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memdesk.store.errors import translated
from memdesk.store.index_errors import IndexUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from chromadb.api import ClientAPI

SERVER_SECONDS: Final = 15.0
"""The longest silence of a server that is accepted; Chroma's own client would wait for ever."""

INSTALLATION_FILE: Final = "installation"


@dataclass(frozen=True, slots=True)
class IndexServer:
    """Where a Chroma server is. `token` is sent as a bearer token and as X-Chroma-Token; "" for none."""

    host: str
    port: int
    tls: bool = False
    token: str = ""

    @property
    def place(self) -> str:
        """The address, for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"

    def open(self) -> tuple[ClientAPI, Callable[[], None]]:
        """Connect; returns the client and what closes its connections. Raises whatever Chroma raises."""
        import chromadb  # noqa: PLC0415 - slow to import
        from chromadb.config import Settings  # noqa: PLC0415

        headers = {}
        if self.token:
            headers = {"Authorization": f"Bearer {self.token}", "X-Chroma-Token": self.token}
        settings = Settings(_env_file=None, anonymized_telemetry=False)  # type: ignore[call-arg, unused-ignore]
        # Else its first question, whether anybody is there, may wait for ever for an answer.
        with _patient() as sessions, contextlib.ExitStack() as stack:
            stack.callback(lambda: [session.close() for session in sessions])
            client: ClientAPI = chromadb.HttpClient(
                host=self.host, port=self.port, ssl=self.tls, headers=headers, settings=settings
            )
            # Chroma itself never closes them.
            return client, stack.pop_all().close

    def unavailable(self, error: BaseException) -> IndexUnavailable:
        """Return what a person reads when this server fails; the token stays out of it."""
        if isinstance(error, IndexUnavailable):
            return error
        reason = f"{type(error).__name__}: {error}"
        if self.token:
            reason = reason.replace(self.token, "•••")
        reason = " ".join(reason.split())[:300]
        return IndexUnavailable(
            "index_server", f"The Chroma server at {self.place} does not do its work ({reason})."
        )


@contextlib.contextmanager
def _patient() -> Iterator[list[Any]]:
    """Let Chroma's client wait `SERVER_SECONDS` for each answer, not for ever; gives its HTTP sessions."""
    import httpx  # noqa: PLC0415 - slow to import
    from chromadb.api import fastapi  # noqa: PLC0415

    known = fastapi.httpx.Client
    sessions: list[Any] = []

    class Client(known):  # type: ignore[misc, valid-type, unused-ignore]
        def __init__(self, **options: Any) -> None:  # noqa: ANN401 - as httpx takes them
            options["timeout"] = httpx.Timeout(SERVER_SECONDS)
            # Vectors go to the server that was named and nowhere else.
            options["trust_env"] = False
            super().__init__(**options)
            sessions.append(self)

    class Module:
        def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module holds
            return Client if name == "Client" else getattr(httpx, name)

    fastapi.httpx = Module()  # type: ignore[attr-defined, assignment, unused-ignore]
    try:
        yield sessions
    finally:
        fastapi.httpx = httpx  # type: ignore[attr-defined, unused-ignore]


def installation_id(folder: Path) -> str:
    """Return the id of a data folder, made at first: it tells this memdesk's collections on a shared server.

    It is no part of backups: what is restored elsewhere must not meet the collections of where it was made.
    """
    path = folder / INSTALLATION_FILE
    with translated(path):
        with contextlib.suppress(FileNotFoundError, ValueError):
            return uuid.UUID(path.read_text("ascii").strip()).hex
        made = uuid.uuid4().hex
        path.write_text(made, "ascii")
        return made


def collection_name(owner: str, space: str, installation: str = "") -> str:
    """Return a name Chroma accepts for any owner and space, the same every time."""
    if not owner or not space or not (owner + space).isascii():
        raise ValueError(f"owner and space must be ASCII and not empty, got {owner!r} and {space!r}")
    digest = hashlib.blake2b(f"{owner}\x00{space}".encode("ascii"), digest_size=20).hexdigest()
    return f"memdesk-{installation}-{digest}" if installation else f"v-{digest}"
