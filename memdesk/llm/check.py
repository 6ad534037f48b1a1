"""Tries a connection with a real request and says in plain words what works and what does not."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from memdesk.llm.client import OpenAIClient
from memdesk.llm.errors import LLMError
from memdesk.llm.events import ChatRequest, Finished, ReasoningDelta, TextDelta
from memdesk.llm.models import ModelInfo, list_models
from memdesk.work.cancel import CancelToken

if TYPE_CHECKING:
    from memdesk.llm.profile import ConnectionProfile

StepName = Literal["server", "key", "model", "reply", "context"]

CHECK_SECONDS: Final = 120.0
"""How long the trial reply may take to begin: a large model is loaded from disk first."""

CHECK_TOKENS: Final = 16
"""The length of the trial reply."""

NAMED_MODELS: Final = 5
"""How many of a server's models an error message names."""

_NO_SERVER: Final = frozenset({"refused", "unreachable", "tls", "timeout", "redirected", "not_openai", "cut"})
_KEY: Final = frozenset({"unauthorized", "forbidden"})


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was tried. `code` is "" when it went well, else an `ErrorCode` (or a note's name).

    A step may be `ok` and still carry a note, for example "not_listed".
    """

    name: StepName
    ok: bool
    message: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found. Times are in seconds; `context_tokens` is the server's, None when unknown."""

    ok: bool
    steps: list[Step]
    seconds: float = 0.0
    first_piece_seconds: float | None = None
    reply: str = ""
    context_tokens: int | None = None
    models: tuple[ModelInfo, ...] = ()


def check(profile: ConnectionProfile, key: str | None, cancel: CancelToken | None = None) -> CheckResult:
    """Try a connection: whether a server is there, takes the key, has the model, and replies.

    The context size comes last, because some servers only know it once the model is loaded. Steps that could
    not be tried are left out. Raises nothing but Cancelled.
    """
    stop = cancel or CancelToken()
    if profile.kind == "demo":
        words = "The demo voice is built in and needs no server. It is no language model."
        return CheckResult(ok=True, steps=[Step("server", ok=True, message=words)])
    return _Check(profile, key, stop).run()


class _Check:
    def __init__(self, profile: ConnectionProfile, key: str | None, cancel: CancelToken) -> None:
        self._profile = profile
        self._key = key
        self._cancel = cancel
        self._steps: list[Step] = []
        self._models: list[ModelInfo] | None = None
        self._seconds = 0.0
        self._first: float | None = None
        self._reply = ""

    def run(self) -> CheckResult:
        context: int | None = None
        if self._list() and self._try_reply():
            context = self._check_context()
        return CheckResult(
            ok=all(step.ok for step in self._steps),
            steps=self._steps,
            seconds=self._seconds,
            first_piece_seconds=self._first,
            reply=self._reply,
            context_tokens=context,
            models=tuple(self._models or ()),
        )

    def _add(self, name: StepName, message: str, code: str = "", *, ok: bool = True) -> None:
        self._steps.append(Step(name, ok=ok, message=message, code=code))

    def _fail(self, name: StepName, error: LLMError) -> bool:
        words = error.message + (f" The server says: {error.detail}" if error.detail and error.status else "")
        self._add(name, words, error.code, ok=False)
        return False

    def _list(self) -> bool:
        """Ask for the models; False when it makes no sense to go on."""
        base_url = self._profile.base_url
        try:
            self._models = list_models(self._profile, self._key, self._cancel)
        except LLMError as error:
            if error.code in _KEY:
                self._add("server", f"A server answers at {base_url}.")
                return self._fail("key", error)
            if error.code in ("not_found", "not_openai"):
                better = self._with_v1()
                if better is not None:
                    words = f"The path of the address is wrong. This one works: {better}"
                    self._add("server", words, "not_found", ok=False)
                    return False
            if error.code in _NO_SERVER:
                return self._fail("server", error)
            # Some servers have no list but chat all the same; the trial reply will tell.
            self._add("server", f"A server answers at {base_url}, but does not list its models.", "no_list")
            return True
        count = len(self._models)
        self._add("server", f"A server answers at {base_url} and lists {count} model{'s' * (count != 1)}.")
        return True

    def _with_v1(self) -> str | None:
        """Return the address with /v1 at its end if models are listed there."""
        if self._profile.base_url.endswith("/v1"):
            return None
        better = self._profile.base_url + "/v1"
        try:
            list_models(self._profile.model_copy(update={"base_url": better}), self._key, self._cancel)
        except LLMError:
            return None
        return better

    def _try_reply(self) -> bool:
        """Send a real request of a few tokens and report on key, model and reply."""
        patient = min(self._profile.timeout_seconds, CHECK_SECONDS)
        client = OpenAIClient(self._profile.model_copy(update={"timeout_seconds": patient}), self._key)
        request = ChatRequest(
            messages=[{"role": "user", "content": "Say hello in one short sentence."}],
            max_tokens=min(CHECK_TOKENS, self._profile.reply_tokens),
        )
        begin = time.monotonic()
        thought = False
        finished: Finished | None = None
        try:
            for event in client.stream(request, self._cancel):
                if isinstance(event, TextDelta | ReasoningDelta):
                    self._first = self._first if self._first is not None else time.monotonic() - begin
                    thought = thought or isinstance(event, ReasoningDelta)
                    self._reply += event.text if isinstance(event, TextDelta) else ""
                elif isinstance(event, Finished):
                    finished = event
                else:
                    thought, self._reply = True, ""
        except LLMError as error:
            return self._reply_failed(error)
        self._seconds = time.monotonic() - begin
        self._cancel.raise_if_cancelled()
        self._add("key", "The server accepts the key." if self._key else "The server asks for no key.")
        self._model_works(finished.model if finished else "")
        if self._first is None:
            self._add(
                "reply", "The server accepted a request, but its reply was empty.", "no_reply", ok=False
            )
            return False
        kind = "A trial reply" if self._reply or not thought else "A trial reply (so far only thoughts)"
        self._add("reply", f"{kind} began after {self._first:.1f} s and took {self._seconds:.1f} s.")
        return True

    def _reply_failed(self, error: LLMError) -> bool:
        if error.code in _KEY:
            return self._fail("key", error)
        if error.code == "model_missing" or (self._missing() and error.code in ("not_found", "bad_request")):
            self._add("model", self._missing_words(), "model_missing", ok=False)
            return False
        return self._fail("reply", error)

    def _missing(self) -> bool:
        return bool(self._models) and all(model.id != self._profile.model for model in self._models or ())

    def _missing_words(self) -> str:
        names = [model.id for model in self._models or ()]
        start = f"The server does not have the model “{self._profile.model}”."
        if not self._profile.model:
            start = "No model is chosen."
        if not names:
            return f"{start} Load or download one there first."
        more = f" and {len(names) - NAMED_MODELS} more" if len(names) > NAMED_MODELS else ""
        return f"{start} It has: {', '.join(names[:NAMED_MODELS])}{more}."

    def _model_works(self, answered: str) -> None:
        model = self._profile.model
        if self._missing():
            shown = f"“{model}” is not in the server's list" if model else "No model is chosen"
            says = f"; the server answers as “{answered}”" if answered and answered != model else ""
            self._add("model", f"{shown}, but a request for it works{says}.", "not_listed")
        else:
            self._add("model", f"The model “{model or answered}” is there.")

    def _check_context(self) -> int | None:
        """Compare the profile's context with what the server reports, and return that."""
        size = self._reported_size()
        wanted = self._profile.context_tokens
        if size is None:
            self._add("context", "The server does not say how large its context is.", "unknown")
        elif size < wanted:
            self._add(
                "context",
                f"This connection uses a context of {wanted:,} tokens, but the server has {size:,}. Set it "
                f"to {size:,}, or start the server with more; otherwise it forgets or refuses long prompts.",
                "context_too_small",
                ok=False,
            )
        else:
            self._add("context", f"The server's context of {size:,} tokens is large enough for {wanted:,}.")
        return size

    def _reported_size(self) -> int | None:
        if self._models is None:
            return None
        try:
            models = list_models(self._profile, self._key, self._cancel)
        except LLMError:
            models = self._models
        self._models = [replace(model) for model in models]
        sizes = {model.id: model.context_tokens for model in models}
        if self._profile.model in sizes:
            return sizes[self._profile.model]
        return next(iter(sizes.values())) if len(sizes) == 1 else None
