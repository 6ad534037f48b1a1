"""The command line of packaging/dev.py, its lock files, and the canary that chose the PySide6 version."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from devtools import checks, commands, language_model
from devtools.checks import Result, Step
from devtools.environment import APP_LOCK, DEV_LOCK, ROOT, Environment
from devtools.errors import SetupError

DEV = ROOT / "packaging" / "dev.py"
LOCKS = [ROOT / "packaging" / APP_LOCK, ROOT / "packaging" / DEV_LOCK, ROOT / "tests" / "llm" / "model.lock"]
ADDRESS = re.compile(r"[a-z]+://|www\.|index-url|find-links|\.org\b|\.com\b", re.IGNORECASE)


def requirements(lock: Path) -> dict[tuple[str, str], list[str]]:
    """Return the hashes of every requirement of a lock file, by name and by version with its conditions."""
    lines = lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    found = {}
    for line in lines:
        if line.strip() and not line.lstrip().startswith("#"):
            requirement, *hashes = line.split("--hash=")
            name, version = requirement.strip().split("==", 1)
            found[name, version] = [value.strip() for value in hashes]
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_is_pinned_and_hashed(lock: Path) -> None:
    found = requirements(lock)
    assert found
    for (name, _), hashes in found.items():
        assert hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", value) for value in hashes), name


@pytest.mark.parametrize("name", ["package.json", "package-lock.json"])
def test_the_javascript_lock_has_hashes_and_no_address(name: str) -> None:
    text = (ROOT / "tests" / "llm" / name).read_text(encoding="utf-8")
    assert not re.search(r"://|resolved", text)
    packages = json.loads(text).get("packages", {})
    assert all(entry["integrity"].startswith("sha512-") for key, entry in packages.items() if key)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_no_lock_names_an_address(lock: Path) -> None:
    assert not ADDRESS.search(lock.read_text(encoding="utf-8"))


def test_the_tools_are_locked_around_the_same_pins() -> None:
    assert requirements(LOCKS[0]).items() <= requirements(LOCKS[1]).items()


def test_the_locks_hold_what_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    asked = [(name, LOCKS[0]) for name in project["project"]["dependencies"]]
    asked += [(name, LOCKS[1]) for name in project["dependency-groups"]["dev"]]
    for requirement, lock in asked:
        match = re.match(r"[A-Za-z0-9._-]+", requirement)
        assert match
        assert normal(match[0]) in {name for name, _ in requirements(lock)}, requirement


def test_pyside6_is_one_that_survives_its_signals() -> None:
    found = [version for name, version in requirements(LOCKS[0]) if name == "pyside6-essentials"]
    assert found
    assert all(version in ("6.11.2", "6.11.3") for version in found)


def test_five_thousand_signals_in_a_row_do_no_harm() -> None:
    """PySide6 6.12.0 drops a reference to True with every emit and aborts Python 3.11 after some 500."""
    code = """
from PySide6.QtCore import QObject, Signal

class Sender(QObject):
    sent = Signal(bool)

received = []
sender = Sender()
sender.sent.connect(lambda value: received.append(value))
for _ in range(5000):
    sender.sent.emit(True)
assert received == [True] * 5000
"""
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert answer.returncode == 0, answer.stderr


def test_dev_py_can_be_read_by_any_python_3() -> None:
    ast.parse(DEV.read_text(encoding="utf-8"), feature_version=(3, 4))


def test_an_old_python_gets_a_clear_message() -> None:
    code = "import runpy, sys; sys.version_info = (3, 8, 10); sys.argv = ['dev.py', 'run']; "
    code += f"runpy.run_path({str(DEV)!r}, run_name='__main__')"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert answer.returncode == 1
    assert answer.stderr.startswith("memdesk needs Python 3.11 or newer; this is Python 3.8.10 (")
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize(
    "arguments",
    [[], ["nonsense"], ["test", "--with-llm", "--benchmarks"], ["test", "--benchmarks", "tests/x.py"]],
)
def test_wrong_use_shows_the_usage_and_does_nothing(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert commands.main(arguments) == 2
    assert capsys.readouterr().err.startswith("usage: python3 packaging/dev.py run")


def test_help_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert commands.main(["--help"]) == 0
    assert "--with-llm" in capsys.readouterr().out


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """Collect the steps that would run, on a machine where everything is installed."""
    steps: list[Step] = []

    def collect(_: Environment, wanted: list[Step]) -> int:
        steps.extend(wanted)
        return 0

    monkeypatch.setattr(commands.system, "ensure_system", lambda **_: None)
    monkeypatch.setattr(Environment, "ensure", lambda *_, **__: None)
    monkeypatch.setattr(language_model, "ensure", lambda _: {language_model.VARIABLE: "/model"})
    monkeypatch.setattr(checks, "run_steps", collect)
    return steps


def test_test_runs_style_types_imports_and_then_the_tests(planned: list[Step]) -> None:
    assert commands.main(["test"]) == 0
    assert [step.name for step in planned] == ["ruff check", "ruff format", "mypy", "lint-imports", "pytest"]
    assert "not benchmark and not llm" in planned[-1].command
    assert planned[-1].variables["QT_QPA_PLATFORM"] == "offscreen"


def test_other_arguments_go_to_pytest_alone(planned: list[Step]) -> None:
    assert commands.main(["test", "tests/chats", "-k", "x y"]) == 0
    assert [step.name for step in planned] == ["pytest"]
    assert planned[0].command[-3:] == ["tests/chats", "-k", "x y"]


def test_benchmarks_run_alone_and_in_one_process(planned: list[Step]) -> None:
    assert commands.main(["test", "--benchmarks"]) == 0
    assert [step.name for step in planned] == ["benchmarks"]
    assert "-n" not in planned[0].command


def test_with_llm_adds_a_step_that_knows_where_the_model_is(planned: list[Step]) -> None:
    assert commands.main(["test", "--with-llm"]) == 0
    assert [step.name for step in planned][-2:] == ["pytest", "pytest --with-llm"]
    assert planned[-1].variables[language_model.VARIABLE] == "/model"


def test_all_steps_run_and_one_failure_fails_the_whole(capfd: pytest.CaptureFixture[str]) -> None:
    steps = [
        Step("first", [sys.executable, "-c", "raise SystemExit(3)"]),
        Step("second", [sys.executable, "-c", "import os; print(os.environ['MARK'])"], {"MARK": "it ran"}),
    ]
    assert checks.run_steps(Environment(), steps) == 1
    printed = capfd.readouterr().out
    assert "it ran" in printed
    assert printed.rstrip().endswith("Failed: first")
    assert checks.run_steps(Environment(), steps[1:]) == 0


def test_the_summary_lines_up_and_gives_times() -> None:
    text = checks.summary([Result("mypy", 0, 12.34), Result("lint-imports", 1, 0.5)])
    assert text.splitlines() == [
        "passed  mypy            12.3 s",
        "FAILED  lint-imports     0.5 s",
        "Failed: lint-imports",
    ]


def test_a_binary_other_than_the_locked_one_is_refused(tmp_path: Path) -> None:
    archive = tmp_path / "binary.tgz"
    archive.write_bytes(b"something else")
    with pytest.raises(SetupError, match=r"binary\.tgz is not the file"):
        language_model._check_integrity(archive, {"integrity": "sha512-AAAA"})


def test_without_node_the_model_tests_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"need Node\.js"):
        language_model._npm()


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script stands for node")
def test_an_old_node_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v12.22.9\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"Node\.js v12\.22\.9 is too old"):
        language_model._npm()
