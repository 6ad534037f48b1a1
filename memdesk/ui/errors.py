"""What went wrong, in the person's language. Unknown failures say where the details are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from memdesk.conversation import Busy
from memdesk.embedding.base import EmbeddingError
from memdesk.formats.errors import FormatError
from memdesk.llm.errors import LLMError
from memdesk.prompt.budget import PromptTooLarge
from memdesk.store.errors import StoreError


def _tr(text: str) -> str:
    return QCoreApplication.translate("Errors", text)


def explain(error: BaseException) -> str:
    """Return a sentence for a person; errors of ours speak for themselves, with their name and reason."""
    if isinstance(error, Busy):
        return _tr("A reply is being written in this chat. Stop it first, or wait for its end.")
    if isinstance(error, PromptTooLarge):
        largest = ", ".join(f"{title} (~{tokens})" for title, tokens in error.largest)
        return (
            _tr(
                "The prompt does not fit: about %1 tokens must be sent and there is room for %2. "
                "Shorten one of these, or choose a larger context or a shorter reply: %3."
            )
            .replace("%1", str(error.needed))
            .replace("%2", str(error.room))
            .replace("%3", largest)
        )
    if isinstance(error, StoreError):
        known = _store_sentence(error.code)
        return known.replace("%1", str(error.path)) if known and error.path else str(error)
    if isinstance(error, LLMError | FormatError | EmbeddingError):
        return str(error)
    return _tr("Something unexpected went wrong (%1). The details are in the log.").replace(
        "%1", f"{type(error).__name__}: {error}"
    )


def _store_sentence(code: str) -> str:
    return {
        "disk_full": _tr("The disk is full: %1 could not be written. Nothing was lost."),
        "read_only": _tr("%1 cannot be written: it is read-only."),
        "locked": _tr("%1 is locked by another program."),
        "in_use": _tr(
            "The data folder %1 is in use by another memdesk. Close it first, or choose another folder."
        ),
        "newer_database": _tr(
            "%1 was written by a newer memdesk. Please update memdesk. Nothing was changed."
        ),
        "newer_settings": _tr(
            "%1 was written by a newer memdesk. Please update memdesk. Nothing was changed."
        ),
        "corrupt": _tr("%1 is damaged. Backups lie in the folder “backups” beside it."),
        "not_a_database": _tr("%1 is not a memdesk database."),
        "cannot_open": _tr("%1 cannot be opened: check that the folder can be written."),
    }.get(code, "")
