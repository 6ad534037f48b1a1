"""What takes its time is named in the status bar, with how far it is, and can be stopped."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QToolButton

from memdesk.ui import running
from memdesk.ui.widgets.jobs_indicator import JobsIndicator
from memdesk.work.cancel import CancelToken
from tests.ui.windows import Desk, OpenDesk, desk_fixture

__all__ = ["desk_fixture"]


def told(window: OpenDesk) -> str:
    found = window.all(JobsIndicator)
    return found[0].accessibleName() if found else ""


def test_a_job_is_shown_after_a_second_and_stopped(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SHOWN_AFTER_MS", 30)
    window = desk.open()
    jobs = window.running.session.jobs
    cancel = CancelToken()
    job = jobs.begin("Counting sheep", cancel)
    assert not told(window)
    window.wait(lambda: told(window) == "Counting sheep")

    def work() -> None:
        with job:
            job.say(1200, 4000)
            assert threading.current_thread() is not threading.main_thread()
            cancelled = threading.Event()
            cancel.on_cancel(cancelled.set)
            cancelled.wait(20)

    window.running.background.long(work)
    window.wait(lambda: told(window) == "Counting sheep: 1,200 of 4,000")
    other = jobs.begin("Another")
    window.wait(lambda: told(window) == "Another · +1")
    assert not window.all(QToolButton, "Cancel: Another")
    other.end()
    window.wait(lambda: told(window).startswith("Counting"))
    window.press("Cancel: Counting sheep")
    window.wait(lambda: not told(window))
    assert cancel.cancelled


def test_what_is_over_soon_is_never_shown(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SHOWN_AFTER_MS", 60)
    window = desk.open()
    with window.running.session.jobs.begin("Quick"):
        pass
    window.rest(150)
    assert not told(window)


def test_an_import_is_stopped_between_two_files(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "SHOWN_AFTER_MS", 0)
    window = desk.open()
    library = window.workspace.library
    real, gate, began = library.import_card, threading.Event(), threading.Event()

    def slow(path: Path) -> Any:
        began.set()
        gate.wait(20)
        return real(path)

    monkeypatch.setattr(library, "import_card", slow)
    files = []
    for name in ("One", "Two", "Three"):
        path = tmp_path / f"{name}.json"
        path.write_text('{"spec": "chara_card_v2", "data": {"name": "%s", "first_mes": "Hi."}}' % name)  # noqa: UP031
        files.append(path)
    window.window.openers.imports.take(files)
    window.wait(began.is_set)
    window.wait(lambda: told(window) == "Importing files: 0 of 3")
    window.press("Cancel: Importing files")
    gate.set()
    window.wait(lambda: "Stopped after 1 of 3 files." in window.toast)
    assert [character.name for character in window.workspace.characters.all()] == ["One"]
    window.wait(lambda: not told(window))


def test_embedding_rests_and_goes_on(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SHOWN_AFTER_MS", 0)
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    window.wait(lambda: counts(window) == (2, 2))
    window.window.status._embedding.follow(5, available=True)
    window.wait(lambda: told(window).startswith("Embedding"))
    window.press("Pause: Embedding")
    sync = window.workspace.sync
    assert sync.resting
    window.say("Where is the key?")
    window.wait(lambda: counts(window) == (4, 2))
    window.wait(lambda: window.all(QToolButton, "Go on embedding"))
    assert not told(window)
    window.press("Go on embedding")
    window.wait(lambda: counts(window) == (4, 4))
    window.wait(lambda: not told(window) and not window.all(QToolButton, "Go on embedding"))
    assert not sync.resting


def counts(window: OpenDesk) -> tuple[int, int]:
    total, ready, _tokens = next(iter(window.workspace.sync.counts().values()), (0, 0, 0))
    return total, ready
