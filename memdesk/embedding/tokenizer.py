"""The bundled tokenizer: 17 MB on disk, some 280 MB in memory, so there is one for everybody."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

from memdesk.embedding.base import EmbeddingError

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer

RETRY_SECONDS = 60.0
"""A file that could not be loaded is tried again after this time even if it did not change: the reason
may have been a lack of memory."""

Stamp: TypeAlias = tuple[int, int, int] | None


def file_stamp(path: Path) -> Stamp:
    """Return what changes when a file does (size, times in ns), None when there is no such file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


class Failure:
    """Remembers that loading failed until a file changes or some time has passed."""

    def __init__(self) -> None:
        self._error: EmbeddingError | None = None
        self._stamps: tuple[Stamp, ...] = ()
        self._until = 0.0

    def remember(self, error: EmbeddingError, stamps: tuple[Stamp, ...]) -> None:
        """Keep `error` for files that look like `stamps`."""
        self._error, self._stamps = error, stamps
        self._until = time.monotonic() + RETRY_SECONDS

    def still(self, stamps: tuple[Stamp, ...]) -> EmbeddingError | None:
        """Return the error if trying again would be pointless."""
        if self._error is None or stamps != self._stamps or time.monotonic() > self._until:
            return None
        return EmbeddingError(self._error.code, self._error.message)


class TokenizerFile:
    """A tokenizer.json that is loaded when first needed and tried again when it changes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._tokenizer: Tokenizer | None = None
        self._failure = Failure()

    @property
    def loaded(self) -> Tokenizer | None:
        """The tokenizer if it is in memory already."""
        return self._tokenizer

    def available(self) -> bool:
        """Say whether it is loaded or likely to load."""
        if self._tokenizer is not None:
            return True
        stamp = file_stamp(self.path)
        return stamp is not None and self._failure.still((stamp,)) is None

    def get(self) -> Tokenizer:
        """Return the tokenizer, loading it at the first call (1 to 2 s); raise EmbeddingError."""
        if self._tokenizer is not None:
            return self._tokenizer
        with self._lock:
            if self._tokenizer is None:
                stamp = file_stamp(self.path)
                known = self._failure.still((stamp,))
                if known is not None:
                    raise known
                try:
                    self._tokenizer = self._load(stamp)
                except EmbeddingError as error:
                    self._failure.remember(error, (stamp,))
                    raise
            return self._tokenizer

    def _load(self, stamp: Stamp) -> Tokenizer:
        if stamp is None:
            raise EmbeddingError("model_missing", f"The tokenizer file {self.path} is missing.")
        try:
            from tokenizers import Tokenizer  # noqa: PLC0415 - takes long and the first window needs none
        except ImportError as error:
            raise EmbeddingError("runtime_missing", f"The tokenizer cannot be loaded: {error}") from error
        try:
            tokenizer: Tokenizer = Tokenizer.from_file(str(self.path))
        except Exception as error:  # the package raises nothing more precise than Exception
            raise EmbeddingError(
                "model_broken", f"The tokenizer file {self.path} cannot be read: {error}"
            ) from error
        return tokenizer


_files: WeakValueDictionary[Path, TokenizerFile] = WeakValueDictionary()
_files_lock = threading.Lock()


def tokenizer_file(folder: Path) -> TokenizerFile:
    """Return the tokenizer of a model folder, the same object for everyone who asks."""
    path = (folder / "tokenizer.json").absolute()
    with _files_lock:
        found = _files.get(path)
        if found is None:
            found = _files[path] = TokenizerFile(path)
        return found


def without_surrogates(text: str) -> str:
    """Replace lone surrogates, which cannot be encoded, by U+FFFD; the length stays the same."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
