"""What the Memories tab says when it has nothing to list, and when something is wrong."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from memdesk.ui.models.memories import Snapshot
from memdesk.ui.sentences import headline

translate = QCoreApplication.translate


def health_words(snapshot: Snapshot) -> tuple[str, str]:
    """Return why memories are found by words only, and the technical side of it; "" when they are not."""
    if snapshot.available:
        return "", ""
    missing = translate("MemoriesPanel", "The embedding model is missing or cannot be used.")
    cause, detail = headline(snapshot.failure)
    cause = cause or missing
    words = translate("MemoriesPanel", "{0} Until it works again, recall goes by words; nothing is lost.")
    return words.format(cause if cause.endswith((".", "。", "!")) else cause + "."), detail


def total_tip(snapshot: Snapshot) -> str:
    """Return what is counted as a memory in this chat."""
    if snapshot.settings.grain == "exchanges":
        return translate(
            "MemoriesPanel",
            "Pieces of this chat that can be found again: five messages in a row each. The newest ones wait "
            "until there are five.",
        )
    return translate(
        "MemoriesPanel",
        "Pieces of this chat that can be found again: each message, split near 400 characters.",
    ).replace("400", str(snapshot.settings.chunk_chars or 400))


def empty_words(snapshot: Snapshot, *, chat: bool, trying: bool) -> tuple[str, str, str]:
    """Return title, text and the one action of an empty list; "" for no action."""
    if snapshot.total and trying:
        return (
            translate("MemoriesPanel", "What would be recalled?"),
            translate(
                "MemoriesPanel",
                "Write a line above, as if it were the next message. The memories that fit appear at once, "
                "each with its score and with what speaks for it or against it.",
            ),
            translate("MemoriesPanel", "Show all memories"),
        )
    if snapshot.total:
        return (
            translate("MemoriesPanel", "Nothing found"),
            translate("MemoriesPanel", "No memory of this chat matches the search and the filter."),
            translate("MemoriesPanel", "Show all memories"),
        )
    if not chat:
        return (
            translate("MemoriesPanel", "No chat is open"),
            translate("MemoriesPanel", "Open a chat, and what memdesk remembers of it appears here."),
            "",
        )
    if snapshot.settings.grain == "exchanges":
        text = translate(
            "MemoriesPanel",
            "Every five messages become one memory as soon as they are written. When the chat grows longer "
            "than the model can read, the memories that fit are sent again with each reply.",
        )
    else:
        text = translate(
            "MemoriesPanel",
            "Each message becomes a memory a moment after it is written. When the chat grows longer "
            "than the model can read, the memories that fit are sent again with each reply. "
            "Write the first message to see one appear.",
        )
    return (
        translate("MemoriesPanel", "Nothing to remember yet"),
        text,
        translate("MemoriesPanel", "Look again at all messages"),
    )
