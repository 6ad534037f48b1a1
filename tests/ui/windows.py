"""The real window over a real data folder, used as a person uses it: by names, keys and clicks."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QListView,
    QPlainTextEdit,
    QWidget,
)

from memdesk.assets import asset
from memdesk.chats.model import Chat, Message
from memdesk.llm.profile import ConnectionProfile
from memdesk.settings import Settings, save_settings
from memdesk.ui.app import Running
from memdesk.ui.main_window import MainWindow
from memdesk.ui.widgets.composer import Composer
from memdesk.ui.widgets.message_widget import MessageWidget
from memdesk.ui.widgets.toast import Toast
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import real_embedder, talk, use_embedder

WAIT_MS = 20_000
"""How long a test waits for what must come; only a failing test waits that long."""


class OpenDesk:
    """A window that is open, and the hands and eyes of the person before it."""

    def __init__(self, running: Running, qtbot: Any) -> None:
        self.running = running
        self.workspace = running.workspace
        self._bot = qtbot

    @property
    def window(self) -> MainWindow:
        return self.running.window

    # ── waiting ──────────────────────────────────────────────────────────────────────────────────────

    def wait(self, condition: Callable[[], object]) -> None:
        self._bot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)

    def rest(self, milliseconds: int = 150) -> None:
        """Let time pass in which nothing wrong may happen."""
        self._bot.wait(milliseconds)

    def wait_idle(self) -> None:
        """Wait until no reply is being written."""
        self.wait(lambda: not self.running.session._replies)

    # ── finding ──────────────────────────────────────────────────────────────────────────────────────

    def all(self, kind: type, name: str | None = None) -> list[Any]:
        """Return the visible widgets of a kind, in any window, with this accessible name."""
        found = []
        for root in QApplication.topLevelWidgets():
            for widget in [root, *root.findChildren(QWidget)]:
                fits = isinstance(widget, kind) and (name is None or widget.accessibleName() == name)
                if fits and widget.isVisible() and widget not in found:
                    found.append(widget)
        return found

    def find(self, kind: type, name: str) -> Any:
        found = self.all(kind, name)
        assert len(found) == 1, f"{len(found)} × {name!r}"
        return found[0]

    def has(self, kind: type, name: str) -> bool:
        return bool(self.all(kind, name))

    @property
    def words(self) -> QPlainTextEdit:
        """Where one writes."""
        return self.find(Composer, "Composer").findChild(QPlainTextEdit)  # type: ignore[no-any-return]

    @property
    def toast(self) -> str:
        toast = self.window.findChild(Toast)
        return toast.text() if toast is not None and toast.isVisible() else ""

    @property
    def title(self) -> str:
        return self.window.findChild(QLabel, "chat-title").text()  # type: ignore[no-any-return]

    def message(self, number: int) -> MessageWidget:
        """Return the widget of a message by its number in the chat."""
        found = [w for w in self.all(MessageWidget) if w.message.number == number]
        assert len(found) == 1, f"{len(found)} × message {number}"
        return found[0]  # type: ignore[no-any-return]

    def shown(self) -> list[str]:
        """Return the texts on the page, from top to bottom, as a person reads them."""
        widgets = sorted(self.all(MessageWidget), key=lambda widget: widget.y())
        return [widget.body.toPlainText() for widget in widgets]

    # ── acting ───────────────────────────────────────────────────────────────────────────────────────

    def press(self, name: str, inside: QWidget | None = None) -> None:
        """Click a button by its name."""
        if inside is None:
            button = self.find(QAbstractButton, name)
        else:
            (button,) = [
                b
                for b in inside.findChildren(QAbstractButton)
                if b.accessibleName() == name and b.isVisible()
            ]
        assert button.isEnabled(), name
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def key(self, key: Qt.Key, *modifiers: Qt.KeyboardModifier, on: QWidget | None = None) -> None:
        """Press a key where the focus is."""
        target = on or QApplication.focusWidget() or self.window
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= modifier
        QTest.keyClick(target, key, held)

    def type(self, text: str) -> None:
        """Write into the composer, key by key."""
        words = self.words
        words.setFocus()
        for line, part in enumerate(text.split("\n")):
            if line:
                QTest.keyClick(words, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
            if part.isascii():
                QTest.keyClicks(words, part)
            else:
                # What an input method commits.
                words.insertPlainText(part)

    def send(self, text: str) -> None:
        """Write and press Enter."""
        self.type(text)
        self.key(Qt.Key.Key_Return, on=self.words)

    def say(self, text: str) -> None:
        """Send, and wait for the whole reply."""
        self.send(text)
        self.wait_idle()
        assert not self.words.toPlainText()

    def click_row(self, view: QListView, row: int) -> None:
        """Click a row of a list."""
        index = view.model().index(row, 0)
        view.scrollTo(index)
        place = view.visualRect(index)
        QTest.mouseClick(
            view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place.center().x(), place.bottom() - 8)
        )

    def rows(self, name: str) -> list[str]:
        """Return what a list shows, as a screen reader hears it."""
        view = self.find(QListView, name)
        model = view.model()
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    def open_chat(self, title: str) -> None:
        """Click a chat in the list and wait until it is on the page."""
        self.wait(lambda: title in self.rows("Chats"))
        self.click_row(self.find(QListView, "Chats"), self.rows("Chats").index(title))
        self.wait(lambda: self.window.chat.chat is not None and self.window.chat.chat.title == title)
        self.wait_page()

    def wait_page(self) -> None:
        """Wait until the messages of the chat are there."""
        window, model = self.window, self.window.chat.model
        self.wait(lambda: window.chat.chat_id == window._wanted_chat)
        self.wait(lambda: not model.count or model.messages)

    # ── what is on disk ──────────────────────────────────────────────────────────────────────────────

    @property
    def chat_id(self) -> int:
        chat_id = self.window.chat.chat_id
        assert chat_id is not None
        return chat_id

    def stored(self, chat_id: int | None = None) -> list[Message]:
        wanted = self.chat_id if chat_id is None else chat_id
        return self.workspace.messages.page(wanted, 1, 10_000)

    def texts(self, chat_id: int | None = None) -> list[str]:
        return [message.text for message in self.stored(chat_id)]


class Desk:
    """A data folder on which the window can be opened, again and again."""

    def __init__(self, folder: Path, qtbot: Any) -> None:
        self.folder = folder
        self._bot = qtbot
        self._open: list[tuple[OpenDesk, Running]] = []

    def connect(self, profile: ConnectionProfile) -> None:
        """Make a connection the one that replies come from, at the next opening."""
        self.set(connections=[profile], connection=profile.id)

    def set(self, **values: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        save_settings(self.folder / "settings.toml", Settings(**values))

    def prepare(self, *lines: str, title: str = "Talk", name: str = "Mara", **card: Any) -> Chat:
        """Make a chat before the window opens."""
        with Workspace(self.folder, samples=False, background=False) as workspace:
            return talk(workspace, *lines, title=title, name=name, **card)

    @contextlib.contextmanager
    def workspace(self) -> Iterator[Workspace]:
        with Workspace(self.folder, samples=False, background=False) as opened:
            yield opened

    def open(self, *, samples: bool = False, models: Path | None = None, loaded: bool = True) -> OpenDesk:
        """Open the window and wait until its lists are there."""
        workspace = Workspace(self.folder, samples=samples, models=models)
        running = Running(workspace, f"memdesk-test-{abs(hash(str(self.folder)))}")
        desk = OpenDesk(running, self._bot)
        self._open.append((desk, running))
        running.window.show()
        self._bot.waitUntil(lambda: QApplication.activeWindow() is not None, timeout=WAIT_MS)
        if loaded:
            desk.wait(lambda: running.window.library._was_loaded)
            desk.wait_page()
        return desk

    def close(self, desk: OpenDesk) -> None:
        """Close the window with its close button, and everything behind it."""
        for entry in [entry for entry in self._open if entry[0] is desk]:
            self._open.remove(entry)
            entry[1].window.close()
            entry[1].close()
            entry[1].deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def close_all(self) -> None:
        for desk, _running in list(self._open):
            self.close(desk)

    def query(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Look into the database from outside."""
        connection = sqlite3.connect(f"file:{self.folder / 'memdesk.db'}?mode=ro", uri=True, timeout=10)
        with contextlib.closing(connection):
            return connection.execute(statement, values).fetchall()


@pytest.fixture(name="desk")
def desk_fixture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any) -> Iterator[Desk]:
    """An empty data folder; its embedder is the real one, loaded once for all tests."""
    use_embedder(monkeypatch, lambda folder: real_embedder(None if folder == asset("model") else folder))
    made = Desk(tmp_path / "data", qtbot)
    yield made
    made.close_all()


@pytest.fixture(name="server")
def server_fixture() -> Iterator[FakeLLM]:
    """A language model on loopback that does what a test asks for."""
    with FakeLLM() as running:
        yield running
