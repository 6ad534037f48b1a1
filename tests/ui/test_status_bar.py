"""The foot of the window: who answers, how full the context is, what is still to be embedded."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel, QToolButton

from memdesk.llm.profile import ConnectionProfile
from memdesk.settings import Settings
from memdesk.ui.dialogs.connections import ConnectionsDialog
from tests.support.fake_llm import FakeLLM
from tests.ui.windows import Desk, OpenDesk, desk_fixture, server_fixture

__all__ = ["desk_fixture", "server_fixture"]


def connection(window: OpenDesk) -> QToolButton:
    (button,) = [b for b in window.all(QToolButton) if b.accessibleName().startswith("Connection: ")]
    return button  # type: ignore[no-any-return]


def test_the_demo_voice_says_that_it_is_no_language_model(desk: Desk) -> None:
    window = desk.open()
    assert connection(window).text() == "Demo voice · no language model"
    window.press(connection(window).accessibleName())
    window.wait(lambda: window.all(ConnectionsDialog))
    (dialog,) = window.all(ConnectionsDialog)
    dialog.close()


@pytest.mark.parametrize(
    ("address", "where"), [("http://127.0.0.1:5001/v1", "local"), ("https://example.org/v1", "example.org")]
)
def test_it_says_where_the_words_go(desk: Desk, address: str, where: str) -> None:
    desk.connect(ConnectionProfile(name="A & B", base_url=address, model="big-model"))
    window = desk.open()
    words = f"{where} · A & B · big-model"
    assert connection(window).accessibleName() == f"Connection: {words}"
    assert connection(window).text() == words.replace("&", "&&")
    assert ("this computer" in connection(window).toolTip()) == (where == "local")


def test_a_change_of_connection_is_seen_and_used_at_once(desk: Desk, server: FakeLLM) -> None:
    desk.prepare("Hello.", "Good day.")
    window = desk.open()
    profile = server.profile()
    window.workspace.change_settings(Settings(connections=[profile], connection=profile.id))
    window.running.session.settingsChanged.emit()
    assert "fake-model" in connection(window).text()
    window.say("Who answers?")
    window.wait(lambda: window.shown()[-1] == "You said: Who answers?")


def test_it_says_when_everything_is_embedded(desk: Desk) -> None:
    desk.prepare("Hello there.", "Good day to you.")
    window = desk.open()
    window.wait(lambda: any(label.text().endswith("· bundled") for label in window.all(QLabel)))
    window.wait(lambda: not [w for w in window.all(QLabel) if "waiting for vector" in w.text()])
    window.wait(
        lambda: all(
            total == ready
            for total, ready, _ in window.workspace.chunks.counts(window.workspace.sync.space_id).values()
        )
    )
