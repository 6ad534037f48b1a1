from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import keyring
import keyring.backends.fail
import pytest

from tests.support.fake_llm import FakeLLM

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    before = set(threading.enumerate())
    with FakeLLM() as fake:
        yield fake
    assert set(threading.enumerate()) <= before


@pytest.fixture(autouse=True)
def _no_keyring() -> Iterator[None]:
    """Keep the tests away from the keyring of whoever runs them."""
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.backends.fail.Keyring())
    yield
    keyring.set_keyring(before)
