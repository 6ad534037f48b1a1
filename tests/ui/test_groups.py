"""Group chats in the window, used as a person uses them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QSlider,
)

from memdesk.chats.groups import GroupSettings
from memdesk.chats.model import SwipeState
from memdesk.ui.widgets.group_bar import GroupBar, MemberButton
from tests.support.fake_llm import Deltas, FakeLLM, Fault
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

NAMES = ("Mira", "Tom", "小明")


def card(name: str, **data: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": name, **data}}


def prepare(desk: Desk, server: FakeLLM, *names: str, settings: GroupSettings | None = None) -> None:
    """A group chat that is the one that opens."""
    desk.connect(server.profile())
    with desk.workspace() as workspace:
        workspace.library.set_default_persona("Alex", "")
        ids = [workspace.library.add_character(name, card(name)).id for name in names or NAMES]
        workspace.groups.new_group(ids, "Party", settings=settings)


def faces(window: OpenDesk) -> list[str]:
    return [button.accessibleName() for button in window.all(MemberButton)]


def tick(window: OpenDesk, *names: str) -> None:
    listed = window.find(QListWidget, "Characters")
    for name in names:
        (item,) = listed.findItems(name, Qt.MatchFlag.MatchExactly)
        before = item.checkState()
        row = listed.visualItemRect(item)
        # On the name, and on the box; a second click takes the first one back.
        for at in (row.center(), row.center(), QPoint(row.left() + 10, row.center().y())):
            QTest.mouseClick(listed.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert item.checkState() == Qt.CheckState.Checked != before, name


def test_a_group_is_begun_from_the_menu_and_everyone_replies(desk: Desk, server: FakeLLM) -> None:
    server.reply = ["I am here.", "Me too."]
    desk.connect(server.profile())
    with desk.workspace() as workspace:
        workspace.library.set_default_persona("Alex", "")
        workspace.library.add_character("Mira", card("Mira", group_only_greetings=["Hello, {{group}}."]))
        workspace.library.add_character("Tom", card("Tom", first_mes="Evening."))
        workspace.library.add_character("Zhao", card("Zhao"))
    window = desk.open()
    assert not window.all(GroupBar)
    window.window.acts.run("group.new")
    window.wait(lambda: window.has(QListWidget, "Characters"))
    window.press("Begin chat")
    assert [dialog for dialog in window.all(QDialog) if dialog.windowTitle() == "New group chat"]
    tick(window, "Tom", "Mira")
    window.find(QLineEdit, "Title").setText("The Inn")
    window.press("Begin chat")
    window.wait(lambda: window.title == "The Inn" and len(window.shown()) == 2)
    assert window.shown() == ["Evening.", "Hello, Tom, Mira."]
    assert faces(window) == ["Tom", "Mira"]
    window.say("Tom? Mira?")
    window.wait(lambda: window.shown()[3:] == ["I am here.", "Me too."])
    heads = [window.message(number).accessibleName() for number in (4, 5)]
    assert heads == ["Tom, message 4", "Mira, message 5"]


def test_a_click_on_a_face_lets_that_member_reply(desk: Desk, server: FakeLLM) -> None:
    server.reply = "As you wish."
    prepare(desk, server, settings=GroupSettings(order="manual"))
    window = desk.open()
    window.say("Who speaks?")
    assert window.texts() == ["Who speaks?"]
    assert window.has(QLabel, "") or window.all(GroupBar)
    window.press("小明")
    window.wait(lambda: len(window.stored()) == 2)
    window.wait_idle()
    assert [item.name for item in window.stored()] == ["Alex", "小明"]
    window.wait(lambda: window.shown() == ["Who speaks?", "As you wish."])
    # Written anew, it is still his.
    window.window.chat.regenerate_last()
    window.wait_idle()
    last = window.stored()[-1]
    assert (last.name, last.swipe_count) == ("小明", 2)


def test_replies_stream_one_after_the_other_and_stop_ends_the_round(desk: Desk, server: FakeLLM) -> None:
    server.reply = lambda request: Deltas([f"{len(request.messages)} "] * 40)
    server.fault = Fault(delta_delay=0.01)
    prepare(desk, server, settings=GroupSettings(order="list"))
    window = desk.open()
    window.send("Go.")
    window.wait(lambda: len(window.shown()) == 3 and len(window.shown()[2]) > 8)
    first, second = window.stored()[1:3]
    assert (first.name, first.swipe.state, second.name) == ("Mira", SwipeState.DONE, "Tom")
    assert window.shown()[1] == first.text
    ringed = [button.accessibleName() for button in window.all(MemberButton) if button._writing]
    assert ringed == ["Tom"]
    window.key(Qt.Key.Key_Escape, on=window.words)
    window.wait_idle()
    replies = window.stored()[1:]
    assert [(item.name, item.swipe.state) for item in replies] == [
        ("Mira", SwipeState.DONE), ("Tom", SwipeState.STOPPED),
    ]  # fmt: skip
    window.wait(lambda: window.shown()[2] == replies[1].text)
    assert not [button for button in window.all(MemberButton) if button._writing]


def test_a_round_goes_on_while_another_chat_is_open(desk: Desk, server: FakeLLM) -> None:
    server.reply = lambda request: Deltas([f"{len(request.messages)} "] * 20)
    server.fault = Fault(delta_delay=0.01)
    prepare(desk, server, settings=GroupSettings(order="list"))
    with desk.workspace() as workspace:
        other = workspace.library.new_chat(workspace.characters.all()[0].id, "Other")
        party = workspace.chats.find("Party").id
    window = desk.open()
    window.open_chat("Party")
    window.send("Go.")
    window.wait(lambda: len(window.shown()) == 2)
    window.open_chat("Other")
    window.wait(lambda: len(window.stored(party)) == 3)
    window.open_chat("Party")
    window.wait_idle()
    window.wait(lambda: window.shown() == window.texts(party))
    assert [item.name for item in window.stored(party)] == ["Alex", *NAMES]
    assert not window.texts(other.id)


def test_mute_move_and_remove_from_the_menu_of_a_face(desk: Desk, server: FakeLLM) -> None:
    prepare(desk, server)
    window = desk.open()

    def menu(name: str, entry: str) -> None:
        opened = window.window.groups.member_menu(window.find(MemberButton, name).member.id)
        assert opened is not None
        (action,) = [action for action in opened.actions() if action.text() == entry]
        assert action.isEnabled()
        action.trigger()
        opened.deleteLater()

    menu("Tom", "Mute")
    window.wait(lambda: "Muted" in window.find(MemberButton, "Tom").accessibleDescription())
    menu("Tom", "Move left")
    window.wait(lambda: faces(window) == ["Tom", "Mira", "小明"])
    menu("Mira", "Remove from the group")
    window.wait(lambda: faces(window) == ["Tom", "小明"])
    for wanted in (["Tom", "Mira", "小明"], ["Mira", "Tom", "小明"]):
        window.window.undo()
        window.wait(lambda wanted=wanted: faces(window) == wanted)
    window.window.undo()
    window.wait(lambda: "Click" in window.find(MemberButton, "Tom").accessibleDescription())


def test_the_members_window_changes_the_group_at_once(desk: Desk, server: FakeLLM) -> None:
    prepare(desk, server)
    window = desk.open()
    window.press("Members and reply order")
    window.wait(lambda: window.has(QSlider, "Talkativeness of Tom"))
    slider = window.find(QSlider, "Talkativeness of Tom")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_End)
    window.press("Mute Mira")
    window.press("Move 小明 up")
    order = window.find(QComboBox, "Who replies")
    order.setFocus()
    QTest.keyClick(order, Qt.Key.Key_End)
    chats = window.workspace.chats

    def stands() -> bool:
        chat = chats.get(window.chat_id)
        members = {member.name: member for member in chat.members}
        return (
            members["Tom"].talkativeness == 1.0
            and members["Mira"].muted
            and chat.character_names == ("Mira", "小明", "Tom")
            and chat.settings.get("group", {}).get("order") == "manual"
        )

    window.wait(stands)
    window.wait(lambda: faces(window) == ["Mira", "小明", "Tom"])
    window.press("Remove Tom from the group")
    window.wait(lambda: not window.has(QSlider, "Talkativeness of Tom"))
    window.press("Close")


def test_a_group_without_an_active_member_says_so(desk: Desk, server: FakeLLM) -> None:
    prepare(desk, server, "Mira", "Tom")
    with desk.workspace() as workspace:
        chat = workspace.chats.find("Party")
        for who in chat.character_ids:
            workspace.groups.mute(chat.id, who, muted=True)
    window = desk.open()
    window.say("Anyone?")
    window.wait(lambda: "unmute a member" in window.toast)
    assert window.texts() == ["Anyone?"]
    assert not server.chat_requests


def test_a_member_who_is_deleted_while_the_chat_is_open(desk: Desk, server: FakeLLM) -> None:
    prepare(desk, server, settings=GroupSettings(order="list"))
    window = desk.open()
    mira = window.find(MemberButton, "Mira").member.id
    window.running.session.delete_character(mira)
    window.wait(lambda: "trash" in window.find(MemberButton, "Mira").accessibleDescription())
    assert not window.find(MemberButton, "Mira").isEnabled()
    window.say("Who is left?")
    assert [item.name for item in window.stored()] == ["Alex", "Tom", "小明"]
    window.window.undo()
    window.wait(lambda: window.find(MemberButton, "Mira").isEnabled())


def test_a_chat_with_one_becomes_a_group(desk: Desk, server: FakeLLM) -> None:
    server.reply = "Here."
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.")
    with desk.workspace() as workspace:
        workspace.library.add_character("Tom", card("Tom"))
    window = desk.open()
    window.window.acts.run("group.add")
    window.wait(lambda: window.has(QListWidget, "Characters"))
    assert window.find(QListWidget, "Characters").count() == 1
    tick(window, "Tom")
    window.press("Add")
    window.wait(lambda: faces(window) == ["Mara", "Tom"])
    window.say("Tom?")
    assert window.stored()[-1].name == "Tom"
    window.window.undo()
    window.wait(lambda: not window.all(GroupBar))


def test_thirty_members_fit_into_a_small_window(desk: Desk, server: FakeLLM) -> None:
    names = [f"Member {number}" for number in range(28)]
    prepare(desk, server, *names, "Member 3", "")
    window = desk.open()
    window.window.resize(1024, 640)
    window.wait(lambda: window.has(QLabel, "") or window.all(MemberButton))
    shown = len(faces(window))
    assert 5 < shown < 30
    assert window.window.width() == 1024
    window.press("All members")
    window.wait(lambda: window.has(QSlider, "Talkativeness of No name"))
    assert len(window.all(QSlider)) == 30
    window.press("Close")


@pytest.mark.parametrize("settings", [GroupSettings(replies="merged")])
def test_one_reply_for_all(desk: Desk, server: FakeLLM, settings: GroupSettings) -> None:
    server.reply = "Mira: Yes.\nTom: No."
    prepare(desk, server, settings=settings)
    window = desk.open()
    window.say("So?")
    window.wait(lambda: len(window.shown()) == 2)
    assert window.message(2).accessibleName() == "Party, message 2"
    window.window.show_side("prompt")
    window.wait(lambda: any("Mira, Tom" in label.text() for label in window.all(QLabel)))
