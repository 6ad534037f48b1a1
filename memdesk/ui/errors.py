"""What went wrong, in the person's language. Unknown failures say where the details are."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from memdesk.conversation import Busy
from memdesk.embedding.base import EmbeddingError
from memdesk.formats.errors import FormatError, printable
from memdesk.llm.errors import LLMError
from memdesk.llm.keys import KeyFileError
from memdesk.memory.summaries.request import BadSummary
from memdesk.prompt.budget import PromptTooLarge
from memdesk.store.errors import StoreError
from memdesk.store.files import FileStoreError
from memdesk.store.index_errors import IndexUnavailable
from memdesk.ui.sentences import said
from memdesk.ui.summary_words import bad_summary_words, summary_sentence

translate = QCoreApplication.translate


def explain(error: BaseException) -> str:
    """Return a sentence for a person; errors of ours speak for themselves, with their name and reason."""
    if isinstance(error, Busy):
        return translate(
            "Errors", "A reply is being written in this chat. Stop it first, or wait for its end."
        )
    if isinstance(error, FileStoreError):
        return _named(str(error.path), error.reason)
    if isinstance(error, BadSummary):
        return bad_summary_words(error)
    if isinstance(error, StoreError) and (told := summary_sentence(error.code)):
        return told
    if isinstance(error, StoreError):
        known = _store_sentence(error.code)
        return known.replace("%1", str(error.path)) if known and error.path else said(str(error))
    if isinstance(error, FormatError):
        return _named(printable(str(error.path) if error.path else error.name), error.reason)
    if isinstance(error, LLMError | EmbeddingError | IndexUnavailable | KeyFileError | PromptTooLarge):
        return said(str(error))
    return translate("Errors", "Something unexpected went wrong (%1). The details are in the log.").replace(
        "%1", f"{type(error).__name__}: {error}"
    )


def _named(name: str, reason: str) -> str:
    return translate("Errors", "%1: %2").replace("%2", said(reason)).replace("%1", name)


def _store_sentence(code: str) -> str:
    return {
        "disk_full": translate("Errors", "The disk is full: %1 could not be written. Nothing was lost."),
        "disk_error": translate("Errors", "The disk failed while %1 was read or written."),
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
        "not_a_database": translate("Errors", "%1 is not a memdesk database."),
        "cannot_open": translate("Errors", "%1 cannot be opened: check that the folder can be written."),
        "closed": translate("Errors", "%1 is closed."),
        "built_in": translate("Errors", "A built-in preset keeps its name and cannot be deleted."),
        "blank_name": translate("Errors", "It needs a name."),
    }.get(code, "")
