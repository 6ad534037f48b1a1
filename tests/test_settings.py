from __future__ import annotations

from pathlib import Path

import pytest

from memdesk.llm.profile import DEMO_PROFILE, ConnectionProfile
from memdesk.settings import Settings, load_settings, save_settings
from memdesk.store.errors import StoreError
from tests.support.workspaces import read_only, small_disk


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def profile() -> ConnectionProfile:
    return ConnectionProfile(
        name='灯 "quoted"', base_url="127.0.0.1:8080", model="m/ö", stop=["\n", "</s>"], temperature=0.5,
        extra_body={"nested": {"a": [1, "x"]}},
    )  # fmt: skip


def test_settings_come_back_as_they_were(path: Path) -> None:
    mine = profile()
    settings = Settings(
        language="zh_CN", theme="dark", enter_sends=False, connections=[mine], connection=mine.id
    )
    save_settings(path, settings)
    assert load_settings(path) == (settings, "")
    assert load_settings(path)[0].profile() == mine
    assert [item.name for item in path.parent.iterdir() if item.name.startswith(".")] == []


def test_without_a_file_there_are_defaults_and_the_demo_voice(path: Path) -> None:
    settings, notice = load_settings(path)
    assert (settings, notice) == (Settings(), "")
    assert settings.profile() == DEMO_PROFILE
    assert not path.exists()


def test_a_connection_that_is_gone_falls_back_to_the_demo_voice() -> None:
    assert Settings(connections=[profile()], connection="f" * 32).profile() == DEMO_PROFILE


def test_unknown_settings_are_no_obstacle(path: Path) -> None:
    path.write_text('theme = "light"\nspaceship = 3\n[panel]\nx = 1\n')
    assert load_settings(path) == (Settings(theme="light"), "")


@pytest.mark.parametrize(
    "content",
    [
        b"theme = ",
        b"\xff\xfe",
        b'theme = "pink"',
        b"connections = 5",
        b"[[connections]]\nname = ''",
        b"\x00",
        b"= = =",
    ],
)
def test_a_file_that_cannot_be_read_is_moved_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    settings, notice = load_settings(path)
    assert settings == Settings()
    assert "settings.toml.broken" in notice
    assert path.with_name("settings.toml.broken").read_bytes() == content
    assert not path.exists()


def test_a_newer_file_is_refused_and_left_alone(path: Path) -> None:
    path.write_text("schema_version = 2\n")
    with pytest.raises(StoreError) as caught:
        load_settings(path)
    assert caught.value.code == "newer_settings"
    assert path.read_text() == "schema_version = 2\n"


def test_something_else_stands_there(path: Path) -> None:
    path.mkdir()
    for act in (lambda: load_settings(path), lambda: save_settings(path, Settings())):
        with pytest.raises(StoreError) as caught:
            act()
        assert "settings.toml" in str(caught.value)
    assert [item.name for item in path.parent.iterdir() if item.name.startswith(".settings")] == []


def test_settings_that_cannot_be_written_leave_the_old_ones(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    path = folder / "settings.toml"
    save_settings(path, Settings(theme="dark"))
    with read_only(folder), pytest.raises(StoreError) as caught:
        save_settings(path, Settings(theme="light"))
    assert caught.value.code == "read_only"
    assert load_settings(path)[0].theme == "dark"


def test_a_full_disk_leaves_the_old_settings(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "16k") as disk:
        path = disk / "settings.toml"
        save_settings(path, Settings(theme="dark"))
        many = [profile() for _ in range(200)]
        with pytest.raises(StoreError) as caught:
            save_settings(path, Settings(theme="light", connections=many))
        assert caught.value.code == "disk_full"
        assert load_settings(path)[0].theme == "dark"
        assert [item.name for item in disk.iterdir()] == ["settings.toml"]
