from __future__ import annotations

import logging
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from memdesk.assets import asset
from memdesk.chats.model import SwipeState
from memdesk.samples import install_samples
from memdesk.settings import Settings
from memdesk.store.data_folder import default_data_dir
from memdesk.store.errors import StoreError
from memdesk.workspace import Workspace, model_dir
from tests.support.workspaces import WordEmbedder, say, talk, use_embedder, wait_until


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


def test_the_folder_holds_what_is_promised(folder: Path) -> None:
    with Workspace(folder, background=False):
        pass
    assert {item.name for item in folder.iterdir()} >= {"memdesk.db", "files", "logs", "lock"}
    assert (folder / "logs" / "memdesk.log").is_file()


def test_the_default_folder_is_the_systems(tmp_path: Path) -> None:
    assert default_data_dir().is_relative_to(tmp_path)
    with Workspace(samples=False, background=False) as workspace:
        assert workspace.data_dir == default_data_dir()


def test_another_model_folder_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_dir() == asset("model")
    monkeypatch.setenv("MEMDESK_MODEL_DIR", "/elsewhere")
    assert model_dir() == Path("/elsewhere")


def test_one_at_a_time(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False):
        with pytest.raises(StoreError) as caught:
            Workspace(folder, samples=False, background=False)
        assert caught.value.code == "in_use"
        assert str(folder) in str(caught.value)
    Workspace(folder, samples=False, background=False).close()


def test_nothing_is_left_running_after_closing(folder: Path) -> None:
    before = set(threading.enumerate())
    handlers = list(logging.getLogger("memdesk").handlers)
    for _ in range(3):
        with Workspace(folder, samples=False) as workspace:
            talk(workspace, "Hello.")
            workspace.sync.queue()
        workspace.close()
    wait_until(lambda: set(threading.enumerate()) <= before)
    assert logging.getLogger("memdesk").handlers == handlers


def test_a_failed_start_frees_everything(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("disk_full", "The disk is full.")

    before = set(threading.enumerate())
    for place in (
        "memdesk.workspace.KeyStore",
        "memdesk.workspace.VectorIndex",
        "memdesk.workspace.install_samples",
    ):
        with monkeypatch.context() as patch:
            patch.setattr(place, fail)
            with pytest.raises(StoreError):
                Workspace(folder)
        wait_until(lambda: set(threading.enumerate()) <= before, 5)
    Workspace(folder, samples=False).close()


def test_what_a_run_left_is_finished_by_the_next(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as workspace:
        chat = talk(workspace, "Hello there.", "Good day.")
        _, swipe = workspace.messages.begin_reply(chat.id, "Mara", None, "m")
        workspace.messages.save_partial(swipe, "Half a")
        assert workspace.chunks.counts(workspace.sync.space_id) == {}
    with Workspace(folder, samples=False) as workspace:
        last = workspace.messages.page(chat.id, 3, 1)[0]
        assert (last.text, last.swipe.state) == ("Half a", SwipeState.INTERRUPTED)
        wait_until(lambda: workspace.chunks.counts(workspace.sync.space_id).get(chat.id, (0, 0, 0))[1] == 3)


def test_old_trash_goes_at_the_start(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as workspace:
        workspace.library.delete_chat(talk(workspace, "Hello.").id)
        kept = workspace.library.delete_chat(talk(workspace, "Hello.", title="Kept").id)
        with workspace.database.write() as db:
            db.execute("UPDATE trash SET deleted_at = '2020-01-01T00:00:00.000+00:00' WHERE label = 'Talk'")
    with Workspace(folder, samples=False, background=False) as workspace:
        assert [entry.label for entry in workspace.trash.all()] == [kept.label] == ["Kept"]
        assert workspace.trash.purge(timedelta(days=30)) == 0


def test_samples_come_once(folder: Path) -> None:
    with Workspace(folder, background=False) as workspace:
        for chat in workspace.chats.all():
            workspace.library.delete_chat(chat.id)
    with Workspace(folder, background=False) as workspace:
        assert workspace.chats.all() == []


def test_samples_that_were_left_out_do_not_come_later_by_themselves(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as workspace:
        assert workspace.chats.all() == []
    with Workspace(folder, background=False) as workspace:
        assert workspace.chats.all() == []
        install_samples(workspace.library, workspace.bus)
    with Workspace(folder, samples=False, background=False) as workspace:
        assert len(workspace.chats.all()) == 2


def test_the_folder_is_ours_before_anything_else_is_opened(folder: Path) -> None:
    calls: list[bool] = []

    def locked() -> None:
        calls.append((folder / "memdesk.db").exists())
        with pytest.raises(StoreError) as caught:
            Workspace(folder, samples=False, background=False, locked=lambda: calls.append(True))
        assert caught.value.code == "in_use"

    Workspace(folder, samples=False, background=False, locked=locked).close()
    assert calls == [False]


def test_settings_are_kept(folder: Path) -> None:
    with Workspace(folder, samples=False, background=False) as workspace:
        workspace.change_settings(Settings(theme="dark"))
        assert workspace.settings.theme == "dark"
    with Workspace(folder, samples=False, background=False) as workspace:
        assert workspace.settings.theme == "dark"


def test_settings_that_cannot_be_kept_are_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise StoreError("disk_full", "The disk is full.")

    with Workspace(folder, samples=False, background=False) as workspace:
        monkeypatch.setattr("memdesk.workspace.save_settings", fail)
        with pytest.raises(StoreError):
            workspace.change_settings(Settings(theme="dark"))
        assert workspace.settings.theme == "system"


def test_logs_hold_no_words_of_a_chat(folder: Path) -> None:
    with Workspace(folder, samples=False) as workspace:
        chat = talk(workspace, "The secret word is xylophone.")
        say(workspace, chat.id, "Xylophone indeed.")
        workspace.sync.queue()
        workspace.jobs.wait_idle(20)
        workspace.conversation.preview(chat.id, "xylophone?")
    assert "xylophone" not in (folder / "logs" / "memdesk.log").read_text("utf-8").casefold()


def test_closing_in_the_middle_of_the_work_loses_nothing(folder: Path) -> None:
    with Workspace(folder, samples=False) as workspace:
        chat = talk(workspace, *(f"Line {number}." for number in range(100)))
        workspace.sync.queue()
    with Workspace(folder, samples=False) as workspace:
        wait_until(lambda: workspace.chunks.counts(workspace.sync.space_id).get(chat.id, (0, 0, 0))[1] == 100)
