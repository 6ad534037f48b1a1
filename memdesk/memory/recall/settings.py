"""How recall works in one chat."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memdesk.prompt.budget import PROTECTED_TAIL


class RecallSettings(BaseModel):
    """Settings of recall, stored with the chat under `recall`.

    Defaults are SillyTavern's (400 characters, 2 query messages, threshold 0.25, 3 memories, 5 protected).
    """

    model_config = ConfigDict(extra="ignore")

    enabled: bool = True
    chunk_chars: int = Field(400, ge=0, le=10_000)
    """Length near which a message is split, in characters; 0 keeps it whole within the embedder's window."""
    query_messages: int = Field(2, ge=1, le=20)
    threshold: float = Field(0.25, ge=0, le=1)
    """Lowest calibrated score that is recalled."""
    top_k: int = Field(3, ge=0, le=100)
    protect: int = Field(PROTECTED_TAIL, ge=1, le=1000)
    template: str = "Past events:\n{{text}}"
    embedder: str = ""
    """Id of the embedding source of this chat; "" leaves it to the connection and the global default."""


def recall_settings(chat_settings: dict[str, Any]) -> RecallSettings:
    """Read a chat's recall settings; missing ones have their defaults."""
    return RecallSettings.model_validate(chat_settings.get("recall", {}))
