"""One reply while it is written: the request goes out, deltas come in, and all of it is saved as it grows."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memdesk.chats.model import SwipeState
from memdesk.chats.text import clean, one_line
from memdesk.conversation.events import Listener, ReplyGrew, ReplyTurned
from memdesk.conversation.name_guard import NameGuard
from memdesk.conversation.own_name import OwnName
from memdesk.conversation.stores import Stores
from memdesk.llm.client import (
    ChatClient,
    ChatRequest,
    Finished,
    ReasoningDelta,
    TextDelta,
    TextWasThought,
    Usage,
)
from memdesk.llm.profile import ConnectionProfile
from memdesk.prompt.receipt import Receipt
from memdesk.work.cancel import CancelToken

SAVE_SECONDS = 0.5
"""How often a reply that is being written is saved."""

MODEL_CHARS = 500
"""Longest name of a model that is kept, as in a connection's profile."""


CUT = "cut"
"""How a reply says that it was ended because the model went on as somebody else."""


@dataclass(slots=True)
class Draft:
    """A reply while it is being written."""

    message_id: int
    swipe_id: int
    asked: str
    """The model's name in the profile, by which its token scale is kept."""
    base: str = ""
    """What stood there before, when a text goes on."""
    earlier: dict[str, Any] = field(default_factory=dict)
    """The generation data of `base`."""
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    thinking: tuple[float, float] | None = None
    """When the first and the last thought came, on the monotonic clock."""
    began: float = field(default_factory=time.monotonic)
    saved_at: float = field(default_factory=time.monotonic)
    finish: str = ""
    model: str = ""
    usage: Usage | None = None
    guard: NameGuard | None = None
    """Ends the reply where it stops being its speaker's."""
    marks: dict[str, Any] = field(default_factory=dict)
    """What the generation data says beside how the reply ended."""

    @property
    def cut(self) -> str:
        """Whose name the reply was ended at, "" for nobody's."""
        return self.guard.cut if self.guard else ""

    def take(self, text: str, *, end: bool = False) -> str:
        """Take in what has come, and return what of it belongs to the reply by now; at its `end` all does."""
        if self.guard is not None:
            text = self.guard.feed(text) + (self.guard.end() if end else "")
        if text:
            if not self.text:
                text = joint(self.base, text) + text
            self.text.append(text)
        return text

    def think(self, text: str, since: float | None = None) -> None:
        """Take in thoughts."""
        moment = time.monotonic()
        first = self.thinking[0] if self.thinking else moment
        self.thinking = (first if since is None else since, moment)
        self.reasoning.append(text)

    def rethink(self) -> None:
        """Make thoughts of what was taken for the reply."""
        self.think(self.new, since=self.began)
        self.text.clear()

    @property
    def thoughts(self) -> str:
        """All thoughts; those of the text that goes on come first."""
        return "".join(self.reasoning).strip()

    @property
    def new(self) -> str:
        """What has come so far."""
        return "".join(self.text)

    @property
    def grown(self) -> bool:
        """Whether any words have come."""
        return any(not part.isspace() for part in self.text)

    @property
    def whole(self) -> str:
        """The whole text; a model that said it all again from the beginning is believed."""
        again = bool(self.base.strip()) and self.new.lstrip().startswith(self.base.strip())
        return self.new.lstrip() if again else self.base + self.new


class ReplyWriter:
    """Streams replies into their swipes. Blocks; for worker threads."""

    def __init__(
        self, stores: Stores, count: Callable[[str], int], client: Callable[[ConnectionProfile], ChatClient]
    ) -> None:
        self._stores = stores
        self._count = count
        self._client = client

    def stream(
        self,
        profile: ConnectionProfile,
        receipt: Receipt,
        character: str,
        user: str,
        draft: Draft,
        listen: Listener,
        cancel: CancelToken,
    ) -> None:
        """Send the request of a receipt and take in what comes; raises `LLMError` and `KeyFileError`."""
        recalled = tuple(p.text for p in receipt.parts if p.kind == "memory" and p.included)
        last = next((m["content"] for m in reversed(receipt.messages) if m["role"] == "user"), "")
        request = ChatRequest(
            messages=[dict(message) for message in receipt.messages],
            character=character,
            user=user,
            recalled=recalled,
            last_user_text=last.removeprefix(f"{user}: "),
            max_tokens=profile.reply_tokens,
        )
        client = self._client(profile)
        own_name = OwnName(character)
        try:
            for event in client.stream(request, cancel):
                if isinstance(event, Finished):
                    draft.finish, draft.usage = clean(event.reason), event.usage
                    draft.model = one_line(clean(event.model), MODEL_CHARS) or draft.model
                elif isinstance(event, TextDelta):
                    self._grow(draft, own_name.take(clean(event.text)), listen)
                    if draft.cut:
                        # Nobody waits for words that are not wanted: the connection closes below.
                        draft.finish = CUT
                        break
                elif isinstance(event, ReasoningDelta):
                    draft.think(clean(event.text))
                    listen(ReplyGrew(draft.message_id, draft.reasoning[-1], reasoning=True))
                elif isinstance(event, TextWasThought):
                    self._grow(draft, own_name.end(), listen)
                    self._grow(draft, "", listen, end=True)
                    draft.rethink()
                    own_name = OwnName(character)
                    listen(ReplyTurned(draft.message_id))
                self._save_now_and_then(draft)
        finally:
            self._grow(draft, own_name.end(), listen)
            self._grow(draft, "", listen, end=True)
            client.close()

    @staticmethod
    def _grow(draft: Draft, text: str, listen: Listener, *, end: bool = False) -> None:
        if text := draft.take(text, end=end):
            listen(ReplyGrew(draft.message_id, text))

    def _save_now_and_then(self, draft: Draft) -> None:
        if draft.swipe_id and time.monotonic() - draft.saved_at >= SAVE_SECONDS:
            self._stores.messages.save_partial(draft.swipe_id, draft.whole, "".join(draft.reasoning))
            draft.saved_at = time.monotonic()

    def store_end(
        self, draft: Draft, state: SwipeState, error: str, receipt: Receipt | None, failed: str = ""
    ) -> None:
        """Put the whole reply on disk, and learn from the usage that the server reports.

        `failed` names, in the generation data, what it was that failed.
        """
        text = draft.whole.rstrip() if draft.base else draft.whole.strip()
        usage = draft.usage
        generation: dict[str, Any] = {"finish": draft.finish, **draft.marks}
        if draft.cut:
            generation["cut"] = draft.cut
        if draft.base:
            part = {name: item for name, item in draft.earlier.items() if name not in {"parts", "failed"}}
            part["characters"] = len(draft.base)
            generation["parts"] = [*draft.earlier.get("parts", []), part]
        if draft.thinking:
            begun, ended = draft.thinking
            generation["thought_seconds"] = round(ended - begun, 1)
        if failed:
            generation["failed"] = failed
        if usage is not None:
            generation["usage"] = {"prompt": usage.prompt_tokens, "completion": usage.completion_tokens}
            if receipt is not None:
                self._stores.scale.learn(draft.asked, receipt.used, usage.prompt_tokens)
        self._stores.messages.finish(
            draft.swipe_id,
            text,
            state,
            reasoning=draft.thoughts,
            error=error,
            tokens=self._count(text),
            model=draft.model,
            generation=generation,
        )


def end_state(draft: Draft, error: str) -> SwipeState:
    """Return how a reply ended: `error` is what failed, "" for nothing."""
    if error:
        return SwipeState.FAILED
    return SwipeState.STOPPED if draft.finish == "stopped" else SwipeState.DONE


def joint(before: str, after: str) -> str:
    """Return what stands between two texts that were written one after the other: a blank, or nothing.

    Chinese and Japanese have no blanks between words, and nothing stands before a mark that closes.
    """
    if not before or not after or before[-1].isspace() or after[0].isspace():
        return ""
    if unicodedata.east_asian_width(before[-1]) in "WF" or unicodedata.east_asian_width(after[0]) in "WF":
        return ""
    closing = unicodedata.category(after[0]) in {"Pe", "Pf"} or after[0] in ".,;:!?…"
    return "" if closing else " "
