"""The command line of `packaging/dev.py`."""

from __future__ import annotations

import os
import subprocess
import sys

from devtools import checks, language_model, lock, system, translations
from devtools.environment import Environment
from devtools.errors import SetupError

USAGE = """\
usage: python3 packaging/dev.py run [-- ARGUMENTS FOR MEMDESK]
       python3 packaging/dev.py test [--with-llm | --benchmarks | PYTEST ARGUMENTS]
       python3 packaging/dev.py lock [UV ARGUMENTS]
       python3 packaging/dev.py translations

run    set everything up (once) and start memdesk
test   set everything up (once), then check style, types and imports and run the tests
         --with-llm    also run the tests that talk to a real small language model (needs Node.js)
         --benchmarks  only measure speed
         other arguments go to pytest, and only pytest runs
lock   make the lock files anew from pyproject.toml; --upgrade takes newer versions
translations
       bring resources/i18n in step with the sentences in the sources
"""


def main(arguments: list[str]) -> int:
    """Do what the arguments ask for; return the exit code: 0 done, 1 failed, 2 wrong use."""
    commands = {"run": run, "test": test, "lock": make_lock, "translations": update_translations}
    if arguments and arguments[0] in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if not arguments or arguments[0] not in commands:
        sys.stderr.write(USAGE)
        return 2
    try:
        return commands[arguments[0]](arguments[1:])
    except SetupError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted. Start again to go on.\n")
        return 130


def run(arguments: list[str]) -> int:
    """Set up and start memdesk in the folder the person is in; return its exit code."""
    environment = Environment()
    system.ensure_system(window=True)
    environment.ensure(dev=False)
    if arguments and arguments[0] == "--":
        arguments = arguments[1:]
    # -P: a file of the folder the person is in must not be taken for a module of ours.
    command = [str(environment.python), "-P", "-m", "memdesk", *arguments]
    variables = {**os.environ, "PYTHONPATH": str(environment.root)}
    if os.name != "nt":
        # Become memdesk, so that signals and the exit code are its own. On Windows this would not wait.
        sys.stdout.flush()
        os.execve(command[0], command, variables)  # noqa: S606 - a fixed program, no shell wanted
    return subprocess.run(command, env=variables, check=False).returncode


def test(arguments: list[str]) -> int:
    """Set up and run the checks that the arguments ask for; return 0 if all passed, else 1."""
    known = {"--with-llm", "--benchmarks"}
    asked = {argument for argument in arguments if argument in known}
    extra = [argument for argument in arguments if argument not in known]
    if len(asked) > 1 or (asked and extra):
        sys.stderr.write(USAGE)
        return 2
    environment = Environment()
    system.ensure_system(window=False)
    environment.ensure(dev=True)
    if extra:
        steps = [checks.pytest_step(environment, extra)]
    elif "--benchmarks" in asked:
        steps = [checks.benchmark_step(environment)]
    else:
        # First what can stop on something missing, so that nobody waits for nothing.
        variables = language_model.ensure(environment) if asked else None
        steps = checks.full_steps(environment)
        if variables is not None:
            steps.append(checks.model_step(environment, variables))
    return checks.run_steps(environment, steps)


def make_lock(arguments: list[str]) -> int:
    """Make the lock files anew; return the exit code."""
    return lock.write_locks(Environment(), arguments)


def update_translations(arguments: list[str]) -> int:
    """Collect the sentences of the window and compile the translations; return the exit code."""
    if arguments:
        sys.stderr.write(USAGE)
        return 2
    environment = Environment()
    environment.ensure(dev=True)
    return translations.update(environment)
