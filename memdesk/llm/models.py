"""Lists the models of a server, with the size of their context where the server tells it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit, urlunsplit

from memdesk.work.cancel import CancelToken

if TYPE_CHECKING:
    from memdesk.llm.profile import ConnectionProfile
    from memdesk.llm.wire import Answer

LIST_SECONDS: Final = 10.0
"""How long a list of models may take; hosted services list hundreds."""

PROBE_SECONDS: Final = 2.0
"""How long a question about the context size may take; without an answer the size stays unknown."""

SHOWN_MODELS: Final = 20
"""Ollama is asked about each model on its own; beyond this many the size stays unknown."""

_SIZE_FIELDS: Final = (
    "loaded_context_length",  # LM Studio: of the model in memory
    "max_model_len",  # vLLM
    "max_context_length",  # LM Studio, Mistral
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_seq_len",  # TabbyAPI
)


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model of a server. `context_tokens` is what the server says it can take, None when it does not."""

    id: str
    context_tokens: int | None = None


def list_models(
    profile: ConnectionProfile, key: str | None, cancel: CancelToken | None = None
) -> list[ModelInfo]:
    """Return the models of a profile's server, with context sizes where it tells them.

    Servers in the home network are also asked in their own ways about the size; hosted services are only
    asked for the list. Raises LLMError, or Cancelled.
    """
    if profile.kind == "demo":
        return [ModelInfo(profile.model)]
    secret, stop = (key or "").strip(), cancel or CancelToken()
    answer = models_answer(profile, secret, stop)
    probe = Probe(profile.base_url, secret, PROBE_SECONDS, stop)
    return with_sizes(parse_models(answer.value) or [], probe, profile)


def models_answer(profile: ConnectionProfile, key: str, cancel: CancelToken) -> Answer:
    """Ask for `/models` and return the answer, a list of models. Raises LLMError, or Cancelled."""
    import httpx2  # noqa: PLC0415

    from memdesk.llm import failures, wire  # noqa: PLC0415

    place = failures.Place.of(profile, key)
    seconds = min(LIST_SECONDS, profile.timeout_seconds)
    try:
        answer = wire.fetch(f"{profile.base_url}/models", key, timeout=seconds, cancel=cancel)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        place = failures.Place(place.base_url, place.host, place.model, seconds, key)
        raise failures.connection_error(error, place) from error
    except ValueError as error:
        raise failures.unusable_error(error, place) from error
    if answer.status >= 300:
        raise failures.status_error(answer.status, answer.headers, answer.value, answer.text, place)
    if parse_models(answer.value) is None:
        raise failures.not_openai_error(place, answer.text[:200])
    return answer


def parse_models(value: object) -> list[ModelInfo] | None:
    """Return the models in the answer to `/models`, None when it is no such answer.

    A list without a wrapper is accepted (Together), and `null` for an empty one (Ollama).
    """
    data = value.get("data", value.get("models", ...)) if isinstance(value, dict) else value
    if data is None and isinstance(value, dict):
        return []
    if not isinstance(data, list):
        return None
    models: dict[str, ModelInfo] = {}
    for item in data:
        if isinstance(item, dict) and isinstance(item.get("id"), str) and item["id"]:
            models.setdefault(item["id"], ModelInfo(item["id"], _size_in(item)))
    return list(models.values()) if models or not data else None


def with_sizes(models: list[ModelInfo], probe: Probe, profile: ConnectionProfile) -> list[ModelInfo]:
    """Return the models with the context sizes that the server tells only in its own way."""
    if not profile.is_private:
        return models
    if all(model.context_tokens is not None for model in models) and models:
        return models
    return probe.sizes(models, profile.model)


class Probe:
    """Asks a server about itself, in the ways of the different products; no answer is an answer too."""

    def __init__(self, base_url: str, key: str, timeout: float, cancel: CancelToken) -> None:
        parts = urlsplit(base_url)
        path = parts.path.removesuffix("/v1")
        self._root = urlunsplit((parts.scheme, parts.netloc, path, "", ""))
        self._key = key
        self._timeout = timeout
        self._cancel = cancel

    def ask(self, path: str, body: dict[str, Any] | None = None) -> Any:  # noqa: ANN401 - the server's JSON
        """Return the JSON at a path below the server's root, None when there is none."""
        import httpx2  # noqa: PLC0415

        from memdesk.llm import wire  # noqa: PLC0415

        try:
            answer = wire.fetch(
                self._root + path, self._key, timeout=self._timeout, cancel=self._cancel, body=body
            )
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError):
            return None
        return answer.value if answer.status < 300 else None

    def kind(self, models: object) -> str | None:
        """Return the product's name, None when it does not say; `models` is the JSON of `/models`.

        KoboldCpp also answers as if it were Ollama, so it is asked first.
        """
        owners = {str(item.get("owned_by", "")).lower() for item in _items(models)}
        for owner, name in (
            ("koboldcpp", "KoboldCpp"),
            ("llamacpp", "llama.cpp"),
            ("vllm", "vLLM"),
            ("tabbyapi", "TabbyAPI"),
        ):
            if owner in owners:
                return name
        extra = self.ask("/api/extra/version")
        if isinstance(extra, dict) and "kobold" in str(extra.get("result", "")).lower():
            return "KoboldCpp"
        if _has(self.ask("/api/version"), "version"):
            return "Ollama"
        if _has(self.ask("/props"), "default_generation_settings"):
            return "llama.cpp"
        if any("max_context_length" in item for item in _items(self.ask("/api/v0/models"))):
            return "LM Studio"
        return "text-generation-webui" if _has(self.ask("/v1/internal/model/info"), "model_name") else None

    def sizes(self, models: list[ModelInfo], chosen: str) -> list[ModelInfo]:
        """Fill in sizes: first from answers about all models, then from Ollama's, one by one."""
        whole = self._whole_size()
        if whole is not None:
            return [ModelInfo(model.id, model.context_tokens or whole) for model in models]
        named = {str(item.get("id")): _size_in(item) for item in _items(self.ask("/api/v0/models"))}
        if any(named.values()):
            return [ModelInfo(model.id, model.context_tokens or named.get(model.id)) for model in models]
        if not _has(self.ask("/api/version"), "version"):
            return models
        loaded = {
            str(item.get("model") or item.get("name")): _number(item.get("context_length"))
            for item in _items(self.ask("/api/ps"))
        }
        names = [chosen] if chosen else [model.id for model in models[:SHOWN_MODELS]]
        return [
            ModelInfo(
                m.id, m.context_tokens or loaded.get(m.id) or (self._shown(m.id) if m.id in names else None)
            )
            for m in models
        ]

    def _whole_size(self) -> int | None:
        """Return the size of servers that have one model at a time: llama.cpp, KoboldCpp, TabbyAPI."""
        props = self.ask("/props")
        if isinstance(props, dict):
            settings = props.get("default_generation_settings")
            size = _number(settings.get("n_ctx") if isinstance(settings, dict) else None)
            size = size or _number(props.get("n_ctx"))
            if size is not None:
                return size
        kobold = self.ask("/api/extra/true_max_context_length")
        if isinstance(kobold, dict) and _number(kobold.get("value")):
            return _number(kobold.get("value"))
        tabby = self.ask("/v1/model")
        return _size_in(tabby) if isinstance(tabby, dict) else None

    def _shown(self, model: str) -> int | None:
        """Return Ollama's size: the `num_ctx` set for the model, else the most that it can take."""
        shown = self.ask("/api/show", {"model": model})
        if not isinstance(shown, dict):
            return None
        for line in str(shown.get("parameters", "")).splitlines():
            name, _, value = line.strip().partition(" ")
            if name == "num_ctx" and value.strip().isdecimal():
                return _number(int(value))
        info = shown.get("model_info")
        sizes = info.items() if isinstance(info, dict) else ()
        return next((_number(value) for name, value in sizes if name.endswith(".context_length")), None)


def _items(value: object) -> list[dict[str, Any]]:
    if isinstance(value, dict):
        value = value.get("data", value.get("models"))
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _has(value: object, name: str) -> bool:
    return isinstance(value, dict) and name in value


def _size_in(item: dict[str, Any]) -> int | None:
    for source in (item, item.get("parameters"), item.get("meta")):
        if isinstance(source, dict):
            for name in (*_SIZE_FIELDS, "n_ctx"):
                if size := _number(source.get(name)):
                    return size
    return None


def _number(value: object) -> int | None:
    return value if type(value) is int and 0 < value < 1_000_000_000 else None
