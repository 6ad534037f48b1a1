"""The bundled tokenizer: one for everybody who counts or embeds."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

from memdesk.embedding.base import EmbeddingError

if TYPE_CHECKING:
    from pathlib import Path

    from sentencepiece import SentencePieceProcessor

FILE_NAME = "tokenizer.model"
"""The binary form of the model's tokenizer.json (packaging/convert_tokenizer.py): SentencePiece reads it
without stopping the other threads, where the JSON form stops them all for one to two seconds."""

PIECES = 250_002
"""Pieces of the bundled tokenizer; another number is another tokenizer, whose ids would mean nothing."""

BEGIN, END = 0, 2
"""Ids of <s> and </s>, which stand around every text."""

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


class Tokenizer:
    """Divides text into pieces; safe in every thread."""

    def __init__(self, processor: SentencePieceProcessor) -> None:
        self._processor = processor

    def ids(self, text: str) -> list[int]:
        """Return the ids of a text, between <s> and </s>."""
        return [BEGIN, *self._processor.encode(without_surrogates(text)), END]

    def count(self, text: str) -> int:
        """Return the number of pieces, without <s> and </s>."""
        return len(self._processor.encode(without_surrogates(text)))

    def begins(self, text: str) -> list[int]:
        """Return where each piece begins, in characters of the text."""
        found = self._processor.encode(without_surrogates(text), out_type="offset_mapping")
        return [int(begin) for begin, _ in found["offsets"]]


class TokenizerFile:
    """A tokenizer file that is loaded when first needed and tried again when it changes."""

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
        """Return the tokenizer, loading it at the first call (about half a second); raise EmbeddingError."""
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
            from sentencepiece import SentencePieceProcessor  # noqa: PLC0415 - the first window needs none
        except ImportError as error:
            raise EmbeddingError("runtime_missing", f"The tokenizer cannot be loaded: {error}") from error
        try:
            processor = SentencePieceProcessor(model_file=str(self.path))
        except (OSError, RuntimeError) as error:
            raise EmbeddingError(
                "model_broken", f"The tokenizer file {self.path} cannot be read: {error}"
            ) from error
        if processor.get_piece_size() != PIECES:
            raise EmbeddingError(
                "model_broken",
                f"The tokenizer file {self.path} cannot be read: it has {processor.get_piece_size()} pieces "
                f"instead of {PIECES}",
            )
        return Tokenizer(processor)


_files: WeakValueDictionary[Path, TokenizerFile] = WeakValueDictionary()
_files_lock = threading.Lock()


def tokenizer_file(folder: Path) -> TokenizerFile:
    """Return the tokenizer of a model folder, the same object for everyone who asks."""
    path = (folder / FILE_NAME).absolute()
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
