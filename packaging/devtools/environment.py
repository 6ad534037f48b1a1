"""The project's virtual environment: made once, from a pinned and hashed lock file, and stamped.

A stamp written last says what is installed; a mark written first says that an installation began. A mark
without a stamp is an interrupted installation, and the environment is made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

from devtools import system
from devtools.errors import SetupError

ROOT = Path(__file__).resolve().parents[2]
APP_LOCK = "requirements.lock"
DEV_LOCK = "requirements-dev.lock"
STAMP = "memdesk-ready.json"
MARK = "memdesk-unfinished"


class Environment:
    """The folder `.venv` of a project root, and whether it holds what the lock files ask for."""

    def __init__(self, root: Path = ROOT) -> None:
        self.root = root
        self.folder = root / ".venv"

    @property
    def python(self) -> Path:
        """Return the path of the environment's own Python."""
        return self.script("python")

    def script(self, name: str) -> Path:
        """Return where a command of the environment lies, on this system."""
        if sys.platform == "win32":
            return self.folder / "Scripts" / f"{name}.exe"
        return self.folder / "bin" / name

    def lock_file(self, *, dev: bool) -> Path:
        """Return the lock file to install from: the application alone, or with its tools and tests."""
        return self.root / "packaging" / (DEV_LOCK if dev else APP_LOCK)

    def is_ready(self, *, dev: bool) -> bool:
        """Tell whether the stamp says that this lock is installed for this Python."""
        wanted = lock_digest(self.lock_file(dev=dev))
        stamp = self._read_stamp()
        locks = stamp.get("locks")
        known = isinstance(locks, list) and wanted in locks
        return known and stamp.get("python") == python_identity() and self.python.exists()

    def ensure(self, *, dev: bool) -> None:
        """Make the environment match the lock; do nothing when the stamp says it does.

        Raises SetupError when the environment cannot be made or the packages cannot be installed.
        """
        if self.is_ready(dev=dev):
            return
        system.ensure_venv_module()
        if self._must_start_anew():
            self._create()
        else:
            (self.folder / MARK).touch()
            (self.folder / STAMP).unlink(missing_ok=True)
        self._install(self.lock_file(dev=dev))
        self._write_stamp(dev=dev)

    def _must_start_anew(self) -> bool:
        if not self.python.exists() or (self.folder / MARK).exists():
            return True
        stamp = self._read_stamp()
        if stamp:
            return bool(stamp.get("python") != python_identity())
        # Made by hand, without a stamp: keep it if it is the same Python, and install into it.
        probe = [str(self.python), "-c", "import sys; print(sys.implementation.cache_tag)"]
        answer = subprocess.run(probe, capture_output=True, text=True, check=False)
        return answer.returncode != 0 or answer.stdout.strip() != sys.implementation.cache_tag

    def _create(self) -> None:
        if self.folder.is_symlink():
            raise SetupError(f"{self.folder} is a link; remove it, so that a folder can be made there.")
        try:
            if self.folder.exists():
                shutil.rmtree(self.folder)
            self.folder.mkdir()
            (self.folder / MARK).touch()
        except OSError as error:
            raise SetupError(f"{self.folder} cannot be made: {error.strerror}.") from error
        print(f"Making {self.folder} for Python {platform.python_version()}", flush=True)
        # The base interpreter: this one may itself lie in the folder that was just removed.
        base = getattr(sys, "_base_executable", sys.executable)
        if subprocess.run([base, "-m", "venv", str(self.folder)], check=False).returncode != 0:
            raise SetupError(f"{self.folder} could not be made by {base} -m venv (see above).")

    def _install(self, lock: Path) -> None:
        print(f"Installing from {lock.relative_to(self.root)} (once; some hundred megabytes)", flush=True)
        command = [
            str(self.python), "-m", "pip", "install", "--require-hashes", "--only-binary", ":all:",
            "--disable-pip-version-check", "--no-input", "-r", str(lock),
        ]  # fmt: skip
        # Root in a container is no mistake here, and the environment is the project's own.
        environment = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore", "PYTHONUTF8": "1"}
        if subprocess.run(command, env=environment, cwd=self.root, check=False).returncode != 0:
            raise SetupError(
                "The packages could not be installed (see above). Check the network and start again; "
                "what was downloaded is kept."
            )

    def _read_stamp(self) -> dict[str, object]:
        try:
            stamp = json.loads((self.folder / STAMP).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def _write_stamp(self, *, dev: bool) -> None:
        # The larger lock contains the smaller one, so the tests' environment also runs the application.
        locks = [lock_digest(self.lock_file(dev=False))]
        if dev:
            locks.append(lock_digest(self.lock_file(dev=True)))
        stamp = self.folder / STAMP
        fresh = stamp.with_suffix(".new")
        fresh.write_text(json.dumps({"python": python_identity(), "locks": locks}), encoding="utf-8")
        fresh.replace(stamp)
        (self.folder / MARK).unlink(missing_ok=True)


def python_identity() -> str:
    """Return what packages depend on: implementation and version of Python, system, processor."""
    return f"{sys.implementation.cache_tag} {sys.platform} {platform.machine()}"


def lock_digest(lock: Path) -> str:
    """Return the SHA-256 of a lock file's lines (line ends do not count).

    Raises SetupError when the file is missing.
    """
    try:
        text = lock.read_text(encoding="utf-8")
    except OSError as error:
        raise SetupError(f"{lock} cannot be read: {error.strerror}.") from error
    return hashlib.sha256(text.encode()).hexdigest()
