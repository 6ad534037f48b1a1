"""What can be wrong with the search index, in words and codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class IndexUnavailable(Exception):  # noqa: N818 - a state of things, not a mistake of the caller
    """The search index cannot be used; recall goes on without it.

    `code` is "index_module_missing", "index_broken" (`VectorIndex.reset` helps), "index_full" (no space
    left), "index_read_only", "index_wrong_dimension", "index_timeout", "index_server" (a Chroma server that
    fails) or "index_closed".
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


# What the operating system and SQLite say, in the texts of Chroma's internal errors.
_FULL = ("no space left", "disk is full", "os error 28", "disk quota", "file too large", "(code: 13)")
_READ_ONLY = (
    "readonly database",
    "read-only",
    "permission denied",
    "os error 13",
    "os error 30",
    "(code: 8)",
)


def explain(error: BaseException, folder: Path) -> IndexUnavailable:
    """Turn whatever Chroma raised into IndexUnavailable with the most telling code."""
    if isinstance(error, IndexUnavailable):
        return error
    if isinstance(error, ImportError):
        return IndexUnavailable("index_module_missing", f"Chroma cannot be loaded: {error}")
    reason = f"{type(error).__name__}: {error}"
    text = reason.casefold()
    if any(sign in text for sign in _FULL):
        return IndexUnavailable("index_full", f"No space is left for the search index {folder} ({reason}).")
    if isinstance(error, PermissionError) or any(sign in text for sign in _READ_ONLY):
        return IndexUnavailable("index_read_only", f"The search index {folder} cannot be written ({reason}).")
    if "dimension" in text:
        return IndexUnavailable(
            "index_wrong_dimension", f"Vectors of another length are in the search index ({reason})."
        )
    return IndexUnavailable("index_broken", f"The search index {folder} does not work ({reason}).")
