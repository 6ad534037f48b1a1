"""A project in miniature: the real packaging/ folder, a tiny package to install, no network."""

from __future__ import annotations

import base64
import hashlib
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from devtools.environment import APP_LOCK, DEV_LOCK, ROOT

WHEEL = "tinything-1.0-py3-none-any.whl"
APP = "import os, sys\nprint('|'.join([*sys.argv[1:], os.getcwd()]))\n"


@dataclass(frozen=True)
class Miniature:
    """A project's root with lock files that ask for one small package, and that package."""

    root: Path
    wheel: Path

    def write_locks(self, digest: str) -> None:
        for name in (APP_LOCK, DEV_LOCK):
            text = f"tinything==1.0 \\\n    --hash=sha256:{digest}\n    # {name}\n"
            (self.root / "packaging" / name).write_text(text, encoding="utf-8")

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.wheel.read_bytes()).hexdigest()


@pytest.fixture
def miniature(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Miniature:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    _write_wheel(wheels / WHEEL)
    root = tmp_path / "a project 项目"
    leave = shutil.ignore_patterns("*.lock", "__pycache__")
    shutil.copytree(ROOT / "packaging", root / "packaging", ignore=leave)
    (root / "memdesk").mkdir()
    (root / "memdesk" / "__init__.py").touch()
    (root / "memdesk" / "__main__.py").write_text(APP, encoding="utf-8")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    project = Miniature(root, wheels / WHEEL)
    project.write_locks(project.digest)
    return project


def _write_wheel(path: Path) -> None:
    files = {
        "tinything.py": b"VALUE = 1\n",
        "tinything-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: tinything\nVersion: 1.0\n",
        "tinything-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in files.items())
    with zipfile.ZipFile(path, "w") as wheel:
        for name, data in files.items():
            wheel.writestr(name, data)
        wheel.writestr("tinything-1.0.dist-info/RECORD", record + "tinything-1.0.dist-info/RECORD,,\n")


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
