"""Another embedder takes over: the old vectors serve until all new ones are there, and never both."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from memdesk.embedding.base import EmbeddingError
from memdesk.llm.embedder_profile import EmbedderProfile
from memdesk.llm.profile import ConnectionProfile
from memdesk.memory.recall.search import owner
from memdesk.prompt.parts import Contribution
from memdesk.work.cancel import Cancelled, CancelToken
from memdesk.workspace import Workspace
from tests.support.embedding import by_words, source
from tests.support.fake_llm import FakeLLM, Fault
from tests.support.workspaces import WordEmbedder, say, sync, talk, wait_until

QUERY = "The blue key opens the door number 13."
LINES = [f"The {name} key opens the door number {n}." for n, name in enumerate(["red", "blue", "old"] * 12)]


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with FakeLLM(embeddings=by_words) as fake:
        yield fake


def use(workspace: Workspace, *profiles: EmbedderProfile, default: str | None = None) -> None:
    chosen = default if default is not None else profiles[0].id
    settings = workspace.settings.model_copy(update={"embedders": list(profiles), "embedder": chosen})
    workspace.change_settings(settings)


def served(workspace: Workspace, chat_id: int) -> str:
    return workspace.spaces.serving(chat_id).space.id


def recall(workspace: Workspace, chat_id: int, text: str) -> Contribution:
    found = workspace.conversation.recall(chat_id, text, 5)
    return next(contribution for contribution in found if contribution.layer == "recall")


def dense(found: Contribution) -> list[float]:
    return [part.scores.get("meaning", 0.0) for part in found.parts]


def some(workspace: Workspace, chat_id: int, count: int) -> None:
    """Embed only so many by the new embedder."""
    cancel = CancelToken()

    def progress(done: int, _total: int) -> None:
        if done >= count:
            cancel.cancel()

    with pytest.raises(Cancelled):
        workspace.sync.sync([chat_id], progress, cancel)


def test_the_old_space_serves_until_the_new_one_is_complete(
    workspace: Workspace, server: FakeLLM, embedder: WordEmbedder
) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace)
    old = served(workspace, chat)
    assert old == "words-64"
    use(workspace, source(server, batch=4))
    assert served(workspace, chat) == old
    some(workspace, chat, 8)
    assert served(workspace, chat) == old
    change = workspace.sync.change()
    assert change is not None
    assert (change.name, change.model) == ("Home server", "words")
    assert 0 < change.done < change.total == len(LINES)
    found = recall(workspace, chat, QUERY)
    assert not found.warning
    assert max(dense(found)) > 0.7
    assert QUERY not in server.embedded, "queries go to the old embedder only"
    assert workspace.sync.counts(chat)[chat][:2] == (len(LINES), len(LINES))
    sync(workspace)
    new = served(workspace, chat)
    assert new != old
    assert workspace.sync.change() is None
    asked = len(server.embedded)
    assert max(dense(recall(workspace, chat, QUERY))) > 0.7
    assert server.embedded[asked:] == [QUERY]
    assert workspace.index.owners() == {owner(chat): {new}}
    # Nothing was embedded twice, and changing back costs nothing as long as the old vectors are there.
    passages = len(embedder.passages)
    use(workspace, source(server), default="bundled")
    sync(workspace)
    assert served(workspace, chat) == old
    assert len(embedder.passages) == passages
    assert workspace.index.owners() == {owner(chat): {old}}


def test_memories_that_come_meanwhile_are_found_by_meaning_too(
    workspace: Workspace, server: FakeLLM, embedder: WordEmbedder
) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace)
    use(workspace, source(server, batch=4))
    server.embedding_fault = Fault(status=503)
    with pytest.raises(EmbeddingError):
        sync(workspace)
    say(workspace, chat, "A silver spoon lies under the carpet.")
    with pytest.raises(EmbeddingError):
        sync(workspace)
    assert "Alex: A silver spoon lies under the carpet." in embedder.passages
    assert served(workspace, chat) == "words-64"
    found = recall(workspace, chat, "a silver spoon lies under the carpet.")
    (spoon,) = (part for part in found.parts if "spoon" in part.text)
    assert spoon.scores["meaning"] > 0.5
    server.embedding_fault = None
    sync(workspace)
    assert served(workspace, chat) != "words-64"


def test_without_the_old_embedder_recall_goes_by_words_and_says_so(
    workspace: Workspace, server: FakeLLM
) -> None:
    first, second = source(server, model="first"), source(server, model="second", name="Second")
    use(workspace, first)
    chat = talk(workspace, *LINES).id
    sync(workspace)
    use(workspace, first, second, default=second.id)
    server.embedding_fault = Fault(status=503)
    found = recall(workspace, chat, "the blue key")
    assert "by words only" in found.warning
    assert "503" in found.warning
    assert any("blue" in part.text for part in found.parts)
    assert set(dense(found)) == {0.0}
    server.embedding_fault = None
    # Even a source that was deleted can be asked as long as its vectors serve: how is kept with them.
    use(workspace, second, default=second.id)
    assert max(dense(recall(workspace, chat, QUERY))) > 0.7


def test_chats_have_their_own_embedders(
    workspace: Workspace, server: FakeLLM, embedder: WordEmbedder
) -> None:
    mine = source(server)
    use(workspace, mine, default="bundled")
    one, two = talk(workspace, *LINES).id, talk(workspace, *LINES, title="Other").id
    settings = workspace.chats.get(one).settings
    workspace.chats.set_settings(one, {**settings, "recall": {"embedder": mine.id}})
    sync(workspace)
    assert served(workspace, one) != served(workspace, two) == "words-64"
    assert len(server.embedded) == len(embedder.passages) == len(LINES)
    assert workspace.sync.counts() == {
        one: workspace.sync.counts(one)[one],
        two: workspace.sync.counts(two)[two],
    }
    assert {counts[:2] for counts in workspace.sync.counts().values()} == {(len(LINES), len(LINES))}
    for chat in (one, two):
        assert max(dense(recall(workspace, chat, QUERY))) > 0.7


def test_a_chat_with_its_own_connection_goes_by_that_one(workspace: Workspace, server: FakeLLM) -> None:
    mine = source(server)
    connection = ConnectionProfile(name="Own", base_url=server.base_url, embedder=mine.id)
    changes = {"embedders": [mine], "connections": [connection]}
    workspace.change_settings(workspace.settings.model_copy(update=changes))
    chat = talk(workspace, *LINES[:4]).id
    workspace.chats.set_settings(chat, {"connection": connection.id})
    sync(workspace)
    assert served(workspace, chat) == workspace.spaces.target(chat).space.id != "words-64"


def test_a_change_goes_on_after_a_kill_and_with_a_server_that_was_away(
    tmp_path: Path, server: FakeLLM, embedder: WordEmbedder
) -> None:
    folder = tmp_path / "data"
    with Workspace(folder, samples=False, background=False) as workspace:
        chat = talk(workspace, *LINES).id
        sync(workspace)
        use(workspace, source(server, batch=4))
        some(workspace, chat, 12)
    before = server.embedded
    server.embedding_fault = Fault(status=500)
    with Workspace(folder, samples=False) as workspace:
        wait_until(lambda: workspace.sync.failure)
        assert served(workspace, chat) == "words-64"
        server.embedding_fault = None
        workspace.sync.queue()
        wait_until(lambda: served(workspace, chat) != "words-64")
        assert workspace.sync.failure == ""
    assert len(before) >= 12
    assert not set(server.embedded[len(before) :]) & set(before), "what was done is not done again"
    assert len(embedder.passages) == len(LINES)


def test_vectors_of_an_embedder_that_was_left_go_later(workspace: Workspace, server: FakeLLM) -> None:
    chat = talk(workspace, *LINES).id
    sync(workspace)
    use(workspace, source(server))
    sync(workspace)
    old = workspace.vectors.space_id("words-64", 64)
    assert workspace.chunks.counts(old, chat)[chat][1] == len(LINES)
    assert workspace.spaces.drop_left() == 0, "they stay for two weeks"
    assert workspace.space_store.drop_left(timedelta(0), keep=[old]) == 0
    assert workspace.space_store.drop_left(timedelta(0)) == len(LINES)
    assert workspace.chunks.counts(old, chat)[chat][1] == 0
    assert workspace.sync.counts(chat)[chat][1] == len(LINES)
