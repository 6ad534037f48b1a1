"""One turn from start to end: store, recall, assemble, stream, store, notify."""

from memdesk.conversation.events import (
    Busy,
    Event,
    Listener,
    NobodyReplies,
    Removed,
    ReplyEnded,
    ReplyGrew,
    ReplyStarted,
    ReplyTurned,
    UserMessageStored,
)
from memdesk.conversation.stores import Stores
from memdesk.conversation.turns import Conversation

__all__ = [
    "Busy",
    "Conversation",
    "Event",
    "Listener",
    "NobodyReplies",
    "Removed",
    "ReplyEnded",
    "ReplyGrew",
    "ReplyStarted",
    "ReplyTurned",
    "Stores",
    "UserMessageStored",
]
