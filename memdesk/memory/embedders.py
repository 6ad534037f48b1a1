"""Which embedder a chat uses: its own choice, its connection's, the global default, or the bundled model.

A source that is chosen and fails is reported; no other one takes its place, because vectors of different
models cannot be compared.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError

from memdesk.embedding.base import Embedder, EmbeddingError, EmbeddingSpace
from memdesk.embedding.pairs import PAIRS, Calibration, LanguageCheck, calibration, check_language
from memdesk.embedding.prefixes import Prefixes, chosen_prefixes
from memdesk.embedding.remote import (
    CHARS_PER_TOKEN,
    GoneEmbedder,
    LimitError,
    Limits,
    RemoteEmbedder,
    space_of,
)
from memdesk.llm.embedder_profile import BUNDLED, EmbedderProfile
from memdesk.llm.embeddings import ask_vectors, limit_of
from memdesk.llm.errors import LLMError
from memdesk.llm.profile import ConnectionProfile
from memdesk.store.spaces import SpaceStore
from memdesk.work.cancel import CancelToken

OWN_CONNECTION = "connection:"
"""Stands before the id of a connection that a chat has for itself."""

_PLAIN = Calibration(0.0, 1.0)


class Choices(Protocol):
    """What the settings of the app say about embedding."""

    @property
    def embedders(self) -> list[EmbedderProfile]:
        """Every server that was set up."""

    @property
    def embedder(self) -> str:
        """The global default: an id, or `BUNDLED`."""

    def profile(self) -> ConnectionProfile:
        """Return the active connection."""

    @property
    def connections(self) -> list[ConnectionProfile]:
        """All connections; one with the same address lends its key."""


@dataclass(frozen=True, slots=True)
class SelfTest:
    """What a self-test found: `profile` is the tested one, ready for use when `ok`.

    `texts_per_second` is the speed with short lines; `problem` says what is wrong in one sentence.
    """

    profile: EmbedderProfile
    ok: bool
    dimension: int
    texts_per_second: float
    checks: tuple[LanguageCheck, ...]
    problem: str = ""


class Embedders:
    """Every embedder that there is, made when it is asked for. Methods may be called from any thread."""

    def __init__(
        self,
        *,
        bundled: Embedder,
        spaces: SpaceStore,
        settings: Callable[[], Choices],
        key: Callable[[str], str | None],
    ) -> None:
        self.bundled = bundled
        self._spaces = spaces
        self._settings = settings
        self._key = key
        self._made: dict[tuple[str, str], tuple[EmbedderProfile, Embedder]] = {}
        self._lock = threading.Lock()
        self._closed = CancelToken()

    def close(self) -> None:
        """End every request that is under way."""
        self._closed.cancel()

    def choice(self, chat_choice: str) -> str:
        """Return the id of the source that counts, by the order above.

        `chat_choice` is a source's id, "connection:" and the id of the chat's own connection, or "".
        """
        settings = self._settings()
        own = chat_choice.removeprefix(OWN_CONNECTION)
        if own == chat_choice:
            return chat_choice or settings.profile().embedder or settings.embedder or BUNDLED
        connection = next((item for item in settings.connections if item.id == own), None)
        return (connection.embedder if connection else "") or settings.embedder or BUNDLED

    def chosen(self, chat_choice: str = "") -> Embedder:
        """Return the embedder that counts for a chat with this choice of its own."""
        choice = self.choice(chat_choice)
        if choice == BUNDLED:
            return self.bundled
        profile = next((item for item in self._settings().embedders if item.id == choice), None)
        if profile is None or not profile.tested:
            space = EmbeddingSpace(f"gone-{choice}"[:60], "", 1, "none")
            words = "The embedding source that is chosen is not there any more. Choose another one."
            return GoneEmbedder(space, words, _PLAIN)
        return self._remote(profile)

    def profile_of(self, embedder: Embedder) -> EmbedderProfile | None:
        """Return the source that an embedder asks, None for the bundled model and for those that are gone."""
        for profile in self._settings().embedders:
            if profile.tested and _space(profile).id == embedder.space.id:
                return profile
        return None

    def name(self, embedder: Embedder) -> str:
        """Return what a person calls an embedder: its source's name, "" for the bundled model."""
        profile = self.profile_of(embedder)
        return profile.name if profile else ""

    def of_space(self, name: str, dimension: int) -> Embedder:
        """Return what makes vectors of a space, or what says that nothing does any more."""
        if name == self.bundled.space.id:
            return self.bundled
        for profile in self._settings().embedders:
            if profile.tested and _space(profile).id == name:
                return self._remote(profile)
        left = _read_profile(self._spaces.source(name))
        if left is not None and left.tested and _space(left).id == name:
            return self._remote(left)
        space = EmbeddingSpace(name, name, dimension, "none")
        words = "The embedding source of the present vectors is not there any more."
        return GoneEmbedder(space, words, _PLAIN)

    def source_json(self, embedder: Embedder) -> str:
        """Return how an embedder can be made again, without its key; "" for the bundled one."""
        for profile, made in list(self._made.values()):
            if made is embedder:
                return profile.model_dump_json()
        return ""

    def _remote(self, profile: EmbedderProfile) -> Embedder:
        space = _space(profile)
        with self._lock:
            known = self._made.get((profile.id, space.id))
            if known is not None and known[0] == profile:
                return known[1]
            facts = self._facts(space.id)
            chars = facts.get("chars", profile.max_tokens * CHARS_PER_TOKEN)
            limits = Limits(min(facts.get("texts", profile.batch), profile.batch), chars)
            embedder = RemoteEmbedder(
                space,
                self._asking(profile, self._closed),
                _prefixes(profile),
                Calibration(profile.background or 0.0, profile.certain or 1.0),
                limits,
                max_tokens=profile.max_tokens,
                remember=lambda found: self._note_limits(space, found),
            )
            self._made[profile.id, space.id] = (profile, embedder)
            return embedder

    def _facts(self, space: str) -> dict[str, int]:
        try:
            facts = json.loads(self._spaces.facts(space) or "{}")
        except ValueError:
            return {}
        return {key: value for key, value in facts.items() if isinstance(value, int) and value > 0}

    def _note_limits(self, space: EmbeddingSpace, limits: Limits) -> None:
        facts = {"texts": limits.texts, "chars": limits.chars}
        self._spaces.note_facts(space.id, space.dimension, json.dumps(facts))

    def _asking(
        self, profile: EmbedderProfile, cancel: CancelToken, key: str | None = None
    ) -> Callable[[Sequence[str]], list[list[float]]]:
        """Return what asks a server; the key is read anew each time, for it may have been changed."""

        def ask(texts: Sequence[str]) -> list[list[float]]:
            secret = self.key_for(profile) if key is None else key
            try:
                return ask_vectors(profile, secret, texts, cancel)
            except LLMError as error:
                limit = limit_of(error, len(texts))
                if limit:
                    raise LimitError(limit, str(error)) from error
                raise EmbeddingError("server", str(error)) from error

        return ask

    def key_for(self, profile: EmbedderProfile) -> str:
        """Return a source's own key, or that of a connection with the same address; "" for none."""
        own = self._key(profile.id)
        if own:
            return own
        for connection in self._settings().connections:
            if connection.base_url == profile.base_url and (lent := self._key(connection.id)):
                return lent
        return ""

    # ── trying one ───────────────────────────────────────────────────────────────────────────────────

    def try_out(
        self, profile: EmbedderProfile, key: str | None = None, cancel: CancelToken | None = None
    ) -> SelfTest:
        """Test a source: dimension, speed, and whether related lines score above unrelated ones.

        `key` replaces the stored one. Raises `EmbeddingError` when the server fails, `Cancelled`.
        """
        token = cancel or CancelToken()
        ask = self._asking(profile, token, key)
        token.raise_if_cancelled()
        dimension = len(ask(["memdesk"])[0])
        prefixes = _prefixes(profile)
        space = space_of(profile.base_url, profile.model, dimension, prefixes)
        limits = Limits(profile.batch, profile.max_tokens * CHARS_PER_TOKEN)
        embedder = RemoteEmbedder(space, ask, prefixes, _PLAIN, limits, max_tokens=profile.max_tokens)
        checks, cosines = [], {}
        seconds = 0.0
        for language, pairs in PAIRS.items():
            token.raise_if_cancelled()
            started = time.monotonic()
            queries = embedder.embed_queries([query for query, _ in pairs])
            passages = embedder.embed_passages([passage for _, passage in pairs])
            seconds += time.monotonic() - started
            checks.append(check_language(language, queries, passages))
            cosines[language] = queries @ passages.T
        speed = 2 * sum(len(pairs) for pairs in PAIRS.values()) / max(seconds, 1e-6)
        good = {check.language: cosines[check.language] for check in checks if check.ok}
        weak = [check.language for check in checks if not check.ok]
        if not good:
            problem = "This model does not tell sentences that belong together from others."
            return SelfTest(profile, False, dimension, speed, tuple(checks), problem)
        found = calibration(good)
        tested = profile.model_copy(
            update={
                "dimension": dimension,
                "background": round(found.background, 4),
                "certain": round(found.certain, 4),
                "batch": embedder.limits.texts,
                "weak": weak,
            }
        )
        return SelfTest(tested, True, dimension, speed, tuple(checks))


def _prefixes(profile: EmbedderProfile) -> Prefixes:
    return chosen_prefixes(profile.prefixes, profile.model, profile.query_prefix, profile.passage_prefix)


def _space(profile: EmbedderProfile) -> EmbeddingSpace:
    return space_of(profile.base_url, profile.model, profile.dimension or 1, _prefixes(profile))


def _read_profile(text: str) -> EmbedderProfile | None:
    try:
        values: Any = json.loads(text)
        return EmbedderProfile.model_validate(values)
    except (ValueError, ValidationError):
        return None
