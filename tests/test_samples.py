from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from memdesk.samples import delete_samples, install_samples, sample_ids
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
