from __future__ import annotations

import pytest

from memdesk.prompt.parts import REASONS, Reason

VALUES = {"score": 0.4251, "place": 4, "limit": 3, "threshold": 0.25, "count": 5}


@pytest.mark.parametrize("code", REASONS)
def test_every_reason_is_a_sentence(code: str) -> None:
    text = str(Reason(code, VALUES))
    assert text
    assert "{" not in text


def test_reasons_say_their_numbers() -> None:
    assert str(Reason("chosen", VALUES)) == "chosen: place 4, the best 3 are sent"
    assert str(Reason("below_threshold", {"threshold": 0.25})) == "below threshold 0.25"
    assert str(Reason("protected", {"count": 5})) == "already in the last 5 messages"
    assert str(Reason("no_room", {"limit": 1536})) == "no room: 1536-token limit"
