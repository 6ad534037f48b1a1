"""Data folders for tests: opened, filled, looked into from outside, and driven by the command.

The embedder is the real one unless a test asks for `WordEmbedder`; it is only loaded once for all tests.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memdesk.__main__ import main
from memdesk.assets import asset
from memdesk.chats.model import Chat
from memdesk.embedding.base import EmbeddingError, EmbeddingSpace
from memdesk.embedding.onnx import OnnxEmbedder
from memdesk.llm.profile import ConnectionProfile
from memdesk.settings import Settings, save_settings
from memdesk.store.messages import NewMessage
from memdesk.work.cancel import CancelToken
from memdesk.workspace import Workspace

BEGIN = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
"""Time of the first message that `talk` adds; the others follow a minute apart."""


@functools.cache
def real_embedder(folder: Path | None = None) -> OnnxEmbedder:
    """The bundled embedder of a folder, loaded once for the whole run."""
    return OnnxEmbedder(folder or asset("model"))


class WordEmbedder:
    """A quick embedder for properties: equal words give equal directions; calls are counted."""

    def __init__(self) -> None:
        self.space = EmbeddingSpace("words-64", "words", 64, "none")
        self.max_tokens = 512
        self.passages: list[str] = []
        self.broken = False

    def available(self) -> bool:
        return not self.broken

    def calibrate(self, cosines: Any, background: float | None = None) -> Any:  # noqa: ARG002
        return np.clip(np.asarray(cosines, np.float32), 0.0, 1.0)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        if self.broken:
            raise EmbeddingError("model_broken", "The model is broken.")
        self.passages.extend(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text: str) -> Any:
        if self.broken:
            raise EmbeddingError("model_broken", "The model is broken.")
        return self._vector(text)

    def _vector(self, text: str) -> Any:
        vector = np.zeros(64, np.float32)
        vector[0] = 0.01
        for word in text.casefold().split():
            digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=2).digest()
            vector[int.from_bytes(digest) % 64] += 1
        return vector / np.linalg.norm(vector)


class CountingEmbedder:
    """The real embedder, with a list of every passage that it was asked to embed."""

    def __init__(self, inner: OnnxEmbedder) -> None:
        self._inner = inner
        self.passages: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def embed_passages(self, texts: Sequence[str]) -> Any:
        self.passages.extend(texts)
        return self._inner.embed_passages(texts)


def use_embedder(monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Any]) -> None:
    """Let every workspace that is opened get its embedder from `make`."""
    monkeypatch.setattr("memdesk.workspace.OnnxEmbedder", make)


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Desk:
    """A data folder and the `memdesk` command on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def database(self) -> Path:
        return self.folder / "memdesk.db"

    def run(self, *arguments: str) -> Outcome:
        """Run the command in this process; wrong use is exit code 2, as from a shell."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(["--data-dir", str(self.folder), "--no-samples", *arguments])
            except SystemExit as end:
                code = int(end.code or 0)
        return Outcome(code, out.getvalue(), err.getvalue())

    def json(self, *arguments: str) -> Any:
        """Run a job that must succeed, and return what it printed."""
        outcome = self.run(*arguments, "--json")
        assert outcome.code == 0, outcome.err
        return outcome.json

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start the command as a process of its own."""
        line = [sys.executable, "-m", "memdesk", "--data-dir", str(self.folder), "--no-samples", *arguments]
        return subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment}
        )

    def process(self, *arguments: str, **environment: str) -> Outcome:
        """Run the command as a process of its own and wait for its end."""
        with self.start(*arguments, **environment) as process:
            out, err = process.communicate(timeout=90)
        return Outcome(process.returncode, out.decode("utf-8"), err.decode("utf-8", "replace"))

    @contextlib.contextmanager
    def open(self, *, samples: bool = False, background: bool = False) -> Iterator[Workspace]:
        with Workspace(self.folder, samples=samples, background=background) as workspace:
            yield workspace

    def connect(self, profile: ConnectionProfile) -> None:
        """Make a connection the one that replies come from."""
        self.folder.mkdir(parents=True, exist_ok=True)
        settings = Settings(connections=[profile], connection=profile.id)
        save_settings(self.folder / "settings.toml", settings)

    def talk(self, *lines: str, title: str = "Talk", name: str = "Mara", **card: Any) -> int:
        """Make a chat in which Alex and a character take turns, Alex first; returns its id."""
        with self.open() as workspace:
            return talk(workspace, *lines, title=title, name=name, **card).id

    def query(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Look into the database from outside."""
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=10)
        with contextlib.closing(connection):
            return connection.execute(statement, values).fetchall()


def talk(workspace: Workspace, *lines: str, title: str = "Talk", name: str = "Mara", **card: Any) -> Chat:
    """Make a chat in which Alex and a character take turns, Alex first."""
    library = workspace.library
    library.set_default_persona("Alex", "")
    data = {"name": name, **card}
    whole = {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}
    character = library.add_character(name, whole)
    chat = library.new_chat(character.id, title)
    say(workspace, chat.id, *lines)
    return workspace.chats.get(chat.id)


def say(workspace: Workspace, chat_id: int, *lines: str) -> list[int]:
    """Add lines to a chat, Alex and the character in turns; returns the ids of the messages."""
    chat = workspace.chats.get(chat_id)
    messages = []
    for place, line in enumerate(lines):
        mine = place % 2 == 0
        messages.append(
            NewMessage(
                "user" if mine else "assistant",
                "Alex" if mine else chat.character_names[0],
                (line,),
                character_id=None if mine else chat.character_ids[0],
                created_at=BEGIN + timedelta(minutes=chat.messages + place),
            )
        )
    return workspace.messages.add(chat_id, messages)


def sync(workspace: Workspace, *chat_ids: int) -> None:
    """Finish chunks, vectors and index of chats (of all, when none is named)."""
    ids = chat_ids or tuple(chat.id for chat in workspace.chats.all())
    workspace.sync.sync(ids, lambda _done, _total: None, CancelToken())


def contents(folder: Path, *, leave_out: Sequence[str] = ("lock", "logs")) -> dict[str, str]:
    """Return a hash of every file below a folder, but for those whose first path part is left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and relative.parts[0] not in leave_out:
            found[str(relative)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def wait_until(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait until a condition is true; fail otherwise."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A real disk of a few megabytes, mounted at `folder`; skips where that is not permitted."""
    folder.mkdir(parents=True, exist_ok=True)
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("mounting a small disk needs Linux and root")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"mounting is not permitted here: {done.stderr.decode().strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder really read-only, for root too: a read-only bind mount; skips where not permitted."""
    if sys.platform != "linux" or os.geteuid() != 0:
        mode = folder.stat().st_mode
        folder.chmod(0o500)
        try:
            yield
        finally:
            folder.chmod(mode)
        return
    bind = subprocess.run(["mount", "--bind", str(folder), str(folder)], capture_output=True, check=False)
    if bind.returncode:
        pytest.skip(f"mounting is not permitted here: {bind.stderr.decode().strip()}")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
