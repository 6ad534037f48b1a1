"""Group chats: who replies, from which card, what the model is told, and what can go wrong meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.chats.groups import GroupSettings
from memdesk.chats.model import Chat, Member, SwipeState
from memdesk.conversation import NobodyReplies, ReplyEnded, ReplyGrew, ReplyStarted
from memdesk.prompt.receipt import from_json
from memdesk.settings import Settings
from memdesk.store.errors import StoreError
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.support.workspaces import WordEmbedder, sync, use_embedder

LIST = GroupSettings(order="list")
MANUAL = GroupSettings(order="manual")
MERGED = GroupSettings(replies="merged")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())
    with Workspace(tmp_path / "data", samples=False, background=False) as opened:
        opened.library.set_default_persona("Alex", "A wanderer.")
        yield opened


@pytest.fixture
def server(workspace: Workspace) -> Iterator[FakeLLM]:
    with FakeLLM(reply="Yes.") as running:
        profile = running.profile()
        workspace.settings = Settings(connections=[profile], connection=profile.id)
        yield running


def character(workspace: Workspace, name: str, **data: Any) -> int:
    card = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": name, **data}}
    return workspace.library.add_character(name, card).id


def party(workspace: Workspace, *names: str, settings: GroupSettings = LIST, **more: Any) -> Chat:
    ids = [character(workspace, name) for name in names or ("Mira", "Tom", "Zhao")]
    return workspace.groups.new_group(ids, "Party", settings=settings, **more)


def hush(_event: object) -> None:
    """Listen to nothing."""


def send(workspace: Workspace, chat: Chat, text: str = "Well?", listen: Callable[..., Any] = hush) -> Any:
    return workspace.conversation.send(chat.id, text, listen, CancelToken())


def said(workspace: Workspace, chat: Chat) -> list[tuple[str, str]]:
    return [(message.name, message.text) for message in workspace.messages.page(chat.id, 1, 100)]


def system(server: FakeLLM, request: int = -1) -> str:
    return str(server.chat_requests[request].messages[0]["content"])


# ── rounds ───────────────────────────────────────────────────────────────────────────────────────────


def test_everyone_replies_in_turn_and_each_reply_is_stored_before_the_next(
    workspace: Workspace, server: FakeLLM
) -> None:
    server.reply = ["one", "two", "three"]
    chat, stored = party(workspace), []

    def listen(event: object) -> None:
        if isinstance(event, ReplyStarted):
            before = workspace.messages.page(chat.id, 1, 9)[:-1]
            stored.append([(item.text, item.swipe.state) for item in before])

    last = send(workspace, chat, listen=listen)
    assert (last.name, last.text) == ("Zhao", "three")
    assert said(workspace, chat) == [("Alex", "Well?"), ("Mira", "one"), ("Tom", "two"), ("Zhao", "three")]
    done = SwipeState.DONE
    assert stored[2] == [("Well?", done), ("one", done), ("two", done)]
    # Each sees what the one before has said, and knows who said it.
    sent = [(item["role"], item["content"]) for item in server.chat_requests[-1].messages[1:-1]]
    assert sent == [("user", "Alex: Well?"), ("assistant", "Mira: one"), ("assistant", "Tom: two")]
    ids = {item.name: item.character_id for item in workspace.messages.page(chat.id, 2, 3)}
    assert list(ids.values()) == list(chat.character_ids)


def test_each_reply_comes_from_its_own_card(workspace: Workspace, server: FakeLLM) -> None:
    ids = [
        character(
            workspace, name, nickname=nick, description=f"{{{{char}}}} is {trait}. Others: {{{{notChar}}}}.",
            system_prompt=rule, mes_example=f"{name} speaks.", post_history_instructions=f"End as {name}.",
            extensions={"depth_prompt": {"prompt": f"{name} deep.", "depth": 0, "role": "system"}},
        )
        for name, nick, trait, rule in (("Mira", "", "brave", "Rule M."), ("Thomas", "Tom", "shy", ""))
    ]  # fmt: skip
    chat = workspace.groups.new_group(ids, settings=LIST)
    assert chat.title == "Mira, Tom"
    send(workspace, chat)
    mira, tom = (str(request.messages) for request in server.chat_requests)
    mine = ("Rule M.", "Mira is brave. Others: Tom, Alex.", "Mira speaks.", "End as Mira.", "Mira deep.")
    for words in mine:
        assert words in mira
        assert words not in tom
    assert "Tom is shy. Others: Mira, Alex." in tom
    assert "Tom is shy" not in mira
    assert "these characters: Mira, Tom" in tom
    assert "It is Tom's turn" in server.chat_requests[1].messages[-1]["content"]
    receipts = [workspace.receipts.get(item.swipe.id) for item in workspace.messages.page(chat.id, 2, 2)]
    assert [from_json(receipt or {}).cards for receipt in receipts] == [("Mira",), ("Tom",)]


def test_a_muted_member_replies_only_when_asked(workspace: Workspace, server: FakeLLM) -> None:
    chat = party(workspace)
    mira, tom, _zhao = chat.character_ids
    workspace.groups.mute(chat.id, tom, muted=True)
    send(workspace, chat, "Tom? Mira?")
    assert [name for name, _ in said(workspace, chat)] == ["Alex", "Mira", "Zhao"]
    assert "Tom" not in system(server)
    reply = workspace.conversation.reply(chat.id, hush, CancelToken(), speaker=tom)
    assert reply is not None
    assert reply.character_id == tom
    assert "these characters: Tom, Mira, Zhao" in system(server)
    asked = workspace.conversation.send(chat.id, "Mira alone.", hush, CancelToken(), speaker=mira)
    assert asked is not None
    assert [name for name, _ in said(workspace, chat)][-2:] == ["Alex", "Mira"]


def test_where_a_person_picks_nobody_replies_by_itself(workspace: Workspace, server: FakeLLM) -> None:
    chat, events = party(workspace, settings=MANUAL), []
    assert send(workspace, chat, "Mira?", events.append) is None
    assert events[-1] == NobodyReplies(chat.id, None)
    assert said(workspace, chat) == [("Alex", "Mira?")]
    assert not server.chat_requests
    with pytest.raises(StoreError) as caught:
        workspace.conversation.reply(chat.id, hush, CancelToken(), speaker=999)
    assert caught.value.code == "no_member"


@pytest.mark.parametrize("settings", [LIST, GroupSettings(), MERGED])
def test_a_group_without_an_active_member_says_so_and_loses_nothing(
    workspace: Workspace, server: FakeLLM, settings: GroupSettings
) -> None:
    chat, events = party(workspace, "Mira", "Tom", settings=settings), []
    mira, tom = chat.character_ids
    workspace.groups.mute(chat.id, mira, muted=True)
    workspace.groups.remove_member(chat.id, tom)
    assert send(workspace, chat, "Anyone?", events.append) is None
    assert isinstance(events[-1], NobodyReplies)
    assert "unmute a member" in str(events[-1].reason)
    workspace.groups.remove_member(chat.id, mira)
    assert send(workspace, chat, "No one?", events.append) is None
    assert "add a member" in str(events[-1].reason)
    assert said(workspace, chat) == [("Alex", "Anyone?"), ("Alex", "No one?")]
    with pytest.raises(StoreError) as caught:
        workspace.conversation.preview(chat.id)
    assert caught.value.code == "no_active_member"
    assert not server.chat_requests
    assert not workspace.conversation.writing(chat.id)


def test_the_preview_is_that_of_who_replies_first(workspace: Workspace, server: FakeLLM) -> None:
    chat = party(workspace, settings=GroupSettings())
    for text in ("Who is there?", "And you?", "Go on.", "Zhao?", "What now?"):
        before = workspace.conversation.preview(chat.id, text)
        first = workspace.messages.count(chat.id) + 2
        send(workspace, chat, text)
        assert before.cards == (workspace.messages.page(chat.id, first, 1)[0].name,)
    tom = chat.character_ids[1]
    assert workspace.conversation.preview(chat.id, speaker=tom).cards == ("Tom",)
    assert server.chat_requests


def test_stop_ends_the_round(workspace: Workspace, server: FakeLLM) -> None:
    chat, cancel = party(workspace), CancelToken()
    server.reply = Deltas(["one"])

    def listen(event: object) -> None:
        # Between two replies: the first is stored, the second has not begun.
        if isinstance(event, ReplyEnded):
            cancel.cancel()

    workspace.conversation.send(chat.id, "Go.", listen, cancel)
    assert said(workspace, chat) == [("Alex", "Go."), ("Mira", "one")]
    assert not workspace.conversation.writing(chat.id)


def test_stop_within_a_reply_keeps_what_has_come(workspace: Workspace, server: FakeLLM) -> None:
    server.fault = Fault(stall_after=2)
    server.reply = Deltas(["half ", "way ", "there"])
    chat, cancel, came = party(workspace), CancelToken(), []

    def listen(event: object) -> None:
        if isinstance(event, ReplyGrew):
            came.append(event.text)
            if "".join(came) == "half way ":
                threading.Thread(target=cancel.cancel).start()

    workspace.conversation.send(chat.id, "Go.", listen, cancel)
    assert said(workspace, chat) == [("Alex", "Go."), ("Mira", "half way")]
    assert workspace.messages.page(chat.id, 2, 1)[0].swipe.state is SwipeState.STOPPED


def test_a_failing_reply_ends_the_round_and_is_tried_again_by_the_same(
    workspace: Workspace, server: FakeLLM
) -> None:
    chat = party(workspace)
    server.faults.extend([None, Fault(status=500), Fault(status=500), Fault(status=500)])
    failed = send(workspace, chat)
    assert (failed.name, failed.swipe.state) == ("Tom", SwipeState.FAILED)
    assert len(said(workspace, chat)) == 3
    server.faults.clear()
    again = workspace.conversation.regenerate(failed.id, hush, CancelToken())
    assert again is not None
    assert (again.name, again.text, again.swipe_count) == ("Tom", "Yes.", 1)


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("way", ["deleted", "removed", "muted", "chat deleted", "purged"])
def test_who_goes_while_others_write_loses_its_turn(workspace: Workspace, way: str) -> None:
    chat = party(workspace)
    _mira, tom, _zhao = chat.character_ids

    def listen(event: object) -> None:
        if isinstance(event, ReplyEnded) and event.message and event.message.name == "Mira":
            match way:
                case "deleted":
                    workspace.library.delete_character(tom)
                case "removed":
                    workspace.groups.remove_member(chat.id, tom)
                case "muted":
                    workspace.groups.mute(chat.id, tom, muted=True)
                case "chat deleted":
                    workspace.library.delete_chat(chat.id)
                case "purged":
                    with workspace.database.write() as db:
                        db.execute("DELETE FROM characters WHERE id = ?", (tom,))

    last = send(workspace, chat, listen=listen)
    names = [message.name for message in workspace.messages.page(chat.id, 1, 9)]
    wanted = ["Alex", "Mira"] if way == "chat deleted" else ["Alex", "Mira", "Zhao"]
    assert names == wanted
    assert last.name == wanted[-1]


@pytest.mark.usefixtures("server")
def test_who_is_deleted_while_writing_ends_its_reply_and_comes_back(workspace: Workspace) -> None:
    chat, undos = party(workspace, "Mira", "Tom"), []

    def listen(event: object) -> None:
        if isinstance(event, ReplyStarted) and event.message.name == "Mira":
            undos.append(workspace.library.delete_character(event.message.character_id or 0))

    send(workspace, chat, listen=listen)
    assert said(workspace, chat) == [("Alex", "Well?"), ("Mira", "Yes."), ("Tom", "Yes.")]
    (member, _tom) = workspace.chats.get(chat.id).members
    assert (member.gone, member.active) == (True, False)
    send(workspace, chat, "Who now?")
    assert [name for name, _ in said(workspace, chat)][3:] == ["Alex", "Tom"]
    undos[0].run()
    assert workspace.chats.get(chat.id).members[0].active


@pytest.mark.usefixtures("server")
def test_a_message_deleted_while_it_is_written_does_not_end_the_round(workspace: Workspace) -> None:
    chat = party(workspace)

    def listen(event: object) -> None:
        if isinstance(event, ReplyGrew) and not deleted:
            deleted.append(workspace.library.delete_messages([event.message_id]))

    deleted: list[Any] = []
    send(workspace, chat, listen=listen)
    assert [name for name, _ in said(workspace, chat)] == ["Alex", "Tom", "Zhao"]


def test_regenerating_keeps_the_speaker_also_when_it_has_left(workspace: Workspace, server: FakeLLM) -> None:
    chat = party(workspace)
    send(workspace, chat)
    tom = workspace.messages.page(chat.id, 3, 1)[0]
    workspace.groups.remove_member(chat.id, chat.character_ids[1])
    again = workspace.conversation.regenerate(tom.id, hush, CancelToken())
    assert again is not None
    assert (again.name, again.character_id, again.swipe_count) == ("Tom", tom.character_id, 2)
    assert "It is Tom's turn" in str(server.chat_requests[-1].messages)
    assert "Tom" in from_json(workspace.receipts.get(again.swipe.id) or {}).cards


# ── speaking for others ──────────────────────────────────────────────────────────────────────────────


def test_a_reply_ends_where_the_model_speaks_for_another(workspace: Workspace, server: FakeLLM) -> None:
    server.reply = "Mira: *nods*\nYes.\n\nTom: Me too!\nAlex: Good."
    chat = party(workspace, "Mira", "Tom")
    grown: list[str] = []

    def listen(event: object) -> None:
        if isinstance(event, ReplyGrew):
            grown.append(event.text)

    mira = chat.character_ids[0]
    reply = workspace.conversation.send(chat.id, "So?", listen, CancelToken(), speaker=mira)
    assert reply is not None
    assert reply.text == "".join(grown).strip() == "*nods*\nYes."
    assert reply.swipe.state is SwipeState.DONE
    assert (reply.swipe.generation["finish"], reply.swipe.generation["cut"]) == ("cut", "Tom")
    workspace.groups.configure(chat.id, GroupSettings(order="list", cut_names=False))
    again = workspace.conversation.regenerate(reply.id, hush, CancelToken())
    assert again is not None
    assert again.text.endswith("Alex: Good.")
    assert "cut" not in again.swipe.generation


def test_a_reply_that_is_all_anothers_fails_and_says_why(workspace: Workspace, server: FakeLLM) -> None:
    server.reply = "Tom: I speak for her."
    chat = party(workspace, "Mira", "Tom")
    reply = send(workspace, chat)
    assert (reply.swipe.state, reply.text) == (SwipeState.FAILED, "")
    assert "The model wrote for Tom instead of Mira" in reply.swipe.error


def test_two_members_of_one_name_and_one_without(workspace: Workspace, server: FakeLLM) -> None:
    chat = party(workspace, "Mira", "Mira", "")
    server.reply = "Mira: Me.\nMira: Still me."
    send(workspace, chat)
    replies = workspace.messages.page(chat.id, 2, 9)
    assert [(item.name, item.text) for item in replies] == [
        ("Mira", "Me.\nMira: Still me."), ("Mira", "Me.\nMira: Still me."), ("", ""),
    ]  # fmt: skip
    assert replies[2].swipe.state is SwipeState.FAILED
    assert [item.character_id for item in replies] == list(chat.character_ids)


# ── one reply for all ────────────────────────────────────────────────────────────────────────────────


def test_a_merged_reply_has_all_cards_and_the_name_of_the_group(
    workspace: Workspace, server: FakeLLM
) -> None:
    ids = [
        character(workspace, name, description=f"{{{{char}}}} is {trait}.", scenario="A tavern.")
        for name, trait in (("Mira", "brave"), ("Tom", "shy"), ("Zhao", "old"))
    ]
    chat = workspace.groups.new_group(ids, "Party", settings=MERGED)
    workspace.groups.mute(chat.id, ids[2], muted=True)
    server.reply = "Mira: Yes.\nTom: No.\nAlex: What?"
    reply = send(workspace, chat)
    assert (reply.name, reply.character_id, reply.text) == ("Party", None, "Mira: Yes.\nTom: No.")
    assert reply.swipe.generation["merged"] is True
    prompt = system(server)
    assert "[Mira]\nMira is brave." in prompt
    assert "[Tom]\nTom is shy." in prompt
    assert "Zhao" not in prompt
    assert prompt.count("A tavern.") == 1
    assert from_json(workspace.receipts.get(reply.swipe.id) or {}).cards == ("Mira", "Tom")
    send(workspace, chat, "On.")
    sent = [item["content"] for item in server.chat_requests[-1].messages[1:-1]]
    assert sent == ["Alex: Well?", "Mira: Yes.\nTom: No.", "Alex: On."]
    # It stays a reply for all, whatever the group is set to since.
    workspace.groups.configure(chat.id, LIST)
    again = workspace.conversation.regenerate(reply.id, hush, CancelToken())
    assert again is not None
    assert (again.name, again.swipe.generation["merged"], again.swipe_count) == ("Party", True, 2)


# ── how it begins and changes ────────────────────────────────────────────────────────────────────────


def test_greetings_of_a_group(workspace: Workspace) -> None:
    ids = [
        character(
            workspace, "Mira", first_mes="Hi {{user}}.", alternate_greetings=["Ho."],
            group_only_greetings=["{{char}} greets {{group}}; {{notChar}} listen.", "", 7],
        ),
        character(workspace, "Tom"),
        character(workspace, "Zhao", first_mes="Welcome.", group_only_greetings=["One text."]),
    ]  # fmt: skip
    chat = workspace.groups.new_group(ids)
    assert [(name, text) for name, text in said(workspace, chat)] == [
        ("Mira", "Mira greets Mira, Tom, Zhao; Tom, Zhao, Alex listen."), ("Zhao", "One text."),
    ]  # fmt: skip
    first = workspace.messages.page(chat.id, 1, 1)[0]
    assert [swipe.text for swipe in workspace.messages.swipes(first.id)][1:] == ["Hi Alex.", "Ho."]
    assert len(said(workspace, workspace.groups.new_group(ids, greetings="first"))) == 1
    assert not said(workspace, workspace.groups.new_group(ids, greetings="none"))
    # In a chat with her alone she does not greet the group.
    alone = workspace.library.new_chat(ids[0])
    assert said(workspace, alone) == [("Mira", "Hi Alex.")]


def test_members_come_go_and_move_and_every_step_is_undone(workspace: Workspace) -> None:
    chat = party(workspace)
    mira, tom, zhao = chat.character_ids
    nina = character(workspace, "Nina")
    groups, seen, undos = workspace.groups, [], []
    for act in (
        lambda: groups.add_members(chat.id, [nina, tom, nina]),
        lambda: groups.move_member(chat.id, nina, 0),
        lambda: groups.mute(chat.id, tom, muted=True),
        lambda: groups.set_talkativeness(chat.id, tom, 7.0),
        lambda: groups.remove_member(chat.id, tom),
        lambda: groups.configure(chat.id, MANUAL),
    ):
        seen.append(workspace.chats.get(chat.id))
        undo = act()
        assert undo is not None
        undos.append(undo)
    now = workspace.chats.get(chat.id)
    assert now.character_ids == (nina, mira, zhao)
    assert now.settings["group"]["order"] == "manual"
    assert seen[4].members[2] == Member(tom, "Tom", None, True, 1.0)
    for undo, before in zip(reversed(undos), reversed(seen), strict=True):
        undo.run()
        assert workspace.chats.get(chat.id) == before
    for nothing in (
        groups.add_members(chat.id, [mira]),
        groups.move_member(chat.id, mira, 0),
        groups.mute(chat.id, mira, muted=False),
        groups.set_talkativeness(chat.id, mira, None),
        groups.remove_member(chat.id, nina),
        groups.configure(chat.id, LIST),
    ):
        assert nothing is None


def test_undoing_one_thing_leaves_what_came_later(workspace: Workspace) -> None:
    chat = party(workspace)
    mira, tom, zhao = chat.character_ids
    muted = workspace.groups.mute(chat.id, mira, muted=True)
    order = workspace.groups.configure(chat.id, MANUAL)
    workspace.groups.configure(chat.id, GroupSettings(order="manual", again=True))
    workspace.groups.remove_member(chat.id, tom)
    workspace.chats.set_settings(chat.id, {**workspace.chats.get(chat.id).settings, "recall": {"top_k": 9}})
    assert muted is not None
    assert order is not None
    muted.run()
    order.run()
    now = workspace.chats.get(chat.id)
    assert now.character_ids == (mira, zhao)
    assert not now.members[0].muted
    assert (now.settings["group"]["order"], now.settings["group"]["again"]) == ("list", True)
    assert now.settings["recall"] == {"top_k": 9}


@pytest.mark.usefixtures("server")
def test_a_chat_with_one_becomes_a_group_and_again_a_chat_with_one(workspace: Workspace) -> None:
    mira, tom = character(workspace, "Mira", first_mes="Hi."), character(workspace, "Tom")
    chat = workspace.library.new_chat(mira)
    undo = workspace.groups.add_members(chat.id, [tom])
    assert undo is not None
    group = workspace.chats.get(chat.id)
    assert (group.kind, group.character_ids) == ("group", (mira, tom))
    workspace.conversation.send(chat.id, "Tom?", hush, CancelToken())
    assert said(workspace, chat) == [("Mira", "Hi."), ("Alex", "Tom?"), ("Tom", "Yes.")]
    undo.run()
    single = workspace.chats.get(chat.id)
    assert (single.kind, single.character_ids) == ("single", (mira,))
    # What Tom said stays his.
    tom_said = workspace.messages.page(chat.id, 3, 1)[0]
    again = workspace.conversation.regenerate(tom_said.id, hush, CancelToken())
    assert again is not None
    assert again.name == "Tom"


@pytest.mark.usefixtures("server")
def test_thirty_members(workspace: Workspace) -> None:
    names = [f"Member {number}" for number in range(30)]
    chat = party(workspace, *names)
    assert chat.title == "Party"
    assert workspace.groups.new_group(chat.character_ids).title == "Member 0, Member 1, Member 2 +27"
    send(workspace, chat)
    assert [name for name, _ in said(workspace, chat)] == ["Alex", *names]


def test_an_empty_group_is_refused(workspace: Workspace) -> None:
    with pytest.raises(StoreError) as caught:
        workspace.groups.new_group([])
    assert caught.value.code == "empty_group"
    with pytest.raises(StoreError) as caught:
        workspace.groups.new_group([404])
    assert caught.value.code == "not_found"
    assert not workspace.chats.all()


# ── memory ───────────────────────────────────────────────────────────────────────────────────────────


def test_memory_keeps_who_spoke(workspace: Workspace) -> None:
    chat = party(workspace, "Mira", "Tom")
    mira, tom = chat.character_ids
    line = "The lantern hangs under the old bridge."
    workspace.messages.add(
        chat.id,
        [
            NewMessage("assistant", "Mira", (line,), character_id=mira),
            NewMessage("assistant", "Tom", (line,), character_id=tom),
        ],
    )
    sync(workspace, chat.id)
    chunks = workspace.chunks.page(chat.id, workspace.sync.space_id)
    assert {chunk.text for chunk in chunks} == {f"Mira: {line}", f"Tom: {line}"}
    asked = workspace.conversation.recall(chat.id, "What did Tom say of the lantern?")
    (found,) = [item for item in asked if item.layer == "recall"]
    best = max(found.parts, key=lambda part: part.score or 0)
    assert best.text == f"Tom: {line}"
    assert len([part for part in found.parts if part.included]) == 2
