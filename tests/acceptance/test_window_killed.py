"""`kill -9` while one writes in the window: the draft, the chat and the panels stand as they stood."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.workspaces import Desk, wait_until

WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from memdesk.ui.app import Running
from memdesk.workspace import Workspace

app = QApplication([])
running = Running(Workspace(Path(sys.argv[1]), samples=False, background=False), sys.argv[2])
window = running.window
window.show()

def when(ready, act):
    if ready():
        act()
    else:
        QTimer.singleShot(20, window, lambda: when(ready, act))

def shown():
    return window.chat.chat is not None and window.chat.model.messages

def say(found):
    print(found, flush=True)

if sys.argv[3] == "write":
    def write():
        window.open_chat(int(sys.argv[4]))
        when(lambda: window.chat.chat_id == int(sys.argv[4]), words)
    def words():
        window.chat.composer.findChild(QPlainTextEdit).insertPlainText("Half a sentence, 半句话")
        window.folding.toggle(window.library)
        window.library.show_page(1)
    when(shown, write)
else:
    when(shown, lambda: (say(repr((
        window.chat.chat_id, window.chat.composer.text(), window.folding.by_hand(),
        window.library.stack.currentIndex())).encode().hex()), app.quit()))
app.exec()
running.close()
"""


def start(desk: Desk, *arguments: str) -> subprocess.Popen[bytes]:
    line = [sys.executable, "-c", WINDOW, str(desk.folder), f"memdesk-killed-{os.getpid()}", *arguments]
    return subprocess.Popen(
        line,
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )


def test_what_was_written_and_opened_is_there_after_a_kill(desk: Desk) -> None:
    first = desk.talk("Hello there.", "Good day.", title="First")
    second = desk.talk("And here.", "Well.", title="Second")
    wanted = min(first, second)
    path = desk.folder / "window.json"

    def kept() -> Any:
        return json.loads(path.read_text("utf-8")) if path.exists() else {}

    with start(desk, "write", str(wanted)) as process:
        wait_until(
            lambda: (
                process.poll() is not None
                or (kept().get("library_page") == 1 and str(wanted) in kept().get("drafts", {}))
            ),
            60,
        )
        assert process.poll() is None, process.communicate()[1].decode()
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    with start(desk, "read") as process:
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err.decode()
    found = bytes.fromhex(out.decode().split()[-1]).decode()
    assert found == repr((wanted, "Half a sentence, 半句话", ["left"], 1))
