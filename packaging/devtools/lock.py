"""Make the lock files anew from pyproject.toml, with uv, for every system and Python at once."""

from __future__ import annotations

import shutil
import subprocess

from devtools.environment import Environment
from devtools.errors import SetupError


def write_locks(environment: Environment, arguments: list[str]) -> int:
    """Pin and hash the application's packages, then those of the tools around the same pins.

    `arguments` go to uv (`--upgrade`, `--upgrade-package NAME`). Returns 0; raises SetupError without uv
    or when the packages do not fit together.
    """
    own = environment.script("uv")
    uv = str(own) if own.exists() else shutil.which("uv")
    if not uv:
        raise SetupError("uv is needed to make the lock files; `dev.py test` installs it into .venv.")
    # Relative names: uv writes them into the files.
    app, dev = (environment.lock_file(dev=dev).relative_to(environment.root) for dev in (False, True))
    common = [
        uv, "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11",
        "--generate-hashes", "--only-binary", ":all:", "--no-header", "--no-emit-index-url", "--quiet",
    ]  # fmt: skip
    _compile(environment, [*common, *arguments, "-o", str(app)])
    _compile(environment, [*common, *arguments, "--group", "dev", "-c", str(app), "-o", str(dev)])
    print(f"Wrote {app} and {dev}")
    return 0


def _compile(environment: Environment, command: list[str]) -> None:
    if subprocess.run(command, cwd=environment.root, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise SetupError("uv could not make the lock file (see above).")
