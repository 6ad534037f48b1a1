"""Chats and characters as rows: grouped by day, found by words, and on one line whatever they are called."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest

from memdesk.chats.model import Chat, SwipeState
from memdesk.ui.models.people import PeopleModel, Role, chat_rows
from memdesk.ui.widgets.people_list import PeopleList

NOON = datetime(2026, 6, 17, 12, 0, tzinfo=UTC).astimezone()


class NoPictures(QObject):
    arrived = Signal()

    def get(self, _name: str | None) -> None:
        return None


def chat(number: int, at: datetime, title: str = "Talk", line: str = "") -> Chat:
    return Chat(number, title, "single", "roleplay", (1,), ("Mara",), None, {}, at, at, 3, line)


@pytest.fixture
def model(qtbot: Any) -> Iterator[PeopleModel]:  # noqa: ARG001
    parent = NoPictures()
    yield PeopleModel(parent, parent)  # type: ignore[arg-type]
    parent.deleteLater()


def test_chats_are_grouped_by_when_they_were_used(model: PeopleModel) -> None:
    days = [0, 0, 1, 3, 6, 7, 400]
    model.set_rows(chat_rows([chat(n, NOON - timedelta(days=d)) for n, d in enumerate(days)], NOON))
    groups = [model.index(row).data(Role.GROUP) for row in range(model.rowCount())]
    assert groups == ["Today", "", "Yesterday", "This week", "", "Earlier", ""]
    when = [model.index(row).data(Role.WHEN) for row in range(model.rowCount())]
    assert when[0] == NOON.strftime("%H:%M")
    assert all(when)


def test_a_chat_of_tomorrow_stands_under_today(model: PeopleModel) -> None:
    model.set_rows(chat_rows([chat(1, NOON + timedelta(days=2))], NOON))
    assert model.index(0).data(Role.GROUP) == "Today"


def test_the_needle_finds_titles_lines_and_names_in_every_script(model: PeopleModel) -> None:
    chats = [
        chat(1, NOON, "Straße", "fish"),
        chat(2, NOON, "魔王的城堡", "cake"),
        chat(3, NOON, "Tea & <b>", "*CAKE*"),
    ]
    model.set_rows(chat_rows(chats, NOON))

    def found(needle: str) -> list[int]:
        model.set_needle(needle)
        return [model.index(row).data(Role.ID) for row in range(model.rowCount())]

    assert found("STRASSE") == [1]
    assert found("魔王") == [2]
    assert found("cake") == [2, 3]
    assert found("<b>") == [3]
    assert found("mara") == [1, 2, 3]
    assert found("   ") == [1, 2, 3]
    assert found("nothing") == []
    assert model.row_of(1) == -1


def test_a_title_is_one_line_and_its_row_is_spoken_whole(model: PeopleModel) -> None:
    model.set_rows(chat_rows([chat(1, NOON, "Two\nlines\t🐉", "Last\r\nwords")], NOON))
    index = model.index(0)
    assert index.data() == "Two lines 🐉"
    assert index.data(Role.LINE) == "Last words"
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.startswith("Two lines 🐉, Last words, ")


def test_the_marked_row_stays_marked_while_rows_come_and_go(model: PeopleModel, qtbot: Any) -> None:
    view = PeopleList(model, "Chats")
    qtbot.addWidget(view)
    model.set_rows(chat_rows([chat(n, NOON, f"Chat {n}") for n in (1, 2, 3)], NOON))
    view.select(2)
    assert view.current_id() == 2
    model.set_rows(chat_rows([chat(n, NOON, f"Chat {n}") for n in (4, 2, 1)], NOON))
    assert view.current_id() == 2
    model.set_needle("Chat 1")
    assert not view.selectionModel().hasSelection()
    model.set_needle("")
    assert view.current_id() == 2
    view.select(None)
    assert not view.selectionModel().hasSelection()


def test_every_chat_keeps_two_lines(model: PeopleModel, make_message: Any) -> None:
    failed = make_message(
        2, swipe_fields={"text": "", "state": SwipeState.FAILED, "error": "Nobody\nanswers."}
    )
    begun = make_message(2, swipe_fields={"text": "", "state": SwipeState.STREAMING})
    chats = [chat(1, NOON), chat(2, NOON, line=" * "), chat(3, NOON), chat(4, NOON, line="Words")]
    model.set_rows(chat_rows(chats, NOON, {1: failed, 2: begun}))
    lines = [model.index(row).data(Role.LINE) for row in range(4)]
    assert lines == ["Nobody answers.", "…", "No messages yet", "Words"]


@pytest.fixture
def people(model: PeopleModel, qtbot: Any) -> PeopleList:
    view = PeopleList(model, "Characters", calm=True)
    qtbot.addWidget(view)
    model.set_rows(chat_rows([chat(n, NOON, f"Chat {n}") for n in (1, 2, 3)], NOON))
    view.show()
    qtbot.waitExposed(view)
    return view


def click(view: PeopleList, row: int, do: Any = QTest.mouseClick) -> None:
    place = view.visualRect(view.model().index(row, 0)).center()
    do(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_a_click_in_a_calm_list_marks_and_a_double_click_or_enter_chooses(people: PeopleList) -> None:
    chosen: list[int] = []
    marked: list[int] = []
    people.chosen.connect(chosen.append)
    people.marked.connect(marked.append)
    click(people, 1)
    assert (chosen, marked[-1]) == ([], 2)
    click(people, 1, QTest.mouseDClick)
    assert chosen == [2]
    QTest.keyClick(people, Qt.Key.Key_Down)
    QTest.keyClick(people, Qt.Key.Key_Return)
    assert (chosen, marked[-1]) == ([2, 3], 3)
    model = people.model()
    assert isinstance(model, PeopleModel)
    model.set_rows(chat_rows([chat(1, NOON)], NOON))
    assert marked[-1] == 0


def test_del_deletes_only_what_a_person_went_to(people: PeopleList, qtbot: Any) -> None:
    deleted: list[int] = []
    people.deleteRequested.connect(deleted.append)
    people.select(2)
    for reason in (Qt.FocusReason.OtherFocusReason, Qt.FocusReason.TabFocusReason):
        people.clearFocus()
        people.setFocus(reason)
        qtbot.waitUntil(people.hasFocus)
        QTest.keyClick(people, Qt.Key.Key_Delete)
    assert deleted == []
    QTest.keyClick(people, Qt.Key.Key_Down)
    QTest.keyClick(people, Qt.Key.Key_Delete)
    assert deleted == [3]
    people.clearFocus()
    people.setFocus(Qt.FocusReason.OtherFocusReason)
    click(people, 0)
    QTest.keyClick(people, Qt.Key.Key_Delete)
    assert deleted == [3, 1]
