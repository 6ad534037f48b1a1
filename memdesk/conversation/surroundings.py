"""What macros are told about a chat: its newest messages, its variables, how long the person was away."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from memdesk.chats.model import Chat, Message
from memdesk.prompt.macros import Surroundings, Variables
from memdesk.store.database import now
from memdesk.store.variables import VariableStore

LOOKED_AT = 40
"""How many messages are looked through for the last one of each side."""


def look_around(
    store: VariableStore, chat: Chat, newest_first: Iterable[Message], reply_id: int | None, text: str = ""
) -> Surroundings:
    """Return the surroundings of a prompt; `reply_id` is the reply that is written, as far as it stands."""
    recent = [message for message in islice(newest_first, LOOKED_AT) if not message.hidden]
    last = recent[0] if recent else None
    own, everywhere = store.read(chat.id, reply_id)
    # The newest message has just been sent: what counts is how long the person was silent before.
    spoke = next((message for message in recent[1:] if message.role == "user"), None)
    return Surroundings(
        now=now().astimezone(),
        seed=store.birth(chat.id),
        input=text,
        last_message=last.text if last else "",
        last_user=_newest(recent, "user"),
        last_char=_newest(recent, "assistant"),
        number=last.number if last else 0,
        idle=now() - spoke.created_at if spoke else None,
        variables=Variables(own, everywhere),
    )


def _newest(recent: list[Message], role: str) -> str:
    return next((message.text for message in recent if message.role == role), "")
