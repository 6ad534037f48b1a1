"""The gallery opens at once with a thousand characters, and scrolling it never waits for a picture."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QPixmap

from memdesk.store.database import now, to_text
from memdesk.ui.background import Background
from memdesk.ui.panels.library_panel import LibraryPanel
from memdesk.ui.pictures import Pictures
from memdesk.ui.session import Session
from memdesk.ui.theme import current_theme
from memdesk.workspace import Workspace
from tests.benchmarks.measuring import judge, slowness
from tests.benchmarks.test_chat_view import baseline

pytestmark = [
    pytest.mark.benchmark,
    pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints"),
]

COUNT = 1_000
OPEN_SECONDS = 0.5
KEY_SECONDS = 0.05
"""From a key in the search field to what fits"""
FRAME_SECONDS = 0.033
PICTURES_SECONDS = 2.0
"""Until every picture in sight is there, after a jump to where none was read"""


def face(number: int) -> bytes:
    out = io.BytesIO()
    noise = Image.effect_noise((512, 512), 60 + number % 40)
    Image.merge("RGB", (noise, noise, noise)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def session(tmp_path: Path, qtbot: Any) -> Iterator[Session]:  # noqa: ARG001
    current_theme().apply()
    with Workspace(tmp_path / "data", samples=False, background=False) as workspace:
        faces = [workspace.files.put(face(number), ".png") for number in range(200)]
        moment = to_text(now())
        rows = []
        for number in range(COUNT):
            tags = [f"tag {number % 40}", f"tag {number % 7}", "海"]
            data = {"name": f"Character {number}", "tags": tags, "description": "A word or two. " * 1_400}
            card = {"spec": "chara_card_v3", "data": data}
            head = {"nickname": "", "creator": f"maker {number % 30}", "tags": tags, "line": "A word. " * 40}
            texts = (json.dumps(card, ensure_ascii=False), json.dumps(head, ensure_ascii=False))
            rows.append(
                (data["name"], texts[0], texts[1], faces[number % 200], number % 9 == 0, moment, moment)
            )
        with workspace.database.write() as db:
            db.executemany(
                "INSERT INTO characters (name, card, head, avatar, favourite, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                rows,
            )
        background = Background()
        session = Session(workspace, background)
        yield session
        session.close()
        background.close()


def test_a_thousand_characters(session: Session, qtbot: Any) -> None:
    pictures = Pictures(session.workspace, session.background)
    panel = LibraryPanel(session, pictures)
    qtbot.addWidget(panel)
    panel.resize(420, 900)
    factor = slowness()
    started = time.perf_counter()
    baseline()
    base = ("a fixed piece of layout", time.perf_counter() - started)
    page = panel.gallery
    for grid in (False, True):
        panel.show_page(0)
        page.set_rows([], [])
        page.view.set_grid(grid)
        canvas = QPixmap(panel.size())
        started = time.perf_counter()
        panel.show_page(1)
        panel.reload()
        while page.model.total != COUNT:
            QCoreApplication.processEvents()
            time.sleep(0.001)
        panel.render(canvas)
        what = "pictures" if grid else "rows"
        judge(f"gallery opens as {what}", time.perf_counter() - started, OPEN_SECONDS, base, factor)
    times = []
    for needle in ("c", "ch", "character 99", "tag 3 海", ""):
        started = time.perf_counter()
        panel.search.setText(needle)
        panel.render(canvas)
        times.append(time.perf_counter() - started)
    judge("search as one types", max(times), KEY_SECONDS, base, factor)
    bar = page.view.verticalScrollBar()
    times = []
    for step in range(60):
        bar.setValue(bar.maximum() * step // 60)
        started = time.perf_counter()
        panel.render(canvas)
        times.append(time.perf_counter() - started)
        QCoreApplication.processEvents()
    times.sort()
    judge("frame while scrolling", times[-4], FRAME_SECONDS, base, factor)
    bar.setValue(bar.maximum())
    started = time.perf_counter()

    panel.render(canvas)
    while pictures.waiting:
        QCoreApplication.processEvents()
        panel.render(canvas)
        time.sleep(0.005)
    judge("pictures in sight", time.perf_counter() - started, PICTURES_SECONDS, base, factor)
