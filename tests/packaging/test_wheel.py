"""The wheel holds the program and its resources, and the program in it finds them."""

from __future__ import annotations

import configparser
import importlib.util
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from typing import TYPE_CHECKING

import pytest
from devtools.environment import ROOT

if TYPE_CHECKING:
    from pathlib import Path

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
INFO = f"memdesk-{VERSION}.dist-info"

# The model alone is 90 MB to pack.
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    (built,) = folder.glob("memdesk-*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as packed:
        return {name for name in packed.namelist() if not name.endswith("/")}


def tracked_files(folder: str) -> set[str]:
    """Return the project's files below a folder, without what Python leaves behind."""
    found = (path for path in (ROOT / folder).rglob("*") if path.is_file())
    return {
        path.relative_to(ROOT).as_posix()
        for path in found
        if "__pycache__" not in path.parts and path.suffix != ".pyc"
    }


def test_every_module_is_in_it(names: set[str]) -> None:
    modules = {name for name in tracked_files("memdesk") if name.endswith(".py")}
    assert "memdesk/assets.py" in modules
    assert modules <= names


def test_every_resource_is_in_it(names: set[str]) -> None:
    resources = {f"memdesk/{name}" for name in tracked_files("resources")}
    assert any("/icons/" in name for name in resources)
    assert resources <= names


def test_nothing_else_is_in_it(names: set[str]) -> None:
    assert {name.split("/")[0] for name in names} <= {"memdesk", INFO}
    assert not [name for name in names if name.endswith((".pyc", ".db", ".log"))]


def test_the_licence_and_the_command_are_declared(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        metadata = Parser().parsestr(packed.read(f"{INFO}/METADATA").decode())
        licence = packed.read(f"{INFO}/licenses/LICENSE").decode()
        entry_points = configparser.ConfigParser()
        entry_points.read_string(packed.read(f"{INFO}/entry_points.txt").decode())
    assert metadata["License-Expression"] == "AGPL-3.0-or-later"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "GNU AFFERO GENERAL PUBLIC LICENSE" in licence
    assert entry_points["console_scripts"]["memdesk"] == "memdesk.__main__:main"


def test_the_unpacked_program_finds_its_resources(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path)
    code = "from memdesk.assets import asset; print(asset('icons')); assert asset('icons').is_dir()"
    command = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"]
    answer = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == str(tmp_path / "memdesk" / "resources" / "icons")


def test_the_command_starts_a_module_that_exists() -> None:
    assert importlib.util.find_spec("memdesk.__main__") is not None
