"""Random stories of a chat against a brute-force model: order, versions, branches, undo and memories."""

from __future__ import annotations

import copy
import itertools
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memdesk.chats.model import SwipeState
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, talk, use_embedder

WORDS = st.sampled_from(["the lamp", "a red door", "魔王", "go on", "rain", "the lamp burns"])
PICK = st.integers(0, 10_000)


@dataclass
class Said:
    """A message as a person knows it: `place` orders it, `texts` are its versions by swipe id."""

    id: int
    place: int
    mine: bool
    texts: dict[int, str]
    active: int
    hidden: bool = False

    @property
    def text(self) -> str:
        return self.texts[self.active]


@dataclass
class Told:
    """A chat as a person knows it."""

    messages: list[Said] = field(default_factory=list)

    def add(self, message: Said) -> None:
        self.messages.append(message)
        self.messages.sort(key=lambda item: item.place)

    def find(self, message_id: int) -> Said:
        return next(item for item in self.messages if item.id == message_id)


class Story(RuleBasedStateMachine):
    """Acts on the chats of one workspace, each also done to the model."""

    workspace: Workspace
    embedder: WordEmbedder

    def __init__(self) -> None:
        super().__init__()
        self.places = itertools.count()
        self.root = talk(self.workspace, title=f"Story {id(self)}")
        self.chats: dict[int, Told] = {self.root.id: Told()}
        self.undos: list[tuple[Undo, dict[int, Told]]] = []
        self._grow(self.root.id, ["the lamp", "rain"])

    # ── helpers ──────────────────────────────────────────────────────────────────────────────────────

    def _chat(self, pick: int) -> tuple[int, Told]:
        chat_id = sorted(self.chats)[pick % len(self.chats)]
        return chat_id, self.chats[chat_id]

    def _message(self, pick: int) -> tuple[int, Told, Said] | None:
        chat_id, told = self._chat(pick)
        return (chat_id, told, told.messages[pick // 7 % len(told.messages)]) if told.messages else None

    def _grow(self, chat_id: int, lines: list[str]) -> None:
        names = ("Alex", "Mara")
        new = [
            NewMessage("assistant" if number % 2 else "user", names[number % 2], (line,))
            for number, line in enumerate(lines)
        ]
        for item, message_id in zip(new, self.workspace.messages.add(chat_id, new), strict=True):
            swipe = self.workspace.messages.get(message_id).swipe
            self.chats[chat_id].add(
                Said(message_id, next(self.places), item.role == "user", {swipe.id: swipe.text}, swipe.id)
            )
        # What is new stays when something before it is taken back.
        for _undo, before in self.undos:
            if chat_id in before:
                for said in self.chats[chat_id].messages[-len(lines) :]:
                    before[chat_id].add(copy.deepcopy(said))

    def _did(self, undo: Undo | None, before: dict[int, Told]) -> None:
        if undo is not None:
            self.undos.append((undo, before))

    # ── what a person does ───────────────────────────────────────────────────────────────────────────

    @rule(pick=PICK, mine=WORDS, reply=WORDS)
    def send(self, pick: int, mine: str, reply: str) -> None:
        self._grow(self._chat(pick)[0], [mine, reply])

    @rule(pick=PICK, text=WORDS)
    def another_version(self, pick: int, text: str) -> None:
        found = self._message(pick)
        if found is None or found[2].mine:
            return
        _chat, _told, said = found
        before = self.workspace.messages.get(said.id)
        swipe_id = self.workspace.messages.begin_swipe(said.id, "model")
        self.workspace.messages.finish(swipe_id, text, SwipeState.DONE)
        for _undo, snapshot in self.undos:
            for told in snapshot.values():
                for item in told.messages:
                    if item.id == said.id:
                        item.texts[swipe_id] = text
        said.texts[swipe_id] = text
        snapshot = copy.deepcopy(self.chats)
        said.active = swipe_id
        self._did(self.workspace.acts.chosen_before(before), snapshot)

    @rule(pick=PICK)
    def swipe(self, pick: int) -> None:
        if found := self._message(pick):
            _chat, _told, said = found
            before = copy.deepcopy(self.chats)
            position = pick % len(said.texts)
            said.active = sorted(said.texts)[position]
            self._did(self.workspace.library.choose_swipe(said.id, position), before)

    @rule(pick=PICK, text=WORDS)
    def edit(self, pick: int, text: str) -> None:
        if found := self._message(pick):
            _chat, _told, said = found
            before = copy.deepcopy(self.chats)
            said.texts[said.active] = text
            self._did(self.workspace.library.edit_message(said.id, text), before)

    @rule(pick=PICK, rest=st.booleans())
    def delete(self, pick: int, rest: bool) -> None:
        if found := self._message(pick):
            _chat, told, said = found
            before = copy.deepcopy(self.chats)
            gone = [m for m in told.messages if m is said or (rest and m.place > said.place)]
            told.messages = [m for m in told.messages if m not in gone]
            act: Callable[[], Undo | None] = (
                (lambda: self.workspace.acts.delete_from(said.id))
                if rest
                else (lambda: self.workspace.library.delete_messages([said.id]))
            )
            self._did(act(), before)

    @rule(pick=PICK)
    def delete_version(self, pick: int) -> None:
        found = self._message(pick)
        if found is None or len(found[2].texts) < 2:
            return
        _chat, _told, said = found
        before = copy.deepcopy(self.chats)
        order = sorted(said.texts)
        gone = order[pick % len(order)]
        self._did(self.workspace.acts.delete_version(said.id, gone), before)
        place = order.index(gone)
        order.remove(gone)
        del said.texts[gone]
        if said.active == gone:
            said.active = order[min(place, len(order) - 1)]

    @rule(pick=PICK, count=st.integers(1, 4), hidden=st.booleans())
    def hide(self, pick: int, count: int, hidden: bool) -> None:
        if found := self._message(pick):
            chat_id, told, said = found
            before = copy.deepcopy(self.chats)
            first = told.messages.index(said)
            some = told.messages[first : first + count]
            for item in some:
                item.hidden = hidden
            self._did(
                self.workspace.acts.hide_range(chat_id, first + 1, first + len(some), hidden=hidden), before
            )

    @precondition(lambda self: len(self.chats) < 4)
    @rule(pick=PICK)
    def branch(self, pick: int) -> None:
        if found := self._message(pick):
            _chat, told, said = found
            self.workspace.sync.chunk_stale(CancelToken())
            before = copy.deepcopy(self.chats)
            chat, undo = self.workspace.acts.branch(said.id)
            shared = [item for item in told.messages if item.place <= said.place]
            copies = self.workspace.messages.page(chat.id, 1, 1000)
            assert len(copies) == len(shared)
            branched = Told()
            for item, message in zip(shared, copies, strict=True):
                swipes = self.workspace.messages.swipes(message.id)
                texts = {s.id: item.texts[old] for s, old in zip(swipes, sorted(item.texts), strict=True)}
                active = sorted(texts)[sorted(item.texts).index(item.active)]
                branched.add(Said(message.id, item.place, item.mine, texts, active, item.hidden))
            self.chats[chat.id] = branched
            # All that is remembered came along: nothing is left to be made.
            assert self.workspace.chunks.stale(10, chat.id) == []
            self._did(undo, before)

    @precondition(lambda self: self.undos)
    @rule()
    def undo(self) -> None:
        undo, before = self.undos.pop()
        undo.run()
        self.chats = before

    # ── what must be true after everything ───────────────────────────────────────────────────────────

    @invariant()
    def chats_are_as_told(self) -> None:
        for chat_id, told in self.chats.items():
            messages = self.workspace.messages.page(chat_id, 1, 1000)
            assert [m.number for m in messages] == list(range(1, len(messages) + 1))
            assert [(m.id, m.role == "user", m.text, m.hidden, m.swipe.id) for m in messages] == [
                (m.id, m.mine, m.text, m.hidden, m.active) for m in told.messages
            ]
            for message, said in zip(messages, told.messages, strict=True):
                swipes = self.workspace.messages.swipes(message.id)
                assert [(s.id, s.text) for s in swipes] == sorted(said.texts.items())
                assert (message.swipe_count, swipes[message.swipe_number - 1].id) == (
                    len(swipes),
                    said.active,
                )

    @invariant()
    def memories_are_what_the_chat_says(self) -> None:
        self.workspace.sync.chunk_stale(CancelToken())
        for chat_id, told in self.chats.items():
            chunks = self.workspace.chunks.page(chat_id, 0)
            expected = Counter(f"{'Alex' if m.mine else 'Mara'}: {m.text}" for m in told.messages)
            assert Counter(chunk.text for chunk in chunks) == expected
            sources = {message for chunk in chunks for message in chunk.source_messages}
            assert sources == {m.id for m in told.messages}
        assert self.embedder.passages == []

    def teardown(self) -> None:
        while self.undos:
            self.undo()
            self.chats_are_as_told()
        self.memories_are_what_the_chat_says()


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Story]]:
    embedder = WordEmbedder()
    use_embedder(monkeypatch, lambda _folder: embedder)
    with (
        tempfile.TemporaryDirectory() as folder,
        Workspace(Path(folder) / "data", samples=False, background=False) as opened,
    ):
        Story.workspace, Story.embedder = opened, embedder
        yield Story


def test_every_story_can_be_taken_back_and_memories_follow_it(story: type[Story]) -> None:
    run_state_machine_as_test(
        story,
        settings=settings(
            max_examples=10,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
