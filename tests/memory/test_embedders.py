"""Embedding servers: found limits, checked answers, prefixes, the self-test, and who counts for a chat."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memdesk.embedding.base import Embedder, EmbeddingError
from memdesk.embedding.prefixes import prefixes_for
from memdesk.embedding.remote import RemoteEmbedder
from memdesk.llm.embedder_profile import EmbedderProfile
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.embedders import Embedders
from memdesk.settings import Settings
from memdesk.store.database import Database
from memdesk.store.spaces import SpaceStore
from memdesk.work.cancel import Cancelled, CancelToken
from tests.support.embedding import DIMENSION, by_words, english_only, nonsense, sensible, source
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import WordEmbedder


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    before = set(threading.enumerate())
    with FakeLLM(embeddings=by_words) as fake:
        yield fake
    assert set(threading.enumerate()) <= before


class Place:
    """Embedders with settings and keys that a test can change."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings()
        self.keys: dict[str, str] = {}
        self.database = Database(folder / "memdesk.db")
        self.spaces = SpaceStore(self.database)
        self.embedders = self.opened()

    def opened(self) -> Embedders:
        return Embedders(
            bundled=WordEmbedder(),
            spaces=self.spaces,
            settings=lambda: self.settings,
            key=self.keys.get,
        )

    def use(self, *profiles: EmbedderProfile) -> Embedder:
        self.settings = Settings(embedders=list(profiles), embedder=profiles[0].id)
        return self.embedders.chosen()


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.database.close()


def remote(embedder: Embedder) -> RemoteEmbedder:
    assert isinstance(embedder, RemoteEmbedder)
    return embedder


# ── asking ───────────────────────────────────────────────────────────────────────────────────────────────


def test_vectors_are_unit_vectors_in_the_order_of_the_texts(server: FakeLLM, place: Place) -> None:
    embedder = place.use(source(server, batch=3))
    texts = ["one two", "three", "four five six", "seven", "一 二"]
    vectors = embedder.embed_passages(texts)
    assert vectors.shape == (5, DIMENSION)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        wanted = np.array(by_words(text))
        assert np.allclose(vector, wanted / np.linalg.norm(wanted), atol=1e-5)
    assert [len(request.body["input"]) for request in server.embedding_requests] == [3, 2]
    assert embedder.embed_passages([]).shape == (0, DIMENSION)


def test_queries_and_passages_are_introduced_as_the_model_was_trained(server: FakeLLM, place: Place) -> None:
    embedder = place.use(source(server, model="intfloat/multilingual-e5-large"))
    embedder.embed_passages(["a line"])
    embedder.embed_query("a question")
    embedder.embed_query("a question")
    assert server.embedded == ["passage: a line", "query: a question"]
    own = place.use(source(server, prefixes="custom", query_prefix="Q ", passage_prefix="P "))
    own.embed_passages(["line"])
    own.embed_query("question")
    assert server.embedded[2:] == ["P line", "Q question"]


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("intfloat/multilingual-e5-small", "e5"),
        ("e5-large-v2", "e5"),
        ("multilingual-e5-large-instruct", "instruct"),
        ("Qwen3-Embedding-0.6B", "instruct"),
        ("nomic-embed-text:latest", "nomic"),
        ("snowflake-arctic-embed2", "arctic2"),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "arctic2"),
        ("snowflake-arctic-embed:33m", "search"),
        ("BAAI/bge-small-en-v1.5", "search"),
        ("bge-large-zh-v1.5", "bge-zh"),
        ("bge-m3", "none"),
        ("text-embedding-3-small", "none"),
        ("embeddinggemma-300m", "gemma"),
        ("type5-model", "none"),
        ("", "none"),
    ],
)
def test_prefixes_follow_the_name_of_the_model(model: str, profile: str) -> None:
    assert prefixes_for(model).name == profile


@pytest.mark.parametrize("limit", [1, 4, 5])
def test_the_most_texts_at_once_are_found_and_remembered(server: FakeLLM, place: Place, limit: int) -> None:
    server.embedding_fault = Fault(texts_limit=limit)
    embedder = remote(place.use(source(server, batch=16)))
    texts = [f"text {number}" for number in range(20)]
    vectors = embedder.embed_passages(texts)
    wanted = np.array([by_words(text) for text in texts])
    assert np.allclose(vectors, wanted / np.linalg.norm(wanted, axis=1, keepdims=True), atol=1e-5)
    found = embedder.limits.texts
    assert 1 <= found <= limit
    server.requests.clear()
    embedder.embed_passages(texts)
    assert max(len(request.body["input"]) for request in server.embedding_requests) == found
    # Also after a restart nothing is tried again.
    again = remote(place.opened().chosen())
    assert again.limits.texts == found


def test_the_longest_text_is_found_and_remembered(server: FakeLLM, place: Place) -> None:
    server.embedding_fault = Fault(chars_limit=600)
    embedder = remote(place.use(source(server, max_tokens=2000)))
    vectors = embedder.embed_passages(["short", "long word " * 400, "short again"])
    assert np.isfinite(vectors).all()
    assert 200 <= embedder.limits.chars <= 600
    server.requests.clear()
    embedder.embed_passages(["another long one " * 400])
    assert len(server.embedding_requests) == 1


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(status=401), "API key"),
        (Fault(status=404), "no embedding service"),
        (Fault(status=429), "no more requests"),
        (Fault(status=500), "failed (500)"),
        (Fault(status=400, body="nope"), "did not accept"),
        (Fault(html=True), "not an OpenAI-compatible server"),
        (Fault(fewer_vectors=True), "cannot be used"),
        (Fault(not_a_number=True), "cannot be used"),
        (Fault(dimension=7), "7 numbers"),
        (Fault(cut_after=0), "connection broke"),
        (Fault(texts_limit=0), "did not accept"),
    ],
)
def test_a_server_that_fails_is_reported_and_nothing_of_it_is_used(
    server: FakeLLM, place: Place, fault: Fault, words: str
) -> None:
    embedder = place.use(source(server))
    server.embedding_fault = fault
    with pytest.raises(EmbeddingError) as raised:
        embedder.embed_passages(["one", "two"])
    assert words in str(raised.value)
    server.embedding_fault = None
    assert embedder.embed_passages(["one", "two"]).shape == (2, DIMENSION)


def test_a_server_that_is_silent_or_gone_is_reported(server: FakeLLM, place: Place) -> None:
    server.embedding_fault = Fault(silent=True)
    with pytest.raises(EmbeddingError, match="sent nothing"):
        place.use(source(server, timeout_seconds=0.2)).embed_query("one")
    with pytest.raises(EmbeddingError, match="Nothing listens"):
        place.use(source(server, base_url="http://127.0.0.1:9/v1")).embed_query("one")


def test_keys_are_sent_and_never_told(server: FakeLLM, place: Place) -> None:
    profile = source(server)
    server.api_key = "sk-secret-words"
    embedder = place.use(profile)
    with pytest.raises(EmbeddingError):
        embedder.embed_query("one")
    place.keys[profile.id] = "sk-wrong-key"
    with pytest.raises(EmbeddingError) as raised:
        embedder.embed_query("one")
    assert "sk-" not in str(raised.value)
    place.keys[profile.id] = "sk-secret-words"
    assert embedder.embed_query("one").shape == (DIMENSION,)


def test_the_key_of_a_connection_with_the_same_address_is_lent(server: FakeLLM, place: Place) -> None:
    server.api_key = "sk-lent"
    connection = ConnectionProfile(name="Server", base_url=server.base_url)
    place.keys[connection.id] = "sk-lent"
    place.use(source(server))
    place.settings = place.settings.model_copy(update={"connections": [connection]})
    assert place.embedders.chosen().embed_query("one").shape == (DIMENSION,)


# ── the self-test ────────────────────────────────────────────────────────────────────────────────────────


def test_the_self_test_finds_dimension_speed_and_sense(server: FakeLLM, place: Place) -> None:
    server.embeddings = lambda text: list(sensible(text))
    server.embedding_fault = Fault(texts_limit=8)
    found = place.embedders.try_out(source(server, dimension=None, background=None, certain=None))
    assert found.ok
    assert found.dimension == found.profile.dimension == 384
    assert found.texts_per_second > 0
    assert {check.language: check.ok for check in found.checks} == {"en": True, "zh": True}
    assert found.profile.tested
    assert found.profile.batch <= 8
    assert found.profile.weak == []


def test_a_model_of_one_language_is_taken_and_its_weakness_told(server: FakeLLM, place: Place) -> None:
    server.embeddings = lambda text: list(english_only(text))
    found = place.embedders.try_out(source(server, dimension=None))
    assert found.ok
    assert found.profile.weak == ["zh"]


def test_a_model_without_sense_is_not_taken(server: FakeLLM, place: Place) -> None:
    server.embeddings = lambda text: list(nonsense(text))
    profile = source(server, dimension=None)
    found = place.embedders.try_out(profile)
    assert not found.ok
    assert "does not tell" in found.problem
    assert not found.profile.tested


def test_a_self_test_can_be_stopped(server: FakeLLM, place: Place) -> None:
    server.embedding_fault = Fault(silent=True)
    cancel = CancelToken()
    threading.Timer(0.2, cancel.cancel).start()
    with pytest.raises(Cancelled):
        place.embedders.try_out(source(server, timeout_seconds=30), cancel=cancel)


@pytest.mark.parametrize("squeeze", [0.0, 0.5, 0.9])
def test_the_threshold_means_the_same_for_every_model(server: FakeLLM, place: Place, squeeze: float) -> None:
    """A model whose cosines all lie near 1 lets no more through at 0.25 than one with the whole range."""

    def squeezed(text: str) -> list[float]:
        wide = float(np.sqrt(squeeze / (1 - squeeze)))
        return [*sensible(text), wide]

    server.embeddings = squeezed
    tested = place.embedders.try_out(source(server, dimension=None)).profile
    embedder = remote(place.use(tested))
    lines = [f"{who} {what} {where}." for who in ("The smith", "A crow", "My aunt")
             for what in ("sang loudly", "sold bread", "fell asleep", "told lies")
             for where in ("by the river", "in the tower", "at noon")]  # fmt: skip
    passages = embedder.embed_passages(lines)
    query = embedder.embed_query("What is the name of your cat?")
    unrelated = embedder.calibrate(passages @ query, float(np.median(passages @ query)))
    assert float(np.mean(unrelated < 0.25)) >= 0.8
    related = embedder.embed_passages(["The tabby on my windowsill answers to Biscuit, my cat."]) @ query
    assert embedder.calibrate(related, float(np.median(passages @ query)))[0] > 0.4


# ── who counts ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_chat_then_its_connection_then_the_default_then_the_bundled_one(
    server: FakeLLM, place: Place
) -> None:
    mine, theirs, default = (source(server, name=name, model=name) for name in ("mine", "theirs", "default"))
    everything = [mine, theirs, default]
    connection = ConnectionProfile(name="C", base_url=server.base_url, embedder=theirs.id)

    def settings(connection_choice: str, default_choice: str) -> Settings:
        profile = connection.model_copy(update={"embedder": connection_choice})
        return Settings(
            connections=[profile], connection=profile.id, embedders=everything, embedder=default_choice
        )

    model: Callable[[str], str] = lambda choice: place.embedders.chosen(choice).space.model  # noqa: E731
    place.settings = settings(theirs.id, default.id)
    assert model(mine.id) == "mine"
    assert model("") == "theirs"
    assert model("bundled") == "words"
    place.settings = settings("", default.id)
    assert model("") == "default"
    # A chat with a connection of its own goes by that one.
    own = connection.model_copy(update={"id": "a" * 32, "embedder": mine.id})
    more = place.settings.model_copy(update={"connections": [*place.settings.connections, own]})
    place.settings = more
    assert model(f"connection:{own.id}") == "mine"
    assert model(f"connection:{'b' * 32}") == "default"
    place.settings = settings("bundled", default.id)
    assert model("") == "words"
    place.settings = settings("", "bundled")
    assert model("") == "words"


def test_a_source_that_is_gone_is_reported_and_never_replaced(server: FakeLLM, place: Place) -> None:
    place.use(source(server))
    gone = place.embedders.chosen("f" * 32)
    assert not gone.available()
    with pytest.raises(EmbeddingError, match="not there any more"):
        gone.embed_passages(["one"])


def test_what_changes_the_vectors_changes_the_space(server: FakeLLM, place: Place) -> None:
    one = source(server)
    others = [
        one.model_copy(update={"model": "other"}),
        one.model_copy(update={"dimension": 96}),
        one.model_copy(update={"prefixes": "e5"}),
        one.model_copy(update={"base_url": "http://127.0.0.1:1/v1"}),
    ]
    spaces = {place.use(profile).space.id for profile in (one, *others)}
    assert len(spaces) == 5
    same = one.model_copy(update={"name": "Renamed", "batch": 4, "timeout_seconds": 5.0})
    assert place.use(same).space == place.use(one).space
    odd = place.use(one.model_copy(update={"model": "模型/Ünïcode ✓ " * 20}))
    assert odd.space.id.isascii()
