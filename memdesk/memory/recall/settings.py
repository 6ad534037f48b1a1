"""How recall works in one chat."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from memdesk.prompt.budget import PROTECTED_TAIL

Grain = Literal["messages", "exchanges"]
"""What a memory is made of: each message (in pieces near a length), or five messages in a row."""

GRAINS: tuple[Grain, ...] = ("messages", "exchanges")

DEFAULT_GRAIN: Grain = "messages"
"""The grain that finds more; `tests/evaluation/README.md` has the figures."""

TOP_K: dict[Grain, int] = {"messages": 3, "exchanges": 8}
"""Memories sent at most, where a chat says nothing else (SillyTavern's and Marinara Engine's defaults)."""

LONGEST_BOUNDARY = 100
"""Characters of a custom boundary at the most."""


class RecallSettings(BaseModel):
    """Settings of recall, stored with the chat under `recall`; only what differs from the defaults is.

    Defaults are SillyTavern's (400 characters, 2 query messages, threshold 0.25, 3 memories, 5 protected).
    Recall is on in every mode: Marinara Engine leaves it off in roleplay because its summaries stand in for
    it there, and memdesk has nothing that would.
    """

    model_config = ConfigDict(extra="ignore")

    enabled: bool = True
    """Whether memories are sent with replies; remembering goes on either way."""
    grain: Grain = DEFAULT_GRAIN
    chunk_chars: int = Field(400, ge=0, le=10_000)
    """Length near which a message is split, in characters; 0 keeps it whole within the embedder's window."""
    boundary: str = Field("", max_length=LONGEST_BOUNDARY)
    """A mark that always ends a piece of a message and belongs to none, "" for no such mark."""
    remember_hidden: bool = True
    """Whether messages that are hidden from the model are remembered."""
    query_messages: int = Field(2, ge=1, le=20)
    expand_short: bool = True
    """Whether a query that says too little reaches back to the messages before it."""
    threshold: float = Field(0.25, ge=0, le=1)
    """Lowest calibrated score that is recalled."""
    top_k: int = Field(TOP_K[DEFAULT_GRAIN], ge=0, le=100)
    """Memories sent at most; 3 for messages and 8 for exchanges where nothing else is said."""
    protect: int = Field(PROTECTED_TAIL, ge=1, le=1000)
    """How many of the newest messages always stand in the prompt as they are and are never recalled."""
    move_recalled: bool = False
    """Whether a recalled message that is still in the context window moves into the recalled part.

    Otherwise it stays where it is. It is never sent twice.
    """
    neighbours: bool = True
    """Whether the messages around lend credit."""
    speakers: bool = True
    """Whether a speaker whom the query names counts more."""
    recency: bool = False
    """Whether of memories that fit about equally well the newer ones come first; pinned ones never do."""
    template: str = "Past events:\n{{text}}"
    embedder: str = ""
    """Id of the embedding source of this chat; "" leaves it to the connection and the global default."""

    @model_validator(mode="before")
    @classmethod
    def _by_grain(cls, values: Any) -> Any:  # noqa: ANN401 — as pydantic hands it over
        """Give the number of memories the default of the grain, where the chat says none."""
        if isinstance(values, dict) and values.get("top_k") is None:
            grain = values.get("grain", DEFAULT_GRAIN)
            rest = {key: value for key, value in values.items() if key != "top_k"}
            return {**rest, "top_k": TOP_K[grain]} if grain in GRAINS else rest
        return values

    def same_cut(self, other: RecallSettings) -> bool:
        """Return whether both make the same memories of the same messages."""
        return self.cut == other.cut

    @property
    def cut(self) -> tuple[object, ...]:
        """What decides how memories are made."""
        if self.grain == "exchanges":
            return (self.grain, self.remember_hidden)
        return (self.grain, self.chunk_chars, self.boundary, self.remember_hidden)


def recall_settings(chat_settings: dict[str, Any]) -> RecallSettings:
    """Read a chat's recall settings; missing ones have their defaults."""
    return RecallSettings.model_validate(chat_settings.get("recall", {}))
