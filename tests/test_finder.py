"""Messages are found by words and by meaning, exactly, whatever happens to them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memdesk import finder as module
from memdesk.chats.finding import read_query
from memdesk.chats.model import SwipeState
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, say, sync, talk, use_embedder, wait_until


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


def lines(workspace: Workspace, query: str, **how: Any) -> dict[str, list[str]]:
    """Return the snippets found, by chat title."""
    found = workspace.finder.search(query, **how)
    return {group.title: [hit.snippet for hit in group.hits] for group in found.groups}


def index(workspace: Workspace) -> None:
    workspace.finder.bring_up(CancelToken())


@pytest.mark.parametrize("indexed", [False, True])
def test_all_chats_are_searched(workspace: Workspace, indexed: bool) -> None:
    first = talk(workspace, "The dragon sleeps.", "魔王来了。", "No.", title="First")
    talk(workspace, "Dragons, dragons!", title="Second", name="Tom")
    say(workspace, first.id, "A red dragon.")
    if indexed:
        index(workspace)
    assert lines(workspace, "dragon") == {
        "First": ["A red dragon.", "The dragon sleeps."],
        "Second": ["Dragons, dragons!"],
    }
    assert lines(workspace, "魔王") == {"First": ["魔王来了。"]}
    assert lines(workspace, "red dragon") == {"First": ["A red dragon."]}
    assert lines(workspace, "unicorn") == {}
    found = workspace.finder.search("魔王")
    hit = found.groups[0].hits[0]
    assert (found.total, found.missing, hit.name, hit.role, hit.hidden) == (1, 0, "Mara", "assistant", False)
    assert [hit.snippet[a:b] for a, b in hit.marks] == ["魔王"]
    assert workspace.finder.search(" “ ").blank


def test_only_what_stands_is_found_and_hidden_messages_are_marked(workspace: Workspace) -> None:
    chat = talk(workspace, "one dragon", "two dragons", "three dragons", title="Talk")
    index(workspace)
    library = workspace.library
    first, second, third = (message.id for message in workspace.messages.page(chat.id, 1, 9))
    edited = library.edit_message(first, "one knight")
    gone = library.delete_messages([second])
    with workspace.database.write() as db:
        db.execute("UPDATE messages SET hidden = 1 WHERE id = ?", (third,))
    for _ in range(2):
        assert lines(workspace, "dragon") == {"Talk": ["three dragons"]}
        assert lines(workspace, "knight") == {"Talk": ["one knight"]}
        assert workspace.finder.search("dragon").groups[0].hits[0].hidden
        assert workspace.finder.in_chat(chat.id, "dragon").places == ((third, 2),)
        index(workspace)
    assert edited is not None
    edited.run()
    gone.run()
    for _ in range(2):
        assert workspace.finder.in_chat(chat.id, "dragon").places == ((first, 1), (second, 2), (third, 3))
        index(workspace)
    undo = library.delete_chat(chat.id)
    assert lines(workspace, "dragon") == {}
    assert workspace.finder.in_chat(chat.id, "nothing").places == ()
    undo.run()
    assert workspace.finder.search("dragon").total == 3


def test_the_swipe_that_stands_is_searched(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello", title="Talk")
    (message,) = workspace.messages.add(chat.id, [NewMessage("assistant", "Mara", ("a lion", "a tiger"))])
    index(workspace)
    assert (workspace.finder.search("lion").total, workspace.finder.search("tiger").total) == (1, 0)
    workspace.library.choose_swipe(message, 1)
    for _ in range(2):
        assert (workspace.finder.search("lion").total, workspace.finder.search("tiger").total) == (0, 1)
        index(workspace)


def test_a_reply_is_found_while_it_is_written_and_indexed_at_its_end(workspace: Workspace) -> None:
    chat = talk(workspace, "Hello", title="Talk")
    _message, swipe = workspace.messages.begin_reply(chat.id, "Mara", None, "model")
    workspace.messages.save_partial(swipe, "a half dragon")
    index(workspace)
    assert lines(workspace, "dragon") == {"Talk": ["a half dragon"]}
    workspace.messages.finish(swipe, "a whole lion", SwipeState.DONE)
    assert lines(workspace, "dragon") == {}
    index(workspace)
    assert lines(workspace, "lion") == {"Talk": ["a whole lion"]}


def test_what_is_not_read_yet_is_told_and_a_search_ends_soon(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READ_NOW", 3)
    chat = talk(workspace, *(f"dragon {number}" for number in range(8)), title="Talk")
    found = workspace.finder.search("dragon")
    assert (found.total, found.missing) == (3, 5)
    assert workspace.finder.in_chat(chat.id, "dragon").missing == 5
    index(workspace)
    assert (workspace.finder.search("dragon").total, workspace.finder.search("dragon").missing) == (8, 0)


def test_many_hits_come_page_by_page(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_GROUPS", 2)
    for number in range(3):
        talk(workspace, *(f"dragon {at}" for at in range(30)), title=f"Talk {number}", name=f"N{number}")
    index(workspace)
    found = workspace.finder.search("dragon")
    assert [group.title for group in found.groups] == ["Talk 2", "Talk 1"]
    assert (found.total, found.chats) == (90, 1)
    assert [group.title for group in workspace.finder.search("dragon", skip=2).groups] == ["Talk 0"]
    group = found.groups[0]
    seen = list(group.hits)
    while more := workspace.finder.more("dragon", group.chat_id, len(seen)):
        seen += more
    assert [hit.snippet for hit in seen] == [f"dragon {at}" for at in reversed(range(30))]
    assert len(workspace.finder.in_chat(group.chat_id, "dragon").places) == 30


def test_meaning_finds_messages_that_are_remembered(workspace: Workspace) -> None:
    chat = talk(workspace, "the dragon sleeps in the cave", "bread and butter", title="Talk")
    talk(workspace, "butter on bread", title="Other", name="Tom")
    found = workspace.finder.search("sleeps in the cave", meaning=True)
    assert (found.groups, found.missing) == ((), 0)
    workspace.sync.chunk_stale(CancelToken())
    assert workspace.finder.search("sleeps in the cave", meaning=True).missing == 3
    sync(workspace)
    assert next(iter(lines(workspace, "sleeps in the cave", meaning=True))) == "Talk"
    found = workspace.finder.search("bread and butter", meaning=True)
    assert found.groups[0].hits[0].snippet == "bread and butter"
    assert found.groups[0].hits[0].score == pytest.approx(0.98, abs=0.2)
    places = workspace.finder.in_chat(chat.id, "bread and butter", meaning=True).places
    assert places[0][1] == 2
    workspace.library.delete_messages([places[0][0]])
    assert 2 not in [n for _id, n in workspace.finder.in_chat(chat.id, "bread", meaning=True).places]
    assert workspace.finder.search("", meaning=True).blank


def test_the_background_takes_in_what_changes_and_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path, samples=False, background=False) as workspace:
        chat = talk(workspace, *(f"dragon {number}" for number in range(250)), title="Talk")
        workspace.finder._index_some()
        assert workspace.finder._words.unindexed_count() == 150
    with Workspace(tmp_path, samples=False) as workspace:
        words = workspace.finder._words
        wait_until(lambda: words.unindexed_count() == 0)
        (first,) = workspace.messages.page(chat.id, 1, 1)
        workspace.library.edit_message(first.id, "a knight")
        wait_until(lambda: words.unindexed_count() == 0)
        assert len(words.matches(read_query("knight").expression or "", None)) == 1


def test_searching_while_messages_come_and_go(workspace: Workspace) -> None:
    chat = talk(workspace, "dragon", title="Talk")
    failures: list[BaseException] = []
    end = threading.Event()

    def look() -> None:
        try:
            while not end.is_set():
                assert workspace.finder.search("dragon").total >= 1
                workspace.finder.in_chat(chat.id, "dragon")
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    for number in range(20):
        ids = say(workspace, chat.id, f"dragon {number}", "word")
        index(workspace)
        workspace.library.delete_messages(ids[1:])
    end.set()
    thread.join()
    assert not failures
    assert workspace.finder.search("dragon").total == 21


class Searching(RuleBasedStateMachine):
    """Whatever is done in whatever order, a search finds exactly the messages that stand."""

    words = st.sampled_from(["dragon", "the Dragons", "魔王来了", "door", "dragon door", ""])

    def __init__(self) -> None:
        super().__init__()
        self.workspace = WORKSPACE[0]
        self.chat = talk(self.workspace, "dragon", title="T")
        self.undos: list[Any] = []

    def messages(self) -> list[Any]:
        return self.workspace.messages.page(self.chat.id, 1, 99)

    @rule(text=words)
    def add(self, text: str) -> None:
        say(self.workspace, self.chat.id, text)

    @precondition(lambda self: self.messages())
    @rule(text=words, data=st.data())
    def edit(self, text: str, data: st.DataObject) -> None:
        undo = self.workspace.library.edit_message(data.draw(st.sampled_from(self.messages())).id, text)
        self.undos += [undo] if undo else []

    @precondition(lambda self: self.messages())
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        found = data.draw(st.sampled_from(self.messages()))
        self.undos.append(self.workspace.library.delete_messages([found.id]))

    @precondition(lambda self: self.undos)
    @rule()
    def undo(self) -> None:
        self.undos.pop().run()

    @rule()
    def index(self) -> None:
        self.workspace.finder._index_some()

    @invariant()
    def found_is_what_stands(self) -> None:
        for query in ("dragon", "魔王", "dragon door"):
            wanted = read_query(query)
            standing = tuple((m.id, m.number) for m in self.messages() if wanted.matches(m.text))
            assert self.workspace.finder.in_chat(self.chat.id, query).places == standing


WORKSPACE: list[Workspace] = []


def test_any_sequence_of_acts_keeps_the_search_exact(workspace: Workspace) -> None:

    WORKSPACE[:] = [workspace]
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Searching, settings=settings(max_examples=15, stateful_step_count=12, deadline=None)
    )
