"""Finds language model servers on this machine; also the place to import the other questions from."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memdesk.llm.check import CheckResult, Step, check
from memdesk.llm.models import ModelInfo, Probe, list_models, parse_models
from memdesk.work.cancel import Cancelled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from memdesk.work.cancel import CancelToken

__all__ = [
    "LOCAL_SERVERS",
    "CheckResult",
    "FoundServer",
    "ModelInfo",
    "Step",
    "check",
    "discover",
    "list_models",
]

LOCAL_SERVERS: Final[dict[int, tuple[str, ...]]] = {
    11434: ("Ollama",),
    1234: ("LM Studio",),
    5001: ("KoboldCpp",),
    8080: ("llama.cpp",),
    5000: ("text-generation-webui", "TabbyAPI"),
    1337: ("Jan",),
    8000: ("vLLM",),
}
"""The ports that local servers listen at unless told otherwise, and which server that usually is."""

LOOPBACK_HOSTS: Final = ("127.0.0.1", "::1")
"""The only hosts that `discover` ever talks to."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server on this machine. `kind` is its product name as far as it can be told, else the usual one."""

    kind: str
    base_url: str
    models: tuple[ModelInfo, ...]
    needs_key: bool = False


def discover(
    cancel: CancelToken, timeout: float = 0.4, ports: Iterable[int] | None = None
) -> list[FoundServer]:
    """Look for servers at the usual ports of 127.0.0.1 and ::1 (nowhere else), all at once.

    `timeout` is in seconds, for each question; a server is asked up to seven. Returns them in the order of
    `LOCAL_SERVERS` (or `ports`), a server that answers at both addresses once. Ends early, with what was
    found so far, when cancelled.
    """
    wanted = list(dict.fromkeys(LOCAL_SERVERS if ports is None else ports))
    places = [(host, port) for port in wanted for host in LOOPBACK_HOSTS]
    if not places:
        return []
    import httpx2  # noqa: F401, PLC0415 - loaded before the clocks of the threads start

    with ThreadPoolExecutor(max_workers=len(places), thread_name_prefix="discover") as pool:
        results = list(pool.map(lambda place: _look(place[0], place[1], timeout, cancel), places))
    found: dict[int, FoundServer] = {}
    for (_, port), server in zip(places, results, strict=True):
        if server is not None:
            found.setdefault(port, server)
    return list(found.values())


def _look(host: str, port: int, timeout: float, cancel: CancelToken) -> FoundServer | None:
    """Ask one loopback port; None when nothing, or nothing of interest, answers."""
    import httpx2  # noqa: PLC0415

    from memdesk.llm import wire  # noqa: PLC0415

    base_url = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    usual = LOCAL_SERVERS.get(port, ("OpenAI-compatible server",))[0]
    try:
        answer = wire.fetch(f"{base_url}/models", timeout=timeout, cancel=cancel)
        if answer.status in (401, 403) and isinstance(answer.value, dict):
            return FoundServer(usual, base_url, (), needs_key=True)
        models = parse_models(answer.value)
        if answer.status != 200 or models is None:
            return None
        probe = Probe(base_url, "", timeout, cancel)
        kind = probe.kind(answer.value) or usual
        if any(model.context_tokens is None for model in models):
            models = probe.sizes(models, "")
        return FoundServer(kind, base_url, tuple(models))
    except (httpx2.HTTPError, Cancelled):
        return None
