"""How the Data Bank works in one chat."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from memdesk.chats.model import Role
from memdesk.prompt.parts import Where


class DataBankSettings(BaseModel):
    """Settings of the Data Bank, stored with the chat under `databank`.

    Five chunks, threshold 0.25 and the template are SillyTavern's defaults.
    """

    model_config = ConfigDict(extra="ignore")

    enabled: bool = True
    """Whether anything of the files is sent."""
    top_k: int = Field(5, ge=0, le=100)
    """Chunks sent at most; files that are always sent whole come on top."""
    threshold: float = Field(0.25, ge=0, le=1)
    query_messages: int = Field(2, ge=1, le=20)
    small_chars: int = Field(5000, ge=0, le=1_000_000)
    """A file up to this long is sent whole as soon as one of its chunks is chosen."""
    where: Where = "after_prompt"
    depth: int = Field(4, ge=0, le=999)
    role: Role = "system"
    template: str = "Related information:\n{{text}}"


def databank_settings(chat_settings: dict[str, Any]) -> DataBankSettings:
    """Read a chat's settings of the Data Bank; missing ones have their defaults."""
    return DataBankSettings.model_validate(chat_settings.get("databank", {}))
