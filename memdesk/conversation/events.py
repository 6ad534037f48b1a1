"""What a turn tells while it runs, and why it may not begin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memdesk.chats.model import Message
from memdesk.prompt.receipt import Receipt
from memdesk.store.errors import StoreError
from memdesk.work.undo import Undo


class Busy(Exception):  # noqa: N818 — it names the state, as the person is told
    """A reply is being written in this chat already."""

    code = "busy"

    def __init__(self) -> None:
        super().__init__("A reply is being written in this chat. Stop it first, or wait for it to end.")


@dataclass(frozen=True, slots=True)
class UserMessageStored:
    """The person's message is on disk."""

    message: Message


@dataclass(frozen=True, slots=True)
class ReplyStarted:
    """An empty reply stands in the chat, and the request goes out."""

    message: Message
    receipt: Receipt | None


@dataclass(frozen=True, slots=True)
class ReplyGrew:
    """More text has come; `message_id` is 0 for a turn that is written for the person."""

    message_id: int
    text: str
    reasoning: bool = False


@dataclass(frozen=True, slots=True)
class ReplyTurned:
    """All new text that has come so far was thoughts."""

    message_id: int


@dataclass(frozen=True, slots=True)
class ReplyEnded:
    """The reply is on disk; its swipe's state and error say how it ended. `message` is None when it went."""

    message_id: int
    message: Message | None
    undo: Undo | None = None
    """How to take back what it changed"""


@dataclass(frozen=True, slots=True)
class NobodyReplies:
    """The person's message stands, and no member of the group replies by itself.

    `reason` says why (`no_active_member`), None where the person chooses who replies.
    """

    chat_id: int
    reason: StoreError | None


@dataclass(frozen=True, slots=True)
class Removed:
    """What came after the message that is written anew is in the trash; `undo` also takes the reply back."""

    undo: Undo


Event = NobodyReplies | UserMessageStored | ReplyStarted | ReplyGrew | ReplyTurned | ReplyEnded | Removed
Listener = Callable[[Event], None]
