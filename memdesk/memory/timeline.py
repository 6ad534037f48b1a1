"""What is known at a message: the state of memory as a reply standing there would find it.

Every layer that keeps something says since when each thing is known; the window's slider and the command
only compare numbers. A new layer joins by adding its `Timeline` in the workspace.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from memdesk.prompt.parts import Kind


@dataclass(frozen=True, slots=True)
class Known:
    """Something remembered; `id` is its number in its layer.

    `since` is the number of the first message that could be written with it: 1 for what is known from the
    beginning, one more than its last source for what was said in the chat. `usable` says that it is not
    switched off.
    """

    layer: str
    kind: Kind
    id: int
    since: int
    usable: bool = True


class Timeline(Protocol):
    """What a layer knows, and since when. Reads only; called on any thread but the window's."""

    def known(self, chat_id: int) -> list[Known]:
        """Return everything that the layer keeps of a chat."""


def known_at(timelines: Iterable[Timeline], chat_id: int, number: int) -> list[Known]:
    """Return what a reply with a number (from 1) could know: all that is known since then or before.

    This is the state of today as seen from there: what was edited or forgotten meanwhile is as it is now.
    """
    return [item for timeline in timelines for item in timeline.known(chat_id) if item.since <= number]
