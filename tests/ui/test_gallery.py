"""The characters of the left side: found, sorted, filtered, starred, duplicated, exported, and kept so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLineEdit, QListView, QMenu, QToolButton

from memdesk.chats.model import CharacterHead, Chat
from memdesk.formats.cards import new_card, read_card, with_fields
from memdesk.ui.models.gallery import GalleryModel, gallery_rows, tag_counts
from memdesk.ui.models.people import Role
from memdesk.ui.widgets.gallery_view import GalleryView
from tests.formats.making import picture
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]

popups = pytest.mark.qt_log_ignore("This plugin does not support (propagateSizeHints|raise|grabbing)")
"""Menus and popups, on a platform without a screen"""

NOON = datetime(2026, 6, 17, 12, 0, tzinfo=UTC)
CTRL = Qt.KeyboardModifier.ControlModifier


class NoPictures(QObject):
    arrived = Signal()

    def get(self, _name: str | None) -> None:
        return None


def head(number: int, name: str, *tags: str, **more: Any) -> CharacterHead:
    at = NOON + timedelta(days=number)
    values: dict[str, Any] = {"avatar": None, "sample": None, "favourite": False, **more}
    return CharacterHead(id=number, name=name, created_at=at, updated_at=at, tags=tags, **values)


def chat(number: int, *characters: int) -> Chat:
    at = NOON + timedelta(hours=number)
    return Chat(number, "Talk", "single", "roleplay", characters, (), None, {}, at, at)


@pytest.fixture
def model(qtbot: Any) -> Iterator[GalleryModel]:  # noqa: ARG001
    parent = NoPictures()
    yield GalleryModel(parent, parent)  # type: ignore[arg-type]
    parent.deleteLater()


def names(model: GalleryModel) -> list[str]:
    return [model.index(row).data() for row in range(model.rowCount())]


PEOPLE = [
    head(1, "Mara", "sea", "slow burn", creator="Ann"),
    head(2, "éclair", "SEA"),
    head(3, "艾莉亚", "灯塔", nickname="小艾"),
    head(4, "mara", favourite=True, line="A <b>thief</b>."),
    head(5, "Chapter 10"),
    head(6, "Chapter 9", "ｓｅａ"),
]


def test_orders(model: GalleryModel) -> None:
    model.set_rows(gallery_rows(PEOPLE, [chat(1, 5), chat(3, 2, 1), chat(2, 2)], NOON))
    # Favourites first, then as people sort: case and accents aside, numbers by their size.
    assert names(model) == ["mara (2)", "Chapter 9", "Chapter 10", "éclair", "Mara", "艾莉亚"]
    model.arrange(favourites_first=False, order="newest")
    assert names(model)[0] == "Chapter 9"
    assert names(model)[-1] == "Mara"
    model.arrange(order="last_chat")
    assert names(model)[:3] == ["éclair", "Mara", "Chapter 10"]


@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("MARA", {"Mara", "mara (2)"}),
        ("小艾", {"艾莉亚"}),
        ("灯塔", {"艾莉亚"}),
        ("ann", {"Mara"}),
        ("burn mara", {"Mara"}),
        ("thief", {"mara (2)"}),
        ("ｍａｒａ", {"Mara", "mara (2)"}),
        ("mara lighthouse", set()),
        ("  ", {"mara (2)", "Chapter 9", "Chapter 10", "éclair", "Mara", "艾莉亚"}),
    ],
)
def test_searching(model: GalleryModel, needle: str, found: set[str]) -> None:
    model.set_rows(gallery_rows(PEOPLE, [], NOON))
    model.set_needle(needle)
    assert set(names(model)) == found


def test_filters(model: GalleryModel) -> None:
    model.set_rows(gallery_rows(PEOPLE, [], NOON))
    model.arrange(tags=["Sea"])
    assert set(names(model)) == {"Mara", "éclair", "Chapter 9"}
    model.arrange(tags=["sea", "SLOW burn"])
    assert names(model) == ["Mara"]
    model.arrange(tags=[], favourites_only=True)
    assert names(model) == ["mara (2)"]
    assert model.narrowed
    assert tag_counts(PEOPLE)[0] == ("sea", 3)


def test_ten_thousand_tags_and_a_thousand_characters_are_sorted_at_once(model: GalleryModel) -> None:
    many = tuple(f"tag {number}" for number in range(10_000))
    people = [head(n, f"Name {n % 300}", *(many if n == 1 else many[n : n + 8])) for n in range(1, 1_001)]
    started = time.thread_time()
    model.set_rows(gallery_rows(people, [chat(n, n) for n in range(1, 500)], NOON))
    assert len(tag_counts(people)) == 10_000
    model.set_needle("name 17 tag 9999")
    model.arrange(tags=["tag 20"], order="newest")
    assert time.thread_time() - started < 1.5


def test_a_favourite_is_spoken(model: GalleryModel) -> None:
    model.set_rows(gallery_rows(PEOPLE, [], NOON))
    spoken = model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "mara (2), A <b>thief</b>., favourite"
    assert model.index(0).data(Role.FAVOURITE) == 1


def test_pictures_fill_the_lines_and_what_is_marked_stays_marked(model: GalleryModel, qtbot: Any) -> None:
    view = GalleryView(model, model.parent(), "Characters")  # type: ignore[arg-type]
    qtbot.addWidget(view)
    model.set_rows(gallery_rows(PEOPLE, [], NOON))
    view.resize(300, 400)
    view.show()
    qtbot.waitExposed(view)
    view.select(3)
    view.set_grid(True)
    assert view.current_id() == 3
    first = {view.visualRect(model.index(row)).top() for row in range(3)}
    assert len(first) == 1
    view.resize(170, 400)
    qtbot.waitUntil(
        lambda: view.visualRect(model.index(0)).top() < view.visualRect(model.index(2)).top(), timeout=5000
    )
    asked: list[int] = []
    view.deleteRequested.connect(asked.append)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(view, Qt.Key.Key_Left)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert asked == [view.current_id()]
    view.set_grid(False)
    assert asked == [view.current_id()]


# ── in the window ────────────────────────────────────────────────────────────────────────────────────────


def fill(desk: Desk) -> None:
    with desk.workspace() as workspace:
        for name, tags, creator in (
            ("Mara", ["sea"], "Ann"),
            ("林小姐", ["灯塔", "sea"], ""),
            ("Noor", [], ""),
        ):
            card = with_fields(new_card(name, first_mes="Hi."), tags=tags, creator=creator)
            workspace.library.add_character(name, card)


def gallery(desk: Desk) -> OpenDesk:
    window = desk.open()
    window.key(Qt.Key.Key_G, CTRL, on=window.window)
    window.wait(lambda: window.has(QListView, "Characters"))
    return window


def menu(window: OpenDesk, text: str) -> None:
    """Choose from the menu that is open."""
    window.wait(lambda: window.all(QMenu))
    (action,) = [action for shown in window.all(QMenu) for action in shown.actions() if action.text() == text]
    action.trigger()
    for shown in window.all(QMenu):
        shown.close()


@popups
def test_stars_duplicates_and_undo(desk: Desk) -> None:
    fill(desk)
    window = gallery(desk)
    view = window.find(QListView, "Characters")
    assert view.hasFocus()
    assert window.rows("Characters") == ["Mara", "Noor", "林小姐"]
    window.click_row(view, 1)
    window.key(Qt.Key.Key_D, CTRL, on=view)
    window.wait(lambda: window.rows("Characters") == ["Noor", "Mara", "林小姐"])
    window.press("Only favourites")
    assert window.rows("Characters") == ["Noor"]
    window.press("Only favourites")
    window.press("More about this character")
    menu(window, "Duplicate")
    window.wait(lambda: window.rows("Characters") == ["Noor", "Noor (2)", "Mara", "林小姐"])
    window.wait(lambda: view.currentIndex().row() == 1)
    window.window.undo()
    window.wait(lambda: len(window.rows("Characters")) == 3)
    window.window.undo()
    window.wait(lambda: window.rows("Characters") == ["Mara", "Noor", "林小姐"])


@popups
def test_tags_are_ticked_and_everything_stays_after_a_restart(desk: Desk) -> None:
    fill(desk)
    window = gallery(desk)
    window.press("Filter by tag")
    search = window.find(QLineEdit, "Find a tag")
    tags = window.find(QListView, "Tags to choose from")
    assert [tags.model().index(row).data() for row in range(2)] == ["sea", "灯塔"]
    search.setText("灯")
    QTest.keyClick(search, Qt.Key.Key_Return)
    assert window.rows("Characters") == ["林小姐"]
    window.window.library.gallery._picker.close()  # type: ignore[union-attr]
    window.find(QToolButton, "Pictures side by side").click()
    (newest,) = [
        one for one in window.window.library.gallery._orders.values() if one.text() == "Newest first"
    ]
    newest.trigger()
    desk.close(window)
    again = gallery(desk)
    page = again.window.library.gallery
    again.wait(lambda: again.rows("Characters") == ["林小姐"])
    assert (page.view.grid, page.model.order) == (False, "newest")
    again.press("Take the tag 灯塔 off")
    assert again.rows("Characters") == ["Noor", "林小姐", "Mara"]


@popups
def test_a_character_is_exported_from_the_window(desk: Desk, tmp_path: Path) -> None:
    fill(desk)
    window = gallery(desk)
    window.click_row(window.find(QListView, "Characters"), 2)
    for name in ("out.png", "out.json"):
        window.press("More about this character")
        menu(window, "Export…")
        window.wait(lambda: window.all(QFileDialog))
        (dialog,) = window.all(QFileDialog)
        assert dialog.selectedFiles()[0].endswith("林小姐.png")
        dialog.fileSelected.emit(str(tmp_path / name))
        dialog.close()
        window.wait(lambda name=name: name in window.toast)
        assert read_card(tmp_path / name).name == "林小姐"


def test_pictures_come_when_they_are_looked_at(desk: Desk) -> None:
    with desk.workspace() as workspace:
        card = new_card("Mara")
        character = workspace.library.add_character("Mara", card, workspace.files.put(picture(), ".png"))
        lost = workspace.library.add_character("Lost", card, "0" * 64)
    window = gallery(desk)
    pictures = window.window.pictures
    window.wait(lambda: pictures.get(character.avatar) is not None)
    assert pictures.get(lost.avatar) is None
