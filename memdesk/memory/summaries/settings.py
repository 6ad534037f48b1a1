"""How summaries work in one chat."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from memdesk.chats.model import Role
from memdesk.prompt.parts import Where

DEFAULT_INTERVAL = {"rolling": 10, "entries": 5}
"""Messages between two automatic summaries (SillyTavern's and Marinara Engine's defaults)."""


class SummarySettings(BaseModel):
    """Settings of summaries, stored with the chat under `summaries`."""

    model_config = ConfigDict(extra="ignore")

    enabled: bool = True
    """Whether entries are sent; writing them goes on."""
    automatic: bool = False
    mode: Literal["rolling", "entries"] = "rolling"
    """Each automatic summary takes the previous one in, or covers a range of its own."""
    every_messages: int | None = Field(None, ge=0, le=200)
    """Messages after which one is due; 0 switches this trigger off, None stands for the mode's default."""
    user_messages: bool = True
    """Whether only the person's messages are counted."""
    every_words: int = Field(0, ge=0, le=100_000)
    """Words after which one is due, Chinese and Japanese by character; 0 switches this trigger off."""
    words: int = Field(200, ge=25, le=5000)
    """Target length of a summary in words."""
    max_tokens: int = Field(4096, ge=1, le=32_768)
    last: int = Field(50, ge=5, le=500)
    """Messages that “Generate” takes from the end of the chat."""
    review: bool = False
    """Whether what a model wrote waits for the person's approval."""
    hide: bool = False
    """Whether covered messages are hidden from the model."""
    tail: int = Field(10, ge=0)
    """So many of the newest messages are never hidden by a summary."""
    where: Where = "after_prompt"
    depth: int = Field(2, ge=0, le=999)
    role: Role = "system"
    template: str = "[Summary: {{summary}}]"
    scan: bool = False
    """Whether lorebooks look for their keys in summaries, too."""
    connection: str = ""
    """Id of the connection that writes summaries; "" for the chat's own."""

    @property
    def interval(self) -> int:
        """Messages after which a summary is due; 0 for never."""
        return DEFAULT_INTERVAL[self.mode] if self.every_messages is None else self.every_messages


def summary_settings(chat_settings: dict[str, Any]) -> SummarySettings:
    """Read a chat's summary settings; missing ones have their defaults."""
    return SummarySettings.model_validate(chat_settings.get("summaries", {}))
