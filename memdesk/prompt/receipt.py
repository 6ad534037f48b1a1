"""The receipt of a reply: what was considered, what was sent, why, and the exact messages."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from memdesk.prompt.parts import Kind, Part, Reason


@dataclass(frozen=True, slots=True)
class Receipt:
    """Everything a person may ask about one prompt. All sizes are tokens, estimated.

    `context` is the model's window, `reserve` what is kept free for the reply, `used` the prompt: the sum of
    the parts that are in it.
    """

    context: int
    reserve: int
    used: int
    parts: tuple[Part, ...]
    messages: tuple[dict[str, str], ...]
    queries: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    model: str = ""
    earlier: int = 0
    """How many messages stand before the context window and are not sent."""
    first_message: int | None = None
    """Id of the first message of the chat that is sent as it is."""
    order: tuple[str, ...] = ()
    """What gives way first when there is no room."""
    cards: tuple[str, ...] = ()
    """Whose cards the reply was written from, by name."""
    variables: dict[str, dict[str, str]] = field(default_factory=dict)
    """What macros set ("chat" and "global" by name); it is kept when the reply has come."""

    def by_kind(self) -> dict[Kind, int]:
        """Return the tokens sent of each kind, in the order of the prompt."""
        sums: dict[Kind, int] = {}
        for part in self.parts:
            if part.included:
                sums[part.kind] = sums.get(part.kind, 0) + part.tokens
        return sums

    def sent(self, kind: Kind) -> int:
        """Return how many parts of a kind were sent."""
        return sum(part.included and part.kind == kind for part in self.parts)

    def recalled(self) -> list[int]:
        """Return the ids of the memory chunks that were sent."""
        return [int(part.source["chunk"]) for part in self.parts if part.included and "chunk" in part.source]

    def to_json(self) -> dict[str, Any]:
        """Return the receipt as plain JSON values."""
        body = asdict(self)
        body["parts"] = [
            {**asdict(part), "reason": str(part.reason), "why": asdict(part.reason)} for part in self.parts
        ]
        return body


def from_json(body: dict[str, Any]) -> Receipt:
    """Read a receipt that `Receipt.to_json` wrote."""
    parts = []
    for item in body["parts"]:
        fields = {key: value for key, value in item.items() if key not in {"reason", "why"}}
        parts.append(Part(**fields, reason=Reason(item["why"]["code"], item["why"]["values"])))
    rest = {key: value for key, value in body.items() if key != "parts"}
    for key in ("messages", "warnings", "order", "cards"):
        rest[key] = tuple(rest.get(key, ()))
    return Receipt(parts=tuple(parts), **rest)
