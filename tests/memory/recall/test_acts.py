"""What a person does to memories holds against every automatic step, and can be taken back exactly."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memdesk.chats.changes import Change, ChangeKind
from memdesk.memory.recall.acts import SourceState
from memdesk.prompt.parts import Contribution
from memdesk.store.chunks import Chunk
from memdesk.store.errors import StoreError
from memdesk.work.cancel import CancelToken
from memdesk.work.undo import Undo
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, say, sync, talk

LAMP = "The lamp failed in the winter of the great storm."
BIRTHDAY = "My birthday is the fifteenth of March."


@pytest.fixture
def chat_id(workspace: Workspace) -> int:
    chat = talk(workspace, BIRTHDAY, LAMP, "Let us repair it.", "We shall see about that.")
    sync(workspace)
    return chat.id


def chunks(workspace: Workspace, chat_id: int) -> list[Chunk]:
    return sorted(workspace.chunks.page(chat_id, workspace.sync.space_id), key=lambda chunk: chunk.id)


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return [chunk.text for chunk in chunks(workspace, chat_id)]


def of(workspace: Workspace, chat_id: int, text: str) -> Chunk:
    (found,) = [chunk for chunk in chunks(workspace, chat_id) if text in chunk.text]
    return found


def tried(workspace: Workspace, chat_id: int, *asked: Any) -> Contribution:
    found = workspace.conversation.recall(chat_id, *asked)
    return next(contribution for contribution in found if contribution.layer == "recall")


def found_first(workspace: Workspace, chat_id: int, query: str) -> str:
    best = max(tried(workspace, chat_id, query).parts, key=lambda part: part.score or 0.0)
    return best.text


def everything(workspace: Workspace) -> dict[str, list[tuple[Any, ...]]]:
    """Return all that is stored about memories, but for what is only still to be looked at."""
    tables = ("memory_chunks", "chunk_sources", "chunk_recalls", "forgotten_chunks", "forgotten_sources")
    with closing(sqlite3.connect(workspace.database.path)) as db:
        found = {table: sorted(db.execute(f"SELECT * FROM {table}").fetchall()) for table in tables}
        found["words"] = sorted(db.execute("SELECT rowid, chat, words FROM chunk_words").fetchall())
        revisions = "SELECT kind, item_id, before, actor, at FROM revisions ORDER BY item_id, id"
        found["revisions"] = db.execute(revisions).fetchall()
        found["trash"] = db.execute("SELECT kind, label FROM trash").fetchall()
    return found


# ── editing ──────────────────────────────────────────────────────────────────────────────────────────


def test_an_edited_memory_is_found_by_its_new_words_and_embedded_again(
    workspace: Workspace, chat_id: int, embedder: WordEmbedder
) -> None:
    chunk = of(workspace, chat_id, LAMP)
    undo = workspace.memories.edit(chunk.id, "Mara: The lighthouse burned down.")
    assert undo is not None
    edited = of(workspace, chat_id, "lighthouse")
    assert (edited.id, edited.edited, edited.has_vector) == (chunk.id, True, False)
    assert edited.tokens == workspace.count(edited.text)
    assert found_first(workspace, chat_id, "lighthouse") == edited.text
    assert workspace.chunks.search_words(chat_id, "lamp", 5) == []
    # The speaker before a memory is no word of it.
    assert workspace.chunks.search_words(chat_id, "mara", 5) == []
    embedder.passages.clear()
    sync(workspace)
    assert embedder.passages == ["Mara: The lighthouse burned down."]
    assert of(workspace, chat_id, "lighthouse").has_vector
    assert workspace.memories.original(chunk.id) == f"Mara: {LAMP}"
    undo.run()
    assert of(workspace, chat_id, LAMP) == chunk
    assert len(workspace.chunks.search_words(chat_id, "lamp", 5)) == 1


def test_reverting_brings_the_first_text_back_and_clears_the_mark(workspace: Workspace, chat_id: int) -> None:
    chunk = of(workspace, chat_id, LAMP)
    workspace.memories.edit(chunk.id, "one")
    workspace.memories.edit(chunk.id, "two")
    assert workspace.memories.original(chunk.id) == chunk.text
    undo = workspace.memories.revert(chunk.id)
    assert of(workspace, chat_id, LAMP) == chunk
    assert workspace.memories.revert(chunk.id) is None
    assert undo is not None
    undo.run()
    assert of(workspace, chat_id, "two").edited
    # Writing the original by hand is reverting, too.
    workspace.memories.edit(chunk.id, f"  {chunk.text}\r\n")
    assert not of(workspace, chat_id, LAMP).edited


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00"])
def test_a_memory_without_text_is_refused(workspace: Workspace, chat_id: int, text: str) -> None:
    before = everything(workspace)
    with pytest.raises(StoreError) as caught:
        workspace.memories.edit(of(workspace, chat_id, LAMP).id, text)
    assert caught.value.code == "blank_memory"
    with pytest.raises(StoreError):
        workspace.memories.add_note(chat_id, text)
    assert everything(workspace) == before


def test_an_act_on_a_memory_that_is_gone_changes_nothing(workspace: Workspace, chat_id: int) -> None:
    before = everything(workspace)
    there = of(workspace, chat_id, LAMP).id
    acts = workspace.memories
    for act in (
        lambda: acts.edit(987, "text"),
        lambda: acts.freeze([there, 987], value=True),
        lambda: acts.forget([there, 987]),
        lambda: acts.original(987),
    ):
        with pytest.raises(StoreError) as caught:
            act()
        assert caught.value.code == "not_found"
    assert everything(workspace) == before


def test_every_act_and_its_undo_is_announced(workspace: Workspace, chat_id: int) -> None:
    heard: list[Change] = []
    workspace.bus.subscribe(heard.append)
    acts, chunk = workspace.memories, of(workspace, chat_id, LAMP)
    undos = [
        acts.edit(chunk.id, "x"),
        acts.freeze([chunk.id], value=True),
        acts.pin([chunk.id], value=True),
        acts.enable([chunk.id], value=False),
        acts.add_note(chat_id, "A note"),
        acts.forget([chunk.id]),
    ]
    assert heard == [Change(ChangeKind.MEMORIES_CHANGED, chat_id)] * 6
    for undo in reversed(undos):
        assert undo is not None
        undo.run()
    assert heard == [Change(ChangeKind.MEMORIES_CHANGED, chat_id)] * 12
    assert acts.freeze([chunk.id], value=False) is None
    assert len(heard) == 12


# ── what is kept ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", ["frozen", "edited"])
def test_what_a_person_keeps_outlives_its_message_and_says_so(
    workspace: Workspace, chat_id: int, how: str
) -> None:
    chunk = of(workspace, chat_id, LAMP)
    (message,) = chunk.source_messages
    acts = workspace.memories
    undo = acts.freeze([chunk.id], value=True) if how == "frozen" else acts.edit(chunk.id, "Mara: my words")
    assert undo is not None
    kept = workspace.chunks.get_many([chunk.id], workspace.sync.space_id)[chunk.id].text
    assert acts.sources(chat_id) == {}
    workspace.library.edit_message(message, "Something else altogether.")
    sync(workspace)
    assert kept in texts(workspace, chat_id)
    assert "Mara: Something else altogether." in texts(workspace, chat_id)
    assert acts.sources(chat_id) == {chunk.id: SourceState.CHANGED}
    workspace.library.delete_messages([message])
    sync(workspace)
    assert kept in texts(workspace, chat_id)
    assert acts.sources(chat_id) == {chunk.id: SourceState.GONE}
    # Only the person who kept it lets go of it; then the chat is what its messages say.
    undo.run()
    sync(workspace)
    assert chunk.id not in [item.id for item in chunks(workspace, chat_id)]


def test_another_way_of_cutting_is_no_change_of_the_source(workspace: Workspace, chat_id: int) -> None:
    chunk = of(workspace, chat_id, LAMP)
    workspace.memories.freeze([chunk.id], value=True)
    workspace.memories.set_settings(chat_id, chunk_chars=40)
    sync(workspace)
    assert workspace.memories.sources(chat_id) == {}


def test_unfreezing_can_be_taken_back_even_when_the_memory_went_with_it(
    workspace: Workspace, chat_id: int
) -> None:
    chunk = of(workspace, chat_id, LAMP)
    workspace.memories.freeze([chunk.id], value=True)
    workspace.library.delete_messages(chunk.source_messages)
    sync(workspace)
    before = everything(workspace)
    undo = workspace.memories.freeze([chunk.id], value=False)
    sync(workspace)
    assert LAMP not in " ".join(texts(workspace, chat_id))
    assert undo is not None
    undo.run()
    sync(workspace)
    assert everything(workspace) == before


def test_a_memory_that_is_off_stays_off_when_memories_are_rebuilt(workspace: Workspace, chat_id: int) -> None:
    long = "First part of it. " * 30 + "Second part of it. " * 30
    say(workspace, chat_id, long)
    sync(workspace)
    pieces = [chunk for chunk in chunks(workspace, chat_id) if "part of it" in chunk.text]
    assert len(pieces) > 1
    workspace.memories.enable([pieces[0].id], value=False)
    workspace.upkeep.rebuild(chat_id)
    sync(workspace)
    again = [chunk for chunk in chunks(workspace, chat_id) if "part of it" in chunk.text]
    assert sorted(chunk.text for chunk in again) == sorted(chunk.text for chunk in pieces)
    assert [chunk.id for chunk in again if not chunk.enabled] == [pieces[0].id]


# ── forgetting ───────────────────────────────────────────────────────────────────────────────────────


def test_what_is_forgotten_stays_forgotten_until_a_rebuild(workspace: Workspace, chat_id: int) -> None:
    chunk = of(workspace, chat_id, LAMP)
    undo = workspace.memories.forget([chunk.id])
    assert undo is not None
    assert workspace.chunks.search_words(chat_id, "lamp", 5) == []
    sync(workspace)
    workspace.sync.chunk_chat(chat_id, CancelToken())
    assert LAMP not in " ".join(texts(workspace, chat_id))
    assert LAMP not in found_first(workspace, chat_id, "lamp failed winter storm")
    workspace.upkeep.rebuild(chat_id)
    sync(workspace)
    again = of(workspace, chat_id, LAMP)
    assert again.id != chunk.id
    # Taking the forgetting back now brings the old one, not a second one.
    undo.run()
    sync(workspace)
    assert of(workspace, chat_id, LAMP) == chunk


def test_a_forgotten_memory_comes_back_when_its_message_says_something_new(
    workspace: Workspace, chat_id: int
) -> None:
    chunk = of(workspace, chat_id, LAMP)
    (message,) = chunk.source_messages
    undo = workspace.memories.forget([chunk.id])
    assert undo is not None
    workspace.library.edit_message(message, "The lamp was mended.")
    sync(workspace)
    assert of(workspace, chat_id, "mended").source_messages == (message,)
    undo.run()
    sync(workspace)
    assert [text for text in texts(workspace, chat_id) if "lamp" in text] == ["Mara: The lamp was mended."]


def test_one_forgotten_piece_of_a_message_leaves_the_others(workspace: Workspace, chat_id: int) -> None:
    say(workspace, chat_id, "First part of it. " * 30 + "Second part of it. " * 30)
    sync(workspace)
    pieces = [chunk for chunk in chunks(workspace, chat_id) if "part of it" in chunk.text]
    workspace.memories.forget([pieces[0].id])
    for piece in pieces[1:]:
        workspace.memories.freeze([piece.id], value=True)
    workspace.sync.chunk_chat(chat_id, CancelToken())
    left = [chunk.id for chunk in chunks(workspace, chat_id) if "part of it" in chunk.text]
    assert left == [piece.id for piece in pieces[1:]]


def test_forgotten_memories_come_back_from_the_trash_with_all_that_hung_on_them(
    workspace: Workspace, chat_id: int
) -> None:
    lamp, birthday = of(workspace, chat_id, LAMP), of(workspace, chat_id, BIRTHDAY)
    acts = workspace.memories
    acts.edit(lamp.id, "Mara: A lamp, 灯")
    acts.pin([birthday.id], value=True)
    before = everything(workspace)
    acts.forget([lamp.id, birthday.id])
    (entry,) = workspace.trash.all()
    assert (entry.kind, entry.chat_id, entry.label) == ("memories", chat_id, "Mara: A lamp, 灯 (+1)")
    workspace.library.restore(entry.id)
    assert everything(workspace) == before
    assert acts.original(lamp.id) == lamp.text


def test_nothing_of_a_forgotten_memory_is_left_when_the_trash_is_emptied(
    workspace: Workspace, chat_id: int
) -> None:
    note = workspace.memories
    note.add_note(chat_id, "secretword")
    chunk = of(workspace, chat_id, "secretword")
    note.edit(chunk.id, "secretword, changed")
    note.forget([chunk.id])
    workspace.trash.purge(timedelta(seconds=-1))
    assert "secretword" not in repr(everything(workspace))


def test_a_note_is_kept_by_a_rebuild_and_found_like_every_memory(workspace: Workspace, chat_id: int) -> None:
    before = everything(workspace)
    undo = workspace.memories.add_note(chat_id, "  Mara fears the sea. ")
    workspace.upkeep.rebuild(chat_id)
    sync(workspace)
    note = of(workspace, chat_id, "fears the sea")
    assert (note.text, note.origin, note.source_messages, note.speakers) == (
        "Mara fears the sea.", "note", (), (),
    )  # fmt: skip
    assert note.has_vector
    assert workspace.memories.sources(chat_id) == {}
    contribution = tried(workspace, chat_id, "who fears the sea")
    assert note.text in contribution.text
    undo.run()
    assert len(everything(workspace)["memory_chunks"]) == len(before["memory_chunks"])
    with pytest.raises(StoreError):
        workspace.memories.add_note(987, "no such chat")


# ── recalls and settings ─────────────────────────────────────────────────────────────────────────────


def test_recalls_count_what_was_sent_for_replies_that_stand(workspace: Workspace, chat_id: int) -> None:
    lamp, birthday = of(workspace, chat_id, LAMP), of(workspace, chat_id, BIRTHDAY)
    first, second = (workspace.messages.page(chat_id, number, 1)[0] for number in (2, 4))
    edits = workspace.memories
    store = workspace.conversation._stores.memories
    store.note_recalls(first.swipe.id, [lamp.id, birthday.id])
    store.note_recalls(second.swipe.id, [lamp.id, 987])
    found = edits.recalls(chat_id)
    assert [item.message_id for item in found[lamp.id]] == [second.id, first.id]
    assert [item.message_id for item in found[birthday.id]] == [first.id]
    assert found[lamp.id][0].at == second.swipe.created_at
    # A try that is repeated in its own place counts once, with what it was sent.
    store.note_recalls(first.swipe.id, [lamp.id])
    assert birthday.id not in edits.recalls(chat_id)
    workspace.library.delete_messages([second.id])
    assert [item.message_id for item in edits.recalls(chat_id)[lamp.id]] == [first.id]
    before = everything(workspace)
    undo = edits.forget([lamp.id])
    assert undo is not None
    undo.run()
    after = everything(workspace)
    assert after["chunk_recalls"] == before["chunk_recalls"]


def test_recall_settings_of_a_chat_are_stored_announced_and_taken_back(
    workspace: Workspace, chat_id: int
) -> None:
    heard: list[Change] = []
    workspace.bus.subscribe(heard.append)
    workspace.chats.set_settings(chat_id, {"other": 1})
    acts = workspace.memories
    undo = acts.set_settings(chat_id, threshold=0.4, top_k=7, enabled=False)
    assert heard == [Change(ChangeKind.CHAT_CHANGED, chat_id)]
    assert (acts.settings(chat_id).threshold, acts.settings(chat_id).top_k) == (0.4, 7)
    assert not acts.settings(chat_id).enabled
    assert not [
        part for part in workspace.conversation.preview(chat_id, "lamp").parts if part.kind == "memory"
    ]
    assert acts.set_settings(chat_id, top_k=7) is None
    with pytest.raises(ValueError, match="threshold"):
        acts.set_settings(chat_id, threshold=1.5)
    assert undo is not None
    undo.run()
    assert workspace.chats.get(chat_id).settings == {"other": 1}


def test_trying_recall_takes_other_settings_without_storing_them(workspace: Workspace, chat_id: int) -> None:
    usual = tried(workspace, chat_id, "lamp", 50)
    strict = tried(workspace, chat_id, "lamp", 50, {"recall": {"threshold": 1.0}})
    assert any(part.included for part in usual.parts)
    assert {part.reason.code for part in strict.parts} <= {"below_threshold"}
    assert workspace.chats.get(chat_id).settings == {}


# ── whatever is done ─────────────────────────────────────────────────────────────────────────────────

DEEDS = st.lists(
    st.tuples(
        st.sampled_from(["edit", "revert", "freeze", "pin", "enable", "forget", "note", "sync"]),
        st.integers(0, 4),
        st.booleans(),
        st.sampled_from(["new words", "他说：嗯", f"Mara: {LAMP}", "a\ud800b", "😀 " * 9]),
    ),
    max_size=8,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=DEEDS)
def test_undoing_everything_restores_everything(
    workspace: Workspace, deeds: list[tuple[str, int, bool, str]]
) -> None:
    chat = talk(workspace, BIRTHDAY, LAMP, "Let us repair it.")
    sync(workspace, chat.id)
    before = everything(workspace)
    undos: list[Undo] = []
    for deed, which, value, text in deeds:
        present = chunks(workspace, chat.id)
        undo = None
        if deed == "note":
            undo = workspace.memories.add_note(chat.id, text)
        elif deed == "sync":
            sync(workspace, chat.id)
        elif present:
            undo = _do(workspace, deed, present[which % len(present)].id, value=value, text=text)
        if undo is not None:
            undos.append(undo)
    for undo in reversed(undos):
        undo.run()
    after = everything(workspace)
    assert after == before
    # And what was undone is in step: nothing is made or removed by the next look.
    sync(workspace, chat.id)
    assert everything(workspace) == before


def _do(workspace: Workspace, deed: str, chunk_id: int, *, value: bool, text: str) -> Undo | None:
    acts = workspace.memories
    if deed == "edit":
        return acts.edit(chunk_id, text)
    if deed == "revert":
        return acts.revert(chunk_id)
    if deed == "forget":
        return acts.forget([chunk_id])
    return getattr(acts, deed)([chunk_id], value=value)  # type: ignore[no-any-return]
