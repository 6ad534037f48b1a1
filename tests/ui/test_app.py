"""The window from start to end: what it remembers, a second start, closed folders, languages, names."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from memdesk.assets import asset
from memdesk.ui.app import Running, _name, translate
from memdesk.ui.dialogs.about import AboutDialog
from memdesk.ui.display import missing_display
from memdesk.ui.doorbell import Doorbell, ring
from memdesk.workspace import Workspace
from tests.support.fake_llm import FakeLLM
from tests.support.workspaces import talk, wait_until
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QTabBar,
)


def start(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start memdesk as a process of its own."""
    line = [sys.executable, "-m", "memdesk", "--data-dir", str(folder), *arguments]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))


# ── what the window remembers ────────────────────────────────────────────────────────────────────────


def show_prompt(window: OpenDesk) -> None:
    """Bring the prompt into sight with the key of its panel, which is its place in the row."""
    place = window.window.side.keys().index("prompt")
    window.key(Qt.Key(Qt.Key.Key_1 + place), Qt.KeyboardModifier.ControlModifier)
    window.wait(lambda: any(bar.currentIndex() == place for bar in window.all(QTabBar, "Panels")))


def test_everything_stands_as_it_was_after_a_restart(desk: Desk) -> None:
    with desk.workspace() as workspace:
        talk(workspace, "One.", title="First")
        talk(workspace, "Two.", title="Second")
    window = desk.open()
    other = next(title for title in window.rows("Chats") if title not in window.title)
    window.open_chat(other)
    # The screen of a test is 800 × 800.
    window.window.resize(760, 700)
    window.window.move(20, 30)
    show_prompt(window)
    size, place = window.window.size(), window.window.pos()
    desk.close(window)

    window = desk.open()
    window.wait(lambda: other in window.title)
    assert window.shown() == (["One."] if other == "First" else ["Two."])
    assert (window.window.size(), window.window.pos()) == (size, place)
    window.wait(lambda: window.window.side.current() == "prompt")


def test_the_last_chat_may_be_gone(desk: Desk) -> None:
    chat = desk.prepare("Hello.", title="Only")
    desk.close(desk.open())
    with desk.workspace() as workspace:
        workspace.library.delete_chat(chat.id)
    window = desk.open()
    window.rest()
    assert window.window.chat.chat_id is None
    assert window.title == "memdesk"
    assert not window.toast


def test_a_broken_window_file_is_no_hindrance(desk: Desk) -> None:
    desk.prepare("Hello.")
    path = desk.folder / "window.json"
    path.write_text(
        '{"geometry": "\u00fc", "splitter": 5, "chat": "xyz", "panels": {"out": ["memories"], "front": 3},'
        ' "folded": {"a": 1}, "library_page": 99, "places": {"1": [1], "x": 2}, "drafts": [], "recent": [1]}'
    )
    window = desk.open()
    window.wait(lambda: window.shown() == ["Hello."])
    assert window.window.width() >= 720
    desk.close(window)
    path.write_bytes(b"\xff{")
    window = desk.open()
    window.wait(lambda: window.shown() == ["Hello."])
    assert path.with_name("window.json.broken").read_bytes() == b"\xff{"


# ── a narrow window ──────────────────────────────────────────────────────────────────────────────────


def clipped(window: OpenDesk) -> list[str]:
    """Return the visible controls of the window that are not wholly inside of it."""
    whole = QRect(QPoint(0, 0), window.window.size())
    found = []
    for kind in (QToolButton, QLineEdit, QPlainTextEdit, QTabBar):
        for widget in window.window.findChildren(kind):
            place = QRect(widget.mapTo(window.window, QPoint(0, 0)), widget.size())
            seen = widget.isVisible() and not widget.visibleRegion().isEmpty()
            if seen and not whole.contains(place):
                found.append(f"{widget.accessibleName()} {place}")
    return found


@pytest.mark.parametrize("size", [(1024, 640), (720, 480)])
def test_a_narrow_window_folds_its_sides_and_clips_nothing(desk: Desk, size: tuple[int, int]) -> None:
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    assert window.window.side.isVisible()
    window.window.resize(*size)
    window.wait(lambda: not window.window.side.isVisible())
    assert window.window.library.isVisible() == (size[0] > 820)
    window.rest(50)
    assert clipped(window) == []
    for name in ("Show or hide panels", "Show or hide chats"):
        side = window.window.side if "panels" in name else window.window.library
        before = side.isVisible()
        window.press(name)
        assert side.isVisible() != before
        window.rest(50)
        assert (window.window.width(), window.window.height()) == size
        assert clipped(window) == [], name
        window.press(name)
        assert side.isVisible() == before
    for name in ("Show or hide panels", "Show or hide chats"):
        if not (window.window.side if "panels" in name else window.window.library).isVisible():
            window.press(name)
    window.rest(50)
    assert clipped(window) == []
    window.window.resize(1400, 800)
    window.wait(lambda: window.window.side.isVisible() and window.window.library.isVisible())


# ── a second start ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_second_start_brings_the_first_window_forward(desk: Desk) -> None:
    desk.prepare("Hello.")
    workspace = Workspace(desk.folder, samples=False)
    running = Running(workspace, _name(desk.folder))
    window = OpenDesk(running, desk._bot)
    desk._open.append((window, running))
    running.window.show()
    window.wait_page()
    running.window.showMinimized()
    window.wait(running.window.isMinimized)
    process = start(desk.folder, "--no-samples")
    try:
        window.wait(lambda: process.poll() is not None)
        assert process.returncode == 0
        assert process.communicate()[0] == b""
        window.wait(lambda: not running.window.isMinimized())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_second_start_is_heard_before_the_window_is_built(desk: Desk) -> None:
    """The first start has the folder, but is still loading: the second one does not wait for its window."""
    desk.prepare("Hello.")
    doorbell = Doorbell(_name(desk.folder))
    workspace = Workspace(desk.folder, samples=False, locked=doorbell.listen)
    process = start(desk.folder, "--no-samples")
    try:
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()
    running = Running(workspace, doorbell)
    window = OpenDesk(running, desk._bot)
    desk._open.append((window, running))
    running.window.showMinimized()
    window.wait(lambda: not running.window.isMinimized())
    window.wait_page()


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_properly(desk: Desk, number: signal.Signals) -> None:
    chat = desk.prepare("Hello.")
    process = start(desk.folder)
    try:
        wait_until(lambda: ring(_name(desk.folder)) or process.poll() is not None, 60)
        wait_until((desk.folder / "logs" / "fault.log").exists, 60)
        time.sleep(1)
        process.send_signal(number)
        assert process.wait(30) == 0
    finally:
        process.kill()
        out, err = process.communicate()
    # The platform of the tests has no window manager, and says so.
    said = [line for line in err.decode().splitlines() if "This plugin does not support" not in line]
    assert (out, said) == (b"", [])
    assert json.loads((desk.folder / "window.json").read_text())["chat"] == chat.id
    assert desk.query("SELECT 1 FROM meta WHERE key = 'open'") == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ there")
def test_a_start_waits_for_a_command_that_ends(desk: Desk) -> None:
    with desk.workspace():
        process = start(desk.folder)
        time.sleep(2)
        assert process.poll() is None
    try:
        wait_until(lambda: ring(_name(desk.folder)), 60)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_without_a_display_there_is_a_sentence(desk: Desk) -> None:
    leave_out = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    done = subprocess.run(
        [sys.executable, "-m", "memdesk", "--data-dir", str(desk.folder)],
        capture_output=True,
        env={name: value for name, value in os.environ.items() if name not in leave_out},
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode().startswith("memdesk: There is no display")
    assert done.stderr.count(b"\n") == 1
    assert not desk.folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
@pytest.mark.parametrize(
    "display",
    [
        {"DISPLAY": ":987"},
        {"DISPLAY": "no display, at all"},
        {"WAYLAND_DISPLAY": "nowhere-0"},
        {"WAYLAND_DISPLAY": "/nowhere/wayland", "DISPLAY": ":987"},
        {"WAYLAND_DISPLAY": "nowhere-0", "QT_QPA_PLATFORM": "xcb"},
        {"DISPLAY": ":987", "QT_QPA_PLATFORM": "wayland;xcb"},
    ],
)
def test_a_display_that_does_not_answer_is_named(desk: Desk, display: dict[str, str], tmp_path: Path) -> None:
    leave_out = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    bare = {name: value for name, value in os.environ.items() if name not in leave_out}
    done = subprocess.run(
        [sys.executable, "-m", "memdesk", "--data-dir", str(desk.folder)],
        capture_output=True,
        env=bare | {"XDG_RUNTIME_DIR": str(tmp_path)} | display,
        timeout=60,
        check=False,
    )
    told = done.stderr.decode()
    assert (done.returncode, done.stdout) == (1, b"")
    assert told.startswith("memdesk: No window can be opened. ")
    assert told.endswith("The commands work without one: see memdesk --help.\n")
    assert told.count("\n") == 1
    if "QT_QPA_PLATFORM" not in display:
        assert all(f"{name}={value} does not answer" in told for name, value in display.items())
    assert not desk.folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_a_display_that_answers_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":987")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "here-0")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(tmp_path / "here-0"))
        assert "here-0 does not answer" in missing_display()
        server.listen()
        assert missing_display() == ""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert missing_display() == ""


def test_a_folder_that_something_else_holds_is_told_and_left_alone(desk: Desk, tmp_path: Path) -> None:
    desk.prepare("Hello.")
    script = tmp_path / "open.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from PySide6.QtWidgets import QApplication, QMessageBox\n"
        "from memdesk.ui.app import open_window\n"
        "def answer(box):\n"
        "    print(box.text(), '|', box.informativeText())\n"
        "    return 0\n"
        "QMessageBox.exec = answer\n"
        "sys.exit(open_window(Path(sys.argv[1]), samples=False))\n",
        "utf-8",
    )
    with desk.workspace():
        done = subprocess.run(
            [sys.executable, str(script), str(desk.folder)],
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(Path.cwd())},
            timeout=60,
            check=False,
        )
    assert done.returncode == 1, done.stderr
    said = done.stdout.decode()
    assert "cannot be opened" in said
    assert str(desk.folder) in said
    assert "in use" in said
    assert b"in use" in done.stderr
    with desk.workspace() as workspace:
        assert len(workspace.chats.all()) == 1


# ── embedder, languages, names ───────────────────────────────────────────────────────────────────────


def test_a_missing_model_is_said_and_the_chat_goes_on(desk: Desk, server: FakeLLM, tmp_path: Path) -> None:
    desk.connect(server.profile())
    desk.prepare("Hello.", "Good day.")
    (tmp_path / "empty").mkdir()
    window = desk.open(models=tmp_path / "empty")
    window.wait(lambda: [label for label in window.all(QLabel) if label.text() == "Embedding unavailable"])
    window.say("Still here?")
    window.wait(lambda: window.shown()[2:] == ["Still here?", "You said: Still here?"])
    window.wait(lambda: window.rows("Memories"))
    buttons = window.all(QAbstractButton)
    window.wait(lambda: any("Embedding unavailable" in b.text() for b in window.all(QAbstractButton)))
    assert buttons


@pytest.mark.usefixtures("qapp")
def test_the_app_has_an_icon() -> None:
    picture = QIcon(str(asset("icons", "memdesk.svg"))).pixmap(64, 64).toImage()
    assert picture.size().width() == 64
    colors = {picture.pixelColor(x, y).name() for x in range(64) for y in range(64)}
    assert "#5546b8" in colors
    assert len(colors) > 3


@pytest.mark.parametrize("language", ["zh_CN", "en"])
def test_the_window_opens_in_every_language(desk: Desk, qapp: QApplication, language: str) -> None:
    desk.set(language=language)
    desk.prepare("Hello.", "Good day.", title="标题")
    translate(qapp, language)
    try:
        window = desk.open()
        window.wait(lambda: window.shown() == ["Hello.", "Good day."])
        assert "标题" in window.window.windowTitle()
        desk.close(window)
    finally:
        translate(qapp, "en")


def test_every_control_has_a_name_and_every_label_is_plain(desk: Desk) -> None:
    desk.prepare("Hello.", "Good day.", title="<b>x</b><img src='file:///etc/passwd'>")
    window = desk.open()
    window.wait(lambda: window.rows("Memories"))
    show_prompt(window)
    window.press("Show the prompt that would be sent next")
    window.wait(lambda: window.window.prompt.receipt() is not None)
    window.rest(50)
    nameless = [
        repr(widget)
        for widget in window.window.findChildren(QWidget)
        if isinstance(widget, CONTROLS)
        and widget.isVisible()
        and not widget.accessibleName()
        and not (isinstance(widget, QAbstractButton) and widget.text())
        and not widget.objectName().startswith("qt_")
        and "LineEditIcon" not in type(widget).__name__
        and widget.metaObject().className() != "QLineEditIconButton"
    ]
    assert nameless == []
    rich = [
        label.text()
        for label in window.window.findChildren(QLabel)
        if label.text() and label.textFormat() != Qt.TextFormat.PlainText
    ]
    assert rich == []
    tips = {w.toolTip() for w in window.window.findChildren(QWidget)}
    assert not [tip for tip in tips if "<" in tip]


def test_the_first_window_needs_none_of_the_slow_libraries(desk: Desk) -> None:
    desk.prepare("Hello.")
    script = (
        "import sys, memdesk.ui.app\n"
        "slow = {'chromadb', 'onnxruntime', 'openai', 'sentencepiece', 'tokenizers', 'keyring', 'PIL'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, timeout=60, check=True, cwd=Path.cwd()
    )
    assert done.stdout.decode().strip() == "[]"


def test_a_new_language_is_there_after_restart_now(desk: Desk, tmp_path: Path) -> None:
    """The button closes everything and starts memdesk with the same arguments, in the same folder."""
    desk.prepare("Hello.")
    script, told = tmp_path / "open.py", tmp_path / "told"
    script.write_text(
        "import os, sys\n"
        "from pathlib import Path\n"
        "from PySide6.QtCore import QTimer\n"
        "from PySide6.QtWidgets import QApplication, QPushButton\n"
        "from memdesk.ui.app import open_window\n"
        "from memdesk.ui.main_window import MainWindow\n"
        "from memdesk.ui.dialogs.preferences import PreferencesDialog\n"
        "folder, told = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "def look():\n"
        "    window = next(w for w in app.topLevelWidgets() if isinstance(w, MainWindow))\n"
        "    if not window.library._was_loaded or window.chat.chat is None:\n"
        "        return\n"
        "    timer.stop()\n"
        "    first = not told.exists()\n"
        "    with told.open('a', encoding='utf-8') as file:\n"
        "        words = window.chat.composer.text()\n"
        "        file.write(f'{window.library.search.placeholderText()}|{words}|{sys.argv[3:]}\\n')\n"
        "    if not first:\n"
        "        window.close()\n"
        "        return\n"
        "    window.chat.composer.setText('Half a')\n"
        "    window.openers.open_preferences()\n"
        "    dialog = window.findChild(PreferencesDialog)\n"
        "    dialog._language.control.setCurrentIndex(2)\n"
        "    buttons = {b.accessibleName(): b for b in dialog.findChildren(QPushButton)}\n"
        "    buttons['Restart now'].click()\n"
        "app = QApplication([])\n"
        "timer = QTimer()\n"
        "timer.timeout.connect(look)\n"
        "timer.start(100)\n"
        "sys.exit(open_window(folder, samples=False))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), str(desk.folder), str(told), "a b", "--x"],
        capture_output=True,
        env=dict(os.environ)
        | {"LANG": "en_GB.UTF-8", "LC_ALL": "en_GB.UTF-8", "PYTHONPATH": str(Path.cwd())},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    wait_until(lambda: told.read_text("utf-8").count("\n") == 2)
    assert told.read_text("utf-8").splitlines() == ["Search||['a b', '--x']", "搜索|Half a|['a b', '--x']"]


def test_about_names_what_it_is_built_on(desk: Desk) -> None:
    window = desk.open()
    window.window.openers.about()
    (dialog,) = window.all(AboutDialog)
    assert any("carry away" in label.text() for label in dialog.findChildren(QLabel))
    window.press("Licences of what it is built on", dialog)
    window.wait(lambda: window.has(QPlainTextEdit, "Licence text"))
    text = window.find(QPlainTextEdit, "Licence text")
    window.wait(lambda: "AFFERO" in text.toPlainText())
    window.key(Qt.Key.Key_Down, on=dialog.findChild(QListWidget))
    window.wait(lambda: "AFFERO" not in text.toPlainText())
    dialog.reject()
