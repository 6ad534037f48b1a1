"""Pictures of this computer: offered, shown when the person says so, and nothing else is ever opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from memdesk.ui.local_pictures import asked_for, is_local, local_path, show_link
from memdesk.ui.panels.message_pictures import addresses_in
from memdesk.ui.roleplay_text import visible_text
from memdesk.ui.widgets.message_body import MessageBody
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]


@pytest.mark.parametrize(
    "address",
    [
        "http://example.org/x.png",
        "//server/share/x.png",
        "\\\\server\\share\\x.png",
        "file://server/x.png",
        "file:////server/x.png",
        "file:///\\server\\x.png",
        "file:///%2Fserver/x.png",
        "file:///%5Cserver/x.png",
        "file:///x.png?y",
        "file://[/x.png",
        "/etc/passwd",
        "/dev/zero",
        "x.png",
        "../x.png",
        "~/x.png",
        "/a\0.png",
        "data:image/png;base64,AAAA",
        "memdesk-show:%2Fx.png",
        "files/zz.png",
        "",
    ],
)
def test_what_is_no_file_of_this_computer_is_not_offered(address: str) -> None:
    assert not is_local(address)


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("/home/a/x.png", "/home/a/x.png"),
        ("file:///home/a/my%20cat.JPG", "/home/a/my cat.JPG"),
        ("FILE://localhost/x.webp", "/x.webp"),
        ("/图/猫.gif", "/图/猫.gif"),
    ],
)
def test_absolute_paths_are(address: str, path: str) -> None:
    assert local_path(address) == Path(path)
    assert asked_for(show_link(address)) == address


def test_a_message_says_which_it_offers() -> None:
    name = "ab" * 32
    text = f"![x](https://e.org/a.png) ![cat](files/{name}.png) ![cat](files/{name}.png) `![](files/{name})`"
    assert addresses_in(text) == [f"files/{name}.png"]
    assert "[show the picture from this computer: cat]" in visible_text(text)


def picture(path: Path, size: tuple[int, int] = (60, 30)) -> str:
    Image.new("RGB", size, "#ff0000").save(path)
    return path.as_posix()


def images(body: MessageBody) -> int:
    return body.toPlainText().count("\ufffc")


def click_words(body: MessageBody, words: str) -> None:
    found = body.document().find(words)
    place = QTextCursor(found)
    place.setPosition(found.selectionStart() + 3)
    QTest.mouseClick(
        body.viewport(), Qt.MouseButton.LeftButton, pos=body.cursorRect(place).center() + QPoint(1, 0)
    )


def choose(window: OpenDesk, text: str) -> None:
    window.wait(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu: Any = QApplication.activePopupWidget()
    (action,) = [item for item in menu.actions() if item.text() == text]
    menu.close()
    action.trigger()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_shown_once_or_in_the_whole_chat(desk: Desk, tmp_path: Path) -> None:
    one, two = picture(tmp_path / "one.png"), picture(tmp_path / "two.jpg", (2000, 4000))
    desk.prepare(f"Look: ![one]({one}) and ![far](https://example.org/x.png)", f'<img src="{two}">')
    window = desk.open()
    first, second = window.message(1).body, window.message(2).body
    assert images(first) == images(second) == 0
    click_words(first, "show the picture")
    choose(window, "Show this picture")
    window.wait(lambda: images(first) == 1)
    assert images(second) == 0
    # It stands on a line of its own; a browser's picture beside it stays shut.
    assert first.toPlainText().split("\n")[:2] == ["Look: ", "\ufffc"]
    assert "picture from example.org not loaded" in first.toPlainText()
    click_words(second, "show the picture")
    choose(window, "Show all pictures from this computer in this chat")
    window.wait(lambda: images(second) == 1)
    assert window.message(2).height() > 300
    window.window.undo()
    window.wait(lambda: images(second) == 0)
    window.window.acts.run("chat.pictures")
    window.wait(lambda: images(first) == images(second) == 1)
    desk.close(window)
    again = desk.open()
    again.wait(lambda: images(again.message(1).body) == images(again.message(2).body) == 1)
    again.window.acts.run("chat.pictures")
    again.wait(lambda: images(again.message(1).body) == images(again.message(2).body) == 0)


def test_what_is_no_picture_stays_shut(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "svg.png").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "zero.png").symlink_to("/dev/zero")
    with (tmp_path / "large.png").open("wb") as large:
        large.truncate(30 * 1024 * 1024)
    names = ("svg", "pipe", "zero", "large", "gone")
    desk.prepare(" ".join(f"![{name}]({tmp_path}/{name}.png)" for name in names))
    window = desk.open()
    body = window.message(1).body
    window.window.acts.run("chat.pictures")
    pictures = window.window.message_pictures
    window.wait(lambda: len(pictures._images) == len(names))
    assert images(body) == 0
    assert not window.toast
    pictures.show_once([f"{tmp_path}/gone.png"])
    window.wait(lambda: "gone.png" in window.toast)
