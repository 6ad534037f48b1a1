from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from memdesk.assets import asset
from memdesk.embedding.onnx import OnnxEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def put_model(tmp_path: Path) -> Callable[..., Path]:
    """Put files of the bundled model into a folder of the test's own."""

    def put(*names: str) -> Path:
        for name in names:
            try:
                os.link(asset("model", name), tmp_path / name)
            except OSError:  # another file system
                shutil.copy(asset("model", name), tmp_path / name)
        return tmp_path

    return put


@pytest.fixture(scope="session")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(asset("model"))
