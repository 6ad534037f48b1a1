"""How the window stood: found again after a restart, also after one that nobody was asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from memdesk.store.whole import write_whole
from memdesk.ui.background import Background
from memdesk.ui.panels.side_panel import _Window
from memdesk.ui.window_state import WindowState
from tests.support.workspaces import talk
from tests.ui.windows import Desk, desk_fixture

__all__ = ["desk_fixture"]


@pytest.fixture(name="background")
def background_fixture(qapp: Any) -> Iterator[Background]:  # noqa: ARG001
    made = Background()
    yield made
    made.close()


def test_changes_are_written_without_being_asked_for(
    background: Background, tmp_path: Path, qtbot: QtBot
) -> None:
    state = WindowState(tmp_path, background)
    state.set("chat", 3)
    state.keep("sizes", lambda: [1, 2])
    path = tmp_path / "window.json"
    qtbot.waitUntil(path.exists)
    assert json.loads(path.read_text()) == {"chat": 3, "sizes": [1, 2]}
    again = WindowState(tmp_path, background)
    assert again.get("chat", 0) == 3
    assert again.get("chat", "") == ""
    assert again.get("chat", default=False) is False
    assert again.get("sizes", [0]) == [1, 2]
    assert not list(tmp_path.glob(".window*"))


def test_what_cannot_be_written_breaks_nothing(background: Background, tmp_path: Path, qtbot: QtBot) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    state = WindowState(folder, background)
    folder.rmdir()
    state.set("a", "\ud800")
    state.flush()
    qtbot.wait(50)
    folder.mkdir()
    state.set("b", 2)
    qtbot.waitUntil((folder / "window.json").exists)
    assert json.loads((folder / "window.json").read_text()) == {"a": "?", "b": 2}


@pytest.mark.parametrize("broken", [b"", b"[1]", b"{", b"\xff", b"[" * 100_000])
def test_a_broken_file_is_put_aside(background: Background, tmp_path: Path, broken: bytes) -> None:
    (tmp_path / "window.json").write_bytes(broken)
    assert WindowState(tmp_path, background).get("chat", 7) == 7
    assert (tmp_path / "window.json.broken").read_bytes() == broken


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write_whole(path, b"one")
    target = tmp_path / "folder"
    target.mkdir()
    (target / "x").touch()
    with pytest.raises(OSError, match=r".+"):
        write_whole(target, b"two")
    assert path.read_bytes() == b"one"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a", "folder"]


def copied(desk: Desk, wanted: dict[str, Any]) -> dict[str, Any]:
    """Return what a kill would leave once it holds what is wanted."""
    path = desk.folder / "window.json"
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return found if all(found.get(key) == value for key, value in wanted.items()) else {}


def test_everything_stands_on_the_disk_a_moment_later(desk: Desk) -> None:
    """Nothing waits for the window to close: what is written is all that is left after a kill."""
    with desk.workspace() as workspace:
        talk(workspace, *[f"Line {n}." for n in range(1, 61)], title="Long")
        talk(workspace, "Hello.", title="Short")
    window = desk.open()
    window.open_chat("Long")
    long = window.chat_id
    bar = window.window.chat.view.verticalScrollBar()
    window.wait(lambda: bar.maximum() > 300)
    bar.setValue(bar.maximum() // 2)
    window.type("Half a")
    window.window.library.show_page(1)
    window.window.folding.toggle(window.window.side)
    window.wait(lambda: copied(desk, {"chat": long, "folded": ["right"], "library_page": 1}))
    window.wait(lambda: copied(desk, {"drafts": {str(long): "Half a"}}).get("places"))
    path = desk.folder / "window.json"
    left = path.read_bytes()
    top = seen(window)
    desk.close(window)
    path.write_bytes(left)
    window = desk.open()
    assert window.chat_id == long
    assert window.words.toPlainText() == "Half a"
    assert not window.window.side.isVisible()
    assert window.window.library.stack.currentIndex() == 1
    window.wait(lambda: seen(window) == top)


def seen(window: Any) -> tuple[int, int]:
    """Return the first message in sight, and where it stands."""
    view, model = window.window.chat.view, window.window.chat.model
    top = view.verticalScrollBar().value()
    for message in model.messages:
        widget = view.widget_for(message.id)
        if widget is not None and widget.y() + widget.height() > top:
            return message.number, widget.y() - top
    return 0, 0


def test_each_chat_opens_where_one_was_reading(desk: Desk) -> None:
    with desk.workspace() as workspace:
        talk(workspace, *[f"Line {n}." for n in range(1, 401)], title="Long")
        talk(workspace, *[f"Word {n}." for n in range(1, 61)], title="Other")
    window = desk.open()
    window.open_chat("Long")
    view = window.window.chat.view
    view.jumpTo(120)
    window.wait(lambda: view.widget_for(window.window.chat.model.messages[0].id) and seen(window)[0] < 130)
    window.rest(250)
    view.verticalScrollBar().setValue(view.verticalScrollBar().value() + 37)
    top = seen(window)
    assert 100 < top[0] < 130
    window.open_chat("Other")
    assert view.following
    window.open_chat("Long")
    window.wait(lambda: seen(window) == top)
    assert not view.following
    # At the end, the end is what is wanted, whatever comes meanwhile.
    view.jumpToEnd()
    window.wait(lambda: view.following and window.window.chat.model.at_end)
    window.rest(250)
    window.open_chat("Other")
    window.open_chat("Long")
    window.wait(lambda: window.window.chat.model.at_end and view.following)
    assert window.shown()[-1] == "Line 400."


def test_a_place_whose_message_is_gone_is_near_it(desk: Desk) -> None:
    with desk.workspace() as workspace:
        chat = talk(workspace, *[f"Line {n}." for n in range(1, 61)], title="Long")
    (desk.folder / "window.json").write_text(
        json.dumps({"chat": chat.id, "places": {str(chat.id): [999_999, 20, -3], "77": [1, 1, 1]}})
    )
    window = desk.open()
    window.wait(lambda: seen(window) == (20, -3))
    window.wait(lambda: list(copied(desk, {"chat": chat.id}).get("places", {})) == [str(chat.id)])


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_panel_that_is_out_stands_where_it_stood(desk: Desk) -> None:
    desk.prepare("Hello.")
    window = desk.open()
    window.press("Open panel in its own window")
    own: QWidget = next(w for w in QApplication.topLevelWidgets() if isinstance(w, _Window) and w.isVisible())
    own.setGeometry(140, 90, 480, 560)
    size = own.size()
    ran: list[str] = []
    window.window.acts.ran.connect(ran.append)
    window.window.acts.act("view.left").action.trigger()
    assert own.actions() == window.window.actions()
    window.wait(lambda: "memories" in copied(desk, {}).get("panels", {}).get("out", {}))
    window.rest(600)
    desk.close(window)
    window = desk.open()
    window.wait(lambda: any(isinstance(w, _Window) and w.isVisible() for w in QApplication.topLevelWidgets()))
    own = next(w for w in QApplication.topLevelWidgets() if isinstance(w, _Window) and w.isVisible())
    assert own.size() == size
    assert ran == ["view.left"]
