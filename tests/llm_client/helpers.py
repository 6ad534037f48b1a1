from __future__ import annotations

from dataclasses import dataclass, field

from memdesk.llm.client import (
    ChatRequest,
    Event,
    Finished,
    OpenAIClient,
    ReasoningDelta,
    TextDelta,
    TextWasThought,
)
from memdesk.llm.errors import LLMError
from memdesk.llm.profile import ConnectionProfile
from memdesk.work.cancel import CancelToken


@dataclass
class Heard:
    events: list[Event] = field(default_factory=list)
    error: LLMError | None = None

    @property
    def text(self) -> str:
        turns = [at for at, event in enumerate(self.events) if isinstance(event, TextWasThought)]
        said = self.events[turns[-1] + 1 :] if turns else self.events
        return "".join(event.text for event in said if isinstance(event, TextDelta))

    @property
    def thoughts(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def end(self) -> Finished:
        assert self.error is None, self.error
        assert [isinstance(event, Finished) for event in self.events].index(True) == len(self.events) - 1
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last


def request(text: str = "Hello there", **more: object) -> ChatRequest:
    return ChatRequest(messages=[{"role": "user", "content": text}], last_user_text=text, **more)  # type: ignore[arg-type]


def hear(
    profile: ConnectionProfile,
    key: str | None = None,
    *,
    ask: ChatRequest | None = None,
    cancel: CancelToken | None = None,
) -> Heard:
    """Take in a whole reply, with the error that ended it."""
    heard = Heard()
    client = OpenAIClient(profile, key)
    try:
        for event in client.stream(ask or request(), cancel or CancelToken()):
            heard.events.append(event)
    except LLMError as error:
        heard.error = error
    finally:
        client.close()
    return heard


def fails(profile: ConnectionProfile, code: str, key: str | None = None) -> Heard:
    heard = hear(profile, key)
    assert heard.error is not None, heard.events
    assert heard.error.code == code, heard.error
    assert heard.error.message.endswith(".")
    assert not any(isinstance(event, Finished) for event in heard.events)
    return heard
