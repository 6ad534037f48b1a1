"""No picture that a text names is loaded; words say which. Links say where they really lead."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QMessageBox, QWidget

from memdesk.ui.addresses import host_of, plain_host, shown_host
from memdesk.ui.panels.links import ask_link
from memdesk.ui.roleplay_text import Style, spans, visible_text
from memdesk.ui.widgets.message_body import MessageBody


@pytest.mark.parametrize(
    ("text", "shown", "address"),
    [
        (
            "see ![a cat](https://example.org/x.png) there",
            "see [picture from example.org not loaded: a cat] there",
            "https://example.org/x.png",
        ),
        (
            '<IMG alt="my “cat”" src="http://Example.ORG:81/x.png">',
            "[picture from example.org not loaded: my cat]",
            "http://Example.ORG:81/x.png",
        ),
        ("![](https://exаmple.org/x)", "[picture from xn--exmple-4nf.org not loaded]", "https://exаmple.org/x"),
        ("![x](file:///etc/passwd)", "[picture file not loaded: x]", ""),
        ("![x](C:\\pictures\\x.png)", "[picture file not loaded: x]", ""),
        ("![x](//server/share/x.png)", "[picture on another machine (server) not loaded: x]", ""),
        ("![x](\\\\server\\share\\x.png)", "[picture on another machine (server) not loaded: x]", ""),
        ("![x](file:////server/share/x.png)", "[picture on another machine (server) not loaded: x]", ""),
        ("![x](data:image/png;base64,AAAA)", "[picture inside the text not shown: x]", ""),
        ("![x](javascript:alert)", "[picture not loaded: x]", ""),
        ("![x](http://[)", "[picture not loaded: x]", ""),
        ("<img>", "[picture file not loaded]", ""),
        ("*he shows ![x](a.png) it*", "he shows [picture file not loaded: x] it", ""),
    ],
)  # fmt: skip
def test_words_stand_in_the_place_of_a_picture(text: str, shown: str, address: str) -> None:
    assert visible_text(text) == shown
    (run,) = [run for block in spans(text) for run in block.runs if Style.PICTURE in run.style]
    assert run.href == address


def test_code_stays_as_it_is() -> None:
    assert visible_text("`![x](a.png)`") == "![x](a.png)"


def test_a_body_loads_nothing(qtbot: Any) -> None:
    asked: list[Any] = []

    class Watched(MessageBody):
        def loadResource(self, kind: int, name: Any) -> None:  # noqa: N802
            asked.append(name)
            super().loadResource(kind, name)

    body = Watched()
    qtbot.addWidget(body)
    body.setText("![x](https://example.org/x.png) <img src='//server/x.png'> ![y](file:///etc/passwd)")
    body.height_for(300)
    body.grab()
    assert not asked


def test_hosts_are_told_as_they_are() -> None:
    assert plain_host("EXAMPLE.org.") == "example.org"
    assert plain_host("аpple.com") == "xn--pple-43d.com"
    assert shown_host("xn--pple-43d.com") == "аpple.com"
    assert shown_host("apple.com") == ""
    assert host_of("https://google.com@evil.example/x") == ("evil.example", True)
    assert host_of("https://evil.example\\@google.com/") == ("evil.example", False)
    assert host_of("https://[::1]:80/") == ("::1", False)
    assert host_of("http://[") == ("", False)
    assert plain_host("a" * 500 + ".evil.example").endswith(".evil.example")


def questions(parent: QWidget) -> list[QMessageBox]:
    return [box for box in parent.findChildren(QMessageBox) if box.isVisible()]


def test_a_link_asks_and_says_where_it_leads(qtbot: Any) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    ask_link("https://google.com@аpple.com/<b>x</b>", parent)
    (box,) = questions(parent)
    words = box.informativeText()
    assert "It leads to: xn--pple-43d.com" in words
    assert "looks like “аpple.com”" in words
    assert "before the @" in words
    assert "<b>x</b>" in words
    assert box.defaultButton() is box.button(QMessageBox.StandardButton.Cancel)
    box.reject()
    for address in (
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "smb://host/x",
        "",
        "mailto:a@b.c",
    ):
        ask_link(address, parent)
    assert len(questions(parent)) == 0
