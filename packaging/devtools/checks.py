"""The steps of `dev.py test`: what runs, in which order, and the summary with times."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field

from devtools.environment import Environment

_BENCHMARKS = "tests/benchmarks"


@dataclass(frozen=True)
class Step:
    """One program to run in the project's root; it passes when it exits with 0."""

    name: str
    command: list[str]
    variables: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    """How a step ended: its exit code and its wall time in seconds."""

    name: str
    code: int
    seconds: float


def full_steps(environment: Environment) -> list[Step]:
    """Return the steps of a whole check: style, types, imports, then the tests on two processes."""
    python = str(environment.python)
    return [
        Step("ruff check", [python, "-m", "ruff", "check", "."]),
        Step("ruff format", [python, "-m", "ruff", "format", "--check", "."]),
        Step("mypy", [python, "-m", "mypy"]),
        Step("lint-imports", [python, "-c", _LINT_IMPORTS]),
        # A file's tests stay in one process, so that a model loaded for a file is loaded once.
        pytest_step(
            environment,
            ["tests", f"--ignore={_BENCHMARKS}", "-m", "not benchmark and not llm", *_TWO_PROCESSES],
        ),
    ]


def pytest_step(environment: Environment, arguments: list[str]) -> Step:
    """Return a step that runs pytest with these arguments, without a screen."""
    return Step("pytest", [str(environment.python), "-m", "pytest", *arguments], quiet_screen())


def benchmark_step(environment: Environment) -> Step:
    """Return the step that measures speed: alone and in one process, so that nothing else disturbs it."""
    command = [str(environment.python), "-m", "pytest", _BENCHMARKS, "-m", "benchmark", "-s"]
    return Step("benchmarks", command, quiet_screen())


def model_step(environment: Environment, variables: dict[str, str]) -> Step:
    """Return the step that talks to a real small language model; `variables` say where it lies."""
    command = [str(environment.python), "-m", "pytest", "tests/llm", "-m", "llm"]
    return Step("pytest --with-llm", command, {**quiet_screen(), **variables})


def quiet_screen() -> dict[str, str]:
    """Return environment variables that give the tests the same surroundings on every machine."""
    variables = {"QT_QPA_PLATFORM": "offscreen"}
    if sys.platform.startswith("linux"):
        # In a locale other than UTF-8 Qt warns, and a Qt warning fails a test.
        variables["LC_ALL"] = "C.UTF-8"
    return variables


def run_steps(environment: Environment, steps: list[Step]) -> int:
    """Run all steps, also after one has failed; print a summary; return 0 if all passed, else 1."""
    results = []
    with tempfile.TemporaryDirectory(prefix="memdesk-") as runtime:
        for step in steps:
            print(f"\n=== {step.name}", flush=True)
            started = time.monotonic()
            # Root in a container has no runtime folder; Qt would warn, and a Qt warning fails a test.
            variables = {"XDG_RUNTIME_DIR": runtime, **os.environ, **step.variables}
            code = subprocess.run(step.command, cwd=environment.root, env=variables, check=False).returncode
            results.append(Result(step.name, code, time.monotonic() - started))
    print("\n" + summary(results), flush=True)
    return 0 if all(result.code == 0 for result in results) else 1


def summary(results: list[Result]) -> str:
    """Return one line a step (verdict, name, seconds) and a last line that says how it went in all."""
    width = max((len(result.name) for result in results), default=0)
    lines = [
        f"{'passed' if result.code == 0 else 'FAILED'}  {result.name:<{width}}  {result.seconds:6.1f} s"
        for result in results
    ]
    failed = [result.name for result in results if result.code != 0]
    lines.append(f"Failed: {', '.join(failed)}" if failed else "All steps passed")
    return "\n".join(lines)


_TWO_PROCESSES = ["-n", "2", "--dist", "loadfile"]
# By the module, not by the script: a script holds the folder it was installed in, and folders move.
_LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"
