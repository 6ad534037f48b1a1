"""Collect the sentences of the window into the Qt Linguist files, and compile those for the program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from devtools.environment import Environment
from devtools.errors import SetupError

SOURCES = "memdesk/ui"
FOLDER = "resources/i18n"
LANGUAGES = {"en": ["-pluralonly"], "zh_CN": []}
"""Locales and what lupdate is told for each: English speaks for itself, except for its plural forms."""


def update(environment: Environment) -> int:
    """Bring the .ts files in step with the sources and make the .qm files; return 0.

    What is already translated stays; sentences that are gone from the sources are dropped. The same input
    gives the same bytes on every machine. Raises SetupError when a tool fails.
    """
    folder = environment.root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for locale in LANGUAGES:
        ts = folder / f"memdesk_{locale}.ts"
        collect(environment, locale, ts)
        compile_file(environment, ts, ts.with_suffix(".qm"))
        print(f"Wrote {ts.relative_to(environment.root)} and its .qm")
    return 0


def collect(environment: Environment, locale: str, ts: Path) -> None:
    """Merge the sentences of the sources into one .ts file; raises SetupError."""
    _run(
        environment,
        "lupdate",
        [
            # Before the folder: it is searched for these alone.
            *("-extensions", "py", SOURCES),
            # No places: line numbers would change the file with every edit.
            *("-locations", "none", "-sort-messages", "-no-obsolete"),
            # A guess from a similar sentence would look like a translation.
            *("-disable-heuristic", "similartext", "-disable-heuristic", "sametext"),
            *("-source-language", "en", "-target-language", locale),
            *LANGUAGES[locale],
            *("-warnings-are-errors", "-silent", "-ts", str(ts)),
        ],
    )


def compile_file(environment: Environment, ts: Path, qm: Path) -> None:
    """Make the .qm file of one .ts file, of finished translations only; raises SetupError."""
    _run(environment, "lrelease", ["-silent", "-nounfinished", str(ts), "-qm", str(qm)])


def _run(environment: Environment, tool: str, arguments: list[str]) -> None:
    # By the module, not by the script: a script holds the folder it was installed in, and folders move.
    code = f"from PySide6.scripts.pyside_tool import {tool}; {tool}()"
    command = [str(environment.python), "-c", code, *arguments]
    # lupdate reads Python sources in the encoding of the locale.
    variables = {**os.environ, "LC_ALL": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
    if subprocess.run(command, cwd=environment.root, env=variables, check=False).returncode != 0:
        raise SetupError(f"{tool} failed (see above).")
