"""What went wrong, in the person's language. Unknown failures say where the details are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from memdesk.conversation import Busy
from memdesk.embedding.base import EmbeddingError
from memdesk.formats.errors import FormatError
from memdesk.llm.errors import LLMError
from memdesk.prompt.budget import PromptTooLarge
from memdesk.store.errors import StoreError

translate = QCoreApplication.translate


def explain(error: BaseException) -> str:
    """Return a sentence for a person; errors of ours speak for themselves, with their name and reason."""
    if isinstance(error, Busy):
        return translate(
            "Errors", "A reply is being written in this chat. Stop it first, or wait for its end."
        )
    if isinstance(error, PromptTooLarge):
        largest = ", ".join(f"{title} (~{tokens})" for title, tokens in error.largest)
        return (
            translate(
                "Errors",
                "The prompt does not fit: about %1 tokens must be sent and there is room for %2. "
                "Shorten one of these, or choose a larger context or a shorter reply: %3.",
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
    return translate("Errors", "Something unexpected went wrong (%1). The details are in the log.").replace(
        "%1", f"{type(error).__name__}: {error}"
    )


def _store_sentence(code: str) -> str:
    return {
        "disk_full": translate("Errors", "The disk is full: %1 could not be written. Nothing was lost."),
        "read_only": translate("Errors", "%1 cannot be written: it is read-only."),
        "locked": translate("Errors", "%1 is locked by another program."),
        "in_use": translate(
            "Errors",
            "The data folder %1 is in use by another memdesk. Close it first, or choose another folder.",
        ),
        "newer_database": translate(
            "Errors", "%1 was written by a newer memdesk. Please update memdesk. Nothing was changed."
        ),
        "newer_settings": translate(
            "Errors", "%1 was written by a newer memdesk. Please update memdesk. Nothing was changed."
        ),
        "corrupt": translate("Errors", "%1 is damaged. Backups lie in the folder “backups” beside it."),
        "not_a_database": translate("Errors", "%1 is not a memdesk database."),
        "cannot_open": translate("Errors", "%1 cannot be opened: check that the folder can be written."),
    }.get(code, "")
