from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

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


def aside(path: Path) -> list[Path]:
    return sorted(path.parent.glob("settings.toml.broken-*"))


@pytest.mark.parametrize("content", [b"theme = ", b"\xff\xfe", b"\x00", b"= = ="])
def test_a_file_that_cannot_be_read_is_moved_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    settings, notice = load_settings(path)
    assert settings == Settings()
    (kept,) = aside(path)
    assert kept.name in notice
    assert re.fullmatch(r"settings\.toml\.broken-\d{8}-\d{6}", kept.name)
    assert kept.read_bytes() == content
    assert not path.exists()


def test_broken_files_are_never_overwritten(path: Path) -> None:
    for number in range(3):
        path.write_bytes(b"theme = %d = " % number)
        load_settings(path)
    assert sorted(kept.read_bytes() for kept in aside(path)) == [b"theme = %d = " % n for n in range(3)]


CONNECTION = """
[[connections]]
id = "{id}"
name = "{name}"
base_url = "http://127.0.0.1:8080/v1"
"""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('theme = "pink"', "theme"),
        ("enter_sends = [1]", "enter_sends"),
        ("schema_version = -0.5", "schema_version"),
        ('theme = 5\nlanguage = "xx"', "language, theme"),
    ],
)
def test_a_bad_value_costs_itself_alone(path: Path, line: str, names: str) -> None:
    content = f'connection = "{"a" * 32}"\n{line}\n' + CONNECTION.format(id="a" * 32, name="Home")
    path.write_text(content, "utf-8")
    settings, notice = load_settings(path)
    assert settings.profile().name == "Home"
    assert (settings.theme, settings.language, settings.enter_sends) == ("system", "system", True)
    (kept,) = aside(path)
    assert f"({names})" in notice
    assert kept.name in notice
    assert kept.read_text("utf-8") == content
    assert load_settings(path) == (settings, ""), "it is told once"


def test_a_bad_value_of_a_connection_costs_itself_or_the_connection(path: Path) -> None:
    path.write_text(
        'theme = "dark"\n'
        + CONNECTION.format(id="a" * 32, name="One")
        + 'temperature = "hot"\nspaceship = 1\n'
        + CONNECTION.format(id="b" * 32, name="")
        + CONNECTION.format(id="c" * 32, name="Three"),
        "utf-8",
    )
    settings, notice = load_settings(path)
    assert settings.theme == "dark"
    assert [(item.id[0], item.name, item.temperature) for item in settings.connections] == [
        ("a", "One", None),
        ("c", "Three", None),
    ]
    assert "connections.One.temperature" in notice
    assert "connections.One.spaceship" in notice
    assert "connections.1" in notice
    assert "Three" not in notice


@pytest.mark.parametrize("content", ["connections = 5", "connections = [5, {}]", "[connections]\nname = 1"])
def test_connections_that_are_none(path: Path, content: str) -> None:
    path.write_text(f'theme = "dark"\n{content}\n' if "[c" not in content else f'theme = "dark"\n{content}')
    settings, notice = load_settings(path)
    assert settings == Settings(theme="dark")
    assert "connections" in notice


VALUES = st.recursive(
    st.booleans() | st.integers(-(2**62), 1) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*ConnectionProfile.model_fields, "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@limits(deadline=None)
@given(st.dictionaries(st.sampled_from([*Settings.model_fields, "spaceship"]), VALUES))
def test_any_values_end_in_settings(values: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "settings.toml"
        path.write_text(tomli_w.dumps(values), "utf-8", newline="")
        settings, _ = load_settings(path)
        assert load_settings(path) == (settings, "")


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
