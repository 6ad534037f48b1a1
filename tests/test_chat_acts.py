from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memdesk.chats.changes import Change, ChangeKind
from memdesk.store.errors import StoreError
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.workspaces import BEGIN, WordEmbedder, say, sync, talk, use_embedder

LINES = ("one", "two", "three", "four", "five", "six")


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: WordEmbedder) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: embedder)
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        yield opened


def texts(workspace: Workspace, chat_id: int) -> list[str]:
    return [message.text for message in workspace.messages.page(chat_id, 1, 100)]


def hidden(workspace: Workspace, chat_id: int) -> list[int]:
    return [message.number for message in workspace.messages.page(chat_id, 1, 100) if message.hidden]


def versions(workspace: Workspace, message_id: int) -> list[str]:
    return [swipe.text for swipe in workspace.messages.swipes(message_id)]


def remembered(workspace: Workspace, chat_id: int) -> dict[str, tuple[bool, bool, bool, bool]]:
    chunks = workspace.chunks.page(chat_id, workspace.sync.space_id)
    return {c.text: (c.frozen, c.pinned, c.enabled, c.edited) for c in chunks}


def replies(workspace: Workspace, *swipes: str) -> tuple[int, int]:
    """Make a chat whose only message has these versions; returns chat and message."""
    chat = talk(workspace)
    new = NewMessage("assistant", "Mara", swipes, character_id=chat.character_ids[0])
    (message_id,) = workspace.messages.add(chat.id, [new])
    return chat.id, message_id


def code(act: object) -> str:
    with pytest.raises(StoreError) as caught:
        act()  # type: ignore[operator]
    return caught.value.code


# ── hide ─────────────────────────────────────────────────────────────────────────────────────────────


def test_hidden_messages_stay_are_not_sent_and_keep_their_memories(workspace: Workspace) -> None:
    chat = talk(workspace, *LINES)
    sync(workspace)
    heard: list[Change] = []
    workspace.bus.subscribe(heard.append)
    undo = workspace.acts.hide_range(chat.id, 2, 4, hidden=True)
    assert undo is not None
    ids = workspace.messages.ids(chat.id)
    assert heard == [Change(ChangeKind.HIDDEN_CHANGED, chat.id, tuple(ids[1:4]))]
    sent = [m["content"] for m in workspace.conversation.preview(chat.id).messages if m["role"] != "system"]
    assert sent == ["one", "five", "six"]
    assert texts(workspace, chat.id) == list(LINES)
    workspace.sync.chunk_stale(CancelToken())
    assert len(remembered(workspace, chat.id)) == 6
    assert workspace.acts.hide([ids[1]], hidden=True) is None
    again = workspace.acts.hide(ids, hidden=True)
    assert again is not None
    assert hidden(workspace, chat.id) == [1, 2, 3, 4, 5, 6]
    again.run()
    assert hidden(workspace, chat.id) == [2, 3, 4]
    undo.run()
    assert hidden(workspace, chat.id) == []


@pytest.mark.parametrize(("first", "last"), [(0, 2), (3, 2), (1, 7), (-4, -1)])
def test_a_range_that_is_not_there_is_refused(workspace: Workspace, first: int, last: int) -> None:
    chat = talk(workspace, *LINES)
    assert code(lambda: workspace.acts.hide_range(chat.id, first, last, hidden=True)) == "no_such_message"
    assert hidden(workspace, chat.id) == []


def test_thousands_of_hidden_messages_leave_the_receipt_small(workspace: Workspace) -> None:
    chat = talk(workspace, *(f"line {number}" for number in range(600)))
    ids = workspace.messages.ids(chat.id)
    workspace.acts.hide(ids[:590], hidden=True)
    receipt = workspace.conversation.preview(chat.id)
    assert sum(part.reason.code == "in_window" for part in receipt.parts) == 10
    listed = [part.title for part in receipt.parts if part.reason.code == "hidden"]
    assert len(listed) <= 20
    assert "#590 Mara" in listed


# ── versions ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_version_can_be_deleted_and_comes_back_to_its_place(workspace: Workspace) -> None:
    chat_id, message_id = replies(workspace, "a", "b", "c")
    workspace.library.choose_swipe(message_id, 1)
    swipe = workspace.messages.get(message_id).swipe
    workspace.receipts.put(swipe.id, {"parts": []})
    undo = workspace.acts.delete_version(message_id, swipe.id)
    message = workspace.messages.get(message_id)
    assert (message.text, message.swipe_number, message.swipe_count) == ("c", 2, 2)
    assert versions(workspace, message_id) == ["a", "c"]
    assert code(lambda: workspace.acts.delete_version(message_id, swipe.id)) == "not_found"
    (entry,) = workspace.trash.all()
    assert (entry.kind, entry.label, entry.chat_id) == ("version", "#1 Mara (2/3): b", chat_id)
    undo.run()
    message = workspace.messages.get(message_id)
    assert versions(workspace, message_id) == ["a", "b", "c"]
    assert (message.text, message.swipe.id, message.swipe.has_receipt) == ("b", swipe.id, True)
    assert workspace.trash.all() == []


def test_a_version_that_does_not_stand_goes_without_moving_the_one_that_does(workspace: Workspace) -> None:
    _chat, message_id = replies(workspace, "a", "b", "c")
    ids = [swipe.id for swipe in workspace.messages.swipes(message_id)]
    workspace.library.choose_swipe(message_id, 2)
    undo = workspace.acts.delete_version(message_id, ids[0])
    assert workspace.messages.get(message_id).text == "c"
    assert workspace.messages.get(message_id).swipe_number == 2
    workspace.acts.delete_version(message_id, ids[2])
    assert workspace.messages.get(message_id).text == "b"
    assert code(lambda: workspace.acts.delete_version(message_id, ids[1])) == "last_version"
    undo.run()
    assert versions(workspace, message_id) == ["a", "b"]
    assert workspace.messages.get(message_id).text == "b"
    for entry in workspace.trash.all():
        workspace.library.restore(entry.id)
    assert versions(workspace, message_id) == ["a", "b", "c"]


def test_a_version_goes_for_good_after_thirty_days(workspace: Workspace) -> None:
    _chat, message_id = replies(workspace, "a", "b")
    workspace.acts.delete_version(message_id, workspace.messages.get(message_id).swipe.id)
    with workspace.database.write() as db:
        db.execute("UPDATE trash SET deleted_at = '2020-01-01T00:00:00+00:00'")
    assert workspace.trash.purge() == 1
    with workspace.database.read() as db:
        assert db.execute("SELECT count(*) FROM swipes").fetchone()[0] == 1
        assert db.execute("SELECT count(*) FROM trashed_swipes").fetchone()[0] == 0
    assert versions(workspace, message_id) == ["b"]


def test_a_version_in_the_trash_outlives_the_empty_one_that_was_left(workspace: Workspace) -> None:
    chat_id, message_id = replies(workspace, "a")
    empty = workspace.messages.begin_swipe(message_id, "model")
    first = workspace.messages.swipes(message_id)[0]
    workspace.messages.finish(empty, "", workspace.messages.get(message_id).swipe.state.FAILED)
    undo = workspace.acts.delete_version(message_id, first.id)
    assert workspace.messages.drop_empty_swipe(empty)
    assert workspace.messages.count(chat_id) == 0
    undo.run()
    assert texts(workspace, chat_id) == ["a"]


def test_choosing_a_version_is_taken_back_wherever_it_stands_by_then(workspace: Workspace) -> None:
    _chat, message_id = replies(workspace, "a", "b", "c")
    ids = [swipe.id for swipe in workspace.messages.swipes(message_id)]
    workspace.library.choose_swipe(message_id, 1)
    undo = workspace.library.choose_swipe(message_id, 2)
    assert undo is not None
    assert undo.key == ("version", message_id)
    assert workspace.library.choose_swipe(message_id, 2) is None
    workspace.acts.delete_version(message_id, ids[0])
    undo.run()
    assert workspace.messages.get(message_id).text == "b"


def test_an_edit_of_a_named_version_leaves_the_one_that_stands(workspace: Workspace) -> None:
    _chat, message_id = replies(workspace, "a", "b")
    first, second = workspace.messages.swipes(message_id)
    undo = workspace.library.edit_message(message_id, "B", second.id)
    assert undo is not None
    assert versions(workspace, message_id) == ["a", "B"]
    undo.run()
    assert versions(workspace, message_id) == ["a", "b"]
    assert workspace.messages.get(message_id).swipe == first
    assert code(lambda: workspace.library.edit_message(message_id, "?", 99)) == "not_found"


def test_what_is_being_written_is_neither_edited_nor_deleted_as_a_version(workspace: Workspace) -> None:
    chat_id, message_id = replies(workspace, "a")
    undo = workspace.library.edit_message(message_id, "A")
    assert undo is not None
    swipe = workspace.messages.begin_swipe(message_id, "model")
    assert code(lambda: workspace.library.edit_message(message_id, "x")) == "being_written"
    assert code(lambda: workspace.acts.delete_version(message_id, swipe)) == "being_written"
    assert code(lambda: workspace.acts.branch(message_id)) == "being_written"
    undo.run()
    assert versions(workspace, message_id) == ["a", ""]
    assert [chat.id for chat in workspace.chats.all()] == [chat_id]
    assert workspace.trash.all() == []


# ── delete from here ─────────────────────────────────────────────────────────────────────────────────


def test_deleting_from_here_is_one_act(workspace: Workspace) -> None:
    chat = talk(workspace, *LINES)
    ids = workspace.messages.ids(chat.id)
    undo = workspace.acts.delete_from(ids[2])
    assert undo is not None
    assert texts(workspace, chat.id) == ["one", "two"]
    (entry,) = workspace.trash.all()
    assert entry.label == "#3 Alex: three (+3)"
    assert code(lambda: workspace.acts.delete_from(ids[2])) == "not_found"
    undo.run()
    assert texts(workspace, chat.id) == list(LINES)
    assert workspace.acts.delete_from(ids[5], after=True) is None
    assert workspace.acts.delete_from(ids[4], after=True) is not None
    assert texts(workspace, chat.id) == list(LINES[:5])


# ── branches ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_branch_shares_the_past_with_its_memories_and_embeds_nothing(
    workspace: Workspace, embedder: WordEmbedder
) -> None:
    chat = talk(workspace, *LINES)
    sync(workspace)
    ids = workspace.messages.ids(chat.id)
    by_text = {c.text: c.id for c in workspace.chunks.page(chat.id, workspace.sync.space_id)}
    memories = workspace.memories
    memories.freeze([by_text["Alex: one"]], value=True)
    memories.edit(by_text["Mara: two"], "Mara: two, twice")
    memories.pin([by_text["Mara: two"]], value=True)
    memories.enable([by_text["Alex: three"]], value=False)
    memories.freeze([by_text["Mara: six"]], value=True)
    memories.add_note(chat.id, "A note of today.")
    with workspace.database.write() as db:
        db.execute("UPDATE memory_chunks SET last_time = ? WHERE origin = 'note'", (BEGIN.isoformat(),))
    forgotten = memories.forget([by_text["Mara: four"]])
    assert forgotten is not None
    sync(workspace)
    workspace.acts.add_checkpoint(ids[1], "The door")
    before = len(embedder.passages)
    branch, undo = workspace.acts.branch(ids[3])
    assert (branch.title, branch.branch_chat, branch.branch_message) == ("Talk #4", chat.id, ids[3])
    assert (branch.character_ids, branch.persona_id) == (chat.character_ids, chat.persona_id)
    assert texts(workspace, branch.id) == list(LINES[:4])
    assert workspace.chunks.stale(10, branch.id) == []
    expected = {
        "Alex: one": (True, False, True, False),
        "Mara: two, twice": (False, True, True, True),
        "Alex: three": (False, False, False, False),
        "A note of today.": (False, False, True, False),
    }
    assert remembered(workspace, branch.id) == expected
    assert all(c.has_vector for c in workspace.chunks.page(branch.id, workspace.sync.space_id))
    sync(workspace, branch.id)
    assert remembered(workspace, branch.id) == expected
    assert len(embedder.passages) == before
    copies = {c.text: c.id for c in workspace.chunks.page(branch.id, workspace.sync.space_id)}
    assert memories.original(copies["Mara: two, twice"]) == "Mara: two"
    assert [mark.name for mark in workspace.acts.checkpoints.all(branch.id)] == ["The door"]
    found = [part for item in workspace.conversation.recall(branch.id, "one") for part in item.parts]
    assert "Alex: one" in {part.text for part in found}
    # What happens here does not happen there.
    workspace.library.edit_message(workspace.messages.ids(branch.id)[0], "uno")
    say(workspace, branch.id, "elsewhere")
    sync(workspace)
    assert texts(workspace, chat.id) == list(LINES)
    assert "Mara: six" in remembered(workspace, chat.id)
    assert "Alex: elsewhere" not in remembered(workspace, chat.id)
    undo.run()
    assert [item.id for item in workspace.chats.all()] == [chat.id]
    (entry,) = [item for item in workspace.trash.all() if item.kind == "chat"]
    workspace.library.restore(entry.id)
    assert texts(workspace, branch.id)[0] == "uno"


def test_a_branch_of_a_branch_knows_the_same_messages(workspace: Workspace) -> None:
    chat = talk(workspace, *LINES)
    ids = workspace.messages.ids(chat.id)
    first, _undo = workspace.acts.branch(ids[4])
    second, _undo = workspace.acts.branch(workspace.messages.ids(first.id)[2])
    third, _undo = workspace.acts.branch(ids[4], "By name")
    assert [first.title, second.title, third.title] == ["Talk #5", "Talk #3", "By name"]
    assert workspace.acts.branch(ids[4])[0].title == "Talk #5 (2)"
    mine = workspace.messages.ids(second.id)
    assert workspace.acts.branches.message_in(second.id, ids[1]) == mine[1]
    assert workspace.acts.branches.message_in(second.id, workspace.messages.ids(third.id)[1]) == mine[1]
    assert workspace.acts.branches.message_in(second.id, ids[5]) is None
    assert workspace.acts.branches.message_in(chat.id, mine[0]) == ids[0]
    assert workspace.acts.branches.message_in(chat.id, ids[0]) == ids[0]


def test_a_branch_has_the_summaries_and_variables_of_its_past(workspace: Workspace) -> None:
    chat = talk(workspace, *LINES)
    ids = workspace.messages.ids(chat.id)
    with workspace.database.write() as db:
        for entry, (title, covers) in enumerate((("early", ids[:2]), ("late", ids[3:5])), 1):
            db.execute(
                "INSERT INTO summary_entries (id, chat_id, position, title, text, origin, source_mode,"
                " tokens, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, 'text', 'manual', 'range', 1, '2026', '2026')",
                (entry, chat.id, entry, title),
            )
            db.executemany(
                "INSERT INTO summary_sources (entry_id, message_id, source_hash) VALUES (?, ?, x'00')",
                [(entry, message_id) for message_id in covers],
            )
        db.execute("INSERT INTO variables VALUES (?, 'gold', '7')", (chat.id,))
        db.execute('INSERT INTO variable_turns VALUES (?, ?, \'{"gold": "3"}\')', (ids[3], chat.id))
    early, _undo = workspace.acts.branch(ids[2])
    whole, _undo = workspace.acts.branch(ids[5])
    with workspace.database.read() as db:
        summaries = db.execute(
            "SELECT chat_id, title FROM summary_entries WHERE chat_id <> ? ORDER BY id", (chat.id,)
        ).fetchall()
        covered = {row[0] for row in db.execute("SELECT message_id FROM summary_sources WHERE entry_id > 2")}
        gold = dict(db.execute("SELECT chat_id, value FROM variables WHERE name = 'gold'").fetchall())
    assert [tuple(row) for row in summaries] == [(early.id, "early"), (whole.id, "early"), (whole.id, "late")]
    mine = workspace.messages.ids(whole.id)
    assert covered == {*workspace.messages.ids(early.id)[:2], *mine[:2], *mine[3:5]}
    assert gold == {chat.id: "7", early.id: "3", whole.id: "7"}


def test_a_branch_keeps_versions_order_hidden_and_receipts_but_no_trash(workspace: Workspace) -> None:
    chat_id, message_id = replies(workspace, "a", "b", "c", "d")
    swipes = workspace.messages.swipes(message_id)
    workspace.library.choose_swipe(message_id, 2)
    workspace.receipts.put(swipes[2].id, {"parts": [], "used": 3})
    workspace.acts.delete_version(message_id, swipes[0].id)
    others = say(workspace, chat_id, "x", "y", "z")
    workspace.library.delete_messages([others[1]])
    workspace.acts.hide([others[0]], hidden=True)
    branch, _undo = workspace.acts.branch(others[2])
    first = workspace.messages.page(branch.id, 1, 10)[0]
    assert texts(workspace, branch.id) == ["c", "x", "z"]
    assert versions(workspace, first.id) == ["b", "c", "d"]
    assert (first.swipe_number, first.swipe.has_receipt) == (2, True)
    assert workspace.receipts.get(first.swipe.id) == {"parts": [], "used": 3}
    assert hidden(workspace, branch.id) == [2]


def test_a_frozen_memory_without_its_message_comes_along_and_stays_without(workspace: Workspace) -> None:
    chat = talk(workspace, *LINES)
    sync(workspace)
    chunks = {c.text: c.id for c in workspace.chunks.page(chat.id, workspace.sync.space_id)}
    workspace.memories.freeze([chunks["Mara: two"], chunks["Mara: six"]], value=True)
    ids = workspace.messages.ids(chat.id)
    workspace.library.delete_messages([ids[1]])
    workspace.library.delete_messages([ids[5]])
    branch, _undo = workspace.acts.branch(ids[3])
    sync(workspace, branch.id)
    kept = remembered(workspace, branch.id)
    assert "Mara: two" in kept
    assert "Mara: six" not in kept
    states = workspace.memories.sources(branch.id)
    assert [str(state) for state in states.values()] == ["Source gone"]
    for entry in workspace.trash.all():
        workspace.library.restore(entry.id)
    assert texts(workspace, branch.id) == ["one", "three", "four"]
    assert workspace.memories.sources(branch.id) == states


# ── checkpoints ──────────────────────────────────────────────────────────────────────────────────────


def test_checkpoints_are_named_renamed_taken_away_and_brought_back(workspace: Workspace) -> None:
    chat = talk(workspace, *LINES)
    ids = workspace.messages.ids(chat.id)
    marks = workspace.acts.checkpoints
    workspace.acts.add_checkpoint(ids[3], "  Before the\nfight ")
    added = workspace.acts.add_checkpoint(ids[1], "门")
    assert [(mark.number, mark.name) for mark in marks.all(chat.id)] == [(2, "门"), (4, "Before the fight")]
    assert workspace.messages.get(ids[3]).checkpoint == "Before the fight"
    mark = marks.all(chat.id)[1]
    assert workspace.acts.rename_checkpoint(mark.id, "Before the fight") is None
    renamed = workspace.acts.rename_checkpoint(mark.id, "Later")
    assert renamed is not None
    renamed.run()
    removed = workspace.acts.delete_checkpoint(mark.id)
    assert [item.name for item in marks.all(chat.id)] == ["门"]
    removed.run()
    assert marks.all(chat.id)[1] == mark or marks.all(chat.id)[1].name == mark.name
    added.run()
    assert [item.name for item in marks.all(chat.id)] == ["Before the fight"]
    gone = workspace.library.delete_messages([ids[3]])
    assert marks.all(chat.id) == []
    gone.run()
    assert [item.name for item in marks.all(chat.id)] == ["Before the fight"]
    for act in (
        lambda: workspace.acts.add_checkpoint(ids[0], " \n\x00 "),
        lambda: workspace.acts.rename_checkpoint(mark.id, ""),
    ):
        assert code(act) == "blank_name"
    assert code(lambda: workspace.acts.delete_checkpoint(99)) == "not_found"
    assert code(lambda: workspace.acts.add_checkpoint(99, "x")) == "not_found"
