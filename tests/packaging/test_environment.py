"""The virtual environment: installed once, by hash, and whole again after an interruption."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from devtools import environment as module
from devtools import system
from devtools.environment import MARK, STAMP, Environment
from devtools.errors import SetupError

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Miniature

# The set-up of the machine is not what is tried here: no library is asked for, nothing is installed.
DRIVER = """
import sys
sys.path.insert(0, sys.argv[1])
from devtools import commands, system
system.LIBRARIES = ()
system.has_cjk_font = lambda: True
sys.exit(commands.main(sys.argv[2:]))
"""


def drive(project: Miniature, *arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", DRIVER, str(project.root / "packaging"), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=cwd, timeout=100
    )


def imports_tinything(environment: Environment) -> bool:
    command = [str(environment.python), "-c", "import tinything"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def test_runs_from_anywhere_and_the_second_time_at_once(miniature: Miniature, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "memdesk.py").write_text("raise SystemExit('the wrong memdesk')", encoding="utf-8")
    first = drive(miniature, "run", "--", "chats", "--json", cwd=elsewhere)
    assert first.returncode == 0, first.stdout + first.stderr
    assert first.stdout.splitlines()[-1] == f"chats|--json|{elsewhere}"
    assert imports_tinything(Environment(miniature.root))

    spent = []
    for _ in range(3):
        started = time.monotonic()
        again = drive(miniature, "run", "--", "x", cwd=elsewhere)
        spent.append(time.monotonic() - started)
        # Nothing of the set-up may mix with what memdesk prints.
        assert again.stdout == f"x|{elsewhere}\n"
    assert min(spent) < 2


def test_an_interrupted_installation_is_made_anew_and_a_wrong_hash_refused(
    miniature: Miniature, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment(miniature.root)

    def interrupted(*_: object, **__: object) -> None:
        (environment.folder / "half.txt").touch()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(system, "ensure_venv_module", lambda: None)
        patch.setattr(module.subprocess, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            environment.ensure(dev=False)
    assert (environment.folder / MARK).exists()
    assert not environment.is_ready(dev=False)

    environment.ensure(dev=True)
    assert environment.is_ready(dev=True)
    assert environment.is_ready(dev=False), "what the tests need contains what memdesk needs"
    assert not (environment.folder / "half.txt").exists()
    assert not (environment.folder / MARK).exists()
    assert imports_tinything(environment)

    miniature.wheel.write_bytes(miniature.wheel.read_bytes() + b"tampered")
    subprocess.run([environment.python, "-m", "pip", "uninstall", "-q", "-y", "tinything"], check=True)
    (environment.folder / STAMP).unlink()
    with pytest.raises(SetupError, match="could not be installed"):
        environment.ensure(dev=True)
    assert not environment.is_ready(dev=True)
    assert (environment.folder / MARK).exists()
    assert not imports_tinything(environment)


def fake_ready(environment: Environment, *, dev: bool) -> None:
    """Make an environment look installed, without waiting for it."""
    environment.python.parent.mkdir(parents=True)
    environment.python.touch()
    environment._write_stamp(dev=dev)


def test_a_changed_lock_or_python_asks_for_an_installation(
    miniature: Miniature, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = Environment(miniature.root)
    assert not environment.is_ready(dev=False)
    fake_ready(environment, dev=False)
    assert environment.is_ready(dev=False)
    assert not environment.is_ready(dev=True), "the tools are not there yet"

    with monkeypatch.context() as patch:
        patch.setattr(module, "python_identity", lambda: "cpython-399 linux x86_64")
        assert not environment.is_ready(dev=False)
        assert environment._must_start_anew()

    miniature.write_locks("1" * 64)
    assert not environment.is_ready(dev=False)
    assert not environment._must_start_anew(), "the same Python is kept and brought up to date"


@pytest.mark.parametrize("stamp", ["", "{", "[]", "null", '{"python": 1, "locks": 2}', "\x00\xff"])
def test_a_broken_stamp_is_no_stamp(miniature: Miniature, stamp: str) -> None:
    environment = Environment(miniature.root)
    fake_ready(environment, dev=True)
    (environment.folder / STAMP).write_text(stamp, encoding="latin-1")
    assert not environment.is_ready(dev=True)


def test_an_environment_whose_python_is_gone_is_not_ready(miniature: Miniature) -> None:
    environment = Environment(miniature.root)
    fake_ready(environment, dev=True)
    environment.python.unlink()
    assert not environment.is_ready(dev=True)
    assert environment._must_start_anew()


def test_a_missing_lock_is_named(miniature: Miniature) -> None:
    environment = Environment(miniature.root)
    environment.lock_file(dev=False).unlink()
    with pytest.raises(SetupError, match=r"requirements\.lock cannot be read"):
        environment.ensure(dev=False)


def test_a_link_in_place_of_the_folder_is_left_alone(miniature: Miniature, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    environment = Environment(miniature.root)
    environment.folder.symlink_to(precious)
    with pytest.raises(SetupError, match="is a link"):
        environment.ensure(dev=False)
    assert (precious / "file").exists()
