from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest

from memdesk.samples import delete_samples, install_samples, sample_ids
from memdesk.settings import Settings, save_settings
from memdesk.store.errors import StoreError
from memdesk.store.messages import MessageStore, NewMessage
from memdesk.workspace import Workspace
from tests.support.workspaces import WordEmbedder, talk, use_embedder


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    use_embedder(monkeypatch, lambda _folder: WordEmbedder())


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "data", background=False) as opened:
        yield opened


def test_the_first_start_has_both_samples_whole(workspace: Workspace) -> None:
    chats = {chat.sample: chat for chat in workspace.chats.all()}
    assert sorted(chats) == sample_ids() == ["elia", "mira"]
    for chat in chats.values():
        assert chat.messages >= 200
        assert chat.avatar is not None
        assert workspace.files.path(chat.avatar).is_file()
        messages = workspace.messages.page(chat.id, 1, 500)
        times = [message.created_at for message in messages]
        assert times == sorted(times)
        assert chat.created_at == times[0]
        assert messages[0].swipe_count == len(workspace.characters.get(chat.character_ids[0]).greetings)
        assert {message.role for message in messages} == {"user", "assistant"}


@pytest.mark.parametrize(
    ("language", "system", "first"),
    [
        ("system", "en_GB", "mira"),
        ("system", "de_DE", "mira"),
        ("system", "zh_CN", "elia"),
        ("system", "zh_TW", "elia"),
        ("system", "Chinese (Simplified)_China", "elia"),
        ("zh_CN", "en_US", "elia"),
        ("en", "zh_CN", "mira"),
    ],
)
def test_the_sample_of_ones_language_is_on_top(
    tmp_path: Path, language: Literal["system", "en", "zh_CN"], system: str, first: str
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    save_settings(folder / "settings.toml", Settings(language=language))
    with Workspace(folder, background=False, language=system) as workspace:
        assert workspace.chats.all()[0].sample == first
        other = next(chat for chat in workspace.chats.all() if chat.sample != first)
        for chat in workspace.chats.all():
            last = workspace.messages.page(chat.id, chat.messages, 1)[0]
            assert last.created_at.year == 2026
            assert last.created_at <= chat.updated_at
        later = max(chat.updated_at for chat in workspace.chats.all()) + timedelta(days=1)
        workspace.messages.add(other.id, [NewMessage("user", "Alex", ("And now?",), created_at=later)])
        assert workspace.chats.all()[0].id == other.id


def test_the_language_of_the_command_is_the_systems(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getlocale", lambda: ("zh_CN", "UTF-8"))
    with Workspace(tmp_path / "data", background=False) as workspace:
        assert workspace.chats.all()[0].sample == "elia"


def test_samples_are_deleted_and_restored(workspace: Workspace) -> None:
    own = talk(workspace, "Mine.")
    assert delete_samples(workspace.library) == 2
    assert [chat.id for chat in workspace.chats.all()] == [own.id]
    assert [character.sample for character in workspace.characters.all()] == [None]
    assert delete_samples(workspace.library) == 0
    assert len(install_samples(workspace.library, workspace.bus)) == 2
    assert install_samples(workspace.library, workspace.bus) == []
    assert len(workspace.chats.all()) == 3
    assert len(workspace.characters.all()) == 3


def test_only_what_is_missing_is_restored(workspace: Workspace) -> None:
    elia = next(chat for chat in workspace.chats.all() if chat.sample == "elia")
    workspace.library.delete_chat(elia.id)
    (restored,) = install_samples(workspace.library, workspace.bus)
    assert workspace.chats.get(restored).sample == "elia"
    assert len(workspace.characters.all()) == 2, "the character was there still"


@pytest.mark.parametrize("place", [1, 2])
def test_a_first_start_that_is_cut_off_goes_on_at_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """The disk fills up while the first or second sample is written."""
    calls = 0
    add = MessageStore.add

    def fail(store: MessageStore, chat_id: int, messages: Iterable[NewMessage]) -> list[int]:
        nonlocal calls
        calls += 1
        if calls == place:
            raise StoreError("disk_full", "The disk is full.")
        return add(store, chat_id, messages)

    with monkeypatch.context() as patch:
        patch.setattr(MessageStore, "add", fail)
        with pytest.raises(StoreError):
            Workspace(tmp_path / "data", background=False)
    with Workspace(tmp_path / "data", background=False) as workspace:
        assert sorted(str(chat.sample) for chat in workspace.chats.all()) == ["elia", "mira"]
        assert all(chat.messages >= 200 for chat in workspace.chats.all())
        assert len(workspace.characters.all()) == 2
        for chat in workspace.chats.all():
            assert chat.persona_id is not None
