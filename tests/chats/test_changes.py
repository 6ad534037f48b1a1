from __future__ import annotations

import threading

import pytest

from memdesk.chats.changes import Change, ChangeBus, ChangeKind

CHANGE = Change(ChangeKind.MESSAGES_ADDED, 1, (2, 3))


def test_every_listener_hears_every_change_in_order() -> None:
    bus, heard = ChangeBus(), []
    bus.subscribe(lambda change: heard.append(("a", change)))
    bus.subscribe(lambda change: heard.append(("b", change)))
    bus.publish(CHANGE)
    assert heard == [("a", CHANGE), ("b", CHANGE)]


def test_whoever_left_hears_nothing_and_may_leave_twice() -> None:
    bus, heard = ChangeBus(), []
    leave = bus.subscribe(heard.append)
    leave()
    leave()
    bus.publish(CHANGE)
    assert heard == []


def test_listeners_may_come_go_and_publish_while_a_change_is_told() -> None:
    bus, heard = ChangeBus(), []

    def once(change: Change) -> None:
        heard.append(change)
        leave()
        bus.subscribe(heard.append)
        bus.publish(Change(ChangeKind.CHAT_CHANGED, 9))

    leave = bus.subscribe(once)
    bus.publish(CHANGE)
    assert heard == [CHANGE, Change(ChangeKind.CHAT_CHANGED, 9)]


def test_many_threads_can_listen_at_once() -> None:
    bus, heard = ChangeBus(), []

    def work() -> None:
        for _ in range(50):
            leave = bus.subscribe(heard.append)
            bus.publish(CHANGE)
            leave()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(heard) >= 200
    heard.clear()
    bus.publish(CHANGE)
    assert heard == []


def test_a_change_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        CHANGE.chat_id = 2  # type: ignore[misc]
