"""A real small language model behind an OpenAI-compatible server on loopback.

`python3 packaging/dev.py test --with-llm` installs what it needs and names the folder in an environment
variable; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from devtools.language_model import MODEL_FILE, VARIABLE

CONTEXT_TOKENS = 2048


@dataclass(frozen=True)
class RealModel:
    """Where the model is served, under which name, and how many tokens its context holds."""

    base_url: str
    name: str
    context_tokens: int = CONTEXT_TOKENS


@pytest.fixture(scope="session")
def real_model() -> Iterator[RealModel]:
    """Serve SmolLM2-135M-Instruct for the whole session; one reply at a time, on the processor."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        pytest.skip("needs a real model: python3 packaging/dev.py test --with-llm")
    node = shutil.which("node")
    assert node, "Node.js is not on the PATH"
    command = [node, str(Path(__file__).with_name("server.mjs"))]
    command += ["--modules", folder, "--model", str(Path(folder) / MODEL_FILE)]
    command += ["--context", str(CONTEXT_TOKENS)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        try:
            line = server.stdout.readline()
            assert line, f"the model server ended with exit code {server.wait()}"
            ready = json.loads(line)
            yield RealModel(f"http://127.0.0.1:{ready['port']}/v1", ready["model"])
        finally:
            # It ends by itself when its input is closed.
            server.stdin.close()
            try:
                server.wait(timeout=10)
            except subprocess.TimeoutExpired:
                server.kill()
